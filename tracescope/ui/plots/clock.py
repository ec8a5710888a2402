"""What drawing needs to know of a clock: its intervals, and where it lies in memory."""

from __future__ import annotations

from dataclasses import dataclass

from tracescope.analysis.gaps import Place, interval_and_gap_s, place_of
from tracescope.model.trace import Samples

__all__ = ["Clock", "Place", "clock_of", "place_of"]


@dataclass(frozen=True, slots=True)
class Clock:
    """The intervals of a clock, seconds.

    Attributes:
        interval_s: The median.
        gap_s: A longer interval is a gap, to the checks and to the eye.
    """

    interval_s: float
    gap_s: float


def clock_of(time_s: Samples) -> Clock:
    """Measure the intervals of a clock, on at most about a million of them."""
    return Clock(*interval_and_gap_s(time_s))
