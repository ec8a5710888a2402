"""Starts the window: application, settings, log file, exception hook, what was left behind."""

from __future__ import annotations

import logging
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from tracescope.resources_path import resources
from tracescope.session.catalogue import all_checks
from tracescope.session.session import SideChoices
from tracescope.ui.garbage import GarbageHere
from tracescope.ui.journal import kept_text, left_behind, state_folder
from tracescope.ui.look import Look
from tracescope.ui.main_window import MainWindow
from tracescope.ui.settings import Settings
from tracescope.ui.worker import wait_for_the_last

log = logging.getLogger(__name__)

LOG_BYTES = 1_000_000
SWITCH_S = 5e-4
"""How long a worker may keep the interpreter from the window: Python's own 5 ms, waited for at many calls
of a paint, would show."""


class Surprises(QObject):
    """Exceptions that nobody expected, from any thread, shown by a window on its own thread.

    Signals:
        happened: One line on what it was.
    """

    happened = Signal(str)

    def install(self) -> None:
        """Become the hook of this process."""
        sys.excepthook = self.hear
        threading.excepthook = lambda args: self.hear(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )

    def hear(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Log it with its traceback and tell the window."""
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        log.error("unexpected", exc_info=(kind, error, trace))
        self.happened.emit(f"{kind.__name__}: {error}")


class Windows:
    """The application's windows, all with one look and one set of settings."""

    def __init__(self, log_path: Path, garbage: GarbageHere | None = None) -> None:
        self._garbage = garbage
        self.settings = Settings()
        self.look = Look(self.settings.theme, demo=False)
        self.surprises = Surprises()
        self._log_path = log_path
        self._open: list[MainWindow] = []

    def another(self) -> MainWindow:
        """Open one more window on the start page."""
        window = MainWindow(all_checks(), self.look, self.settings, self.another)
        self._open.append(window)
        window.destroyed.connect(lambda: self._gone(window))
        if self._garbage is not None:
            for gone in (window.destroyed, window.model.pair_changed):
                gone.connect(self._garbage.soon)
        window.log_path = self._log_path
        self.surprises.happened.connect(window.surprised)
        window.show()
        return window

    def _gone(self, window: MainWindow) -> None:
        self._open = [kept for kept in self._open if kept is not window]

    def offer_left_behind(self, window: MainWindow) -> None:
        """Offer to restore what a window that ended without saving left behind."""
        for copy in left_behind()[:1]:
            window.commands.offer_copy(copy, kept_text(copy))


def start_log(folder: Path) -> Path:
    """Log to a file in the state folder; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tracescope.log"
    handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("tracescope")
    root.setLevel(logging.INFO)
    root.addHandler(handler)
    return path


def heard_from_qt(kind: QtMsgType, _context: object, text: str) -> None:
    """Put Qt's own messages into the log."""
    level = logging.DEBUG if kind == QtMsgType.QtDebugMsg else logging.WARNING
    logging.getLogger("tracescope.qt").log(level, "%s", text)


def make_application(arguments: list[str]) -> QApplication:
    """Make the application with its name and icon."""
    sys.setswitchinterval(SWITCH_S)
    app = QApplication(arguments)
    app.setApplicationName("tracescope")
    app.setDesktopFileName("org.tracescope.Tracescope")
    app.setWindowIcon(QIcon(str(resources() / "icons" / "tracescope.svg")))
    return app


def run(
    sim: SideChoices | None = None,
    target: SideChoices | None = None,
    session: Path | None = None,
) -> int:
    """Open a window on a pair, one trace, a session or nothing, and stay until the last one closes."""
    app = make_application(["tracescope"])
    log_path = start_log(state_folder())
    qInstallMessageHandler(heard_from_qt)
    windows = Windows(log_path, GarbageHere(app))
    windows.surprises.install()
    window = windows.another()
    windows.offer_left_behind(window)
    if session is not None and window.campaigns.takes([str(session)]):
        return _until_closed(app)
    if session is not None:
        window.opener.open_session_file(session)
    else:
        window.commands.open_sides(sim, target)
    return _until_closed(app)


def _until_closed(app: QApplication) -> int:
    """Stay until the last window closes, and until work that outlived it has ended."""
    status = app.exec()
    wait_for_the_last()
    return status
