"""Where the command line keeps what no user should have to read: tracebacks and numpy's warnings."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path


class LogFile(logging.Handler):
    """Appends to ``errors.log``, made with the first record: a run without a fault leaves no file."""

    def emit(self, record: logging.LogRecord) -> None:
        """Append the record; a log that cannot be written must not end a run."""
        append(self.format(record))


def start_log() -> None:
    """Send the package's log and the libraries' warnings to the log file, away from the terminal."""
    logging.captureWarnings(capture=True)
    for name in ("tracescope", "py.warnings", "matplotlib"):
        logger = logging.getLogger(name)
        logger.propagate = False
        if not any(isinstance(handler, LogFile) for handler in logger.handlers):
            logger.addHandler(LogFile(logging.WARNING))


def stop_log() -> None:
    """Undo :func:`start_log`: whoever called ``main`` from Python gets their logging back."""
    logging.captureWarnings(capture=False)
    for name in ("tracescope", "py.warnings", "matplotlib"):
        logger = logging.getLogger(name)
        logger.propagate = True
        for handler in [handler for handler in logger.handlers if isinstance(handler, LogFile)]:
            logger.removeHandler(handler)


def logged_traceback() -> str:
    """Append the traceback to the log file and say where; without a place to log, return it whole."""
    text = traceback.format_exc()
    path = append(text)
    return text if path is None else f"the traceback was added to {path}; please report it"


def append(text: str) -> Path | None:
    """Append to the log file; return it, or ``None`` where there is no place to log."""
    from platformdirs import user_log_path

    try:
        path = user_log_path("tracescope", ensure_exists=True) / "errors.log"
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError:
        return None
    return path
