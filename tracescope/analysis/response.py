"""How late the machine responds to its actions: finite impulse responses in each trace.

Each trace is looked at alone, so that the clock offset between them does not matter: what an observation does
next is regressed on where it stands and on the actions of the last rows. The centroid of the response over
those rows is its latency; only the difference between the traces is judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tracescope.analysis.estimate import best_alignment
from tracescope.analysis.excerpt import excerpt_of
from tracescope.analysis.impulse import Impulse, impulses
from tracescope.analysis.impulse_shape import ShapeLag, shape_difference, shape_lag
from tracescope.analysis.intervals import Matrix
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.response_bends import with_bends
from tracescope.analysis.response_rows import ResponseRows, response_rows
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.correction import Correction
from tracescope.model.pair import TracePair
from tracescope.model.trace import Role

ROWS_A_COEFFICIENT = 6
"""At least this many rows a coefficient."""

MEMORIES = (8, 6, 4)
"""Rows of past actions tried, longest first."""

SHORTEST_MEMORY = MEMORIES[-1]
_TRIED = 3
_ACAUSAL_ROWS = 0.5
_VAGUE_ROWS = 1.0
_SHAPE_ROWS = 200
"""What a whole shape misses by shows in stretches of rows: fewer than these are too few to cut in eight."""

_SURE, _SURE_OF_TWO = 0.99, 0.995


@dataclass(frozen=True, slots=True)
class Path:
    """One action's way to one output, as latencies in rows.

    Attributes:
        action, output: Sim names.
        sim, target: Centroid of the response, rows after the action's own row.
        sim_se, target_se: Standard errors, autocorrelation counted.
        n_eff: Effective samples of the less certain side.
        by_shape, by_shape_se: The difference by the responses' whole shape and its standard error, where
            that describes both traces better than centroids do.
    """

    action: str
    output: str
    sim: float
    sim_se: float
    target: float
    target_se: float
    n_eff: float
    by_shape: float | None = None
    by_shape_se: float = 0.0

    @property
    def difference(self) -> float:
        """Target less sim, rows."""
        return self.target - self.sim if self.by_shape is None else self.by_shape

    @property
    def se(self) -> float:
        """Standard error of the difference."""
        if self.by_shape is not None:
            return self.by_shape_se
        return float(np.hypot(self.sim_se, self.target_se))


@dataclass(frozen=True, slots=True)
class Pooled:
    """Value, interval and effective samples of latencies pooled over paths, in rows."""

    value: float
    interval: Interval
    n_eff: float


@dataclass(frozen=True, slots=True)
class ResponseLatency:
    """Action → response latency of a pair.

    Attributes:
        paths: The most precise output of each action whose gain is resolved.
        sim, target, difference: Pooled, rows; ``None`` where no path is resolved.
        why_not: Why nothing could be measured, one clause.
        identical: Whether the runs are the same, so that no difference can exist.
        memory: Rows of past actions that were regarded.
    """

    paths: tuple[Path, ...] = ()
    sim: Pooled | None = None
    target: Pooled | None = None
    difference: Pooled | None = None
    why_not: str = ""
    identical: bool = False
    memory: int = 0


def response_latency(
    bench: Workbench, role: Role = Role.ACTION, *, observed: bool = False
) -> ResponseLatency:
    """Measure how much later the target responds to its actions than the sim.

    Args:
        bench: The pair; each trace is taken on its own rows.
        role: ``ACTION``, or ``ACTION_APPLIED`` where both traces log it.
        observed: Look at the answers of observations alone, not of torques, currents and other measurements.

    Source:
        Finite-impulse regression (Ljung, System Identification, 1999, §10.1); pooled by inverse variance with
        the scale factor of Birge (1932).
    """
    case = bench.case
    return _latency(case.pair, case.corrections, case.confidence, role, observed=observed)


# No clock offset enters, so that nothing is computed again while the target is dragged.
@lru_cache(maxsize=8)
def _latency(
    pair: TracePair,
    corrections: tuple[Correction, ...],
    confidence: float,
    role: Role,
    *,
    observed: bool,
) -> ResponseLatency:
    case = Case(pair, best_alignment(pair, confidence), corrections, confidence=confidence)
    excerpt = excerpt_of(case)
    sides = response_rows(case if excerpt is None else excerpt.case, role)
    if observed:
        sides = (sides[0].observed(), sides[1].observed())
    if not sides[0].inputs:
        return ResponseLatency(why_not="no action moves in both traces")
    if not sides[0].outputs:
        return ResponseLatency(why_not="no measured channel moves in both traces")
    rows = min(side.usable(SHORTEST_MEMORY) for side in sides)
    if _same(*sides):
        nothing = Pooled(0.0, (0.0, 0.0), float(rows))
        return ResponseLatency(difference=nothing, identical=True)
    sides = with_bends(sides, _affordable)
    memory, alone = _affordable(sides)
    if memory == 0:
        need = ROWS_A_COEFFICIENT * (2 + len(sides[0].states) + SHORTEST_MEMORY)
        silent = (
            "" if _any_response(sides) else "; in these no channel is seen to respond to the action"
        )
        return ResponseLatency(why_not=f"{rows} usable rows of the {need} it takes{silent}")
    found = (
        impulses(sides[0], memory, alone=alone),
        impulses(sides[1], memory, alone=alone),
    )
    return _of_impulses(sides[0], found, memory, normal_quantile(confidence))


def _of_impulses(
    side: ResponseRows, found: tuple[Impulse, Impulse], memory: int, quantile: float
) -> ResponseLatency:
    paths = _best_paths(side, *found, memory)
    difference = (
        _pooled([(p.difference, p.se, p.n_eff) for p in paths], quantile) if paths else None
    )
    if difference is not None and _width(difference) > _VAGUE_ROWS:
        shaped = _by_shapes(side, found, difference, quantile)
        if shaped is not None:
            return replace(shaped, memory=memory)
    if not paths:
        return ResponseLatency(
            why_not="no measured channel answers the action clearly enough in both traces to be dated",
            memory=memory,
        )
    return ResponseLatency(
        paths,
        _pooled([(p.sim, p.sim_se, p.n_eff) for p in paths], quantile),
        _pooled([(p.target, p.target_se, p.n_eff) for p in paths], quantile),
        difference,
        memory=memory,
    )


def _by_shapes(
    side: ResponseRows, found: tuple[Impulse, Impulse], single: Pooled, quantile: float
) -> ResponseLatency | None:
    """Return the difference by whole responses where single steps answer too vaguely, and both agree.

    Where single steps do not answer at all, no whole response is believed either: what a policy feeds back of the
    sensors' noise looks like one, at the same lag in both traces whatever the delay.
    """
    if min(impulse.rows for impulse in found) < _SHAPE_ROWS:
        return None
    shapes = _shape_paths(side, found)
    if not shapes:
        return None
    # The second estimate of two: what either may miss is shared between them.
    wider = normal_quantile(_SURE_OF_TWO) / normal_quantile(_SURE)
    pooled = _pooled([(p.difference, wider * p.se, p.n_eff) for p in shapes], quantile)
    agrees = single.interval[0] <= pooled.value <= single.interval[1]
    if not agrees or _width(pooled) >= _width(single):
        return None
    return ResponseLatency(shapes, difference=pooled)


def _width(pooled: Pooled) -> float:
    return pooled.interval[1] - pooled.interval[0]


def _shape_paths(side: ResponseRows, found: tuple[Impulse, Impulse]) -> tuple[Path, ...]:
    """Take of each action the output whose gain and delay are best resolved, and the shift of its whole shape."""
    sim, target = found
    resolved = sim.resolved & target.resolved & np.isfinite(sim.delay_se * target.delay_se)
    se = np.where(resolved, np.hypot(sim.delay_se, target.delay_se), np.inf)
    paths = []
    for i, action in enumerate(side.inputs):
        j = int(np.argmin(se[i]))
        if not (np.isfinite(se[i, j]) and sim.leaves_noise(j) and target.leaves_noise(j)):
            continue
        rows, error = shape_difference(found, i, j)
        if not np.isfinite(error) or error >= _VAGUE_ROWS:
            continue
        ours, theirs = float(sim.delay[i, j]), float(target.delay[i, j])
        n_eff = float(min(sim.rows, target.rows))
        paths.append(
            Path(action, side.outputs[j], ours, np.inf, theirs, np.inf, n_eff, rows, error)
        )
    return tuple(paths)


def _affordable(sides: tuple[ResponseRows, ResponseRows]) -> tuple[int, bool]:
    """Choose the memory, and whether each action stands alone, by the rows there are; 0 where too few."""
    for memory in MEMORIES:
        rows = min(side.usable(memory) for side in sides)
        states, inputs = len(sides[0].states), len(sides[0].inputs)
        if rows >= ROWS_A_COEFFICIENT * (1 + states + inputs * (memory + 1)):
            return memory, False
        if rows >= ROWS_A_COEFFICIENT * (1 + states + memory + 1):
            return memory, True
    return 0, True


def _any_response(sides: tuple[ResponseRows, ResponseRows]) -> bool:
    """Say whether any output responds in both traces, with whatever memory the rows allow."""
    for memory in (2, 1):
        rows = min(side.usable(memory) for side in sides)
        if rows >= ROWS_A_COEFFICIENT * (2 + len(sides[0].states) + memory):
            found = [impulses(side, memory, alone=True) for side in sides]
            return bool(_best_paths(sides[0], found[0], found[1]))
    return False


def _same(sim: ResponseRows, target: ResponseRows) -> bool:
    """Say whether both traces hold the same runs of actions, states and outputs."""

    def equal(a: Matrix, b: Matrix) -> bool:
        return a.shape == b.shape and np.allclose(a, b, rtol=1e-12, atol=0.0, equal_nan=True)

    return (
        equal(sim.input, target.input)
        and equal(sim.state, target.state)
        and equal(sim.output, target.output)
    )


def _best_paths(
    side: ResponseRows, sim: Impulse, target: Impulse, memory: int = MEMORIES[0]
) -> tuple[Path, ...]:
    """Take the most precise output of each action, among those resolved in both traces."""
    resolved = sim.resolved & target.resolved & np.isfinite(sim.delay_se * target.delay_se)
    se = np.where(resolved, np.hypot(sim.delay_se, target.delay_se), np.inf)
    paths = []
    for i, action in enumerate(side.inputs):
        for j in np.argsort(se[i])[:_TRIED]:
            if not np.isfinite(se[i, j]):
                break
            ours, theirs = sim.precise(i, int(j)), target.precise(i, int(j))
            if (
                ours is None
                or theirs is None
                or not (_located(ours, memory) and _located(theirs, memory))
            ):
                continue
            n_eff = min(ours[2], theirs[2])
            path = Path(action, side.outputs[int(j)], ours[0], ours[1], theirs[0], theirs[1], n_eff)
            paths.append(_by_shape(path, shape_lag((sim, target), i, int(j), path.difference)))
            break
    return tuple(paths)


def _by_shape(path: Path, shape: ShapeLag) -> Path:
    """Hold a difference of centroids against the lag of the whole response.

    Centroids of single steps mislead where the response is spread over rows. Where the moved shape describes
    both traces better, it is the difference; where neither does, the interval reaches over both.
    """
    if shape.agrees:
        return path
    apart = abs(path.difference - shape.rows) / normal_quantile(_SURE)
    wider = replace(
        path,
        sim_se=float(np.hypot(path.sim_se, apart)),
        target_se=float(np.hypot(path.target_se, apart)),
    )
    if not shape.fits_better:
        return wider
    return replace(wider, by_shape=shape.rows, by_shape_se=max(path.se, shape.se))


def _located(found: tuple[float, float, float], memory: int) -> bool:
    """Say whether a delay means something.

    An answer before its action is noise that the policy fed back, one at the last lag the edge of what was
    looked at.
    """
    return -_ACAUSAL_ROWS < found[0] < memory - _ACAUSAL_ROWS and found[1] < _VAGUE_ROWS


def _pooled(found: list[tuple[float, float, float]], quantile: float) -> Pooled:
    value, se, n_eff = (np.array(column) for column in zip(*found, strict=True))
    se = np.maximum(se, 1e-6)
    weight = 1 / se**2
    centre = float(weight @ value / weight.sum())
    birge = 1.0
    if value.size > 1:
        birge = max(1.0, float(np.sqrt(weight @ (value - centre) ** 2 / (value.size - 1))))
    half = quantile * birge / float(np.sqrt(weight.sum()))
    return Pooled(centre, (centre - half, centre + half), float(np.max(n_eff)))
