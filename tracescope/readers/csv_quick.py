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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.cells import is_plain
from tracescope.readers.csv_dialect import Dialect
from tracescope.readers.csv_empty import Empty, cell_ends
from tracescope.readers.csv_lane import NA_TEXTS, exact_floats
from tracescope.readers.csv_lines import WHITESPACE
from tracescope.readers.csv_pieces import Field, Piece, Pieces, text_piece
from tracescope.readers.csv_skeleton import is_regular
from tracescope.readers.csv_text import counted

_BLANKS = re.compile(rb"[ \t]+")
_MARKED = re.compile(rb"(?:^|\n)[ \t]*(?:#|%|//|\n)")
_COMMENT = (b"#", b"%", b"//")


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
    if not data.endswith(b"\n"):
        data += b"\n"
    if dialect.header.trailing:
        data = data.replace(mark + b"\n", b"\n")
    widths = [f.width for f in fields]
    if mark == b"," and not any(widths) and b'"' not in data:
        pieces = _proved_by_parsing(data, fields, dialect, first_line)
        if pieces is not None:
            return pieces
    rows = 0 if dialect.delimiter == WHITESPACE else is_regular(data, widths, mark)
    if rows:
        lines = range(first_line, first_line + rows)
        bare = data.translate(None, b'[]" ') if any(widths) else _bare(data, vectors=False)
        pieces = _through_pandas(bare, None, fields, dialect, lines)
        if pieces is None or not any(widths) or _all_numbers(pieces) or b" " not in data:
            return pieces
        return _through_pandas(_bare(data, vectors=True), None, fields, dialect, lines)
    return _checked_pieces(data, fields, dialect, first_line)


def _proved_by_parsing(
    data: bytes, fields: Sequence[Field], dialect: Dialect, first_line: int
) -> Pieces | None:
    """Parse a block of plain numbers; that it is regular follows from what comes out, without a look at it.

    A line with too many cells ends the parse (the first line is counted here); one with too few, a blank
    one or a comment leaves the last cell empty; anything else that stands in a cell is no number.
    """
    first = data[: data.find(b"\n") + 1]
    cells = first.count(b",") + 1
    if cells != len(fields) or not all(
        is_plain(cell) for cell in first.decode("utf-8", "replace").split(",")
    ):
        return None
    rows = counted(data, b"\n")
    lines = range(first_line, first_line + rows)
    pieces = _through_pandas(data, None, fields, dialect, lines)
    if pieces is None or not _all_numbers(pieces):
        return None
    last = pieces.columns[-1]
    is_filled = isinstance(last, Piece) and not np.isnan(last.numbers).any()  # type: ignore[arg-type]
    return pieces if is_filled else None


def _all_numbers(pieces: Pieces) -> bool:
    """Whether no cell is a text, whose blanks would matter."""
    return all(isinstance(c, np.ndarray) or c.numbers is not None for c in pieces.columns)


def _bare(data: bytes, *, vectors: bool) -> bytes:
    """Take brackets and quotes off cells whose shape was checked."""
    if vectors:
        return data.translate(None, b'[]"')
    return data.translate(None, b'"') if b'"' in data else data


def _checked_pieces(
    data: bytes, fields: Sequence[Field], dialect: Dialect, first_line: int
) -> Pieces | None:
    """Parse a block whose lines are not all alike (text cells, comments, blanks) but whose cells fit."""
    mark = dialect.delimiter.encode()
    data, lines = _plain_lines(data, first_line)
    if not data:
        return None
    if dialect.delimiter == WHITESPACE:
        data = _BLANKS.sub(b" ", data).replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")
    widths = [max(1, f.width) for f in fields]
    vectors = any(f.width for f in fields)
    if b'"' in data and not _quotes_at_edges(data, mark):
        return None
    if vectors and (mark != b"," or not _vectors_fit(data, fields, widths)):
        return None
    if not vectors and b"[" in data:
        return None
    ends = cell_ends(data.translate(None, b'[]"') if vectors else data, mark[0], sum(widths))
    if ends is None:
        return None
    grid = ends.reshape(-1, sum(widths))
    return _through_pandas(_bare(data, vectors=vectors), grid, fields, dialect, lines)


def _plain_lines(data: bytes, first_line: int) -> tuple[bytes, NDArray[np.int64]]:
    """Take blank and comment lines out; return the rest and the number of each line kept."""
    if not _may_be_marked(data) or not _MARKED.search(data):
        return data, np.arange(first_line, first_line + data.count(b"\n"), dtype=np.int64)
    kept, numbers = [], []
    for i, line in enumerate(data.split(b"\n")):
        bare = line.strip(b" \t")
        if bare and not bare.startswith(_COMMENT):
            kept.append(line)
            numbers.append(first_line + i)
    text = b"\n".join(kept) + b"\n" if kept else b""
    return text, np.array(numbers, dtype=np.int64)


def _may_be_marked(data: bytes) -> bool:
    """Whether a blank or comment line is possible at all; much quicker than the pattern."""
    return (
        any(sign in data for sign in (b"#", b"%", b"//", b"\n\n", b"\n ", b"\n\t"))
        or data[:1] in b"\n \t"
    )


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
    ends: NDArray[np.int64] | None,
    fields: Sequence[Field],
    dialect: Dialect,
    lines: NDArray[np.int64] | range,
) -> Pieces | None:
    """Parse lines of plain cells; ``ends`` is where cells end, where that was looked up already."""
    import pandas as pd

    widths = [max(1, f.width) for f in fields]
    total = sum(widths)
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
            na_values=list(NA_TEXTS),
            skip_blank_lines=False,
            skipinitialspace=b" " in data,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            encoding_errors="replace",
            **exact_floats(pd.__version__),
        )
    except (ValueError, OverflowError):  # pandas' ParserError is a ValueError
        return None
    if len(frame) != len(lines):
        return None
    columns: list[Piece | NDArray[Any]] = []
    empty = Empty(data, ends, ord(dialect.delimiter), total)
    for at, f, width in zip(places, fields, widths, strict=True):
        if f.width:
            block = frame.iloc[:, at : at + width].to_numpy()
            if block.dtype.kind not in "iuf":
                return None
            columns.append(block)
        else:
            columns.append(_piece(frame[at], at, empty))
    return Pieces(len(lines), columns, lines)


def _piece(series: Any, at: int, empty: Empty) -> Piece:
    if series.dtype.kind in "iufb" and series.dtype.name.lower() not in {"string", "str"}:
        numbers = series.to_numpy()
        hollow = numbers.dtype.kind == "f" and bool(np.isnan(numbers).any())
        return Piece(numbers, empty=empty.of(at) if hollow else None)
    missing = series.isna().to_numpy()
    cells = series.tolist()
    texts = ["" if gone else str(cell) for cell, gone in zip(cells, missing.tolist(), strict=True)]
    return text_piece(texts, empty.of(at))
