"""Whether a group is more alike than chance makes some group: random directions cluster, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tracescope.model.progress import never

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Alike = tuple[Places, float]
"""Rows of a group and how alike they are: size times mean cosine."""

REPLICATES = 99
"""A group above all of so many random tables comes by chance in one campaign of a hundred."""

MOST_ROWS = 200
"""Rows of a random table at most; the share of a group is compared then, not its size."""


def beyond_chance(
    filled: Array,
    found: Sequence[Places],
    group: Callable[[Array], list[Alike]],
    seed: int,
    pulse: Callable[[], None] = never,
) -> list[bool]:
    """Say of each group whether it is more alike than any group in tables without kinds.

    In a table without kinds every episode keeps its effects, but they fall on random entries, of all that were
    measured, with random signs.
    The clearest group is compared first, then the next among the rows that are left, until one is not
    beyond chance.

    Args:
        filled: Signatures, shape ``(n, k)``, no row of zeros.
        found: Rows of each group.
        group: Groups a table's rows, as the groups were found.
        seed: Of the random tables.
        pulse: Called before each random table; what it raises ends the work.

    Returns:
        One answer a group, in the order given.
    """
    rng = np.random.default_rng(seed)
    likeness = [len(rows) * mean_cosine(filled[rows]) for rows in found]
    left = np.ones(len(filled), dtype=np.bool_)
    kept = [False] * len(found)
    for place in sorted(range(len(found)), key=lambda k: (-round(likeness[k], 9), k)):
        rows = np.flatnonzero(left)
        if likeness[place] / len(rows) <= _by_chance(filled[rows], group, rng, pulse):
            break
        kept[place] = True
        left[found[place]] = False
    return kept


def _by_chance(
    value: Array,
    group: Callable[[Array], list[Alike]],
    rng: np.random.Generator,
    pulse: Callable[[], None],
) -> float:
    """Return the largest likeness (as a share of the rows) that any group of random tables reaches."""
    most = 0.0
    for _ in range(REPLICATES):
        pulse()
        rows = value
        if len(value) > MOST_ROWS:
            rows = value[rng.choice(len(value), MOST_ROWS, replace=False)]
        mixed = rng.permuted(rows, axis=1) * rng.choice((-1.0, 1.0), rows.shape)
        most = max(most, *(alike / len(rows) for _, alike in group(mixed)), 0.0)
    return most


def mean_cosine(value: Array) -> float:
    """Return the mean cosine between different rows; 1 for a single one."""
    many = len(value)
    if many < 2:
        return 1.0
    unit = value / np.linalg.norm(value, axis=1, keepdims=True)
    return (float(np.square(unit.sum(axis=0)).sum()) - many) / (many * (many - 1))
