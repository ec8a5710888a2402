"""HDF5 layouts that keep each episode in a group of its own: one way to list, pick and read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Role, Trace
from tracescope.readers.assemble import Placed, pick_episode, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.files import file_head
from tracescope.readers.hdf5_outline import Outline, outline
from tracescope.readers.hdf5_tools import links, open_hdf5, own_node, text_of
from tracescope.readers.notes import noticed, warned
from tracescope.readers.table import Column, Table

BEFORE = "observation before the action"
AFTER = "observation after the action"


@dataclass(frozen=True, slots=True)
class EpisodeGroup:
    """An episode of a file: ``key`` is the path of its group (``""``: the file itself)."""

    key: str
    steps: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """What one layout knows.

    Attributes:
        name, title: As in :class:`~tracescope.readers.base.Reader`.
        recognise: From the outline of a file to a claim, or ``None``.
        groups: From an open file to its episodes, in natural order.
        table: ``(open file, episode, source, progress) -> Table``.
    """

    name: str
    title: str
    recognise: Callable[[Outline], Claim | None]
    groups: Callable[[Any], list[EpisodeGroup]]
    table: Callable[[Any, EpisodeGroup, str, Progress], Table]


def layout_reader(layout: Layout) -> Reader:
    """Return the reader of a layout."""

    def claims(head: FileHead) -> Claim | None:
        seen = outline(head)
        return None if seen is None else layout.recognise(seen)

    def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
        del choices
        with open_hdf5(path) as file:
            return tuple(EpisodeInfo(g.key, g.steps, g.note) for g in _groups(layout, file, path))

    def read(
        path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
    ) -> Trace:
        with open_hdf5(path) as file:
            groups = _groups(layout, file, path)
            return _read(layout, file, path, _picked(groups, episode, path), choices, progress)

    def read_many(
        path: Path, keys: tuple[str, ...], choices: ImportChoices, progress: Progress = silent
    ) -> tuple[Trace, ...]:
        with open_hdf5(path) as file:
            groups = _groups(layout, file, path)
            wanted = [_picked(groups, key, path) for key in keys]
            return _read_those(
                lambda one: _read(layout, file, path, one, choices, silent), wanted, progress
            )

    return Reader(layout.name, layout.title, claims, episodes, read, read_many)


def _read_those(
    read: Callable[[_Picked], Trace],
    wanted: Sequence[_Picked],
    progress: Progress,
) -> tuple[Trace, ...]:
    """Read episodes; one that cannot be read costs only itself, unless all fail."""
    traces: list[Trace] = []
    errors: list[TraceReadError] = []
    for place, one in enumerate(wanted):
        try:
            traces.append(read(one))
        except TraceReadError as error:
            errors.append(error)
        progress((place + 1) / len(wanted), "reading episodes")
    if errors and not traces:
        raise errors[0]
    lost = [warned("episode-left-out", str(e.problems[0]), "", 1, "left out") for e in errors]
    return tuple(t.with_health(lost) for t in traces) if lost else tuple(traces)


def _groups(layout: Layout, file: Any, path: Path) -> list[EpisodeGroup]:
    groups = layout.groups(file)
    if not groups:
        todo = "the recorder wrote its header and no episode: record again"
        what = "the file holds no episodes"
        raise TraceReadError(Problem(what, str(path), f"layout {layout.title}", todo))
    return groups


@dataclass(frozen=True, slots=True)
class _Picked:
    """An episode that is to be read: of how many it is the first by default, and which run of its clock."""

    group: EpisodeGroup
    of: int = 0
    run: str | None = None


def _picked(groups: list[EpisodeGroup], episode: str | None, path: Path) -> _Picked:
    """Return the episode that was asked for, else the first with rows.

    Where a clock restarts inside an episode, ``data/demo_3.1`` names the run after the first restart.
    """
    if not episode:
        return _Picked(next((g for g in groups if g.steps), groups[0]), len(groups))
    keys = [group.key for group in groups]
    before, _, run = episode.rpartition(".")
    known = before.rsplit("/", 1)[-1] in {key.rsplit("/", 1)[-1] for key in keys}
    if episode not in keys and known and run.isdecimal():
        key = pick_episode(keys, before, str(path))
        return _Picked(next(g for g in groups if g.key == key), run=run)
    key = pick_episode(keys, episode, str(path))
    return _Picked(next(g for g in groups if g.key == key))


def _read(
    layout: Layout,
    file: Any,
    path: Path,
    picked: _Picked,
    choices: ImportChoices,
    progress: Progress,
) -> Trace:
    group = picked.group
    if not group.steps:
        where = f"{path}::{group.key}" if group.key else str(path)
        todo = "choose another episode; the recorder stopped before its first step"
        raise TraceReadError(Problem("the episode has no rows", where, group.note, todo))
    table = layout.table(file, group, str(path), progress)
    trace = _run_of(placed(table, choices), picked, choices)
    if picked.of > 1:
        what = f"the file holds {picked.of} episodes; this is {group.key!r}"
        note = noticed("several-episodes", what, "", picked.of, "the first was taken")
        trace = trace.with_health([note])
    return trace


def _run_of(on_clock: Placed, picked: _Picked, choices: ImportChoices) -> Trace:
    """Return the trace of an episode; of one whose clock restarts, that of the run asked for."""
    runs, key = [key for key, _ in on_clock.episodes], picked.group.key
    trace = trace_of(on_clock, choices, picked.run or runs[0] or None)
    if len(runs) < 2:
        return replace(trace, source=replace(trace.source, episode=key or None))
    others = tuple(note for note in trace.health if note.key != "several-episodes")
    run = trace.source.episode
    named, following = f"{key}.{run}".lstrip("."), f"{key}.{runs[1]}".lstrip(".")
    what = f"the clock restarts inside the episode: {len(runs)} runs; this is {named}"
    done = "" if picked.run else f"the first was taken; {following} names the next"
    note = warned("clock-restarts", what, key, len(runs), done)
    source = replace(trace.source, episode=named)
    return replace(trace, source=source, health=(*others, note))


def in_folder(
    reader: Reader,
    locate: Callable[[Path], Path | None],
    beside: Callable[[Path], tuple[tuple[str, str], ...]],
) -> Reader:
    """Return a reader of folders that hold a file of a layout and describe it in files beside it.

    Args:
        reader: Reads the file.
        locate: From a folder to its file, or ``None``.
        beside: From the file to metadata that stand beside it; read only because the folder was given.
    """

    def file_in(folder: Path) -> Path:
        file = locate(folder)
        if file is None:
            raise TraceReadError(Problem("the folder's data file is gone", str(folder)))
        return file

    def claims(head: FileHead) -> Claim | None:
        file = locate(head.path) if head.path.is_dir() else None
        claim = None if file is None else reader.claims(file_head(file))
        return (
            None
            if claim is None or file is None
            else replace(claim, because=f"{file.name}: {claim.because}")
        )

    def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
        return reader.episodes(file_in(path), choices)

    def read(
        path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
    ) -> Trace:
        file = file_in(path)
        trace = reader.read(file, episode, choices, progress)
        return replace(trace, metadata=(*trace.metadata, *beside(file)))

    return Reader(reader.name, f"{reader.title}, folder", claims, episodes, read)


MOST_JSON = 64 * 1024 * 1024


def json_file(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; ``{}`` where there is none or it is no object."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_JSON:
            return {}
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def children(group: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, node) of a group's own members in natural order; links elsewhere are skipped."""
    for name, key in links(group):
        node = own_node(group, name) if name == key else None
        if node is not None:
            yield name, node


def rows_in(group: Any, *names: str) -> int:
    """Return the number of rows of the first of these datasets that a group has; 0 where it has none."""
    for name in names:
        node = own_node(group, name)
        shape = getattr(node, "shape", None)
        if shape:
            return int(shape[0])
    return 0


def attribute(node: Any, key: str) -> str:
    """Return an attribute as text, whole; ``""`` where there is none or it cannot be read."""
    try:
        return text_of(node.attrs[key]) if key in node.attrs else ""
    except (OSError, TypeError, ValueError, RuntimeError):
        return ""


def json_attribute(node: Any, key: str) -> dict[str, Any]:
    """Return an attribute that holds a JSON object; ``{}`` where it does not."""
    try:
        value = json.loads(attribute(node, key))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def phased(table: Table, phase: str, because: str) -> None:
    """Say which observation a row pairs with its action."""
    table.metadata = (("phase", phase), *table.metadata)
    table.health.append(noticed("phase", f"{phase}: {because}", "", 1))


def extra_rows(table: Table) -> None:
    """Note where observations have one row more than actions: each keeps its own rows."""
    longest = {c.value.size for c in table.columns if c.role is Role.OBSERVATION}
    actions = {c.value.size for c in table.columns if c.role is Role.ACTION}
    if longest and actions and max(longest) == max(actions) + 1:
        what = f"observations have {max(longest)} rows, actions {max(actions)}: the last one was observed only"
        done = "kept; actions are on a clock of their own, one row shorter"
        table.health.append(noticed("extra-observation", what, "", 1, done))


def lone_last_done(
    columns: Sequence[Column], names: tuple[str, ...] = ("dones",)
) -> HealthNote | None:
    """Note a done that is set on the last row alone, as recorders do whatever ended the episode."""
    for column in columns:
        flag = np.asarray(column.value)
        if column.name in names and flag.size > 1 and flag[-1] and not flag[:-1].any():
            what = f"{column.name} is set on the last row alone: recorders do so whatever ended the episode"
            return warned(
                "done-on-last-row", what, column.name, 1, "kept; it may mean no termination"
            )
    return None
