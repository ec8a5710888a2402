"""One trace's one-step relation fitted by sums over a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import t_quantile
from tracescope.analysis.one_step import cross_validated
from tracescope.analysis.one_step_noise import lag_one
from tracescope.model.trace import Samples

Rows = NDArray[np.int64]

MIN_FREE = 10
"""Independent sums that must be left beside the coefficients."""

DOUBT = 0.5
"""Standard errors by which the negative correlation of neighbouring residuals is taken to be weaker."""

MOST_BACK = 0.5
"""Neighbouring values of a noise that forgets after one row are correlated by no more than this."""


@dataclass(frozen=True, slots=True, eq=False)
class SummedFit:
    """One trace fitted by sums, J outputs and k regressors.

    Attributes:
        beta: Coefficients of one row's change, shape ``(k, J)``.
        covariance: Theirs, widened for the few sums it was read from, shape ``(J, k, k)``.
        score: Part of the sums explained where they were left out of the fit, shape ``(J,)``.
        count: Sums that do not overlap.
    """

    beta: Samples
    covariance: Samples
    score: Samples
    count: float


def fit_sums(x: Samples, y: Samples, row: Rows, m: int, confidence: float) -> SummedFit | None:
    """Fit a one-step relation by sums over m rows.

    Args:
        x: Regressors of each transition, shape ``(n, k)``.
        y: Outputs, shape ``(n, J)``.
        row: Row that each transition starts from, shape ``(n,)``; nothing is summed across a gap.
        m: Rows that are added up.
        confidence: Two-sided, of the intervals that the covariance is meant for.

    Returns:
        ``None`` where fewer than ten sums that do not overlap are left beside the coefficients.

    Source:
        Least squares of sums, whose influence on each row is known exactly: the covariance is that of white
        noise with a first-order moving average (which differences of sensor noise are), read from
        neighbouring residuals, and no smaller than the low frequencies of the influence say
        (Lazarus, Lewis, Stock and Watson 2018).
    """
    n, k = x.shape
    start = starts(row, m)
    free = len(start) / m - k
    if free < MIN_FREE:
        return None
    sum_x, sum_y = summed(x, start, m), summed(y, start, m)
    value, vector = np.linalg.eigh(sum_x.T @ sum_x)
    kept = value > 1e-11 * max(float(value[-1]), 1e-300)
    inverse = (vector[:, kept] / value[kept]) @ vector[:, kept].T
    beta = inverse @ (sum_x.T @ sum_y)
    influence = spread_over(sum_x, start, m, n) @ inverse
    tails = float(t_quantile(confidence, free) / t_quantile(confidence, 1e9)) ** 2
    covariance = tails * coefficient_covariance(influence, y - x @ beta, row, n - k)
    return SummedFit(beta, covariance, cross_validated(sum_x, sum_y), len(start) / m)


def starts(row: Rows, m: int) -> Rows:
    """Return positions from which m transitions follow one another directly, at most ``(n,)``."""
    if len(row) < m:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(row[m - 1 :] - row[: len(row) - m + 1] == m - 1)


def summed(values: Samples, start: Rows, m: int) -> Samples:
    """Return the sum of m rows from each start: shape ``(n, k)`` becomes ``(len(start), k)``."""
    total = np.concatenate((np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)))
    return np.asarray(total[start + m] - total[start])


def spread_over(weights: Samples, start: Rows, m: int, n: int) -> Samples:
    """Return what weighted sums take of each of n rows, shape ``(n, k)``: :func:`summed` transposed.

    Args:
        weights: Of each sum, shape ``(len(start), k)``.
        start: Where each sum begins.
        m: Rows added up.
        n: Rows in all.
    """
    out = np.zeros((n + 1, weights.shape[1]))
    out[start] += weights
    out[start + m] -= weights
    return np.cumsum(out, axis=0)[:n]


def coefficient_covariance(influence: Samples, error: Samples, row: Rows, free: int) -> Samples:
    """Return the covariance of linear estimates under noise that takes itself back in the next row.

    Args:
        influence: What each row's noise adds to each estimate, shape ``(n, k)``.
        error: Residuals of one row, shape ``(n, J)``.
        row: Row that each starts from, shape ``(n,)``.
        free: Degrees of freedom that the residuals have left.

    Returns:
        Shape ``(J, k, k)``. Positive correlation of neighbours is not counted here, but by the low
        frequencies below which the whole is not allowed to fall.
    """
    earlier, later = lag_one(row)
    power = (error**2).sum(axis=0) / max(free, 1)
    shared = (error[earlier] * error[later]).sum(axis=0) / max(free, 1)
    share = shared / np.where(power > 0, power, 1.0) + DOUBT / np.sqrt(max(earlier.size, 1))
    share = np.clip(share, -MOST_BACK, 0.0)
    cross = influence[earlier].T @ influence[later]
    both = influence.T @ influence + share[:, None, None] * (cross + cross.T)
    out = power[:, None, None] * both
    trace = np.trace(out, axis1=1, axis2=2)
    slow = _slow_variance(influence, error)
    more = np.maximum(slow / np.where(trace > 0, trace, 1.0), 1.0)
    return np.asarray(out * more[:, None, None])


def _slow_variance(influence: Samples, error: Samples) -> Samples:
    """Return the variance of all estimates together by low frequencies alone, shape ``(J,)``."""
    n = len(error)
    cosine = _cosines(n)
    weighted = np.empty_like(cosine)
    parts = [
        np.multiply(cosine, error[:, j], out=weighted) @ influence for j in range(error.shape[1])
    ]
    return n * np.array([float((part**2).mean(axis=0).sum()) for part in parts])


@lru_cache(maxsize=2)
def _cosines(n: int) -> Samples:
    """Return the lowest terms of the cosine transform of n rows, kept for the fits of a pair's two traces."""
    terms = int(np.clip(round(0.4 * n ** (2 / 3)), 1, n - 1))
    turn = np.pi * (np.arange(n) + 0.5) / n
    return np.asarray(np.sqrt(2 / n) * np.cos(np.outer(np.arange(1, terms + 1), turn)))
