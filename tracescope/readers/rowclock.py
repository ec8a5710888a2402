"""The clock of a table's rows: column or rate, repairs of stamps, step counter, and where episodes begin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import Clock, HealthNote, Samples
from tracescope.model.words import counted
from tracescope.readers.base import ImportChoices
from tracescope.readers.clock_choice import ChosenClock, nominal_clock, stamped_clock
from tracescope.readers.clock_notes import clock_notes
from tracescope.readers.episodes import Rows, in_order, split_by_column, split_by_resets
from tracescope.readers.notes import repaired, warned
from tracescope.readers.stamps import sentinel_rows
from tracescope.readers.stepcount import step_counter
from tracescope.readers.table import Table


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
            every = rows.size == self.time_s.size and bool((rows == np.arange(rows.size)).all())
            return self.time_s if every else self.time_s[rows]
        rate = self.clock.rate_hz if self.clock.kind == "nominal" else 1.0
        return np.arange(rows.size, dtype=np.float64) / (rate or 1.0)


def row_clock(table: Table, choices: ImportChoices) -> RowClock:
    """Decide the clock of a table.

    Raises:
        TraceReadError: where a column that a person named does not exist or holds no numbers.
    """
    chosen = _chosen(table, choices)
    found = RowClock(chosen.clock, chosen.time_s, set(chosen.used), notes=list(chosen.notes))
    counter = step_counter(table, choices, found.used)
    if counter is not None:
        found.used.add(counter.column)
        found.step = counter.step
    episodes = _episodes(table, found)
    if found.clock.kind == "stamped":
        episodes = in_order(table, found.time_s, episodes, choices.order, found.notes)
        if choices.order == "rows":
            _even_out(found, episodes)
    found.episodes = tuple(episodes)
    found.step = _usable_step(table, found)
    found.notes += clock_notes(table, found.clock, found.time_s, found.used)
    return found


def _chosen(table: Table, choices: ImportChoices) -> ChosenClock:
    rate_only = choices.rate_hz is not None and choices.time_column is None
    stamped = None if rate_only else stamped_clock(table, choices)
    return stamped or nominal_clock(table, choices)


def _episodes(table: Table, found: RowClock) -> list[tuple[str, Rows]]:
    """Split by an episode column, then where clock or counter restarts."""
    kept = _kept_rows(table, found)
    episodes: list[tuple[str, Rows]] = []
    for key, rows in split_by_column(table, kept, found.used):
        parts = split_by_resets(found.time_s, found.step, rows, found.clock.kind)
        if len(parts) == 1:
            episodes.append((key, rows))
            continue
        starts = np.array([part[0] for part in parts[1:]], dtype=np.int64)
        what = f"clock or step counter restarts {starts.size} times"
        done = f"split into {len(parts)} episodes"
        found.notes.append(repaired("resets", what, places(table, starts), int(starts.size), done))
        episodes += [(f"{key}.{i}" if key else str(i), part) for i, part in enumerate(parts)]
    return episodes


def _kept_rows(table: Table, found: RowClock) -> Rows:
    """Leave out rows without a stamp, and with a placeholder for one; note both."""
    rows = np.arange(table.rows, dtype=np.int64)
    if found.clock.kind != "stamped":
        return rows
    missing = ~np.isfinite(found.time_s)
    sentinel = sentinel_rows(found.time_s, found.clock.origin_ns) & ~missing
    for gone, what, key in (
        (missing, "no stamp", "missing-stamps"),
        (sentinel, "a placeholder for a stamp", "sentinel-stamps"),
    ):
        at = np.flatnonzero(gone)
        if at.size:
            text = f"{counted(at.size, 'row has', 'rows have')} {what} in the clock column"
            found.notes.append(repaired(key, text, places(table, at), int(at.size), "left out"))
    return rows[~(missing | sentinel)]


def _even_out(found: RowClock, episodes: list[tuple[str, Rows]]) -> None:
    """With row order asked for, lay rows that run back on a grid of the median interval."""
    time_s = found.time_s.copy()
    for _, rows in episodes:
        steps = np.diff(time_s[rows])
        if (steps < 0).any():
            interval = float(np.median(steps[steps > 0])) if (steps > 0).any() else 1.0
            time_s[rows] = time_s[rows[0]] + interval * np.arange(rows.size)
    because = "row order was asked for: stamps that ran back gave way to an even grid"
    found.clock = replace(found.clock, because=f"{found.clock.because}; {because}")
    found.time_s = time_s


def places(table: Table, rows: Rows) -> str:
    """Name the first few places of rows."""
    return ", ".join(table.place(int(row)) for row in rows[:5]) + (", …" if rows.size > 5 else "")


def _usable_step(table: Table, found: RowClock) -> NDArray[np.int64] | None:
    """Give the step counter up where it runs back inside an episode; note where it stands still."""
    if found.step is None:
        return None
    for _, rows in found.episodes:
        steps = np.diff(found.step[rows])
        back, still = np.flatnonzero(steps < 0), np.flatnonzero(steps == 0)
        if back.size:
            where = places(table, rows[back + 1])
            found.notes.append(
                warned("step-runs-back", "the step counter runs back", where, int(back.size),
                       "not used as a step counter")
            )  # fmt: skip
            return None
        if still.size:
            what = f"{counted(still.size, 'row repeats', 'rows repeat')} the step number of the row before"
            where = places(table, rows[still + 1])
            found.notes.append(warned("repeated-steps", what, where, int(still.size), "kept"))
    return found.step
