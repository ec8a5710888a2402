"""What the columns of a text table hold, told from its first rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracescope.readers.cells import is_vector, vector
from tracescope.readers.csv_lines import Row
from tracescope.readers.csv_pieces import Field
from tracescope.readers.roles import words_of
from tracescope.readers.table import Column

_MANY_DIGITS = re.compile(r"[+-]?\d{16,19}")
_FINE_DATE = re.compile(r"[+-]?\d{9,14}\.\d{7,9}")
_TIME_WORDS = {"time", "timestamp", "stamp", "t", "ts", "timestamps", "stamps", "times"}


def fields_of(
    names: Sequence[str], rows: Sequence[Row], *, as_text: frozenset[str] = frozenset()
) -> list[Field]:
    """Tell of each column whether it holds vectors (and how long ones), or stamps finer than a float.

    Args:
        names: Unique names of the columns.
        rows: The first rows.
        as_text: Columns known to need their texts.
    """
    fields = []
    for i, name in enumerate(names):
        cells = [row.cells[i] for row in rows if len(row.cells) > i and row.cells[i].strip()]
        fields.append(_vectors(cells) or Field(as_text=name in as_text or _needs_text(name, cells)))
    return fields


def _vectors(cells: Sequence[str]) -> Field | None:
    if not any(is_vector(cell) for cell in cells):
        return None
    widths = [len(v) for cell in cells if is_vector(cell) and isinstance(v := vector(cell), list)]
    if not widths or len(widths) < 0.5 * len(cells):
        return None
    return Field(max(set(widths), key=lambda w: (widths.count(w), w)))


def _needs_text(name: str, cells: Sequence[str]) -> bool:
    """Whether cells are stamps that a float64 would round."""
    if not _TIME_WORDS.intersection(words_of(name)):
        return False
    return any(_FINE_DATE.fullmatch(cell.strip()) for cell in cells)


def lost_digits(
    columns: Sequence[Column], fields: Sequence[Field], rows: Sequence[Row]
) -> frozenset[str]:
    """Name stamps of many digits that became floats because some cell holds no number."""
    lost = set()
    plain = [column for column in columns if column.index is None]
    names = {
        column.name for column in plain if column.value.dtype.kind == "f" and column.exact is None
    }
    places = [i for i, f in enumerate(fields) if not f.width]
    for i, column in zip(places, plain, strict=True):
        if column.name in names and _TIME_WORDS.intersection(words_of(column.name)):
            cells = [row.cells[i].strip() for row in rows if len(row.cells) > i]
            if any(_MANY_DIGITS.fullmatch(cell) for cell in cells):
                lost.add(column.name)
    return frozenset(lost)
