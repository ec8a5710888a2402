"""The one-step relation of a trace: what the next observation owes to state and action.

The smallest model that predicts is chosen on the simulator, by cross-validation over blocks of rows.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from tracescope.analysis.one_step_kinematics import kinematic_columns
from tracescope.analysis.one_step_rows import Recorded, Steps, recorded, steps_of
from tracescope.analysis.stretches import STRETCHES
from tracescope.analysis.transitions import Drive, drives
from tracescope.analysis.workbench import Workbench
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Samples

Kind = Literal["linear", "curved", "quadratic", "cubic", "lagged"]

KINDS: tuple[Kind, ...] = ("linear", "curved", "quadratic", "lagged")
"""Models in order of size; lagged ones only speak where nothing else predicts."""

RICHER: dict[Kind, tuple[Kind, ...]] = {
    "linear": ("cubic", "curved"),
    "curved": ("cubic",),
    "quadratic": ("cubic",),
}
"""What each model is checked against, the richest that both traces afford."""

FOLDS = 5
MIN_SCORE = 0.8
"""Outputs whose cross-validated R² is lower have no relation worth comparing."""

EQUAL = 1e-9
NEARLY = 0.15
"""Observations that differ by less than this part of a step are inputs to both sides, such as a
reference on jittering clocks; were they outputs, their gap could be no larger."""

SCORE_SLACK = 0.003
"""The smallest model within this much R² of the best is chosen."""

ROWS_PER_FEATURE = 4
MANY_CHANNELS = 8
"""With more states and actions than this, products would outnumber what a trace can tell apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """Centre and spread that features are counted in: the simulator's, for both sides."""

    state_centre: Samples
    state_spread: Samples
    drive_centre: Samples
    drive_spread: Samples


@dataclass(frozen=True, slots=True, eq=False)
class Relation:
    """Both sides of a case, ready for fitting, and which model predicts which output.

    Attributes:
        names: Observations, in the order of the columns.
        drives: What drove the plant, in the order of the columns.
        sim, target: Transitions of each side.
        sim_rows, target_rows: The rows they come from.
        scaling: What features are counted in.
        kind: Model chosen for each output, ``None`` where none predicts, length p.
        score: Cross-validated R² in the simulator of the chosen or best model, shape ``(p,)``.
        same_rows: Whether both sides were brought onto common rows first (their intervals differ).
        kinematic: Columns whose change is another column times the interval: no plant parameter in it.
        identical: Observations that are the same on both sides, such as references and clocks: no
            outputs. Those equal to the last digit are no regressors either, unless nothing is
            predicted without them.
    """

    names: tuple[str, ...]
    drives: tuple[Drive, ...]
    sim: Steps
    target: Steps
    sim_rows: Recorded
    target_rows: Recorded
    scaling: Scaling
    kind: tuple[Kind | None, ...]
    score: Samples
    same_rows: bool
    kinematic: frozenset[int] = frozenset()
    identical: frozenset[str] = frozenset()

    @property
    def outputs(self) -> tuple[int, ...]:
        """Columns that some model predicts and that are not the same numbers on both sides."""
        return tuple(
            j
            for j, kind in enumerate(self.kind)
            if kind is not None and self.names[j] not in self.identical
        )

    def shortened(self, most: int) -> Relation:
        """Return the same models over whole stretches of either side, of about ``most`` transitions in all."""
        return replace(self, sim=_stretches(self.sim, most), target=_stretches(self.target, most))

    @property
    def plant_outputs(self) -> tuple[int, ...]:
        """Outputs that a plant parameter can change: kinematic rows cannot."""
        return tuple(j for j in self.outputs if j not in self.kinematic)


def _stretches(steps: Steps, most: int) -> Steps:
    each = most // STRETCHES
    if len(steps) <= STRETCHES * each:
        return steps
    starts = np.linspace(0, len(steps) - each, STRETCHES).astype(np.int64)
    return steps.subset((starts[:, None] + np.arange(each)).ravel())


def relation(bench: Workbench) -> Relation | None:
    """Read the one-step relation of a case; ``None`` where there is not enough to fit anything.

    Returns:
        Models chosen on the simulator by blockwise cross-validation.
    """
    names = bench.live_in_both(bench.observations)
    same = _shared(bench, names, EQUAL)
    own = tuple(name for name in names if name not in same)
    found = _read(bench, own, same) if own else None
    if same and (found is None or not found.outputs):
        found = _read(bench, names, same)
    if found is None:
        return None
    without_inputs = replace(found, identical=_shared(bench, names, NEARLY))
    return without_inputs if without_inputs.plant_outputs else found


def _read(bench: Workbench, names: tuple[str, ...], same: frozenset[str]) -> Relation | None:
    chosen = drives(bench.case.pair)
    sim, target, same_rows = recorded(bench, names, chosen)
    a, b = steps_of(sim), steps_of(target)
    if min(len(a), len(b)) < 4 * FOLDS:
        return None
    scaling = _scaling(a)
    if not (_reckonable(a, scaling) and _reckonable(b, scaling)):
        return None
    kind, score = _choose(a, scaling, bench.pulse)
    kinematic = kinematic_columns(sim, bench.case.pair.sim.interval_s)
    return Relation(
        names, chosen, a, b, sim, target, scaling, kind, score, same_rows, kinematic, same
    )


_MOST_SCALED = 1e40
_MOST_CHANGE = 1e70
"""Sixth powers of features (cubic ones, squared) and fourth powers of changes stay numbers up to here."""


def _reckonable(steps: Steps, scaling: Scaling) -> bool:
    """Say whether what a fit multiplies neither overflows nor vanishes: fits of either would mean nothing."""
    sized = (
        (steps.state, scaling.state_spread),
        (steps.before, scaling.state_spread),
        (steps.drive, scaling.drive_spread),
        (steps.drive_before, scaling.drive_spread),
    )
    with np.errstate(over="ignore"):
        scaled = [float(np.abs(value / spread).max(initial=0.0)) for value, spread in sized]
    change = np.abs(steps.change).max(axis=0, initial=0.0)
    moves = change[change != 0]
    small_enough = max(scaled) < _MOST_SCALED and bool((moves < _MOST_CHANGE).all())
    return small_enough and bool((moves > 1 / _MOST_CHANGE).all())


def _shared(bench: Workbench, names: tuple[str, ...], limit: float) -> frozenset[str]:
    """Return observations whose difference is at most ``limit`` of the simulator's one-step motion."""
    rows = bench.rows
    same = set()
    for name in names:
        sim, apart = rows.sim[name], rows.target[name] - rows.sim[name]
        apart = apart[np.isfinite(apart)]
        step = np.diff(sim)
        step = step[np.isfinite(step)]
        if apart.size and step.size:
            moved = float(np.sqrt((step**2).mean()))
            if float(np.sqrt((apart**2).mean())) <= limit * max(moved, 1e-300):
                same.add(name)
    return frozenset(same)


def _scaling(steps: Steps) -> Scaling:
    def spread(values: Samples) -> Samples:
        sd = values.std(axis=0)
        return np.where(sd > 0, sd, 1.0)

    return Scaling(
        steps.state.mean(axis=0),
        spread(steps.state),
        steps.drive.mean(axis=0),
        spread(steps.drive),
    )


def features(kind: Kind, steps: Steps, scaling: Scaling) -> Samples:
    """Return the regressors of a model, the constant first, shape ``(n, q)``.

    linear: state, drive and the drive one row earlier; curved: also the signed square of each state
    and drive (drag, dead zones); quadratic: linear and every product of state and drive; cubic: also
    every state's cube; lagged: linear and the state one row earlier.
    """
    state = (steps.state - scaling.state_centre) / scaling.state_spread
    drive = (steps.drive - scaling.drive_centre) / scaling.drive_spread
    before = (steps.drive_before - scaling.drive_centre) / scaling.drive_spread
    parts = [np.ones((len(steps), 1)), state, drive, before]
    if kind == "curved":
        parts += [state * np.abs(state), drive * np.abs(drive)]
    if kind in {"quadratic", "cubic"}:
        both = np.column_stack((state, drive))
        i, j = np.triu_indices(both.shape[1])
        parts.append(both[:, i] * both[:, j])
    if kind == "cubic":
        parts.append(state**3)
    if kind == "lagged":
        parts.append((steps.before - steps.state) / scaling.state_spread)
    return np.concatenate(parts, axis=1)


def affordable(kind: Kind, steps: Steps) -> bool:
    """Whether a trace has the rows, and few enough channels, for a model."""
    p, m = steps.state.shape[1], steps.drive.shape[1]
    size = 1 + p + 2 * m
    if kind in {"quadratic", "cubic"}:
        if p + m > MANY_CHANNELS:
            return False
        size += (p + m) * (p + m + 1) // 2 + (p if kind == "cubic" else 0)
    elif kind == "lagged":
        size += p
    elif kind == "curved":
        size += p + m
    return bool(len(steps) >= ROWS_PER_FEATURE * size)


def richer_model(relation: Relation, kind: Kind) -> Kind | None:
    """Return what a model is checked against, the richest that both traces afford, or ``None``."""
    for rich in RICHER.get(kind, ()):
        if affordable(rich, relation.sim) and affordable(rich, relation.target):
            return rich
    return None


def _choose(
    steps: Steps, scaling: Scaling, pulse: Pulse
) -> tuple[tuple[Kind | None, ...], Samples]:
    usable = [kind for kind in KINDS if affordable(kind, steps)]
    p = steps.change.shape[1]
    if not usable:
        return (None,) * p, np.full(p, np.nan)
    score = {
        kind: cross_validated(features(kind, steps, scaling), steps.change, pulse)
        for kind in usable
    }
    chosen: list[Kind | None] = []
    final = np.full(p, np.nan)
    for j in range(p):
        plain: list[Kind] = [k for k in usable if k != "lagged"]
        best = max((score[k][j] for k in plain), default=-np.inf)
        pool: list[Kind] = plain
        if best < MIN_SCORE and "lagged" in usable:
            pool, best = ["lagged"], score["lagged"][j]
        final[j] = best
        fitting = [k for k in pool if score[k][j] >= best - SCORE_SLACK]
        chosen.append(fitting[0] if fitting and best >= MIN_SCORE else None)
    return tuple(chosen), final


def cross_validated(x: Samples, y: Samples, pulse: Pulse = never) -> Samples:
    """Return R² predicted across contiguous blocks, shape ``(p,)``.

    Args:
        x: Regressors, shape ``(n, q)``.
        y: Outputs, shape ``(n, p)``.
        pulse: Called before each block.

    Returns:
        1 − (error where the block was left out) / (variance about the mean); −inf for outputs that
        do not move.

    Source:
        Stone (1974); blocks because rows of a trajectory are not exchangeable.
    """
    n = x.shape[0]
    edges = np.linspace(0, n, FOLDS + 1).astype(int)
    blocks = [slice(a, b) for a, b in itertools.pairwise(edges)]
    grams, moments = [], []
    for s in blocks:
        pulse()
        grams.append(x[s].T @ x[s])
        moments.append(x[s].T @ y[s])
    gram, moment = sum(grams), sum(moments)
    error = np.zeros(y.shape[1])
    for s, g, c in zip(blocks, grams, moments, strict=True):
        pulse()
        beta = solve(gram - g, moment - c)
        error += ((y[s] - x[s] @ beta) ** 2).sum(axis=0)
    total = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    moving = total > 1e-18 * n * np.maximum(np.abs(y).max(axis=0), 1e-300) ** 2
    return np.where(moving, 1 - error / np.where(moving, total, 1.0), -np.inf)


def solve(gram: Samples, moment: Samples) -> Samples:
    """Solve normal equations by eigenvalues, leaving out directions that were not excited.

    Args:
        gram: Shape ``(q, q)``, symmetric, not negative.
        moment: Shape ``(q, p)``.

    Returns:
        The solution of least norm, shape ``(q, p)``.
    """
    value, vector = np.linalg.eigh(gram)
    kept = value > 1e-11 * max(float(value[-1]), 1e-300)
    return np.asarray((vector[:, kept] / value[kept]) @ (vector[:, kept].T @ moment))
