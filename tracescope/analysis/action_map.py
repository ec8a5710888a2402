"""What lies between an emitted and an applied action: the simplest map that reproduces the log.

Static maps predict a row from its own emitted value; maps with memory are run forward from the first
logged value, so that they cannot borrow the answer from the previous row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.action_map_fits import FITS
from tracescope.analysis.action_map_kinds import FittedMap, run_map
from tracescope.model.trace import Samples

MAX_ROWS = 20_000
"""Rows used to name a map; the share altered counts all rows."""

SLACK = 1.5
"""The simplest map within this factor of the best misfit is the name."""

FLOOR = 1e-4
"""Misfits below this part of the applied action's spread are rounding."""

UNNAMED = 0.10
"""A misfit above this part of the spread names nothing."""

ALTERED = (0.01, 0.2)
"""A row is altered where it is off by four noise spreads, this band of the emitted spread at least and most."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedMap:
    """The map with the simplest name, and how well it does.

    Attributes:
        map: Kind and parameters; kind ``unnamed`` where nothing fits.
        misfit: rms of what it leaves, over the applied action's spread.
        noise: Robust spread of what it leaves, in the applied action's unit.
    """

    map: FittedMap
    misfit: float
    noise: float


def name_map(emitted: Samples, applied: Samples) -> NamedMap:
    """Name the map from emitted to applied.

    Args:
        emitted: Finite, shape ``(n,)``.
        applied: Same rows, finite.

    Returns:
        The simplest map whose misfit is within 1.5 × of the best one's; ``identity`` where the two are equal,
        ``unnamed`` where that leaves more than a tenth of the spread or n < 8.
    """
    x, y = emitted[:MAX_ROWS], applied[:MAX_ROWS]
    spread = float(y.std()) or float(x.std()) or 1.0
    if float(np.abs(y - x).max(initial=0.0)) <= 1e-9 * max(spread, 1e-300):
        return NamedMap(FittedMap("identity"), 0.0, 0.0)
    if x.size < 8:
        return NamedMap(FittedMap("unnamed"), float("nan"), float("nan"))
    fits = [fitted for fit in FITS for fitted in fit(x, y)]
    left = [y - run_map(fitted, x, y[0]) for fitted in fits]
    misfit = [float(np.sqrt(np.mean(r**2))) / spread for r in left]
    best = max(min(misfit), FLOOR)
    chosen = next(i for i, m in enumerate(misfit) if m <= SLACK * best)
    if misfit[chosen] > UNNAMED:
        return NamedMap(FittedMap("unnamed"), best, float("nan"))
    noise = 1.4826 * float(np.median(np.abs(left[chosen])))
    return NamedMap(fits[chosen], misfit[chosen], noise)


def altered_rows(
    emitted: Samples, applied: Samples, named: NamedMap, reference: FittedMap | None = None
) -> NDArray[np.bool_]:
    """Say which rows the target altered, shape ``(n,)``.

    Args:
        emitted: Finite, shape ``(n,)``.
        applied: Same rows.
        named: The target's own map, whose leftover is the noise.
        reference: What the simulator does between the two; ``None`` for nothing.
    """
    intended = emitted if reference is None else run_map(reference, emitted, float(applied[0]))
    spread = float(intended.std())
    unit = spread if spread > 0 else max(float(np.abs(intended).max(initial=0.0)), 1e-300)
    noise = 4 * named.noise if np.isfinite(named.noise) else 0.0
    allowed = float(np.clip(noise, ALTERED[0] * unit, ALTERED[1] * unit))
    return np.asarray(np.abs(applied - intended) > allowed)
