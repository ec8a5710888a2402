"""MATLAB's version 7.3 files: HDF5 with axes reversed, vectors as matrices of one row or column.

Steps are the dimension that most variables have: MATLAB's rows, or its columns where somebody keeps a
signal a row.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_groups import group_table
from tracescope.readers.hdf5_tools import is_hdf5, open_hdf5
from tracescope.readers.notes import noticed
from tracescope.readers.table import Table

_MAGIC = b"MATLAB 7.3 MAT-file"


def claims(head: FileHead) -> Claim | None:
    """Claim HDF5 behind MATLAB's own header."""
    if not head.head.startswith(_MAGIC) or not is_hdf5(head):
        return None
    return Claim(0.8, "its header says MATLAB 7.3")


class _Turned:
    """A dataset as MATLAB shows it: axes reversed (or not, where ``flip`` is off), vectors one-dimensional."""

    def __init__(self, dataset: Any, rows: int) -> None:
        self._dataset = dataset
        shape = tuple(reversed(dataset.shape))
        self._flip = not (len(shape) == 2 and shape[0] != rows and shape[1] == rows)
        shape = shape if self._flip else dataset.shape
        self._shape = _plain(shape)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._dataset, name)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def __getitem__(self, key: Any) -> Any:
        value = self._dataset[()]
        return (value.T if self._flip else value).reshape(self._shape)[key]


def _plain(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a variable without the dimensions MATLAB adds to vectors and scalars."""
    if len(shape) != 2 or 1 not in shape:
        return shape
    return () if shape == (1, 1) else (max(shape),) if 0 not in shape else (0,)


def _usual_rows(shapes: list[tuple[int, ...]]) -> int:
    """Return the length of most vectors, else the first dimension of most matrices."""
    vectors = Counter(max(s) for s in shapes if len(s) == 2 and 1 in s and max(s) > 1)
    first = Counter(s[0] for s in shapes if s and s[0] > 1)
    best = vectors or first
    return max(best, key=lambda n: (best[n], n)) if best else 0


def read_table(path: Path, progress: Progress = silent) -> Table:
    """Read all variables as one table.

    Raises:
        TraceReadError: where no variable has rows, or the file is damaged.
    """
    turned: list[str] = []

    def view(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        shapes = [tuple(reversed(d.shape)) for _, d in found if d.shape]
        rows = _usual_rows(shapes)
        turned.extend(name for name, d in found if d.shape and len(d.shape) == 2)
        return [(name, _Turned(d, rows) if d.shape else d) for name, d in found]

    with open_hdf5(path) as file:
        table = group_table(file, str(path), progress, aside=_internal, view=view)
    what = "MATLAB keeps its axes in reverse order: they are turned back"
    table.health.append(noticed("axes-reversed", what, "", max(len(turned), 1)))
    return table


def _internal(path: str) -> bool:
    return path.startswith(("#refs#", "#subsystem#"))


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes: runs between restarts of clock or counter."""
    return episode_infos(placed(read_table(path), choices))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode."""
    return trace_of(placed(read_table(path, progress), choices), choices, episode)


READER = Reader("matlab", "MATLAB 7.3", claims, episodes, read)
