"""Open the window: the only command that needs Qt."""

from __future__ import annotations

import argparse
from pathlib import Path

from tracescope.cli.arguments import COMMANDS
from tracescope.model.errors import Problem, UsageError
from tracescope.session.open import side_of
from tracescope.session.session import SideChoices

SESSION_ENDINGS = (".tracescope", ".json")
"""A session, or a JSON note that holds one."""


def run(options: argparse.Namespace) -> int:
    """Open the window on what was given: nothing, a session file or a pair.

    Raises:
        UsageError: for one trace alone or more than two.
    """
    sim, target, session = window_arguments(options)
    from tracescope.cli.gui import run_window

    return run_window(sim, target, session)


def window_arguments(
    options: argparse.Namespace,
) -> tuple[SideChoices | None, SideChoices | None, Path | None]:
    """Sort the window's arguments into sim, target and session file.

    Raises:
        UsageError: where they fit none of the three ways.
    """
    traces: list[str] = options.traces
    if not traces:
        return None, None, None
    _refuse_mistyped(traces[0])
    if len(traces) == 1 and traces[0].endswith(SESSION_ENDINGS):
        return None, None, Path(traces[0])
    if len(traces) > 2:
        raise UsageError(
            Problem(
                "the window takes a simulator's and a target's trace",
                "command line",
                " ".join(traces),
                "give two files, or one session file",
            )
        )
    from tracescope.cli.sides import both_sides

    sim, target, _ = both_sides(traces[0], traces[1] if len(traces) == 2 else traces[0], options)
    return sim, target if len(traces) == 2 else None, None


def _refuse_mistyped(word: str) -> None:
    """Take a bare word that is no file for a mistyped command."""
    if Path(side_of(word).path).exists() or not word.isalpha():
        return
    import difflib

    close = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.5)
    todo = f"did you mean tracescope {close[0]}?" if close else f"commands: {', '.join(COMMANDS)}"
    raise UsageError(Problem(f"{word!r} is neither a command nor a file", "command line", "", todo))
