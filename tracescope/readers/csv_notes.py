"""Where rows stand in a text file, and what is said about rows that do not fit."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import HealthNote
from tracescope.model.words import counted
from tracescope.readers.csv_header import Header
from tracescope.readers.csv_pieces import Pieces
from tracescope.readers.notes import noticed, repaired, warned


@dataclass(slots=True)
class Lines:
    """Row number → line number, kept as the rows where their distance changes."""

    rows: list[int] = field(default_factory=list)
    shift: list[int] = field(default_factory=list)

    def add(self, first_row: int, lines: NDArray[np.int64] | range) -> None:
        """Take in the lines of the rows from ``first_row`` on."""
        if not len(lines):
            return
        if isinstance(lines, range):
            self._run(first_row, lines.start - first_row)
            return
        shift = lines - np.arange(first_row, first_row + lines.size)
        starts = np.concatenate(([0], np.flatnonzero(np.diff(shift)) + 1))
        for at in starts.tolist():
            self._run(first_row + at, int(shift[at]))

    def _run(self, row: int, shift: int) -> None:
        if not self.shift or self.shift[-1] != shift:
            self.rows.append(row)
            self.shift.append(shift)

    def __call__(self, row: int) -> int:
        """Return the line of a row."""
        at = bisect_right(self.rows, row) - 1
        return row + (self.shift[at] if at >= 0 else 1)


def shape_notes(header: Header, blocks: Sequence[Pieces], nul: int, rows: int) -> list[HealthNote]:
    """Say which rows were too short or too long, cut off, or not text."""
    notes = []
    short = [line for block in blocks for line in block.short]
    long = [line for block in blocks for line in block.long]
    repeated = [line for block in blocks for line in block.repeated]
    unfinished = [block.unfinished for block in blocks if block.unfinished]
    if short:
        what = f"{len(short)} of {rows} rows {'has' if len(short) == 1 else 'have'} too few cells"
        done = "the missing cells are kept as empty"
        notes.append(repaired("short-rows", what, _lines(short), len(short), done))
    if long:
        what = f"{len(long)} of {rows} rows {'has' if len(long) == 1 else 'have'} too many cells"
        done = "cells beyond the last column were left out"
        notes.append(repaired("long-rows", what, _lines(long), len(long), done))
    if repeated:
        what = f"the header stands {counted(len(repeated), 'more time')}"
        done = "left out; what follows may be another recording"
        notes.append(repaired("header-again", what, _lines(repeated), len(repeated), done))
    if unfinished:
        what = f"last line incomplete: 1 of {rows + 1} rows"
        notes.append(repaired("last-line", what, _lines(unfinished), 1, "ignored"))
    if nul:
        notes.append(
            repaired("nul-bytes", f"{counted(nul, 'NUL byte')} in the text", "", nul, "taken out")
        )
    if header.preamble:
        count = len(header.preamble)
        what = f"{count} lines stand before the header"
        notes.append(
            noticed("preamble", what, f"before line {header.line}", count, "kept as metadata")
        )
    return notes


def vector_note(odd: Sequence[tuple[int, str, str]]) -> list[HealthNote]:
    """Say which vector cells did not fit their column: (line, column, what)."""
    if not odd:
        return []
    where = ", ".join(f"line {line} {name}: {what}" for line, name, what in odd[:3])
    what = f"{len(odd)} vector cells do not fit their column"
    return [warned("odd-vectors", what, where, len(odd), "taken as missing")]


def _lines(lines: Sequence[int]) -> str:
    return "line " + ", ".join(str(line) for line in lines[:5]) + (", …" if len(lines) > 5 else "")
