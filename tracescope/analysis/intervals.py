"""Confidence intervals that stay honest under autocorrelation.

Every estimate of the product reduces to the mean of a series: a residual, a squared deviation, or an
estimator's influence function. The half-width is the larger of two estimates of the long-run variance,
so that neither short memory that a cosine average smears nor long memory that a low-order
autoregression misses makes an interval too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.burg import reflections
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

Matrix = NDArray[np.float64]
"""Float64, shape ``(k, n)``: one series a row."""

MAX_ORDER = 8
"""Largest autoregressive order tried."""

ROWS_PER_ORDER = 12
"""At least this many samples an order."""

MIN_EFFECTIVE = 8.0
"""Below this effective sample size an interval is believed only where it is very narrow."""


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean with its interval and effective sample size.

    ``low`` and ``high`` are infinite where too few samples exist for any interval.
    """

    estimate: float
    low: float
    high: float
    n_eff: float

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return (self.low, self.high)

    @property
    def half(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2


def bonferroni(confidence: float, count: int) -> float:
    """Return the confidence each of ``count`` intervals needs for ``confidence`` to hold jointly."""
    return 1.0 - (1.0 - confidence) / max(count, 1)


LONG_SERIES = 210_000
"""A longer series is averaged over blocks before its memory is looked for."""

SERIES_BLOCKS = 20_000
"""Averages that are then left of it."""


def covered(interval: Interval, n_eff: float, tolerance: Interval | None) -> bool:
    """Say whether an interval rests on enough samples to be believed.

    Fewer than eight effective samples suffice only where the interval is narrower than half the
    tolerance (a noise-free measurement needs no averaging).
    """
    if n_eff >= MIN_EFFECTIVE:
        return True
    if tolerance is None:
        return False
    return bool(interval[1] - interval[0] < 0.5 * (tolerance[1] - tolerance[0]))


def t_quantile(confidence: float, dof: Samples | float) -> Samples:
    """Two-sided Student quantile, elementwise in ``dof`` (at least 1), any shape."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.maximum(dof, 1.0), 0.5 + confidence / 2), dtype=np.float64)


def mean_interval(z: Samples, confidence: float = 0.99) -> MeanInterval:
    """Return the mean of an autocorrelated series with its confidence interval.

    Args:
        z: Samples in time order, shape ``(n,)``; non-finite ones are left out.
        confidence: Two-sided.

    Returns:
        Infinite ends for fewer than three finite samples, no width for a constant series.

    Source:
        See :func:`mean_intervals`.
    """
    finite = z[np.isfinite(z)]
    if finite.size < 3:
        estimate = float(finite.mean()) if finite.size else float("nan")
        return MeanInterval(estimate, -np.inf, np.inf, float(finite.size))
    mean, half, n_eff = mean_intervals(finite[None, :], confidence)
    return MeanInterval(
        float(mean[0]), float(mean[0] - half[0]), float(mean[0] + half[0]), float(n_eff[0])
    )


def influence_interval(
    estimate: float, influence: Samples, confidence: float = 0.99
) -> MeanInterval:
    """Return the interval of any estimator that is asymptotically a mean.

    Args:
        estimate: The estimate.
        influence: Its influence function at the samples in time order, shape ``(n,)``: the estimate is
            the truth plus about the mean of this. Its own mean is removed.
        confidence: Two-sided.

    Source:
        Hampel et al., Robust Statistics (1986), §2.1b; long-run variance as in :func:`mean_intervals`.
    """
    of_mean = mean_interval(influence, confidence)
    return MeanInterval(estimate, estimate - of_mean.half, estimate + of_mean.half, of_mean.n_eff)


def mean_intervals(z: Matrix, confidence: float = 0.99) -> tuple[Samples, Samples, Samples]:
    """Return mean, half-width and effective sample size of many series at once.

    Args:
        z: Finite samples, one series a row, shape ``(k, n)`` with n ≥ 3.
        confidence: Two-sided.

    Returns:
        Three arrays of shape ``(k,)``.

    Raises:
        ValueError: if n < 3.

    Source:
        (a) AR(p) by Burg (1975), order by BIC, long-run variance E/(1 − Σφ)² with the first-order
        small-sample bias of Σφ removed (Shaman and Stine 1988), t quantile with n_eff − 1 degrees.
        (b) Equal-weighted cosine estimate with ν = 0.4 n^(2/3) terms, t quantile with ν degrees
        (Lazarus, Lewis, Stock and Watson 2018). The larger half-width is taken.
    """
    n = z.shape[1]
    if n < 3:
        raise ValueError("an interval needs at least three samples")
    if n > LONG_SERIES:
        return _of_long(z, confidence)
    mean = z.mean(axis=1)
    safe = z - mean[:, None]
    variance = _mean_square(safe)
    still = _is_still(z, mean, variance)
    safe[still] = 0.0
    short_memory = _autoregressive_variance(safe)
    long_memory, terms = _cosine_variance(safe)
    spread = np.where(still, 1.0, variance * n / (n - 1))
    n_a = np.clip(n * spread / np.where(still, 1.0, short_memory), 1.0, n)
    half_a = t_quantile(confidence, n_a - 1) * np.sqrt(short_memory / n)
    half_b = t_quantile(confidence, float(terms)) * np.sqrt(long_memory / n)
    widest = np.where(half_b > half_a, long_memory, short_memory)
    n_eff = np.clip(n * spread / np.where(widest > 0, widest, 1.0), 1.0, n)
    half = np.where(still, 0.0, np.maximum(half_a, half_b))
    return mean, half, np.where(still, float(n), n_eff)


def _of_long(z: Matrix, confidence: float) -> tuple[Samples, Samples, Samples]:
    """Return the same of very long series, averaged over short blocks first.

    The mean of the averages keeps its long-run variance, which is all that the interval needs.
    """
    n = z.shape[1]
    block = n // SERIES_BLOCKS
    whole = z[:, : n - n % block]
    averaged = whole.reshape(z.shape[0], -1, block).mean(axis=2)
    _, half, n_eff = mean_intervals(averaged, confidence)
    left = averaged.var(axis=1)
    power = np.array([series.var() for series in whole])
    inside = np.where(left > 0, power / np.where(left > 0, left, 1.0), block)
    return z.mean(axis=1), half, np.minimum(n_eff * inside, n)


def _mean_square(z: Matrix) -> Samples:
    """Return the mean square of each row without another array of its size, shape ``(k,)``."""
    return np.asarray(np.einsum("ij,ij->i", z, z) / z.shape[1])


def _is_still(z: Matrix, mean: Samples, variance: Samples) -> NDArray[np.bool_]:
    """Say which rows vary by rounding of their largest value alone, shape ``(k,)``."""
    out = variance <= (1e-14 * (np.abs(mean) + np.sqrt(z.shape[1] * variance))) ** 2
    near = np.flatnonzero(out)  # no value is larger than this; the largest itself takes a pass
    if near.size:
        out[near] = variance[near] <= (1e-14 * np.abs(z[near]).max(axis=1)) ** 2
    return np.asarray(out)


def _autoregressive_variance(z: Matrix) -> Samples:
    """Long-run variance of centred series by Burg's recursion, order chosen by BIC, shape ``(k,)``."""
    k, n = z.shape
    error = _mean_square(z)
    best_score = np.log(np.maximum(error, 1e-300))
    best = error * n / (n - 1)
    phi = np.zeros((k, 0))
    for order, reflection in enumerate(reflections(z, min(MAX_ORDER, n // ROWS_PER_ORDER)).T, 1):
        phi = np.concatenate(
            (phi - reflection[:, None] * phi[:, ::-1], reflection[:, None]), axis=1
        )
        error = error * np.maximum(1 - reflection**2, 1e-12)
        score = np.log(np.maximum(error, 1e-300)) + order * np.log(n) / n
        total = phi.sum(axis=1)
        # Near a unit root the first-order bias is not enough at tens of samples; the quartic is.
        up = np.clip(total, 0.0, 1.0)
        mended = np.minimum(total + (order + 3 * up + 120 * up**4 / n) / n, 1 - 1 / n)
        long_run = error * n / (n - order - 1) / (1 - mended) ** 2
        better = score < best_score
        best_score, best = np.where(better, score, best_score), np.where(better, long_run, best)
    return np.asarray(best, dtype=np.float64)


def _cosine_variance(z: Matrix) -> tuple[Samples, int]:
    """Long-run variance of centred series by the equal-weighted cosine estimate, and its degrees."""
    from scipy.fft import dct

    n = z.shape[1]
    terms = int(np.clip(round(0.4 * n ** (2 / 3)), 1, n - 1))
    coefficients: Matrix = np.asarray(dct(z, type=2, axis=1, norm="ortho"))
    return _mean_square(coefficients[:, 1 : terms + 1]), terms
