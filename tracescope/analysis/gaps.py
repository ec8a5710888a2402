"""What counts as a gap in a clock: the one rule that checks, readers and drawing share.

A clock that jitters is not a broken one. Half as long again as usual is a gap only where the clock itself is
regular; where its intervals scatter, a gap is what lies outside that scatter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.stretches import blocks_of_rows
from tracescope.model.trace import Samples

GAP_PERIODS = 1.5
"""An interval of a regular clock longer than this many median intervals is a gap."""

FENCE = 1.5
"""Interquartile ranges above the upper quartile past which an interval is outside the clock's own scatter."""

WINDOWS = 16
WINDOW = 1 << 16
"""A clock longer than sixteen windows of this size is judged by them, evenly spread."""

Place = tuple[int, int, int]


def median_interval(time_s: Samples) -> float:
    """Return the median of the positive intervals of a clock, shape ``(n,)``, seconds; infinite without any.

    Read off some stretches of a long clock.
    """
    steps = _steps(time_s)
    steps = steps[steps > 0]
    return float(np.median(steps)) if steps.size else float("inf")


def gap_length_s(time_s: Samples) -> float:
    """Return the seconds past which an interval of a clock is a gap; infinite where it has none.

    The larger of 1.5 median intervals and the upper fence of the clock's own positive intervals,
    Q3 + 1.5 (Q3 − Q1). A fence moves only when a quarter of all intervals is long: single dropouts, and lost
    rows up to a quarter, stay gaps in a regular clock.

    Args:
        time_s: Never decreasing, shape ``(n,)``.

    Source:
        Tukey, Exploratory Data Analysis (1977), §2D (fences).
    """
    return interval_and_gap_s(time_s)[1]


def interval_and_gap_s(time_s: Samples) -> tuple[float, float]:
    """Return the usual (median) interval of a clock and the length past which one is a gap, seconds.

    Read off some stretches of a long clock; both infinite where no interval is positive.

    Args:
        time_s: Never decreasing, shape ``(n,)``.
    """
    steps = _steps(time_s)
    steps = steps[steps > 0]
    if not steps.size:
        return float("inf"), float("inf")
    places = [(steps.size - 1) // 4, (steps.size - 1) // 2, 3 * (steps.size - 1) // 4]
    low, middle, high = np.partition(steps, places)[places].tolist()
    return middle, max(GAP_PERIODS * middle, high + FENCE * (high - low))


def place_of(time_s: Samples) -> Place:
    """Say where a clock, shape ``(n,)``, lies in memory: views of one array are one. Valid while it lives."""
    address: int = time_s.__array_interface__["data"][0]
    return address, time_s.size, time_s.strides[0]


def in_gap(time_s: Samples, at_s: Samples) -> NDArray[np.bool_]:
    """Say which instants lie strictly inside a gap of a clock, shape ``(m,)``."""
    gap_s = gap_length_s(time_s)
    inside = np.zeros(at_s.shape, dtype=np.bool_)
    if not _longest(time_s) > gap_s:
        return inside
    for start in range(0, at_s.size, WINDOWS * WINDOW):
        some = slice(start, start + WINDOWS * WINDOW)
        left = np.clip(np.searchsorted(time_s, at_s[some], side="right") - 1, 0, time_s.size - 1)
        right = np.minimum(left + 1, time_s.size - 1)
        long = time_s[right] - time_s[left] > gap_s
        inside[some] = long & (at_s[some] > time_s[left]) & (at_s[some] < time_s[right])
    return inside


def _longest(time_s: Samples) -> float:
    """Return the longest interval of a clock, 0 where it has none."""
    found = 0.0
    for rows in blocks_of_rows(time_s.size - 1):
        some = time_s[rows.start : rows.stop + 1]
        found = max(found, float((some[1:] - some[:-1]).max()))
    return found


def _steps(time_s: Samples) -> Samples:
    if time_s.size <= WINDOWS * WINDOW:
        return np.diff(time_s)
    starts = np.linspace(0, time_s.size - WINDOW, WINDOWS).astype(np.int64).tolist()
    return np.concatenate([np.diff(time_s[start : start + WINDOW]) for start in starts])
