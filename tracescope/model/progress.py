"""How long work tells how far it is, and learns that it was cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Pulse = Callable[[], None]
"""Called between the steps of long work; raises ``Cancelled`` to end it."""


class Progress(Protocol):
    """Called by long work; raises :class:`~tracescope.model.errors.Cancelled` to stop it."""

    def __call__(self, done: float, what: str) -> None:
        """Report that the share ``done`` (0 to 1) is finished; ``what`` names the present step."""


def silent(done: float, what: str) -> None:
    """Ignore progress: the default where nobody watches."""
    del done, what


def never() -> None:
    """Let the work go on: the pulse where nobody can cancel."""


def part_of(progress: Progress, begin: float, end: float) -> Progress:
    """Return what reports one step's own share as that of the whole: from ``begin`` to ``end`` of it."""

    def told(done: float, what: str) -> None:
        progress(begin + done * (end - begin), what)

    return told
