"""What a kinematic relation tells of sensor levels: of the whole at the start, of the rate throughout.

A loop that reads an offset moves the machine until the reading is where it wants it, so that only the start
shows the offset of a position; five rows of it drown in sensor noise. Along ``Δo_i = k ∫ o_j dt`` the start can
be read off later rows as well: whatever moved since stands in the rate, on either side. And a rate with an
offset adds up to a motion that its whole does not make, whatever loop or plant.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.analysis.regression import FIRST_ROWS, FirstRows, Matrix
from tracescope.model.trace import Samples

WINDOWS = (6, 8, 12, 16, 24, 32, 48)
"""Rows that a line is laid through; the number with the least predicted variance is taken."""

LAGS = (4, 8, 16, 32, 64)
"""Rows over which noise of the rate is seen to add up."""

MIN_ROWS = 24
"""Fewer rows tell noise from drift too badly."""

SHARE = 4
"""No more than this part of the rows serves as window or lag."""

GAP = 3.5
"""Intervals beyond this many usual ones are no integral's."""

Carried = tuple[int, tuple[int, ...], float]
"""Row of the whole, rows of its rates, and k."""


def carried_first_rows(
    first: FirstRows,
    x: Matrix,
    y: Matrix,
    time_s: Samples,
    relations: Sequence[Carried],
    confidence: float = 0.99,
) -> FirstRows:
    """Return first-row differences, those of wholes read off more rows where that is more precise.

    The difference target − sim less k times the integral of the rates' difference stays where it started, but
    for an offset of a rate (a line), the whole's noise (white) and the rates' noise (a random walk). A line is
    laid through the first rows of it; its value at the first row is the estimate.

    Args:
        first: From the first rows alone, arrays of shape ``(k,)``.
        x: Sim, finite, shape ``(k, n)``.
        y: Target, same shape.
        time_s: Of the rows, seconds, shape ``(n,)``; rows behind the first gap are not used.
        relations: Of the simulator, its k in the channels' units.
        confidence: Two-sided, of each interval.

    Returns:
        Same shapes and units. Half-widths hold the larger of predicted and seen scatter about the line.

    Source:
        Ordinary least squares with the covariance of white noise plus a random walk (Harvey, Forecasting,
        Structural Time Series Models (1989), §2.3), whose variances come from the structure function.
    """
    run = _first_run(time_s)
    found = FirstRows(first.difference.copy(), first.half.copy())
    if run < SHARE * FIRST_ROWS:
        return found
    for whole, rates, k in relations:
        places = list(rates)
        rate = np.prod(y[places, :run], axis=0) - np.prod(x[places, :run], axis=0)
        left = y[whole, :run] - x[whole, :run] - k * _integral(rate, time_s[:run])
        steps = abs(k) * _white(rate) * float(np.median(np.diff(time_s[:run])))
        difference, half = _start_of(left, steps, confidence)
        if half < found.half[whole]:
            found.difference[whole], found.half[whole] = difference, half
    return found


def rate_level(
    whole: Samples, rate: Samples, time_s: Samples, k: float, k_half: float, confidence: float
) -> tuple[float, float, float] | None:
    """Return what a rate reads beyond the motion of its whole, in one trace.

    Args:
        whole: Finite, shape ``(n,)``; its own offset does not matter.
        rate: Same shape.
        time_s: Row times, seconds, shape ``(n,)``; the longest stretch without a gap is used.
        k: Of ``Δwhole = k ∫ rate dt``, fitted without regard to levels.
        k_half: Half-width of the logarithm of k.
        confidence: Two-sided.

    Returns:
        Offset of the rate in its unit, half-width and rows used; ``None`` for fewer than 24 rows.

    Source:
        Slope of what the whole lags behind the integral, by ordinary least squares with the covariance of
        white noise plus a random walk, as in :func:`carried_first_rows`.
    """
    from scipy.special import ndtri

    first, last = _longest_run(time_s)
    rows = last - first
    if rows < MIN_ROWS or k == 0:
        return None
    time, motion = time_s[first:last], rate[first:last]
    moved = _integral(motion, time)
    ahead = moved - (whole[first:last] - whole[first]) / k
    white, walk = _noise(ahead, _white(motion) * float(np.median(np.diff(time))))
    centred = time - time.mean()
    weight = centred / float(centred @ centred)
    variance = _variance(weight, white, walk)
    mean_rate = abs(float(moved[-1])) / float(time[-1] - time[0])
    half = float(ndtri(0.5 + confidence / 2)) * float(np.sqrt(variance)) + mean_rate * k_half
    return float(weight @ ahead), half, float(rows)


def integral_constant(
    whole: Samples, rate: Samples, time_s: Samples, confidence: float
) -> tuple[float, float, float] | None:
    """Return k of ``whole = k ∫ rate dt``, fitted to the integral itself.

    Sensor noise of the rate hardly adds up, so that few rows say more than differences over windows do. An offset
    of either (a line in time) and a small lag of one behind the other (a part of the rate) are let free.

    Args:
        whole: Finite, shape ``(n,)``.
        rate: Same shape.
        time_s: Row times, seconds, shape ``(n,)``; the longest stretch without a gap is used.
        confidence: Two-sided.

    Returns:
        k, half-width of its logarithm and rows used; ``None`` for fewer than 24 rows or a k of 0.

    Source:
        Ordinary least squares with the covariance of white noise plus a random walk, as in
        :func:`carried_first_rows`.
    """
    from scipy.special import ndtri

    first, last = _longest_run(time_s)
    rows = last - first
    if rows < MIN_ROWS:
        return None
    time, motion, place = time_s[first:last], rate[first:last], whole[first:last]
    moved = _integral(motion, time)
    design = np.stack((np.ones(rows), time - time.mean(), motion, moved), axis=1)
    size = np.maximum(np.sqrt(np.mean(design**2, axis=0)), 1e-300)
    weight = np.linalg.pinv(design / size) / size[:, None]
    fitted = weight @ place
    k = float(fitted[3])
    if k == 0:
        return None
    left = place - design @ fitted
    white, walk = _noise(left, abs(k) * _white(motion) * float(np.median(np.diff(time))))
    # What four coefficients took away of the noise.
    variance = _variance(weight[3], white, walk) * rows / (rows - 4)
    half = float(ndtri(0.5 + confidence / 2)) * float(np.sqrt(variance)) / abs(k)
    return k, half, float(rows)


def _integral(rate: Samples, time_s: Samples) -> Samples:
    """Trapezoidal, 0 at the first row."""
    return np.concatenate(([0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(time_s))))


def _variance(weight: Samples, white: float, walk: float) -> float:
    """Variance of a weighted sum of white noise and a random walk that starts at the first row.

    Var Σ wᵢ Wᵢ is the sum of squared tail sums of the weights.
    """
    tails = np.cumsum(weight[::-1])[::-1][1:]
    return white * float(weight @ weight) + walk * float(tails @ tails)


def _longest_run(time_s: Samples) -> tuple[int, int]:
    """Return first row and the row behind the last of the longest stretch without a gap."""
    step = np.diff(time_s)
    usual = float(np.median(step)) if step.size else 0.0
    broken = np.flatnonzero((step > GAP * usual) | (step <= 0)) + 1
    edges = np.concatenate(([0], broken, [time_s.size]))
    longest = int(np.diff(edges).argmax())
    return int(edges[longest]), int(edges[longest + 1])


def _first_run(time_s: Samples) -> int:
    """Return how many rows follow one another from the first."""
    step = np.diff(time_s)
    usual = float(np.median(step)) if step.size else 0.0
    broken = np.flatnonzero((step > 1.5 * usual) | (step <= 0))
    return int(broken[0]) + 1 if broken.size else int(time_s.size)


def _start_of(left: Samples, steps: float, confidence: float) -> tuple[float, float]:
    """Return the value at the first row of a line through the first rows, and its half-width."""
    from scipy.special import ndtri

    white, walk = _noise(left, steps)
    best: tuple[float, int, Samples] | None = None
    for rows in WINDOWS:
        if rows > max(left.size // SHARE, FIRST_ROWS + 1):
            break
        row = np.arange(rows, dtype=np.float64)
        weight = np.linalg.pinv(np.stack((np.ones(rows), row), axis=1))[0]
        variance = _variance(weight, white, walk)
        if best is None or variance < best[0]:
            best = (variance, rows, weight)
    if best is None:
        return float(left[0]), np.inf
    variance, rows, weight = best
    head, row = left[:rows], np.arange(rows, dtype=np.float64)
    slope, level = np.polyfit(row, head, 1)
    seen = float(np.sum((head - level - slope * row) ** 2)) / (rows - 2)
    worse = max(1.0, seen / max(white, 1e-300)) if seen > 0 else 1.0
    z = float(ndtri(0.5 + confidence / 2))
    return float(weight @ head), z * float(np.sqrt(variance * worse))


def _white(rate: Samples) -> float:
    """Return the spread of a rate's noise from its second differences, which quick motion only adds to."""
    return 1.4826 * float(np.median(np.abs(np.diff(rate, n=2)))) / float(np.sqrt(6.0))


def _noise(left: Samples, steps: float) -> tuple[float, float]:
    """Return the variances of white noise and of a random walk's step, from how differences grow with lag.

    ``steps``: what the rate's noise alone adds a row; too little of it shows over short lags.
    """
    drift = (left[-1] - left[0]) / (left.size - 1)
    level = left - drift * np.arange(left.size)

    def grown(lag: int) -> float:
        return float(np.mean((level[lag:] - level[:-lag]) ** 2))

    single = grown(1)
    lags = [lag for lag in LAGS if lag <= left.size // SHARE]
    walk = max([0.0, *((grown(lag) - single) / (lag - 1) for lag in lags)])
    return max((single - walk) / 2, 0.0), max(walk, steps**2)
