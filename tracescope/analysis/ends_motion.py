"""Whether two motions agree where the shorter of two episodes ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.ends import EpisodeEnd, episode_end, positions
from tracescope.analysis.ends_thresholds import common_thresholds, held_back
from tracescope.analysis.rows import live
from tracescope.model.case import Case
from tracescope.model.trace import Role, Samples

LAST_ROWS = 10
"""The motions are compared over this many rows up to the end."""

REACH_BACK, REACH_ON = 2000, 2000
"""Rows before and behind the end that are looked at."""

_NEAR_BACK = 60
"""Rows before the end that noise is taken from, and that the same state is looked for in."""


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
        still_low, still_high: The same, but only the unbroken stretch around the end: while it lasts, noise
            alone decides in which row a threshold is crossed.
        held_back: Channels that moved where the shorter episode ended and that the longer one never
            clearly took further: a threshold may lie between the two.
        rows: Rows compared.
        common: Channels in which one threshold would explain both ends, however far apart they come; empty
            where the longer episode has no end.
    """

    gap_sd: float
    noise_sd: float
    shift_low: int
    shift_high: int
    held_back: tuple[str, ...]
    rows: int
    still_low: int = 0
    still_high: int = 0
    common: tuple[str, ...] = ()


def end_motion(
    ended: Samples,
    other: Samples,
    spread: Samples,
    at: int,
    names: tuple[str, ...],
    other_at: int | None = None,
    doubt: Samples | None = None,
) -> EndMotion:
    """Compare two motions where one of them ends.

    Args:
        ended: The trace that ends, on rows around its end, shape ``(n, k)``; k live observation
            channels, NaN where it has no row.
        other: The one that goes on, on the same rows, shape ``(n, k)``.
        spread: Standard deviation of each channel in the simulator, shape ``(k,)``.
        at: Row of the end.
        names: Of the channels.
        other_at: Last row that belongs to the other one, where it ends.
        doubt: How far apart the two may read one state in each channel, its unit, shape ``(k,)``.
    """
    first = max(0, at - _NEAR_BACK)
    a, b = ended / spread, other / spread
    recent = slice(max(0, at + 1 - LAST_ROWS), at + 1)
    apart = b[recent] - a[recent]
    gap = np.abs(apart)[np.isfinite(apart).all(axis=1)]
    distance = np.sqrt(np.mean((b[first:] - a[at]) ** 2, axis=1)) if a.size else np.zeros(0)
    reach = len(distance)
    if not gap.size or not np.isfinite(distance).any():
        return EndMotion(float("nan"), float("nan"), -reach, reach, (), 0)
    noise = np.hypot(roughness(a[first:]), roughness(b[first:]))
    largest = float(noise.max())
    close = distance <= np.nanmin(distance) + largest
    near = np.flatnonzero(close) + first
    still = _unbroken(close, at - first)
    last = len(b) if other_at is None else other_at + 1
    earlier = np.concatenate((a[: recent.start], b[: recent.start]))
    back = held_back(a[recent], b[at:last], noise, earlier)
    both = [False] * len(names)
    if other_at is not None:
        moved = np.median(gap, axis=0)
        if doubt is not None:
            moved = np.where(moved > 0, np.maximum(moved, doubt / spread), 0.0)
        both = common_thresholds(a[: at + 1], b[:last], noise, np.where(moved > 0, moved, np.nan))
    return EndMotion(
        float(np.median(gap.max(axis=1))),
        largest,
        int(near[0] - at),
        int(near[-1] - at),
        _named(names, back),
        len(gap),
        *still,
        _named(names, both),
    )


def _named(names: tuple[str, ...], flags: list[bool]) -> tuple[str, ...]:
    return tuple(name for name, flag in zip(names, flags, strict=True) if flag)


def _unbroken(close: NDArray[np.bool_], at: int) -> tuple[int, int]:
    """Rows from a place to both ends of the stretch of true values around it; (0, 0) where it is false."""
    if not 0 <= at < close.size or not close[at]:
        return 0, 0
    before, behind = np.flatnonzero(~close[:at]), np.flatnonzero(~close[at:])
    first = int(before[-1]) + 1 if before.size else 0
    last = at + int(behind[0]) - 1 if behind.size else close.size - 1
    return first - at, last - at


def roughness(value: Samples) -> Samples:
    """Row-to-row noise of each channel from second differences, shape ``(n, k)`` → ``(k,)``.

    In the channel's unit; 0 where fewer than three second differences are finite.

    The median absolute second difference of white noise of standard deviation σ is 0.6745·√6·σ.
    """
    second = np.abs(np.diff(value, 2, axis=0)) if len(value) > 2 else np.zeros((0, value.shape[1]))
    second = second[np.isfinite(second).all(axis=1)]
    if len(second) < 3:
        return np.zeros(value.shape[1])
    return np.asarray(np.median(second, axis=0) / (0.6745 * np.sqrt(6.0)))


def motion_at(
    case: Case, ended: str, end: EpisodeEnd, doubt: Mapping[str, float] | None = None
) -> EndMotion:
    """Compare the two motions around the end of the shorter episode.

    Args:
        case: The pair as it is aligned and corrected.
        ended: ``sim`` or ``target``: whose end it is.
        end: That side's end.
        doubt: How far apart the two traces may read one state, by channel, in its unit; 0 where not named.
    """
    a, b, row = positions(case)
    axis = a if ended == "sim" else b
    grid = axis[end.state_row] + row * np.arange(-REACH_BACK, REACH_ON + 1)
    left, right, spread, names = [], [], [], []
    for c, d in case.pair.matched(Role.OBSERVATION):
        if c.time_s.size != a.size or d.time_s.size != b.size:
            continue
        sim_value, target_value = c.as_float(), case.target_values(d.name)
        if live(sim_value):
            left.append(_at(grid, a, sim_value))
            right.append(_at(grid, b, target_value))
            spread.append(float(np.nanstd(sim_value)))
            names.append(c.name)
    if not spread:
        return EndMotion(float("nan"), float("nan"), -REACH_BACK, REACH_ON, (), 0)
    one, two = np.column_stack(left), np.column_stack(right)
    if ended == "target":
        one, two = two, one
    one[REACH_BACK + 1 :] = np.nan  # rows behind the end may belong to another episode
    there, others = (case.pair.target, b) if ended == "sim" else (case.pair.sim, a)
    other_at, other_end = None, episode_end(there)
    if other_end.row is not None:
        # Where a reset stands in the flagged row itself, the episode ended in the row before.
        rows_on = round(float(others[other_end.state_row] - grid[REACH_BACK]) / row)
        other_at = REACH_BACK + rows_on if 0 <= rows_on <= REACH_ON else None
    off = np.array([(doubt or {}).get(name, 0.0) for name in names])
    return end_motion(one, two, np.asarray(spread), REACH_BACK, tuple(names), other_at, off)


def _at(grid: Samples, axis: Samples, value: Samples) -> Samples:
    """Values at positions of a row axis, linear between rows, NaN outside it."""
    keep = np.concatenate(([True], np.diff(axis) > 0))
    return np.interp(grid, axis[keep], value[keep], left=np.nan, right=np.nan)
