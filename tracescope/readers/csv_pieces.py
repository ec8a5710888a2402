"""What a block of a text table becomes: a piece for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
        lines: Line number of each row.
        short, long: Lines with too few and with too many cells.
        vectors: (line, field number, what) of vector cells that did not fit.
        unfinished: The last line where it was cut off, else 0.
        ends: Line ends in the block.
        repeated: Lines on which the header stands again; no rows.
    """

    rows: int
    columns: list[Piece | NDArray[Any]]
    lines: NDArray[np.int64] | range
    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)
    vectors: list[tuple[int, int, str]] = field(default_factory=list)
    unfinished: int = 0
    ends: int = 0
    repeated: list[int] = field(default_factory=list)

    def move(self, by: int) -> None:
        """Count lines from further on."""
        if isinstance(self.lines, range):
            self.lines = range(self.lines.start + by, self.lines.stop + by)
        else:
            self.lines = self.lines + by
        self.repeated = [line + by for line in self.repeated]
        self.short = [line + by for line in self.short]
        self.long = [line + by for line in self.long]
        self.vectors = [(line + by, at, what) for line, at, what in self.vectors]
        self.unfinished += by if self.unfinished else 0


def text_piece(cells: Sequence[str], empty: NDArray[np.bool_] | None = None) -> Piece:
    """Return a piece of texts, each distinct text kept once."""
    codes: dict[str, int] = {}
    known = (codes.setdefault(cell, len(codes)) for cell in cells)
    value = np.fromiter(known, np.int32, len(cells))
    if empty is None and "" in codes:
        empty = value == codes[""]
    return Piece(None, value, tuple(codes), empty)
