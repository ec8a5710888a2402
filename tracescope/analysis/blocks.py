"""A few stretches of a long pair instead of all of it: enough to find a lag, at a cost that does not grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.correlation import REACH_ROWS, lag_reach
from tracescope.analysis.intervals import Matrix
from tracescope.analysis.stretches import LONG_ROWS as VERY_LONG_ROWS
from tracescope.model.trace import Samples

LONG_ROWS = 40_000
"""Shorter traces are looked at whole."""

COUNT, _ROWS = 8, 1536
_APART = 3
USED_COLUMNS = _ROWS + 2 * _APART
"""Columns of each block apart from those that leave room for a lag on either side."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Which rows of both traces stand in the columns of a lattice, so that a lag keeps its meaning.

    Each block holds a stretch of the target and the stretch of the sim that any lag tried may lay under it;
    a lag between columns is the lag between rows less what ``centre`` takes out.

    Attributes:
        sim, target: Row in each column, −1 where the column is empty, shape ``(m,)``.
        centre: Rows taken out of every lag.
        reach: Smallest and largest lag to try between columns.
        target_rows: Rows of the whole target.
    """

    sim: NDArray[np.int64]
    target: NDArray[np.int64]
    centre: int
    reach: tuple[int, int]
    target_rows: int

    @property
    def along(self) -> Samples:
        """Place of each column along the whole target, −½ to ½."""
        return np.asarray(self.target / max(1, self.target_rows - 1) - 0.5)


def blocks_of(n_sim: int, n_target: int, start_rows: float) -> Blocks | None:
    """Choose stretches evenly along what is common; ``None`` where the traces are short or lie far apart.

    Very long ones are never looked at whole: where their lengths differ much, lags of two reaches are tried.
    """
    low, high = lag_reach(n_sim, n_target)
    if max(n_sim, n_target) < LONG_ROWS:
        return None
    if high - low > 4 * REACH_ROWS:
        if max(n_sim, n_target) <= VERY_LONG_ROWS:
            return None
        # Every place in so long a trace is not tried: only those around "aligned".
        low, high = -2 * REACH_ROWS, 2 * REACH_ROWS
    centre = round(-start_rows)
    first, last = max(0, centre), min(n_target, n_sim + centre)
    if last - first < 2 * COUNT * _ROWS:
        return None
    reach = max(-low, high)
    starts = np.linspace(first, last - _ROWS, COUNT).astype(np.int64)
    column = np.arange(-reach - _APART, _ROWS + reach + _APART)
    target = starts[:, None] + column
    sim = target - centre
    target = np.where((column >= 0) & (column < _ROWS), target, -1)
    inner = (column >= -reach) & (column < _ROWS + reach)
    sim = np.where(inner & (sim >= 0) & (sim < n_sim), sim, -1)
    return Blocks(sim.ravel(), target.ravel(), centre, (low, high), n_target)


def taken(value: Matrix, rows: NDArray[np.int64]) -> Matrix:
    """Take rows of each channel, NaN where there is none, shape ``(k, m)``."""
    return np.asarray(np.where(rows >= 0, value[:, np.maximum(rows, 0)], np.nan))
