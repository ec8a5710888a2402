"""Some rows of a long text table: whole lines around places all over it, read as a short table."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tracescope.model.progress import Progress, silent
from tracescope.readers.base import ImportChoices
from tracescope.readers.csv_table import read_table
from tracescope.readers.csv_text import detected_encoding
from tracescope.readers.gathered import Gathered, fresh_places
from tracescope.readers.rowtypes import split_by_type

MOST_HALVINGS = 8
"""Lines are parsed at a tenth of the speed at which numbers are copied: fewer places than of HDF5."""

HEAD_BYTES = 64 * 1024
"""What the table begins with is read on: preamble, header, first rows."""

LINES = 32
"""About so many lines are read in one place."""

MOST_BYTES = 16 * 2**20
"""Where lines are so long that more would be read, there is no preview."""

BYTES_A_VALUE = 5
"""A number and its delimiter take more: a file of fewer bytes has fewer values."""


def gathered_lines(
    path: Path,
    choices: ImportChoices,
    progress: Progress = silent,
    least_values: int = 0,
    most_halvings: int = MOST_HALVINGS,
) -> Gathered | None:
    """Read lines around places all over the file; ``None`` where the file is short, or lines cannot be told.

    Row numbers are told from where a line stands, by the mean length of the lines read.

    Raises:
        TraceReadError: where what was read is no table.
        Cancelled: from ``progress``.
    """
    halvings = min(MOST_HALVINGS, most_halvings)
    parts, size = 1 << halvings, path.stat().st_size
    with path.open("rb") as raw:
        head = raw.read(HEAD_BYTES)
        length = len(head) // max(head.count(b"\n"), 1)
        each = max(2 * length, LINES * length)
        if size < max(least_values * BYTES_A_VALUE, 4 * parts * each) or parts * each > MOST_BYTES:
            return None
        if detected_encoding(head)[0].lower().startswith(("utf-16", "utf-32")):
            return None
        blocks = [(0, head[: head.rfind(b"\n") + 1])]
        for place in fresh_places(size, each, parts)[1:].tolist():
            raw.seek(place)
            at, data = raw.tell(), raw.read(each)
            first, last = data.find(b"\n") + 1, data.rfind(b"\n") + 1
            if _has_open_quote(data[first:last]):
                return None
            if at >= HEAD_BYTES and first < last:
                blocks.append((at + first, data[first:last]))
            progress(0.0, "looking")
    return _table_of(blocks, choices, path, halvings)


def _has_open_quote(data: bytes) -> bool:
    """Whether a quoted cell goes over the end of a line, so that lines are no rows."""
    return b'"' in data and any(line.count(b'"') % 2 for line in data.split(b"\n"))


def _table_of(
    blocks: list[tuple[int, bytes]], choices: ImportChoices, path: Path, halvings: int
) -> Gathered | None:
    counts = np.array([data.count(b"\n") for _, data in blocks])
    # The first stamps of a recording are shorter than most: its beginning is not asked.
    length = sum(len(data) for _, data in blocks[1:]) / max(int(counts[1:].sum()), 1)
    if not length:
        return None
    with tempfile.TemporaryDirectory(prefix="tracescope-") as own:
        short = Path(own) / path.name
        short.write_bytes(b"".join(data for _, data in blocks))
        tables = split_by_type(read_table(short, choices), choices.row_type)
    table = tables[0][1]
    above = int(counts.sum()) - table.rows  # header and preamble
    if len(tables) != 1 or above < 0:
        return None
    starts = np.array([at for at, _ in blocks]) / length
    lines = np.concatenate(
        [round(start) + np.arange(n) for start, n in zip(starts.tolist(), counts, strict=True)]
    )
    rows = lines[above:] - above
    return Gathered(table, rows, round(path.stat().st_size / length) - above, halvings)
