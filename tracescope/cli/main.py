"""The command line: one module a command, each imported when it is asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tracescope import __version__
from tracescope.cli.arguments import COMMANDS, command_parser, top_parser
from tracescope.model.errors import Cancelled, TracescopeError

UNUSABLE = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: see ``tracescope --help``."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return _run(given)
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


def _run(given: list[str]) -> int:
    if given and given[0] in COMMANDS:
        command = given[0]
        return _command(command, command_parser(command).parse_args(given[1:]))
    options = top_parser().parse_args(given)
    from tracescope.cli.window import open_window

    return open_window(options)


def _command(command: str, options: argparse.Namespace) -> int:
    from importlib import import_module

    module = import_module(f"tracescope.cli.{command}_command")
    status = module.run(options)
    return int(status)


def version_text() -> str:
    """Return what ``--version`` prints."""
    return f"tracescope {__version__}"
