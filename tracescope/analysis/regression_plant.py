"""What a change of the plant would add to a one-step prediction, one parameter at a time."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.one_step import Kind, Relation
from tracescope.analysis.regression import Matrix
from tracescope.model.trace import Samples


def plant_terms(
    relation: Relation, kind: Kind, output: int, design: Matrix, beta: Samples
) -> tuple[tuple[str, ...], Matrix]:
    """Return the ways in which one parameter of the plant may move one output's prediction.

    A common factor on the whole (inertia), a constant force, and a factor on what each state or action
    contributes, about its mean and about zero. Of a kinematic output only what the actions contribute within
    the step: it moves with the rate that they change, and alone no plant parameter enters it.

    Args:
        relation: Gives names and scaling.
        kind: The output's model.
        output: Its column.
        design: Features of the rows, shape ``(n, q)``.
        beta: The output's coefficients, shape ``(q,)``.

    Returns:
        Names, and their columns, shape ``(n, k)``.
    """
    p, m, scaling = len(relation.names), len(relation.drives), relation.scaling
    about = np.concatenate((scaling.state_centre, scaling.drive_centre)) / np.concatenate(
        (scaling.state_spread, scaling.drive_spread)
    )
    name = relation.names[output]
    if output in relation.kinematic:
        acted = [1 + k for k in range(p, p + m)], [1 + m + k for k in range(p, p + m)]
        within = np.empty((design.shape[0], m))  # of a pair without actions it has no column
        for k, pair in enumerate(zip(*acted, strict=True)):
            within[:, k] = design[:, pair] @ beta[list(pair)]
        return tuple(f"what {d.name} does to {name}" for d in relation.drives), within
    names, columns = [f"inertia of {name}"], [design @ beta]
    names.append(f"a constant force on {name}")
    columns.append(np.ones(design.shape[0]) * float(np.std(columns[0]) or 1.0))
    for k, cause in enumerate((*relation.names, *(d.name for d in relation.drives))):
        terms = [1 + k] + ([1 + m + k] if k >= p else [])
        centred = design[:, terms] @ beta[terms]
        named = f"what {cause} does to {name}"
        names += [named, named]
        columns += [centred, centred + about[k] * float(beta[terms].sum())]
        if kind == "curved":
            bend = 1 + p + 2 * m + k
            names.append(named)
            columns.append(design[:, bend] * beta[bend])
    return tuple(names), np.stack(columns, axis=1)
