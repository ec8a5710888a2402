"""How far two recordings of one signal lie apart as distributions, and as places."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.intervals import (
    Matrix,
    MeanInterval,
    bonferroni,
    mean_intervals,
)
from tracescope.model.trace import Samples

LEVELS = 48
"""At so many levels the distribution functions are compared."""

OUTER_SHARE = 0.02
"""Levels lie between this quantile and its counterpart: beyond, too few rows decide."""

MIN_ROWS = 8
"""At least so many paired rows."""


def ks_distance(sim: Samples, target: Samples, confidence: float = 0.99) -> MeanInterval:
    """Return the Kolmogorov–Smirnov distance of paired series with an interval under autocorrelation.

    Args:
        sim, target: Paired rows, shape ``(n,)``, finite.
        confidence: Two-sided, joint over the levels.

    Returns:
        Infinite ends for fewer than 8 rows.

    Source:
        At each level the difference of the two distribution functions is the mean over rows of
        1{target ≤ x} − 1{sim ≤ x}, whose interval :func:`tracescope.analysis.intervals.mean_intervals`
        gives; pairing keeps what both share out of the variance. The distance lies between the largest
        lower and the largest upper end of the absolute differences.
    """
    if sim.size < MIN_ROWS:
        return MeanInterval(float("nan"), -np.inf, np.inf, float(sim.size))
    pooled = np.sort(np.concatenate((sim, target)))
    exact = float(
        np.abs(
            np.searchsorted(np.sort(target), pooled, "right")
            - np.searchsorted(np.sort(sim), pooled, "right")
        ).max()
        / sim.size
    )
    levels = np.unique(np.quantile(pooled, np.linspace(OUTER_SHARE, 1 - OUTER_SHARE, LEVELS)))
    rows = (target[None, :] <= levels[:, None]).astype(np.float64) - (
        sim[None, :] <= levels[:, None]
    )
    mean, half, n_eff = mean_intervals(rows, bonferroni(confidence, levels.size))
    missed = max(exact - float(np.abs(mean).max()), 0.0)
    low = float(np.maximum(np.abs(mean) - half, 0.0).max())
    high = min(float((np.abs(mean) + half).max()) + missed, 1.0)
    moving = half > 0
    n = float(n_eff[moving].min()) if moving.any() else float(sim.size)
    return MeanInterval(exact, min(low, exact), max(high, exact), n)


def centroid_distance(difference: Matrix, confidence: float = 0.99) -> MeanInterval:
    """Return how far the mean places lie apart.

    Args:
        difference: Target less sim, one coordinate a row, shape ``(k, n)``, finite, n ≥ 3.
        confidence: Two-sided, joint over the coordinates.

    Source:
        Triangle inequality on the coordinates' intervals, each under autocorrelation as in
        :mod:`tracescope.analysis.intervals`.
    """
    mean, half, n_eff = mean_intervals(difference, bonferroni(confidence, difference.shape[0]))
    distance, reach = float(np.linalg.norm(mean)), float(np.linalg.norm(half))
    return MeanInterval(
        distance, max(distance - reach, 0.0), distance + reach, float(n_eff.min(initial=np.inf))
    )
