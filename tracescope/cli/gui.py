"""The only bridge from the command line to Qt: imported when a window is really wanted."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tracescope.model.errors import Problem, UsageError
from tracescope.session.session import SideChoices


def run_window(
    sim: SideChoices | None = None,
    target: SideChoices | None = None,
    session: Path | None = None,
) -> int:
    """Open the window on a pair, one trace, a saved session or nothing; return the exit status.

    Raises:
        UsageError: where there is no screen to open it on.
    """
    has_screen = any(os.environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if sys.platform.startswith("linux") and not has_screen:
        raise UsageError(
            Problem(
                "there is no screen to open a window on",
                "DISPLAY and WAYLAND_DISPLAY are not set",
                todo="tracescope check SIM TARGET --note note.html judges the pair without a window",
            )
        )
    from tracescope.ui.app import run

    return run(sim, target, session)
