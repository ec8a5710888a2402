"""Correlation of two traces over lag, and its peaks.

A positive lag says that the target is late: its row ``j`` shows what the sim's row ``j − lag`` shows.
Lags count lattice rows between first rows (see :mod:`tracescope.analysis.timebase`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import Matrix
from tracescope.analysis.spline import EDGE_ROWS, Smooth
from tracescope.model.trace import Samples

REACH_ROWS = 400
"""Largest lag tried, rows."""

MIN_ROWS = 20
"""Fewest rows that must overlap at a lag."""

MIN_USED = MIN_ROWS - 2 * EDGE_ROWS
"""What is left of them without the ends that smoothing distorts."""

MIN_QUALITY = 0.5
"""Peak correlation below which two traces do not show the same motion."""


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
        The place of the peak, and those of the others, best first, shape ``(m,)``.

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
