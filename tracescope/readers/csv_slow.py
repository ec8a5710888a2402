"""Blocks of a text table row by row: ragged rows, wrapped and quoted cells, odd vectors, each counted."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.cells import is_missing, is_vector, vector
from tracescope.readers.csv_dialect import Dialect
from tracescope.readers.csv_lines import WHITESPACE, comments_out, without_blank_ends
from tracescope.readers.csv_pieces import Field, Pieces, text_piece

_CUT_NUMBER = re.compile(r"(^|[\d.])[+\-eE.]$|^[+\-]$|^[\[(][^\])]*$")


def slow_pieces(
    data: bytes, fields: Sequence[Field], dialect: Dialect, first_line: int, *, last: bool
) -> Pieces:
    """Parse a block row by row, counting what does not fit."""
    text = data.decode("utf-8", "replace")
    complete = not last or text.endswith("\n") or not text
    found = Pieces(0, [], np.zeros(0, np.int64))
    cells: list[list[str]] = [[] for _ in fields]
    lines: list[int] = []
    for line, row in _rows(text, dialect.delimiter, first_line):
        if _is_header(row, dialect.header.names):
            found.repeated.append(line)
        else:
            _take(row, line, cells, lines, found)
    if not complete and lines:
        _drop_unfinished(cells, lines, found)
    found.rows = len(lines)
    found.lines = np.array(lines, dtype=np.int64)
    found.columns = [
        _vectors(column, f.width, lines, i, found) if f.width else text_piece(column)
        for i, (f, column) in enumerate(zip(fields, cells, strict=True))
    ]
    return found


def _is_header(row: list[str], names: Sequence[str]) -> bool:
    """Whether a row is the header again, as where two files were joined."""
    return len(names) > 1 and [c.lstrip("\ufeff").strip() for c in row] == list(names)


def _take(
    row: list[str], line: int, cells: list[list[str]], lines: list[int], found: Pieces
) -> None:
    """Add a row, filling up a short one and cutting a long one."""
    width = len(cells)
    if len(row) > width:
        if any(cell.strip() for cell in row[width:]):
            found.long.append(line)
        row = row[:width]
    elif len(row) < width:
        found.short.append(line)
        row = row + [""] * (width - len(row))
    lines.append(line)
    for column, cell in zip(cells, row, strict=True):
        column.append(cell.strip())


def _rows(text: str, delimiter: str, first_line: int) -> list[tuple[int, list[str]]]:
    """Cut a block into (line, cells); blank and comment lines are left out."""
    if delimiter == WHITESPACE:
        text = re.sub(r"[ \t]+", " ", text)
    _, text = comments_out(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    rows: list[tuple[int, list[str]]] = []
    line = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return rows
        except csv.Error:  # a cell beyond the csv module's limit
            line = reader.line_num
            rows.append((first_line + line - 1, []))
            continue
        started, line = line + 1, reader.line_num
        if delimiter == WHITESPACE:
            row = without_blank_ends(row)
        if any(cell.strip() for cell in row):
            rows.append((first_line + started - 1, row))


def _drop_unfinished(cells: list[list[str]], lines: list[int], found: Pieces) -> None:
    """Drop a last line that the writer did not finish: cells missing, or a number cut in the middle."""
    short = bool(found.short) and found.short[-1] == lines[-1]
    if not short and not _CUT_NUMBER.search(cells[-1][-1]):
        return
    found.unfinished = lines.pop()
    found.short = [line for line in found.short if line != found.unfinished]
    for column in cells:
        column.pop()


def _vectors(
    cells: list[str], width: int, lines: list[int], place: int, found: Pieces
) -> NDArray[Any]:
    """Parse vector cells; what does not fit becomes NaN and is noted."""
    out = np.full((len(cells), width), np.nan)
    whole = bool(cells)
    for row, cell in enumerate(cells):
        values, what = _vector(cell, width)
        if values is None:
            whole = False
        else:
            out[row] = values
            whole = whole and all(isinstance(v, int) for v in values)
        if what:
            found.vectors.append((lines[row], place, what[:60]))
    fits = whole and float(np.abs(out).max(initial=0)) < 2**53
    return out.astype(np.int64) if fits else out


def _vector(cell: str, width: int) -> tuple[list[int | float] | None, str]:
    """Return a cell's elements, and what is wrong where there are none."""
    if is_vector(cell):
        values = vector(cell)
        if isinstance(values, list) and len(values) == width:
            return values, ""
        return None, values if isinstance(values, str) else f"{len(values)} elements, not {width}"
    if not cell:
        return None, "empty"
    return None, "" if is_missing(cell) else cell
