"""The drawing of the XY view: the sim's and the target's way through the plane of two signals."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples
from tracescope.ui.look import Look
from tracescope.ui.plots.ink import cosmetic, levels, uprights
from tracescope.ui.plots.layout import smaller
from tracescope.ui.plots.outline import paint_polygons, polygon_of
from tracescope.ui.plots.pane import padded
from tracescope.ui.plots.plot_data import PlotData
from tracescope.ui.plots.ticks import tick_text, tick_values
from tracescope.ui.plots.xy_data import Path, path_of, point_at
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import Side, ViewModel

LEFT, RIGHT, TOP, BOTTOM = 62, 12, 8, 38
NEAR_PX = 12.0
DOT_PX = 4.5
SIDES: tuple[Side, ...] = ("sim", "target")


class XYPlot(QWidget):
    """Paints both paths over the visible range; a click puts cursor A on the nearest sample."""

    def __init__(self, model: SessionModel, view: ViewModel, data: PlotData, look: Look) -> None:
        super().__init__()
        self._model, self._view, self._look = model, view, look
        self._data = data
        self.keys: tuple[str, str] | None = None
        self.equal = False
        self.paths: list[Path] = []
        self.spans: tuple[Interval, Interval] = ((-1.0, 1.0), (-1.0, 1.0))
        self.setAccessibleName("one signal against another")
        self.setToolTip("Both traces over the visible range; a click puts cursor A on a sample")
        self.setSizePolicy(self.sizePolicy().Policy.Expanding, self.sizePolicy().Policy.Expanding)
        look.changed.connect(self.update)
        view.cursor_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(360, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 90)

    def take(self, data: PlotData, keys: tuple[str, str] | None) -> None:
        """Draw these two signals, anew."""
        self._data, self.keys = data, keys
        case = self._model.case
        found = []
        if case is not None and keys is not None:
            span_s = self._view.range_s
            found = [path_of(case, *keys, side, span_s, data) for side in SIDES]
        self.paths = [path for path in found if path is not None]
        self.spans = (self._span([p.x for p in self.paths]), self._span([p.y for p in self.paths]))
        self.update()

    def set_equal(self, equal: bool) -> None:  # noqa: FBT001  # a slot of a checkable control
        """Give both axes the same units a pixel, or let each fill its side."""
        self.equal = equal
        self.update()

    # Geometry

    def box(self) -> QRectF:
        """Return the rectangle of the plane."""
        return QRectF(LEFT, TOP, self.width() - LEFT - RIGHT, self.height() - TOP - BOTTOM)

    def shown_spans(self) -> tuple[Interval, Interval]:
        """Return the values at the box's edges, widened to equal units a pixel where asked for."""
        box, (across, up) = self.box(), self.spans
        if not self.equal or box.width() <= 0 or box.height() <= 0:
            return across, up
        per_px = max((across[1] - across[0]) / box.width(), (up[1] - up[0]) / box.height())
        return _widened(across, per_px * box.width()), _widened(up, per_px * box.height())

    def place(self, x: float, y: float) -> QPointF:
        """Map two values to a pixel."""
        box, (across, up) = self.box(), self.shown_spans()
        return QPointF(
            box.left() + (x - across[0]) / (across[1] - across[0]) * box.width(),
            box.bottom() - (y - up[0]) / (up[1] - up[0]) * box.height(),
        )

    def _places(self, path: Path) -> Samples:
        box, (across, up) = self.box(), self.shown_spans()
        px = box.left() + (path.x - across[0]) / (across[1] - across[0]) * box.width()
        py = box.bottom() - (path.y - up[0]) / (up[1] - up[0]) * box.height()
        return np.stack((px, py), axis=1)

    @staticmethod
    def _span(values: list[Samples]) -> Interval:
        finite = [v[np.isfinite(v)] for v in values]
        finite = [v for v in finite if v.size]
        if not finite:
            return padded(math.nan, math.nan)
        return padded(min(float(v.min()) for v in finite), max(float(v.max()) for v in finite))

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Put cursor A (with Shift B) on the sample nearest to the pointer."""
        nearest: tuple[float, float] | None = None
        at = event.position()
        for path in self.paths:
            away = np.hypot(*(self._places(path) - (at.x(), at.y())).T)
            if away.size and np.isfinite(away).any():
                row = int(np.nanargmin(away))
                if nearest is None or away[row] < nearest[0]:
                    nearest = (float(away[row]), float(path.at_s[row]))
        if nearest is None or nearest[0] > NEAR_PX:
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._view.set_cursor_b(nearest[1])
        else:
            self._view.set_cursor_a(nearest[1])

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        theme, box = self._look.theme, self.box()
        painter.fillRect(self.rect(), QColor(theme.background))
        painter.setFont(smaller(self.font()))
        if self.keys is None or not self.paths:
            painter.setPen(QColor(theme.muted))
            words = "Choose two signals that one trace has"
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
            return
        self._paint_axes(painter, theme, box)
        painter.setClipRect(box)
        for path in self.paths:
            colour = theme.sim if path.side == "sim" else theme.target
            places = self._places(path)
            painter.setPen(cosmetic(colour))
            paint_polygons(painter, [polygon_of(places[a:b]) for a, b in path.runs().tolist()])
        self._paint_cursors(painter, theme)

    def _paint_axes(self, painter: QPainter, theme: Theme, box: QRectF) -> None:
        metrics = QFontMetricsF(painter.font())
        line = metrics.height()
        across, up = self.shown_spans()
        x_step, xs = tick_values(*across, max(2, int(box.width() / 90)))
        y_step, ys = tick_values(*up, max(2, int(box.height() / 32)))
        painter.setPen(cosmetic(theme.grid))
        uprights(painter, [round(self.place(x, up[0]).x()) for x in xs], box.top(), box.bottom())
        levels(painter, [round(self.place(across[0], y).y()) for y in ys], box.left(), box.right())
        painter.setPen(cosmetic(theme.axis))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.drawLine(box.topLeft(), box.bottomLeft())
        painter.setPen(QColor(theme.axis_text))
        middle = Qt.AlignmentFlag.AlignCenter
        for x in xs:
            at = QRectF(self.place(x, up[0]).x() - 40, box.bottom() + 2, 80, line)
            painter.drawText(at, middle, tick_text(x, x_step))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for y in ys:
            at_y = min(max(self.place(across[0], y).y(), box.top() + 4), box.bottom() - 4)
            painter.drawText(
                QRectF(20, at_y - line / 2, LEFT - 26, line), right, tick_text(y, y_step)
            )
        painter.setPen(QColor(theme.muted))
        names = [self._name(place) for place in (0, 1)]
        below = QRectF(box.left(), box.bottom() + line + 2, box.width(), line)
        elide = Qt.TextElideMode.ElideMiddle
        painter.drawText(below, middle, metrics.elidedText(names[0], elide, box.width()))
        painter.save()
        painter.translate(line / 2 + 3, box.center().y())
        painter.rotate(-90)
        beside = QRectF(-box.height() / 2, -line / 2, box.height(), line)
        painter.drawText(beside, middle, metrics.elidedText(names[1], elide, box.height()))
        painter.restore()

    def _name(self, place: int) -> str:
        assert self.keys is not None
        session = self._model.open_session
        side, _, name = self.keys[place].partition(":")
        trace = session.pair.sim if side == "sim" else session.pair.target
        channel = trace.get(name)
        unit = channel.unit if channel is not None else ""
        return f"{name} ({unit})" if unit else name

    def _paint_cursors(self, painter: QPainter, theme: Theme) -> None:
        case = self._model.case
        if case is None or self.keys is None:
            return
        metrics = QFontMetricsF(painter.font())
        for name, at_s in (("A", self._view.cursor_a_s), ("B", self._view.cursor_b_s)):
            word = name
            for side in SIDES if at_s is not None else ():
                assert at_s is not None
                values = point_at(case, self.keys, side, at_s, self._data)
                if values is None:
                    continue
                at = self.place(*values)
                painter.setPen(cosmetic(theme.cursor))
                painter.setBrush(QColor(theme.sim if side == "sim" else theme.target))
                painter.drawEllipse(at, DOT_PX, DOT_PX)
                painter.setPen(QColor(theme.text))
                painter.drawText(at + QPointF(DOT_PX + 2, metrics.ascent() / 2 - 1), word)
                word = ""  # once a cursor: the two dots may touch
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _widened(span: Interval, to: float) -> Interval:
    middle = (span[0] + span[1]) / 2
    return middle - to / 2, middle + to / 2
