"""Observations that are another one's integral: no plant parameter can change their one-step relation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.one_step_rows import Recorded
from tracescope.model.trace import Samples

FACTORS = (1.0, 180 / np.pi, np.pi / 180, 1000.0, 0.001)
"""Change over integral as units make it; any other factor may be a plant parameter, such as a mass."""

SLACK = 0.05
SCORE = 0.98
WINDOWS = (1, 4, 16, 48)
"""Rows a window: noise hides the relation over one row and not over many."""

MIN_WINDOWS = 20


def kinematic_columns(rows: Recorded, interval_s: float) -> frozenset[int]:
    """Return columns whose change is another column's integral, whatever the noise over one row.

    Args:
        rows: State of one trace, shape ``(n, p)``.
        interval_s: Seconds a row.

    Returns:
        Columns with R² above 0.98 over windows of some length, and a factor that units make.
    """
    state = rows.state
    p = state.shape[1]
    found = np.zeros((p, p), dtype=np.bool_)
    if p < 2 or not np.isfinite(interval_s):
        return frozenset()
    run = np.concatenate(([0], np.cumsum(~rows.goes_on)))
    known = np.asarray(np.isfinite(state).all(axis=1))
    filled = np.where(known[:, None], state, 0.0)
    area = np.cumsum((filled[1:] + filled[:-1]) / 2, axis=0) * interval_s
    area = np.concatenate((np.zeros((1, p)), area))
    unknown = np.concatenate(([0], np.cumsum(~known)))
    for width in WINDOWS:
        whole = (run[width:] == run[:-width]) & (unknown[width + 1 :] == unknown[: -width - 1])
        at = np.flatnonzero(whole)
        if at.size >= MIN_WINDOWS:
            found |= _integrals(filled[at + width] - filled[at], area[at + width] - area[at])
    return frozenset(int(j) for j in np.flatnonzero(found.any(axis=0)))


def _integrals(change: Samples, integral: Samples) -> NDArray[np.bool_]:
    """Say which column's integral (row) makes which column's change (column), shape ``(p, p)``."""
    change = change - change.mean(axis=0)
    integral = integral - integral.mean(axis=0)
    power, moved = (integral**2).sum(axis=0), (change**2).sum(axis=0)
    cross = integral.T @ change
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = cross / power[:, None]
        score = cross**2 / (power[:, None] * moved[None, :])
    unit = np.zeros(cross.shape, dtype=np.bool_)
    for known in FACTORS:
        unit |= np.abs(factor / known - 1) < SLACK
    np.fill_diagonal(unit, val=False)
    return np.asarray(unit & (score > SCORE))
