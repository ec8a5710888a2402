"""The score over the offset, with the pick and its rivals to click."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from tracescope.findings.numbers import number, value_text
from tracescope.model.trace import Samples
from tracescope.ui.look import Look

LEFT, RIGHT, TOP, BOTTOM = 44, 14, 30, 34
NEAR_PX = 14


class ScorePlot(QWidget):
    """Draws the curve; peaks can be clicked, or walked with ← →.

    Signals:
        picked: The person picked this peak, by its place in ``peaks_s``.
    """

    picked = Signal(int)

    def __init__(
        self, lag_s: Samples, score: Samples, peaks_s: tuple[float, ...], look: Look
    ) -> None:
        super().__init__()
        self._look = look
        finite = np.isfinite(score)
        self._lag_s, self._score = lag_s[finite], score[finite]
        self.peaks_s = peaks_s
        self.current = 0
        self.setMinimumSize(460, 220)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip(
            "Correlation of the two traces at each clock offset; click a peak to pick it"
        )
        self.setAccessibleName("score over the clock offset")

    @property
    def _box(self) -> QRectF:
        return QRectF(LEFT, TOP, self.width() - LEFT - RIGHT, self.height() - TOP - BOTTOM)

    def spot(self, lag_s: float) -> QPointF:
        """Return where the curve passes an offset, in pixels."""
        box = self._box
        low, high = self._ends()
        height = float(np.interp(lag_s, self._lag_s, self._score)) if self._lag_s.size else 0.0
        bottom, top = self._heights()
        across = (lag_s - low) / (high - low)
        up = (height - bottom) / (top - bottom)
        return QPointF(box.left() + across * box.width(), box.bottom() - up * box.height())

    def _ends(self) -> tuple[float, float]:
        if not self._lag_s.size:
            return -1.0, 1.0
        return float(self._lag_s[0]), float(self._lag_s[-1]) or 1.0

    def _heights(self) -> tuple[float, float]:
        lowest = float(self._score.min()) if self._score.size else 0.0
        return min(0.0, lowest), 1.0

    def pick(self, place: int) -> None:
        """Mark a peak."""
        if 0 <= place < len(self.peaks_s):
            self.current = place
            self.update()
            self.picked.emit(place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the peak under the pointer."""
        for place, lag_s in enumerate(self.peaks_s):
            if abs(self.spot(lag_s).x() - event.position().x()) <= NEAR_PX:
                self.pick(place)
                return

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axes, curve and peaks."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, box = self._look.theme, self._box
        painter.fillRect(box, QColor(theme.background))
        self._axes(painter, box)
        curve = QPolygonF([self.spot(float(lag)) for lag in self._thinned()])
        painter.setPen(QPen(QColor(theme.residual), 1.5))
        painter.drawPolyline(curve)
        self._peaks(painter)

    def _peaks(self, painter: QPainter) -> None:
        """Draw every peak, and its offset where that does not run into another's."""
        theme = self._look.theme
        taken: list[QRectF] = []
        order = sorted(range(len(self.peaks_s)), key=lambda place: place != self.current)
        for place in order:
            lag_s, at = self.peaks_s[place], self.spot(self.peaks_s[place])
            painter.setPen(QPen(QColor(theme.text), 1.5))
            painter.setBrush(QColor(theme.text if place == self.current else theme.background))
            painter.drawEllipse(at, 5, 5)
            text = value_text(lag_s, None, "s")
            width = self.fontMetrics().horizontalAdvance(text) + 8
            label = QRectF(at.x() - width / 2, at.y() - 26, width, 18)
            if not any(label.intersects(other) for other in taken):
                taken.append(label)
                painter.setPen(QColor(theme.text))
                painter.drawText(label, Qt.AlignmentFlag.AlignCenter, text)

    def _thinned(self) -> Samples:
        every = max(1, self._lag_s.size // 4000)
        return self._lag_s[::every]

    def _axes(self, painter: QPainter, box: QRectF) -> None:
        theme = self._look.theme
        painter.setPen(QPen(QColor(theme.axis), 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.drawLine(box.topLeft(), box.bottomLeft())
        painter.setPen(QColor(theme.axis_text))
        low, high = self._ends()
        bottom, top = self._heights()
        for share, side in ((0.0, Qt.AlignmentFlag.AlignLeft), (1.0, Qt.AlignmentFlag.AlignRight)):
            text = value_text(low + share * (high - low), None, "s")
            painter.drawText(QRectF(box.left(), box.bottom() + 2, box.width(), 16), side, text)
        middle = QRectF(box.left(), box.bottom() + 16, box.width(), 16)
        painter.drawText(middle, Qt.AlignmentFlag.AlignCenter, "clock offset")
        for value, top_px in ((top, box.top() - 6), (bottom, box.bottom() - 10)):
            right = Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(0, top_px, LEFT - 6, 16), right, number(value, 1))
