"""What drawing derives from a pair's recordings, at most once a pair: pyramids, clocks, cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.rows import GAP_PERIODS
from tracescope.model.case import Case
from tracescope.model.trace import END_ROLES, Channel, Samples
from tracescope.ui.plots.cells import Cells, Lens, cells_of
from tracescope.ui.plots.outline import Outline, line_outline, step_outline
from tracescope.ui.plots.pyramid import Pyramid
from tracescope.ui.view_model import Side, split_key

MOST_CELLS = 16
"""Views of clocks kept for the next frame."""

Place = tuple[int, int, int]

MOST_INTERVALS = 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """The intervals of a clock, seconds.

    Attributes:
        interval_s: The median.
        gap_s: A longer interval is a gap to the checks.
        drawn_gap_s: A longer interval is drawn as a gap. Greater than ``gap_s`` only where a tenth of all
            intervals is longer than the median's one and a half: the curve of a clock that jitters is
            still a curve.
    """

    interval_s: float
    gap_s: float
    drawn_gap_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A curve of a pane: a channel of one side with its correction, ``(value − offset) / scale``.

    ``place`` counts the keys of the pane, for shades.
    """

    key: str
    side: Side
    channel: Channel
    scale: float = 1.0
    offset: float = 0.0
    correction: str = ""
    place: int = 0

    @property
    def is_flag(self) -> bool:
        """Whether it is drawn as a band where it is true."""
        return self.channel.role in END_ROLES or self.channel.value.dtype.kind == "b"

    def corrected(self, value: float) -> float:
        """Return one value with the correction applied."""
        return (value - self.offset) / self.scale


class PlotData:
    """Derived from one pair and dropped with it. Recordings are read, never copied."""

    def __init__(self) -> None:
        self._pyramids: dict[int, tuple[Channel, Pyramid]] = {}
        self._clocks: dict[Place, Clock] = {}
        self._cells: dict[tuple[Place, Lens], Cells | None] = {}

    def pyramid(self, channel: Channel) -> Pyramid:
        """Return the pyramid over a channel's own samples."""
        held = self._pyramids.get(id(channel))
        if held is None:
            held = self._pyramids[id(channel)] = (channel, Pyramid(channel.value))
        return held[1]

    def clock(self, time_s: Samples) -> Clock:
        """Return what is known of a clock."""
        place = place_of(time_s)
        held = self._clocks.get(place)
        if held is None:
            held = self._clocks[place] = clock_of(time_s)
        return held

    def cells(self, time_s: Samples, lens: Lens) -> Cells | None:
        """Return the cells of a clock in a view, shared by all its channels."""
        key = (place_of(time_s), lens)
        if key not in self._cells:
            while len(self._cells) >= MOST_CELLS:
                del self._cells[next(iter(self._cells))]  # the oldest
            self._cells[key] = cells_of(time_s, lens, self.clock(time_s).drawn_gap_s)
        return self._cells[key]

    def outline(self, channel: Channel, lens: Lens) -> Outline | None:
        """Return a channel's curve in a view, in its own unit."""
        cells = self.cells(channel.time_s, lens)
        if cells is None:
            return None
        pyramid = self.pyramid(channel)
        if not channel.is_step:
            return line_outline(cells, pyramid)
        interval_s = self.clock(channel.time_s).interval_s
        hold_px = interval_s * lens.px_per_s if np.isfinite(interval_s) else lens.width_px
        return step_outline(cells, pyramid, hold_px)

    def value_bounds(self, series: Series) -> tuple[float, float]:
        """Return least and greatest finite corrected value, NaN where there is none."""
        pyramid = self.pyramid(series.channel)
        ends = (series.corrected(pyramid.low), series.corrected(pyramid.high))
        return min(ends), max(ends)


def place_of(time_s: Samples) -> Place:
    """Say where a clock lies in memory: views of one array are one clock. Valid while the pair lives."""
    address: int = time_s.__array_interface__["data"][0]
    return address, time_s.size, time_s.strides[0]


def clock_of(time_s: Samples) -> Clock:
    """Measure the intervals of a clock, on at most about a million of them."""
    steps = np.diff(time_s)
    steps = steps[:: max(1, steps.size // MOST_INTERVALS)]
    steps = steps[steps > 0]
    if not steps.size:
        return Clock(float("inf"), float("inf"), float("inf"))
    middle, long = np.quantile(steps, (0.5, 0.9), method="inverted_cdf").tolist()
    return Clock(middle, GAP_PERIODS * middle, GAP_PERIODS * long)


def series_of(case: Case, keys: tuple[str, ...]) -> tuple[Series, ...]:
    """Return what a pane with these keys draws; keys the pair does not have draw nothing."""
    out: list[Series] = []
    for place, key in enumerate(keys):
        side, name = split_key(key)
        sim = case.pair.sim.get(name) if side == "sim" else None
        if sim is not None:
            out.append(Series(key, "sim", sim, place=place))
        twin = case.pair.target_of(name) if side == "sim" else name
        if twin is not None and twin in case.pair.target:
            out.append(_target_series(case, key, twin, place))
    return tuple(out)


def _target_series(case: Case, key: str, name: str, place: int) -> Series:
    correction = case.correction_of(name)
    if correction is None:
        return Series(key, "target", case.pair.target[name], place=place)
    channel = case.pair.target[correction.source or name]
    words = str(correction).removeprefix(name).strip()
    return Series(key, "target", channel, correction.scale, correction.offset, words, place)
