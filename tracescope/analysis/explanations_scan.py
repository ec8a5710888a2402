"""How far the target's transitions lie from the simulator's relation, as they are and changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tracescope.analysis.explanations_maps import Candidate
from tracescope.analysis.one_step import Kind, Relation, features, solve
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.supported import directions
from tracescope.model.trace import Samples

MAX_WORK = 400_000
MIN_ROWS, MAX_ROWS = 250, 800
"""Transitions laid under each explanation: fewer where each costs more."""

MAX_STATES, MAX_ACTIONS = 8, 4
"""Observations and actions tried one by one: those whose relations fit worst."""

REFINE = 14
NEAR = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Misfit:
    """The simulator's relation and the measure of misfit."""

    relation: Relation
    steps: Steps
    groups: tuple[tuple[Kind, tuple[int, ...], Samples], ...]
    weight: Samples
    _still: dict[Kind, Samples] = field(default_factory=dict)

    def misfit(self, steps: Steps, unit: Samples) -> float:
        """Mean over outputs of squared misfit over squared motion; ``unit`` rescales each output."""
        total = 0.0
        for (_, outputs, _), error in zip(self.groups, self.errors(steps), strict=True):
            j = list(outputs)
            total += float((self.weight[j] * unit[j] ** 2 * (error**2).mean(axis=0)).sum())
        return total

    def errors(self, steps: Steps) -> list[Samples]:
        """What the simulator's relation misses, a group, shapes ``(n, J)``."""
        return [self._error(steps, *group) for group in self.groups]

    def _error(self, steps: Steps, kind: Kind, outputs: tuple[int, ...], beta: Samples) -> Samples:
        """What one group's relation misses; what the actions do not enter is worked out once."""
        scaling = self.relation.scaling
        moved = steps.state is not self.steps.state or steps.change is not self.steps.change
        if kind not in {"linear", "lagged"} or moved:
            return np.asarray(
                steps.change[:, list(outputs)] - features(kind, steps, scaling) @ beta
            )
        p, m = steps.state.shape[1], steps.drive.shape[1]
        driven = slice(1 + p, 1 + p + 2 * m)
        still = self._still.get(kind)
        if still is None:
            x = features(kind, self.steps, scaling)
            x[:, driven] = 0.0
            still = self._still[kind] = steps.change[:, list(outputs)] - x @ beta
        both = np.concatenate((steps.drive, steps.drive_before), axis=1)
        centre, spread = np.tile(scaling.drive_centre, 2), np.tile(scaling.drive_spread, 2)
        return np.asarray(still - ((both - centre) / spread) @ beta[driven])

    @property
    def degree(self) -> int | None:
        """Degree of the predictions in states and actions, ``None`` where they bend at some value."""
        kinds = {kind for kind, _, _ in self.groups}
        if "curved" in kinds:
            return None
        return 3 if "cubic" in kinds else 2 if "quadratic" in kinds else 1


def misfit_of(relation: Relation) -> Misfit:
    """Return the measure of misfit to the simulator's relation, on a spread of the target's transitions."""
    every = relation.target
    cost = relation.target.state.shape[1] + 2 * relation.target.drive.shape[1]
    rows = int(np.clip(MAX_WORK // (cost * len(relation.outputs)), MIN_ROWS, MAX_ROWS))
    step = max(1, -(-len(every) // rows))
    steps = every.subset(np.arange(0, len(every), step))
    groups: list[tuple[Kind, tuple[int, ...], Samples]] = []
    weight = np.zeros(len(relation.names))
    for kind in dict.fromkeys(relation.kind[j] for j in relation.outputs):
        if kind is None:
            continue
        outputs = tuple(j for j in relation.outputs if relation.kind[j] == kind)
        beta = _simulated(relation, kind, list(outputs))
        groups.append((kind, outputs, beta))
        predicted = features(kind, steps, relation.scaling) @ beta
        motion = (predicted**2).mean(axis=0) + (steps.change[:, list(outputs)] ** 2).mean(axis=0)
        weight[list(outputs)] = 2 / np.maximum(motion, 1e-300)
    return Misfit(relation, steps, tuple(groups), weight)


def _simulated(relation: Relation, kind: Kind, outputs: list[int]) -> Samples:
    """Fit the simulator, with the target's own answer in directions that it hardly excited."""
    x = features(kind, relation.sim, relation.scaling)
    z = features(kind, relation.target, relation.scaling)
    along = directions(x.T @ x / len(x), z.T @ z / len(z))
    kept = along.comparable
    safe_sim = np.where(along.sim > 1e-9, along.sim, 1.0)
    safe_target = np.where(along.target > 1e-9, along.target, 1.0)
    sim = along.basis.T @ (x.T @ relation.sim.change[:, outputs]) / len(x) / safe_sim[:, None]
    own = along.basis.T @ (z.T @ relation.target.change[:, outputs]) / len(z)
    return np.asarray(along.basis @ np.where(kept[:, None], sim, own / safe_target[:, None]))


def floor_of(scale: Misfit) -> float:
    """Return the misfit that is left where the target's own relation is fitted instead."""
    total = 0.0
    for kind, outputs, _ in scale.groups:
        j = list(outputs)
        x = features(kind, scale.steps, scale.relation.scaling)
        y = scale.steps.change[:, j]
        error = y - x @ solve(x.T @ x, x.T @ y)
        total += float((scale.weight[j] * (error**2).mean(axis=0)).sum())
    return total


def worst_columns(misfit: Misfit) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Choose observations and actions that touch the misfit most, where there are many of them."""
    p, m = len(misfit.relation.names), len(misfit.relation.drives)
    touched = np.zeros(p + m)
    for kind, outputs, beta in misfit.groups:
        chosen = list(outputs)
        x = features(kind, misfit.steps, misfit.relation.scaling)
        error = misfit.steps.change[:, chosen] - x @ beta
        # Misfit that one column's own coefficient could remove, summed over the outputs it enters.
        column = x[:, 1 : 1 + p + m]
        power = (column**2).sum(axis=0)
        share = (column.T @ error) ** 2 / np.where(power > 0, power, 1.0)[:, None]
        touched += share @ misfit.weight[chosen]
        touched[chosen] += misfit.weight[chosen] * (error**2).sum(axis=0)
    states, actions = np.argsort(-touched[:p])[:MAX_STATES], np.argsort(-touched[p:])[:MAX_ACTIONS]
    return tuple(sorted(map(int, states))), tuple(sorted(map(int, actions)))


def _powers(scale: Misfit, candidate: Candidate) -> Samples | None:
    """Return each output's mean squared error as a polynomial of the candidate's straight number.

    Where predictions are polynomials in states and actions, and these are straight lines of one number, the
    error is a polynomial of it: a few evaluations give all of them.

    Returns:
        Coefficients by rising power, shape ``(2 · degree + 1, p)``; ``None`` where there is none.
    """
    degree = scale.degree
    if candidate.straight is None or degree is None:
        return None
    nodes = np.arange(1.0, degree + 2)
    values = [candidate.straight(t) for t in nodes]  # both kinds are their own inverses
    errors = [scale.errors(candidate.lens(scale.steps, v)) for v in values]
    turn = np.linalg.inv(np.vander(nodes, increasing=True))
    out = np.zeros((2 * degree + 1, len(scale.weight)))
    for place, (_, outputs, _) in enumerate(scale.groups):
        parts = np.tensordot(turn, np.stack([e[place] for e in errors]), axes=1)
        for a in range(degree + 1):
            for b in range(degree + 1):
                out[a + b, list(outputs)] += (parts[a] * parts[b]).mean(axis=0)
    return out


class Scan:
    """The misfit of a candidate over its grid of values."""

    def __init__(self, scale: Misfit, candidate: Candidate) -> None:
        self.scale, self.candidate = scale, candidate
        self._powers = _powers(scale, candidate)
        grid = candidate.grid
        extra = self._near_neutral()
        if extra is not None:
            grid = np.sort(np.append(grid, extra))
        self._grid = grid
        level = np.array([self.misfit(float(v)) for v in grid])
        self._at = int(np.argmin(level))
        self.value, self.best = float(grid[self._at]), float(level[self._at])

    def _near_neutral(self) -> float | None:
        """Return the vertex of the parabola about the neutral value.

        A channel far from 0 against its spread has a minimum too narrow for any grid.
        """
        neutral = self.candidate.neutral
        if neutral is None:
            return None
        below, at, above = (self.misfit(neutral + d) for d in (-NEAR, 0.0, NEAR))
        bend = below - 2 * at + above
        if not bend > 0:
            return None
        vertex = neutral + NEAR * (below - above) / (2 * bend)
        grid = self.candidate.grid
        inside = grid.min() < vertex < grid.max() and vertex * neutral >= 0
        return float(vertex) if inside and vertex != 0 else None

    def misfit(self, value: float) -> float:
        """Return the misfit at one value, in the candidate's own unit."""
        unit = np.ones(self.scale.steps.state.shape[1])
        unit[list(self.candidate.columns)] = value
        straight = self.candidate.straight
        if self._powers is None or straight is None:
            return self.scale.misfit(self.candidate.lens(self.scale.steps, value), unit)
        of = straight(value) ** np.arange(len(self._powers))
        square = np.maximum(of @ self._powers, 0.0)
        return float((self.scale.weight * unit**2 * square).sum())

    def refined(self) -> tuple[float, float]:
        """Return the best value between the grid's neighbours, and its misfit."""
        grid, i = self._grid, self._at
        if grid.size == 1:
            return self.value, self.best
        low, high = float(grid[max(i - 1, 0)]), float(grid[min(i + 1, grid.size - 1)])
        if low < 0 < high and 0.0 not in grid:  # a ratio never passes through 0
            low, high = (self.value, high) if self.value > 0 else (low, self.value)
        value, best = _golden(self.misfit, low, high)
        return (self.value, self.best) if self.best < best else (value, best)


def _golden(misfit: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Narrow a minimum by golden section (Kiefer 1953)."""
    ratio = (np.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = misfit(a), misfit(b)
    for _ in range(REFINE):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = misfit(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = misfit(b)
    return (a, at_a) if at_a <= at_b else (b, at_b)
