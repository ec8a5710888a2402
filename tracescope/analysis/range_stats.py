"""What a stretch of samples amounts to: count, ends, mean, spread."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tracescope.model.trace import Samples


@dataclass(frozen=True, slots=True)
class RangeStats:
    """Statistics of the finite samples among ``count``; NaN where there are too few.

    ``sd`` divides by n − 1; ``rms`` is the root of the mean square, about zero.
    """

    count: int
    missing: int
    low: float
    high: float
    mean: float
    sd: float
    rms: float


def range_stats(value: Samples) -> RangeStats:
    """Summarise samples.

    Args:
        value: Shape ``(n,)``, any unit; NaN and infinite samples are counted as missing.

    Returns:
        In the unit of ``value``. Sums are taken about the first sample, so that a small spread on a large
        level keeps its digits.
    """
    finite = value[np.isfinite(value)].astype(np.float64)
    missing = int(value.size - finite.size)
    if not finite.size:
        nothing = math.nan
        return RangeStats(int(value.size), missing, nothing, nothing, nothing, nothing, nothing)
    first = float(finite[0])
    with np.errstate(over="ignore", invalid="ignore"):
        mean = first + float((finite - first).mean())
        sd = float(np.std(finite - mean, ddof=1)) if finite.size > 1 else math.nan
        rms = float(np.sqrt(np.mean(finite**2)))
    return RangeStats(
        int(value.size), missing, float(finite.min()), float(finite.max()), mean, sd, rms
    )
