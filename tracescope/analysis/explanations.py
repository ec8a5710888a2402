"""Rival explanations of a gap between the one-step relations, each with one number.

Each is laid over the target's transitions; how much of the misfit to the simulator's relation it removes
is its share. Shares are not additive: two explanations may remove the same misfit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.explanations_maps import upstream_candidates
from tracescope.analysis.explanations_scan import (
    Misfit,
    Scan,
    floor_of,
    misfit_of,
    worst_columns,
)
from tracescope.analysis.one_step import Kind, Relation, features
from tracescope.analysis.workbench import Workbench
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Samples

CLOSE = 0.05
CLOSE_RATIO = 0.8
MIN_SHARE = 0.5
"""Below this no single number explains the gap, and none is called open."""

PROMISING = 0.5
"""Only explanations whose scan comes this near the best are refined."""


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
    return ranked(relation, bench.rows.interval_s, bench.pulse)


def ranked(relation: Relation, interval_s: float, pulse: Pulse = never) -> tuple[Explanation, ...]:
    """Return every explanation with its share, best first; see :func:`explanations`."""
    scale = misfit_of(relation)
    base = scale.misfit(scale.steps, np.ones(scale.steps.state.shape[1]))
    floor = floor_of(scale)
    if not base > floor * (1 + 1e-9) + 1e-12:
        return ()
    scans = []
    for candidate in upstream_candidates(relation, worst_columns(scale), interval_s):
        pulse()
        scans.append(Scan(scale, candidate))
    near = base - PROMISING * (base - min((scan.best for scan in scans), default=base))
    found: list[_Found] = []
    for scan in scans:
        pulse()
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
    every = (tuple(range(len(relation.names))), tuple(range(len(relation.drives))))
    for candidate in upstream_candidates(relation, every, interval_s):
        if (candidate.kind, candidate.channels) == (explanation.kind, explanation.channels):
            steps = candidate.lens(relation.target, explanation.value / candidate.unit)
            return replace(relation, target=steps)
    return relation


def _of_plant(scale: Misfit) -> list[tuple[str, tuple[str, ...], float, float]]:
    """Return (kind, channels, value, misfit removed) of changes of the plant, in closed form.

    Kinematic rows are left out: no plant parameter enters them.
    """
    relation, steps = scale.relation, scale.steps
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
            for cause, parts in _effects(relation, kind, x, b):
                tried = [_factor(part, error, weight) for part in parts]
                out.append(("coefficient", (name, cause), *max(tried, key=lambda t: t[1])))
    return out


def _effects(
    relation: Relation, kind: Kind, x: Samples, b: Samples
) -> Iterator[tuple[str, list[Samples]]]:
    """Yield what each state and action contributes to a prediction, in the ways a parameter may enter.

    About its mean, about 0 (a spring's rest, a speed), and by its curved part alone (drag).
    """
    p, m = len(relation.names), len(relation.drives)
    scaling = relation.scaling
    about = np.concatenate((scaling.state_centre, scaling.drive_centre)) / np.concatenate(
        (scaling.state_spread, scaling.drive_spread)
    )
    names = (*relation.names, *(d.name for d in relation.drives))
    for k, name in enumerate(names):
        terms = [1 + k] + ([1 + m + k] if k >= p else [])
        centred = x[:, terms] @ b[terms]
        parts = [centred, centred + about[k] * float(b[terms].sum())]
        if kind == "curved":
            bend = 1 + p + 2 * m + k
            parts += [x[:, bend] * b[bend], centred + x[:, bend] * b[bend]]
        yield name, parts


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
