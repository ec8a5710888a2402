"""What drawing derives from a pair's recordings, at most once a pair: pyramids, clocks, cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from tracescope.model.case import Case
from tracescope.model.trace import END_ROLES, Channel, Samples
from tracescope.ui.plots.background import Background
from tracescope.ui.plots.cells import Cells, Lens, cells_of
from tracescope.ui.plots.clock import Clock, Place, clock_of, place_of
from tracescope.ui.plots.outline import Outline, line_outline, step_outline
from tracescope.ui.plots.pyramid import PendingPyramid, Pyramid
from tracescope.ui.view_model import Side, split_key

MOST_CELLS = 16
"""Views of clocks kept for the next frame."""

MOST_ROWS_AT_ONCE = 1_000_000
"""The pyramid of a longer channel is built by a worker; the first picture does not wait for it."""


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
    """Derived from one pair and dropped with it. Recordings are read, never copied.

    Args:
        later: Builds the pyramids of long channels; without one they are built when asked for.
    """

    is_sample = False
    """Whether not every row was read, so that nothing may be said of the rows that were not."""

    def __init__(self, later: Background | None = None) -> None:
        self._later = later
        self._pyramids: dict[int, tuple[Channel, Pyramid]] = {}
        self._clocks: dict[Place, Clock] = {}
        self._cells: dict[tuple[Place, Lens], Cells | None] = {}

    def pyramid(self, channel: Channel) -> Pyramid:
        """Return the pyramid over a channel's own samples, an empty one while it is being built."""
        held = self._pyramids.get(id(channel))
        if held is not None:
            return held[1]
        if self._later is not None and channel.value.size > MOST_ROWS_AT_ONCE:
            pyramid: Pyramid = PendingPyramid(channel.value.size)
            self._later.ask(channel, partial(Pyramid, channel.value))
        else:
            pyramid = Pyramid(channel.value)
        self._pyramids[id(channel)] = (channel, pyramid)
        return pyramid

    def take(self, channel: Channel, pyramid: Pyramid) -> None:
        """Take in a pyramid that was built later."""
        self._pyramids[id(channel)] = (channel, pyramid)

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
            self._cells[key] = cells_of(time_s, lens, self.clock(time_s).gap_s)
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

    def joints(self, channel: Channel, lens: Lens) -> Outline | None:
        """Return what joins the rows that were read, where not every row was; it is drawn paler."""
        del channel, lens
        return None

    def value_bounds(self, series: Series) -> tuple[float, float]:
        """Return least and greatest finite corrected value, NaN where there is none."""
        pyramid = self.pyramid(series.channel)
        ends = (series.corrected(pyramid.low), series.corrected(pyramid.high))
        return min(ends), max(ends)


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
    words = correction.in_short
    return Series(key, "target", channel, correction.scale, correction.offset, words, place)
