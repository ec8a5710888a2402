"""Work in the background waits while the window is at something.

The interpreter runs one thread at a time. A worker that computes in short steps takes it at every step,
and a paint, which lets go of it at many calls, waits for it as often: it lasts twice as long by the clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

MOST_S = 0.05
"""A worker waits at most this long a step: it never depends on the window to come to its end."""

_free = Event()
_free.set()


@contextmanager
def foremost() -> Iterator[None]:
    """Go before work in the background, on the window's thread."""
    _free.clear()
    try:
        yield
    finally:
        _free.set()


def give_way() -> bool:
    """Let the window go first where it is at something, on a worker's thread.

    Returns:
        Whether the window is at nothing now.
    """
    return _free.is_set() or _free.wait(MOST_S)
