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

PLAIN = {
    "−": "-",
    "–": "-",
    "→": "->",
    "…": "...",
    "÷": "/",
    "×": "x",
    "·": "|",
    "µ": "u",
    "✓": "+",
    "✕": "x",
}
"""What a terminal of plain ASCII shows instead."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: see ``tracescope --help``."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in COMMANDS:
        return _guarded(given[0], command_parser(given[0]).parse_args(given[1:]))
    return _guarded("window", top_parser().parse_args(given))


def _guarded(command: str, options: argparse.Namespace) -> int:
    """Run a parsed command; errors that are the input's go to stderr as what, where and what to do."""
    from importlib import import_module

    from tracescope.cli.log import logged_traceback, start_log, stop_log
    from tracescope.cli.output import told
    from tracescope.model.errors import Cancelled, TracescopeError

    _print_anything()
    if command != "window":  # it keeps a log of its own
        start_log()
    try:
        return int(import_module(f"tracescope.cli.{command}_command").run(options))
    except Cancelled:
        return INTERRUPTED
    except TracescopeError as error:
        print(told(f"tracescope: {error}"), file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print("tracescope: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of a pipe went away: nothing is wrong with us
        sys.stderr.close()
        return 0
    except Exception as error:  # noqa: BLE001  # told with the place of the traceback, never swallowed
        print(f"tracescope: a fault of ours: {error!r}\n  → {logged_traceback()}", file=sys.stderr)
        return OUR_BUG
    finally:
        stop_log()


def _print_anything() -> None:
    """Let a terminal that cannot show a sign show a plain one like it, instead of ending in an error."""
    import codecs
    import io

    codecs.register_error("plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Stand in for one sign that the terminal's encoding has not: a minus must never become a ``?``."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start]
    return PLAIN.get(found, "?"), error.start + 1
