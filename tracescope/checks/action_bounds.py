"""Bounds that the emitted action itself shows, and the range it covered, against the simulator's."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.regression_routes import episode_rows
from tracescope.analysis.rows import live
from tracescope.analysis.saturation import Plateau, most_common, plateau
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_tolerances import BOUND, REACH
from tracescope.model.check import Measurement
from tracescope.model.trace import Samples

MIN_TIES = 3
TIE = 5e-6
"""Relative nearness that printing to six digits leaves of a tie."""

USED = 0.10
"""A side that the simulator used by less than this part of its reach needs no bound."""

HALF = 0.5
"""A logged, unchanged path speaks for the range it covered where that is at least half of the simulator's."""

MIN_ROWS = 20

BEYOND = 0.01
"""The simulator exceeds a bound where it goes beyond it by this part of its reach."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One side of one action's range, distances counted from ``centre``.

    Attributes:
        channel: Sim name.
        side: +1 above, −1 below.
        centre: 0 where the sim's action changes sign, else its median.
        sim_extreme, target_extreme: The farthest values on this side.
        sim_used: Whether the simulator used this side.
        top: The target's rows at its extreme, among the common rows (shape of those).
        looked_at: How many rows were compared.
        bound: Whether those rows are a bound.
        outside: Target rows beyond the simulator's extreme.
    """

    channel: str
    side: int
    centre: float
    sim_extreme: float
    target_extreme: float
    sim_used: bool
    top: Plateau
    looked_at: int
    bound: bool
    outside: int

    @property
    def ratio(self) -> float:
        """Target's reach over the simulator's."""
        reach = self.side * (self.sim_extreme - self.centre)
        return (
            self.side * (self.target_extreme - self.centre) / reach if reach > 0 else float("inf")
        )

    @property
    def word(self) -> str:
        """``upper`` or ``lower``."""
        return "upper" if self.side > 0 else "lower"


def sides(bench: Workbench) -> tuple[Side, ...]:
    """Look at both sides of every matched action on the common rows."""
    found: list[Side] = []
    inside = episode_rows(bench)
    for name in bench.actions:
        sim, target = bench.rows.sim[name], bench.rows.target[name]
        both = inside & np.isfinite(sim) & np.isfinite(target)
        if both.sum() < 8 or not live(sim[both]):
            continue
        if not both.all():
            sim, target = sim[both], target[both]
        found += _both_sides(name, sim, target, both)
    return tuple(found)


def _both_sides(
    name: str, sim: Samples, target: Samples, both: NDArray[np.bool_]
) -> tuple[Side, Side]:
    """Look at both sides of an action on the rows where both traces have it."""
    low, high = float(sim.min()), float(sim.max())
    reach = max(abs(low), abs(high))
    crosses = high > USED * reach and low < -USED * reach
    centre = 0.0 if crosses else float(np.median(sim))
    known = (name, sim, target, both, (low, centre, high))
    return _side(*known, side=1), _side(*known, side=-1)


def _side(
    name: str,
    sim: Samples,
    target: Samples,
    both: NDArray[np.bool_],
    middle: tuple[float, float, float],
    *,
    side: int,
) -> Side:
    low, centre, high = middle
    extent = max(high - centre, centre - low)
    sim_extreme = high if side > 0 else low
    top = plateau(target, side, TIE)

    def beyond(value: Samples, bound: float) -> int:
        return int(np.count_nonzero(side * (value - bound) > BEYOND * extent))

    tied = (
        top.count >= MIN_TIES
        and top.count >= 3 * most_common(target, top)
        and beyond(sim[top.rows], top.bound) >= MIN_TIES
        and top.count < target.size
    )
    # Where the farthest row lies inside, every one does: of a long pair no others are looked at.
    farther = beyond(np.array([top.bound]), sim_extreme)
    return Side(
        channel=name,
        side=side,
        centre=centre,
        sim_extreme=sim_extreme,
        target_extreme=top.bound,
        sim_used=side * (sim_extreme - centre) > USED * extent,
        top=Plateau(top.bound, side, _spread_out(top.rows, both)),
        looked_at=target.size,
        bound=tied,
        outside=beyond(target, sim_extreme) if farther else 0,
    )


def _spread_out(rows: NDArray[np.bool_], both: NDArray[np.bool_]) -> NDArray[np.bool_]:
    every = np.zeros(both.shape, dtype=np.bool_)
    every[both] = rows
    return every


def bound_measurements(
    bench: Workbench, both: tuple[Side, ...], blocked: str, followed: Collection[str] = ()
) -> list[Measurement]:
    """Measure each used side: the bound where there is one, else how near the target came.

    How far each side went needs no alignment; which row faces which does.

    Args:
        bench: Gives tolerances.
        both: From :func:`sides`.
        blocked: Why rows may not be compared, ``""`` where they may.
        followed: Channels whose applied action is logged: what a bound farther out would have done is untested,
            not doubtful.
    """
    tolerances, found = bench.case.tolerances, []
    for side in both:
        if side.top.count >= MIN_TIES:
            found.append(_at_extreme(bench, side))
        if side.outside:
            found.append(_outside(bench, side))
        if not side.sim_used:
            continue
        tolerance = BOUND if side.bound else REACH
        ratio = side.ratio
        reached = side.bound or ratio >= tolerances[REACH][0]
        found.append(
            Measurement(
                f"{side.word} {'bound' if side.bound else 'reach'}",
                side.channel,
                ratio,
                (ratio, ratio) if reached else None,
                n=float(side.looked_at),
                tolerance=tolerances[tolerance],
                tolerance_key=tolerance.key,
                confidence=bench.case.confidence,
                required=side.channel not in followed or ratio < HALF,
                covered=reached,
                blocked=blocked if side.bound or side.looked_at < MIN_ROWS else "",
                note=_note(side),
            )
        )
    return found


def _at_extreme(bench: Workbench, side: Side) -> Measurement:
    """Report how often the target sits on its own extreme, whether the simulator goes beyond it or not."""
    return Measurement(
        f"rows at the {side.word} extreme",
        side.channel,
        float(side.top.count),
        None,
        unit="rows",
        n=float(side.looked_at),
        confidence=bench.case.confidence,
        note=f"tied at {side.target_extreme:.6g}",
    )


def _outside(bench: Workbench, side: Side) -> Measurement:
    """Report which share of the target's rows lies beyond all that the simulator emitted."""
    return Measurement(
        f"share beyond the simulator's {side.word} extreme",
        side.channel,
        side.outside / side.looked_at,
        None,
        n=float(side.looked_at),
        confidence=bench.case.confidence,
        note=f"up to {side.target_extreme:.4g} where the simulator ends at {side.sim_extreme:.4g}",
    )


def _note(side: Side) -> str:
    if side.bound:
        return (
            f"{side.top.count} of {side.looked_at} rows tie at {side.target_extreme:.4g}; "
            f"the simulator's reaches {side.sim_extreme:.4g} there"
        )
    return f"target {side.target_extreme:.4g}, simulator {side.sim_extreme:.4g}"
