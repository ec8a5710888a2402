"""Where an episode ends, by which flag, and what is known about that end."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.rows import live
from tracescope.model.case import Case
from tracescope.model.trace import END_ROLES, Channel, Role, Samples, Trace

RESET_FACTOR = 8.0
"""A one-row change this many times a channel's usual largest one is a jump into another episode."""


@dataclass(frozen=True, slots=True)
class EpisodeEnd:
    """How one trace's episode ends.

    Attributes:
        row: First row with an end flag set, or ``None`` where no flag is ever set.
        last_row: Last row of the log.
        kind: ``terminated``, ``truncated``, ``both``, ``done`` (one flag for all causes) or ``none``.
        channel: The flag's channel, ``""`` where none is set.
        has_flags: Whether the trace holds any end flag at all.
        resets: Whether the observation jumps in the flagged row or the next: with automatic reset the
            rows from there on belong to another episode.
        state_row: Last row that surely belongs to this episode.
    """

    row: int | None
    last_row: int
    kind: str
    channel: str
    has_flags: bool
    resets: bool
    state_row: int

    @property
    def rows_after(self) -> int:
        """Rows that the log goes on for after the flagged one."""
        return 0 if self.row is None else self.last_row - self.row

    @property
    def is_round(self) -> bool:
        """Whether the episode's length looks chosen by a person rather than reached by the machine."""
        return self.row is not None and (round_length(self.row + 1) or round_length(self.row))

    @property
    def may_be_time_limit(self) -> bool:
        """Whether this end may be a time limit, by its flag or by its round length."""
        return self.kind == "truncated" or (self.kind == "done" and self.is_round)


def round_length(rows: int) -> bool:
    """Say whether a number of rows looks like a time limit: 40, 250, 1000 or 5000."""
    if rows < 20:
        return False
    return rows % 50 == 0 or (rows < 100 and rows % 10 == 0)


def first_set(channel: Channel, trace: Trace) -> int | None:
    """Return the trace's row in which a flag is first set, or ``None``; NaN is not set."""
    value = channel.as_float()
    on = np.flatnonzero(np.isfinite(value) & (value != 0))
    if not on.size:
        return None
    if channel.time_s.size == len(trace):
        return int(on[0])
    at = int(np.searchsorted(trace.time_s, channel.time_s[on[0]], side="left"))
    return min(at, len(trace) - 1)


# Traces never change and compare by identity: several checks ask on every drag.
@lru_cache(maxsize=8)
def episode_end(trace: Trace) -> EpisodeEnd:
    """Find where a trace's episode ends."""
    flags = trace.of_role(*END_ROLES)
    last = len(trace) - 1
    found = [(row, c) for c in flags if (row := first_set(c, trace)) is not None]
    if not found or last < 0:
        return EpisodeEnd(None, last, "none", "", bool(flags), resets=False, state_row=last)
    row = min(r for r, _ in found)
    at_row = [c for r, c in found if r == row]
    kind = _kind({c.role for c in at_row})
    jumps = reset_jumps(trace)
    here = bool(jumps.size and row > 0 and jumps[row - 1])
    after = bool(row < last and jumps[row])
    return EpisodeEnd(
        row,
        last,
        kind,
        at_row[0].name,
        has_flags=True,
        resets=here or after,
        state_row=row - 1 if here else row,
    )


def _kind(roles: set[Role]) -> str:
    if Role.TERMINATED in roles and Role.TRUNCATED in roles:
        return "both"
    for role in (Role.TERMINATED, Role.TRUNCATED):
        if role in roles:
            return role.value
    return "done"


def reset_jumps(trace: Trace) -> NDArray[np.bool_]:
    """Say between which rows the observations jump as they do at a reset, shape ``(n − 1,)``.

    A jump is a one-row change of more than :data:`RESET_FACTOR` times the channel's 99th percentile of
    one-row changes, in at least half of the live observation channels (at least one).
    """
    n = len(trace)
    votes, channels = np.zeros(max(n - 1, 0), np.int16), 0
    for channel in trace.of_role(Role.OBSERVATION):
        value = channel.as_float() if channel.time_s.size == n else np.zeros(0)
        if n >= 3 and live(value):
            votes += _jumps(value)
            channels += 1
    if not channels:
        return np.zeros(max(n - 1, 0), np.bool_)
    return np.asarray(votes >= max(1, (channels + 1) // 2))


def _jumps(value: Samples) -> NDArray[np.bool_]:
    change = np.abs(np.diff(value))
    finite = change[np.isfinite(change)]
    if not finite.size:
        return np.zeros(change.size, np.bool_)
    usual = float(np.sort(finite)[max(int(0.99 * finite.size) - 1, 0)])
    return np.asarray(np.isfinite(change) & (change > RESET_FACTOR * max(usual, 1e-12)))


@dataclass(frozen=True, slots=True)
class EndPlaces:
    """Both ends on one axis of rows.

    Attributes:
        sim, target: Position of each end in rows, or ``None`` where that side has none.
        sim_last, target_last: Position of each log's last row.
        doubt_rows: Half the width of the alignment's own interval, rows; 0 where rows are paired by step.
        row_s: Seconds a row.
        start_s: The sim's first row time, seconds.
    """

    sim: float | None
    target: float | None
    sim_last: float
    target_last: float
    doubt_rows: float
    row_s: float
    start_s: float


def positions(case: Case) -> tuple[Samples, Samples, float]:
    """Return each trace's row positions on one axis, shape ``(n,)`` each, and the size of a row on it.

    Step numbers where rows are paired by step (the target's shifted), else seconds on the sim's clock.
    """
    sim, target, alignment = case.pair.sim, case.pair.target, case.alignment
    if alignment.mode == "step" and sim.step is not None and target.step is not None:
        a = sim.step.astype(np.float64)
        b = (target.step - alignment.step_shift).astype(np.float64)
        steps = np.diff(a)
        return a, b, float(np.median(steps)) if steps.size else 1.0
    return sim.time_s, alignment.to_sim(target.time_s), sim.interval_s


def end_places(case: Case, sim: EpisodeEnd, target: EpisodeEnd) -> EndPlaces:
    """Put both ends on one axis of rows, counted from the sim's first row."""
    a, b, row = positions(case)
    start = float(a[0]) if a.size else 0.0

    def at(axis: Samples, place: int | None) -> float | None:
        return None if place is None or not axis.size else float(axis[place] - start) / row

    interval = case.alignment.offset_interval_s
    doubt = 0.0
    if case.alignment.mode == "time" and interval is not None:
        doubt = (interval[1] - interval[0]) / 2 / row
    return EndPlaces(
        at(a, sim.row),
        at(b, target.row),
        at(a, sim.last_row if a.size else None) or 0.0,
        at(b, target.last_row if b.size else None) or 0.0,
        doubt,
        case.pair.sim.interval_s,
        case.pair.sim.t_first_s,
    )
