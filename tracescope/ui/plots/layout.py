"""Where panes lie: one under another, their boxes exactly above each other."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QRegion

from tracescope.ui.plots.paint_frame import axis_width
from tracescope.ui.plots.pane import Box, Pane

RIGHT_PX = 14
LEAST_BOX_PX = 56
FLAG_LANE_PX = 14
RESIDUAL_SHARE = 0.38
LEAST_RESIDUAL_PX = 34
GAP_PX = 4
LANE_GAP_PX = 4
LEAST_AXIS_PX = 48


def least_height(panes: Sequence[Pane], header_px: float, *, residual: bool) -> float:
    """Return the height below which the panes must scroll."""
    return sum(_least(pane, header_px, residual=residual) for pane in panes)


def scrolled_height(
    panes: Sequence[Pane], header_px: float, seen_px: float, *, residual: bool
) -> float:
    """Return the height of panes that must scroll: as many as fit are seen whole, and none in part."""
    least = [_least(pane, header_px, residual=residual) for pane in panes]
    tops = [0.0, *accumulate(least)]
    whole = bisect_right(tops, seen_px) - 1
    stretched = [pane for pane in panes[:whole] if not pane.is_flags]
    if whole == len(panes) or not stretched:
        return tops[-1]
    room = (seen_px - tops[whole]) / len(stretched)
    return tops[-1] + room * sum(not pane.is_flags for pane in panes)


def _least(pane: Pane, header_px: float, *, residual: bool) -> float:
    if pane.is_flags:
        return header_px + _flags_height(pane) + GAP_PX
    lane = LANE_GAP_PX + LEAST_RESIDUAL_PX if residual and pane.couples else 0.0
    return header_px + LEAST_BOX_PX + lane + GAP_PX


def _flags_height(pane: Pane) -> float:
    return float(FLAG_LANE_PX * max(2, len(pane.series)))


def lay_out(
    panes: Sequence[Pane], area: QRectF, axis_px: float, header_px: float, *, residual: bool
) -> None:
    """Give every pane its rectangles; what is left over is shared by the panes with an axis."""
    least = least_height(panes, header_px, residual=residual)
    tall = [pane for pane in panes if not pane.is_flags]
    share = max(area.height() - least, 0.0) / len(tall) if tall else 0.0
    top = area.top()
    left, right = area.left() + axis_px, area.right() - RIGHT_PX
    width = max(right - left, 1.0)
    for pane in panes:
        pane.header = QRectF(area.left(), top, area.width(), header_px)
        top += header_px
        if pane.is_flags:
            pane.box.rect = QRectF(left, top, width, _flags_height(pane))
            pane.residual.rect = QRectF()
            top = pane.box.rect.bottom() + GAP_PX
            continue
        room = _least(pane, header_px, residual=residual) - header_px - GAP_PX + share
        lane = 0.0
        if residual and pane.couples:
            lane = max(LEAST_RESIDUAL_PX, (room - LANE_GAP_PX) * RESIDUAL_SHARE)
            room -= lane + LANE_GAP_PX
        pane.box.rect = QRectF(left, round(top), width, round(room))
        top = pane.box.rect.bottom()
        pane.residual.rect = QRectF()
        if lane:
            top += LANE_GAP_PX
            pane.residual.rect = QRectF(left, round(top), width, round(lane))
            top = pane.residual.rect.bottom()
        top += GAP_PX


def smaller(font: QFont) -> QFont:
    """Return the font of numbers and legends beside a font of words."""
    out = QFont(font)
    out.setPointSizeF(max(7.0, font.pointSizeF() * 0.92))
    return out


def header_px(font: QFont) -> float:
    """Return the height of a header line."""
    return math.ceil(QFontMetricsF(font).height()) + 5.0


def wanted_axis(panes: Sequence[Pane], font: QFont) -> float:
    """Return the width that every pane's numbers fit into, in steps, so that panes do not twitch in a zoom."""
    boxes = [pane.box for pane in panes if not pane.is_flags]
    boxes += [pane.residual for pane in panes if pane.has_residual]
    return math.ceil(max(axis_width(boxes, font), LEAST_AXIS_PX) / 8) * 8.0


def insides(panes: Sequence[Pane]) -> QRegion:
    """Return the insides of all boxes."""
    return _union(inside_of(box) for pane in panes for box in (pane.box, pane.residual))


def lanes(panes: Sequence[Pane]) -> QRegion:
    """Return the insides of the residual lanes."""
    return _union(inside_of(pane.residual) for pane in panes)


def _union(rects: Iterable[QRect]) -> QRegion:
    region = QRegion()
    for rect in rects:
        region += rect
    return region


def inside_of(box: Box) -> QRect:
    """Return the inside of a box with the edges that are drawn on its last pixels; empty without height."""
    return box.rect.adjusted(0, 0, 1, 1).toAlignedRect() if box.rect.height() > 0 else QRect()


def side_of(box: Box) -> QRect:
    """Return where the numbers beside a box are written; they may stand out over its ends a little."""
    rect = box.rect
    over = LANE_GAP_PX - 1
    side = QRectF(0, rect.top() - over, rect.left(), rect.height() + 2 * over)
    return side.toAlignedRect()
