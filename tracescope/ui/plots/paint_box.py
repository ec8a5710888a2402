"""Painting the inside of a pane: ground, grid, hatches, spans, curves, flags, cursors."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from tracescope.ui.plots.frame import LEAST_GAP_PX, Frame
from tracescope.ui.plots.ink import (
    colour_of,
    cosmetic,
    hatched,
    level,
    levels,
    stroke,
    tinted,
    upright,
    uprights,
)
from tracescope.ui.plots.outline import Outline, edges_of, paint_polygons, polygons_of
from tracescope.ui.plots.pane import Box, Pane
from tracescope.ui.plots.plot_data import PlotData, Series
from tracescope.ui.plots.residuals import Residuals
from tracescope.ui.plots.ticks import tick_values
from tracescope.ui.theme import mixed
from tracescope.ui.view_model import Side, key_of

PX_PER_VALUE_TICK = 28
MOST_DASHED = 60
LEAST_BLOCK_PX = 8.0
"""From this height on the strokes of samples that share a pixel make a block."""


def value_ticks(box: Box) -> tuple[float, tuple[float, ...]]:
    """Return step and values of the ticks of a box."""
    most = max(2, int(box.rect.height() / PX_PER_VALUE_TICK))
    step, values = tick_values(box.low, box.high, most)
    # One number alone says nothing about scale.
    return (step, values) if len(values) > 1 else tick_values(box.low, box.high, 2 * most)


def paint_ground(painter: QPainter, box: Box, frame: Frame, *, value_grid: bool = True) -> None:
    """Fill a box and draw its grid."""
    painter.fillRect(box.rect, QColor(frame.theme.background))
    painter.setPen(cosmetic(frame.theme.grid))
    uprights(painter, frame.ticks_px, box.rect.top(), box.rect.bottom())
    if value_grid:
        ys = [round(box.y(value)) for value in value_ticks(box)[1]]
        levels(painter, ys, box.rect.left(), box.rect.right())


def paint_hatches(painter: QPainter, pane: Pane, frame: Frame, data: PlotData) -> None:
    """Hatch what only one trace covers, and the gaps of each side's clock in its own slant."""
    rect = pane.box.rect
    for left, right in frame.alone_px:
        painter.fillRect(
            QRectF(left, rect.top(), right - left, rect.height()), hatched(frame.theme.hatch)
        )
    if data.is_sample:
        return
    slants: tuple[tuple[Side, str, Qt.BrushStyle], ...] = (
        ("sim", frame.theme.sim, Qt.BrushStyle.BDiagPattern),
        ("target", frame.theme.target, Qt.BrushStyle.FDiagPattern),
    )
    for side, colour, slant in slants:
        channel = next((s.channel for s in pane.series if s.side == side), None)
        cells = None if channel is None else data.cells(channel.time_s, frame.lens(side))
        if cells is None or not cells.breaks.size:
            continue
        starts, ends = cells.x_last[cells.breaks - 1], cells.x[cells.breaks]
        for left, right in zip(starts.tolist(), ends.tolist(), strict=True):
            left, right = max(left, 0.0), min(right, frame.width_px)  # noqa: PLW2901
            if right - left > LEAST_GAP_PX:
                area = QRectF(frame.left_px + left, rect.top(), right - left, rect.height())
                painter.fillRect(area, hatched(colour, slant))


def paint_spans(painter: QPainter, pane: Pane, box: Box, frame: Frame) -> None:
    """Tint the evidence that concerns a pane, and draw a person's marks."""
    theme, rect = frame.theme, box.rect
    session_keys = set(pane.keys)
    for evidence in frame.evidence:
        keys = {key_of(frame.case.pair, name) for name in evidence.channels} - {""}
        if keys and not keys & session_keys:
            continue
        left, right = (_inside(frame, end) for end in evidence.span_s)
        area = QRectF(left, rect.top(), max(right - left, 1.0), rect.height())
        painter.fillRect(area, tinted(theme.evidence))
        painter.setPen(cosmetic(theme.evidence, Qt.PenStyle.DotLine))
        for x in (left, right):
            upright(painter, round(x), rect.top(), rect.bottom())
    _paint_marks(painter, rect, frame)


def _paint_marks(painter: QPainter, rect: QRectF, frame: Frame) -> None:
    """Draw marks, those of one pixel once."""
    for left, right in frame.marks_px:
        if right > left:
            area = QRectF(left, rect.top(), right - left, rect.height())
            painter.fillRect(area, tinted(frame.theme.muted, 0.08))
    places = {float(x) for span in frame.marks_px for x in span}
    # Many dashed lines beside each other read as a grey area, and cost ten times as much.
    few = len(places) <= MOST_DASHED
    style = Qt.PenStyle.DashDotLine if few else Qt.PenStyle.SolidLine
    painter.setPen(cosmetic(frame.theme.muted, style))
    uprights(painter, places, rect.top(), rect.bottom())


def _inside(frame: Frame, at_s: float) -> float:
    return min(max(frame.x(at_s), frame.left_px - 2), frame.left_px + frame.width_px + 2)


def shapes_of(pane: Pane, series: Series, frame: Frame, data: PlotData) -> list[QPolygonF]:
    """Return a curve's polygons from its box's upper left corner, from the last frame where nothing changed."""
    box, lens = pane.box, frame.lens(series.side)
    key = (lens, box.low, box.high, box.rect.height(), series)
    held = pane.shapes.get((series.key, series.side, ""))
    if held is not None and held[0] == key:
        return held[1]
    outline = data.outline(series.channel, lens)
    if outline is None:
        polygons = []
    else:
        # (v − offset) / scale · px = v · (px / scale) − offset / scale · px
        px = box.px_per_unit / series.scale
        polygons = polygons_of(outline, box.at_zero_px + series.offset * px, px)
    pane.shapes[series.key, series.side, ""] = (key, polygons)
    return polygons


def paint_curves(painter: QPainter, pane: Pane, frame: Frame, data: PlotData) -> None:
    """Paint the curves of a pane, sim below target, and arrows where samples are infinite."""
    rect = pane.box.rect
    painter.translate(rect.topLeft())
    for series in sorted(pane.series, key=lambda s: s.side):
        joints = data.joints(series.channel, frame.lens(series.side))
        if joints is not None:
            pale = QColor(mixed(colour_of(series, frame.theme).name(), frame.theme.background))
            shapes = polygons_of(joints, pane.box.at_zero_px, pane.box.px_per_unit)
            stroke(painter, shapes, pale, frame.theme)
        shapes = shapes_of(pane, series, frame, data)
        stroke(painter, shapes, colour_of(series, frame.theme), frame.theme)
    for sim in covered(pane, frame, data):
        painter.setPen(cosmetic(colour_of(sim, frame.theme).name()))
        a_cell = 4 if sim.channel.is_step else 2
        edges = edges_of(shapes_of(pane, sim, frame, data), a_cell, LEAST_BLOCK_PX)
        paint_polygons(painter, edges)
    painter.translate(-rect.topLeft())
    for series in pane.series:
        _paint_infinite(painter, pane.box, series, frame, data)


def covered(pane: Pane, frame: Frame, data: PlotData) -> list[Series]:
    """Return the sim's curves that lie under a block of the target's strokes: only their edges can be seen."""
    dense: dict[str, dict[str, Series]] = {}
    for series in pane.series:
        cells = data.cells(series.channel.time_s, frame.lens(series.side))
        if cells is not None and not cells.raw:
            dense.setdefault(series.key, {})[series.side] = series
    return [sides["sim"] for sides in dense.values() if len(sides) == 2]


def _paint_infinite(
    painter: QPainter, box: Box, series: Series, frame: Frame, data: PlotData
) -> None:
    rows = data.pyramid(series.channel).infinite
    if not rows.size:
        return
    x = frame.lens(series.side).x(series.channel.time_s[rows])
    up = (series.channel.value[rows] > 0) == (series.scale > 0)
    seen = (x >= 0) & (x <= frame.width_px)
    places = np.unique(np.stack((np.round(x[seen] / 4) * 4, up[seen]), axis=1), axis=0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour_of(series, frame.theme))
    for place, upward in places.tolist():
        tip, foot = (box.rect.top() + 1, 6) if upward else (box.rect.bottom() - 1, -6)
        at = frame.left_px + place
        arrow = [QPointF(at, tip), QPointF(at - 3, tip + foot), QPointF(at + 3, tip + foot)]
        painter.drawPolygon(QPolygonF(arrow))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_flags(painter: QPainter, pane: Pane, frame: Frame, data: PlotData) -> None:
    """Paint flags as bands where they are true, one lane a series."""
    rect = pane.box.rect
    lane = rect.height() / max(1, len(pane.series))
    painter.setPen(Qt.PenStyle.NoPen)
    for place, series in enumerate(pane.series):
        outline = data.outline(series.channel, frame.lens(series.side))
        if outline is None:
            continue
        top = rect.top() + place * lane
        painter.setBrush(colour_of(series, frame.theme))
        bands = [
            QRectF(frame.left_px + left, top + 2, max(right - left, 1.5), lane - 4)
            for left, right in true_spans(outline)
        ]
        painter.drawRects(bands)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def true_spans(outline: Outline) -> list[tuple[float, float]]:
    """Return the pixel spans where a flag's curve is above one half; those a pixel apart are merged."""
    out: list[tuple[float, float]] = []
    for first, last in outline.spans.tolist():
        on = outline.value[first:last] > 0.5
        edges = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(np.int8), [0]))))
        for start, end in edges.reshape(-1, 2).tolist():
            left, right = float(outline.x[first + start]), float(outline.x[first + end - 1])
            if out and left - out[-1][1] < 1.0:
                out[-1] = (out[-1][0], right)
            else:
                out.append((left, right))
    return out


def paint_band(painter: QPainter, box: Box, frame: Frame, band: list[QPolygonF]) -> None:
    """Tint where a residual is within tolerance, under everything but the grid."""
    if not band:
        return
    painter.translate(box.rect.topLeft())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(tinted(frame.theme.passed))
    for polygon in band:
        painter.drawPolygon(polygon)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.translate(-box.rect.topLeft())


def paint_residual(painter: QPainter, pane: Pane, frame: Frame, residuals: Residuals) -> None:
    """Paint target less sim with a zero line; spans values anew where no hand chose them."""
    box = pane.residual
    painter.setPen(cosmetic(frame.theme.axis))
    level(painter, round(box.y(0.0)), box.rect.left(), box.rect.right())
    painter.translate(box.rect.topLeft())
    for couple in pane.couples:
        outline, _ = residuals.outline(couple, frame.case, frame.sim_lens, dragging=frame.dragging)
        if outline is not None:
            polygons = polygons_of(outline, box.at_zero_px, box.px_per_unit)
            stroke(painter, polygons, QColor(frame.theme.residual), frame.theme)
    painter.translate(-box.rect.topLeft())


def paint_cursors(painter: QPainter, rect: QRectF, frame: Frame) -> None:
    """Draw cursor A dashed and cursor B dotted, and solid what has caught a dragged target."""
    if frame.snap_s is not None and frame.range_s[0] <= frame.snap_s <= frame.range_s[1]:
        painter.setPen(cosmetic(frame.theme.focus))
        upright(painter, round(frame.x(frame.snap_s)), rect.top(), rect.bottom())
    for at_s, style in (
        (frame.cursor_a_s, Qt.PenStyle.DashLine),
        (frame.cursor_b_s, Qt.PenStyle.DotLine),
    ):
        if at_s is not None and frame.range_s[0] <= at_s <= frame.range_s[1]:
            painter.setPen(cosmetic(frame.theme.cursor, style))
            upright(painter, round(frame.x(at_s)), rect.top(), rect.bottom())
