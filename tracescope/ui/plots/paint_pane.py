"""Painting one pane: its box, its header, its axis, its residual lane.

The inside of the boxes changes with every pan; what stands around them does not, and is painted only
where the widget asks for it.
"""

from __future__ import annotations

from PySide6.QtGui import QFont, QPainter, QPolygonF, QRegion

from tracescope.ui.plots import paint_box, paint_frame
from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.layout import inside_of, side_of
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.plot_data import PlotData
from tracescope.ui.plots.residuals import Residuals
from tracescope.ui.plots.tolerance_band import ToleranceBands


def paint_inside(
    painter: QPainter,
    pane: Pane,
    region: QRegion,
    frame: Frame,
    data: PlotData,
    residuals: Residuals,
    bands: ToleranceBands,
) -> None:
    """Paint the box of a pane and that of its residual, as far as they lie in a region."""
    if region.intersects(inside_of(pane.box)):
        _paint_box(painter, pane, frame, data)
    if pane.has_residual and region.intersects(inside_of(pane.residual)):
        _paint_residual(painter, pane, frame, residuals, bands.of(pane, frame, data))


def _paint_box(painter: QPainter, pane: Pane, frame: Frame, data: PlotData) -> None:
    rect = pane.box.rect
    painter.save()
    painter.setClipRect(rect)
    paint_box.paint_ground(painter, pane.box, frame, value_grid=not pane.is_flags)
    paint_box.paint_hatches(painter, pane, frame, data)
    paint_box.paint_spans(painter, pane, pane.box, frame)
    if pane.is_flags:
        paint_box.paint_flags(painter, pane, frame, data)
    else:
        paint_box.paint_curves(painter, pane, frame, data)
    paint_box.paint_cursors(painter, rect, frame)
    painter.restore()
    paint_frame.paint_edges(painter, rect, frame.theme)


def _paint_residual(
    painter: QPainter, pane: Pane, frame: Frame, residuals: Residuals, band: list[QPolygonF]
) -> None:
    box = pane.residual
    painter.save()
    painter.setClipRect(box.rect)
    paint_box.paint_ground(painter, box, frame)
    paint_box.paint_band(painter, box, frame, band)
    paint_box.paint_spans(painter, pane, box, frame)
    paint_box.paint_residual(painter, pane, frame, residuals)
    paint_box.paint_cursors(painter, box.rect, frame)
    painter.restore()
    paint_frame.paint_edges(painter, box.rect, frame.theme)


def paint_around(
    painter: QPainter, pane: Pane, region: QRegion, frame: Frame, data: PlotData, font: QFont
) -> None:
    """Paint the header line and the value axes of a pane, as far as they lie in a region."""
    if region.intersects(pane.header.toAlignedRect()):
        paint_frame.paint_header(painter, pane, frame, data, font)
    if not pane.is_flags and region.intersects(side_of(pane.box)):
        paint_frame.paint_axis(painter, pane.box, frame.theme, font)
    if pane.has_residual and region.intersects(side_of(pane.residual)):
        paint_frame.paint_axis(painter, pane.residual, frame.theme, font)
