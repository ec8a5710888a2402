"""What drawing needs to know of a clock: its intervals, and where it lies in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.rows import GAP_PERIODS
from tracescope.model.trace import Samples

Place = tuple[int, int, int]

WINDOWS = 16
WINDOW = 1 << 16
"""A clock longer than sixteen windows of this size is judged by them, evenly spread."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The intervals of a clock, seconds.

    Attributes:
        interval_s: The median.
        gap_s: A longer interval is a gap to the checks.
        drawn_gap_s: A longer interval is drawn as a gap. Greater than ``gap_s`` only where a tenth of all
            intervals is longer than the median's one and a half: the curve of a clock that jitters is
            still a curve.
    """

    interval_s: float
    gap_s: float
    drawn_gap_s: float


def place_of(time_s: Samples) -> Place:
    """Say where a clock lies in memory: views of one array are one clock. Valid while the pair lives."""
    address: int = time_s.__array_interface__["data"][0]
    return address, time_s.size, time_s.strides[0]


def clock_of(time_s: Samples) -> Clock:
    """Measure the intervals of a clock, on at most about a million of them."""
    steps = np.diff(time_s) if time_s.size <= WINDOWS * WINDOW else _spread(time_s)
    steps = steps[steps > 0]
    if not steps.size:
        return Clock(float("inf"), float("inf"), float("inf"))
    middle, long = np.quantile(steps, (0.5, 0.9), method="inverted_cdf").tolist()
    return Clock(middle, GAP_PERIODS * middle, GAP_PERIODS * long)


def _spread(time_s: Samples) -> Samples:
    starts = np.linspace(0, time_s.size - WINDOW, WINDOWS).astype(np.int64).tolist()
    return np.concatenate([np.diff(time_s[start : start + WINDOW]) for start in starts])
