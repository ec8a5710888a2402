"""A group of an HDF5 file as one table: every dataset of the common number of rows is a signal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import FrameStack, HealthNote, Role
from tracescope.readers.clock import clock_candidates, step_candidates
from tracescope.readers.hdf5_columns import dataset_columns, frame_stack, walk
from tracescope.readers.hdf5_tools import attributes, text_of
from tracescope.readers.names import unique_names
from tracescope.readers.notes import warned
from tracescope.readers.rates import rate_in
from tracescope.readers.table import Column, Table

RoleOf = Callable[[str], "tuple[Role | None, str]"]
"""From the path of a dataset to its role and why; (None, "") leaves it to the name."""


def _by_name(path: str) -> tuple[Role | None, str]:
    del path
    return None, ""


@dataclass(slots=True)
class _Found:
    """What is collected while a group is read."""

    source: str
    rows: int
    role_of: RoleOf
    columns: list[Column] = field(default_factory=list)
    frames: list[FrameStack] = field(default_factory=list)
    metadata: list[tuple[str, str]] = field(default_factory=list)
    notes: list[HealthNote] = field(default_factory=list)


def group_table(
    group: Any,
    source: str,
    progress: Progress = silent,
    role_of: RoleOf = _by_name,
    rows: int | None = None,
    aside: Callable[[str], bool] = lambda _: False,
    *,
    view: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]] = lambda found: found,
) -> Table:
    """Read all datasets below a group as one table (for files open already).

    Args:
        group: Where to look.
        source: Path, for messages.
        progress: Told what is read.
        role_of: What the layout says each dataset is.
        rows: Number of actions where the layout says it; ``None``: what most datasets have.
        aside: Which datasets are no series; they are left out without a word.
        view: How to look at the (path, dataset) pairs, where the layout keeps their axes in another order.

    Raises:
        TraceReadError: where no dataset has rows.
    """
    found = view([(path, dataset) for path, dataset in walk(group) if not aside(path)])
    common = rows if rows is not None else common_rows(found)
    if not common:
        what = f"{len(found)} datasets, none with rows" if found else "no datasets"
        todo = "the recording may have stopped before its first row"
        where = source if group.name == "/" else f"{source}::{group.name.strip('/')}"
        raise TraceReadError(Problem("the file holds no series", where, what, todo))
    into = _Found(source, common, role_of, metadata=list(attributes(group)))
    for at, (path, dataset) in enumerate(found):
        progress(at / len(found), f"reading {path}")
        _take(path, dataset, into)
    names, renamed = unique_names([c.name for c in into.columns], source)
    for column, name in zip(into.columns, names, strict=True):
        column.name = name
    most = max((c.value.size for c in into.columns), default=common)
    rate = rate_in(into.metadata)
    return Table(
        into.columns,
        most,
        [*into.notes, *renamed],
        tuple(into.metadata),
        rate[0] if rate else None,
        f"its attribute {rate[1]}" if rate else "",
        tuple(into.frames),
        source_name=source,
    )


def _take(path: str, dataset: Any, into: _Found) -> None:
    shape = dataset.shape
    if shape == ():
        into.metadata.append((path, scalar_text(dataset)))
    elif shape is not None and shape[0] not in {into.rows, into.rows + 1}:
        key = "zero-length" if shape[0] == 0 else "other-length"
        what = f"{path} has {shape[0]} rows where the others have {into.rows}"
        into.notes.append(warned(key, what, path, 1, "left out"))
    elif (stack := frame_stack(path, into.source, dataset)) is not None:
        into.frames.append(stack)
    else:
        role, because = into.role_of(path)
        columns = dataset_columns(path, dataset, into.notes)
        if role is not None and not (clock_candidates(columns) or step_candidates(columns)):
            for column in columns:
                column.role, column.role_because = role, because
        into.columns += columns


def common_rows(found: list[tuple[str, Any]]) -> int | None:
    """Return the number of rows most datasets have (of n and n + 1, the smaller)."""
    return usual_length([dataset.shape for _, dataset in found])


def usual_length(shapes: Iterable[tuple[int, ...] | None]) -> int | None:
    """Return the first dimension that most shapes have (of n and n + 1, the smaller); 0 does not count."""
    lengths: Counter[int] = Counter(shape[0] for shape in shapes if shape and shape[0] > 0)
    if not lengths:
        return None
    best = max(lengths, key=lambda n: (lengths[n], n))
    return best - 1 if lengths.get(best - 1) else best


def scalar_text(dataset: Any) -> str:
    """Return a scalar dataset as text, cut where it is long."""
    try:
        return text_of(dataset[()])[:2000]
    except (OSError, RuntimeError, TypeError, ValueError) as error:
        return f"(cannot be read: {error})"
