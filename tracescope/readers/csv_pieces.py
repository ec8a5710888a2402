"""Blocks of a text table as arrays: quickly through pandas' C reader, else row by row.

The quick way is taken only for blocks proven regular: every line has exactly the expected number of
delimiters, every vector cell the expected number of elements. Everything else (ragged rows, quoted
delimiters, wrapped cells, odd vectors) goes row by row, where each oddity is counted with its line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.cells import MISSING, is_missing, is_vector, vector
from tracescope.readers.csv_dialect import WHITESPACE, is_comment

_BLANKS = re.compile(rb"[ \t]+")
_BLANK_LINES = re.compile(rb"\n[ \t]*(?=\n)")
_NA_TEXTS = sorted({s for word in MISSING for s in (word, word.upper(), word.title(), word.capitalize())}
                   | {"NaN", "#N/A", "", "-NaN", "N/a"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the file as it stands in a line: a plain cell, or a vector of ``width`` elements.

    ``as_text``: whether cells are kept as texts because a float would lose digits of a stamp.
    """

    width: int = 0
    as_text: bool = False


@dataclass(slots=True)
class Piece:
    """One plain column of one block.

    Attributes:
        numbers: Shape ``(n,)``, or ``None`` where some cell is no number; NaN where missing.
        codes, texts: Then each cell's text.
        empty: Which cells hold nothing, or ``None`` where none is empty.
    """

    numbers: NDArray[Any] | None
    codes: NDArray[np.int32] | None = None
    texts: tuple[str, ...] = ()
    empty: NDArray[np.bool_] | None = None


@dataclass(slots=True)
class Pieces:
    """One block: a piece a plain column, an array ``(n, width)`` a vector column.

    Attributes:
        rows: Number of rows.
        columns: In the file's order.
        lines: Line number of each row, shape ``(n,)``.
        short, long: Lines with too few and with too many cells.
        vectors: (line, field number, what) of vector cells that did not fit.
        unfinished: The last line where it was cut off, else 0.
    """

    rows: int
    columns: list[Piece | NDArray[Any]]
    lines: NDArray[np.int64]
    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)
    vectors: list[tuple[int, int, str]] = field(default_factory=list)
    unfinished: int = 0


def quick_pieces(
    data: bytes, fields: Sequence[Field], delimiter: str, decimal: str, first_line: int
) -> Pieces | None:
    r"""Parse a regular block with the C reader; ``None`` where it is not regular.

    Args:
        data: Whole lines, UTF-8, ``\n`` ends.
        fields: One for each column of the file.
        delimiter, decimal: The dialect.
        first_line: Line number of the first line of ``data``.
    """
    if delimiter == WHITESPACE:
        data = _BLANKS.sub(b" ", data).replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    if not data.endswith(b"\n"):
        data += b"\n"
    if data.startswith(b"\n") or b"\n\n" in data or b"#" in data or b"%" in data:
        return None
    widths = [max(1, f.width) for f in fields]
    total = sum(widths)
    mark = ord(delimiter)
    if any(f.width for f in fields):
        if delimiter != "," or not _vectors_fit(data, fields, widths):
            return None
        data = data.translate(None, b'[]"')
    elif b'"' in data or b"[" in data:
        return None
    ends = _cell_ends(data, mark, total)
    if ends is None:
        return None
    rows = ends.size // total
    return _through_pandas(
        data, ends.reshape(rows, total), fields, widths, delimiter, decimal, first_line
    )


def _cell_ends(data: bytes, mark: int, total: int) -> NDArray[np.int64] | None:
    """Return where each cell ends, or ``None`` where not every line has ``total`` cells."""
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((raw == mark) | (raw == 10))
    if ends.size % total or not bool((raw[ends[total - 1 :: total]] == 10).all()):
        return None
    lines = ends.size // total
    return ends if data.count(b"\n") == lines else None


def _vectors_fit(data: bytes, fields: Sequence[Field], widths: Sequence[int]) -> bool:
    """Check that every bracket pair of the block holds as many elements as its column has."""
    raw = np.frombuffer(data, np.uint8)
    opened, closed = np.flatnonzero(raw == 91), np.flatnonzero(raw == 93)
    vectors = [w for f, w in zip(fields, widths, strict=True) if f.width]
    if opened.size != closed.size or opened.size % len(vectors) or not opened.size:
        return False
    if not bool((opened < closed).all()) or not bool((closed[:-1] < opened[1:]).all()):
        return False
    commas = np.flatnonzero(raw == 44)
    inside = np.searchsorted(commas, closed) - np.searchsorted(commas, opened) + 1
    if not bool((inside.reshape(-1, len(vectors)) == np.array(vectors)).all()):
        return False
    return data.count(b'"') in {0, 2 * opened.size} and b'""' not in data


def _through_pandas(
    data: bytes,
    ends: NDArray[np.int64],
    fields: Sequence[Field],
    widths: Sequence[int],
    delimiter: str,
    decimal: str,
    first_line: int,
) -> Pieces | None:
    import pandas as pd

    rows, total = ends.shape
    texts = {at: "str" for at, f in zip(_places(widths), fields, strict=True) if f.as_text}
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            header=None,
            names=list(range(total)),
            index_col=False,
            sep=delimiter,
            decimal=decimal,
            dtype=texts or None,
            keep_default_na=False,
            na_values=_NA_TEXTS,
            skip_blank_lines=False,
            skipinitialspace=True,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            float_precision="round_trip",
            encoding_errors="replace",
        )
    except (ValueError, OverflowError):  # pandas' ParserError is a ValueError
        return None
    if len(frame) != rows:
        return None
    empty = _empty_cells(ends)
    columns: list[Piece | NDArray[Any]] = []
    for at, f, width in zip(_places(widths), fields, widths, strict=True):
        if f.width:
            block = frame.iloc[:, at : at + width].to_numpy()
            if block.dtype.kind not in "iuf":
                return None
            columns.append(block)
        else:
            columns.append(_piece(frame[at], None if empty is None else empty.get(at)))
    lines = np.arange(first_line, first_line + rows, dtype=np.int64)
    return Pieces(rows, columns, lines)


def _places(widths: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(widths)[:-1].tolist()]


def _empty_cells(ends: NDArray[np.int64]) -> dict[int, NDArray[np.bool_]] | None:
    """Return which cells hold no byte at all, by column; ``None`` where none is empty."""
    flat = ends.ravel()
    hollow = np.diff(flat, prepend=-1) == 1
    if not hollow.any():
        return None
    grid = hollow.reshape(ends.shape)
    return {int(at): grid[:, at].copy() for at in np.flatnonzero(grid.any(axis=0))}


def _piece(series: Any, empty: NDArray[np.bool_] | None) -> Piece:
    if series.dtype.kind in "iufb" and series.dtype.name.lower() not in {"string", "str"}:
        return Piece(series.to_numpy(), empty=empty)
    missing = series.isna().to_numpy()
    cells = series.tolist()
    texts = ["" if gone else str(cell) for cell, gone in zip(cells, missing.tolist(), strict=True)]
    return text_piece(texts, empty)


def text_piece(cells: Sequence[str], empty: NDArray[np.bool_] | None = None) -> Piece:
    """Return a piece of texts, each distinct text kept once."""
    codes: dict[str, int] = {}
    value = np.fromiter(
        (codes.setdefault(cell, len(codes)) for cell in cells), np.int32, len(cells)
    )
    if empty is None and "" in codes:
        empty = value == codes[""]
    return Piece(None, value, tuple(codes), empty)


def slow_pieces(
    data: bytes, fields: Sequence[Field], delimiter: str, first_line: int, *, last: bool
) -> Pieces:
    """Parse a block row by row, counting what does not fit."""
    text = data.decode("utf-8", "replace")
    complete = not last or text.endswith("\n") or not text
    found = Pieces(0, [], np.zeros(0, np.int64))
    cells: list[list[str]] = [[] for _ in fields]
    lines: list[int] = []
    for line, row in _rows(text, delimiter, first_line):
        _take(row, line, cells, lines, fields, found)
    if not complete and lines:
        _drop_unfinished(cells, lines, fields, found)
    found.rows = len(lines)
    found.lines = np.array(lines, dtype=np.int64)
    found.columns = [
        _vectors(column, f.width, lines, i, found) if f.width else text_piece(column)
        for i, (f, column) in enumerate(zip(fields, cells, strict=True))
    ]
    return found


def _take(
    row: list[str],
    line: int,
    cells: list[list[str]],
    lines: list[int],
    fields: Sequence[Field],
    found: Pieces,
) -> None:
    """Add a row, filling up a short one and cutting empty cells off a long one."""
    if len(row) > len(fields):
        if any(cell.strip() for cell in row[len(fields) :]):
            found.long.append(line)
        row = row[: len(fields)]
    elif len(row) < len(fields):
        found.short.append(line)
        row = row + [""] * (len(fields) - len(row))
    lines.append(line)
    for column, cell in zip(cells, row, strict=True):
        column.append(cell.strip())


def _rows(text: str, delimiter: str, first_line: int) -> list[tuple[int, list[str]]]:
    """Cut a block into (line, cells); blank and comment lines are left out."""
    if delimiter == WHITESPACE:
        text = re.sub(r"[ \t]+", " ", text)
    if "#" in text or "%" in text or "//" in text:
        text = "\n".join("" if is_comment(line) else line for line in text.split("\n"))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    rows: list[tuple[int, list[str]]] = []
    line = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return rows
        except csv.Error:
            line = reader.line_num
            rows.append((first_line + line - 1, []))
            continue
        started, line = line + 1, reader.line_num
        if delimiter == WHITESPACE:
            row = row[1:] if row and not row[0] else row
            row = row[:-1] if row and not row[-1] else row
        if any(cell.strip() for cell in row):
            rows.append((first_line + started - 1, row))


def _drop_unfinished(
    cells: list[list[str]], lines: list[int], fields: Sequence[Field], found: Pieces
) -> None:
    """Drop a last line that the writer did not finish: cells missing, or a number cut in the middle."""
    tail = cells[-1][-1]
    cut = bool(found.short) and found.short[-1] == lines[-1]
    if not cut and not re.search(r"(^|[\d.])[+\-eE.]$|^[+\-]$|^[\[(][^\])]*$", tail):
        return
    found.unfinished = lines.pop()
    found.short = [line for line in found.short if line != found.unfinished]
    for column in cells:
        column.pop()
    del fields


def _vectors(
    cells: list[str], width: int, lines: list[int], place: int, found: Pieces
) -> NDArray[Any]:
    """Parse vector cells; what does not fit becomes NaN and is noted."""
    out = np.full((len(cells), width), np.nan)
    whole = True
    for row, cell in enumerate(cells):
        if is_vector(cell):
            values = vector(cell)
            if isinstance(values, list) and len(values) == width:
                out[row] = values
                whole = whole and all(isinstance(v, int) for v in values)
                continue
            what = values if isinstance(values, str) else f"{len(values)} elements, not {width}"
        elif not cell or is_missing(cell):
            what = "" if cell else "empty"
        else:
            what = cell
        whole = False
        if what:
            found.vectors.append((lines[row], place, what[:60]))
    return (
        out.astype(np.int64) if whole and len(cells) and np.abs(out).max(initial=0) < 2**53 else out
    )
