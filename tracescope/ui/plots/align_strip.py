"""The align strip: the sim's span above, the target's span below it as a bar to drag."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from tracescope.ui.plots.frame import LEAST_GAP_PX, Frame
from tracescope.ui.plots.gestures import SLIP_PX, MoveTarget
from tracescope.ui.plots.ink import cosmetic, hatched, level, upright
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.snapping import Snapping
from tracescope.ui.session_model import LOCKED, SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import Side, ViewModel

SIM_PX = 10
TARGET_PX = 26
TOP_PX = 5
ANCHOR_PX = 3
"""Half of a diamond: it stays above the words on the target's bar."""


class AlignStrip(QWidget):
    """Shows how the target lies on the sim's clock and lets a hand move it.

    The bars have the scale of the panes below, so a pixel of the bar is a pixel of the curves: zoomed
    in, the hand is as fine as the picture.
    """

    hinted = Signal(str)

    def __init__(
        self,
        canvas: PaneCanvas,
        model: SessionModel,
        view: ViewModel,
        theme: Theme,
        snapping: Snapping,
    ) -> None:
        super().__init__()
        self._snapping = snapping
        snapping.changed.connect(self.update)
        self._canvas = canvas
        self._model = model
        self._view = view
        self._theme = theme
        self._pressed: QPointF | None = None
        self._gesture: MoveTarget | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Alignment: drag the target's bar, or nudge it with , and .")
        changes = (view.range_changed, view.cursor_changed, canvas.laid_out)
        for signal in (*changes, model.alignment_changed):
            signal.connect(self.update)
        model.pair_changed.connect(self._take_pair)
        model.lock_changed.connect(self.update)

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, TOP_PX + SIM_PX + 4 + TARGET_PX + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def target_bar(self) -> QRectF:
        """Return the rectangle of the visible part of the target's bar; empty where there is none."""
        frame = self._canvas.frame()
        return QRectF() if frame is None else self._bar("target", frame)

    def words(self) -> str:
        """Say how far the target was moved, and whether it may be."""
        session = self._model.session
        if session is None:
            return ""
        if not self._model.is_pair:
            return "one trace alone: nothing to align"
        clock = self._canvas.data.clock(session.pair.target.time_s)
        moved = session.alignment.in_words(clock.interval_s)
        if session.locked:
            return f"locked · {moved}"
        caught = self._snapping.caught
        if caught is not None:
            return f"snapped to {caught.words} · {moved}"
        how = (
            "drag to shift the target, snapping"
            if self._snapping.is_on
            else ("drag to shift the target (Alt: snap)")
        )
        return f"⇔ {how} · {moved}"

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        theme = self._theme
        painter.fillRect(self.rect(), QColor(theme.background))
        frame = self._canvas.frame()
        if frame is None:
            return
        painter.setFont(self._canvas.small_font)
        painter.setPen(QColor(theme.muted))
        label = QRectF(0, 0, frame.left_px - 8, self.height())
        painter.drawText(
            label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "Align"
        )
        painter.setClipRect(QRectF(frame.left_px, 0, frame.width_px, self.height()))
        self._paint_bar(painter, "sim", frame, theme.sim_fill, theme.sim)
        self._paint_bar(painter, "target", frame, theme.target_fill, theme.target)
        self._paint_words(painter, self._bar("target", frame))
        self._paint_anchors(painter, frame)
        if self.hasFocus():
            painter.setPen(cosmetic(theme.focus))
            painter.drawRect(self._bar("target", frame).adjusted(0, 0, -1, -1))

    def _paint_bar(
        self, painter: QPainter, side: Side, frame: Frame, fill: str, colour: str
    ) -> None:
        bar = self._bar(side, frame)
        if bar.isEmpty():
            return
        painter.fillRect(bar, QColor(fill))
        trace = frame.case.pair.sim if side == "sim" else frame.case.pair.target
        cells = self._canvas.data.cells(trace.time_s, frame.lens(side))
        if cells is not None and cells.breaks.size:
            starts, ends = cells.x_last[cells.breaks - 1], cells.x[cells.breaks]
            for left, right in zip(starts.tolist(), ends.tolist(), strict=True):
                if right - left > LEAST_GAP_PX:
                    gap = QRectF(frame.left_px + left, bar.top(), right - left, bar.height())
                    painter.fillRect(gap, QColor(self._theme.background))
                    painter.fillRect(gap, hatched(colour))
        painter.setPen(cosmetic(colour))
        level(painter, bar.bottom() - 1, bar.left(), bar.right())

    def _paint_words(self, painter: QPainter, bar: QRectF) -> None:
        metrics = QFontMetricsF(self._canvas.small_font)
        inside = bar.adjusted(8, ANCHOR_PX, -8, 0)
        text = self.words()
        if metrics.horizontalAdvance(text) > inside.width():
            text = text.rpartition(" · ")[2]
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(inside.width(), 0.0))
        painter.setPen(QColor(self._theme.text))
        painter.drawText(inside, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_anchors(self, painter: QPainter, frame: Frame) -> None:
        """Draw each anchor: where the event is in the sim, where in the target, and the line between."""
        painter.setPen(cosmetic(self._theme.text))
        painter.setBrush(QColor(self._theme.text))
        top = TOP_PX + SIM_PX / 2
        bottom = TOP_PX + SIM_PX + 4 + ANCHOR_PX
        for anchor in frame.case.alignment.anchors:
            sim_x = frame.x(anchor.sim_s)
            target_x = frame.x(frame.case.alignment.to_sim_one(anchor.target_s))
            painter.drawLine(QPointF(sim_x, top), QPointF(target_x, bottom))
            for x, y in ((sim_x, top), (target_x, bottom)):
                across, up = QPointF(ANCHOR_PX, 0), QPointF(0, ANCHOR_PX)
                at = QPointF(x, y)
                painter.drawPolygon([at - up, at + across, at + up, at - across])
        painter.setBrush(Qt.BrushStyle.NoBrush)
        pending = self._view.pending_anchor_s
        if pending is not None:
            painter.setPen(cosmetic(self._theme.text, Qt.PenStyle.DotLine))
            if self._view.pending_anchor_side == "target":
                pending = frame.case.alignment.to_sim_one(pending)
            upright(painter, round(frame.x(pending)), 0, self.height())

    def _bar(self, side: Side, frame: Frame) -> QRectF:
        trace = frame.case.pair.sim if side == "sim" else frame.case.pair.target
        if not len(trace):
            return QRectF()
        lens = frame.lens(side)
        left = max(lens.x_one(float(trace.time_s[0])), 0.0)
        right = min(lens.x_one(float(trace.time_s[-1])), frame.width_px)
        if right <= left:
            return QRectF()
        top, height = (TOP_PX, SIM_PX) if side == "sim" else (TOP_PX + SIM_PX + 4, TARGET_PX)
        return QRectF(frame.left_px + left, top, right - left, height)

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        session, frame = self._model.session, self._canvas.frame()
        if session is None or frame is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if not (self._model.is_pair and self.target_bar().contains(event.position())):
            return
        if session.locked:
            self.hinted.emit(LOCKED)
            return
        self._pressed = event.position()
        snaps = self._snapping.drag(session, frame.time(self._pressed.x()))
        self._gesture = MoveTarget(
            self._model, session, self._pressed, frame.sim_lens.px_per_s, snaps
        )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._gesture is None or self._pressed is None:
            over = self.target_bar().contains(event.position())
            self.setCursor(Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor)
            return
        # A slip of the hand moves nothing until it has gone far enough to be meant.
        if self._model.previewing or abs(event.position().x() - self._pressed.x()) >= SLIP_PX:
            fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            keys = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ControlModifier
            snap = bool(event.modifiers() & keys)
            self._gesture.move(event.position(), fine=fine, snap=snap)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._gesture is not None and event.button() == Qt.MouseButton.LeftButton:
            self._gesture.finish()
            self._gesture = self._pressed = None
            self._canvas.refresh()  # the residual is exact again

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.cancel():
            return
        super().keyPressEvent(event)

    def cancel(self) -> bool:
        """Take back a drag under way; return whether there was one."""
        gesture, self._gesture, self._pressed = self._gesture, None, None
        if gesture is None:
            return False
        gesture.cancel()
        return True

    def _take_pair(self) -> None:
        self._gesture = self._pressed = None
        self.update()
