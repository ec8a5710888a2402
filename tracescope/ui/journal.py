"""Keeps unsaved work: a copy of the session in the state folder, at most two seconds old."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path, PurePath
from uuid import uuid4

from PySide6.QtCore import QObject, QTimer, Slot

from tracescope.model.errors import ProblemsError
from tracescope.session.session import Session
from tracescope.session.store import save_session
from tracescope.ui.session_model import SessionModel

log = logging.getLogger(__name__)

EVERY_MS = 1000
ENDING = ".tracescope"


def state_folder() -> Path:
    """Return where journals and the log file lie."""
    from platformdirs import user_state_path

    return user_state_path("tracescope", appauthor=False)


def left_behind(folder: Path | None = None) -> tuple[Path, ...]:
    """Return journals of windows that ended without saving, newest first."""
    found = [
        path
        for path in (folder or state_folder()).glob(f"journal-*{ENDING}")
        if not _alive(path.stem.split("-")[1])
    ]
    return tuple(sorted(found, key=lambda path: path.stat().st_mtime, reverse=True))


def kept_text(copy: Path) -> str:
    """Say whose unsaved work a copy holds: its files by name, where the copy still tells them."""
    import json

    try:
        kept = json.loads(copy.read_bytes())
        paths = [str(kept[side]["path"]) for side in ("sim", "target")]
    except (OSError, ValueError, KeyError, TypeError):
        log.warning("%s does not tell which pair it is of", copy, exc_info=True)
        return "Unsaved work of an earlier window was kept"
    names = " and ".join(PurePath(path).name for path in paths if path)
    folder = PurePath(next(filter(None, paths), "")).parent.name
    where = f" (in {folder})" if folder.strip(".") else ""
    return f"Unsaved work on {names}{where} of an earlier window was kept"


def _alive(pid: str) -> bool:
    if not pid.isdigit():
        return False
    if int(pid) == os.getpid():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class Journal(QObject):
    """Writes the session a second after a change, and takes the copy away once it is saved."""

    def __init__(
        self,
        model: SessionModel,
        before: Callable[[], None],
        parent: QObject | None = None,
        folder: Path | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._before = before
        self._folder = folder or state_folder()
        self.path = self._fresh()
        self._timer = QTimer(self, singleShot=True, interval=EVERY_MS)
        self._timer.timeout.connect(self.write_when_free)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        self._written: Future[None] | None = None
        model.undo_stack.indexChanged.connect(self._changed)
        model.pair_changed.connect(self._changed)

    def _fresh(self) -> Path:
        return self._folder / f"journal-{os.getpid()}-{uuid4().hex[:8]}{ENDING}"

    def put_aside(self) -> Path | None:
        """Keep unsaved work before something else is opened; return its copy, or ``None``."""
        self.write()
        if not self.path.exists():
            return None
        aside, self.path = self.path, self._fresh()
        return aside

    @Slot()
    def _changed(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def write(self) -> None:
        """Write the copy, or take it away where nothing is unsaved."""
        self._write_soon()
        self._wait()

    @Slot()
    def write_when_free(self) -> None:
        """Write, or look again later where a slow disk is still at the copy before: the window never waits."""
        if self._written is not None and not self._written.done():
            self._timer.start()
        else:
            self._write_soon()

    def _write_soon(self) -> None:
        """Do the same without holding up the window: thousands of numbers take a while to write."""
        self._timer.stop()
        if (
            self._model.session is None
            or not self._model.is_pair
            or self._model.undo_stack.isClean()
        ):
            self.forget()
            return
        self._before()
        self._wait()
        self._written = self._worker.submit(_save, self._model.session, self.path)

    def _wait(self) -> None:
        """Let a copy under way be written; what nobody foresaw is raised here."""
        written, self._written = self._written, None
        if written is not None:
            written.result()

    def forget(self) -> None:
        """Take the copy away: the work is saved, or dropped on purpose."""
        self._wait()
        for path in (self.path, self.path.with_name(self.path.name + ".bak")):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Keep unsaved work for the next start; take the copy away where there is none."""
        self.write()
        self._worker.shutdown()


def _save(session: Session, path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_session(session, path)
    except (ProblemsError, OSError):
        log.warning("the journal could not be written to %s", path, exc_info=True)
