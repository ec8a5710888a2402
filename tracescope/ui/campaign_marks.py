"""How kinds of failure look: a colour and a shape each, the same in list, map and timeline."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

from tracescope.ui.look import Look
from tracescope.ui.theme import KINDS, Theme

SHAPES = ("circle", "square", "triangle", "diamond", "triangle-down", "plus", "cross", "star")
ALONE = "cross-thin"


def colour_of(theme: Theme, place: int) -> str:
    """Return the colour of the kind at a place; no place, the colour of what is of no kind."""
    if place < 0:
        return theme.muted
    return KINDS[theme.name][place % len(KINDS[theme.name])]


def shape_of(place: int) -> str:
    """Return the shape of the kind at a place: colour and shape together repeat only after 56 kinds."""
    return ALONE if place < 0 else SHAPES[(place + place // len(SHAPES)) % len(SHAPES)]


def outline(shape: str, center: QPointF, radius: float) -> QPainterPath:
    """Return a shape as a path around its centre."""
    path = QPainterPath()
    if shape == "circle":
        path.addEllipse(center, radius, radius)
        return path
    corners = _corners(shape)
    for place, (across, down) in enumerate(corners):
        at = center + QPointF(across * radius, down * radius)
        if place == 0:
            path.moveTo(at)
        else:
            path.lineTo(at)
    path.closeSubpath()
    return path


def _corners(shape: str) -> list[tuple[float, float]]:
    arm = 0.38
    plus = [
        (-arm, -1.1), (arm, -1.1), (arm, -arm), (1.1, -arm), (1.1, arm), (arm, arm),
        (arm, 1.1), (-arm, 1.1), (-arm, arm), (-1.1, arm), (-1.1, -arm), (-arm, -arm),
    ]  # fmt: skip
    turned = math.sqrt(0.5)
    star = [
        (r * math.sin(k * math.pi / 5), -r * math.cos(k * math.pi / 5))
        for k, r in enumerate([1.3, 0.55] * 5)
    ]
    return {
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "triangle": [(0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)],
        "triangle-down": [(0.0, 1.15), (1.1, -0.85), (-1.1, -0.85)],
        "diamond": [(0.0, -1.25), (1.1, 0.0), (0.0, 1.25), (-1.1, 0.0)],
        "plus": plus,
        "cross": [((x - y) * turned, (x + y) * turned) for x, y in plus],
        "star": star,
    }[shape]


FADED = 0.82


def faded(theme: Theme, colour: QColor) -> QColor:
    """Return a colour most of the way to the ground; opaque, so that marks on marks stay faint."""
    ground = QColor(theme.background)
    parts = zip(
        (colour.redF(), colour.greenF(), colour.blueF()),
        (ground.redF(), ground.greenF(), ground.blueF()),
        strict=True,
    )
    return QColor.fromRgbF(*(a + FADED * (b - a) for a, b in parts))


def draw_mark(
    painter: QPainter,
    theme: Theme,
    place: int,
    center: QPointF,
    radius: float,
    *,
    fade: bool = False,
) -> None:
    """Draw the mark of the kind at a place."""
    colour = QColor(colour_of(theme, place))
    if fade:
        colour = faded(theme, colour)
    if place < 0:
        painter.setPen(QPen(colour, 1.6))
        painter.drawLine(center + QPointF(-radius, -radius), center + QPointF(radius, radius))
        painter.drawLine(center + QPointF(-radius, radius), center + QPointF(radius, -radius))
        return
    painter.setPen(Qt.PenStyle.NoPen)
    colour.setAlphaF(1.0 if fade else 0.85)
    painter.setBrush(colour)
    painter.drawPath(outline(shape_of(place), center, radius))


def mark_icon(look: Look, place: int) -> QIcon:
    """Return the mark as an icon."""
    side = round(16 * look.theme.font_scale)
    pixmap = QPixmap(QSize(side, side) * 2)
    pixmap.setDevicePixelRatio(2.0)
    pixmap.fill(QColor("transparent"))
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_mark(painter, look.theme, place, QRectF(0, 0, side, side).center(), side * 0.32)
    painter.end()
    return QIcon(pixmap)
