"""What the XY view draws: two signals of one trace against each other, over the visible range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.alignment import Alignment, Interval
from tracescope.model.case import Case
from tracescope.model.trace import Samples
from tracescope.ui.plots.clock import place_of
from tracescope.ui.plots.plot_data import PlotData, Series, series_of
from tracescope.ui.plots.readout import read, values_at
from tracescope.ui.view_model import Side

MOST_POINTS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """One trace's way through the plane, in order of time.

    Attributes:
        at_s: Instants on the sim's clock, shape ``(n,)``.
        x, y: Corrected values there; NaN where either signal has none.
        every: Each how many-th sample of the x signal this is.
    """

    side: Side
    at_s: Samples
    x: Samples
    y: Samples
    every: int

    def runs(self) -> NDArray[np.int64]:
        """Return first and last + 1 of each run of points without a missing one, shape ``(k, 2)``."""
        there = np.isfinite(self.x) & np.isfinite(self.y)
        edges = np.flatnonzero(np.diff(np.concatenate(([0], there.astype(np.int8), [0]))))
        return edges.reshape(-1, 2).astype(np.int64)


def series_on(case: Case, key: str, side: Side) -> Series | None:
    """Return the series that a key draws on one side."""
    return next((s for s in series_of(case, (key,)) if s.side == side), None)


def path_of(
    case: Case, x_key: str, y_key: str, side: Side, span_s: Interval, data: PlotData
) -> Path | None:
    """Return a trace's way through the plane, or ``None`` where it lacks one of the signals.

    Points stand at the samples of the x signal; y is read there as the cursor reads it.
    """
    x, y = series_on(case, x_key, side), series_on(case, y_key, side)
    if x is None or y is None:
        return None
    time_s = x.channel.time_s
    ends = np.array(span_s)
    if side == "target":
        ends = case.alignment.to_target(ends)
    first = int(np.searchsorted(time_s, ends[0], side="left"))
    last = int(np.searchsorted(time_s, ends[1], side="right"))
    every = max(1, -(-(last - first) // MOST_POINTS))
    own_s = time_s[first:last:every]
    value = x.channel.value[first:last:every].astype(np.float64)
    if place_of(y.channel.time_s) == place_of(time_s):
        other = y.channel.value[first:last:every].astype(np.float64)
    else:
        other = values_at(y.channel, own_s, data.clock(y.channel.time_s).gap_s)
    at_s = own_s if side == "sim" else case.alignment.to_sim(own_s)
    return Path(
        side,
        at_s,
        np.asarray((value - x.offset) / x.scale),
        np.asarray((other - y.offset) / y.scale),
        every,
    )


def point_at(
    case: Case, keys: tuple[str, str], side: Side, at_s: float, data: PlotData
) -> tuple[float, float] | None:
    """Return where a trace is in the plane at an instant of the sim's clock, or ``None``."""
    both = [series_on(case, key, side) for key in keys]
    alignment: Alignment = case.alignment
    values = [read(series, alignment, data, at_s) for series in both if series is not None]
    if len(values) < 2 or not np.isfinite(values).all():
        return None
    return values[0], values[1]
