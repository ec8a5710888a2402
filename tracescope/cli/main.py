"""The command line: one module a command, each imported when it is asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tracescope.cli.arguments import COMMANDS, command_parser, top_parser

UNUSABLE = 2
INTERRUPTED = 130
OUR_BUG = 70
"""Neither a verdict nor the input's fault; 1 would read as "a check failed"."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: see ``tracescope --help``."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in COMMANDS:
        return _guarded(given[0], command_parser(given[0]).parse_args(given[1:]))
    return _guarded("window", top_parser().parse_args(given))


def _guarded(command: str, options: argparse.Namespace) -> int:
    """Run a parsed command; errors that are the input's go to stderr as what, where and what to do."""
    from importlib import import_module

    from tracescope.model.errors import Cancelled, TracescopeError

    _print_anything()
    _log_quietly(command)
    try:
        return int(import_module(f"tracescope.cli.{command}_command").run(options))
    except Cancelled:
        return INTERRUPTED
    except TracescopeError as error:
        print(f"tracescope: {error}", file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("tracescope: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe went away: nothing is wrong with us
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001  # told with the place of the traceback, never swallowed
        print(f"tracescope: a fault of ours: {error!r}\n  → {_logged()}", file=sys.stderr)
        return OUR_BUG


def _print_anything() -> None:
    """Let a terminal that cannot show a sign show a question mark, instead of ending in an error."""
    import io

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _log_quietly(command: str) -> None:
    """Keep what is logged out of the terminal, in the log file; the window keeps a log of its own."""
    import logging

    class ToFile(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            _append(self.format(record))

    ours = logging.getLogger("tracescope")
    if command != "window" and not any(type(h).__name__ == "ToFile" for h in ours.handlers):
        ours.addHandler(ToFile(logging.WARNING))


def _logged() -> str:
    """Append the traceback to the log file and say where; without a place to log, return it whole."""
    import traceback

    text = traceback.format_exc()
    path = _append(text)
    return text if not path else f"the traceback was added to {path}; please report it"


def _append(text: str) -> str:
    """Append a text to the log file and return where, ``""`` where there is no place for it."""
    from platformdirs import user_log_path

    try:
        path = user_log_path("tracescope", ensure_exists=True) / "errors.log"
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError:
        return ""
    return str(path)
