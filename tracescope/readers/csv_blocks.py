"""All blocks of a text table, parsed: read by one thread, parsed by others, taken in the order of the file."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tracescope.model.progress import Progress
from tracescope.readers.csv_dialect import Dialect
from tracescope.readers.csv_lane import Lanes
from tracescope.readers.csv_notes import Lines
from tracescope.readers.csv_pieces import Field, Pieces
from tracescope.readers.csv_quick import quick_pieces
from tracescope.readers.csv_slow import slow_pieces
from tracescope.readers.csv_store import Store
from tracescope.readers.csv_text import (
    Buffer,
    Rooms,
    TextBlock,
    TextSample,
    counted,
    plain_ends,
    text_blocks,
)

_WORKERS = 2
_SPARE = 1.02
"""Rows are expected to be as long as those of the first block; so much more room is asked for."""


def read_blocks(
    path: Path,
    sample: TextSample,
    dialect: Dialect,
    fields: Sequence[Field],
    progress: Progress,
) -> tuple[list[Pieces], Lines, int]:
    """Read all blocks, two at a time: the C reader works without holding the interpreter.

    Returns:
        The blocks that hold rows, where rows stand in the file, and the number of NUL bytes taken out.
    """
    lanes = Lanes(fields, dialect)
    taken = _Taken(sample.size, progress)
    with ThreadPoolExecutor(_WORKERS) as pool:
        waiting: deque[tuple[Future[Pieces], TextBlock]] = deque()
        try:
            for block, data in _data_blocks(path, sample, dialect, taken):
                todo = partial(_pieces, data, fields, dialect, lanes, last=block.last)
                if block.done >= sample.size and not waiting:
                    taken.take(todo(), block)  # a small file is not worth a thread
                    continue
                waiting.append((pool.submit(todo), block))
                if len(waiting) > _WORKERS:
                    taken.take_first(waiting)
            while waiting:
                taken.take_first(waiting)
        finally:
            for future, _ in waiting:
                future.cancel()
            lanes.close()
    return taken.blocks, taken.lines, taken.nul_bytes


@dataclass(slots=True)
class _Taken:
    """What was parsed so far, in the order of the file."""

    size: int
    progress: Progress
    blocks: list[Pieces] = field(default_factory=list)
    lines: Lines = field(default_factory=Lines)
    rooms: Rooms = field(default_factory=Rooms)
    rows: int = 0
    line: int = 1
    nul_bytes: int = 0
    store: Store | None = None

    def take_first(self, waiting: deque[tuple[Future[Pieces], TextBlock]]) -> None:
        """Wait for the first of the blocks being parsed."""
        future, block = waiting.popleft()
        self.take(future.result(), block)

    def take(self, pieces: Pieces, block: TextBlock) -> None:
        """Take the next block."""
        self.rooms.give(block.room)
        if pieces.columns:
            self._lay(pieces, block)
            pieces.move(self.line - 1)
            self.lines.add(self.rows, pieces.lines)
            self.rows += pieces.rows
            self.blocks.append(pieces)
        self.line += pieces.ends
        self.progress(min(block.done / max(self.size, 1), 1.0), "reading")

    def _lay(self, pieces: Pieces, block: TextBlock) -> None:
        if self.store is None and not self.blocks and not block.last and pieces.rows:
            rows = pieces.rows * self.size / max(len(block.data), 1)
            self.store = Store(pieces.columns, int(_SPARE * rows) + 1000)
        if self.store is not None:
            pieces.columns = self.store.laid(pieces.columns, pieces.rows)


def _data_blocks(
    path: Path, sample: TextSample, dialect: Dialect, taken: _Taken
) -> Iterator[tuple[TextBlock, _Data]]:
    """Yield blocks and what of each is data: all lines behind the header."""
    skip = dialect.header.data_line - 1
    for block in text_blocks(path, sample.encoding, rooms=taken.rooms):
        taken.nul_bytes += block.nul_bytes
        if not skip:
            yield block, _Data(block.data, 1, block.is_mended)
            continue
        data, dropped = _without_lines(block.lines(), skip)
        skip -= dropped
        yield block, _Data(data, 1 + dropped, is_mended=True)


@dataclass(frozen=True, slots=True)
class _Data:
    """Lines of data; the first of them is line ``first_line`` of its block."""

    lines: Buffer
    first_line: int
    is_mended: bool


def _pieces(
    data: _Data, fields: Sequence[Field], dialect: Dialect, lanes: Lanes, *, last: bool
) -> Pieces:
    """Parse a block, quickly where it is regular; a last line without end may be cut off.

    Lines are counted from 1 in each block.
    """
    if _is_hollow(data.lines):
        ends = data.first_line - 1 + counted(data.lines, b"\n")
        return Pieces(0, [], range(0), ends=ends)
    found = lanes.pieces(data.lines, data.first_line)
    if found is not None:
        return found
    text = bytes(data.lines) if data.is_mended else plain_ends(bytes(data.lines))
    line = data.first_line
    odd = (last and not text.endswith(b"\n")) or _has_header(text, dialect)
    quick = None if odd else quick_pieces(text, fields, dialect, line)
    found = quick or slow_pieces(text, fields, dialect, line, last=last)
    found.ends = line - 1 + counted(text, b"\n")
    return found


def _has_header(text: bytes, dialect: Dialect) -> bool:
    """Whether the header may stand among the data again; the careful way tells."""
    names = dialect.header.names
    return len(names) > 1 and dialect.delimiter.join(names).encode("utf-8", "replace") in text


def _is_hollow(lines: Buffer) -> bool:
    """Whether there is no data at all."""
    return not bytes(lines[:64]).strip(b"\r\n") and not bytes(lines).strip(b"\r\n")


def _without_lines(data: bytes, count: int) -> tuple[bytes, int]:
    """Drop up to ``count`` first lines; return the rest and how many were dropped."""
    at = 0
    for dropped in range(count):
        end = data.find(b"\n", at)
        if end < 0:
            return b"", dropped + bool(data[at:])
        at = end + 1
    return data[at:], count
