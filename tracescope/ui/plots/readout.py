"""What a cursor reads: raw samples through the same lenses as the drawn curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.alignment import Alignment
from tracescope.model.trace import Channel, Samples
from tracescope.ui.plots.plot_data import PlotData, Series


@dataclass(frozen=True, slots=True, eq=False)
class Spots:
    """Where instants lie between the samples of a clock: shared by all channels of the clock.

    Attributes:
        left, right: Rows before (or at) and after each instant, shape ``(m,)``.
        weight: Share of the way from ``left`` to ``right``.
        hole: Inside a gap, or outside the recording.
        past: Seconds after the last sample; 0 for instants not after it.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    weight: Samples
    hole: NDArray[np.bool_]
    past: Samples
    gap_s: float

    def values(self, channel: Channel) -> Samples:
        """Return a channel's own values there; a held value lasts up to a gap after the last sample."""
        out = channel.value[self.left].astype(np.float64)
        if not channel.is_step:
            with np.errstate(invalid="ignore"):
                # Without the condition, 0 · NaN would erase a sample that stands beside a dropped one.
                between = out + self.weight * (channel.value[self.right] - out)
                out = np.where(self.weight > 0, between, out)
        out[self.hole | (self.past > (self.gap_s if channel.is_step else 0.0))] = np.nan
        return out


def spots_of(time_s: Samples, at_s: Samples, gap_s: float) -> Spots:
    """Find instants on a clock; only the samples around each are touched, however long the recording.

    Args:
        time_s: The clock, shape ``(n,)``, ``n > 0``, never decreasing.
        at_s: Instants on it, shape ``(m,)``.
        gap_s: A longer interval between two samples is a gap.
    """
    first, last = float(time_s[0]), float(time_s[-1])
    slack = 1e-9 * max(1.0, abs(last))
    left = np.clip(np.searchsorted(time_s, at_s + slack, side="right") - 1, 0, time_s.size - 1)
    right = np.minimum(left + 1, time_s.size - 1)
    before = time_s[left]
    apart = time_s[right] - before
    between = (at_s > before + slack) & (apart > 0)
    weight = np.where(between, (at_s - before) / np.where(apart > 0, apart, 1.0), 0.0)
    hole = ((apart > gap_s) & between) | (at_s < first - slack)
    return Spots(left, right, weight, hole, np.maximum(at_s - last - slack, 0.0), gap_s)


def values_at(channel: Channel, at_s: Samples, gap_s: float) -> Samples:
    """Return a channel's own values where its drawn curve passes these instants.

    Args:
        channel: Linear between its samples, or holding each where it is drawn as steps.
        at_s: Instants on the channel's clock, shape ``(m,)``.
        gap_s: A longer interval between two samples is a gap.

    Returns:
        Shape ``(m,)``; NaN outside the channel's span and inside its gaps.
    """
    if not channel.time_s.size:
        return np.full(at_s.shape, np.nan)
    return spots_of(channel.time_s, at_s, gap_s).values(channel)


def read(series: Series, alignment: Alignment, data: PlotData, at_s: float) -> float:
    """Return the corrected value of a series at an instant of the sim's clock, NaN where it has none.

    The value lies on the drawn curve: nothing is read across what is a gap to the checks.
    """
    own_s = at_s if series.side == "sim" else alignment.to_target_one(at_s)
    gap_s = data.clock(series.channel.time_s).gap_s
    value = values_at(series.channel, np.array([own_s]), gap_s)[0]
    return float(series.corrected(value))


def sample_times(series: Series, alignment: Alignment) -> Samples:
    """Return a series' sample instants on the sim's clock, shape ``(n,)``."""
    time_s = series.channel.time_s
    return time_s if series.side == "sim" else alignment.to_sim(time_s)


def nearest_sample(series: Series, alignment: Alignment, at_s: float) -> float:
    """Return the sample instant nearest to an instant, on the sim's clock."""
    return _stepped(series, alignment, at_s, 0)


def stepped_sample(series: Series, alignment: Alignment, at_s: float, by: int) -> float:
    """Return the sample instant ``by`` samples after (before, where negative) an instant."""
    return _stepped(series, alignment, at_s, by)


def _stepped(series: Series, alignment: Alignment, at_s: float, by: int) -> float:
    time_s = series.channel.time_s
    if not time_s.size:
        return at_s
    own_s = at_s if series.side == "sim" else alignment.to_target_one(at_s)
    right = int(np.searchsorted(time_s, own_s))
    near = [row for row in (right - 1, right) if 0 <= row < time_s.size]
    row = min(near, key=lambda r: abs(float(time_s[r]) - own_s))
    slack = 1e-9 * max(1.0, abs(own_s))
    if by > 0 and time_s[row] > own_s + slack:
        by -= 1
    if by < 0 and time_s[row] < own_s - slack:
        by += 1
    stamp = float(time_s[min(max(row + by, 0), time_s.size - 1)])
    return stamp if series.side == "sim" else alignment.to_sim_one(stamp)
