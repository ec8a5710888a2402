"""A text table as a :class:`Table`: dialect, blocks, columns, and every oddity noted with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote
from tracescope.readers.base import NO_CHOICES, CsvChoices, ImportChoices
from tracescope.readers.csv_blocks import read_blocks
from tracescope.readers.csv_columns import Judged, joined_column
from tracescope.readers.csv_dialect import PROSE, Dialect, detected_dialect
from tracescope.readers.csv_fields import fields_of, lost_digits
from tracescope.readers.csv_notes import Lines, shape_notes, vector_note
from tracescope.readers.csv_pieces import Field, Piece, Pieces
from tracescope.readers.csv_store import joined
from tracescope.readers.csv_text import TextSample, text_sample
from tracescope.readers.names import unique_names
from tracescope.readers.notes import noticed, repaired
from tracescope.readers.table import Column, Table
from tracescope.readers.units import unit_in_header

_SPELT = {"\\t": "\t", "tab": "\t", "space": " ", "whitespace": " ", "comma": ",", "semicolon": ";"}


def read_table(
    path: Path, choices: ImportChoices = NO_CHOICES, progress: Progress = silent
) -> Table:
    """Read a text table whole, in blocks.

    Raises:
        TraceReadError: where it is no table, holds no rows, or a cell is neither number nor text.
        Cancelled: where ``progress`` asks for it.
    """
    sample, dialect = detect(path, choices.csv)
    header = dialect.header
    names, notes = _names(dialect)
    if not dialect.sure:
        what = f"the delimiter {dialect.delimiter!r} fits only a little better than another"
        notes.append(noticed("dialect-unsure", what, "", 1, "look at the columns"))
    read = _Read(path, sample, dialect, names, progress)
    fields = fields_of(names, header.rows)
    table = read.table(fields, notes)
    lost = lost_digits(table.columns, fields, header.rows)
    if lost:
        return read.table(fields_of(names, header.rows, as_text=lost), notes)
    return table


@dataclass(frozen=True, slots=True)
class _Read:
    """One file and how it is written."""

    path: Path
    sample: TextSample
    dialect: Dialect
    names: list[str]
    progress: Progress

    def table(self, fields: Sequence[Field], notes: Sequence[HealthNote]) -> Table:
        """Read all blocks and join them."""
        header = self.dialect.header
        blocks, lines, nul = read_blocks(
            self.path, self.sample, self.dialect, fields, self.progress
        )
        rows = sum(block.rows for block in blocks)
        judged = Judged([*notes, *shape_notes(header, blocks, nul, rows)])
        columns = _columns(self.path, self.names, fields, blocks, self.dialect, lines, judged)
        if judged.problems:
            raise TraceReadError(judged.problems)
        metadata = [("comment", text[:200]) for text in header.comments[:40]]
        metadata += [("preamble", text[:200]) for text in header.preamble[:40]]
        return Table(
            columns,
            rows,
            judged.notes,
            tuple(metadata),
            line_of=lines,
            source_name=str(self.path),
        )


def detect(path: Path, choices: CsvChoices) -> tuple[TextSample, Dialect]:
    """Tell encoding and dialect of a text table.

    Raises:
        TraceReadError: where it holds no row, or a choice makes no sense.
    """
    choices = _checked(choices, str(path))
    sample = text_sample(path, choices.encoding)
    dialect = detected_dialect(sample.text, choices)
    if choices.header_line and dialect is not None and dialect.header.line != choices.header_line:
        what = f"line {choices.header_line} was asked for as header, but holds no cells"
        raise TraceReadError(Problem(what, str(path), todo="choose another line; 0 for no header"))
    if dialect is None or not dialect.header.rows:
        found = "names but no rows" if dialect is not None and dialect.header.names else "no rows"
        todo = "the recording may have stopped before its first row"
        raise TraceReadError(Problem("the table holds no data rows", str(path), found, todo))
    if dialect.score < PROSE and choices.delimiter is None:
        first = sample.text.strip().split("\n", 1)[0][:60]
        todo = "if it is a table, name its delimiter"
        raise TraceReadError(Problem("the text is no table of numbers", str(path), first, todo))
    return sample, dialect


def _checked(choices: CsvChoices, source: str) -> CsvChoices:
    """Refuse encodings that do not exist and delimiters that cannot be one."""
    import codecs

    if choices.encoding is not None:
        try:
            codecs.lookup(choices.encoding)
            "".encode(choices.encoding)
        except (LookupError, ValueError):
            what = f"there is no encoding {choices.encoding!r}"
            raise TraceReadError(Problem(what, source, todo="e.g. utf-8 or latin-1")) from None
    if choices.delimiter is None:
        return choices
    delimiter = _SPELT.get(choices.delimiter.lower(), choices.delimiter)
    if len(delimiter) != 1 or delimiter in '\r\n"\0' or ord(delimiter) > 127:
        what = f"{choices.delimiter!r} cannot be a delimiter"
        raise TraceReadError(Problem(what, source, todo="one character; ' ' for any run of blanks"))
    return replace(choices, delimiter=delimiter)


def _names(dialect: Dialect) -> tuple[list[str], list[HealthNote]]:
    header = dialect.header
    raw = [name.replace("\ufeff", "").strip().strip('"').strip() for name in header.names]
    missing = header.width - len(raw)
    raw += [""] * missing
    where = f"line {header.line}"
    names, notes = unique_names(raw, where)
    if header.names and missing:
        what = f"the header has {len(header.names)} names for {header.width} cells"
        done = "the last columns are named by number"
        notes.append(repaired("few-names", what, where, missing, done))
    if header.numbered:
        what = f"the header has {len(header.names) - 1} names for {header.width} cells"
        done = "rows start with their number: the names are those of the columns behind it"
        notes.append(repaired("row-numbers", what, where, 1, done))
    if not header.names:
        what = "there is no header"
        notes.append(noticed("no-header", what, "line 1", 1, "columns are named by number"))
    return names, notes


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
    units = dialect.header.units

    def place(row: int) -> str:
        return f"{path}: line {lines(row)}"

    for i, (name, field) in enumerate(zip(names, fields, strict=True)):
        parts: list[Any] = [block.columns[i] for block in blocks]
        for block in blocks:
            block.columns[i] = _GONE  # lets the block's arrays go while the column is joined
        unit = (units[i] if i < len(units) else "") or unit_in_header(name)
        if field.width:
            fresh = _vector_columns(name, parts, taken)
        else:
            fresh = [joined_column(name, parts, dialect.decimal, place, judged, field.as_text)]
        for column in fresh:
            column.unit = unit
        columns += fresh
    judged.notes += vector_note(
        [(line, names[at], what) for b in blocks for line, at, what in b.vectors]
    )
    return columns


_GONE = Piece(None)


def _vector_columns(name: str, parts: Sequence[NDArray[Any]], taken: set[str]) -> list[Column]:
    """Make one column for each element: ``obs[0]``, ``obs[1]`` and so on."""
    columns = []
    for i in range(parts[0].shape[1] if parts else 0):
        wanted = f"{name}[{i}]"
        while wanted in taken:
            wanted += " (vector)"
        taken.add(wanted)
        value = joined([part[:, i] for part in parts])
        columns.append(Column(wanted, value, column=name, index=i))
    return columns
