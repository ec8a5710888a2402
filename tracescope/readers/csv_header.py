"""Where the names of a text table stand, and where its data begin."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from tracescope.readers.base import CsvChoices
from tracescope.readers.cells import kinds, number
from tracescope.readers.clock import is_counter
from tracescope.readers.csv_lines import WHITESPACE, Row, split_rows
from tracescope.readers.units import is_unit

KEPT_ROWS = 200
_MOST_STRAY = 5
_SAYS_NUMBER = ("number", "date", "missing", "empty", "vector", "bool")


@dataclass(frozen=True, slots=True)
class Header:
    """The names of a table.

    Attributes:
        line: Line of the names, from 1; 0 where there are none.
        data_line: First line that can hold data, from 1.
        names: As the file spells them, not yet unique; empty texts where a column has none.
        units: Of a row of units under the names; else empty.
        width: Cells in a row.
        trailing: Whether rows end with a delimiter and nothing behind it.
        comments: Comment lines seen (without the mark).
        preamble: Lines before the header that are neither comments nor data.
        because: How it was told.
        rows: The first data rows, for looking at cells and for previews.
        numbered: Whether rows start with their number, which has no name: an empty one was put before the others.
    """

    line: int
    data_line: int
    names: tuple[str, ...]
    units: tuple[str, ...]
    width: int
    trailing: bool
    comments: tuple[str, ...]
    preamble: tuple[str, ...]
    because: str
    rows: tuple[Row, ...]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class _Looks:
    """What a row looks like: ``strict`` is surely data, ``texty`` may be names."""

    strict: bool
    texty: bool
    width: int


def find_header(
    rows: list[Row],
    comments: list[tuple[int, str]],
    delimiter: str,
    decimal: str,
    choices: CsvChoices,
) -> Header:
    """Find names and data among the rows of a sample."""
    width = _data_width(rows, decimal)
    looks = [_look(row, width, decimal) for row in rows[:KEPT_ROWS]]
    place = _place(rows, looks, choices)
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    line, first = 0, 0
    because = "its first row already holds numbers"
    if place is not None:
        place, units = _with_units(rows, looks, place)
        names, line = rows[place].cells, rows[place].line
        first = place + (2 if units else 1)
        because = f"line {line} holds names and numbers follow"
    elif choices.header_line is None and (found := _in_comment(comments, rows, delimiter, width)):
        line, names = found
        because = f"the comment in line {line} has a name for each column"
    elif choices.header_line == 0:
        because = "no header was asked for"
    data = rows[first:]
    preamble = tuple(delimiter.join(row.cells) for row in rows[: place or 0])
    names, width, trailing = _without_trailing(tuple(n.strip() for n in names), width, data)
    numbered = _is_numbered(names, width, data)
    names = ("", *names) if numbered else names
    return Header(
        line=line,
        data_line=data[0].line
        if data and place is not None
        else (line + 1 if place is not None else 1),
        names=names,
        units=tuple("" if _RULE.fullmatch(u) else u for u in map(_bare, units[:width])),
        width=width,
        trailing=trailing,
        comments=tuple(comment for at, comment in comments if at != line),
        preamble=preamble,
        because=because,
        rows=tuple(data[:KEPT_ROWS]),
        numbered=numbered,
    )


def _is_numbered(names: tuple[str, ...], width: int, data: list[Row]) -> bool:
    """Whether one name is missing because rows start with their number, as R writes tables.

    A first name that itself says a counter owns the numbers: then the name missing is the last.
    """
    if not names or len(names) != width - 1 or len(data) < 3 or is_counter(names[0]):
        return False
    first = [row.cells[0].strip() for row in data[:KEPT_ROWS] if row.cells]
    start = int(first[0]) if first[0] in {"0", "1"} else None
    return start is not None and first == [str(start + i) for i in range(len(first))]


def _data_width(rows: list[Row], decimal: str) -> int:
    counts = Counter(len(row.cells) for row in rows[-KEPT_ROWS:] if _share(row, decimal) > 0.5)
    counts = counts or Counter(len(row.cells) for row in rows)
    return max(counts.items(), key=lambda item: (item[1], item[0]))[0] if counts else 0


def _share(row: Row, decimal: str) -> float:
    """Return the share of a row's filled cells that are numbers or say that there is none."""
    filled = [k for k in kinds(row.cells[:500], decimal) if k != "empty"]
    return sum(k in _SAYS_NUMBER for k in filled) / len(filled) if filled else 0.0


def _look(row: Row, width: int, decimal: str) -> _Looks:
    found = Counter(kinds(row.cells, decimal))
    numeric = found["number"] + found["vector"] + found["date"]
    filled = len(row.cells) - found["empty"]
    units = found["word"] > 0 and _are_units(row)  # [-] reads as a vector of nothing
    strict = not units and numeric > 0 and len(row.cells) == width and _share(row, decimal) > 0.5
    texty = units or (numeric == 0 and found["word"] > 0 and filled >= max(1, width // 2))
    return _Looks(strict, texty or _numbered(row), len(row.cells))


def _numbered(row: Row) -> bool:
    """Whether a row is the header of a table whose columns have only numbers: ``,0,1,2``."""
    cells = row.cells
    return (
        len(cells) > 2
        and not cells[0].strip()
        and all(c == str(i) for i, c in enumerate(cells[1:]))
    )


def _place(rows: list[Row], looks: list[_Looks], choices: CsvChoices) -> int | None:
    """Return the number of the row that holds the names."""
    if choices.header_line == 0:
        return None
    if choices.header_line is not None:
        return next((i for i, row in enumerate(rows) if row.line == choices.header_line), None)
    width = next((look.width for look in looks if look.strict), None)
    total = sum(look.strict for look in looks)
    before = 0
    for i, look in enumerate(looks):
        follows = i + 1 < len(looks) and looks[i + 1].strict
        if look.texty and follows and before <= _MOST_STRAY and 4 * before <= total:
            return i
        before += look.strict and not _numbered(rows[i])
    if not total:
        return 0 if looks and looks[0].texty else None
    early = [i for i, look in enumerate(looks) if look.texty and look.width == width]
    strict = next(i for i, look in enumerate(looks) if look.strict)
    return early[0] if early and early[0] < strict else None


def _with_units(rows: list[Row], looks: list[_Looks], place: int) -> tuple[int, tuple[str, ...]]:
    """Tell a row of units from the row of names above or below it."""
    above = place > 0 and looks[place - 1].texty and looks[place - 1].width == looks[place].width
    if above and _are_units(rows[place]):
        return place - 1, rows[place].cells
    below = place + 1
    if below < len(looks) and looks[below].texty and _are_units(rows[below]):
        return place, rows[below].cells
    return place, ()


def _are_units(row: Row) -> bool:
    bare = [_bare(cell) for cell in row.cells]
    known = [is_unit(cell) or _RULE.fullmatch(cell) is not None for cell in bare if cell]
    return bool(known) and all(known)


def _bare(unit: str) -> str:
    unit = unit.strip().strip("[]()").strip()
    return "" if unit in {"-", "1"} else unit


_RULE = re.compile(r":?-{3,}:?")
"""The line that Markdown draws under the names of a table."""


def _in_comment(
    comments: list[tuple[int, str]], rows: list[Row], delimiter: str, width: int
) -> tuple[int, tuple[str, ...]] | None:
    """Take the last comment before the data as header where it has a word for each column."""
    first = rows[0].line if rows else 0
    for line, comment in reversed([c for c in comments if c[0] < first]):
        for cut in (delimiter, ",", WHITESPACE):
            cells = split_rows(comment, cut)
            fits = bool(cells) and len(cells[0].cells) == width and width > 1
            if fits and all(number(cell) is None for cell in cells[0].cells):
                return line, tuple(re.sub(r"^[#%/]+", "", cell).strip() for cell in cells[0].cells)
    return None


def _without_trailing(
    names: tuple[str, ...], width: int, data: list[Row]
) -> tuple[tuple[str, ...], int, bool]:
    """Take off a last column that has neither a name nor a cell."""
    full = [row for row in data if len(row.cells) == width]
    trailing = bool(full) and width > 1 and all(not row.cells[-1].strip() for row in full)
    nameless = len(names) < width or not names or not names[-1]
    if trailing and nameless:
        return names[: width - 1], width - 1, True
    while len(names) > width and not names[-1]:
        names = names[:-1]
    return names, max(width, len(names)), False
