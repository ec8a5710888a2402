"""The one time axis under all panes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from tracescope.ui.plots.canvas_mouse import NOTCH, ZOOM_A_NOTCH
from tracescope.ui.plots.frame import Frame, time_ticks
from tracescope.ui.plots.gestures import Pan
from tracescope.ui.plots.ink import cosmetic, level, upright
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.ticks import tick_text
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import ViewModel

TICK_PX = 4


class TimeAxis(QWidget):
    """Numbers and name of the common axis; its wheel zooms time, dragging it pans."""

    def __init__(self, canvas: PaneCanvas, view: ViewModel, theme: Theme) -> None:
        super().__init__()
        self._canvas = canvas
        self._view = view
        self._theme = theme
        self._pan: Pan | None = None
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setAccessibleName("Time axis")
        for signal in (view.range_changed, view.cursor_changed, canvas.laid_out):
            signal.connect(self.update)

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(self._canvas.small_font).height()
        return QSize(400, int(TICK_PX + 2 * line + 6))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.background))
        frame = self._canvas.frame()
        if frame is None:
            return
        painter.setFont(self._canvas.small_font)
        metrics = QFontMetricsF(self._canvas.small_font)
        line = metrics.height()
        painter.setPen(cosmetic(self._theme.axis))
        level(painter, 0, frame.left_px, frame.left_px + frame.width_px)
        flags = self._cursor_flags(frame, metrics)
        low, high = (self.to_own(frame, end) for end in frame.range_s)
        step, ticks = time_ticks((low, high), frame.width_px)
        for at_s in ticks:
            x = round(frame.x(self.to_sim(frame, at_s)))
            painter.setPen(cosmetic(self._theme.axis))
            upright(painter, x, 0, TICK_PX)
            text = tick_text(at_s, step)
            rect = _around(x, metrics.horizontalAdvance(text), TICK_PX, line, self.width())
            if not any(rect.intersects(flag) for flag, _ in flags):
                painter.setPen(QColor(self._theme.axis_text))
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        for rect, text in flags:
            painter.fillRect(rect, QColor(self._theme.cursor))
            painter.setPen(QColor(self._theme.background))
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
        painter.setPen(QColor(self._theme.muted))
        name = QRectF(frame.left_px, TICK_PX + line + 1, frame.width_px, line)
        painter.drawText(name, Qt.AlignmentFlag.AlignCenter, self.name(frame))

    def to_own(self, frame: Frame, at_s: float) -> float:  # noqa: ARG002  # see subclasses
        """Map an instant of the sim's clock to the clock written here."""
        return at_s

    def to_sim(self, frame: Frame, own_s: float) -> float:  # noqa: ARG002  # see subclasses
        """Map back."""
        return own_s

    def name(self, frame: Frame) -> str:
        """Name the axis."""
        return axis_name(frame)

    def _cursor_flags(self, frame: Frame, metrics: QFontMetricsF) -> list[tuple[QRectF, str]]:
        digits = 4 if frame.range_s[1] - frame.range_s[0] < 10 else 3
        out: list[tuple[QRectF, str]] = []
        for name, at_s in (("A", frame.cursor_a_s), ("B", frame.cursor_b_s)):
            if at_s is None or not frame.range_s[0] <= at_s <= frame.range_s[1]:
                continue
            text = f" {name} {self.to_own(frame, at_s):.{digits}f} ".replace("-", "−")
            width = metrics.horizontalAdvance(text)
            rect = _around(frame.x(at_s), width, TICK_PX, metrics.height(), self.width())
            if out and rect.intersects(out[0][0]):
                aside = out[0][0].right() + 3
                rect.moveLeft(
                    aside if aside + width <= self.width() else out[0][0].left() - width - 3
                )
            out.append((rect, text))
        return out

    # Mouse

    def wheelEvent(self, event: QWheelEvent) -> None:
        frame = self._canvas.frame()
        if frame is not None:
            turned = event.angleDelta()
            notches = (turned.y() or turned.x()) / NOTCH
            self._view.zoom(ZOOM_A_NOTCH**notches, frame.time(event.position().x()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        frame = self._canvas.frame()
        if frame is not None and event.button() == Qt.MouseButton.LeftButton:
            self._pan = Pan(self._view, QPointF(event.position()), frame.sim_lens.px_per_s)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pan is not None:
            self._pan.move(event.position(), fine=False)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        del event
        if self._pan is not None:
            self._pan.finish()
            self._pan = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()


def axis_name(frame: Frame) -> str:
    """Name the axis: seconds on the sim's clock, or rows where no file had a clock."""
    pair = frame.case.pair
    if not pair.sim.channels:
        return "time on the target's clock (s)"
    if pair.sim.clock.kind == "rows":
        return "row of the simulator trace"
    return "time on the simulator clock (s)"


def _around(x: float, width: float, top: float, height: float, limit: float) -> QRectF:
    """Return a rectangle centred at ``x`` and kept inside the widget."""
    left = min(max(x - width / 2, 0.0), max(limit - width, 0.0))
    return QRectF(left, top, width, height)
