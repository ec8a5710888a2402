"""Where an episode ends, by which flag, and what is known about that end."""

from __future__ import annotations

from dataclasses import dataclass

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
    channels = [
        c.as_float()
        for c in trace.of_role(Role.OBSERVATION)
        if c.time_s.size == n and live(c.as_float())
    ]
    if n < 3 or not channels:
        return np.zeros(max(n - 1, 0), np.bool_)
    votes = np.sum([_jumps(value) for value in channels], axis=0)
    return np.asarray(votes >= max(1, (len(channels) + 1) // 2))


def _jumps(value: Samples) -> NDArray[np.bool_]:
    change = np.abs(np.diff(value))
    finite = change[np.isfinite(change)]
    if not finite.size:
        return np.zeros(change.size, np.bool_)
    usual = float(np.sort(finite)[max(int(0.99 * finite.size) - 1, 0)])
    return np.asarray(np.isfinite(change) & (change > RESET_FACTOR * max(usual, 1e-12)))


@dataclass(frozen=True, slots=True)
class EndMotion:
    """How far the two motions agree where the shorter episode ends.

    Attributes:
        gap_sd: Median over the last rows of the largest channel's |difference|, in sim standard
            deviations; NaN where the motions cannot be compared there.
        noise_sd: How large that gap is expected to be from row-to-row noise alone, same unit.
        shift_low, shift_high: Rows by which the longer episode may have reached the end's state
            later (positive) or earlier: those where its distance to that state is not distinguishable
            from the smallest one.
        rows: Rows compared.
    """

    gap_sd: float
    noise_sd: float
    shift_low: int
    shift_high: int
    rows: int


def end_motion(
    ended: Samples, other: Samples, spread: Samples, at: int, last: int = 10
) -> EndMotion:
    """Compare two motions where one of them ends.

    Args:
        ended: The trace that ends, on rows around its end, shape ``(n, k)``; k live observation
            channels, NaN where it has no row.
        other: The one that goes on, on the same rows, shape ``(n, k)``.
        spread: Standard deviation of each channel in the simulator, shape ``(k,)``.
        at: Row of the end.
        last: Compare the motions over this many rows up to the end.
    """
    a, b = ended / spread, other / spread
    recent = slice(max(0, at + 1 - last), at + 1)
    gap = np.abs(b[recent] - a[recent])
    gap = gap[np.isfinite(gap).all(axis=1)]
    distance = np.sqrt(np.mean((b - a[at]) ** 2, axis=1)) if a.size else np.zeros(0)
    reach = len(distance)
    if not gap.size or not np.isfinite(distance).any():
        return EndMotion(float("nan"), float("nan"), -reach, reach, 0)
    noise = float(np.hypot(roughness(a), roughness(b)))
    near = np.flatnonzero(distance <= np.nanmin(distance) + noise)
    return EndMotion(
        float(np.median(gap.max(axis=1))), noise, int(near[0] - at), int(near[-1] - at), len(gap)
    )


def roughness(value: Samples) -> float:
    """Largest channel's row-to-row noise from second differences, shape ``(n, k)`` in; 0 if too short.

    The median absolute second difference of white noise of standard deviation σ is 0.6745·√6·σ.
    """
    second = np.abs(np.diff(value, 2, axis=0)) if len(value) > 2 else np.zeros((0, 1))
    second = second[np.isfinite(second).all(axis=1)]
    if len(second) < 3:
        return 0.0
    return float(np.max(np.median(second, axis=0)) / (0.6745 * np.sqrt(6.0)))


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
    """Return each trace's row positions on one axis and the size of a row on it.

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


def motion_at(case: Case, ended: str, end: EpisodeEnd, reach: int = 60) -> EndMotion:
    """Compare the two motions around the end of the shorter episode.

    Args:
        case: The pair as it is aligned and corrected.
        ended: ``sim`` or ``target``: whose end it is.
        end: That side's end.
        reach: Rows looked at to either side.
    """
    a, b, row = positions(case)
    axis = a if ended == "sim" else b
    grid = axis[end.state_row] + row * np.arange(-reach, reach + 1)
    left, right, spread = [], [], []
    for c, d in case.pair.matched(Role.OBSERVATION):
        if c.time_s.size != a.size or d.time_s.size != b.size:
            continue
        sim_value, target_value = c.as_float(), case.target_values(d.name)
        if live(sim_value):
            left.append(_at(grid, a, sim_value))
            right.append(_at(grid, b, target_value))
            spread.append(float(np.nanstd(sim_value)))
    if not spread:
        return EndMotion(float("nan"), float("nan"), -reach, reach, 0)
    one, two = np.column_stack(left), np.column_stack(right)
    if ended == "target":
        one, two = two, one
    one[reach + 1 :] = np.nan  # rows behind the end may belong to another episode
    return end_motion(one, two, np.asarray(spread), reach)


def _at(grid: Samples, axis: Samples, value: Samples) -> Samples:
    """Values at positions of a row axis, linear between rows, NaN outside it."""
    keep = np.concatenate(([True], np.diff(axis) > 0))
    return np.interp(grid, axis[keep], value[keep], left=np.nan, right=np.nan)
