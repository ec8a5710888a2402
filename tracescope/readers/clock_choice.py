"""Choosing the clock: a column of stamps that can order the rows, else a rate, else the row number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.trace import Clock, HealthNote, Samples
from tracescope.readers.base import ImportChoices
from tracescope.readers.clock import (
    Stamps,
    clock_candidates,
    is_interval,
    says_time,
    stamps_of,
    unit_in_name,
)
from tracescope.readers.nameless import BECAUSE, rising_column, seconds_and_nanoseconds
from tracescope.readers.names import unknown_column
from tracescope.readers.notes import warned
from tracescope.readers.split_time import joined_time
from tracescope.readers.table import Column, Table


@dataclass(slots=True)
class ChosenClock:
    """A clock for the rows of a table.

    Attributes:
        clock: What the trace says about it.
        time_s: Shape ``(rows,)``; NaN where a row has no stamp.
        used: Numbers of the columns it took.
        notes: Candidates that could not be the clock, and why.
    """

    clock: Clock
    time_s: Samples
    used: tuple[int, ...] = ()
    notes: list[HealthNote] = field(default_factory=list)


def stamped_clock(table: Table, choices: ImportChoices) -> ChosenClock | None:
    """Choose a column of stamps; ``None`` where none can order the rows.

    Raises:
        TraceReadError: where the column that a person named does not exist or holds no stamps.
    """
    columns = table.columns
    given = choices.time_column is not None
    order = [_given(table, choices)] if given else clock_candidates(columns)
    rising = None if given else rising_column(columns)
    if rising is not None:
        order.append(rising)
    joined = None if given else joined_time(columns) or seconds_and_nanoseconds(columns)
    if joined is not None:
        first, second, column = joined
        others = tuple(columns[i].name for i in order if i not in {first, second})
        stamps = stamps_of(column, "ns", "whole seconds and their part stand in two columns")
        return ChosenClock(_clock(column, stamps, others, table), stamps.time_s, (first, second))
    notes: list[HealthNote] = []
    for i in order:
        column = columns[i]
        if not given and (is_interval(column) or not _whole_length(column, table)):
            continue
        stamps = stamps_of(column, choices.time_unit, "the unit was given")
        why_not = _unusable(column, stamps)
        if why_not and not given:
            what = f"{column.name} cannot be the clock: {why_not}"
            notes.append(warned("clock-unusable", what, column.name, 1, "left as a channel"))
            continue
        others = tuple(columns[k].name for k in order if k != i)
        if i == rising:
            stamps = replace(stamps, because=f"{BECAUSE}; {stamps.because}")
        return ChosenClock(_clock(column, stamps, others, table), stamps.time_s, (i,), notes)
    table.health += [*notes, *_texts_for_stamps(columns)]
    return None


def _texts_for_stamps(columns: Sequence[Column]) -> list[HealthNote]:
    """Say of texts that a name calls stamps why they are none."""
    notes = []
    for column in columns:
        if column.labels and column.stamp_ns is None and says_time(column.name):
            start = next(filter(None, column.labels), "")[:40]
            what = (
                f"{column.name} cannot be the clock: its texts ({start!r}) are not read as stamps"
            )
            done = "kept as labels; write seconds as numbers, or choose another column"
            notes.append(warned("clock-unusable", what, column.name, 1, done))
    return notes


def _whole_length(column: Column, table: Table) -> bool:
    return column.first_row == 0 and column.value.size == table.rows


def _given(table: Table, choices: ImportChoices) -> int:
    i = named_column(table, choices.time_column or "", "time column")
    column = table.columns[i]
    if (column.labels and column.stamp_ns is None) or not _whole_length(column, table):
        found = "texts" if column.labels else f"{column.value.size} values for {table.rows} rows"
        problem = Problem(
            f"{column.name!r} cannot be the clock",
            table.source_name,
            found,
            "choose another column",
        )
        raise TraceReadError(problem)
    return i


def named_column(table: Table, name: str, asked_by: str) -> int:
    """Return the number of a column that a person named.

    Raises:
        TraceReadError: where there is none; lists the closest names.
    """
    names = [c.name for c in table.columns]
    if name not in names:
        raise TraceReadError(unknown_column(name, names, table.source_name, asked_by))
    return names.index(name)


def _clock(column: Column, stamps: Stamps, others: tuple[str, ...], table: Table) -> Clock:
    return Clock(
        kind="stamped",
        column=column.name,
        unit=stamps.unit,
        origin_ns=stamps.origin_ns,
        is_epoch=stamps.is_epoch,
        rate_hz=table.rate_hz,
        others=others,
        because=stamps.because,
    )


def _unusable(column: Column, stamps: Stamps) -> str:
    """Say why stamps cannot order rows, or ``""``."""
    finite = stamps.time_s[np.isfinite(stamps.time_s)]
    if finite.size < max(1, stamps.time_s.size // 2):
        far = not finite.size and column.value.dtype.kind in "iu"
        few = f"only {finite.size} of {stamps.time_s.size} rows have a stamp"
        return "its stamps lie more than 146 years from zero" if far else few
    if finite.size < 2:
        return ""
    moves = np.diff(finite)
    is_rising = bool((moves > 0).all())
    distinct = finite.size if is_rising else np.unique(finite).size
    if column.value.dtype == np.float32 and stamps.is_epoch:
        return (
            f"dates stored as float32 collapse to {distinct} distinct values for {finite.size} rows"
            " (float32 steps by 128 s there)"
        )
    if _are_days(column, stamps, finite):
        return (
            f"{finite[0]:.10g} and what follows are days, as spreadsheets count them, not seconds"
        )
    if distinct == 1:
        return f"all {finite.size} stamps are equal"
    if distinct < finite.size / 10 and finite.size > 20:
        return f"only {distinct} distinct stamps for {finite.size} rows"
    if not is_rising and (moves > 0).sum() < (moves < 0).sum():
        return "most rows run back in time"
    return ""


_SPREADSHEET_DAYS = (25_569.0, 80_000.0)
"""From 1970 to the next century, counted from 1900."""

_LONGEST_STEP_DAYS = 2e-4
"""17 s. As seconds such steps would be faster than any log of a machine."""


def _are_days(column: Column, stamps: Stamps, finite: Samples) -> bool:
    """Whether stamps of no named unit are a spreadsheet's dates: days with a fraction."""
    low, high = _SPREADSHEET_DAYS
    if stamps.unit != "s" or unit_in_name(column) or not low <= finite[0] < finite[-1] < high:
        return False
    steps = np.diff(finite)
    return 1e-9 < float(np.median(steps[steps > 0])) < _LONGEST_STEP_DAYS


def nominal_clock(table: Table, choices: ImportChoices) -> ChosenClock:
    """Make a clock of a rate (given, or said by the file), of a ``dt`` column, else of row numbers."""
    rows = np.arange(table.rows, dtype=np.float64)
    if choices.rate_hz is not None:
        return _rated(choices.rate_hz, "the rate was given", rows)
    if table.rate_hz is not None:
        because = f"the file has no clock; {table.rate_because or 'its metadata say the rate'}"
        return _rated(table.rate_hz, because, rows)
    for i in clock_candidates(table.columns):
        column = table.columns[i]
        if is_interval(column) and _whole_length(column, table):
            found = _from_interval(column, rows)
            if found is not None:
                return found
    because = "the file has no clock and says no rate: rows are counted, seconds mean nothing"
    note = warned(
        "no-clock", "no clock and no rate", "", 1, "rows are counted; give a rate to get seconds"
    )
    return ChosenClock(Clock("rows", unit="step", because=because), rows, notes=[note])


def _rated(rate_hz: float, because: str, rows: Samples) -> ChosenClock:
    return ChosenClock(Clock("nominal", unit="s", rate_hz=rate_hz, because=because), rows / rate_hz)


def _from_interval(column: Column, rows: Samples) -> ChosenClock | None:
    """Make a clock of a ``dt`` column: a rate where it is constant, else summed."""
    dt = stamps_of(column).time_s
    dt = np.where(np.isfinite(dt) & (dt > 0), dt, 0.0)
    median = float(np.median(dt[dt > 0])) if (dt > 0).any() else 0.0
    if median == 0.0:
        return None
    if np.ptp(dt) <= 1e-9 * median:
        because = (
            f"the file has no stamps; its column {column.name} says a constant {median:g} s a row"
        )
        return _rated(1.0 / median, because, rows)
    clock = Clock("stamped", column.name, "s", because=f"summed intervals of {column.name}")
    return ChosenClock(clock, np.cumsum(dt) - dt[0])
