"""Any HDF5 file: every dataset of the common number of rows is a signal, named as the file names it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import FrameStack, HealthNote, Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_columns import dataset_columns, frame_stack, walk
from tracescope.readers.hdf5_tools import attributes, is_hdf5, open_hdf5, text_of
from tracescope.readers.names import unique_names
from tracescope.readers.rates import rate_in
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


def group_table(group: Any, source: str, progress: Progress = silent) -> Table:
    """Read all datasets below a group as one table (for files open already)."""
    notes: list[HealthNote] = []
    found = walk(group)
    metadata = list(attributes(group))
    rows = _common_rows(found)
    if rows is None:
        what = f"{len(found)} datasets, none with rows" if found else "no datasets"
        raise TraceReadError(
            Problem(
                "the file holds no series",
                source,
                what,
                "the recording may have stopped before its first row",
            )
        )
    columns = []
    frames: list[FrameStack] = []
    for at, (path, dataset) in enumerate(found):
        progress(at / len(found), f"reading {path}")
        shape = dataset.shape
        if shape == ():
            metadata.append((path, _scalar(dataset)))
        elif shape is not None and shape[0] not in {rows, rows + 1}:
            key = "zero-length" if shape[0] == 0 else "other-length"
            notes.append(
                HealthNote(
                    f"{path} has {shape[0]} rows where the others have {rows}",
                    path,
                    1,
                    "left out",
                    "warning",
                    key,
                )
            )
        elif (stack := frame_stack(path, source, dataset)) is not None:
            frames.append(stack)
        else:
            columns += dataset_columns(path, dataset, notes)
    names, renamed = unique_names([c.name for c in columns], source)
    for column, name in zip(columns, names, strict=True):
        column.name = name
    most = max((c.value.size for c in columns), default=rows)
    rate = rate_in(metadata)
    return Table(
        columns,
        most,
        [*notes, *renamed],
        tuple(metadata),
        rate[0] if rate else None,
        f"its attribute {rate[1]}" if rate else "",
        tuple(frames),
        source_name=source,
    )


def _common_rows(found: list[tuple[str, Any]]) -> int | None:
    """Return the number of rows most datasets have (of n and n + 1, the smaller)."""
    lengths: Counter[int] = Counter(
        d.shape[0] for _, d in found if d.shape not in {None, ()} and d.shape[0] > 0
    )
    if not lengths:
        return None
    best = max(lengths, key=lambda n: (lengths[n], n))
    return best - 1 if lengths.get(best - 1) else best


def _scalar(dataset: Any) -> str:
    try:
        return text_of(dataset[()])[:2000]
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        return f"(cannot be read: {error})"


READER = Reader("hdf5", "HDF5, datasets by name", claims, episodes, read, read_many)
