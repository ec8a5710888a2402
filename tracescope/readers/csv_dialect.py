"""The dialect of a text table from its own content: delimiter, decimal mark, header, comments.

The operating system's locale is never asked.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal

from tracescope.readers.base import CsvChoices
from tracescope.readers.cells import Kind, is_vector, kind, number

WHITESPACE = " "
"""Delimiter value that stands for any run of spaces and tabs."""

_DELIMITERS = (",", ";", "\t", "|", WHITESPACE, ":")
_DATA_ROWS = 200
_NUMERIC: tuple[Kind, ...] = ("number", "missing", "empty", "vector", "bool")


AS_DETECTED = CsvChoices()


@dataclass(frozen=True, slots=True)
class Row:
    """A line (or several, where a quoted cell wraps): ``line`` counts from 1."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a text table is written.

    Attributes:
        delimiter: One character; ``" "`` is any run of blanks.
        decimal: ``.`` or ``,``.
        header_line: Line of the names, from 1; 0 where there are none.
        data_line: First line that can hold data, from 1.
        names: As the file spells them, not yet unique; empty texts where a column has none.
        width: Cells in a row.
        trailing: Whether rows end with a delimiter and nothing behind it.
        comments: Comment lines seen in the sample (without the mark).
        comment: What starts a comment line.
        because: How it was told.
        sure: Whether nothing else fits about as well.
        rows: The first data rows, for looking at cells and for previews.
        preamble: Lines before the header that are neither comments nor data.
    """

    delimiter: str
    decimal: Literal[".", ","]
    header_line: int
    data_line: int
    names: tuple[str, ...]
    width: int
    trailing: bool
    comments: tuple[str, ...]
    comment: str
    because: str
    sure: bool
    rows: tuple[Row, ...]
    preamble: tuple[str, ...] = ()


def is_comment(line: str) -> bool:
    """Whether a line is a comment."""
    start = line.lstrip(" \t\"'\ufeff")[:2]
    return start.startswith(("#", "%")) or start == "//"


def split_rows(text: str, delimiter: str, first_line: int = 1) -> list[Row]:
    """Cut text into rows of cells; quotes as in RFC 4180, blank lines left out."""
    rows: list[Row] = []
    if delimiter == WHITESPACE:
        text = re.sub(r"[ \t]+", " ", text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    line = 0
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return rows
        except csv.Error:  # a field beyond csv's limit: such a line is no row of a table
            line = reader.line_num
            continue
        started, line = line + 1, reader.line_num
        if delimiter == WHITESPACE:
            cells = _without_blank_ends(cells)
        if cells and any(cell.strip() for cell in cells):
            rows.append(Row(first_line + started - 1, tuple(cells)))


def _without_blank_ends(cells: list[str]) -> list[str]:
    begin = 1 if cells and not cells[0] else 0
    end = len(cells) - 1 if len(cells) > 1 and not cells[-1] else len(cells)
    return cells[begin:end]


def detected_dialect(text: str, choices: CsvChoices = AS_DETECTED) -> Dialect | None:
    """Tell the dialect of a sample of whole lines; ``None`` where it is no table of numbers at all."""
    comments, body = _comments_out(text)
    best: tuple[float, str, list[Row], Literal[".", ","]] | None = None
    scores = []
    for delimiter in (choices.delimiter,) if choices.delimiter else _DELIMITERS:
        rows = split_rows(body, delimiter)
        decimal = choices.decimal or _decimal(rows, delimiter)
        score = _score(rows, decimal)
        scores.append(score)
        if rows and (best is None or score > best[0] * 1.02):
            best = (score, delimiter, rows, decimal)
    if best is None:
        return None
    score, delimiter, rows, decimal = best
    rivals = sorted(scores, reverse=True)[1:]
    sure = bool(choices.delimiter) or not rivals or rivals[0] < 0.9 * score
    return _with_header(rows, comments, delimiter, decimal, choices, sure=sure)


def _comments_out(text: str) -> tuple[list[tuple[int, str]], str]:
    """Blank comment lines, so that line numbers stay; return them with their numbers."""
    if "#" not in text and "%" not in text and "//" not in text:
        return [], text
    comments = []
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if is_comment(line):
            comments.append((i + 1, line.lstrip(" \t\"'").lstrip("#%/").strip()))
            lines[i] = ""
    return comments, "\n".join(lines)


def _decimal(rows: list[Row], delimiter: str) -> Literal[".", ","]:
    """Tell the decimal mark from cells that hold exactly one of both marks between digits."""
    comma = point = 0
    for row in rows[:_DATA_ROWS]:
        for cell in row.cells:
            text = cell.strip()
            if "," in text and not is_vector(text) and number(text, ",") is not None:
                comma += 1
            elif "." in text and number(text, ".") is not None:
                point += 1
    del delimiter
    return "," if comma > point else "."


def _score(rows: list[Row], decimal: str) -> float:
    """Rate a way of cutting: rows of equal width, cells that are numbers to their end."""
    if not rows:
        return 0.0
    counts = Counter(len(row.cells) for row in rows)
    width, regular = max(counts.items(), key=lambda item: (item[1], item[0]))
    sample = [row for row in rows if len(row.cells) == width][:_DATA_ROWS]
    cells = [cell for row in sample[-100:] for cell in row.cells[:200]]
    kinds = Counter(kind(cell, decimal) for cell in cells)
    whole = (kinds["number"] + kinds["vector"]) / max(len(cells) - kinds["empty"], 1)
    score = (regular / len(rows)) * (0.15 + whole)
    if width == 1:
        score *= 0.35
    return score * (1.0 + 0.02 * min(width, 5))


def _with_header(
    rows: list[Row],
    comments: list[tuple[int, str]],
    delimiter: str,
    decimal: Literal[".", ","],
    choices: CsvChoices,
    *,
    sure: bool,
) -> Dialect:
    width = _data_width(rows, decimal)
    place = _header_place(rows, width, decimal, choices)
    names: tuple[str, ...] = ()
    line = 0
    because = "its first row already holds numbers"
    data = rows
    preamble: tuple[str, ...] = ()
    if place is not None:
        names, line = rows[place].cells, rows[place].line
        because = f"line {line} holds names and numbers follow"
        data = rows[place + 1 :]
        preamble = tuple(delimiter.join(row.cells) for row in rows[:place])
    elif choices.header_line is None and (
        found := _header_in_comment(comments, rows, delimiter, width)
    ):
        line, names = found
        because = f"the comment in line {line} has a name for each column"
    names, width, trailing = _without_trailing(tuple(n.strip() for n in names), width, data)
    data_line = line + 1 if place is not None or choices.header_line else 1
    return Dialect(
        delimiter,
        decimal,
        line,
        data_line,
        names,
        width,
        trailing,
        tuple(comment for at, comment in comments if at != line),
        "#",
        because,
        sure,
        tuple(data[:_DATA_ROWS]),
        preamble,
    )


def _data_width(rows: list[Row], decimal: str) -> int:
    counts = Counter(len(row.cells) for row in rows[-_DATA_ROWS:] if _share(row, decimal) > 0.5)
    counts = counts or Counter(len(row.cells) for row in rows)
    return max(counts.items(), key=lambda item: (item[1], item[0]))[0] if counts else 0


def _share(row: Row, decimal: str) -> float:
    """Return the share of a row's filled cells that are numbers or say that there is none."""
    kinds = [kind(cell, decimal) for cell in row.cells[:500]]
    filled = [k for k in kinds if k != "empty"]
    return sum(k in _NUMERIC for k in filled) / len(filled) if filled else 0.0


def _header_place(rows: list[Row], width: int, decimal: str, choices: CsvChoices) -> int | None:
    """Return the number of the row that holds the names."""
    if choices.header_line == 0:
        return None
    if choices.header_line is not None:
        at = [i for i, row in enumerate(rows) if row.line >= choices.header_line]
        return at[0] if at and rows[at[0]].line == choices.header_line else None
    loose = None
    for i, row in enumerate(rows[:_DATA_ROWS]):
        kinds = [kind(cell, decimal) for cell in row.cells]
        if "number" in kinds or "vector" in kinds or "broken" in kinds[:1]:
            if len(row.cells) == width and _share(row, decimal) > 0.5:
                break
            continue
        filled = sum(k != "empty" for k in kinds)
        if len(row.cells) == width and filled >= max(1, width // 2):
            if width > 1 or i + 1 < len(rows):
                return i
        elif filled >= max(1, width // 2):
            loose = i
    if loose is None:
        return None
    follows = loose + 1 < len(rows) and len(rows[loose + 1].cells) == width
    return loose if follows else None


def _header_in_comment(
    comments: list[tuple[int, str]], rows: list[Row], delimiter: str, width: int
) -> tuple[int, tuple[str, ...]] | None:
    """Take the last comment before the data as header where it has a word for each column."""
    first = rows[0].line if rows else 0
    for line, comment in reversed([c for c in comments if c[0] < first]):
        for cut in (delimiter, ",", WHITESPACE):
            cells = split_rows(comment, cut)
            fits = bool(cells) and len(cells[0].cells) == width and width > 1
            if fits and all(number(cell) is None for cell in cells[0].cells):
                return line, cells[0].cells
    return None


def _without_trailing(
    names: tuple[str, ...], width: int, data: list[Row]
) -> tuple[tuple[str, ...], int, bool]:
    """Take off a last column that has neither a name nor a cell."""
    full = [row for row in data if len(row.cells) == width]
    trailing = bool(full) and width > 1 and all(not row.cells[-1].strip() for row in full)
    nameless = len(names) < width or not names or not names[-1]
    if trailing and nameless:
        width -= 1
        names = names[:width]
        return names, width, True
    while len(names) > width and not names[-1]:
        names = names[:-1]
    return names, max(width, len(names)), False
