"""Blocks of a text table as arrays, through pandas' C reader.

Only for blocks proven regular: every line has exactly the expected number of delimiters, every vector
cell the expected number of elements, every quote stands at the edge of a cell. Everything else goes row
by row (:mod:`tracescope.readers.csv_slow`).
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

from tracescope.readers.cells import MISSING
from tracescope.readers.csv_dialect import Dialect
from tracescope.readers.csv_lines import WHITESPACE

_BLANKS = re.compile(rb"[ \t]+")
_MARKED = re.compile(rb"(?:^|\n)[ \t]*(?:#|%|//|\n)")
_COMMENT = (b"#", b"%", b"//")
_NA_TEXTS = sorted(
    {s for word in MISSING for s in (word, word.upper(), word.title(), word.capitalize())}
    | {"NaN", "#N/A", "", "-NaN", "N/a"}
)


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
    data: bytes, fields: Sequence[Field], dialect: Dialect, first_line: int
) -> Pieces | None:
    r"""Parse a regular block with the C reader; ``None`` where it is not regular.

    Args:
        data: Whole lines, UTF-8, ``\n`` ends.
        fields: One for each column of the file.
        dialect: Delimiter, decimal mark, trailing delimiters.
        first_line: Line number of the first line of ``data``.
    """
    mark = dialect.delimiter.encode()
    data, lines = _plain_lines(data, first_line)
    if not data:
        return None
    if dialect.delimiter == WHITESPACE:
        data = _BLANKS.sub(b" ", data).replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    elif dialect.header.trailing:
        data = data.replace(mark + b"\n", b"\n")
    widths = [max(1, f.width) for f in fields]
    if b'"' in data and not _quotes_at_edges(data, mark):
        return None
    if any(f.width for f in fields):
        if mark != b"," or not _vectors_fit(data, fields, widths):
            return None
        data = data.translate(None, b'[]"')
    elif b"[" in data:
        return None
    total = sum(widths)
    ends = _cell_ends(data, mark[0], total)
    if ends is None:
        return None
    data = data.translate(None, b'"') if b'"' in data else data
    grid = ends.reshape(-1, total)
    return _through_pandas(data, grid, fields, widths, dialect, lines)


def _plain_lines(data: bytes, first_line: int) -> tuple[bytes, NDArray[np.int64]]:
    """Take blank and comment lines out; return the rest and the number of each line kept."""
    if not data.endswith(b"\n"):
        data += b"\n"
    if not _MARKED.search(data):
        return data, np.arange(first_line, first_line + data.count(b"\n"), dtype=np.int64)
    kept, numbers = [], []
    for i, line in enumerate(data.split(b"\n")):
        bare = line.strip(b" \t")
        if bare and not bare.startswith(_COMMENT):
            kept.append(line)
            numbers.append(first_line + i)
    text = b"\n".join(kept) + b"\n" if kept else b""
    return text, np.array(numbers, dtype=np.int64)


def _quotes_at_edges(data: bytes, mark: bytes) -> bool:
    """Check that quotes only wrap whole cells (or vectors), so that taking them out loses nothing."""
    if b'""' in data:
        return False
    raw = np.frombuffer(b"\n" + data + b"\n", np.uint8)
    at = np.flatnonzero(raw == 34)
    if at.size % 2:
        return False
    before, after = raw[at[0::2] - 1], raw[at[1::2] + 1]
    edge = (mark[0], 10)
    return bool(np.isin(before, edge).all() and np.isin(after, edge).all())


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
    return bool((inside.reshape(-1, len(vectors)) == np.array(vectors)).all())


def _through_pandas(
    data: bytes,
    ends: NDArray[np.int64],
    fields: Sequence[Field],
    widths: Sequence[int],
    dialect: Dialect,
    lines: NDArray[np.int64],
) -> Pieces | None:
    import pandas as pd

    rows, total = ends.shape
    places = [0, *np.cumsum(widths)[:-1].tolist()]
    texts = {at: "str" for at, f in zip(places, fields, strict=True) if f.as_text}
    try:
        frame = pd.read_csv(
            io.BytesIO(data),
            header=None,
            names=list(range(total)),
            index_col=False,
            sep=dialect.delimiter,
            decimal=dialect.decimal,
            dtype=texts or None,
            keep_default_na=False,
            na_values=_NA_TEXTS,
            skip_blank_lines=False,
            skipinitialspace=True,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            encoding_errors="replace",
            **_exact_floats(pd.__version__),
        )
    except (ValueError, OverflowError):  # pandas' ParserError is a ValueError
        return None
    if len(frame) != rows or rows != lines.size:
        return None
    empty = _empty_cells(ends)
    columns: list[Piece | NDArray[Any]] = []
    for at, f, width in zip(places, fields, widths, strict=True):
        if f.width:
            block = frame.iloc[:, at : at + width].to_numpy()
            if block.dtype.kind not in "iuf":
                return None
            columns.append(block)
        else:
            columns.append(_piece(frame[at], empty.get(at)))
    return Pieces(rows, columns, lines)


def _exact_floats(version: str) -> dict[str, Any]:
    """Ask for the float nearest to each text, which pandas does by itself (only) since 3.1."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def _empty_cells(ends: NDArray[np.int64]) -> dict[int, NDArray[np.bool_]]:
    """Return which cells hold no byte at all, by column; columns without such cells are left out."""
    hollow = np.diff(ends.ravel(), prepend=-1) == 1
    if not hollow.any():
        return {}
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
    known = (codes.setdefault(cell, len(codes)) for cell in cells)
    value = np.fromiter(known, np.int32, len(cells))
    if empty is None and "" in codes:
        empty = value == codes[""]
    return Piece(None, value, tuple(codes), empty)
