"""Which whole-row shift between two counters fits best: counters cannot be off by a fraction of a row."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.correlation import MIN_ROWS
from tracescope.analysis.intervals import Matrix, bonferroni, mean_intervals
from tracescope.analysis.lag import WORSE_SCORE
from tracescope.analysis.timebase import Lattice
from tracescope.model.trace import Samples

_FLOOR = 1e-6


def whole_shifts(lattice: Lattice, candidates: Iterable[int], confidence: float) -> tuple[int, ...]:
    """Return the shifts that are not worse than the best one: a confidence set of the counters' start offset.

    Each shift's errors, after a gain and an offset a channel and weighted by what the best shift leaves, are
    compared with the best shift's row by row through the bounded score (e_k − e_b)/(e_k + e_b).

    Args:
        lattice: Rows placed by counter.
        candidates: Lags left, whole rows, to be tried.
        confidence: Joint, over all candidates.

    Returns:
        Ascending; empty where too few rows are common to all candidates.

    Source:
        After Diebold and Mariano (1995) and the model confidence set of Hansen, Lunde and Nason (2011).
    """
    shifts = sorted(set(candidates))
    residuals = _residuals(lattice, shifts)
    if residuals is None:
        return ()
    power = np.nanmean(residuals**2, axis=2)
    best = int(np.nanargmin(np.nansum(np.log(power + 1e-300), axis=1)))
    weight = 1 / (power[best] + 1e-300)
    errors = np.nansum(residuals**2 * weight[None, :, None], axis=1)
    floor = _FLOOR * residuals.shape[1]
    score = (errors - errors[best]) / (errors + errors[best] + floor)
    others = [i for i in range(len(shifts)) if i != best]
    if not others:
        return (shifts[best],)
    mean, half, _ = mean_intervals(score[others], bonferroni(confidence, len(others)))
    kept = {
        shifts[i] for i, worse in zip(others, mean - half > WORSE_SCORE, strict=True) if not worse
    }
    return tuple(sorted(kept | {shifts[best]}))


def _residuals(lattice: Lattice, shifts: list[int]) -> NDArray[np.float64] | None:
    """What each shift leaves of each channel on the target rows common to all, ``(shifts, k, rows)``."""
    n_sim, n_target = lattice.sim.shape[1], lattice.target.shape[1]
    lags = [shift - round(lattice.start_rows) for shift in shifts]
    first, last = max(0, *lags), min(n_target, *(n_sim + lag for lag in lags))
    if last - first < MIN_ROWS:
        return None
    y = lattice.target[:, first:last]
    return np.stack([_left(lattice.sim[:, first - lag : last - lag], y) for lag in lags])


def _left(x: Matrix, y: Matrix) -> Matrix:
    known = np.isfinite(x) & np.isfinite(y)
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)
    dx = _centred(x, known, count)
    dy = _centred(y, known, count)
    power: Samples = (dx**2).sum(axis=1, keepdims=True)
    gain = (dx * dy).sum(axis=1, keepdims=True) / np.where(power > 0, power, np.inf)
    return np.where(known, dy - gain * dx, np.nan)


def _centred(value: Matrix, known: NDArray[np.bool_], count: NDArray[np.int64]) -> Matrix:
    filled = np.where(known, value, 0.0)
    return np.asarray((filled - filled.sum(axis=1, keepdims=True) / count) * known)
