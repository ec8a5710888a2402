"""From a table of columns to a trace: clock, episodes, roles and channels, with every decision said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.trace import (
    Channel,
    FrameStack,
    HealthNote,
    Samples,
    Source,
    Trace,
    read_only,
)
from tracescope.readers.base import EpisodeInfo, ImportChoices
from tracescope.readers.health import (
    is_speck,
    sentinel_notes,
    speck_notes,
    stamp_notes,
    value_notes,
    without_sentinels,
)
from tracescope.readers.names import unknown_column
from tracescope.readers.notes import noticed
from tracescope.readers.roles import roles_for
from tracescope.readers.rowclock import RowClock, row_clock
from tracescope.readers.table import Column, Table
from tracescope.readers.units import unit_given


@dataclass(frozen=True, slots=True)
class Placed:
    """A table whose rows have times: ``episodes`` are row numbers in the order they are shown."""

    table: Table
    clock: RowClock
    episodes: tuple[tuple[str, NDArray[np.int64]], ...]


def placed(table: Table, choices: ImportChoices) -> Placed:
    """Decide the clock of a table and where its episodes begin.

    Raises:
        TraceReadError: where it has no rows or no columns of numbers, or a chosen column does not exist.
    """
    if not table.rows or not table.columns:
        what = "there are no data rows" if table.columns else "there are no columns"
        todo = "the recording may have stopped before its first row; record it again"
        left_out = "; ".join(f"{note.what}: {note.done}" for note in table.health[:3])
        raise TraceReadError(Problem(what, table.source_name, left_out, todo))
    if all(column.labels and column.stamp_ns is None for column in table.columns):
        what = "no column holds numbers"
        raise TraceReadError(Problem(what, table.source_name, "texts only", "this is no trace"))
    clock = row_clock(table, choices)
    return Placed(table, clock, clock.episodes)


def episode_infos(where: Placed) -> tuple[EpisodeInfo, ...]:
    """List the episodes of a table."""
    return tuple(EpisodeInfo(key, int(rows.size)) for key, rows in where.episodes)


def chosen_rows(where: Placed, episode: str | None) -> tuple[str, NDArray[np.int64]]:
    """Return key and rows of an episode, the first where none is named.

    Raises:
        TraceReadError: where there is no such episode.
    """
    if episode is None:
        return where.episodes[0]
    key = pick_episode([key for key, _ in where.episodes], episode, where.table.source_name)
    return next(entry for entry in where.episodes if entry[0] == key)


def pick_episode(keys: Sequence[str], wanted: str, source: str) -> str:
    """Find an episode by its key, by the number its key ends with, or by its place from 0.

    Raises:
        TraceReadError: where nothing fits; lists the closest keys.
    """
    wanted = wanted.strip("/")
    if wanted in keys:
        return wanted
    tails = [key for key in keys if key.rsplit("/", 1)[-1] == wanted]
    if len(tails) == 1:
        return tails[0]
    if wanted.isdecimal() and len(wanted) < 12:
        number = int(wanted)
        named = [key for key in keys if _number(key) == number]
        if len(named) == 1:
            return named[0]
        if number < len(keys):
            return keys[number]
    import difflib

    close = difflib.get_close_matches(wanted, [k for k in keys if k], n=3, cutoff=0.3)
    known = ", ".join(close or list(keys)[:6])
    todo = f"closest: {known}" if known else "it is a single episode: leave the episode's name out"
    raise TraceReadError(Problem(f"there is no episode {wanted!r}", source, todo=todo))


def _number(key: str) -> int | None:
    digits = key[len(key.rstrip("0123456789")) :]
    return int(digits) if digits and len(digits) < 12 else None


def trace_of(where: Placed, choices: ImportChoices, episode: str | None = None) -> Trace:
    """Build the trace of one episode of a table; the registry fills in hash and layout.

    Raises:
        TraceReadError: where there is no such episode, or a role names a column that does not exist.
    """
    key, rows = chosen_rows(where, episode)
    table, clock = where.table, where.clock
    time_s = read_only(clock.times_of(rows))  # one array that all channels share
    columns = [c for i, c in enumerate(table.columns) if i not in clock.used]
    check_given(table.columns, choices, table.source_name)
    channels, channel_notes, finite = _channels(columns, rows, time_s, choices)
    step = None if clock.step is None else clock.step[rows]
    notes = [*table.health, *clock.notes, *channel_notes]
    if len(where.episodes) > 1:
        notes.append(_many_note(where, key, episode))
    trace = Trace(
        source=Source(path=table.source_name, episode=key or None, rows_in_file=table.rows),
        clock=clock.clock,
        time_s=time_s,
        channels=tuple(channels),
        step=step,
        health=tuple(notes),
        metadata=table.metadata,
        frames=tuple(_on_clock(frame, rows, time_s) for frame in table.frames),
    )
    return trace.with_health([*stamp_notes(trace), *value_notes(trace, finite)])


def _on_clock(frame: FrameStack, rows: NDArray[np.int64], time_s: Samples) -> FrameStack:
    kept = np.isin(rows, frame.rows)
    own = rows[kept]
    lengths = frame.lengths
    if lengths is not None:
        lengths = lengths[np.searchsorted(frame.rows, own)]
    return replace(frame, time_s=time_s[kept], rows=own, lengths=lengths)


def _many_note(where: Placed, key: str, asked: str | None) -> HealthNote:
    count = len(where.episodes)
    what = f"the file holds {count} episodes; this is {key!r}"
    done = "" if asked is not None else "the first was taken"
    keys = ", ".join(k for k, _ in where.episodes[:6]) + (", …" if count > 6 else "")
    return noticed("several-episodes", what, keys, count, done)


def check_given(columns: Sequence[Column], choices: ImportChoices, source: str) -> None:
    """Refuse roles for names that the file does not have.

    Raises:
        TraceReadError: with every such name and the closest ones.
    """
    names = [c.name for c in columns]
    known = {*names, *(c.column for c in columns)}
    problems = [
        unknown_column(pattern, names, source, f"role {role}")
        for role, patterns in choices.roles
        for pattern in patterns
        if pattern not in known and not any(mark in pattern for mark in "*?[")
    ]
    if problems:
        raise TraceReadError(problems)


def _channels(
    columns: Sequence[Column],
    rows: NDArray[np.int64],
    time_s: Samples,
    choices: ImportChoices,
) -> tuple[list[Channel], list[HealthNote], frozenset[str]]:
    """Return the channels, what is to be said about them, and the names of those known to be finite."""
    channels: list[Channel] = []
    clocks: dict[bytes, Samples] = {}
    sparse = _is_union(columns)
    own, taken_out, finite, specks = [], [], [], []
    every = _is_every(rows)
    last = int(rows.max(initial=-1))
    for column, (role, because) in zip(columns, roles_for(columns, choices), strict=True):
        kept, taken = _rows_of(column, rows, last, sparse=sparse)
        own += [column.name] if kept is not None else []
        whole = kept is None and every and taken is rows and column.value.size == rows.size
        value = column.value if whole else column.value[taken]
        value, sentinels, is_finite = without_sentinels(np.ascontiguousarray(value))
        if is_speck(value):
            specks.append(column.name)
            value = np.where(np.isfinite(value), value.dtype.type(0), value)
        finite += [column.name] if is_finite else []
        taken_out += [(column.name, sentinels)] if sentinels else []
        channels.append(
            Channel(
                name=column.name,
                role=role,
                time_s=time_s if kept is None else _shared(clocks, kept, time_s),
                value=value,
                unit=unit_given(column, choices),
                column=column.column,
                index=column.index,
                dtype=column.dtype,
                labels=column.labels,
                role_because=because,
            )
        )
    notes = [*sentinel_notes(taken_out), *speck_notes(specks)]
    if own:
        what = f"{len(own)} columns have values only on some rows: each is on a clock of its own"
        where = ", ".join(own[:5]) + (", …" if len(own) > 5 else "")
        notes.append(noticed("own-clocks", what, where, len(own)))
    return channels, notes, frozenset(finite)


def _is_every(rows: NDArray[np.int64]) -> bool:
    """Whether row numbers count up from 0 without a hole: nothing has to be picked."""
    last = rows.size - 1
    return last >= 0 and rows[0] == 0 and rows[-1] == last and bool((np.diff(rows) == 1).all())


UNION_SHARE = 0.2
"""Where more rows than this have an empty cell, the table joins signals of several rates."""


def _is_union(columns: Sequence[Column]) -> bool:
    """Whether empty cells are how the table is made (signals of several rates), not dropped samples."""
    hollow = [c.empty for c in columns if c.empty is not None and not c.empty.all()]
    if not hollow:
        return False
    some = hollow[0].copy()
    for empty in hollow[1:]:
        if empty.size == some.size:
            some |= empty
    return float(some.mean()) > UNION_SHARE


def _rows_of(
    column: Column, rows: NDArray[np.int64], last: int, *, sparse: bool
) -> tuple[NDArray[np.bool_] | None, NDArray[np.int64]]:
    """Return which of the episode's rows a column has (``None``: all), and its own row numbers there.

    ``last`` is the greatest of the row numbers.
    """
    empty = column.empty if sparse else None
    whole = column.first_row == 0 and column.value.size > last
    if whole and (empty is None or empty.all()):
        return None, rows
    own = rows - column.first_row
    kept = (own >= 0) & (own < column.value.size)
    if empty is not None and not empty.all():
        kept[kept] &= ~empty[own[kept]]
    return (None, own) if kept.all() else (kept, own[kept])


def _shared(clocks: dict[bytes, Samples], kept: NDArray[np.bool_], time_s: Samples) -> Samples:
    """Return the times of those rows; columns that have the same rows share one array."""
    key = np.packbits(kept).tobytes()
    if key not in clocks:
        clocks[key] = read_only(time_s[kept])
    return clocks[key]
