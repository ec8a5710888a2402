"""Any HDF5 file: every dataset of the common number of rows is a signal, named as the file names it."""

from __future__ import annotations

from pathlib import Path

from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_groups import group_table
from tracescope.readers.hdf5_tools import is_hdf5, open_hdf5
from tracescope.readers.table import Table


def claims(head: FileHead) -> Claim | None:
    """Claim every HDF5 file, weakly: a layout's own reader knows more."""
    return Claim(0.3, "it is HDF5 with datasets of no known layout") if is_hdf5(head) else None


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes: runs between restarts of clock or counter."""
    return episode_infos(placed(read_table(path), choices))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode."""
    return trace_of(placed(read_table(path, progress), choices), choices, episode)


def read_many(
    path: Path, keys: tuple[str, ...], choices: ImportChoices, progress: Progress = silent
) -> tuple[Trace, ...]:
    """Read several episodes in one pass over the file."""
    where = placed(read_table(path, progress), choices)
    return tuple(trace_of(where, choices, key or None) for key in keys)


def read_table(path: Path, progress: Progress = silent) -> Table:
    """Read all datasets of a file as one table.

    Raises:
        TraceReadError: where no dataset has rows, or the file is damaged.
    """
    with open_hdf5(path) as file:
        return group_table(file, str(path), progress)


READER = Reader("hdf5", "HDF5, datasets by name", claims, episodes, read, read_many)
