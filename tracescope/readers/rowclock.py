"""The clock of a table's rows: column or rate, repairs of stamps, step counter, and where episodes begin."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import TraceReadError
from tracescope.model.trace import Clock, HealthNote, Samples
from tracescope.readers.base import ImportChoices
from tracescope.readers.clock import (
    Stamps,
    clock_candidates,
    is_interval,
    stamps_of,
    step_candidates,
)
from tracescope.readers.episodes import Rows, in_order, split_by_column, split_by_resets
from tracescope.readers.names import unknown_column
from tracescope.readers.split_time import joined_time
from tracescope.readers.table import Column, Table


@dataclass(slots=True)
class RowClock:
    """Times of a table's rows.

    Attributes:
        clock: What the trace says about it.
        time_s: Shape ``(rows,)``; NaN for rows left out.
        used: Numbers of the columns that became clock, step counter or episode number.
        step: Step counter, shape ``(rows,)``, or ``None``.
        episodes: (key, row numbers) in order; row numbers are already sorted in time.
        notes: Repairs and doubts.
    """

    clock: Clock
    time_s: Samples
    used: set[int] = field(default_factory=set)
    step: NDArray[np.int64] | None = None
    episodes: tuple[tuple[str, Rows], ...] = ()
    notes: list[HealthNote] = field(default_factory=list)

    def times_of(self, rows: Rows) -> Samples:
        """Return the times of an episode's rows; a nominal clock starts at 0 with each episode."""
        if self.clock.kind == "stamped":
            return self.time_s[rows]
        rate = self.clock.rate_hz if self.clock.kind == "nominal" else 1.0
        return np.arange(rows.size, dtype=np.float64) / (rate or 1.0)


def row_clock(table: Table, choices: ImportChoices) -> RowClock:
    """Decide the clock of a table.

    Raises:
        TraceReadError: where a column that a person named does not exist or holds no numbers.
    """
    rate_only = choices.rate_hz is not None and choices.time_column is None
    found = (None if rate_only else _stamped(table, choices)) or _nominal(table, choices)
    found.step = _step(table, choices, found)
    kept = _kept_rows(table, found)
    runs = split_by_column(table, kept, found.used)
    episodes: list[tuple[str, Rows]] = []
    for key, rows in runs:
        parts = split_by_resets(found.time_s, found.step, rows, found.clock.kind)
        if len(parts) > 1:
            found.notes.append(_reset_note(table, parts))
        names = (
            [key]
            if len(parts) == 1
            else [f"{key}.{i}" if key else str(i) for i in range(len(parts))]
        )
        episodes += zip(names, parts, strict=True)
    if found.clock.kind == "stamped":
        episodes = in_order(table, found.time_s, episodes, choices.order, found.notes)
        found.time_s = _in_rows(found, episodes, choices)
    found.episodes = tuple(episodes)
    found.step = _usable_step(table, found)
    return found


def _in_rows(found: RowClock, episodes: list[tuple[str, Rows]], choices: ImportChoices) -> Samples:
    """With row order asked for, lay rows that run back on a grid of the median interval."""
    if choices.order != "rows":
        return found.time_s
    time_s = found.time_s.copy()
    for _, rows in episodes:
        steps = np.diff(time_s[rows])
        if (steps < 0).any():
            interval = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
            time_s[rows] = time_s[rows[0]] + interval * np.arange(rows.size)
            found.clock = _replaced(
                found.clock,
                "row order was asked for: stamps that ran back gave way"
                " to an even grid of the median interval",
            )
    return time_s


def _replaced(clock: Clock, because: str) -> Clock:
    from dataclasses import replace

    return replace(clock, because=f"{clock.because}; {because}" if clock.because else because)


def _stamped(table: Table, choices: ImportChoices) -> RowClock | None:
    columns = table.columns
    if choices.time_column is not None:
        order = [_named(table, choices.time_column, "time column")]
    else:
        order = clock_candidates(columns)
    notes: list[HealthNote] = []
    joined = None if choices.time_column else joined_time(columns)
    if joined is not None:
        first, second, column = joined
        stamps = stamps_of(column)
        others = tuple(columns[i].name for i in order if i not in (first, second))
        clock = _clock(column, stamps, others, table)
        return RowClock(clock, stamps.time_s, {first, second}, notes=notes)
    for place, i in enumerate(order):
        column = columns[i]
        if column.first_row or column.value.size != table.rows:
            continue
        if is_interval(column) and choices.time_column is None:
            break
        stamps = stamps_of(column, choices.time_unit, "the unit was given")
        why_not = _unusable(column, stamps)
        if why_not and choices.time_column is None:
            notes.append(
                HealthNote(
                    f"{column.name} cannot be the clock: {why_not}",
                    column.name,
                    done="left as a channel",
                    severity="warning",
                    key="clock-unusable",
                )
            )
            continue
        others = tuple(columns[k].name for k in [*order[:place], *order[place + 1 :]])
        return RowClock(_clock(column, stamps, others, table), stamps.time_s, {i}, notes=notes)
    table.health += notes
    return None


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
        return f"only {finite.size} of {stamps.time_s.size} rows have a stamp"
    if finite.size < 2:
        return ""
    distinct = np.unique(finite).size
    if column.value.dtype == np.float32 and stamps.is_epoch:
        return (
            f"dates stored as float32 collapse to {distinct} distinct values"
            f" for {finite.size} rows (float32 steps by 128 s there)"
        )
    if distinct == 1:
        return f"all {finite.size} stamps are equal"
    if distinct < finite.size / 10 and finite.size > 20:
        return f"only {distinct} distinct stamps for {finite.size} rows"
    forward = int((np.diff(finite) > 0).sum())
    if forward < 0.3 * (finite.size - 1) and distinct > 2:
        return "most rows run back in time"
    return ""


def _nominal(table: Table, choices: ImportChoices) -> RowClock:
    rows = np.arange(table.rows, dtype=np.float64)
    if choices.rate_hz is not None:
        return RowClock(
            _rated(choices.rate_hz, "rate", "the rate was given"), rows / choices.rate_hz
        )
    if table.rate_hz is not None:
        because = f"the file has no clock; {table.rate_because or 'its metadata say the rate'}"
        return RowClock(_rated(table.rate_hz, "", because), rows / table.rate_hz)
    for i in clock_candidates(table.columns):
        column = table.columns[i]
        if is_interval(column) and column.value.size == table.rows and column.first_row == 0:
            return _from_interval(column, rows)
    because = "the file has no clock and says no rate: rows are counted, seconds mean nothing"
    note = HealthNote(
        "no clock and no rate",
        done="rows are counted; give a rate to get seconds",
        severity="warning",
        key="no-clock",
    )
    return RowClock(Clock("rows", unit="step", because=because), rows, notes=[note])


def _rated(rate_hz: float, column: str, because: str) -> Clock:
    del column
    return Clock("nominal", unit="s", rate_hz=rate_hz, because=because)


def _from_interval(column: Column, rows: Samples) -> RowClock:
    """Make a clock of a ``dt`` column: a rate where it is constant, else summed."""
    stamps = stamps_of(column)
    dt = np.where(np.isfinite(stamps.time_s) & (stamps.time_s > 0), stamps.time_s, 0.0)
    median = float(np.median(dt[dt > 0])) if (dt > 0).any() else 0.0
    if median == 0.0:
        return RowClock(
            Clock("rows", unit="step", because=f"{column.name} is nowhere positive"), rows
        )
    if np.ptp(dt) <= 1e-9 * median:
        because = (
            f"the file has no stamps; its column {column.name} says a constant {median:g} s a row"
        )
        return RowClock(_rated(1.0 / median, column.name, because), rows * median)
    because = f"summed intervals of {column.name}"
    return RowClock(
        Clock("stamped", column.name, stamps.unit, because=because), np.cumsum(dt) - dt[0]
    )


def _named(table: Table, name: str, asked_by: str) -> int:
    names = [c.name for c in table.columns]
    if name not in names:
        raise TraceReadError(unknown_column(name, names, table.source_name, asked_by))
    return names.index(name)


def _step(table: Table, choices: ImportChoices, found: RowClock) -> NDArray[np.int64] | None:
    """Return the step counter and note its column as used."""
    if choices.step_column is not None:
        order = [_named(table, choices.step_column, "step column")]
    else:
        order = step_candidates(table.columns)
    for i in order:
        column = table.columns[i]
        step = _whole_numbers(column, table.rows)
        if step is not None and i not in found.used and _mostly_up(step):
            found.used.add(i)
            return step
    return None


def _mostly_up(step: NDArray[np.int64]) -> bool:
    steps = np.diff(step)
    return step.size < 2 or int((steps > 0).sum()) >= 0.5 * steps.size


def _whole_numbers(column: Column, rows: int) -> NDArray[np.int64] | None:
    value = column.value
    if column.labels or value.size != rows or column.first_row or value.dtype.kind not in "iuf":
        return None
    if value.dtype.kind == "f":
        if not np.isfinite(value).all() or (value != np.floor(value)).any():
            return None
        if np.abs(value).max(initial=0.0) > 2**53:
            return None
    if value.dtype.kind == "u" and int(value.max(initial=0)) > np.iinfo(np.int64).max:
        return None
    return value.astype(np.int64)


def _kept_rows(table: Table, found: RowClock) -> Rows:
    """Leave out rows without a stamp and leading sentinel stamps; note both."""
    from tracescope.readers.stamps import sentinel_rows

    rows = np.arange(table.rows, dtype=np.int64)
    if found.clock.kind != "stamped":
        return rows
    missing = ~np.isfinite(found.time_s)
    if missing.any():
        found.notes.append(_left_out(table, np.flatnonzero(missing), "no stamp", "missing-stamps"))
    sentinel = sentinel_rows(found.time_s, found.clock.origin_ns) & ~missing
    if sentinel.any():
        found.notes.append(
            _left_out(
                table, np.flatnonzero(sentinel), "a placeholder for a stamp", "sentinel-stamps"
            )
        )
    return rows[~(missing | sentinel)]


def _left_out(table: Table, rows: Rows, what: str, key: str) -> HealthNote:
    return HealthNote(
        f"{rows.size} rows have {what} in the clock column",
        places(table, rows),
        int(rows.size),
        "left out",
        "repaired",
        key,
    )


def places(table: Table, rows: Rows) -> str:
    """Name the first few places of rows."""
    return ", ".join(table.place(int(row)) for row in rows[:5]) + (", …" if rows.size > 5 else "")


def _reset_note(table: Table, parts: list[Rows]) -> HealthNote:
    starts = np.array([part[0] for part in parts[1:]], dtype=np.int64)
    return HealthNote(
        f"clock or step counter restarts {starts.size} times",
        places(table, starts),
        int(starts.size),
        f"split into {len(parts)} episodes",
        "repaired",
        "resets",
    )


def _usable_step(table: Table, found: RowClock) -> NDArray[np.int64] | None:
    """Give the step counter up where it runs back inside an episode."""
    if found.step is None:
        return None
    for _, rows in found.episodes:
        back = np.flatnonzero(np.diff(found.step[rows]) < 0)
        if back.size:
            found.notes.append(
                HealthNote(
                    "the step counter runs back",
                    places(table, rows[back + 1]),
                    int(back.size),
                    "not used as a step counter",
                    "warning",
                    "step-runs-back",
                )
            )
            return None
    return found.step
