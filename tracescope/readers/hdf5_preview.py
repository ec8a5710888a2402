"""Some rows of a long HDF5 recording: blocks all over it, ever more of them while there is time."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.progress import Progress, silent
from tracescope.readers.gathered import Gathered, fresh_places
from tracescope.readers.hdf5_columns import MOST_ELEMENTS, walk
from tracescope.readers.hdf5_groups import common_rows, group_table
from tracescope.readers.hdf5_tools import elsewhere, open_hdf5

BLOCK = 64
"""Consecutive rows read in one place: enough to see a rate and a step."""

FIRST_HALVINGS, LAST_HALVINGS = 5, 9
"""Between 32 and 512 places: the recording is halved so often."""

MOST_UNPACKED = 64 * 2**20
"""Bytes that the first places may have to unpack: a chunk is unpacked whole."""

GIVE_UP_S = 0.6
"""Where the fewest places take longer (a disk that has to move its head to each), there is no preview."""

_SPARSE = 4
"""Each block has a part of the recording to itself that is so many times as long, or longer."""


def gathered_table(
    path: Path,
    progress: Progress = silent,
    least_values: int = 0,
    budget_s: float = 0.1,
    most_halvings: int = LAST_HALVINGS,
) -> Gathered | None:
    """Read blocks of the rows of all datasets; ``None`` where the file has fewer values, or takes too long.

    Raises:
        TraceReadError: where the file is damaged.
        Cancelled: from ``progress``.
    """
    with open_hdf5(path) as file, path.open("rb", buffering=0) as raw:
        found = [(name, dataset) for name, dataset in walk(file) if dataset.shape is not None]
        rows = common_rows(found)
        if not rows or rows < _SPARSE * BLOCK << FIRST_HALVINGS:
            return None
        long = [(name, d) for name, d in found if _is_series(d, rows)]
        values = sum(int(d.size) for _, d in long)
        if not long or values < least_values or _first_cost(d for _, d in long) > MOST_UNPACKED:
            return None
        gather = _Gather([_blocks_of(dataset, raw) for _, dataset in long], rows)
        if not gather.read(progress, budget_s, most_halvings):
            return None
        partly = {id(d): _Part(d, value) for (_, d), value in zip(long, gather.joined, strict=True)}

        def view(datasets: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
            del datasets
            short = [(name, d) for name, d in found if d.shape == ()]
            return [(name, partly[id(d)]) for name, d in long] + short

        numbers = gather.rows_read
        table = group_table(file, str(path), rows=numbers.size, view=view)
        return Gathered(table, numbers, rows, gather.halvings)


def _is_series(dataset: Any, rows: int) -> bool:
    """Whether a dataset holds numbers for each row, in this very file."""
    shape = dataset.shape
    if not shape or shape[0] not in {rows, rows + 1} or len(shape) > 2:
        return False
    if dataset.dtype.kind not in "biuf" or int(np.prod(shape[1:])) > MOST_ELEMENTS:
        return False
    return not elsewhere(dataset)


def _first_cost(datasets: Iterable[Any]) -> float:
    """Return how many bytes the first places unpack, at most."""
    places, cost = 1 << FIRST_HALVINGS, 0.0
    for dataset in datasets:
        whole = float(dataset.size) * dataset.dtype.itemsize
        if dataset.chunks:
            chunk = float(np.prod(dataset.chunks)) * dataset.dtype.itemsize
            cost += min(places * chunk, whole)
    return cost


class _Part:
    """A dataset of which only some rows are there; in everything else it is the dataset itself."""

    chunks = None

    def __init__(self, dataset: Any, values: NDArray[Any]) -> None:
        self._dataset = dataset
        self._values = values
        self.shape = values.shape
        self.size = values.size

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    def __getitem__(self, key: Any) -> Any:
        return self._values[key]


ReadBlocks = Callable[[NDArray[np.int64]], NDArray[Any]]
"""From first rows, shape ``(k,)``, to as many blocks, shape ``(k, BLOCK, …)``."""


@dataclass(slots=True)
class _Gather:
    """Blocks of several datasets: their first rows, and one array a dataset, for each round of reading."""

    readers: list[ReadBlocks]
    rows: int
    starts: list[NDArray[np.int64]] = field(default_factory=list)
    rounds: list[list[NDArray[Any]]] = field(default_factory=list)

    def read(self, progress: Progress, budget_s: float, most_halvings: int) -> bool:
        """Read the fewest places, then halve the parts they stand in while there is time.

        Returns:
            Whether the fewest could be read in time.
        """
        began_s = time.monotonic()
        for halvings in range(FIRST_HALVINGS, most_halvings + 1):
            parts, first = 1 << halvings, not self.starts
            spent_s = time.monotonic() - began_s
            if not first and (2 * spent_s > budget_s or self.rows < _SPARSE * BLOCK * parts):
                break
            taken = None if first else np.concatenate(self.starts)
            starts = fresh_places(self.rows, BLOCK, parts, taken)
            blocks: list[NDArray[Any]] = []
            for read in self.readers:
                blocks.append(read(starts))
                if first and time.monotonic() - began_s > GIVE_UP_S:
                    return False
                progress(0.0, "looking")
            self.rounds.append(blocks)
            self.starts.append(starts)
        return True

    @property
    def halvings(self) -> int:
        """How often the recording was halved."""
        return FIRST_HALVINGS + len(self.starts) - 1

    @property
    def joined(self) -> list[NDArray[Any]]:
        """What was read, one array a dataset, in order of rows."""
        order = np.argsort(np.concatenate(self.starts))
        whole = (np.concatenate(parts)[order] for parts in zip(*self.rounds, strict=True))
        return [blocks.reshape(-1, *blocks.shape[2:]) for blocks in whole]

    @property
    def rows_read(self) -> NDArray[np.int64]:
        """The numbers of the rows read."""
        starts = np.sort(np.concatenate(self.starts))
        return np.asarray((starts[:, None] + np.arange(BLOCK)).ravel())


def _read_into(raw: io.FileIO, at: int, room: memoryview) -> int:
    """Read into memory from a place of a file, in one call where the system has it; return the bytes read."""
    if hasattr(os, "preadv"):
        return os.preadv(raw.fileno(), (room,), at)
    raw.seek(at)
    return raw.readinto(room) or 0


def _blocks_of(dataset: Any, raw: io.FileIO) -> ReadBlocks:
    """Return what reads blocks of a dataset: around the library where the values lie in one piece.

    The library takes ten times as long over a few hundred bytes. A first block is read both ways; where
    they differ the library is right.
    """
    kind, each = dataset.dtype, dataset.shape[1:]

    def through(starts: NDArray[np.int64]) -> NDArray[Any]:
        return np.stack([dataset[start : start + BLOCK] for start in starts.tolist()])

    offset = dataset.id.get_offset()
    row = kind.itemsize * int(np.prod(each))
    if dataset.chunks or offset is None or dataset.id.get_storage_size() != row * dataset.shape[0]:
        return through

    def around(starts: NDArray[np.int64]) -> NDArray[Any]:
        out = np.empty((starts.size, BLOCK, *each), kind)
        room = out.reshape(-1).view(np.uint8).data
        size = BLOCK * row
        for place, at in enumerate((offset + row * starts).tolist()):
            if _read_into(raw, at, room[place * size : (place + 1) * size]) != size:
                raise OSError("the file ends before its rows do")
        return out

    first = np.zeros(1, np.int64)
    same = np.array_equal(through(first), around(first), equal_nan=kind.kind == "f")
    return around if same else through
