"""Asks where the visible range is to be written, and writes it in the background."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from tracescope.model.errors import ProblemsError
from tracescope.session.export_range import Wanted, export_range
from tracescope.session.session import Session
from tracescope.ui import pick_file
from tracescope.ui.opener import problems_of
from tracescope.ui.view_model import split_key
from tracescope.ui.worker import Task

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow

TABLES = "Comma-separated values (*.csv)"


def wanted_of(session: Session, keys: tuple[str, ...], span_s: tuple[float, float]) -> Wanted:
    """Return the channels of both sides that these keys draw."""
    sim: dict[str, None] = {}
    target: dict[str, None] = {}
    for key in keys:
        side, name = split_key(key)
        twin = session.pair.target_of(name) if side == "sim" else name
        if side == "sim" and name in session.pair.sim:
            sim[name] = None
        if twin is not None and twin in session.pair.target:
            target[twin] = None
    return Wanted(tuple(sim), tuple(target), span_s)


class RangeExport(QObject):
    """The verb of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def ask(self, *, active_only: bool = False) -> None:
        """Ask for a file, then write the shown signals (or the active pane's) over the visible range."""
        window, view = self._window, self._window.view
        session = window.model.open_session
        panes = view.shown[view.active : view.active + 1] if active_only else view.shown
        keys = tuple(dict.fromkeys(key for pane in panes for key in pane))
        if not keys:
            window.parts.status.hint("tick a signal first: nothing is shown")
            return
        source = Path(session.target.path or session.sim.path)
        suggested = str(source.with_name(f"{source.stem}_range.csv"))
        path = pick_file.save_file(window, "Export visible range", TABLES, suggested)
        if path is not None:
            path = path if path.suffix else path.with_suffix(".csv")
            self._write(session, path, wanted_of(session, keys, view.range_s))

    def _write(self, session: Session, path: Path, wanted: Wanted) -> None:
        def work(task: Task) -> tuple[Path, int]:
            return path, export_range(session, path, wanted, progress=task.progress)

        task = self._window.opener.run(f"exporting {path.name}", work)
        task.finished.connect(self._written)
        task.failed.connect(self._failed)

    @Slot(object)
    def _written(self, done: tuple[Path, int]) -> None:
        path, rows = done
        text = f"{rows} samples written: {path}"
        self._window.notices.tell("info", text, "with raw and aligned time", key="export")

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error  # our own bug: the window's exception hook logs and shows it
        self._window.notices.problems("The range was not written", problems_of(error), key="export")
