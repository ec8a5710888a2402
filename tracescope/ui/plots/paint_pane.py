"""Painting one pane: its box, its header, its axis, its residual lane."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QPainter

from tracescope.ui.plots import paint_box, paint_frame
from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.plot_data import PlotData
from tracescope.ui.plots.residuals import Residuals


def paint_pane(painter: QPainter, pane: Pane, frame: Frame, data: PlotData, font: QFont) -> None:
    """Paint a pane without its residual lane."""
    painter.save()
    painter.setClipRect(pane.box.rect)
    paint_box.paint_ground(painter, pane.box, frame, value_grid=not pane.is_flags)
    paint_box.paint_hatches(painter, pane, frame, data)
    paint_box.paint_spans(painter, pane, pane.box, frame)
    if pane.is_flags:
        paint_box.paint_flags(painter, pane, frame, data)
    else:
        paint_box.paint_curves(painter, pane, frame, data)
    paint_box.paint_cursors(painter, pane.box.rect, frame)
    painter.restore()
    paint_frame.paint_header(painter, pane, frame, data, font)
    if pane.is_flags:
        paint_frame.paint_edges(painter, pane.box.rect, frame.theme)
    else:
        paint_frame.paint_axis(painter, pane.box, frame.theme, font)


def paint_residual_lane(
    painter: QPainter, pane: Pane, frame: Frame, residuals: Residuals, font: QFont
) -> None:
    """Paint the residual lane under a pane."""
    box = pane.residual
    painter.save()
    painter.setClipRect(box.rect)
    paint_box.paint_ground(painter, box, frame)
    paint_box.paint_spans(painter, pane, box, frame)
    paint_box.paint_residual(painter, pane, frame, residuals)
    paint_box.paint_cursors(painter, box.rect, frame)
    painter.restore()
    top = pane.box.rect.bottom()
    head = QRectF(box.rect.left(), top, box.rect.width(), box.rect.top() - top)
    paint_frame.paint_residual_header(painter, pane, head, frame, font)
    paint_frame.paint_axis(painter, box, frame.theme, font)
