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
from tracescope.checks.action_tolerances import ALTERED, EMITTED_ROWS
from tracescope.model.check import Measurement
from tracescope.model.trace import Samples

EXACT = 1e-4
"""Part of the spread within which a row is reproduced."""

NEARLY_ALL = 0.95
HEAD = 128
"""A map that fails on so many first rows is not tried on all."""

LINEAR = ("gain", "offset", "smoothing")
"""Maps that a linear policy makes by itself where its observations are scaled, shifted or smoothed."""

SAME = 0.05
SEEN = "the observations differ as well, and a policy that sees them scaled emits scaled actions"
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
    """Compare every matched action on the common rows.

    Where no more rows differ than the tolerance allows, the actions are the same: a map named from a
    handful of rows, often the ones beside a step that the pairing rounds, would be an overstatement.
    """
    found, inside = [], episode_rows(bench)
    few = bench.case.tolerances[ALTERED][1]
    for name in bench.actions:
        sim, target = bench.rows.sim[name], bench.rows.target[name]
        both = inside & np.isfinite(sim) & np.isfinite(target)
        if both.sum() < MIN_ROWS or not live(sim[both]):
            continue
        x, y = (sim, target) if both.all() else (sim[both], target[both])
        spread = float(x.std())
        if not spread:  # its square vanished: of nothing can it be told how it differs
            continue
        apart = np.abs(y - x)
        altered = np.zeros(sim.shape, dtype=np.bool_)
        altered[both] = apart > EXACT * spread
        named = _exact(x[:HEAD], y[:HEAD], spread)
        if named is not None and x.size > HEAD:
            named = _exact(x, y, spread)
        share = float(altered[both].mean())
        if named is not None and share <= few:
            named = FittedMap("identity")
        elif named is not None and named.kind == "identity" and share > 1 - NEARLY_ALL:
            named = _where_most(x, y, spread)
        difference = float(np.median(apart, overwrite_input=True)) / spread
        found.append(Emitted(name, named, difference, altered))
    return tuple(found)


def _exact(x: Samples, y: Samples, spread: float) -> FittedMap | None:
    """Return the map that reproduces nearly every row, or ``None``."""
    named = name_map(x, y).map
    left = np.abs(y[:MAX_ROWS] - run_map(named, x[:MAX_ROWS], float(y[0])))
    exact = named.kind != "unnamed" and float(np.mean(left <= EXACT * spread)) >= NEARLY_ALL
    return named if exact else None


def _where_most(x: Samples, y: Samples, spread: float) -> FittedMap | None:
    """Name the map of a long pair that is the same on its first rows, from as many rows where most others differ.

    An action that is altered later on has its map there; two policies that part have none.
    """
    starts = range(0, x.size, MAX_ROWS)
    apart = [
        np.mean(np.abs(y[k : k + MAX_ROWS] - x[k : k + MAX_ROWS]) > EXACT * spread) for k in starts
    ]
    first = starts[int(np.argmax(apart))]
    some = slice(first, first + MAX_ROWS)
    named = _exact(x[some], y[some], spread)
    return None if named is None or named.kind == "identity" else named


def emitted_measurements(
    bench: Workbench, emitted: tuple[Emitted, ...], blocked: str
) -> list[Measurement]:
    """Judge exact maps by the rows they alter; other differences are reported and not judged."""
    linear = any(_is_linear(one) for one in emitted)
    differs = SEEN if linear and not _observations_equal(bench.excerpt) else ""
    return [_measured(bench, one, blocked, differs) for one in emitted]


def _is_linear(one: Emitted) -> bool:
    """Whether a map that alters rows is one that a linear policy makes by itself."""
    return one.map is not None and one.map.kind in LINEAR and bool(one.altered.any())


def _measured(bench: Workbench, one: Emitted, blocked: str, differs: str) -> Measurement:
    n, confidence = float(one.altered.size), bench.case.confidence
    if one.map is None or one.map.kind == "delay":
        note = "emitted actions differ as observations in a loop make them differ; not judged"
        return Measurement(
            "emitted difference",
            one.channel,
            one.difference,
            None,
            unit="sd",
            n=n,
            confidence=confidence,
            note=note,
        )
    share = float(one.altered.mean())
    return Measurement(
        EMITTED_ROWS,
        one.channel,
        share,
        (share if one.altered.sum() >= 3 else 0.0, share),
        n=n,
        tolerance=bench.case.tolerances[ALTERED],
        tolerance_key=ALTERED.key,
        confidence=confidence,
        blocked=blocked or (differs if _is_linear(one) else ""),
        note=f"emitted in the target against emitted in the simulator: {one.map}",
    )


def _observations_equal(bench: Workbench) -> bool:
    """Whether both policies saw the same: every observation differs by 5 % of its spread at most."""
    for name in bench.live_in_both(bench.observations):
        sim, target = bench.rows.sim[name], bench.rows.target[name]
        spread = float(np.nanstd(sim))
        if float(np.nanmedian(np.abs(target - sim))) > SAME * spread:
            return False
    return True
