"""The lag between the contents of two traces: where it is, how sure that is, and what rivals it.

A positive lag says that the target is late: its row ``j`` shows what the sim's row ``j − lag`` shows.
Lags count lattice rows between first rows (see :mod:`tracescope.analysis.timebase`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import Matrix, mean_interval, mean_intervals
from tracescope.analysis.spline import EDGE_ROWS, Smooth, Spline
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

REACH_ROWS = 400
"""Largest lag tried, rows."""

MIN_ROWS = 20
"""Fewest rows that must overlap at a lag."""

MIN_USED = MIN_ROWS - 2 * EDGE_ROWS
"""What is left of them without the ends that smoothing distorts."""

MIN_QUALITY = 0.5
"""Peak correlation below which two traces do not show the same motion."""

MAX_RIVALS = 8
"""Most rivals compared row by row."""

WORSE_SCORE = 1e-3
"""A rival counts as worse only where its mean score exceeds this: less is rounding."""

_ALIKE_GAIN, _ALIKE_SHARE = 0.005, 1e-4
_ITERATIONS = 12
_WANDER_ROWS = 1.5
_SE_FLOOR_ROWS = 1e-5
_CONVERGED = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Correlation over lag.

    Attributes:
        lag: Whole rows, shape ``(m,)``, int64.
        score: Mean over channels of the Pearson correlation, shape ``(m,)``; NaN where too few rows overlap.
        channel: Of each channel, shape ``(k, m)``.
    """

    lag: NDArray[np.int64]
    score: Samples
    channel: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class PooledLag:
    """A sub-sample lag pooled over channels, in rows.

    Attributes:
        lag: Pooled; NaN where no channel resolves one.
        interval: At the confidence asked for.
        channel_lag, channel_se: Of each channel, shape ``(k,)``; infinite error where unresolved.
        spread: Between-channel standard deviation, rows.
        n_eff: Effective samples of the most precise channel.
    """

    lag: float
    interval: Interval
    channel_lag: Samples
    channel_se: Samples
    spread: float
    n_eff: float


def lag_reach(n_sim: int, n_target: int) -> tuple[int, int]:
    """Return the smallest and largest lag to try, rows.

    A third of the shorter trace and at most 400 rows either way; where one trace is longer, also every
    place at which it contains the other.
    """
    shorter = min(n_sim, n_target)
    reach = min(shorter // 3, REACH_ROWS)
    return min(0, n_target - n_sim) - reach, max(0, n_target - n_sim) + reach


def correlation_curve(sim: Smooth, target: Smooth, low: int, high: int) -> Curve:
    """Correlate channel by channel over exactly the rows that overlap at each lag.

    Normalising by the energy of the whole traces instead would pull the peak towards lag 0.

    Args:
        sim, target: The same k channels, of ``n_sim`` and ``n_target`` rows.
        low, high: Lags to try, inclusive, rows.

    Source:
        Padfield, Masked object registration in the Fourier domain (IEEE TIP 2012), in one dimension.
    """
    from scipy.fft import irfft, next_fast_len, rfft

    lag = np.arange(low, high + 1)
    size = next_fast_len(sim.value.shape[1] + target.value.shape[1], real=True)
    spectra = []
    for side in (sim, target):
        count = np.maximum(side.known.sum(axis=1, keepdims=True), 1)
        mean = (side.value * side.known).sum(axis=1, keepdims=True) / count
        centred = (side.value - mean) * side.known
        centred /= np.maximum(np.abs(centred).max(axis=1, keepdims=True), 1e-300)
        parts = (side.known * 1.0, centred, centred**2)
        spectra.append([rfft(part, size, axis=1) for part in parts])
    (m_x, x, x2), (m_y, y, y2) = spectra

    def over_lags(late: NDArray[np.complex128], early: NDArray[np.complex128]) -> Matrix:
        return np.asarray(irfft(late * early.conj(), size, axis=1)[:, lag % size])

    count = np.maximum(np.round(over_lags(m_y, m_x)), 0.0)
    safe = np.maximum(count, 1.0)
    sum_x, sum_y = over_lags(m_y, x), over_lags(y, m_x)
    cross = over_lags(y, x) - sum_x * sum_y / safe
    energy_x = over_lags(m_y, x2) - sum_x**2 / safe
    energy_y = over_lags(y2, m_x) - sum_y**2 / safe
    scale = np.sqrt(np.maximum(energy_x, 0) * np.maximum(energy_y, 0))
    moves = (np.minimum(energy_x, energy_y) > 1e-9 * safe) & (count >= MIN_USED)
    channel = np.where(moves, cross / np.where(moves, scale, 1.0), np.nan)
    used = moves.sum(axis=0)
    score = np.where(used > 0, np.nansum(channel, axis=0) / np.maximum(used, 1), np.nan)
    return Curve(lag, score, np.clip(channel, -1, 1))


def peaks(curve: Curve) -> tuple[int, NDArray[np.int64]]:
    """Find the highest lag and the local maxima outside its main lobe, as places in the curve.

    Of peaks equal to rounding the one nearest to 0 is taken. The main lobe reaches on either side to the
    first local minimum that lies a tenth of the curve's range below the peak.

    Returns:
        The place of the peak, and those of the others, best first.

    Raises:
        ValueError: where the curve has no finite value.
    """
    score = np.where(np.isfinite(curve.score), curve.score, -np.inf)
    top = float(score.max())
    if not np.isfinite(top):
        raise ValueError("no lag has enough overlap")
    equal = np.flatnonzero(score >= top - 1e-9)
    peak = int(equal[np.argmin(np.abs(curve.lag[equal]))])
    floor = float(score[np.isfinite(score)].min())
    depth = top - 0.1 * (top - floor)
    padded = np.concatenate(([-np.inf], score, [-np.inf]))
    rising, falling = padded[1:-1] >= padded[:-2], padded[1:-1] > padded[2:]
    maxima = np.flatnonzero(rising & falling & np.isfinite(score))
    minima = np.flatnonzero(
        (padded[1:-1] <= padded[:-2]) & (padded[1:-1] <= padded[2:]) & (score < depth)
    )
    left = minima[minima < peak]
    right = minima[minima > peak]
    first = int(left[-1]) if left.size else -1
    last = int(right[0]) if right.size else score.size
    others = maxima[(maxima < first) | (maxima > last)]
    best_first = np.lexsort((np.abs(curve.lag[others]), -np.round(score[others], 9)))
    return peak, others[best_first]


def refine(sim: Smooth, target: Smooth, start: float | Samples, confidence: float) -> PooledLag:
    """Find the sub-sample lag near a whole one, channel by channel, and pool it.

    Each channel's target is modelled as gain × sim(j − lag) + offset, the sim being a cubic spline;
    Gauss–Newton on the three at once, so that neither a wrong gain nor a wrong zero looks like a lag. The
    interval comes from the lag's influence function; channels are pooled by inverse variance with the
    variance between channels added.

    Args:
        sim, target: The same k channels, of ``n_sim`` and ``n_target`` rows.
        start: Rows, one for all or one a channel, shape ``(k,)``.
        confidence: Two-sided.

    Source:
        Gauss–Newton registration after Lucas and Kanade (1981); DerSimonian and Laird (1986).
    """
    spline = Spline(sim)
    start = np.broadcast_to(np.asarray(start, dtype=np.float64), target.value.shape[:1])
    lag = start.copy()
    for _ in range(_ITERATIONS):
        basis, weight = lag_basis(spline, target, lag[:, None])
        solution, _ = least_squares(basis, target.value, weight)
        step = _ratio(solution[:, 2], solution[:, 1])
        step = np.clip(np.where(np.isfinite(step), step, 0.0), -0.5, 0.5)
        lag = np.clip(lag + step, start - _WANDER_ROWS, start + _WANDER_ROWS)
        if np.abs(step).max(initial=0.0) < _CONVERGED:
            break
    basis, weight = lag_basis(spline, target, lag[:, None])
    solution, inverse = least_squares(basis, target.value, weight)
    residual = (target.value - np.einsum("kp,kpn->kn", solution, basis)) * weight
    n = target.value.shape[1]
    influence = n * np.einsum("kp,kpn->kn", inverse[:, 2], basis) * residual
    influence = influence / np.where(solution[:, 1] == 0, np.inf, solution[:, 1])[:, None]
    quantile = normal_quantile(confidence)
    usable = np.isfinite(influence).all(axis=1) & (weight.sum(axis=1) >= MIN_USED)
    se = np.full(lag.shape, np.inf)
    n_eff = np.zeros(lag.shape)
    if usable.any():
        _, half, n_eff[usable] = mean_intervals(influence[usable], confidence)
        se[usable] = np.maximum(half / quantile, _SE_FLOOR_ROWS)
    se = np.where(np.abs(lag - start) >= _WANDER_ROWS, np.inf, se)
    alone = alike(solution[:, 1], residual, target.value, weight) & np.isfinite(se)
    return pooled(lag, np.where(alone | ~alone.any(), se, np.inf), n_eff, quantile)


def alike(gain: Samples, residual: Matrix, value: Matrix, weight: Matrix) -> NDArray[np.bool_]:
    """Say which channels show one signal in both traces, but for its lag: references that decide alone.

    Args:
        gain: Target over sim, shape ``(k,)``.
        residual, value, weight: What a lag leaves, the target and which rows count, shape ``(k, n)``.
    """
    count = np.maximum(weight.sum(axis=1), 1.0)
    mean = (value * weight).sum(axis=1) / count
    power = (((value - mean[:, None]) * weight) ** 2).sum(axis=1)
    left = (residual**2).sum(axis=1)
    return np.asarray((np.abs(gain - 1) < _ALIKE_GAIN) & (left < _ALIKE_SHARE * power))


def pooled(lag: Samples, se: Samples, n_eff: Samples, quantile: float) -> PooledLag:
    """Pool channels' lags by inverse variance, adding the variance between channels.

    Args:
        lag, se, n_eff: Shape ``(k,)``; an infinite error leaves a channel out.
        quantile: Of the normal distribution, for the interval.

    Source:
        DerSimonian and Laird, Meta-analysis in clinical trials (1986), eq. 2 and 8.
    """
    used = np.isfinite(se)
    if not used.any():
        return PooledLag(np.nan, (-np.inf, np.inf), lag, se, np.nan, 0.0)
    weight = 1 / se[used] ** 2
    fixed = float(weight @ lag[used] / weight.sum())
    excess = float(weight @ (lag[used] - fixed) ** 2) - (used.sum() - 1)
    scale = float(weight.sum() - (weight**2).sum() / weight.sum())
    between = max(0.0, excess / scale) if used.sum() > 1 and scale > 0 else 0.0
    weight = 1 / (se[used] ** 2 + between)
    centre = float(weight @ lag[used] / weight.sum())
    half = quantile / float(np.sqrt(weight.sum()))
    best = float(n_eff[used][np.argmin(se[used])])
    return PooledLag(centre, (centre - half, centre + half), lag, se, float(np.sqrt(between)), best)


def is_worse(
    sim: Smooth, target: Smooth, pick: float | Samples, rival: float | Samples, confidence: float
) -> bool:
    """Say whether a rival lag explains the target worse than the pick, row by row.

    The errors e of the two, each after its own gain and offset, are compared on common rows by the bounded
    score (e_rival − e_pick) / (e_rival + e_pick); the rival is worse where the mean score's interval lies
    above 0 (by more than rounding).

    Args:
        sim, target: The same k channels, of ``n_sim`` and ``n_target`` rows.
        pick, rival: Rows, constant or along the target's rows, shape ``(n_target,)``.
        confidence: Two-sided.

    Source:
        After Diebold and Mariano, Comparing predictive accuracy (1995); the bound keeps single rows from
        deciding.
    """
    spline = Spline(sim)
    value, channels = target.value, target.value.shape[0]
    bases, weights = [], []
    for lag in (pick, rival):
        basis, weight = lag_basis(spline, target, np.atleast_2d(np.asarray(lag, dtype=np.float64)))
        bases.append(basis[:, :2])
        weights.append(weight)
    both = weights[0] * weights[1]
    count = np.maximum(both.sum(axis=1, keepdims=True), 1.0)
    centred = (value - (value * both).sum(axis=1, keepdims=True) / count) * both
    power = np.maximum((centred**2).sum(axis=1, keepdims=True) / count, 1e-300)
    errors = []
    for basis in bases:
        solution, _ = least_squares(basis, value, both)
        residual = (value - np.einsum("kp,kpn->kn", solution, basis)) * both
        errors.append((residual**2 / power).sum(axis=0))
    rows = both.any(axis=0)
    pick_error, rival_error = errors[0][rows], errors[1][rows]
    # The floor makes two errors equal that differ by rounding and interpolation alone.
    floor = 1e-6 * channels
    score = (rival_error - pick_error) / (rival_error + pick_error + floor)
    return mean_interval(score, confidence).low > WORSE_SCORE


def normal_quantile(confidence: float) -> float:
    """Two-sided quantile of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + confidence / 2))


def lag_basis(spline: Spline, target: Smooth, lag: Matrix) -> tuple[NDArray[np.float64], Matrix]:
    """Basis 1, sim(j − lag), −sim′(j − lag), shape ``(k, 3, n)``, and which rows count, ``(k, n)``."""
    rows = target.value.shape[1]
    if lag.shape[1] == 1:
        channels = target.value.shape[0]
        value, slope, valid = spline.shifted(np.broadcast_to(lag[:, 0], (channels,)), rows)
    else:
        value, slope, valid = spline.at(np.arange(rows, dtype=np.float64)[None, :] - lag)
    weight = np.broadcast_to(valid & target.known, value.shape).astype(np.float64)
    basis = np.stack((np.ones_like(value), value, -slope), axis=1)
    return basis, weight


def least_squares(
    basis: NDArray[np.float64], value: Matrix, weight: Matrix
) -> tuple[Matrix, NDArray[np.float64]]:
    """Weighted least squares of each channel, shape ``(k, p)``, and the inverse normal matrices.

    A singular channel gets infinite inverse entries, so that nothing is resolved from it.
    """
    weighted = basis * weight[:, None, :]
    normal = np.einsum("kpn,kqn->kpq", weighted, basis)
    right = np.einsum("kpn,kn->kp", weighted, value)
    size = np.sqrt(np.maximum(np.einsum("kpp->kp", normal), 1e-300))
    unit = normal / (size[:, :, None] * size[:, None, :])
    singular = np.linalg.det(unit) < 1e-11
    unit[singular] = np.eye(unit.shape[1])
    inverse = np.linalg.inv(unit) / (size[:, :, None] * size[:, None, :])
    solution = np.einsum("kpq,kq->kp", inverse, right)
    inverse[singular] = np.inf
    return np.where(singular[:, None], 0.0, solution), inverse


def _ratio(top: Samples, bottom: Samples) -> Samples:
    return np.asarray(np.where(bottom == 0, np.nan, top / np.where(bottom == 0, 1.0, bottom)))
