"""From cells to the points that a painter connects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPolygonF
from shiboken6 import VoidPtr

from tracescope.model.trace import Samples
from tracescope.ui.plots.cells import Cells
from tracescope.ui.plots.pyramid import Pyramid

FARTHEST_PX = 1e6
"""Points outside the box are painted at most this far away: painters do not take every number."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A curve in a view: pixels from the left edge, and values still in the channel's unit.

    Attributes:
        x, value: The points to connect, shape ``(m,)``.
        spans: (first, last + 1) of each run of points without a gap, shape ``(k, 2)``.
    """

    x: Samples
    value: Samples
    spans: NDArray[np.int64]

    def fill(self, out: Samples, first: int, at_zero_px: float, px_per_unit: float) -> None:
        """Write points from ``first`` on into ``out``, shape ``(k, 2)``, in pixels.

        ``y = at_zero_px − value · px_per_unit``.
        """
        piece = slice(first, first + len(out))
        x, y = out[:, 0], out[:, 1]
        x[:] = self.x[piece]
        np.multiply(self.value[piece], -px_per_unit, out=y)
        y += at_zero_px
        far = max(-y.min(), y.max(), -x[0], x[-1])
        if not far <= FARTHEST_PX:
            np.clip(out, -FARTHEST_PX, FARTHEST_PX, out=out)


def line_outline(cells: Cells, pyramid: Pyramid) -> Outline:
    """Connect samples; a cell of several is a stroke from its least to its greatest."""
    low, high = cells.extremes(pyramid)
    spans = _spans(~np.isnan(low), cells.breaks)
    if cells.raw:
        return Outline(cells.x, low.astype(np.float64, copy=False), spans)
    value = np.empty(2 * low.size)
    value[0::2], value[1::2] = low, high
    return Outline(np.repeat(cells.x, 2), value, spans * 2)


def step_outline(cells: Cells, pyramid: Pyramid, hold_px: float) -> Outline:
    """Hold each sample until the next one, at most ``hold_px`` where a gap or the end follows."""
    low, high = cells.extremes(pyramid)
    until = np.empty_like(cells.x)
    until[:-1] = cells.x[1:]
    until[-1:] = cells.x_last[-1:] + hold_px
    before_gap = cells.breaks - 1
    until[before_gap] = np.minimum(until[before_gap], cells.x_last[before_gap] + hold_px)
    spans = _spans(~np.isnan(low), cells.breaks)
    each = 2 if cells.raw else 4
    x = np.repeat(cells.x, each)
    x[each - 1 :: each] = until
    value = np.empty(each * low.size)
    if cells.raw:
        value[0::2] = value[1::2] = low
    else:
        kept = pyramid.value[cells.last]
        kept = np.where(np.isnan(kept), high, kept)
        value[0::4], value[1::4], value[2::4], value[3::4] = low, high, kept, kept
    return Outline(x, value, spans * each)


def _spans(valid: NDArray[np.bool_], breaks: NDArray[np.int64]) -> NDArray[np.int64]:
    if not breaks.size and valid.all():
        return np.array([[0, valid.size]], np.int64)
    changes = np.flatnonzero(valid[1:] != valid[:-1]) + 1
    edges = np.sort(np.concatenate(([0], changes, breaks, [valid.size])))
    edges = edges[np.concatenate(([True], edges[1:] != edges[:-1]))]
    kept = valid[edges[:-1]]
    return np.stack((edges[:-1][kept], edges[1:][kept]), axis=1)


def polygon_of(points: Samples) -> QPolygonF:
    """Copy points, shape ``(m, 2)``, into a polygon without a Python loop."""
    polygon = QPolygonF()
    polygon.resize(len(points))
    if len(points):
        _memory_of(polygon)[:] = points
    return polygon


def _memory_of(polygon: QPolygonF) -> Samples:
    """Return a polygon's points as an array, shape ``(m, 2)``, over its own memory."""
    size = polygon.size()
    memory = VoidPtr(polygon.data(), size * 16, True)  # type: ignore[call-arg,arg-type]  # noqa: FBT003
    return np.frombuffer(memory, np.float64).reshape(size, 2)  # type: ignore[call-overload,no-any-return]


def polygons_of(outline: Outline, at_zero_px: float, px_per_unit: float) -> list[QPolygonF]:
    """Return one polygon for each run of points without a gap."""
    out = []
    for first, last in outline.spans.tolist():
        polygon = QPolygonF()
        polygon.resize(last - first)
        outline.fill(_memory_of(polygon), first, at_zero_px, px_per_unit)
        out.append(polygon)
    return out


def edges_of(polygons: list[QPolygonF], a_cell: int, least_px: float) -> list[QPolygonF]:
    """Return the lower and upper edge of a curve where it is a block of strokes, in pixels.

    Args:
        polygons: Of cells of several samples.
        a_cell: Points of a cell, whose first two are its least and greatest sample.
        least_px: Strokes that are shorter stand for a line, and have no edges.
    """
    out = []
    for polygon in polygons:
        cells = _memory_of(polygon).reshape(-1, a_cell, 2)[:, :2]
        tall = np.abs(cells[:, 0, 1] - cells[:, 1, 1]) >= least_px
        ends = np.flatnonzero(np.diff(np.concatenate(([0], tall.astype(np.int8), [0]))))
        for first, last in ends.reshape(-1, 2).tolist():
            if last - first > 1:
                out += [polygon_of(cells[first:last, edge]) for edge in (0, 1)]
    return out


def passes_near(polygon: QPolygonF, at: QPointF, within_px: float) -> bool:
    """Whether a line through the points of a polygon passes within some pixels of a point."""
    points = _memory_of(polygon)
    first = int(np.searchsorted(points[:, 0], at.x() - within_px)) - 1
    last = int(np.searchsorted(points[:, 0], at.x() + within_px, side="right")) + 1
    near = points[max(first, 0) : last] - (at.x(), at.y())
    if len(near) < 2:
        return bool(len(near) and np.hypot(*near[0]) <= within_px)
    start, along = near[:-1], np.diff(near, axis=0)
    length = (along**2).sum(axis=1)
    share = np.clip(-(start * along).sum(axis=1) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    foot = start + share[:, None] * along
    return bool((np.hypot(foot[:, 0], foot[:, 1]) <= within_px).any())


def paint_polygons(painter: QPainter, polygons: list[QPolygonF]) -> None:
    """Paint runs as lines; a lone sample between gaps as a small cross, so that it is seen."""
    for polygon in polygons:
        if polygon.size() == 1:
            point = polygon.at(0)
            painter.drawLine(point - QPointF(1, 0), point + QPointF(1, 0))
            painter.drawLine(point - QPointF(0, 1), point + QPointF(0, 1))
        else:
            painter.drawPolyline(polygon)
