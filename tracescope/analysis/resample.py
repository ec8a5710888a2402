"""A clock read at other instants, once for all channels that share it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import Place, gap_length_s, place_of
from tracescope.analysis.stretches import blocks_of_rows
from tracescope.model.trace import Channel, Samples

Rows = NDArray[np.int32] | NDArray[np.int64]
"""Row numbers, in half the memory wherever they are small enough."""

Flags = NDArray[np.bool_] | bool


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Where some instants, one after the other, lie among the stamps of a clock.

    Rows one after the other are a slice and a flag that all instants share is one, so that clocks with equal
    intervals cost next to nothing.

    Attributes:
        left: The last sample at or before each.
        met: Whether its stamp is met.
        lower, upper: The distinct stamps on either side.
        weight: Of ``upper`` between them; empty where every stamp is met.
        blank, blank_held: Whether nothing can be read there by a straight line, and of what holds its value.
    """

    left: Rows | slice
    met: Flags
    lower: Rows | slice
    upper: Rows | slice
    weight: Samples
    blank: Flags
    blank_held: Flags

    def read(self, value: NDArray[Any], *, held: bool) -> Samples:
        if held:
            return _without(_taken(value, self.left), self.blank_held)
        if self.met is True:
            return _without(_taken(value, self.left), self.blank)
        low, high = _taken(value, self.lower), _taken(value, self.upper)
        read = low + self.weight * (high - low)
        if self.met is not False:
            # A stamp that is met takes its sample as it is: equal clocks must not change a value by rounding.
            read = np.where(self.met, _taken(value, self.left), read)
        return _without(read, self.blank)


def _taken(value: NDArray[Any], rows: Rows | slice) -> Samples:
    return value[rows].astype(np.float64, copy=False)


def _without(value: Samples, blank: Flags) -> Samples:
    return value if blank is False else np.where(blank, np.nan, value)


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where instants lie among the stamps of a clock, block by block.

    Attributes:
        blocks: One each of :func:`~tracescope.analysis.stretches.blocks_of_rows`.
        size: How many instants, m.
    """

    blocks: tuple[_Block, ...]
    size: int

    def read(self, channel: Channel, value: NDArray[Any]) -> Samples:
        """Return a channel's values (corrected or not) at the instants, shape ``(m,)``; NaN where it has none."""
        if not value.size:
            return np.full(self.size, np.nan)
        out = np.empty(self.size)
        for rows, block in zip(blocks_of_rows(self.size), self.blocks, strict=True):
            out[rows] = block.read(value, held=channel.is_step)
        return out


def places_in(time_s: Samples, at_s: Samples, gap_s: float) -> Places:
    """Place instants in a clock.

    Args:
        time_s: Never decreasing, shape ``(n,)``.
        at_s: Instants on the same clock, not decreasing, shape ``(m,)``.
        gap_s: A longer interval between two samples is a gap: nothing is read inside.
    """
    if time_s.size == 0:
        return Places((), at_s.size)
    kept, distinct = None, time_s
    if not (time_s[1:] > time_s[:-1]).all():
        kept = np.flatnonzero(np.concatenate(([True], np.diff(time_s) > 0)))
        distinct = time_s[kept]
    blocks = (
        _placed(time_s, distinct, kept, at_s[rows], gap_s) for rows in blocks_of_rows(at_s.size)
    )
    return Places(tuple(blocks), at_s.size)


def _placed(
    time_s: Samples,
    distinct: Samples,
    kept: NDArray[np.int64] | None,
    at_s: Samples,
    gap_s: float,
) -> _Block:
    """Place a block of instants; ``kept`` are the samples with the distinct stamps, ``None`` for all."""
    slack = 1e-9 * max(1.0, abs(float(time_s[-1])))
    last = time_s.size - 1
    left = np.clip(np.searchsorted(time_s, at_s + slack, side="right") - 1, 0, last)
    nearest = np.clip(np.searchsorted(distinct, at_s, side="right") - 1, 0, distinct.size - 1)
    after = np.minimum(nearest + 1, distinct.size - 1)
    apart = distinct[after] - distinct[nearest]
    weight = np.clip((at_s - distinct[nearest]) / np.where(apart > 0, apart, np.inf), 0.0, 1.0)
    right = np.minimum(left + 1, last)
    hole = (time_s[right] - time_s[left] > gap_s) & (at_s > time_s[left] + slack)
    before = at_s < time_s[0] - slack
    below = nearest if kept is None else kept[nearest]
    lower = _small(below)
    met = _flags(np.abs(time_s[left] - at_s) <= slack)
    return _Block(
        lower if np.array_equal(left, below) else _small(left),
        met,
        lower,
        _small(after if kept is None else kept[after]),
        weight[:0] if met is True else weight,
        _flags(hole | before | (at_s > time_s[-1] + slack)),
        _flags(hole | before | (at_s > time_s[-1] + gap_s)),
    )


def _small(rows: NDArray[np.int64]) -> Rows | slice:
    """Return rows as a slice where they follow one another, else in as few bytes as hold them."""
    first, last = int(rows[0]), int(rows[-1])
    if last - first == rows.size - 1 and bool((np.diff(rows) == 1).all()):
        return slice(first, last + 1)
    return rows.astype(np.int32) if int(rows.max()) < 2**31 else rows


def _flags(flags: NDArray[np.bool_]) -> Flags:
    """Return one flag where all are the same."""
    if flags.all():
        return True
    return flags if flags.any() else False


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The samples of a clock that lie nearest to instants, block by block.

    Attributes:
        blocks: Samples, and which of them are those of the instant before.
        size: How many instants, m.
    """

    blocks: tuple[tuple[Rows | slice, Flags], ...]
    size: int

    def read(self, value: NDArray[Any]) -> Samples:
        """Return the nearest values, shape ``(m,)``; NaN where a sample was read for the instant before."""
        out = np.empty(self.size)
        for rows, (sample, again) in zip(blocks_of_rows(self.size), self.blocks, strict=True):
            out[rows] = _without(_taken(value, sample), again)
        return out


def nearest_in(time_s: Samples, at_s: Samples) -> Nearest:
    """Find the nearest samples of a clock.

    Args:
        time_s: Never decreasing, shape ``(n,)``, n > 0.
        at_s: Instants on the same clock, not decreasing, shape ``(m,)``.
    """
    middle = time_s[1:] + time_s[:-1]
    middle *= 0.5
    blocks, before = [], -1
    for rows in blocks_of_rows(at_s.size):
        sample = np.searchsorted(middle, at_s[rows])
        blocks.append((_small(sample), _flags(np.diff(sample, prepend=before) == 0)))
        before = int(sample[-1])
    return Nearest(tuple(blocks), at_s.size)


class Reader:
    """The channels of one trace at given instants; what depends on their clocks alone is found once."""

    def __init__(self, at_s: Samples) -> None:
        self._at_s = at_s
        self._known: dict[Place, Places] = {}

    def read(
        self, channel: Channel, value: NDArray[Any], some: slice | NDArray[np.int64] | None = None
    ) -> Samples:
        """Return a channel's values (corrected, or as it holds them) at the instants or some, shape ``(m,)``."""
        if some is not None:
            return resampled(channel, value, self._at_s[some], gap_length_s(channel.time_s))
        # Views of one array are one clock, for as long as the pair holds it.
        key = place_of(channel.time_s)
        if key not in self._known:
            gap_s = gap_length_s(channel.time_s)
            self._known[key] = places_in(channel.time_s, self._at_s, gap_s)
        return self._known[key].read(channel, value)


def resampled(channel: Channel, value: NDArray[Any], at_s: Samples, gap_s: float) -> Samples:
    """Return a channel's values at other instants, NaN outside its span and inside its gaps.

    Args:
        channel: Gives the clock and whether it is drawn as steps.
        value: Its values (corrected or not), shape ``(n,)``.
        at_s: Instants on the channel's clock, shape ``(m,)``, not decreasing.
        gap_s: A longer interval between two samples is a gap.

    Returns:
        Shape ``(m,)``.
    """
    return places_in(channel.time_s, at_s, gap_s).read(channel, value)
