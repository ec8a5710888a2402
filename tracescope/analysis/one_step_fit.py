"""Both traces under one model, in directions that are uncorrelated in both at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.one_step import Kind, Relation, features
from tracescope.analysis.one_step_noise import noise_compensated, whitened
from tracescope.analysis.supported import Directions, directions
from tracescope.model.trace import Samples

Sides = tuple[Samples, Samples]
"""The simulator's array, then the target's."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Values and coefficients along the directions, J outputs.

    Attributes:
        outputs: Columns of the relation, length J.
        along: The directions, k of them.
        x: Features, shapes ``(n, q)``.
        z: Values of the directions, shapes ``(n, k)``.
        y: Outputs, shapes ``(n, J)``.
        plain: Least-squares coefficients, shapes ``(k, J)``.
        others: The same freed of what noise does: disturbances with memory, sensor noise.
    """

    outputs: tuple[int, ...]
    along: Directions
    x: Sides
    z: Sides
    y: Sides
    plain: Sides
    others: tuple[Sides, ...]


def fitted(
    relation: Relation,
    kind: Kind,
    outputs: Sequence[int],
    inside: NDArray[np.bool_] | None = None,
) -> Fit:
    """Fit a model to both sides.

    Args:
        relation: Both sides' transitions.
        kind: The model.
        outputs: Columns to predict.
        inside: Target transitions to use, shape ``(n_target,)``, ``None`` for all.
    """
    every = np.arange(len(relation.target))
    rows = (np.arange(len(relation.sim)), every if inside is None else np.flatnonzero(inside))
    sides = (relation.sim, relation.target)
    chosen = list(outputs)
    x = [features(kind, s, relation.scaling)[r] for s, r in zip(sides, rows, strict=True)]
    y = [s.change[r][:, chosen] for s, r in zip(sides, rows, strict=True)]
    gram = [a.T @ a / len(a) for a in x]
    along = directions(gram[0], gram[1])
    z = [a @ along.basis for a in x]
    plain = [
        _coefficients(a, b, second)
        for a, b, second in zip(z, y, (along.sim, along.target), strict=True)
    ]
    betas = [along.basis @ b for b in plain]
    back = along.basis.T @ (gram[0] + gram[1]) / 2
    slow = [
        back @ whitened(a, b, s.row[r], beta)
        for a, b, s, r, beta in zip(x, y, sides, rows, betas, strict=True)
    ]
    others: list[Sides] = [(slow[0], slow[1])]
    if kind == "linear":
        quiet = [
            back @ noise_compensated(a, s.subset(r), relation.scaling)[:, chosen]
            for a, s, r in zip(x, sides, rows, strict=True)
        ]
        others.append((quiet[0], quiet[1]))
    return Fit(
        tuple(chosen),
        along,
        (x[0], x[1]),
        (z[0], z[1]),
        (y[0], y[1]),
        (plain[0], plain[1]),
        tuple(others),
    )


def _coefficients(z: Samples, y: Samples, second: Samples) -> Samples:
    used = (second > 1e-9)[:, None]
    moment = z.T @ y / len(z)
    return np.where(used, moment / np.where(used, second[:, None], 1.0), 0.0)
