"""Recordings of messages (MCAP, ROS bags): a table a topic, each on its own receive times."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.assemble import placed
from tracescope.readers.base import ImportChoices
from tracescope.readers.json_columns import Leaf, columns_of_rows
from tracescope.readers.notes import noticed, warned
from tracescope.readers.parts import Part, for_part, merged
from tracescope.readers.table import Column, Table

LOG_TIME = "log_time"
_MOST_LEAVES = 2048
_MOST_BYTES = 256
_DEEPEST = 24


@dataclass(slots=True)
class Topic:
    """What was received on one topic: receive times in integer nanoseconds, and a row of leaves a message."""

    name: str
    log_ns: list[int] = field(default_factory=list)
    rows: list[dict[str, Leaf]] = field(default_factory=list)
    large: set[str] = field(default_factory=set)
    broken: int = 0

    def add(self, log_ns: int, message: Any) -> None:
        """Take a decoded message."""
        row: dict[str, Leaf] = {}
        _leaves(message, "", row, self.large, 0)
        self.log_ns.append(log_ns)
        self.rows.append(row)


def _leaves(value: Any, path: str, out: dict[str, Leaf], large: set[str], depth: int) -> None:
    """Collect path → leaf; a time of two integers becomes one of nanoseconds; large arrays are named only."""
    stamp = _stamp(value)
    if stamp is not None:
        out[path] = stamp
    elif depth > _DEEPEST or len(out) > _MOST_LEAVES:
        large.add(path)
    elif isinstance(value, np.ndarray):
        _array(value, path, out, large)
    elif isinstance(value, list | tuple):
        _sequence(value, path, out, large, depth)
    elif (named := _fields(value)) is not None:
        for name, inner in named:
            _leaves(inner, f"{path}.{name}" if path else name, out, large, depth + 1)
    elif isinstance(value, bool | int | float | str):
        out[path] = value


def _fields(value: Any) -> list[tuple[str, Any]] | None:
    """Return (name, value) of a message or mapping, ``None`` where it is neither."""
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value) if not f.name.startswith("__")]
        return [(name, getattr(value, name)) for name in names]
    return (
        [(str(key), inner) for key, inner in value.items()] if isinstance(value, Mapping) else None
    )


def _array(value: np.ndarray[Any, Any], path: str, out: dict[str, Leaf], large: set[str]) -> None:
    most = _MOST_BYTES if value.dtype.itemsize == 1 else _MOST_LEAVES
    if value.size > most:
        large.add(path)
    else:
        out.update((f"{path}[{i}]", leaf) for i, leaf in enumerate(value.ravel().tolist()))


def _sequence(
    value: Sequence[Any], path: str, out: dict[str, Leaf], large: set[str], depth: int
) -> None:
    if len(value) > _MOST_LEAVES:
        large.add(path)
        return
    for i, inner in enumerate(value):
        _leaves(inner, f"{path}[{i}]", out, large, depth + 1)


def _stamp(value: Any) -> int | None:
    """Return nanoseconds of a ROS time or duration, ``None`` where it is none."""
    named = dict(_fields(value) or ())
    if len(named) != 2:
        return None
    sec = named.get("sec", named.get("secs"))
    part = named.get("nanosec", named.get("nsec", named.get("nsecs")))
    return sec * 10**9 + part if isinstance(sec, int) and isinstance(part, int) else None


def message_trace(
    source: str, topics: Iterable[Topic], choices: ImportChoices, notes: list[HealthNote]
) -> Trace:
    """Merge topics to one trace; channels are called ``/topic/field[0]``.

    Raises:
        TraceReadError: where no topic holds numbers.
    """
    parts: list[Part] = []
    metadata: list[tuple[str, str]] = []
    for topic in topics:
        table = _table(topic, source, notes, metadata)
        if table is not None:
            parts.append(
                Part(topic.name, topic.name, placed(table, _for_topic(choices, topic.name, table)))
            )
    if not parts:
        todo = "it may hold only pictures, or types whose definitions are missing"
        raise TraceReadError(
            [
                Problem("no topic holds numbers", source, todo=todo),
                *(Problem(n.what, source) for n in notes),
            ]
        )
    trace = merged(source, parts, choices, notes, [])
    return replace(trace, metadata=(*trace.metadata, *metadata))


def _for_topic(choices: ImportChoices, topic: str, table: Table) -> ImportChoices:
    """Use the chosen clock where a topic has it (``header.stamp``), else its receive times."""
    plain = for_part(choices)
    wanted = (choices.time_column or "").removeprefix(f"{topic}/")
    have = {column.name for column in table.columns}
    return replace(
        plain,
        time_column=wanted if wanted in have else None,
        time_unit="ns" if wanted in have else None,
        step_column=choices.step_column if choices.step_column in have else None,
    )


def _table(
    topic: Topic, source: str, notes: list[HealthNote], metadata: list[tuple[str, str]]
) -> Table | None:
    """Return the table of a topic, ``None`` where it holds no numbers; texts that never change are metadata."""
    if topic.broken:
        what = f"{topic.broken} messages of {topic.name} cannot be decoded"
        notes.append(warned("broken-messages", what, topic.name, topic.broken, "left out"))
    if topic.large:
        what = f"{topic.name}: {', '.join(sorted(topic.large)[:4])} are too large to be signals"
        notes.append(noticed("dataset-left-out", what, topic.name, len(topic.large), "left out"))
    columns = []
    for column in columns_of_rows(topic.rows, notes) if topic.rows else []:
        if len(column.labels) == 1 and column.empty is None:
            metadata.append((f"{topic.name}/{column.name}", column.labels[0]))
        else:
            columns.append(column)
    if all(column.labels for column in columns):
        return None
    stamps = Column(LOG_TIME, np.array(topic.log_ns, dtype=np.int64), unit="ns", is_clock=True)
    return Table([stamps, *columns], len(topic.rows), source_name=source)
