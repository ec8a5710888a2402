"""The recorder's own step counter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.readers.base import ImportChoices
from tracescope.readers.clock import step_candidates
from tracescope.readers.clock_choice import named_column
from tracescope.readers.nameless import counting_column
from tracescope.readers.table import Column, Table


@dataclass(frozen=True, slots=True)
class StepCounter:
    """A column that counts steps, as integers, shape ``(rows,)``."""

    column: int
    step: NDArray[np.int64]


def step_counter(table: Table, choices: ImportChoices, used: set[int]) -> StepCounter | None:
    """Find the column that counts steps.

    Raises:
        TraceReadError: where the column that a person named does not exist or does not count.
    """
    if choices.step_column is not None:
        i = named_column(table, choices.step_column, "step column")
        step = whole_numbers(table.columns[i], table.rows)
        if step is None:
            what = f"{choices.step_column!r} cannot count steps: it does not hold a whole number in each row"
            raise TraceReadError(Problem(what, table.source_name, todo="choose another column"))
        return StepCounter(i, step)
    counting = counting_column(table.columns)
    for i in [*step_candidates(table.columns), *([] if counting is None else [counting])]:
        step = whole_numbers(table.columns[i], table.rows)
        if step is not None and i not in used and _mostly_up(step):
            return StepCounter(i, step)
    return None


def _mostly_up(step: NDArray[np.int64]) -> bool:
    moves = np.diff(step)
    return step.size < 2 or int((moves > 0).sum()) >= 0.5 * moves.size


def whole_numbers(column: Column, rows: int) -> NDArray[np.int64] | None:
    """Return a column as int64, shape ``(rows,)``, or ``None`` where some row holds no whole number."""
    value = column.value
    if column.labels or value.size != rows or column.first_row or value.dtype.kind not in "iuf":
        return None
    if value.dtype.kind == "f":
        whole = np.isfinite(value).all() and (value == np.floor(value)).all()
        if not whole or np.abs(value).max(initial=0.0) > 2**53:
            return None
    if value.dtype.kind == "u" and int(value.max(initial=0)) > np.iinfo(np.int64).max:
        return None
    return value.astype(np.int64)
