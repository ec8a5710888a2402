"""Lags of several channels pooled into one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import Matrix
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

_LEAST_FREEDOM = 4.0
_ALIKE_GAIN, _ALIKE_SHARE = 0.005, 1e-4


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


def pooled(lag: Samples, se: Samples, n_eff: Samples, quantile: float) -> PooledLag:
    """Pool channels' lags by inverse variance, adding the variance between channels.

    Args:
        lag, se, n_eff: Shape ``(k,)``; an infinite error leaves a channel out.
        quantile: Of the normal distribution, for the interval.

    Source:
        DerSimonian and Laird, Meta-analysis in clinical trials (1986), eq. 2 and 8; the variance enlarged
        for weights that are estimates themselves after Meier, Variance of a weighted mean (1953), eq. 1.
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
    half = quantile * float(np.sqrt(_weights_unknown(weight, n_eff[used]) / weight.sum()))
    best = float(n_eff[used][np.argmin(se[used])])
    return PooledLag(centre, (centre - half, centre + half), lag, se, float(np.sqrt(between)), best)


def _weights_unknown(weight: Samples, n_eff: Samples) -> float:
    """Return by how much a weighted mean's variance grows because its weights are estimates."""
    share = weight / weight.sum()
    freedom = np.maximum(n_eff - 1, _LEAST_FREEDOM)
    return float(1 + 4 * np.sum(share * (1 - share) / freedom))


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


def normal_quantile(confidence: float) -> float:
    """Two-sided quantile of the normal distribution."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + confidence / 2))
