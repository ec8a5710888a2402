"""Tables that mix kinds of rows: a column says what each row is (``CONTROL``, ``StateMotor``)."""

from __future__ import annotations

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.trace import HealthNote
from tracescope.readers.roles import words_of
from tracescope.readers.table import Column, Table

_NAMES = {"type", "row type", "rowtype", "msg type", "record type", "kind", "topic"}
_MOST = 50


def row_type_column(table: Table) -> int | None:
    """Return the number of the column that says what each row is, or ``None``."""
    for i, column in enumerate(table.columns):
        few = 0 < len(column.labels) <= min(_MOST, max(1, table.rows // 2))
        if few and column.value.size == table.rows and " ".join(words_of(column.name)) in _NAMES:
            return i
    return None


def split_by_type(table: Table, wanted: str | None) -> list[tuple[str, Table]]:
    """Split a table into one for each kind of row; ``("", table)`` where it has one kind only.

    Args:
        table: Columns of all kinds.
        wanted: The one kind to keep, spelt in any case and with or without underscores.

    Raises:
        TraceReadError: where a kind was asked for that the table does not have.
    """
    at = row_type_column(table)
    if at is None:
        if wanted is not None:
            what = f"rows of type {wanted!r} were asked for, but no column says what a row is"
            raise TraceReadError(Problem(what, table.source_name, todo="leave the row type out"))
        return [("", table)]
    column = table.columns[at]
    labels = list(column.labels)
    if wanted is not None:
        labels = [label for label in labels if _plain(label) == _plain(wanted)]
        if not labels:
            what = f"there are no rows of type {wanted!r}"
            raise TraceReadError(
                Problem(what, table.source_name, todo=f"it has: {', '.join(column.labels)}")
            )
    if len(column.labels) == 1:
        table.columns.pop(at)
        table.metadata = (*table.metadata, (column.name, labels[0]))
        return [("", table)]
    parts = [(label, _only(table, at, column.labels.index(label))) for label in labels]
    return parts if len(parts) > 1 else [("", parts[0][1])]


def _plain(label: str) -> str:
    return "".join(words_of(label))


def _only(table: Table, at: int, code: int) -> Table:
    """Return the rows of one kind, with the columns that hold anything there."""
    rows = np.flatnonzero(table.columns[at].value == code)
    columns = [c.taken(rows) for i, c in enumerate(table.columns) if i != at]
    kept = [c for c in columns if not _hollow(c)]
    health: list[HealthNote] = list(table.health)
    line_of = table.line_of
    return Table(
        kept,
        int(rows.size),
        health,
        table.metadata,
        table.rate_hz,
        table.rate_because,
        line_of=None if line_of is None else lambda row: line_of(int(rows[row])),
        source_name=table.source_name,
    )


def _hollow(column: Column) -> bool:
    """Whether a column holds nothing at all; a column that is full has no clock of its own."""
    value = column.value
    if column.empty is not None and column.empty.all():
        return True
    if column.empty is not None and not column.empty.any():
        column.empty = None
    return value.dtype.kind == "f" and bool(np.isnan(value).all())
