"""The panes: one widget that paints them all, from one range and one alignment, once an input turn."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import IntEnum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from tracescope.model.case import Case
from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel
from tracescope.ui.courtesy import foremost
from tracescope.ui.plots import paint_frame
from tracescope.ui.plots.background import Background
from tracescope.ui.plots.frame import Frame, frame_of
from tracescope.ui.plots.gestures import BoxZoom, Gesture
from tracescope.ui.plots.ink import cosmetic, tinted
from tracescope.ui.plots.layout import (
    LEAST_AXIS_PX,
    RIGHT_PX,
    header_px,
    insides,
    lanes,
    lay_out,
    scrolled_height,
    side_of,
    smaller,
    wanted_axis,
)
from tracescope.ui.plots.mark_spans import MarkSpans
from tracescope.ui.plots.paint_pane import paint_around, paint_inside
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.plot_data import PlotData, series_of
from tracescope.ui.plots.pyramid import Pyramid
from tracescope.ui.plots.residuals import Residuals
from tracescope.ui.plots.tolerance_band import ToleranceBands
from tracescope.ui.plots.value_fit import fit_residuals, span_all, span_visible
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import ViewModel


class Due(IntEnum):
    """How much is to be painted when this turn of input is over."""

    NOTHING = 0
    LANES = 1
    BOXES = 2
    ALL = 3


class PaneCanvas(QWidget):
    """Draws panes from the models and keeps only what belongs to the screen: rectangles, value ranges.

    ``laid_out`` says that boxes moved sideways: what stands above and below lines up with them.
    """

    laid_out = Signal()
    pane_wanted = Signal(int, int)

    def __init__(self, model: SessionModel, view: ViewModel, theme: Theme) -> None:
        super().__init__()
        self._model = model
        self._view = view
        self._theme = theme
        self.panes: list[Pane] = []
        self._pair: TracePair | None = None
        self._pyramids = Background("pyramids", self._take_pyramid, self)
        self._pyramids.arrived.connect(self.rebuild)
        self.data = PlotData(self._pyramids)
        self.residuals = Residuals(self.data, self)
        self.residuals.arrived.connect(self._refresh_lanes)
        self.bands = ToleranceBands(self)
        self.bands.arrived.connect(self._refresh_lanes)
        self.residual_shown = True
        self.gesture: Gesture | None = None
        self.drop_mark: QRectF | None = None
        self._snap_s: float | None = None
        self._mark_spans = MarkSpans()
        self.axis_px = float(LEAST_AXIS_PX)
        self.paints = 0
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._settle)
        self._due = Due.ALL
        self._was_dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Signals over time")
        self.setMinimumWidth(320)
        view.range_changed.connect(self._refresh_boxes)
        model.alignment_changed.connect(self._take_alignment)
        for signal in (view.cursor_changed, view.evidence_changed, view.active_changed):
            signal.connect(self.refresh)
        for signal in (model.marks_changed, model.undo_stack.indexChanged):
            signal.connect(self.refresh)  # the latter also tells that a drag has ended
        view.shown_changed.connect(self.rebuild)
        model.corrections_changed.connect(self.rebuild)
        model.pair_changed.connect(self._take_pair)
        self._take_pair()

    # Changes

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        self._theme = theme
        self.arrange()

    def refresh(self) -> None:
        """Paint everything again, once, when this turn of input is over."""
        self._paint_soon(Due.ALL)

    def _refresh_boxes(self) -> None:
        """Paint the insides of the boxes again: what stands around them does not follow a pan."""
        self._paint_soon(Due.BOXES)

    def _refresh_lanes(self) -> None:
        """Paint the residual lanes again, spanning them anew: nothing else has changed."""
        self._paint_soon(Due.LANES)

    def _paint_soon(self, due: Due) -> None:
        self._due = max(self._due, due)
        self._soon.start()

    def _take_alignment(self) -> None:
        dragging, before = self._model.previewing, self._was_dragging
        self._was_dragging = dragging
        read = self._view.cursor_a_s is not None or self._view.cursor_b_s is not None
        all_soon = read or not (dragging and before)
        self._paint_soon(Due.ALL if all_soon else Due.BOXES)

    def rebuild(self) -> None:
        """Take the shown signals and the corrections anew; panes that stay keep their value range."""
        session = self._model.session
        self._derive_anew(None if session is None else session.pair)
        held = {pane.keys: pane for pane in self.panes}
        shown = self._view.shown if session is not None else ()
        self.panes = [
            self._pane(session.case, keys, held.get(keys))  # type: ignore[union-attr]
            for keys in shown
        ]
        self.arrange()

    def _pane(self, case: Case, keys: tuple[str, ...], old: Pane | None) -> Pane:
        pane = Pane(keys, series_of(case, keys))
        if old is not None and old.box.by_hand:
            pane.box = old.box
        else:
            span_all(pane, self.data)
        return pane

    def arrange(self) -> None:
        """Lay the panes out again."""
        header = header_px(self.small_font)
        around = self.parentWidget()
        seen_px = 0.0 if around is None else around.height() - 2.0
        least = scrolled_height(self.panes, header, seen_px, residual=self.residual_shown)
        self.setMinimumHeight(math.ceil(least) + 2)
        self._lay_out()
        self._fit_residuals()
        self._widen_axis()  # which numbers an axis shows depends on the height, its width on them
        self.laid_out.emit()
        self.refresh()

    def _lay_out(self) -> None:
        area = QRectF(0, 0, self.width(), self.height())
        header = header_px(self.small_font)
        lay_out(self.panes, area, self.axis_px, header, residual=self.residual_shown)

    def _widen_axis(self) -> bool:
        """Give the axis the width that its numbers need; return whether it had another."""
        wanted_px = self._wanted_axis()
        if wanted_px == self.axis_px:
            return False
        self.axis_px = wanted_px
        self._lay_out()
        return True

    def show_residual(self, shown: bool) -> None:  # noqa: FBT001 - a slot of a checkable action
        """Show or hide the residual lanes."""
        self.residual_shown = shown
        self.arrange()

    def fit_values(self, panes: list[Pane] | None = None) -> None:
        """Span the values of what is visible, in these panes or in all."""
        frame = self.frame()
        if frame is None:
            return
        for pane in self.panes if panes is None else panes:
            span_visible(pane, frame, self.data)
            pane.residual.by_hand = False
        self.arrange()

    def set_snap_line(self, at_s: float | None) -> None:
        """Draw a line through every pane where the dragged target has been caught."""
        self._snap_s = at_s
        self.refresh()

    def show_pane(self, pane: Pane) -> None:
        """Scroll so that a pane is seen."""
        self.pane_wanted.emit(round(pane.rect.top()), round(pane.rect.bottom()))

    @property
    def is_busy(self) -> bool:
        """Whether something drawn is still being computed."""
        return self._pyramids.is_busy or self.residuals.is_busy or self.bands.is_busy

    # Geometry

    @property
    def small_font(self) -> QFont:
        """The font of numbers and legends."""
        return smaller(self.font())

    @property
    def left_px(self) -> float:
        """Left edge of every box."""
        return self.axis_px

    @property
    def right_px(self) -> float:
        """Right edge of every box."""
        return max(self.width() - RIGHT_PX, self.axis_px + 1.0)

    def frame(self) -> Frame | None:
        """Gather what a paint needs; ``None`` while no pair is open."""
        session = self._model.session
        if session is None:
            return None
        view = self._view
        width_px = self.right_px - self.left_px
        frame = frame_of(session.case, view.range_s, self.left_px, width_px, self._theme)
        marks = (session.marks, session.alignment, frame.sim_lens, self.left_px)
        return replace(
            frame,
            cursor_a_s=view.cursor_a_s,
            cursor_b_s=view.cursor_b_s,
            evidence=view.evidence,
            marks_px=self._mark_spans.within(*marks),
            dragging=self._model.previewing,
            snap_s=self._snap_s,
        )

    def sizeHint(self) -> QSize:
        return QSize(800, 480)

    # Painting

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.arrange()

    @foremost()
    def paintEvent(self, event: QPaintEvent) -> None:
        self.paints += 1
        painter = QPainter(self)
        frame = self.frame()
        if frame is None or not self.panes:
            self._paint_empty(painter)
            return
        region = event.region()
        around = not region.subtracted(insides(self.panes)).isEmpty()
        if around:
            painter.fillRect(event.rect(), QColor(self._theme.background))
        for number, pane in enumerate(self.panes):
            if not region.intersects(pane.rect.toAlignedRect()):
                continue
            paint_inside(painter, pane, region, frame, self.data, self.residuals, self.bands)
            if around:
                paint_around(painter, pane, region, frame, self.data, self.small_font)
                if number == self._view.active and len(self.panes) > 1:
                    paint_frame.paint_active(painter, pane, self._theme)
        drawn = self.gesture.rect if isinstance(self.gesture, BoxZoom) else None
        for rect in (drawn, self.drop_mark):
            if rect is None:
                continue
            painter.setPen(cosmetic(self._theme.focus))
            painter.fillRect(rect, tinted(self._theme.focus))
            painter.drawRect(rect)

    def _paint_empty(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), QColor(self._theme.background))
        painter.setPen(QColor(self._theme.muted))
        words = "" if self._model.session is None else "Tick a signal to draw it here"
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)

    # Value ranges

    @foremost()
    def _settle(self) -> None:
        respanned: list[Pane] = []
        if self._due is not Due.BOXES or self._model.previewing:
            respanned = self._fit_residuals()
        if (respanned or self._due is Due.ALL) and self._widen_axis():
            self.laid_out.emit()
            self._due = Due.ALL
        if self._bands_changed():  # legends stand outside the boxes
            self._due = Due.ALL
        if self._due is Due.ALL:
            self.update()
        else:
            region = insides(self.panes) if self._due is Due.BOXES else lanes(self.panes)
            for pane in respanned:
                region += side_of(pane.residual)
            self.update(region)
        self._due = Due.NOTHING

    def _fit_residuals(self) -> list[Pane]:
        frame = self.frame()
        return [] if frame is None else fit_residuals(self.panes, frame, self.residuals)

    def _bands_changed(self) -> bool:
        frame = self.frame()
        return frame is not None and self.bands.take_sight(self.panes, frame, self.data)

    def _wanted_axis(self) -> float:
        return wanted_axis(self.panes, self.small_font)

    def _take_pyramid(self, channel: Channel, pyramid: Pyramid) -> None:
        self.data.take(channel, pyramid)
        for pane in self.panes:
            pane.shapes.clear()

    def _take_pair(self) -> None:
        self.gesture = None
        self.rebuild()

    def _derive_anew(self, pair: TracePair | None) -> None:
        """Let go of what was derived from another pair, whoever hears first that there is a new one."""
        if pair is not self._pair:
            self._pair = pair
            self._pyramids.forget(lambda _: True)
            self.data = PlotData(self._pyramids)
            self.residuals.start(self.data)
            self.bands.forget()
            self.panes = []
