"""A straight line that ignores outliers, and how surely its slope is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.pooling import normal_quantile
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples


@dataclass(frozen=True, slots=True)
class RobustLine:
    """``y = level + slope · x``, with the interval of the slope."""

    slope: float
    level: float
    interval: Interval


def robust_line(x: Samples, y: Samples, confidence: float) -> RobustLine | None:
    """Fit a line by the median of all pairwise slopes.

    Args:
        x, y: Finite, independent points, shape ``(n,)``; meant for a few hundred at most.
        confidence: Two-sided, of the slope's interval.

    Returns:
        The line through the medians of ``x`` and ``y``; ``None`` where no two points differ in ``x``.

    Source:
        Theil (1950); the interval, with its correction for ties, is (2.6) of Sen (1968); the level is that
        of Conover, Practical nonparametric statistics (1980).
    """
    i, j = np.triu_indices(x.size, 1)
    run, rise = x[j] - x[i], y[j] - y[i]
    apart = run != 0
    slopes = np.sort(rise[apart] / run[apart])
    if not slopes.size:
        return None
    slope = float(np.median(slopes))
    level = float(np.median(y)) - slope * float(np.median(x))
    variance = (_in_groups(np.array([x.size])) - _ties(x) - _ties(y)) / 18
    reach = normal_quantile(confidence) * float(np.sqrt(max(variance, 0.0)))
    low = max(round((slopes.size - reach) / 2) - 1, 0)
    high = min(round((slopes.size + reach) / 2), slopes.size - 1)
    return RobustLine(slope, level, (float(slopes[low]), float(slopes[high])))


def _ties(value: Samples) -> float:
    return _in_groups(np.unique(value, return_counts=True)[1])


def _in_groups(count: np.ndarray) -> float:
    """Return Kendall's n (n − 1)(2 n + 5), summed over groups of n; a group of one counts nothing."""
    return float(np.sum(count * (count - 1) * (2 * count + 5)))
