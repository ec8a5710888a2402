"""Emitted in the simulator against emitted in the target: only an exact map speaks.

Inside a loop the two policies see different observations, so their actions differ for reasons that are not
the action's. A difference that a clip, a gain, a dead band or a rate limit reproduces to the last digit in
nearly every row is no such difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.action_map import MAX_ROWS, name_map
from tracescope.analysis.action_map_kinds import FittedMap, run_map
from tracescope.analysis.regression_routes import episode_rows
from tracescope.analysis.rows import live
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_tolerances import ALTERED
from tracescope.model.check import Measurement

EXACT = 1e-4
"""Part of the spread within which a row is reproduced."""

NEARLY_ALL = 0.95
MIN_ROWS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Emitted:
    """How the target's emitted action follows the simulator's.

    Attributes:
        channel: Sim name.
        map: The exact map, or ``None`` where there is none.
        difference: Median absolute difference over the sim's spread.
        altered: Common rows that differ.
    """

    channel: str
    map: FittedMap | None
    difference: float
    altered: NDArray[np.bool_]


def emitted_maps(bench: Workbench) -> tuple[Emitted, ...]:
    """Compare every matched action on the common rows."""
    found, inside = [], episode_rows(bench)
    for name in bench.actions:
        sim, target = bench.rows.sim[name], bench.rows.target[name]
        both = inside & np.isfinite(sim) & np.isfinite(target)
        if both.sum() < MIN_ROWS or not live(sim[both]):
            continue
        x, y = sim[both], target[both]
        spread = float(x.std())
        altered = np.zeros(sim.shape, dtype=np.bool_)
        altered[both] = np.abs(y - x) > EXACT * spread
        named = name_map(x, y).map
        left = np.abs(y[:MAX_ROWS] - run_map(named, x[:MAX_ROWS], float(y[0])))
        exact = named.kind != "unnamed" and float(np.mean(left <= EXACT * spread)) >= NEARLY_ALL
        difference = float(np.median(np.abs(y - x))) / spread
        found.append(Emitted(name, named if exact else None, difference, altered))
    return tuple(found)


def emitted_measurements(
    bench: Workbench, emitted: tuple[Emitted, ...], blocked: str
) -> list[Measurement]:
    """Judge exact maps by the rows they alter; other differences are reported and not judged."""
    found = []
    for one in emitted:
        share, n = float(one.altered.mean()), float(one.altered.size)
        exact = one.map is not None and one.map.kind != "delay"
        note = (
            f"emitted in the target against emitted in the simulator: {one.map}"
            if one.map is not None
            else "emitted actions differ as observations in a loop make them differ; not judged"
        )
        low = share if one.altered.sum() >= 3 else 0.0
        found.append(
            Measurement(
                "altered rows, emitted" if exact else "emitted difference",
                one.channel,
                share if exact else one.difference,
                (low, share) if exact else None,
                unit="" if exact else "sd",
                n=n,
                tolerance=bench.case.tolerances[ALTERED] if exact else None,
                tolerance_key=ALTERED.key if exact else "",
                confidence=bench.case.confidence,
                blocked=blocked if exact else "",
                note=note,
            )
        )
    return found
