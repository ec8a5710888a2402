"""A clock for tables without names, told from the values alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from tracescope.readers.clock import EPOCH_S
from tracescope.readers.table import Column

_NUMBERED = re.compile(r"column \d+")
BECAUSE = "there are no names; this column is the one that rises steadily"


def is_nameless(columns: Sequence[Column]) -> bool:
    """Whether no column has a name of its own."""
    return bool(columns) and all(_NUMBERED.fullmatch(c.column or c.name) for c in columns)


def rising_column(columns: Sequence[Column]) -> int | None:
    """Return the number of the first or last column if it rises at every row by about the same step.

    Whole numbers that rise by one count rows and are no clock.
    """
    if not is_nameless(columns):
        return None
    for i in dict.fromkeys((0, len(columns) - 1)):
        column = columns[i]
        if column.labels or column.index is not None or column.value.dtype.kind not in "iuf":
            continue
        value = column.value.astype(np.float64)
        steps = np.diff(value[np.isfinite(value)])
        if steps.size < 2 or not (steps > 0).all() or (steps == 1).all():
            continue
        middle = float(np.median(steps))
        steady = float(np.quantile(np.abs(steps - middle), 0.75)) < 0.5 * middle
        if steady or EPOCH_S[0] < float(value[0]) < EPOCH_S[1]:
            return i
    return None


def counting_column(columns: Sequence[Column]) -> int | None:
    """Return the number of a first column without a name that counts rows up from anywhere."""
    first = columns[0] if columns else None
    if first is None or first.name != "column 1" or first.value.dtype.kind not in "iu":
        return None
    steps = np.diff(first.value.astype(np.int64))
    return 0 if steps.size and bool((steps == 1).all()) else None


def seconds_and_nanoseconds(columns: Sequence[Column]) -> tuple[int, int, Column] | None:
    """Join a first column of whole seconds since 1970 with a second of nanoseconds."""
    if not is_nameless(columns) or len(columns) < 3:
        return None
    whole, part = columns[0].value, columns[1].value
    if (
        whole.dtype.kind not in "iu"
        or part.dtype.kind not in "iu"
        or columns[0].labels
        or columns[1].labels
    ):
        return None
    if not whole.size or not EPOCH_S[0] < float(np.median(whole.astype(np.float64))) < EPOCH_S[1]:
        return None
    if int(part.min()) < 0 or int(part.max()) >= 10**9:
        return None
    ns = whole.astype(np.int64) * 10**9 + part.astype(np.int64)
    if not bool((np.diff(ns) > 0).all()):
        return None
    return 0, 1, Column("column 1 + column 2", ns, unit="ns")
