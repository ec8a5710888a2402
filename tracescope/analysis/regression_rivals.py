"""What else than sensors may bend a one-step relation: a change of the plant, or a later response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tracescope.analysis.one_step import Relation
from tracescope.analysis.one_step_rows import steps_of
from tracescope.analysis.regression import Matrix
from tracescope.analysis.regression_outputs import Output

INERTIA = "inertia of "

Change = tuple[tuple[int, int], ...]
"""Places ``(part, column)`` of a change of the plant that one parameter moves together."""


def changes_of(relation: Relation, parts: Sequence[Output]) -> dict[Change, str]:
    """Return every change of the plant that is let free alone, with its name.

    Those of one output each; and what one parameter does to several outputs at once: a common inertia, what
    each output does to itself (drag in two directions), what all actions do (a gain).

    Args:
        relation: Names the drives.
        parts: Of a joint fit, the terms of :func:`tracescope.analysis.regression_plant.plant_terms` in each.
    """
    moved = [(p, part.changes) for p, part in enumerate(parts) if _inert(part)]
    within = [
        (p, i) for p, part in enumerate(parts) if not _inert(part) for i in range(len(part.changes))
    ]
    found: dict[Change, str] = {
        ((p, i),): name for p, names in moved for i, name in enumerate(names)
    }
    if not moved or len(moved) == len(parts) == 1:
        return found
    found[(*((p, 0) for p, _ in moved), *within)] = "inertia of every output"
    drives = [drive.name for drive in relation.drives]
    gain = [
        (p, places[1])
        for p, names in moved
        for drive in drives
        if len(places := _named(names, drive)) > 1
    ]
    if gain:
        found[(*gain, *within)] = "what actions do to every output"
    own = [_named(names, names[0].removeprefix(INERTIA)) for _, names in moved]
    for variant in range(min(map(len, own)) if len(moved) > 1 else 0):
        change = tuple((p, places[variant]) for (p, _), places in zip(moved, own, strict=True))
        found[change] = "what each output does to itself"
    return found


def _inert(part: Output) -> bool:
    """Whether plant parameters act on an output: a kinematic one only moves with its rate."""
    return bool(part.changes) and part.changes[0].startswith(INERTIA)


def _named(names: Sequence[str], cause: str) -> list[int]:
    """Return the places of what one cause does to an output: about its mean, about zero, bent."""
    return [i for i, name in enumerate(names) if name.startswith(f"what {cause} does to ")]


def moved_together(size: int, part: int, output: Output, change: Change | None) -> Matrix:
    """Return the matrix that keeps ``size`` sensor columns and adds up those of a change, shape ``(q, size + c)``.

    Args:
        size: Number of sensor parameters K.
        part: Place of the output among the parts.
        output: Its rows, with q columns.
        change: Let free, or ``None``: c is 1 or 0.
    """
    columns = output.slopes.shape[1]
    kept = np.zeros((columns, size + (change is not None)))
    kept[:size, :size] = np.eye(size)
    for p, i in change or ():
        if p == part:
            kept[size + i, size] = 1.0
    return kept


def later(relation: Relation, rows: int) -> Relation:
    """Return a relation whose target answers its drives so many rows later.

    Args:
        relation: As recorded.
        rows: At least 0. Transitions whose drive lies before the first row are left out.
    """
    recorded = relation.target_rows
    unknown = np.full((rows, recorded.drive.shape[1]), np.nan)
    drive = np.concatenate((unknown, recorded.drive[: len(recorded.drive) - rows]))
    shifted = replace(recorded, drive=drive)
    return replace(relation, target_rows=shifted, target=steps_of(shifted))
