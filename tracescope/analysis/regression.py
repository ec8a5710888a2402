"""How one signal follows another: slope and level with intervals that allow for what is not noise.

Both signals are noisy, so the slope is the reduced major axis (geometric mean regression). Its interval
covers three things: sampling error under autocorrelation, the dilution of either ordinary slope, and
whatever scale a structured (autocorrelated) residual could hide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import mean_intervals
from tracescope.model.trace import Samples

Matrix = NDArray[np.float64]
"""Float64, shape ``(k, n)``: one signal a row."""

LAG_BANDS = ((2, 3), (4, 6), (7, 12), (13, 25))
"""Lags over which the residual's autocovariance is averaged; lag 1 is left to a recorder's filter."""

BLOCKS = 2000
"""Blocks that a long series is averaged into before its long-run variance is estimated."""

ROUNDING = 1e-12
"""An influence function of standardised signals that never exceeds this is rounding, not variation."""

LARGEST_LOG = 50.0
"""Half-widths of a log slope beyond this say nothing either way, and would overflow."""

FIRST_ROWS = 5
"""Rows after a reset in which feedback has hardly acted."""


@dataclass(frozen=True, slots=True, eq=False)
class SlopeFit:
    """``y = slope · x + intercept`` for k pairs of signals; every array has shape ``(k,)``.

    Attributes:
        slope: Reduced major axis, with the sign of the correlation.
        low, high: Its interval, all three widenings included.
        intercept: Of the fitted line.
        intercept_half: Half-width of its interval, the slope's uncertainty at the mean included.
        shift, shift_half: Mean of ``y − x`` and the half-width of its interval.
        n_eff: Effective sample size of the slope.
        shift_n_eff: Effective sample size of the shift.
        correlation: Pearson.
        structured: Spread of the structured part of the residual over the spread of y.
    """

    slope: Samples
    low: Samples
    high: Samples
    intercept: Samples
    intercept_half: Samples
    shift: Samples
    shift_half: Samples
    n_eff: Samples
    shift_n_eff: Samples
    correlation: Samples
    structured: Samples


def structured_spread(residual: Matrix) -> Samples:
    """Return the standard deviation of the autocorrelated part of each residual, shape ``(k,)``.

    The largest absolute mean autocovariance over the bands of :data:`LAG_BANDS`: white noise gives
    about nothing, a difference in motion gives nearly its whole variance.
    """
    n = residual.shape[1]
    centred = residual - residual.mean(axis=1, keepdims=True)
    largest = np.zeros(residual.shape[0])
    for first, last in LAG_BANDS:
        lags = [lag for lag in range(first, last + 1) if lag <= n // 3]
        if lags:
            band = [
                np.einsum("ij,ij->i", centred[:, lag:], centred[:, :-lag]) / (n - lag)
                for lag in lags
            ]
            largest = np.maximum(largest, np.abs(np.mean(band, axis=0)))
    return np.sqrt(np.minimum(largest, np.mean(centred**2, axis=1)))


def fit_slopes(x: Matrix, y: Matrix, confidence: float = 0.99) -> SlopeFit:
    """Fit ``y = slope · x + intercept`` row by row.

    Args:
        x: Finite, shape ``(k, n)`` with n ≥ 3; rows should move (a still one gives NaN).
        y: The other side, same shape.
        confidence: Two-sided, of each interval.

    Source:
        Reduced major axis: Ricker, J. Fish. Res. Board Can. 30 (1973) 409; its influence function is
        that of log(s_y / s_x), ½(z_y² − z_x²) with standardised z. The two ordinary regressions
        bracket the slope under noise in either signal (Frisch 1934).
    """
    mean_x, mean_y = x.mean(axis=1), y.mean(axis=1)
    centred_x, centred_y = x - mean_x[:, None], y - mean_y[:, None]
    spread_x = _or_nan(np.sqrt(np.mean(centred_x**2, axis=1)))
    spread_y = _or_nan(np.sqrt(np.mean(centred_y**2, axis=1)))
    z_x, z_y = centred_x / spread_x[:, None], centred_y / spread_y[:, None]
    correlation = np.clip(np.mean(z_x * z_y, axis=1), -1.0, 1.0)
    sign = np.where(correlation < 0, -1.0, 1.0)
    slope = sign * spread_y / spread_x
    residual = centred_y - slope[:, None] * centred_x
    # The means of these rows are 0: only the half-widths are wanted, so NaN rows are kept apart.
    known = np.isfinite(slope)
    influence = np.where(known[:, None], 0.5 * (z_y**2 - z_x**2), 0.0)
    influence[np.abs(influence).max(axis=1) <= ROUNDING] = 0.0
    log_half, n_eff = _halves(influence, confidence)
    log_half = np.minimum(log_half, LARGEST_LOG)
    structured = structured_spread(np.where(known[:, None], residual, 0.0)) / spread_y
    residual_half, _ = _halves(np.where(known[:, None], residual, 0.0), confidence)
    tightness = np.maximum(np.abs(correlation), 1e-12)
    near = np.minimum(np.exp(-log_half), tightness)
    far = np.maximum(np.exp(log_half), 1 / tightness)
    size = np.abs(slope)
    # A residual of this size cannot hide more scale than this, however it is made up.
    most = np.sqrt(np.maximum(2 * (1 - np.abs(correlation)), 0.0))
    below = np.minimum(1 - near + structured, np.maximum(most, 1 - tightness))
    above = np.minimum(far - 1 + structured, np.maximum(most, 1 / tightness - 1))
    ends = np.sort([sign * size * (1 - below), sign * size * (1 + above)], axis=0)
    shift = y - x
    shift_half, shift_n_eff = _halves(shift, confidence)
    slope_half = np.maximum(ends[1] - slope, slope - ends[0])
    return SlopeFit(
        slope=slope,
        low=ends[0],
        high=ends[1],
        intercept=mean_y - slope * mean_x,
        intercept_half=residual_half + np.abs(mean_x) * slope_half,
        shift=shift.mean(axis=1),
        shift_half=shift_half,
        n_eff=np.where(known, n_eff, 0.0),
        shift_n_eff=shift_n_eff,
        correlation=correlation,
        structured=structured,
    )


def _halves(z: Matrix, confidence: float) -> tuple[Samples, Samples]:
    """Return half-width and effective sample size of each row's mean.

    A long series is first averaged over short blocks: its mean keeps its long-run variance, which is all
    that the interval needs.
    """
    n = z.shape[1]
    block = n // BLOCKS
    if block < 2:
        _, half, n_eff = mean_intervals(z, confidence)
        return half, n_eff
    whole = z[:, : n - n % block]
    averaged = whole.reshape(z.shape[0], -1, block).mean(axis=2)
    _, half, n_eff = mean_intervals(averaged, confidence)
    left = averaged.var(axis=1)
    inside = np.where(left > 0, whole.var(axis=1) / np.where(left > 0, left, 1.0), block)
    return half, np.minimum(n_eff * inside, n)


def _or_nan(spread: Samples) -> Samples:
    return np.where(spread > 0, spread, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class FirstRows:
    """The difference target − sim extrapolated to the first common row; arrays of shape ``(k,)``."""

    difference: Samples
    half: Samples


def first_rows(x: Matrix, y: Matrix, confidence: float = 0.99) -> FirstRows:
    """Fit a line through the first differences ``y − x`` and return its value at the first row.

    The noise comes from the second differences of the whole series, which a motion's slow drift hardly
    enters, and from the misfit of the line itself, whichever is larger.

    Args:
        x: Sim, shape ``(k, n)`` with n ≥ :data:`FIRST_ROWS`.
        y: Target, same shape.
        confidence: Two-sided.
    """
    from scipy.special import ndtri

    difference = y - x
    row = np.arange(FIRST_ROWS, dtype=np.float64)
    design = np.stack((np.ones(FIRST_ROWS), row), axis=1)
    head = difference[:, :FIRST_ROWS]
    weights = np.linalg.pinv(design)
    line = head @ weights.T
    misfit = np.sqrt(np.sum((head - line @ design.T) ** 2, axis=1) / (FIRST_ROWS - 2))
    curvature = np.diff(difference, n=2, axis=1)
    noise = np.median(np.abs(curvature), axis=1) * 1.4826 / np.sqrt(6.0)
    spread = np.sqrt(np.sum(weights[0] ** 2))
    half = ndtri(0.5 + confidence / 2) * spread * np.maximum(noise, misfit)
    return FirstRows(line[:, 0], half)


def first_rows_on_line(x: Matrix, y: Matrix, fit: SlopeFit) -> NDArray[np.bool_]:
    """Say whether the first rows lie on the fitted line, shape ``(k,)``.

    Off the line means: farther than four residual spreads (robust) and than 5 % of y's spread, as the
    mean of the first three rows. Feedback on a wrong sensor bends exactly these rows off.
    """
    residual = y - fit.slope[:, None] * x - fit.intercept[:, None]
    noise = 1.4826 * np.median(np.abs(residual), axis=1)
    allowed = np.maximum(4.0 * noise / np.sqrt(3.0), 0.05 * y.std(axis=1))
    return np.asarray(np.abs(residual[:, :3].mean(axis=1)) <= allowed)
