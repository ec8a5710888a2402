"""Changes of the plant that would explain a gap between one-step relations, in closed form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tracescope.analysis.explanations_scan import Misfit
from tracescope.analysis.one_step import Kind, Relation, features
from tracescope.model.trace import Samples

Change = tuple[str, tuple[str, ...], float, float]
"""Kind, channels, value and the misfit that it removes."""

_Part = tuple[Samples, Samples, float]
"""A part of one output's prediction, what the prediction misses, and the weight of its square."""


def plant_changes(scale: Misfit) -> list[Change]:
    """Return changes of one plant parameter with the value that fits best.

    Of one output: ``inertia``, ``constant force`` and the ``coefficient`` of each state and action. Of all
    outputs together, where there are several: ``inertia`` (one body moves along several axes), ``drive``
    (what all actions do) and ``damping`` (what each does to itself). Kinematic rows are left out: no plant
    parameter enters them.
    """
    relation, steps = scale.relation, scale.steps
    out: list[Change] = []
    whole: list[_Part] = []
    driven: list[_Part] = []
    own: list[list[_Part]] = [[], []]
    names: list[str] = []
    for kind, outputs, beta in scale.groups:
        x = features(kind, steps, relation.scaling)
        for column, j in enumerate(outputs):
            if j in relation.kinematic:
                continue
            b, name = beta[:, column], relation.names[j]
            error = steps.change[:, j] - x @ b
            weight = float(scale.weight[j]) / len(steps)
            names.append(name)
            whole.append((x @ b, error, weight))
            out += _of_one(name, whole[-1])
            pushed = np.zeros(len(steps))
            for cause, parts in _effects(relation, kind, x, b):
                tried = [_factor([(part, error, weight)]) for part in parts]
                out.append(("coefficient", (name, cause), *max(tried, key=lambda t: t[1])))
                if cause == name:
                    for pooled, part in zip(own, parts, strict=False):
                        pooled.append((part, error, weight))
                elif cause not in relation.names:
                    pushed = pushed + parts[0]
            driven.append((pushed, error, weight))
    if len(names) > 1:
        out += _of_all(tuple(names), whole, driven, own)
    return out


def _of_one(name: str, part: _Part) -> list[Change]:
    _, error, weight = part
    shift, gain = _factor([(np.ones(len(error)), error, weight)])
    out: list[Change] = [("constant force", (name,), shift - 1, gain)]
    value, gain = _factor([part])
    return [("inertia", (name,), 1 / value, gain), *out] if value > 0 else out


def _of_all(
    names: tuple[str, ...],
    whole: Sequence[_Part],
    driven: Sequence[_Part],
    own: Sequence[Sequence[_Part]],
) -> list[Change]:
    out: list[Change] = [("drive", names, *_factor(driven))]
    out.append(("damping", names, *max(map(_factor, own), key=lambda t: t[1])))
    value, gain = _factor(whole)
    return [("inertia", names, 1 / value, gain), *out] if value > 0 else out


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


def _factor(parts: Sequence[_Part]) -> tuple[float, float]:
    """Return the one factor on parts of predictions that fits best, and the misfit it removes."""
    power = sum(weight * float(part @ part) for part, _, weight in parts)
    along = sum(weight * float(error @ part) for part, error, weight in parts)
    return (1 + along / power, along**2 / power) if power > 0 else (1.0, 0.0)
