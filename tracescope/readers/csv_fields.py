"""What the columns of a text table hold, told from its first rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tracescope.readers.cells import is_vector, vector
from tracescope.readers.csv_lines import Row
from tracescope.readers.csv_pieces import Field
from tracescope.readers.roles import words_of

_MANY_DIGITS = re.compile(r"[+-]?\d{16,18}")
_FINE_DATE = re.compile(r"[+-]?\d{9,14}\.\d{7,9}")
_TIME_WORDS = {"time", "timestamp", "stamp", "t", "ts", "timestamps", "stamps", "times"}


def fields_of(names: Sequence[str], rows: Sequence[Row]) -> list[Field]:
    """Tell of each column whether it holds vectors (and how long ones), or stamps finer than a float."""
    fields = []
    for i, name in enumerate(names):
        cells = [row.cells[i] for row in rows if len(row.cells) > i and row.cells[i].strip()]
        fields.append(_vectors(cells) or Field(as_text=_needs_text(name, cells)))
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
    return any(_MANY_DIGITS.fullmatch(c.strip()) or _FINE_DATE.fullmatch(c.strip()) for c in cells)
