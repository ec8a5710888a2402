"""A clock read at other instants, once for all channels that share it."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import Place, gap_length_s, place_of
from tracescope.model.trace import Channel, Samples

BLOCK_ROWS = 1 << 18
"""Instants placed and read at a time: what is only needed in between stays small beside long traces."""

Rows = NDArray[np.int32] | NDArray[np.int64]
"""Row numbers, in half the memory wherever they are small enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where instants lie among the stamps of a clock, shape ``(m,)`` each.

    Attributes:
        left: The last sample at or before.
        met: Whether its stamp is met.
        lower, upper: The distinct stamps on either side.
        weight: Of ``upper`` between them.
        blank, blank_held: Whether nothing can be read there by a straight line, and of what holds its value.
    """

    left: Rows
    met: NDArray[np.bool_]
    lower: Rows
    upper: Rows
    weight: Samples
    blank: NDArray[np.bool_]
    blank_held: NDArray[np.bool_]

    def read(self, channel: Channel, value: Samples) -> Samples:
        """Return a channel's values (corrected or not) at the instants, shape ``(m,)``; NaN where it has none."""
        out = np.full(self.left.shape, np.nan)
        if value.size:
            for start in range(0, self.left.size, BLOCK_ROWS):
                some = slice(start, start + BLOCK_ROWS)
                out[some] = self._read(channel, value, some)
        return out

    def _read(self, channel: Channel, value: Samples, some: slice) -> Samples:
        if channel.is_step:
            return np.where(self.blank_held[some], np.nan, value[self.left[some]])
        low, high = value[self.lower[some]], value[self.upper[some]]
        between = low + self.weight[some] * (high - low)
        met = np.where(self.met[some], value[self.left[some]], between)
        # A stamp that is met takes its sample as it is: equal clocks must not change a value by rounding.
        return np.where(self.blank[some], np.nan, met)


def places_in(time_s: Samples, at_s: Samples, gap_s: float) -> Places:
    """Place instants in a clock.

    Args:
        time_s: Never decreasing, shape ``(n,)``.
        at_s: Instants on the same clock, not decreasing, shape ``(m,)``.
        gap_s: A longer interval between two samples is a gap: nothing is read inside.
    """
    if time_s.size == 0:
        nothing, everything = np.zeros(at_s.shape, np.int64), np.ones(at_s.shape, np.bool_)
        weight = np.zeros(at_s.shape)
        return Places(nothing, ~everything, nothing, nothing, weight, everything, everything)
    kept, distinct = None, time_s
    if not (time_s[1:] > time_s[:-1]).all():
        kept = np.flatnonzero(np.concatenate(([True], np.diff(time_s) > 0)))
        distinct = time_s[kept]
    found = _places_of(at_s.size, small=time_s.size < 2**31)
    for start in range(0, at_s.size, BLOCK_ROWS):
        some = slice(start, start + BLOCK_ROWS)
        placed = _placed(time_s, distinct, kept, at_s[some], gap_s)
        for field in fields(Places):
            getattr(found, field.name)[some] = getattr(placed, field.name)
    return found


def _places_of(size: int, *, small: bool) -> Places:
    flags = [np.zeros(size, np.bool_) for _ in range(3)]
    left, lower, upper = (
        np.zeros(size, np.int32) if small else np.zeros(size, np.int64) for _ in range(3)
    )
    return Places(left, flags[0], lower, upper, np.zeros(size), flags[1], flags[2])


def _placed(
    time_s: Samples,
    distinct: Samples,
    kept: NDArray[np.int64] | None,
    at_s: Samples,
    gap_s: float,
) -> Places:
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
    return Places(
        left,
        np.abs(time_s[left] - at_s) <= slack,
        nearest if kept is None else kept[nearest],
        after if kept is None else kept[after],
        weight,
        hole | before | (at_s > time_s[-1] + slack),
        hole | before | (at_s > time_s[-1] + gap_s),
    )


class Reader:
    """The channels of one trace at given instants; what depends on their clocks alone is found once."""

    def __init__(self, at_s: Samples) -> None:
        self._at_s = at_s
        self._known: dict[Place, Places] = {}

    def read(self, channel: Channel, value: Samples) -> Samples:
        """Return a channel's values at the instants, shape ``(m,)``."""
        # Views of one array are one clock, for as long as the pair holds it.
        key = place_of(channel.time_s)
        if key not in self._known:
            gap_s = gap_length_s(channel.time_s)
            self._known[key] = places_in(channel.time_s, self._at_s, gap_s)
        return self._known[key].read(channel, value)


def resampled(channel: Channel, value: Samples, at_s: Samples, gap_s: float) -> Samples:
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
