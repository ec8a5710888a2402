"""The clocks of two traces against their common step counter: offset, drift and slips."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.drift import theil_sen
from tracescope.analysis.intervals import bonferroni, influence_interval
from tracescope.model.alignment import Interval
from tracescope.model.pair import TracePair
from tracescope.model.trace import Samples

_BLOCKS = 100
_ROUNDING_S = 1e-9
_AROUND_ROWS = 12
SLIP_PERIODS = 0.75
"""A jump of the stamp difference by more than this share of a period is a slip of a whole one."""

_SPREAD_ROWS = 2
"""Jumps so few rows apart are one, whose stamps scatter."""


@dataclass(frozen=True, slots=True, eq=False)
class CounterLine:
    """Stamp difference of equal steps, target less sim, as a line.

    Attributes:
        offset_s, offset_interval_s: At the target's first row.
        drift, drift_interval: Seconds a second of the target's clock.
        steps: How many steps both have.
    """

    offset_s: float
    offset_interval_s: Interval
    drift: float
    drift_interval: Interval
    steps: int


@dataclass(frozen=True, slots=True)
class Slip:
    """A place where the target's clock jumps by whole periods more than its counter.

    ``row`` is the target's row after the jump, ``periods`` how many it jumped, ``jump_s`` by how much.
    """

    row: int
    periods: int
    jump_s: float


def common_steps(pair: TracePair, step_shift: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row numbers of the steps that both traces have, sim's and target's, shape ``(m,)``."""
    if pair.sim.step is None or pair.target.step is None:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing
    return equal_steps(pair.sim.step, pair.target.step, step_shift)


def equal_steps(
    sim: NDArray[np.int64], target: NDArray[np.int64], step_shift: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where two counters count the same steps, in the steps' order, first rows of each, shape ``(m,)``."""
    if not ((sim[1:] > sim[:-1]).all() and (target[1:] > target[:-1]).all()):
        _, sim_row, target_row = np.intersect1d(sim, target - step_shift, return_indices=True)
        return sim_row.astype(np.int64), target_row.astype(np.int64)
    if _counts_every_row(sim) and _counts_every_row(target):
        first = max(int(sim[0]), int(target[0]) - step_shift)
        count = max(0, min(int(sim[-1]), int(target[-1]) - step_shift) + 1 - first)
        rows = np.arange(count, dtype=np.int64)
        return rows + (first - int(sim[0])), rows + (first + step_shift - int(target[0]))
    # Counters that only run are in order already: no sorting of long ones.
    place = np.minimum(np.searchsorted(target, sim + step_shift), max(target.size - 1, 0))
    if not target.size:
        return place[:0].astype(np.int64), place[:0].astype(np.int64)
    sim_row = np.flatnonzero(target[place] == sim + step_shift)
    return sim_row.astype(np.int64), place[sim_row].astype(np.int64)


def _counts_every_row(step: NDArray[np.int64]) -> bool:
    """Whether a counter that only runs counts each row once."""
    return bool(step.size) and int(step[-1]) - int(step[0]) == step.size - 1


# Pairs never change and compare by identity; a few are kept, so that dragging costs no new line.
@lru_cache(maxsize=4)
def counter_line(pair: TracePair, step_shift: int, confidence: float = 0.99) -> CounterLine | None:
    """Fit offset and drift to the stamp differences of equal steps.

    Args:
        pair: Both with a step counter.
        step_shift: Target step ``k + step_shift`` belongs to sim step ``k``.
        confidence: Two-sided, for offset and drift each.

    Returns:
        ``None`` where no step is common.

    Source:
        Theil (1950) and Sen (1968) on block medians, so that single late stamps do not tilt the line.
    """
    sim_row, target_row = common_steps(pair, step_shift)
    if sim_row.size == 0:
        return None
    stamp_s = pair.target.time_s[target_row]
    jumped_s = _jumped(pair, step_shift, target_row)
    late_s = stamp_s - pair.sim.time_s[sim_row]
    since_s = stamp_s - pair.target.t_first_s
    blocks = np.array_split(np.arange(since_s.size), min(_BLOCKS, since_s.size))
    x = np.array([np.median(since_s[block]) for block in blocks])
    y = np.array([np.median((late_s - jumped_s)[block]) for block in blocks])
    drift, _ = theil_sen(x, y)
    if abs(drift) * float(np.ptp(since_s)) < _ROUNDING_S:
        drift = 0.0
    level = float(np.median(late_s - drift * since_s))
    smooth_s = late_s - jumped_s
    middle_s = float(np.median(smooth_s - drift * since_s))
    drift_interval = _drift_interval(since_s, smooth_s, drift, middle_s, confidence)
    if drift_interval[0] <= 0 <= drift_interval[1]:
        drift, level = 0.0, float(np.median(late_s))
    rest = late_s - drift * since_s
    level = round(level, 12)  # stamps hold no picoseconds; subtraction leaves them
    half = influence_interval(level, rest, bonferroni(confidence, 1)).half
    return CounterLine(level, (level - half, level + half), drift, drift_interval, since_s.size)


def _jumped(pair: TracePair, step_shift: int, target_row: NDArray[np.int64]) -> Samples:
    """Seconds by which the clock has slipped before each common row: a step is not a slope."""
    jumped = np.zeros(target_row.size)
    for slip in slips(pair, step_shift):
        jumped[target_row >= slip.row] += slip.jump_s
    return jumped


def _drift_interval(
    since_s: Samples, late_s: Samples, drift: float, level: float, confidence: float
) -> Interval:
    centred = since_s - since_s.mean()
    spread = float(np.mean(centred**2))
    if since_s.size < 3 or spread == 0:
        return (-np.inf, np.inf)
    residual = late_s - level - drift * since_s
    half = influence_interval(drift, centred * residual / spread, confidence).half
    half = max(half, _ROUNDING_S / float(np.ptp(since_s)))
    return (drift - half, drift + half)


def _later(late: Samples, first: int, last: int) -> float:
    """Return by how many periods stamps are later behind a stretch of rows than up to it, scatter evened out."""
    before = late[max(0, first + 1 - _AROUND_ROWS) : first + 1]
    behind = late[last + 1 : last + 1 + _AROUND_ROWS]
    return float(np.median(behind) - np.median(before))


def _one_slip(late: Samples, jump: Samples, rows: list[int]) -> tuple[int, float]:
    """Return row and size, in periods, of a jump that scatter may spread over a few rows."""
    largest = max(rows, key=lambda i: float(jump[i]))
    return largest, float(jump[largest]) if len(rows) == 1 else _later(late, rows[0], rows[-1])


def _staying(late: Samples, jump: Samples, rows: list[int]) -> list[tuple[int, float]]:
    """Of jumps near each other keep the largest, as many as the clock stays late by in all."""
    left = round(_later(late, rows[0], rows[-1]))
    apart = np.flatnonzero(np.diff(rows) > _SPREAD_ROWS) + 1
    each = [_one_slip(late, jump, part.tolist()) for part in np.split(np.array(rows), apart)]
    kept = []
    for row, size in sorted(each, key=lambda one: -one[1]):
        if left >= 1:
            kept.append((row, size))
            left -= max(1, round(size))
    return sorted(kept)


def slips(pair: TracePair, step_shift: int) -> tuple[Slip, ...]:
    """Find where the target's clock jumps by whole periods more than the counter, and stays there.

    A single late stamp jumps back with the next row and is no slip, nor are a few of a clock that scatters.
    """
    sim_row, target_row = common_steps(pair, step_shift)
    period_s = pair.target.interval_s
    if sim_row.size < 4 or not np.isfinite(period_s):
        return ()
    late = (pair.target.time_s[target_row] - pair.sim.time_s[sim_row]) / period_s
    before = np.minimum(late[:-1], np.concatenate((late[:1], late[:-2])))
    after = np.concatenate((late[2:], late[-1:]))
    jump = np.minimum(late[1:], after) - np.maximum(late[:-1], before)
    candidates = np.flatnonzero(
        jump[:-1] > SLIP_PERIODS
    )  # one late stamp at the end proves nothing
    rows = [int(i) for i in candidates if _later(late, int(i), int(i)) > 0.5]
    groups = np.split(np.array(rows, int), np.flatnonzero(np.diff(rows) >= _AROUND_ROWS) + 1)
    found = [one for group in groups if group.size for one in _staying(late, jump, group.tolist())]
    return tuple(
        Slip(int(target_row[i + 1]), max(1, round(size)), size * period_s) for i, size in found
    )
