"""The band that a residual may lie in: what a scale and a level within their tolerances explain."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPolygonF

from tracescope.analysis.differences import SampleRule, sample_rule
from tracescope.checks.observation_scaling_tolerances import LEVEL, SCALE
from tracescope.model.case import Case
from tracescope.model.trace import Channel
from tracescope.ui.plots.background import Background
from tracescope.ui.plots.cells import Lens
from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.outline import polygon_of
from tracescope.ui.plots.pane import Box, Pane
from tracescope.ui.plots.plot_data import PlotData

MOST_AT_ONCE = 200_000
"""The rule of a longer channel is found by a worker; until then there is no band."""

BEYOND_PX = 8.0

LEAST_SEEN_PX = 3.0
"""A lower band is lost behind the zero line."""

RuleKey = tuple[str, float, float, float, float]


class ToleranceBands(QObject):
    """The rules of one pair's channels, the same that N and P walk by, as areas of a residual lane.

    Signals:
        arrived: A band that was missing can be drawn now.
    """

    arrived = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rules: dict[RuleKey, SampleRule] = {}
        self._shapes: dict[str, tuple[object, list[QPolygonF]]] = {}
        self._background = Background("tolerance", self._take, self)
        self._background.arrived.connect(self.arrived)

    def forget(self) -> None:
        """Begin with another pair."""
        self._rules.clear()
        self._shapes.clear()
        self._background.forget(lambda _: True)

    @property
    def is_busy(self) -> bool:
        """Whether a worker still looks for a rule."""
        return self._background.is_busy

    def of(self, pane: Pane, frame: Frame, data: PlotData) -> list[QPolygonF]:
        """Return the band of a pane's residual lane; none where it has no one tolerance."""
        if not pane.has_band:
            return []
        sim = pane.couples[0].sim.channel
        return self.shapes(sim, frame.case, frame.sim_lens, pane.residual, data)

    def take_sight(self, panes: list[Pane], frame: Frame, data: PlotData) -> bool:
        """Tell panes whether their band is seen, so that no legend names one that is not.

        Returns:
            Whether that has changed for any.
        """
        before = [pane.band_is_seen for pane in panes]
        for pane in panes:
            heights = (band.boundingRect().height() for band in self.of(pane, frame, data))
            pane.band_is_seen = max(heights, default=0.0) >= LEAST_SEEN_PX
        return before != [pane.band_is_seen for pane in panes]

    def shapes(
        self, channel: Channel, case: Case, lens: Lens, box: Box, data: PlotData
    ) -> list[QPolygonF]:
        """Return the band around zero beside a sim channel, from its box's upper left corner."""
        rule = self._rule(channel, case)
        if rule is None or rule.sd == 0 or data.pyramid(channel).is_pending:
            return []
        key = (rule, lens, box.low, box.high, box.rect.height())
        held = self._shapes.get(channel.name)
        if held is not None and held[0] == key:
            return held[1]
        polygons = band_polygons(channel, rule, lens, box, data)
        self._shapes[channel.name] = (key, polygons)
        return polygons

    def _rule(self, channel: Channel, case: Case) -> SampleRule | None:
        scale, level = case.tolerances[SCALE], case.tolerances[LEVEL]
        key = (channel.name, *scale, *level)
        if key not in self._rules:
            if channel.value.size > MOST_AT_ONCE:
                self._background.ask(key, lambda: sample_rule(channel.as_float(), scale, level))
                return None
            self._take(key, sample_rule(channel.as_float(), scale, level))
        return self._rules[key]

    def _take(self, key: RuleKey, rule: SampleRule) -> None:
        self._rules[key] = rule


def band_polygons(
    channel: Channel, rule: SampleRule, lens: Lens, box: Box, data: PlotData
) -> list[QPolygonF]:
    """Return an area for every unbroken piece of the band."""
    cells = data.cells(channel.time_s, lens)
    if cells is None:
        return []
    least, most = cells.extremes(data.pyramid(channel))
    ends = [rule.allowed(np.asarray(value, np.float64)) for value in (least, most)]
    low = np.fmin(ends[0][0], ends[1][0])
    high = np.fmax(ends[0][1], ends[1][1])
    valid = np.isfinite(low) & np.isfinite(high)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], valid, [False])).astype(np.int8)))
    height, px = box.rect.height(), box.px_per_unit
    top = np.clip(box.at_zero_px - high * px, -BEYOND_PX, height + BEYOND_PX)
    bottom = np.clip(box.at_zero_px - low * px, -BEYOND_PX, height + BEYOND_PX)
    out = []
    for first, last in edges.reshape(-1, 2).tolist():
        x = np.repeat(cells.x[first:last], 2)
        x[1::2] = cells.x_last[first:last]
        upper, lower = np.repeat(top[first:last], 2), np.repeat(bottom[first:last], 2)
        points = np.concatenate((x, x[::-1])), np.concatenate((upper, lower[::-1]))
        out.append(polygon_of(np.column_stack(points)))
    return out
