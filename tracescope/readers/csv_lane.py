r"""The quick lane for tables of numbers: one C reader is kept open and given block after block, as it lies.

``pandas.read_csv`` takes half a millisecond to set up, decodes its input and encodes it again, and makes a
frame that is taken apart at once. What it parses with can be kept instead: pandas reads the pieces of a large
file the same way. That is no public interface, so a reader proves itself on a small table first; where it
does not, and wherever a block is not plain numbers of the expected shape, the block goes the usual way
(:mod:`tracescope.readers.csv_quick`).

What comes out proves what went in. Every cell is a number, no line has too many cells (that ends the parse)
and none too few (the last cell would be missing). Vectors keep a mark at either end: ``"[1, 2]"`` is parsed as
``, 1, 2 ,``, whose outer cells are empty. Where those columns are empty in every row, no other cell is, and
the quotes are as many as the vectors, each row's vectors begin and end where they should.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.cells import is_plain
from tracescope.readers.csv_dialect import Dialect
from tracescope.readers.csv_empty import Empty
from tracescope.readers.csv_lines import WHITESPACE
from tracescope.readers.csv_pieces import Field, Piece, Pieces
from tracescope.readers.csv_skeleton import is_regular
from tracescope.readers.csv_text import Buffer

Columns = list[NDArray[Any]]

NA_TEXTS = ("", "nan", "NaN", "NAN", "NA", "N/A", "n/a", "null", "NULL", "None", "not_valid")
"""Frequent spellings of nothing. None starts like a number: pandas would look up every such cell.
Rarer spellings are told from the texts of their column."""

_PATIENCE = 3
"""After so many blocks that were not plain numbers, the rest of the table is not tried."""

_PATIENCE_VECTORS = 2
"""With vectors a try costs as much as the usual way; one that fails to parse counts twice."""

_PROOF = (b"1,2.5,\n-3,1e-3,\n", b"4,,\n")
_NOT_THERE = (AttributeError, TypeError, ValueError, OverflowError, StopIteration)

_HEAD = 1 << 17
"""Bytes looked at in one go: they stay in a core's own cache."""

_QUOTE, _OPEN, _SHUT, _COMMA, _BLANK, _END = b'"[], \n'
_MARK = b","
_EDGE = np.isin(np.arange(256), tuple(b",\r\n"))
"""Bytes that cells begin behind and end before."""


class Lane:
    """One C reader, for one thread at a time.

    Args:
        cells: Cells in a line.
        delimiter, decimal: As the dialect says.
        missing: Spellings of nothing; where there are none, such a cell makes its column one of texts.
    """

    def __init__(
        self,
        cells: int,
        delimiter: str = ",",
        decimal: str = ".",
        missing: Sequence[str] = NA_TEXTS,
    ) -> None:
        import pandas as pd

        self._frames = pd.read_csv(
            io.BytesIO(b""),
            header=None,
            names=list(range(cells)),
            index_col=False,
            sep=delimiter,
            decimal=decimal,
            keep_default_na=False,
            na_values=list(missing),
            na_filter=bool(missing),
            skip_blank_lines=False,
            quoting=csv.QUOTE_NONE,
            low_memory=False,
            iterator=True,
            **exact_floats(pd.__version__),
        )
        self._reader: Any = self._frames._engine._reader  # type: ignore[attr-defined]  # noqa: SLF001
        self._reader.trim_after_read = False

    def parsed(self, data: Any) -> Columns:
        """Parse whole lines; raises a :class:`ValueError` where a line has too many cells."""
        self._reader.load_buffer(memoryview(data), strip_bom=False)
        found = self._reader.read()
        return [found[at] for at in range(len(found))]

    def close(self) -> None:
        self._frames.close()


def exact_floats(version: str) -> dict[str, Any]:
    """Ask for the float nearest to each text, which pandas does by itself (only) since 3.1."""
    major, minor = (int(part) for part in version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


@lru_cache(maxsize=1)
def is_there() -> bool:
    """Whether this pandas can be used that way, shown by two small blocks one after the other."""
    try:
        lane = Lane(3)
        first, second = (lane.parsed(data) for data in _PROOF)
        lane.close()
        strict = Lane(3, missing=())
        exact, texts = (strict.parsed(data.replace(b",\n", b",7\n")) for data in _PROOF)
        strict.close()
    except _NOT_THERE:
        return False
    whole, part, none = first
    return (
        whole.tolist() == [1, -3]
        and whole.dtype == np.int64
        and part.tolist() == [2.5, 1e-3]
        and bool(np.isnan(none).all())
        and second[0].tolist() == [4]
        and bool(np.isnan(second[1]).all())
        and [column.tolist() for column in exact] == [[1, -3], [2.5, 1e-3], [7, 7]]
        and not _is_numeric(texts[1])
    )


class Lanes:
    """The quick lane of one table; each thread takes a reader and gives it back.

    Args:
        fields: One for each column of the file.
        dialect: Delimiter, decimal mark, trailing delimiters.
    """

    def __init__(self, fields: Sequence[Field], dialect: Dialect) -> None:
        self._mark, self._decimal = dialect.delimiter, dialect.decimal
        self._widths = [field.width for field in fields]
        self._vectors = sum(1 for width in self._widths if width)
        self._cells = sum(width + 2 if width else 1 for width in self._widths)
        # Plain cells are parsed without a look at missing ones until there is one.
        self._missing = (NA_TEXTS,) if self._vectors else ((), NA_TEXTS)
        self._idle: tuple[list[Lane], ...] = tuple([] for _ in self._missing)
        self._level = 0
        patience = _PATIENCE_VECTORS if self._vectors else _PATIENCE
        self._left = patience if self._is_open(fields, dialect) else 0

    def _is_open(self, fields: Sequence[Field], dialect: Dialect) -> bool:
        plain = not any(field.as_text for field in fields) and not dialect.header.trailing
        fits = self._mark == "," if self._vectors else self._mark != WHITESPACE
        return plain and fits and is_there()

    def pieces(self, data: Buffer, first_line: int) -> Pieces | None:
        """Parse a block of whole lines; ``None`` where it is not plain numbers of the expected shape.

        Args:
            data: Whole lines, used up where it can be written to and pieces come back; else as they were.
            first_line: Number of its first line.
        """
        if not self._left or data[-1] != _END:
            return None
        columns = self._of_vectors(data) if self._vectors else self._of_numbers(data)
        if columns is None:
            self._left = max(0, self._left - 1)  # two threads may count one: that costs a try
            return None
        rows, stop = _rows(columns[0]), first_line + _rows(columns[0])
        return Pieces(rows, columns, range(first_line, stop), ends=stop - 1)

    def close(self) -> None:
        """Let the readers go."""
        for idle in self._idle:
            while idle:
                idle.pop().close()

    def _of_numbers(self, data: Buffer) -> list[Piece | NDArray[Any]] | None:
        first = _first_line(data).decode("utf-8", "replace").split(self._mark)
        if len(first) != self._cells or not all(map(self._is_plain, first)):
            return None
        columns = self._parsed(data)
        if columns is None:
            return None
        looked = enumerate(columns) if self._level else ()  # at first nothing may be missing
        missing = [at for at, column in looked if _has_missing(column)]
        if missing and (missing[-1] == self._cells - 1 or b"\r" in (text := bytes(data))):
            return None
        empty = Empty(text, None, ord(self._mark), self._cells) if missing else None
        return [
            Piece(column, empty=empty.of(at) if empty and at in missing else None)
            for at, column in enumerate(columns)
        ]

    def _is_plain(self, cell: str) -> bool:
        """Whether a cell is a number or none; else the C reader need not start."""
        return not cell or is_plain(cell, self._decimal)

    def _of_vectors(self, data: Buffer) -> list[Piece | NDArray[Any]] | None:
        raw = np.frombuffer(data, np.uint8)
        raw = raw if raw.flags.writeable else raw.copy()
        quotes = _vector_edges(raw)
        if quotes is None:
            return None
        _write_edges(raw, quotes, _COMMA, _BLANK, _BLANK)
        columns = self._parsed(raw)
        rows = 0 if columns is None else columns[0].size
        fits = columns is not None and quotes.size == 2 * self._vectors * rows
        kept = self._kept(columns) if fits and columns is not None else None
        if kept is not None and not any(map(_has_missing, kept)):
            return kept
        _write_edges(raw, quotes, _QUOTE, _OPEN, _SHUT)
        # Where an element is missing, the empty cells alone do not say where vectors end; then the usual way
        # is quicker.
        self._left = max(0, self._left - 1)
        return kept if kept and is_regular(bytes(data), self._widths, _MARK) == rows else None

    def _kept(self, columns: Columns) -> list[Piece | NDArray[Any]] | None:
        """Take the empty cells around vectors out; ``None`` where those are not, or a plain cell is."""
        kept: list[Piece | NDArray[Any]] = []
        at = 0
        for width in self._widths:
            if not width:
                if _has_missing(columns[at]):
                    return None
                kept.append(Piece(columns[at]))
                at += 1
                continue
            first, *inside, last = columns[at : at + width + 2]
            fits = _is_missing(first) and _is_missing(last) and all(map(_is_element, inside))
            if not fits:
                return None
            kept.append(np.stack(inside).T)
            at += width + 2
        return kept

    def _parsed(self, data: Any) -> Columns | None:
        """Parse a block; where a cell is no number, again with spellings of nothing, and so from then on."""
        for level in range(self._level, len(self._missing)):
            self._level = max(self._level, level)
            columns = self._parsed_once(data, level)
            if columns is not None:
                return columns
        return None

    def _parsed_once(self, data: Any, level: int) -> Columns | None:
        """Parse a block with an idle reader; one that stumbled is not used again."""
        try:
            lane = self._idle[level].pop()
        except IndexError:
            lane = Lane(self._cells, self._mark, self._decimal, self._missing[level])
        try:
            columns = lane.parsed(data)
        except _NOT_THERE:
            with suppress(*_NOT_THERE):
                lane.close()
            return None
        self._idle[level].append(lane)
        is_whole = len(columns) == self._cells and all(_is_numeric(c) for c in columns)
        return columns if is_whole else None


def _rows(column: Piece | NDArray[Any]) -> int:
    value = column.numbers if isinstance(column, Piece) else column
    return 0 if value is None else len(value)


def _is_element(column: NDArray[Any]) -> bool:
    """Whether a column is what elements of a vector can be; flags and huge integers take another way."""
    return column.dtype in (np.int64, np.float64)


def _is_numeric(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "iufb"


def _has_missing(column: Piece | NDArray[Any]) -> bool:
    value = column.numbers if isinstance(column, Piece) else column
    return (
        value is not None
        and value.dtype.kind == "f"
        and bool(np.isnan(np.minimum.reduce(value, axis=None)))
    )


def _is_missing(column: NDArray[Any]) -> bool:
    return column.dtype.kind == "f" and bool(np.isnan(column).all())


def _first_line(data: Buffer) -> bytes:
    start = bytes(data[:_HEAD])
    return (start if b"\n" in start else bytes(data)).split(b"\n", 1)[0]


def _vector_edges(raw: NDArray[np.uint8]) -> NDArray[np.int64] | None:
    """Return where quotes stand; ``None`` where one is not at the edge of a cell and next to a bracket."""
    starts = range(0, raw.size, _HEAD)
    quotes = np.concatenate([np.flatnonzero(raw[at : at + _HEAD] == _QUOTE) + at for at in starts])
    begin, end = quotes[0::2], quotes[1::2]
    if begin.size != end.size or not begin.size:
        return None
    fits = (
        (raw[begin + 1] == _OPEN).all()
        and (raw[end - 1] == _SHUT).all()
        and _EDGE[raw[begin - 1]].all()  # the byte before the first is the last, a line's end
        and _EDGE[raw[end + 1]].all()
    )
    return quotes if fits else None


def _write_edges(
    raw: NDArray[np.uint8], quotes: NDArray[np.int64], quote: int, begin: int, end: int
) -> None:
    raw[quotes] = quote
    raw[quotes[0::2] + 1] = begin
    raw[quotes[1::2] - 1] = end
