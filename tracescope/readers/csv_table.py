"""A text table as a :class:`Table`: dialect, blocks, columns, and every oddity noted with its line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote
from tracescope.readers.base import NO_CHOICES, CsvChoices, ImportChoices
from tracescope.readers.cells import is_vector, vector
from tracescope.readers.csv_columns import Judged, joined_column
from tracescope.readers.csv_dialect import Dialect, detected_dialect
from tracescope.readers.csv_pieces import Field, Piece, Pieces, quick_pieces, slow_pieces
from tracescope.readers.csv_text import TextSample, text_blocks, text_sample
from tracescope.readers.names import unique_names
from tracescope.readers.table import Column, Table
from tracescope.readers.units import unit_in_header


@dataclass(slots=True)
class Lines:
    """Row number → line number, kept as the rows where their distance changes."""

    rows: list[int] = field(default_factory=list)
    shift: list[int] = field(default_factory=list)

    def add(self, first_row: int, lines: NDArray[np.int64]) -> None:
        """Take in the lines of the rows from ``first_row`` on."""
        if not lines.size:
            return
        shift = lines - np.arange(first_row, first_row + lines.size)
        starts = np.concatenate(([0], np.flatnonzero(np.diff(shift)) + 1))
        for at in starts.tolist():
            if not self.shift or self.shift[-1] != int(shift[at]):
                self.rows.append(first_row + at)
                self.shift.append(int(shift[at]))

    def __call__(self, row: int) -> int:
        """Return the line of a row."""
        at = bisect_right(self.rows, row) - 1
        return row + (self.shift[at] if at >= 0 else 1)


def read_table(
    path: Path,
    choices: ImportChoices = NO_CHOICES,
    progress: Progress = silent,
) -> Table:
    """Read a text table whole.

    Raises:
        TraceReadError: where it is no table, holds no rows, or a cell is neither number nor text.
        Cancelled: where ``progress`` asks for it.
    """
    sample, dialect = detect(path, choices.csv)
    names, notes = _names(dialect, str(path))
    fields = _fields(dialect, len(names))
    blocks, lines, nul = _blocks(path, sample, dialect, fields, progress)
    notes += _shape_notes(dialect, blocks, nul, sum(b.rows for b in blocks))
    judged = Judged(notes=notes)
    columns = _columns(path, names, fields, blocks, dialect, lines, judged)
    if judged.problems:
        raise TraceReadError(judged.problems)
    comments = [("comment", text) for text in dialect.comments[:40]]
    comments += [("preamble", text[:200]) for text in dialect.preamble[:40]]
    return Table(
        columns,
        sum(block.rows for block in blocks),
        judged.notes,
        tuple(comments),
        line_of=lines,
        source_name=str(path),
    )


def detect(path: Path, choices: CsvChoices) -> tuple[TextSample, Dialect]:
    """Tell encoding and dialect of a text table.

    Raises:
        TraceReadError: where it holds no row, or the encoding does not exist.
    """
    try:
        sample = text_sample(path, choices.encoding)
    except LookupError:
        raise TraceReadError(
            Problem(
                f"there is no encoding {choices.encoding!r}", str(path), todo="e.g. utf-8, latin-1"
            )
        ) from None
    dialect = detected_dialect(sample.text, choices)
    if dialect is None or not dialect.rows:
        found = "names but no rows" if dialect is not None and dialect.names else "no rows"
        raise TraceReadError(
            Problem(
                "the table holds no data rows",
                str(path),
                found,
                "the recording may have stopped early",
            )
        )
    return sample, dialect


def _names(dialect: Dialect, source: str) -> tuple[list[str], list[HealthNote]]:
    raw = [name.replace("\ufeff", "").strip().strip('"').strip() for name in dialect.names]
    raw += [""] * (dialect.width - len(raw))
    names, notes = unique_names(raw, f"line {dialect.header_line}")
    del source
    missing = dialect.width - len(dialect.names)
    if dialect.names and missing:
        what = f"the header has {len(dialect.names)} names for {dialect.width} cells"
        notes.append(
            HealthNote(
                what,
                f"line {dialect.header_line}",
                missing,
                "the last ones are named by number",
                "repaired",
                "few-names",
            )
        )
    if not dialect.names:
        notes.append(
            HealthNote(
                "there is no header",
                "line 1",
                1,
                "columns are named by number",
                "info",
                "no-header",
            )
        )
    return names, notes


def _fields(dialect: Dialect, count: int) -> list[Field]:
    """Tell from the sample which columns hold vectors, and how long they are."""
    fields = []
    for i in range(count):
        cells = [row.cells[i] for row in dialect.rows if len(row.cells) > i]
        widths = [
            len(v) for cell in cells if is_vector(cell) and isinstance(v := vector(cell), list)
        ]
        vectors = len(widths) >= 0.5 * max(1, sum(bool(cell.strip()) for cell in cells))
        fields.append(Field(max(set(widths), key=widths.count)) if widths and vectors else Field())
    return fields


def _blocks(
    path: Path, sample: TextSample, dialect: Dialect, fields: Sequence[Field], progress: Progress
) -> tuple[list[Pieces], Lines, int]:
    """Read all blocks; quick where a block is regular."""
    blocks: list[Pieces] = []
    lines = Lines()
    line, rows, nul = 1, 0, 0
    skip = dialect.data_line - 1
    mark = "" if dialect.trailing else dialect.delimiter
    for block in text_blocks(path, sample.encoding):
        data, line_here = block.data, line
        line += data.count(b"\n")
        nul += block.nul_bytes
        if skip:
            data, dropped = _without_lines(data, skip)
            skip -= dropped
            line_here += dropped
        if not data.strip(b"\n"):
            continue
        pieces = None
        if (mark and not block.last) or (mark and data.endswith(b"\n")):
            pieces = quick_pieces(data, fields, mark, dialect.decimal, line_here)
        if pieces is None:
            pieces = slow_pieces(data, fields, dialect.delimiter, line_here, last=block.last)
        lines.add(rows, pieces.lines)
        rows += pieces.rows
        blocks.append(pieces)
        progress(min(block.done / max(sample.size, 1), 1.0), "reading")
    return blocks, lines, nul


def _without_lines(data: bytes, count: int) -> tuple[bytes, int]:
    """Drop up to ``count`` first lines; return the rest and how many were dropped."""
    at = 0
    for dropped in range(count):
        end = data.find(b"\n", at)
        if end < 0:
            return b"", dropped + bool(data[at:])
        at = end + 1
    return data[at:], count


def _shape_notes(
    dialect: Dialect, blocks: Sequence[Pieces], nul: int, rows: int
) -> list[HealthNote]:
    notes = []
    short = [line for block in blocks for line in block.short]
    long = [line for block in blocks for line in block.long]
    if short:
        notes.append(
            HealthNote(
                f"{len(short)} of {rows} rows have too few cells",
                _lines(short),
                len(short),
                "the missing cells are kept as empty",
                "repaired",
                "short-rows",
            )
        )
    if long:
        notes.append(
            HealthNote(
                f"{len(long)} of {rows} rows have too many cells",
                _lines(long),
                len(long),
                "the cells beyond the last column were left out",
                "repaired",
                "long-rows",
            )
        )
    unfinished = [block.unfinished for block in blocks if block.unfinished]
    if unfinished:
        notes.append(
            HealthNote(
                f"the last line is incomplete: 1 of {rows + 1} rows",
                _lines(unfinished),
                1,
                "ignored",
                "repaired",
                "last-line",
            )
        )
    if nul:
        notes.append(
            HealthNote(
                f"{nul} NUL bytes stand in the text", "", nul, "taken out", "repaired", "nul-bytes"
            )
        )
    if dialect.preamble:
        notes.append(
            HealthNote(
                f"{len(dialect.preamble)} lines stand before the header",
                "line 1",
                len(dialect.preamble),
                "kept as metadata",
                "info",
                "preamble",
            )
        )
    return notes


def _lines(lines: Sequence[int]) -> str:
    return "line " + ", ".join(str(line) for line in lines[:5]) + (", …" if len(lines) > 5 else "")


def _columns(
    path: Path,
    names: Sequence[str],
    fields: Sequence[Field],
    blocks: Sequence[Pieces],
    dialect: Dialect,
    lines: Lines,
    judged: Judged,
) -> list[Column]:
    columns: list[Column] = []
    taken = set(names)

    def place(row: int) -> str:
        return f"{path}: line {lines(row)}"

    for i, (name, f) in enumerate(zip(names, fields, strict=True)):
        parts: list[Any] = [block.columns[i] for block in blocks]
        for block in blocks:
            block.columns[i] = _GONE  # lets the block's arrays go while the column is joined
        if f.width:
            columns += _vector_columns(name, parts, taken)
        else:
            column = joined_column(name, parts, dialect.decimal, place, judged)
            column.unit = unit_in_header(name)
            columns.append(column)
    odd = [(line, names[at], what) for block in blocks for line, at, what in block.vectors]
    if odd:
        first = ", ".join(f"line {line} {name}: {what}" for line, name, what in odd[:3])
        judged.notes.append(
            HealthNote(
                f"{len(odd)} vector cells do not fit their column",
                first,
                len(odd),
                "taken as missing",
                "warning",
                "odd-vectors",
            )
        )
    return columns


_GONE = Piece(None)


def _vector_columns(name: str, parts: Sequence[NDArray[Any]], taken: set[str]) -> list[Column]:
    """Make one column for each element: ``obs[0]``, ``obs[1]`` and so on."""
    width = parts[0].shape[1]
    columns = []
    for i in range(width):
        wanted = f"{name}[{i}]"
        while wanted in taken:
            wanted += " (vector)"
        taken.add(wanted)
        value = np.concatenate([part[:, i] for part in parts])
        columns.append(Column(wanted, value, column=name, index=i))
    return columns
