"""The whole pair in one strip: the visible box, marks and evidence."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from tracescope.model.alignment import Interval
from tracescope.session.session import Mark, Session
from tracescope.ui.plots import paint_box
from tracescope.ui.plots.frame import Frame, frame_of
from tracescope.ui.plots.gestures import SLIP_PX
from tracescope.ui.plots.ink import cosmetic, tinted
from tracescope.ui.plots.overview_strip import EVIDENCE_PX, MarkWords, Strip, mark_words
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.plot_data import series_of
from tracescope.ui.plots.value_fit import span_all
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import ViewModel

CURVES_PX = 40
EDGE_PX = 6.0
"""How near to an edge of the visible box the pointer takes hold of that edge."""

Part = Literal["low", "high", "box"]


class Overview(QWidget):
    """Shows all of the pair, with the active pane's curves; its box pans, its edges zoom, a click jumps."""

    def __init__(
        self, canvas: PaneCanvas, model: SessionModel, view: ViewModel, theme: Theme
    ) -> None:
        super().__init__()
        self._canvas = canvas
        self._model = model
        self._view = view
        self._theme = theme
        self._curves: QPixmap | None = None
        self._held: tuple[Part, QPointF, Interval] | None = None
        self._moved = False
        self._marked: tuple[object, tuple[Mark, ...], MarkWords] | None = None
        self.setMouseTracking(True)
        self.setAccessibleName("Overview of the whole pair")
        view.range_changed.connect(self.update)
        for signal in (view.evidence_changed, model.results_changed, model.marks_changed):
            signal.connect(self.update)
        for signal in (canvas.laid_out, view.active_changed, view.shown_changed):
            signal.connect(self._draw_anew)
        for signal in (model.alignment_changed, model.corrections_changed, model.pair_changed):
            signal.connect(self._draw_anew)

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        self._theme = theme
        self._draw_anew()

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(self._canvas.small_font).height()
        return QSize(400, int(line + CURVES_PX + EVIDENCE_PX + 6))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def visible_box(self) -> QRectF:
        """Return the rectangle of the range that the panes show, clamped to the strip."""
        area = self._area()
        left, right = (self.x_of(end) for end in self._view.range_s)
        left = min(max(left, area.left()), area.right())
        right = min(max(right, area.left()), area.right())
        return QRectF(left, area.top(), max(right - left, 2.0), area.height())

    def x_of(self, at_s: float) -> float:
        """Map an instant to a pixel of the strip."""
        return Strip(self._area(), self._view.extent_s, self._theme).x(at_s)

    def time_of(self, x: float) -> float:
        """Map a pixel of the strip to an instant."""
        low, high = self._view.extent_s
        area = self._area()
        return low + (x - area.left()) / area.width() * (high - low)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.background))
        session = self._model.session
        if session is None:
            return
        area = self._area()
        ratio = self.devicePixelRatioF()
        if self._curves is None or self._curves.devicePixelRatioF() != ratio:
            self._curves = self._painted(area)
        painter.drawPixmap(area.topLeft(), self._curves)
        strip = Strip(area, self._view.extent_s, self._theme)
        strip.paint_results(painter, session)
        strip.paint_evidence(painter, self._view.evidence)
        font = self._canvas.small_font
        strip.paint_marks(painter, self._words(strip, session, font), font)
        box = self.visible_box()
        for left, right in ((area.left(), box.left()), (box.right(), area.right())):
            outside = QRectF(left, area.top(), right - left, area.height())
            painter.fillRect(outside, tinted(self._theme.axis, 0.18))
        painter.setPen(cosmetic(self._theme.focus))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        for x in (box.left(), box.right() - 3):
            painter.fillRect(QRectF(x, box.center().y() - 8, 3, 16), QColor(self._theme.focus))

    def _words(self, strip: Strip, session: Session, font: QFont) -> MarkWords:
        key = (id(session.marks), session.alignment, strip.area, strip.extent_s, font)
        if self._marked is None or self._marked[0] != key:
            # The marks are held as well, so that no others can come to lie at their address.
            words = mark_words(strip, session.marks, session.alignment, font)
            self._marked = (key, session.marks, words)
        return self._marked[2]

    def _painted(self, area: QRectF) -> QPixmap:
        ratio = self.devicePixelRatioF()
        out = QPixmap((area.size() * ratio).toSize())
        out.setDevicePixelRatio(ratio)
        out.fill(QColor(self._theme.background))
        frame = self._frame(area)
        panes = self._canvas.panes
        if frame is None or not panes:
            return out
        active = panes[min(self._view.active, len(panes) - 1)]
        pane = Pane(active.keys, series_of(frame.case, active.keys))
        pane.box.rect = QRectF(0, 0, area.width(), CURVES_PX)
        span_all(pane, self._canvas.data)
        painter = QPainter(out)
        paint_box.paint_hatches(painter, pane, frame, self._canvas.data)
        if pane.is_flags:
            paint_box.paint_flags(painter, pane, frame, self._canvas.data)
        else:
            paint_box.paint_curves(painter, pane, frame, self._canvas.data)
        painter.end()
        return out

    def _frame(self, area: QRectF) -> Frame | None:
        session = self._model.session
        if session is None:
            return None
        return frame_of(session.case, self._view.extent_s, 0.0, area.width(), self._theme)

    def _area(self) -> QRectF:
        line = QFontMetricsF(self._canvas.small_font).height()
        left, right = self._canvas.left_px, self._canvas.right_px
        return QRectF(left, line + 2, right - left, CURVES_PX + EVIDENCE_PX)

    def _draw_anew(self) -> None:
        self._curves = None
        self.update()

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._model.session is not None:
            part = self._part_at(event.position())
            self._moved = False
            self._held = (part or "box", event.position(), self._view.range_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pos = event.position()
        if self._held is None:
            part = self._part_at(pos)
            edge = part in {"low", "high"}
            self.setCursor(
                Qt.CursorShape.SizeHorCursor if edge else Qt.CursorShape.PointingHandCursor
            )
            return
        part, start, (low, high) = self._held
        if not self._moved and abs(pos.x() - start.x()) < SLIP_PX:
            return
        self._moved = True
        by_s = self.time_of(pos.x()) - self.time_of(start.x())
        first, last = self._view.extent_s
        if part == "box":
            # A box that fits stays inside the strip, however far the pointer leaves it.
            span = high - low
            if span < last - first:
                by_s = min(max(by_s, first - low), last - high)
            self._view.set_range(low + by_s, low + by_s + span)
        elif part == "low":
            self._view.set_low(min(max(low + by_s, first), last))
        else:
            self._view.set_high(min(max(high + by_s, first), last))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._held is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._held = None
        if not self._moved:
            low, high = self._view.range_s
            middle = self.time_of(event.position().x())
            self._view.set_range(middle - (high - low) / 2, middle + (high - low) / 2)
        self._view.remember()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        del event
        self._view.fit_all()

    def _part_at(self, pos: QPointF) -> Part | None:
        box = self.visible_box()
        if abs(pos.x() - box.left()) <= EDGE_PX and abs(pos.x() - box.left()) <= abs(
            pos.x() - box.right()
        ):
            return "low"
        if abs(pos.x() - box.right()) <= EDGE_PX:
            return "high"
        return "box" if box.left() <= pos.x() <= box.right() else None
