"""Rival explanations of a gap between the one-step relations, each with one number.

Each is laid over the target's transitions; how much of the misfit to the simulator's relation it removes
is its share. Shares are not additive: two explanations may remove the same misfit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.explanations_maps import Candidate, upstream_candidates
from tracescope.analysis.one_step import Kind, Relation, features, solve
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.supported import directions
from tracescope.analysis.workbench import Workbench
from tracescope.model.trace import Samples

CLOSE = 0.05
CLOSE_RATIO = 0.8
MIN_SHARE = 0.5
"""Below this no single number explains the gap, and none is called open."""

MAX_WORK = 400_000
MIN_ROWS, MAX_ROWS = 250, 800
"""Transitions laid under each explanation: fewer where each costs more."""

PROMISING = 0.5
"""Only explanations whose scan comes this near the best are refined."""

MAX_STATES = 10
"""Observations whose scale and offset are tried: those whose relations fit worst."""

REFINE = 14


_Found = tuple[str, str, tuple[str, ...], float, float]
"""Family, kind, channels, value and the misfit (or share of it) that it removes."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A one-parameter change that would explain the gap between the one-step relations.

    Attributes:
        family: The check whose finding it would be; ``dynamics`` for the plant itself.
        kind: ``scale``, ``common scale``, ``offset``, ``gain``, ``bias``, ``clip``, ``dead band``,
            ``smoothing``, ``delay``, ``inertia``, ``coefficient``, ``constant force``.
        channels: Sim names; for a coefficient the output, then what it multiplies.
        value: Factor, offset in the channel's unit, delay in seconds, or share of memory a row.
        share: Part of the removable misfit that it removes, at most 1.
        is_open: Whether it is among the best and nothing read directly excludes it.
        excluded: What excludes it, ``""`` where nothing does.
    """

    family: str
    kind: str
    channels: tuple[str, ...]
    value: float
    share: float
    is_open: bool
    excluded: str = ""

    @property
    def upstream(self) -> bool:
        """Whether it lies outside the plant."""
        return self.family != "dynamics"


@dataclass(frozen=True, slots=True, eq=False)
class _Scale:
    """The simulator's relation and the measure of misfit."""

    relation: Relation
    steps: Steps
    groups: tuple[tuple[Kind, tuple[int, ...], Samples], ...]
    weight: Samples

    def misfit(self, steps: Steps, unit: Samples) -> float:
        """Mean over outputs of squared misfit over squared motion; ``unit`` rescales each output."""
        total = 0.0
        for kind, outputs, beta in self.groups:
            j = list(outputs)
            error = steps.change[:, j] - features(kind, steps, self.relation.scaling) @ beta
            total += float((self.weight[j] * unit[j] ** 2 * (error**2).mean(axis=0)).sum())
        return total


def explanations(bench: Workbench) -> tuple[Explanation, ...]:
    """Rank the one-parameter explanations of a case's one-step gap, best first.

    Args:
        bench: The case; its relation and gaps are read from it.

    Returns:
        Empty where no relation predicts or no output's gap is resolved.
    """
    relation = bench.relation
    if relation is None or not relation.outputs:
        return ()
    if not any(gap.interval[0] > 0 for gap in bench.gaps):
        return ()
    return ranked(relation, bench.rows.interval_s)


def ranked(relation: Relation, interval_s: float) -> tuple[Explanation, ...]:
    """Return every explanation with its share, best first; see :func:`explanations`."""
    scale = _scale(relation)
    base = scale.misfit(scale.steps, np.ones(scale.steps.state.shape[1]))
    floor = _floor(scale)
    if not base > floor * (1 + 1e-9) + 1e-12:
        return ()
    scans = [
        _Scan(scale, candidate)
        for candidate in upstream_candidates(relation, _worst_states(scale), interval_s)
    ]
    near = base - PROMISING * (base - min((scan.best for scan in scans), default=base))
    found: list[_Found] = []
    for scan in scans:
        value, best = scan.refined() if scan.best <= near else (scan.value, scan.best)
        c = scan.candidate
        found.append((c.family, c.kind, c.channels, value * c.unit, base - best))
    found += [("dynamics", *change) for change in _of_plant(scale)]
    # An explanation with memory can fit better than the target's own refit without it.
    removable = max(base - floor, *(what[4] for what in found))
    shares = [(*what[:4], what[4] / removable) for what in found]
    return _opened(relation, shares)


def without(relation: Relation, explanation: Explanation, interval_s: float) -> Relation:
    """Return the relation with an upstream explanation taken out of the target's transitions."""
    every = tuple(range(len(relation.names)))
    for candidate in upstream_candidates(relation, every, interval_s):
        if (candidate.kind, candidate.channels) == (explanation.kind, explanation.channels):
            steps = candidate.lens(relation.target, explanation.value / candidate.unit)
            return replace(relation, target=steps)
    return relation


def _scale(relation: Relation) -> _Scale:
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
    return _Scale(relation, steps, tuple(groups), weight)


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


def _floor(scale: _Scale) -> float:
    total = 0.0
    for kind, outputs, _ in scale.groups:
        j = list(outputs)
        x = features(kind, scale.steps, scale.relation.scaling)
        y = scale.steps.change[:, j]
        error = y - x @ solve(x.T @ x, x.T @ y)
        total += float((scale.weight[j] * (error**2).mean(axis=0)).sum())
    return total


def _worst_states(scale: _Scale) -> tuple[int, ...]:
    """Choose observations whose scale or offset touches the misfit most, where there are many."""
    p = len(scale.relation.names)
    if p <= MAX_STATES:
        return tuple(range(p))
    touched = np.zeros(p)
    for kind, outputs, beta in scale.groups:
        x = features(kind, scale.steps, scale.relation.scaling)
        error = scale.steps.change[:, list(outputs)] - x @ beta
        # Misfit that one column's own coefficient could remove, summed over the outputs it enters.
        state = x[:, 1 : 1 + p]
        power = (state**2).sum(axis=0)
        share = (state.T @ error) ** 2 / np.where(power > 0, power, 1.0)[:, None]
        touched += share @ scale.weight[list(outputs)]
        touched[list(outputs)] += scale.weight[list(outputs)] * (error**2).sum(axis=0)
    return tuple(int(j) for j in np.sort(np.argsort(-touched)[:MAX_STATES]))


class _Scan:
    """The misfit of a candidate over its grid of values."""

    def __init__(self, scale: _Scale, candidate: Candidate) -> None:
        self.scale, self.candidate = scale, candidate
        self.level = np.array([self.misfit(float(v)) for v in candidate.grid])
        self._at = int(np.argmin(self.level))
        self.value, self.best = float(candidate.grid[self._at]), float(self.level[self._at])

    def misfit(self, value: float) -> float:
        """Return the misfit at one value, in the candidate's own unit."""
        unit = np.ones(self.scale.steps.state.shape[1])
        unit[list(self.candidate.columns)] = value
        return self.scale.misfit(self.candidate.lens(self.scale.steps, value), unit)

    def refined(self) -> tuple[float, float]:
        """Return the best value between the grid's neighbours, and its misfit."""
        grid, i = self.candidate.grid, self._at
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


def _of_plant(scale: _Scale) -> list[tuple[str, tuple[str, ...], float, float]]:
    """Return (kind, channels, value, misfit removed) of changes of the plant, in closed form.

    Kinematic rows are left out: no plant parameter enters them.
    """
    relation, steps = scale.relation, scale.steps
    p, m = len(relation.names), len(relation.drives)
    out: list[tuple[str, tuple[str, ...], float, float]] = []
    for kind, outputs, beta in scale.groups:
        x = features(kind, steps, relation.scaling)
        for column, j in enumerate(outputs):
            if j in relation.kinematic:
                continue
            b, name = beta[:, column], relation.names[j]
            error = steps.change[:, j] - x @ b
            weight = float(scale.weight[j]) / len(steps)

            value, gain = _factor(x @ b, error, weight)
            if value > 0:
                out.append(("inertia", (name,), 1 / value, gain))
            shift, gain = _factor(np.ones(len(steps)), error, weight)
            out.append(("constant force", (name,), shift - 1, gain))
            for k in range(p):
                part = x[:, 1 + k] * b[1 + k]
                out.append(
                    ("coefficient", (name, relation.names[k]), *_factor(part, error, weight))
                )
            for a in range(m):
                now, before = 1 + p + a, 1 + p + m + a
                part = x[:, now] * b[now] + x[:, before] * b[before]
                drive = (name, relation.drives[a].name)
                out.append(("coefficient", drive, *_factor(part, error, weight)))
    return out


def _factor(part: Samples, error: Samples, weight: float) -> tuple[float, float]:
    """Return the factor on a part of the prediction that fits best, and the misfit it removes."""
    power, along = float(part @ part), float(error @ part)
    return (1 + along / power, weight * along**2 / power) if power > 0 else (1.0, 0.0)


def _opened(relation: Relation, found: list[_Found]) -> tuple[Explanation, ...]:
    logged = bool(relation.drives) and all(d.applied for d in relation.drives)
    why = "the applied action is logged and is what the relation was fitted with"
    best = max((s for family, *_, s in found if not (logged and family == "action")), default=0.0)
    out = []
    for family, kind, channels, value, share in sorted(found, key=lambda f: -f[-1]):
        excluded = why if logged and family == "action" else ""
        near = share >= max(best - CLOSE, CLOSE_RATIO * best, MIN_SHARE)
        out.append(
            Explanation(
                family, kind, channels, float(value), float(share), near and not excluded, excluded
            )
        )
    return tuple(out)
