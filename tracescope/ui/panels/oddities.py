"""What is odd about a channel's samples, told without holding up the window."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from tracescope.analysis.rows import live
from tracescope.model.trace import Channel, Samples
from tracescope.ui.plots.background import Background

SATURATED_SHARE = 0.05
HELD_LONGER = 4
"""A saturated end is held this many times as often as any value inside the range."""

MOST_ROWS_AT_ONCE = 200_000
"""A longer channel is looked through by a worker."""

Odd = tuple[str, ...]


def oddities(channel: Channel) -> Odd:
    """Say what is odd about a channel's samples: NaN, constant, saturated."""
    value = channel.as_float()
    if not value.size:
        return ("empty",)
    finite = value[np.isfinite(value)]
    odd = []
    if finite.size < value.size:
        odd.append(f"{value.size - finite.size} NaN" if finite.size else "all NaN")
    if finite.size and not live(finite):
        odd.append("constant")
    elif finite.size >= 20 and channel.value.dtype.kind == "f":
        share = _share_at_ends(finite)
        if share >= SATURATED_SHARE:
            odd.append(f"saturated {100 * share:.0f} %")
    return tuple(odd)


def _share_at_ends(finite: Samples) -> float:
    """Return the share of samples at an end of the range that is held far longer than any other value.

    A signal that holds every level for a while (a staircase of set points) is not saturated at its
    highest one.
    """
    at_ends = max(int((finite == end).sum()) for end in (finite.min(), finite.max()))
    if at_ends < SATURATED_SHARE * finite.size:  # however often others are held
        return 0.0
    _, counts = np.unique(finite, return_counts=True)
    between = counts[1:-1]
    if between.size and at_ends < HELD_LONGER * between.max():
        return 0.0
    return float(at_ends / finite.size) if between.size else 0.0


class Oddities(QObject):
    """The oddities of the open pair's channels, those of long ones once a worker has found them.

    Signals:
        arrived: Those of more channels are known.
    """

    arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._found: dict[Channel, Odd] = {}
        self._later = Background("oddities", self._take, self)
        self._later.arrived.connect(self.arrived)

    @property
    def is_busy(self) -> bool:
        """Whether some are still looked for."""
        return self._later.is_busy

    def of(self, channel: Channel) -> Odd:
        """Return what is odd about a channel, nothing while that is not known."""
        if channel not in self._found:
            if channel.value.size > MOST_ROWS_AT_ONCE:
                self._later.ask(channel, partial(oddities, channel))
                return ()
            self._found[channel] = oddities(channel)
        return self._found[channel]

    def forget(self) -> None:
        """Let the recordings of another pair go."""
        self._found.clear()
        self._later.forget(lambda _: True)

    def _take(self, channel: Channel, odd: Odd) -> None:
        self._found[channel] = odd
