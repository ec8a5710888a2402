"""Changes of the plant that would explain a gap between one-step relations, in closed form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from tracescope.analysis.explanations_scan import Misfit
from tracescope.analysis.one_step import Kind, Relation, features
from tracescope.model.trace import Samples

Change = tuple[str, tuple[str, ...], float, float]
"""Kind, channels, value and the misfit that it removes."""

_Part = tuple[Samples, Samples, float]
"""A part of one output's prediction, what the prediction misses, and the weight of its square."""

_Followers = dict[int, list[tuple[float, Samples, float]]]
"""Of each rate, the outputs that follow it within the step: factor on its part, what is missed, the weight."""


def plant_changes(scale: Misfit) -> list[Change]:
    """Return changes of one plant parameter with the value that fits best.

    Of one output: ``inertia``, ``constant force`` and the ``coefficient`` of each state and action. Of all
    outputs together, where there are several: ``inertia`` (one body moves along several axes), ``drive``
    (what all actions do) and ``damping`` (what each does to itself). No plant parameter enters a kinematic row
    of its own, but within the step it follows the rate that one changes.
    """
    relation, steps = scale.relation, scale.steps
    out: list[Change] = []
    whole: list[_Part] = []
    driven: list[list[_Part]] = [[], []]
    own: list[list[_Part]] = [[], []]
    names: list[str] = []
    followers = _followers(scale)
    for kind, outputs, beta in scale.groups:
        x = features(kind, steps, relation.scaling)
        for column, j in enumerate(outputs):
            if j in relation.kinematic:
                continue
            b, name = beta[:, column], relation.names[j]
            error = steps.change[:, j] - x @ b
            weight = float(scale.weight[j]) / len(steps)
            names.append(name)
            moved = partial(_moved, error=error, weight=weight, followers=followers.get(j, []))
            whole += moved(x @ b)
            out += _of_one(name, moved(x @ b), moved(np.ones(len(steps))))
            pushed = [np.zeros(len(steps)), np.zeros(len(steps))]
            for cause, parts in _effects(relation, kind, x, b):
                tried = [_factor(moved(part)) for part in parts]
                out.append(("coefficient", (name, cause), *max(tried, key=lambda t: t[1])))
                if cause == name:
                    for pooled, part in zip(own, parts, strict=False):
                        pooled.extend(moved(part))
                elif cause not in relation.names:
                    pushed = [so_far + part for so_far, part in zip(pushed, parts, strict=False)]
            for pooled, part in zip(driven, pushed, strict=True):
                pooled.extend(moved(part))
    if len(names) > 1:
        out += _of_all(tuple(names), whole, driven, own)
    return out


def _followers(scale: Misfit) -> _Followers:
    """Return which kinematic outputs follow which rate within a step, and by how much.

    Where a rate changes by Δv over a row, its integral has moved by κ Δv already: half a row times that for
    steady forces, none to a whole one as the simulator integrates. κ is read off what the actions do to both in
    the simulator.
    """
    relation, steps = scale.relation, scale.steps
    p, m = len(relation.names), len(relation.drives)
    driven = slice(1 + p, 1 + p + 2 * m)
    fitted = {
        j: beta[:, column] for _, outputs, beta in scale.groups for column, j in enumerate(outputs)
    }
    rates = [j for j in fitted if j not in relation.kinematic]
    out: _Followers = {}
    for kind, outputs, beta in scale.groups:
        error = steps.change[:, list(outputs)] - features(kind, steps, relation.scaling) @ beta
        for column, j in enumerate(outputs):
            if j not in relation.kinematic or not rates:
                continue
            rate = max(rates, key=lambda k, j=j: abs(float(fitted[j][1 + k])))  # type: ignore[misc]
            a_row = float(fitted[j][1 + rate]) / float(relation.scaling.state_spread[rate])
            answer = fitted[rate][driven]
            power = float(answer @ answer)
            if power > 0:
                by = float(fitted[j][driven] @ answer) / power
                by = float(np.clip(by, min(a_row, 0.0), max(a_row, 0.0)))
                weight = float(scale.weight[j]) / len(steps)
                out.setdefault(rate, []).append((by, error[:, column], weight))
    return out


def _moved(
    part: Samples,
    *,
    error: Samples,
    weight: float,
    followers: Sequence[tuple[float, Samples, float]],
) -> list[_Part]:
    """Return a part of an output's prediction with what follows it in other outputs."""
    return [(part, error, weight), *((by * part, missed, w) for by, missed, w in followers)]


def _of_one(name: str, whole: Sequence[_Part], constant: Sequence[_Part]) -> list[Change]:
    shift, gain = _factor(constant)
    out: list[Change] = [("constant force", (name,), shift - 1, gain)]
    value, gain = _factor(whole)
    return [("inertia", (name,), 1 / value, gain), *out] if value > 0 else out


def _of_all(
    names: tuple[str, ...],
    whole: Sequence[_Part],
    driven: Sequence[Sequence[_Part]],
    own: Sequence[Sequence[_Part]],
) -> list[Change]:
    out: list[Change] = [("drive", names, *max(map(_factor, driven), key=lambda t: t[1]))]
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
