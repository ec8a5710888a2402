"""A lag that changes along the trace: clock drift."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.blocks import COUNT, USED_COLUMNS
from tracescope.analysis.correlation import (
    MIN_QUALITY,
    MIN_USED,
    correlation_curve,
    peaks,
)
from tracescope.analysis.intervals import Matrix, mean_intervals
from tracescope.analysis.lag import few_rows, flatter, lag_basis, least_squares, let_out
from tracescope.analysis.pooling import alike, normal_quantile, pooled
from tracescope.analysis.spline import Smooth, Spline
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

MAX_DRIFT = 0.03
"""Largest drift looked for, seconds a second."""

_WINDOWS = 5
_MIN_WINDOW_ROWS = 40
_ITERATIONS = 12
_SE_FLOOR = 1e-5
_CONVERGED = 1e-3
_MAY_STRAY = 2
_ON_LINE_ROWS = 1.5
"""Stretches of a long trace whose own lag may lie off the line, and how far on the line it may lie."""

_AS_GOOD = 0.05
"""Correlation by which a second peak may be lower and still be the right one."""

_BEYOND_DOUBT = 1.5
"""The change is this many half-widths of its interval from 0."""


@dataclass(frozen=True, slots=True)
class AffineLag:
    """A lag that runs along a line, in rows.

    Attributes:
        first, first_interval: At the target's first row.
        middle, middle_interval: At the middle of the target's rows.
        over_trace, over_trace_interval: Change from the first to the last row.
        n_eff: Effective samples of the most precise channel.
    """

    first: float
    first_interval: Interval
    middle: float
    middle_interval: Interval
    over_trace: float
    over_trace_interval: Interval
    n_eff: float

    @property
    def drifts(self) -> bool:
        """Whether the lag changes along the trace beyond doubt.

        An interval that only just leaves out 0 is not beyond doubt: to take up a drift that is none moves the
        lag at the first row by half of it.
        """
        low, high = self.over_trace_interval
        return bool(abs(low + high) > _BEYOND_DOUBT * (high - low))

    @property
    def may_drift(self) -> bool:
        """Whether the interval of the change leaves out 0, though not beyond doubt."""
        low, high = self.over_trace_interval
        return bool(low > 0 or high < 0) and not self.drifts


def affine_lag(
    sim: Smooth, target: Smooth, start: float, confidence: float, along: Samples | None = None
) -> AffineLag | None:
    """Fit lag = p0 + p1·u along the target's rows, channel by channel, and pool.

    Args:
        sim, target: The same channels, of ``n_sim`` and ``n_target`` rows.
        start: The constant lag, rows.
        confidence: Two-sided.
        along: Place of each column along the trace, −½ to ½, shape ``(n_target,)``, where the columns do
            not hold all rows.

    Returns:
        ``None`` where no channel resolves both.

    Source:
        Gauss–Newton registration after Lucas and Kanade (1981) with an affine displacement; pooling by
        DerSimonian and Laird (1986).
    """
    n = target.value.shape[1]
    if n < _MIN_WINDOW_ROWS:
        return None
    u = np.arange(n) / (n - 1) - 0.5 if along is None else along
    coarse = _coarse(sim, target, start) if along is None else _coarse_in(sim, target, start, u)
    middle, slope = coarse
    spline = Spline(sim)
    k = target.value.shape[0]
    lag = np.tile(np.array([middle, slope]), (k, 1))
    for _ in range(_ITERATIONS):
        basis, weight = _basis(spline, target, lag, u)
        solution, inverse = least_squares(basis, target.value, weight)
        gain = np.where(solution[:, 1:2] == 0, np.inf, solution[:, 1:2])
        step = np.clip(solution[:, 2:] / gain, -0.5, 0.5)
        lag = lag + step
        if np.abs(step).max(initial=0.0) < _CONVERGED:
            break
    basis, weight = _basis(spline, target, lag, u)
    solution, inverse = least_squares(basis, target.value, weight)
    gain = np.where(solution[:, 1:2] == 0, np.inf, solution[:, 1:2])
    residual = (target.value - np.einsum("kp,kpn->kn", solution, basis)) * weight
    with np.errstate(invalid="ignore"):  # singular channels give inf × 0
        left = residual * let_out(basis, weight, np.where(np.isfinite(inverse), inverse, 0.0))
        scores = n * np.einsum("kqp,kpn->kqn", inverse[:, 2:], basis) * left[:, None, :]
        influence = scores / gain[:, :, None]
    near = np.abs(lag - np.array([middle, slope])) < np.array([2.0, 4.0])
    flat = flatter(spline, target, _along(lag, u))
    usable = (
        np.isfinite(flat)
        & np.isfinite(influence).all(axis=(1, 2))
        & (weight.sum(axis=1) >= MIN_USED)
    )
    usable &= near.all(axis=1)
    if not usable.any():
        return None
    alone = usable & alike(solution[:, 1], residual, target.value, weight)
    usable = alone if alone.any() else usable
    wider = flat[usable] * few_rows(residual[usable][:, weight.any(axis=0)])
    return _pooled_line(lag[usable], influence[usable], wider, confidence)


def _pooled_line(
    lag: NDArray[np.float64], influence: NDArray[np.float64], wider: Samples, confidence: float
) -> AffineLag:
    """Pool the channels' lag at the first row, at the middle, and its change."""
    quantile = normal_quantile(confidence)
    found = []
    for combination in (np.array([1.0, -0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0])):
        z = np.einsum("q,kqn->kn", combination, influence)
        _, half, n_eff = mean_intervals(z, confidence)
        se = np.maximum(half * wider / quantile, _SE_FLOOR)
        found.append(pooled(lag @ combination, se, n_eff, quantile))
    first, middle, change = found
    return AffineLag(
        first.lag,
        first.interval,
        middle.lag,
        middle.interval,
        change.lag,
        change.interval,
        change.n_eff,
    )


def _basis(
    spline: Spline, target: Smooth, lag: NDArray[np.float64], u: Samples
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    basis, weight = lag_basis(spline, target, _along(lag, u))
    return np.concatenate((basis, basis[:, 2:] * u[None, None, :]), axis=1), weight


def _along(lag: NDArray[np.float64], u: Samples) -> Matrix:
    """Lags along the target's rows, ``(k, n)``, or ``(k, 1)`` where none changes."""
    return lag[:, :1] if not lag[:, 1].any() else lag[:, :1] + lag[:, 1:] * u[None, :]


def _coarse(sim: Smooth, target: Smooth, start: float) -> tuple[float, float]:
    """Find middle and change of the lag from whole-row peaks in windows, by Theil–Sen."""
    n = target.value.shape[1]
    reach = int(np.ceil(MAX_DRIFT * n)) + 1
    width = n // _WINDOWS
    if width < _MIN_WINDOW_ROWS or reach < 2:
        return start, 0.0
    centres, lags = [], []
    whole = round(start)
    for first in range(0, n - width + 1, width):
        low = max(0, first - whole - reach)
        high = min(sim.value.shape[1], first + width - whole + reach)
        if high - low < MIN_USED:
            continue
        here = _rows(target, first, first + width)
        curve = correlation_curve(
            _rows(sim, low, high), here, whole - reach - first + low, whole + reach - first + low
        )
        if not np.isfinite(curve.score).any():
            continue
        peak, _ = peaks(curve)
        if curve.score[peak] > MIN_QUALITY:
            centres.append((first + width / 2) / (n - 1) - 0.5)
            lags.append(float(curve.lag[peak]) + first - low)
    if len(lags) < 3:
        return start, 0.0
    slope, level = theil_sen(np.array(centres), np.array(lags))
    # Whole rows cannot tell a change of less than a row or two from none.
    return (level, slope) if abs(slope) > 1.5 else (start, 0.0)


def _coarse_in(sim: Smooth, target: Smooth, start: float, along: Samples) -> tuple[float, float]:
    """Find middle and change of the lag from the whole-row peak in each stretch of a long trace, by Theil–Sen.

    Stretches lie far apart, and a periodic signal has a peak each period: a stretch with a second peak as good
    tells nothing, and unless nearly all of the others lie on the line, it is none.
    """
    width = along.size // COUNT
    reach = (width - USED_COLUMNS) // 2
    centres, lags = [], []
    for first in range(0, width * COUNT, width):
        here, there = (_rows(side, first, first + width) for side in (target, sim))
        known = here.known.any(axis=0)
        curve = correlation_curve(there, here, -reach, reach)
        if not (known.any() and np.isfinite(curve.score).any()):
            continue
        peak, others = peaks(curve)
        score = float(curve.score[peak])
        alone = not (others.size and float(curve.score[others].max()) > score - _AS_GOOD)
        if score > MIN_QUALITY and alone:
            centres.append(float(along[first : first + width][known].mean()))
            lags.append(float(curve.lag[peak]))
    if len(lags) < COUNT - _MAY_STRAY:
        return start, 0.0
    at, lag = np.array(centres), np.array(lags)
    slope, level = theil_sen(at, lag)
    strays = int(np.count_nonzero(np.abs(lag - level - slope * at) > _ON_LINE_ROWS))
    return (level, slope) if abs(slope) > 1.5 and strays <= _MAY_STRAY else (start, 0.0)


def _rows(smooth: Smooth, first: int, last: int) -> Smooth:
    return Smooth(smooth.value[:, first:last], smooth.known[:, first:last])


def theil_sen(x: Samples, y: Samples) -> tuple[float, float]:
    """Fit a line that ignores outliers: the median of all pairwise slopes.

    Args:
        x, y: Shape ``(n,)``, n at least 1; meant for a few hundred points at most.

    Returns:
        Slope, and the line's value at ``x = 0``.

    Source:
        Theil (1950), Sen (1968).
    """
    i, j = np.triu_indices(x.size, 1)
    run = x[j] - x[i]
    rises = (y[j] - y[i])[run != 0] / run[run != 0]
    slope = float(np.median(rises)) if rises.size else 0.0
    return slope, float(np.median(y - slope * x))
