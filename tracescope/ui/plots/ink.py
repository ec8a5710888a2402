"""Pens, brushes and small painting verbs that every part of the plots shares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from tracescope.ui.plots.outline import paint_polygons
from tracescope.ui.plots.plot_data import Series
from tracescope.ui.theme import Theme

TINT = 0.12
"""Opacity of a marked span: the curves under it keep their colours."""


@lru_cache(maxsize=64)
def cosmetic(colour: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Return a pen one device pixel wide: wider ones cost a hundred times as much to paint."""
    pen = QPen(QColor(colour), 1, style)
    pen.setCosmetic(True)
    return pen


def tinted(colour: str, share: float = TINT) -> QColor:
    """Return a colour at an opacity."""
    out = QColor(colour)
    out.setAlphaF(share)
    return out


def hatched(
    colour: str, pattern: Qt.BrushStyle = Qt.BrushStyle.BDiagPattern, share: float = 0.4
) -> QBrush:
    """Return a hatch: its lines cover an eighth of the area, so its tint is an eighth of ``share``."""
    return QBrush(tinted(colour, share), pattern)


def colour_of(series: Series, theme: Theme) -> QColor:
    """Return the colour of a curve: its side's, in another shade for each further key of the pane."""
    base = QColor(theme.sim if series.side == "sim" else theme.target)
    turn = series.place % 3
    if turn == 0:
        return base
    darker, lighter = base.darker(150), base.lighter(150)
    first, second = (lighter, darker) if theme.is_dark else (darker, lighter)
    return first if turn == 1 else second


def stroke(painter: QPainter, polygons: list[QPolygonF], colour: QColor, theme: Theme) -> None:
    """Paint a curve ``theme.line_width`` wide, as that many lines of one device pixel side by side."""
    ratio = painter.device().devicePixelRatioF()
    painter.setPen(cosmetic(colour.name()))
    lines = max(1, round(theme.line_width * ratio))
    for line in range(lines):
        shift = (line - (lines - 1) / 2) / ratio
        painter.translate(0, shift)
        paint_polygons(painter, polygons)
        painter.translate(0, -shift)


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of a line of text. ``gap`` is the room in front of it, in widths of a space."""

    text: str
    colour: str
    bold: bool = False
    gap: float = 1.0


def width_of(words: Sequence[Words], font: QFont) -> float:
    """Return how wide a line of words is, pixels."""
    return sum(_advance(word, font) for word in words)


def _advance(word: Words, font: QFont) -> float:
    own = _font(word, font)
    return word.gap * advance(" ", own) + advance(word.text, own)


@lru_cache(maxsize=4096)
def advance(text: str, font: QFont) -> float:
    """Return how wide a text is, pixels."""
    return QFontMetricsF(font).horizontalAdvance(text)


def _font(word: Words, font: QFont) -> QFont:
    return _bold(font) if word.bold else font


@lru_cache(maxsize=16)
def _bold(font: QFont) -> QFont:
    out = QFont(font)
    out.setBold(True)
    return out


def write(painter: QPainter, rect: QRectF, words: Sequence[Words], font: QFont) -> None:
    """Write words from the left edge of a rectangle; the first that does not fit is elided, the rest left out."""
    x = rect.left()
    for word in words:
        own = _font(word, font)
        x += word.gap * advance(" ", own)
        room = rect.right() - x
        text, width_px = word.text, advance(word.text, own)
        if width_px > room:
            text = QFontMetricsF(own).elidedText(text, Qt.TextElideMode.ElideRight, room)
        if room < advance("…", own) or not text:
            return
        painter.setFont(own)
        painter.setPen(QColor(word.colour))
        at = QRectF(x, rect.top(), room, rect.height())
        painter.drawText(at, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        if text != word.text:
            return
        x += width_px


def write_right(painter: QPainter, rect: QRectF, words: Sequence[Words], font: QFont) -> float:
    """Write words against the right edge; return the pixel where they begin."""
    left = max(rect.left(), rect.right() - width_of(words, font) - 1)
    write(painter, QRectF(left, rect.top(), rect.right() - left, rect.height()), words, font)
    return left


def upright(painter: QPainter, x: float, top: float, bottom: float) -> None:
    """Draw a vertical line."""
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def uprights(painter: QPainter, xs: Iterable[float], top: float, bottom: float) -> None:
    """Draw vertical lines, all at once."""
    painter.drawLines([QLineF(x, top, x, bottom) for x in xs])


def levels(painter: QPainter, ys: Iterable[float], left: float, right: float) -> None:
    """Draw horizontal lines, all at once."""
    painter.drawLines([QLineF(left, y, right, y) for y in ys])


def level(painter: QPainter, y: float, left: float, right: float) -> None:
    """Draw a horizontal line."""
    painter.drawLine(QPointF(left, y), QPointF(right, y))
