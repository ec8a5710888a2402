"""The centre of the window: align strip, panes, time axis and overview, one under another."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from tracescope.ui.plots.align_strip import AlignStrip
from tracescope.ui.plots.align_verbs import AlignVerbs
from tracescope.ui.plots.canvas_drop import CanvasDrop
from tracescope.ui.plots.canvas_mouse import CanvasMouse
from tracescope.ui.plots.commands import Others, command_of, commands
from tracescope.ui.plots.frames_strip import FramesStrip
from tracescope.ui.plots.goto_field import GoToField
from tracescope.ui.plots.overview import Overview
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.side_by_side import SideBySide
from tracescope.ui.plots.snapping import Snapping
from tracescope.ui.plots.time_axis import TimeAxis
from tracescope.ui.plots.verbs import CursorVerbs, PaneVerbs, active_pane
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import ViewModel, split_key

SCREEN_CHANGES = {QEvent.Type.DevicePixelRatioChange, QEvent.Type.ScreenChangeInternal}


class PaneScroll(QScrollArea):
    """Scrolls panes that do not fit, but leaves the arrow keys to the cursor.

    Signals:
        resizing: The panes are about to be laid out in another height; carries the present one, pixels.
        resized: As many panes as fit may be another number.
    """

    resizing = Signal(int)
    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.resizing.emit(event.oldSize().height())
        super().resizeEvent(event)
        self.resized.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()


class TraceView(QWidget):
    """Both traces over time.

    Attributes:
        canvas, strip, axis, overview, frames: Its parts.
        commands: Every key of the plots; menus and the shortcut sheet are made of the same table.
    """

    hinted = Signal(str)
    """One sentence for the status bar: why something was not done, or what to do next."""

    menu_wanted = Signal(object)
    """The menu of what was pointed at (``Pointed``)."""

    def __init__(
        self,
        session_model: SessionModel,
        view_model: ViewModel,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._view, self._model, self._theme = view_model, session_model, theme
        self.sides: SideBySide | None = None
        self.canvas = PaneCanvas(session_model, view_model, theme)
        self.snapping = Snapping(self.canvas, view_model, self)
        self.strip = AlignStrip(self.canvas, session_model, view_model, theme, self.snapping)
        self.axis = TimeAxis(self.canvas, view_model, theme)
        self.overview = Overview(self.canvas, session_model, view_model, theme)
        self.frames = FramesStrip(self.canvas, session_model, view_model, theme, self)
        self._scroll = PaneScroll()
        self._lay_out()
        self._mouse = CanvasMouse(self.canvas, session_model, view_model, self.snapping)
        CanvasDrop(self.canvas, view_model)
        self._cursor = CursorVerbs(self.canvas, session_model, view_model)
        panes = PaneVerbs(self.canvas, session_model, view_model)
        align = AlignVerbs(session_model, view_model, self)
        self.go_to = GoToField(session_model, view_model, self)
        others = Others(
            self.escape,
            self._snap,
            self.toggle_sides,
            lambda: self.go_to.ask(self.axis.geometry().bottom()),
            self.frames.toggle_blink,
            self.frames.blink.speed_up,
        )
        self.commands = commands(self._cursor, panes, align, self._mouse, view_model, others)
        for part in (self._mouse, self.strip, self.frames, panes, align, self.go_to):
            part.hinted.connect(self.hinted)
        self._mouse.menu_wanted.connect(self.menu_wanted)
        self.canvas.pane_wanted.connect(self._show_rows)
        # A pane that was added has its place once its layout has been through: after this turn of input.
        self._scroll_soon = QTimer(self, singleShot=True, interval=0)
        self._scroll_soon.timeout.connect(self._show_named)
        self._kept: tuple[str, ...] = ()
        self._keep_soon = QTimer(self, singleShot=True, interval=0)
        self._keep_soon.timeout.connect(self._keep_in_view)
        view_model.evidence_gone_to.connect(self._scroll_soon.start)
        self.setFocusProxy(self.canvas)

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        self._theme = theme
        parts = (self.canvas, self.strip, self.axis, self.overview, self.frames)
        for part in parts if self.sides is None else (*parts, self.sides):
            part.set_theme(theme)

    @property
    def panes_end_px(self) -> int:
        """Where the panes end and the tools below them begin, pixels from the upper edge."""
        below = self.axis if self.sides is None else self.overview
        return below.geometry().top()

    def escape(self) -> None:
        """Take back a gesture under way; without one, half an anchor; without that, clear marks of the view."""
        if self._mouse.cancel() or self.strip.cancel():
            return
        if self.sides is not None and self.sides.cancel():
            return
        if self._view.pending_anchor_s is not None:
            self._view.set_pending_anchor(None)
            return
        if self.frames.blink.is_on:
            self.frames.blink.stop()
            return
        self._view.show_evidence(())
        self._cursor.clear()

    def _snap(self) -> None:
        self.snapping.toggle()
        self.hinted.emit(
            "every drag of the target snaps; Alt lets it go free"
            if self.snapping.is_on
            else "the target moves freely; Alt while dragging snaps it"
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = command_of(event.keyCombination(), self.commands)
        if command is None:
            super().keyPressEvent(event)
        else:
            command.run()

    def toggle_sides(self) -> None:
        """Show the traces side by side, each on its own clock, or laid over each other again."""
        if self.sides is None:
            self.sides = SideBySide(self.canvas, self._model, self._view, self._theme)
            self.sides.hinted.connect(self.hinted)
            self.sides.menu_wanted.connect(self.menu_wanted)
            self._column.insertWidget(1, self.sides, 1)
        else:
            self._column.removeWidget(self.sides)
            self.sides.hide()
            self.sides.deleteLater()
            self.sides = None
        apart = self.sides is not None
        for part in (self.strip, self._scroll, self.axis):
            part.setVisible(not apart)
        self.setFocusProxy(self.canvas if self.sides is None else self.sides.sim)
        self.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the main canvas as wide as the view while it is hidden: the overview lines up with it."""
        super().resizeEvent(event)
        if self.sides is not None:
            self._scroll.resize(self.width(), self._scroll.height())

    def event(self, event: QEvent) -> bool:
        """Lay out anew on a screen of another scale: every length on it is another number of pixels."""
        if event.type() in SCREEN_CHANGES:
            self.canvas.arrange()
        return super().event(event)

    def _lay_out(self) -> None:
        self._scroll.setWidget(self.canvas)
        self._scroll.setWidgetResizable(True)
        self._scroll.resizing.connect(self._before_resize)
        self._scroll.resized.connect(self.canvas.arrange)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self._scroll, 1)
        column.addWidget(self.axis)
        column.addWidget(self.overview)
        column.addWidget(self.frames)

    def _show_named(self) -> None:
        """Bring every pane that the evidence names into view; those far apart are put together first."""
        named = set(self._view.evidence_keys)
        panes = [pane for pane in self.canvas.panes if named & set(pane.keys)]
        self._column.activate()
        if not panes:
            return
        seen = self._scroll.viewport().height()
        top, bottom = panes[0].rect.top(), max(pane.rect.bottom() for pane in panes)
        if bottom - top <= seen:
            self._show_rows(round(top), round(bottom))
            return
        if self._view.gather_evidence():
            self._scroll_soon.start()  # once the panes have their new places
            return
        self._scroll.verticalScrollBar().setValue(round(top))
        below = [pane for pane in panes if pane.rect.bottom() - top > seen]
        names = ", ".join(split_key(k)[1] for pane in below for k in pane.keys if k in named)
        self.hinted.emit(f"not all fits on the screen: {names} below")

    # Where a bar above takes room

    def _before_resize(self, seen_px: int) -> None:
        """Note which pane is looked at: the active one, or the one in the middle of what is seen."""
        if self._kept or seen_px <= 0:
            return
        top = self._scroll.verticalScrollBar().value()
        whole = [
            pane
            for pane in self.canvas.panes
            if top - 1 <= pane.rect.top() and pane.rect.bottom() <= top + seen_px + 1
        ]
        active = active_pane(self.canvas, self._view)
        middle = top + seen_px / 2
        if active in whole:
            self._kept = active.keys
        elif whole:
            self._kept = min(whole, key=lambda p: abs(p.rect.center().y() - middle)).keys
        self._keep_soon.start()

    def _keep_in_view(self) -> None:
        kept, self._kept = self._kept, ()
        pane = next((pane for pane in self.canvas.panes if pane.keys == kept), None)
        if pane is not None and not self._scroll_soon.isActive():
            self._column.activate()
            self.canvas.show_pane(pane)

    def _show_rows(self, top: int, bottom: int) -> None:
        middle = (top + bottom) // 2
        self._scroll.ensureVisible(0, middle, 0, (bottom - top) // 2)
