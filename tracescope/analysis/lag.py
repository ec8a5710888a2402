"""The lag between the contents of two traces: where it is to a fraction of a row, and what rivals it.

A positive lag says that the target is late: its row ``j`` shows what the sim's row ``j − lag`` shows.
Lags count lattice rows between first rows (see :mod:`tracescope.analysis.timebase`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.correlation import MIN_USED
from tracescope.analysis.intervals import Matrix, mean_interval, mean_intervals
from tracescope.analysis.pooling import PooledLag, alike, normal_quantile, pooled
from tracescope.analysis.spline import Smooth, Spline
from tracescope.model.trace import Samples

WORSE_SCORE = 1e-3
"""A rival counts as worse only where its mean score exceeds this: less is rounding."""

_SHARED_ROWS = 3
"""So many rows hang together after smoothing by a Gaussian of one row."""

_FEW_ROWS, _MANY_ROWS = 33.0, 150
_CONFIDENCE = 0.99
_ITERATIONS = 12
_WANDER_ROWS = 1.5
_SE_FLOOR_ROWS = 1e-5
_CONVERGED = 1e-7
_ASIDE_ROWS = 0.25


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
    wider = flatter(spline, target, lag[:, None])
    fitted = np.isfinite(inverse[:, 2]).all(axis=1) & (solution[:, 1] != 0) & np.isfinite(wider)
    row = np.where(fitted[:, None], inverse[:, 2], 0.0)
    gain = np.where(fitted, solution[:, 1], 1.0)
    left = residual * let_out(basis, weight, np.where(fitted[:, None, None], inverse, 0.0))
    left *= np.where(fitted, wider, 1.0)[:, None]
    influence = n * np.einsum("kp,kpn->kn", row, basis) * left / gain[:, None]
    quantile = normal_quantile(confidence)
    usable = fitted & np.isfinite(influence).all(axis=1) & (weight.sum(axis=1) >= MIN_USED)
    se = np.full(lag.shape, np.inf)
    n_eff = np.zeros(lag.shape)
    if usable.any():
        counted = weight.any(axis=0)
        share = float(counted.mean())
        scores = influence[usable][:, counted] * share
        _, half, n_eff[usable] = mean_intervals(scores, confidence)
        few = few_rows(residual[usable][:, counted])
        half = _as_shared(half, scores) * few
        n_eff[usable] /= few**2  # what an interval is widened by, samples count less
        se[usable] = np.maximum(half / quantile, _SE_FLOOR_ROWS)
    se = np.where(np.abs(lag - start) >= _WANDER_ROWS, np.inf, se)
    alone = alike(solution[:, 1], residual, target.value, weight) & np.isfinite(se)
    return pooled(lag, np.where(alone | ~alone.any(), se, np.inf), n_eff, quantile)


def flatter(spline: Spline, target: Smooth, lag: Matrix) -> Samples:
    """Return by how much flatter the misfit lies around a lag than its slopes promise, shape ``(k,)``, at least 1.

    Gauss–Newton takes every slope of the sim for one that the target follows. Where each run also moves for
    itself, most of the slope may be the sim's alone, and the lag is known that much worse; infinite where the
    misfit has no minimum there. Read off the misfits a quarter of a row to either side.

    Args:
        spline, target: The same k channels.
        lag: Shape ``(k, 1)`` or, along the target's rows, ``(k, n_target)``.

    Source:
        Observed against expected information: Efron and Hinkley (1978).
    """
    left, promised = [], np.zeros(0)
    for apart in (-_ASIDE_ROWS, 0.0, _ASIDE_ROWS):
        basis, weight = lag_basis(spline, target, lag + apart)
        solution, _ = least_squares(basis[:, :2], target.value, weight)
        rest = (target.value - np.einsum("kp,kpn->kn", solution, basis[:, :2])) * weight
        rows = np.maximum(weight.sum(axis=1), 1.0)
        left.append((rest**2).sum(axis=1) / rows)
        if not apart:
            _, inverse = least_squares(basis, target.value, weight)
            promised = solution[:, 1] ** 2 / (inverse[:, 2, 2] * rows)
    found = (left[0] - 2 * left[1] + left[2]) / (2 * _ASIDE_ROWS**2)
    return np.maximum(np.where(found > 0, promised / np.where(found > 0, found, 1.0), np.inf), 1.0)


def few_rows(residual: Matrix) -> Samples:
    """Return by how much an interval is to be widened because the rows are few, shape ``(k,)``.

    In some tens of rows neither the memory of the errors nor the linear reading of the lag is known well.
    The factor was calibrated on motion with first-order autoregressive errors (coefficients 0, 0.5 and 0.9;
    40 to 200 rows), where it brings coverage to its nominal rate.
    """
    rows = residual.shape[1]
    if rows > _MANY_ROWS:
        return np.ones(residual.shape[0])
    _, _, n_eff = mean_intervals(residual, _CONFIDENCE)
    return np.asarray(1 + (_FEW_ROWS / rows) ** 3 * (0.2 + 2.2 / n_eff))


def _as_shared(half: Samples, scores: Matrix) -> Samples:
    """Widen half-widths of few rows to the memory that the middle channel shows, shape ``(k,)``.

    Pooling trusts the channel that looks most precise. Among some tens of rows that is the one whose memory
    is most underrated, so that none is taken to forget sooner than half of the channels do. The more rows,
    the more a channel's own memory counts.

    Args:
        half: Of each channel's lag, shape ``(k,)``.
        scores: The lag's influence function, shape ``(k, n)``.
    """
    rows = scores.shape[1]
    if rows > _MANY_ROWS or half.size < 2:
        return half
    independent = scores.std(axis=1) / np.sqrt(rows)
    known = (independent > 0) & (half > 0)
    if not known.any():
        return half
    memory = half[known] / independent[known]
    longer = np.maximum(np.median(memory) / memory, 1.0)
    out = half.copy()
    out[known] *= longer ** min((_FEW_ROWS / rows) ** 3, 1.0)
    return out


def let_out(
    basis: NDArray[np.float64], weight: Matrix, inverse: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return by how much each residual is to be enlarged for what the fit itself took up, shape ``(k, n)``.

    A row of leverage h keeps 1 − h of its error. Smoothed rows share their errors with their neighbours, so
    that the fit takes up as much again for each row that hangs together with this one.

    Source:
        Leverage-corrected residuals (HC3) after MacKinnon and White (1985).
    """
    leverage = np.einsum("kpn,kpq,kqn->kn", basis, inverse, basis, optimize=True) * weight
    return np.asarray(1 / np.clip(1 - leverage, 0.1, 1.0) ** _SHARED_ROWS)


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
