"""Faults of shape: plateaus, held values, quantisation, ties at a bound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.rows import live
from tracescope.analysis.stretches import (
    LONG_ROWS,
    blocks_of_rows,
    even_rows,
    finite_range,
    running_count,
    spread_of,
)
from tracescope.model.trace import Samples

MIN_PLATEAU_ROWS = 5
MIN_PLATEAU_SHARE = 0.005
LEAST_MOTION = 0.1
"""A sim that moves by more than this part of its spread beneath a plateau goes on moving."""

MIN_LEVELS = 4
MANY_LEVELS = 11
MAX_DISTINCT, MOST_DISTINCT = 0.6, 0.95
OFF_GRID = 0.05
"""Part of a step by which a level of a quantised signal may miss its grid."""

MIN_NOISE_ROWS = 12
MOST_NOISE_ROWS = LONG_ROWS
"""No more rows before a hold are looked at to see whether the signal is noisy."""
NOISE_CORRELATION = -0.4

PHASES = (0.0, 0.25, 0.5, 0.75)
"""Where in a step a coarse reading's levels may lie."""

CATCH_UP = 0.6
"""A hold ends in a jump of at least this part of the motion it missed."""

MOVING = 0.02
"""A sim step of more than this part of the sim's spread is motion."""


@dataclass(frozen=True, slots=True, eq=False)
class Plateau:
    """Rows that sit on one extreme value.

    Attributes:
        bound: The value.
        side: +1 at the top, −1 at the bottom.
        rows: Which rows, shape ``(n,)``.
    """

    bound: float
    side: int
    rows: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """How many rows."""
        return int(np.count_nonzero(self.rows))


def plateau(value: Samples, side: int, slack: float = 1e-9) -> Plateau:
    """Return the rows tied with a signal's largest (``side`` +1) or smallest (−1) value.

    Args:
        value: Shape ``(n,)``, NaN allowed.
        side: +1 or −1.
        slack: How near the extreme is tied with it, as a part of the extreme itself: a signal that once
            ran away must not make everything else look tied.
    """
    count, low, high = finite_range(value)
    tied = np.zeros(value.shape, dtype=np.bool_)
    bound = high if side > 0 else low
    for some in blocks_of_rows(value.size) if count else ():
        tied[some] = np.abs(value[some] - bound) <= slack * abs(bound)
    return Plateau(bound, side, tied)


def saturation(sim: Samples, target: Samples, slope: float = 1.0) -> tuple[Plateau, ...]:
    """Return the target's plateaus at an extreme over which the sim goes on moving.

    A plateau counts where it holds at least five rows and 0.5 % of them, is more than twice as
    common as the sim's at its own extreme, and the sim's values over it range over 0.1 of its spread
    or more. A coarse sensor ties everywhere, so the plateau must also hold three times the rows of the
    most common other value.

    Args:
        sim: On common rows, shape ``(n,)``.
        target: On the same rows.
        slope: Which way the target follows the sim (only its sign matters).
    """
    return saturated_or_tied(sim, target, slope)[0]


def ties_over_noise(sim: Samples, target: Samples, slope: float = 1.0) -> tuple[Plateau, ...]:
    """Return the target's plateaus at an extreme over which the sim shows noise, but hardly moves.

    A sensor at its limit has no noise; neither has one that reads a machine at a stop through a filter. Where
    the sim repeats no value beneath the plateau and moves by less than 0.1 of its spread, both are possible.
    Everything else is as in :func:`saturation`.

    Args:
        sim: On common rows, shape ``(n,)``.
        target: On the same rows.
        slope: Which way the target follows the sim (only its sign matters).
    """
    return saturated_or_tied(sim, target, slope)[1]


def saturated_or_tied(
    sim: Samples, target: Samples, slope: float = 1.0
) -> tuple[tuple[Plateau, ...], tuple[Plateau, ...]]:
    """Return what :func:`saturation` and :func:`ties_over_noise` find, in one pass over the rows.

    Args:
        sim: On common rows, shape ``(n,)``.
        target: On the same rows.
        slope: Which way the target follows the sim (only its sign matters).
    """
    saturated: list[Plateau] = []
    tied: list[Plateau] = []
    least = LEAST_MOTION * spread_of(sim)
    for top, beneath in _extremes(sim, target, slope):
        if np.ptp(beneath) >= least:
            saturated.append(top)
        elif np.unique(beneath).size == beneath.size:
            tied.append(top)
    return tuple(saturated), tuple(tied)


def _extremes(sim: Samples, target: Samples, slope: float) -> Iterator[tuple[Plateau, Samples]]:
    """Yield each plateau at an extreme that the sim has not, and the sim's values beneath it."""
    if not (live(sim) and live(target)):
        return
    for side in (1, -1):
        top = plateau(target, side)
        if top.count < max(MIN_PLATEAU_ROWS, MIN_PLATEAU_SHARE * target.size):
            continue
        own = plateau(sim, side if slope >= 0 else -side)
        beneath = sim[top.rows & np.isfinite(sim)]
        if beneath.size < 2 or top.count <= 2 * own.count:
            continue
        if top.count >= 3 * most_common(target, top):
            yield top, beneath


def most_common(value: Samples, but: Plateau) -> int:
    """Count the most common value that lies at neither extreme."""
    rest = np.isfinite(value) & ~but.rows & ~plateau(value, -but.side).rows
    if not rest.any():
        return 0
    return int(np.unique(value[rest], return_counts=True)[1].max())


def repeat_runs(value: Samples) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return first row and length of each run of at least two exactly equal neighbours."""
    same = np.concatenate(([False], value[1:] == value[:-1], [False]))
    edge = np.flatnonzero(same[1:] != same[:-1])
    first, last = edge[::2], edge[1::2]
    return first.astype(np.int64), (last - first + 1).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Values held while the simulator moved.

    Attributes:
        excess: Rows by which the longest hold exceeds the sim's longest exact repeat (0 where none).
        rows: Rows that repeat the previous one though the sim moved, shape ``(n,)``.
        longest: First and last row of the longest hold, or ``None``.
    """

    excess: int
    rows: NDArray[np.bool_]
    longest: tuple[int, int] | None


def held_values(sim: Samples, target: Samples, step: float, skip: NDArray[np.bool_]) -> Held:
    """Find exact repeats of the target during which the sim kept moving.

    At least two thirds of the sim's steps over a hold must exceed 2 % of its spread (and the resolution),
    so that standing still is not taken for a dropout, and the signal must jump to catch up afterwards, as
    a machine that stuck does not. A hold from the first row on is a start at rest. The longest is measured
    against the sim's own holds while the target moved, and where a side is coarse against any repeat of
    the sim's: coarse readings repeat by themselves.

    Args:
        sim: On common rows, shape ``(n,)``.
        target: On the same rows.
        step: The coarser side's resolution in the sim's units, 0 where neither has one; motion of less than
            two steps may be a reading that flickers.
        skip: Rows known to repeat for another reason (plateaus, stale rows), shape ``(n,)``.
    """
    rows = np.zeros(target.shape, dtype=np.bool_)
    if not (live(sim) and live(target)):
        return Held(0, rows, None)
    first, length = _holds(np.where(skip, np.nan, target) if skip.any() else target, sim, step)
    if not first.size:
        return Held(0, rows, None)
    for start, count in zip(first, length, strict=True):
        rows[start + 1 : start + count] = True
    # In units of spread, the target's resolution is the sim's.
    factor = spread_of(target) / spread_of(sim)
    own = _longest_by_chance(sim, target, step, factor)
    best = int(np.argmax(length))
    span = (int(first[best]), int(first[best] + length[best] - 1))
    return Held(max(int(length[best]) - own, 0), rows, span)


def _longest_by_chance(sim: Samples, target: Samples, step: float, factor: float) -> int:
    """Return how long the simulator's values repeat, as they are and read as coarsely as the target's; at least 1.

    A coarse reading repeats wherever the motion turns; which rows the other side moves over then is chance.
    """
    if not step > 0:
        return int(_holds(sim, target, 0.0)[1].max(initial=1))
    longest = int(repeat_runs(sim)[1].max(initial=1))
    for phase in PHASES:
        coarse = step * (np.round(sim / step + phase) - phase)
        longest = max(longest, int(_holds(coarse, target, step * factor)[1].max(initial=1)))
    return longest


def _holds(
    value: Samples, other: Samples, step: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return first row and length of the repeats of one side over which the other moved."""
    first, length = repeat_runs(value)
    if not first.size:
        return first, length
    least = max(MOVING * spread_of(other), 2.0 * step)
    moving = np.zeros(other.shape, dtype=np.bool_)  # whether a row moved on from the one before
    for some in blocks_of_rows(other.size - 1):
        rows = slice(some.start + 1, some.stop + 1)
        moving[rows] = np.abs(other[rows] - other[some]) > least
    counted = running_count(moving)
    share = (counted[first + length - 1] - counted[first]) / np.maximum(length - 1, 1)
    kept = (share >= 2 / 3) & (first > 0) & _catches_up(value, other, first, length)
    return first[kept], length[kept]


def _catches_up(
    value: Samples, other: Samples, first: NDArray[np.int64], length: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say after which repeats the signal jumps to where the motion has got to meanwhile.

    A sensor that held its value does; a machine that stuck moves on from where it stood. A repeat that
    lasts to the end is a sensor's where it was noisy before: a machine that stands still does not stop noise.
    """
    after = first + length
    known = after < value.size
    after = np.minimum(after, value.size - 1)
    with np.errstate(invalid="ignore"):
        factor = spread_of(value) / spread_of(other)
        passed = np.abs(other[after] - other[first]) * factor
        jump = np.abs(value[after] - value[first])
    caught = known & (jump >= CATCH_UP * passed) & (jump <= passed / CATCH_UP)
    if length.size and not known[-1] and length[-1] >= MIN_PLATEAU_ROWS:
        before = slice(max(0, int(first[-1]) - MOST_NOISE_ROWS), int(first[-1]))
        # Quick motion buries the noise; what the other side does not share of it shows it again.
        rest = value[before] - _slope(other[before], value[before]) * other[before]
        caught[-1] = _noisy(value[before]) or _noisy(rest)
    return np.asarray(caught)


def _slope(x: Samples, y: Samples) -> float:
    """Least squares slope over the rows where both are finite, 0 where ``x`` is still."""
    kept = np.isfinite(x) & np.isfinite(y)
    if not kept.any():
        return 0.0
    x, y = x[kept] - x[kept].mean(), y[kept] - y[kept].mean()
    power = float(x @ x)
    return float(x @ y) / power if power > 0 else 0.0


def _noisy(value: Samples) -> bool:
    """Whether white noise lies on a signal: its third differences then alternate (autocorrelation −3/4)."""
    bend = np.diff(value[np.isfinite(value)], n=3)
    if bend.size < MIN_NOISE_ROWS:
        return False
    power = float(np.sum(bend**2))
    return bool(float(np.sum(bend[1:] * bend[:-1])) < NOISE_CORRELATION * power)


def resolution(value: NDArray[Any]) -> float:
    """Return the step of a quantised signal, or 0 where its values lie on no grid.

    A signal is quantised where samples repeat and all levels lie on one grid (to 5 % of a step). Eleven levels
    do so by chance in no signal; with fewer, 40 % of the samples must repeat and half of the neighbouring
    levels be one step apart: a command that jumps between a few levels is on no grid.
    """
    finite = _samples(value)
    distinct = np.unique(finite)
    if distinct.size < MIN_LEVELS or distinct.size > MOST_DISTINCT * finite.size:
        return 0.0
    gaps = np.diff(distinct)
    gaps = gaps[gaps > 1e-9 * (distinct[-1] - distinct[0])]
    if gaps.size < MIN_LEVELS - 1:
        return 0.0
    # The middle of the smallest gaps first, then the whole range over all steps, which rounding hardly moves.
    smallest = float(gaps.min())
    single = float(np.median(gaps[gaps <= 1.5 * smallest]))
    whole = np.round(gaps / single)
    step = float(gaps.sum() / whole.sum())
    off = float(np.abs(gaps / step - np.round(gaps / step)).max())
    few = distinct.size <= MAX_DISTINCT * finite.size and float(np.mean(whole == 1)) >= 0.5
    return step if off <= OFF_GRID and (few or gaps.size >= MANY_LEVELS - 1) else 0.0


def _samples(value: NDArray[Any]) -> Samples:
    """Return the finite samples that tell a signal's step: of a long one those of some stretches.

    A converter's step is the same all along. A signal that takes few levels there, as one that stands still for
    long, is looked at whole.
    """
    if value.size > LONG_ROWS:
        some = value[even_rows(value.size)].astype(np.float64, copy=False)
        some = some[np.isfinite(some)]
        if np.unique(some).size >= MANY_LEVELS:
            return some
    value = value.astype(np.float64, copy=False)
    return np.asarray(value[np.isfinite(value)])


def ks_distance(a: Samples, b: Samples) -> float:
    """Return the two-sample Kolmogorov–Smirnov distance, ties handled; NaN where a side is empty."""
    a, b = np.sort(a[np.isfinite(a)]), np.sort(b[np.isfinite(b)])
    if not (a.size and b.size):
        return float("nan")
    at = np.concatenate((a, b))
    below_a = np.searchsorted(a, at, side="right") / a.size
    below_b = np.searchsorted(b, at, side="right") / b.size
    return float(np.abs(below_a - below_b).max())


def swapped_channels(sim: NDArray[np.float64], target: NDArray[np.float64]) -> dict[int, int]:
    """Return ``{target row: sim row it follows}`` for channels that stand in each other's place.

    A channel is suspect where it follows its own partner with |r| < 0.8 and another with |r| > 0.95; the
    suspects' best partners must form a permutation of themselves.

    Args:
        sim: Finite and moving, shape ``(k, n)``.
        target: The same channels on the same rows.
    """
    k = sim.shape[0]
    if k < 2:
        return {}
    z_sim = sim - sim.mean(axis=1, keepdims=True)
    z_target = target - target.mean(axis=1, keepdims=True)
    z_sim /= np.maximum(np.linalg.norm(z_sim, axis=1, keepdims=True), 1e-300)
    z_target /= np.maximum(np.linalg.norm(z_target, axis=1, keepdims=True), 1e-300)
    r = np.abs(z_target @ z_sim.T)
    best = r.argmax(axis=1)
    row = np.arange(k)
    suspect = (np.diagonal(r) < 0.8) & (r[row, best] > 0.95)
    chosen = {int(i): int(best[i]) for i in np.flatnonzero(suspect)}
    while chosen and set(chosen) != set(chosen.values()):
        targets = set(chosen.values())
        kept = {i: j for i, j in chosen.items() if j in chosen and i in targets}
        if len(kept) == len(chosen):
            return {}
        chosen = kept
    return chosen
