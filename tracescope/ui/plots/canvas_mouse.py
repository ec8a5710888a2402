"""What the mouse does over the panes: presses become clicks or gestures, wheels become zooms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QWheelEvent

from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.gestures import SLIP_PX, BoxZoom, Gesture, MoveTarget, Pan, PanValues
from tracescope.ui.plots.outline import passes_near
from tracescope.ui.plots.paint_box import shapes_of
from tracescope.ui.plots.pane import Box, Pane
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.plot_data import Series
from tracescope.ui.plots.readout import nearest_sample
from tracescope.ui.plots.snapping import Snapping
from tracescope.ui.session_model import LOCKED, SessionModel
from tracescope.ui.view_model import ViewModel

NOTCH = 120.0
ZOOM_A_NOTCH = 1.25
PAN_A_NOTCH = 0.1
GRAB_PX = 8.0
"""How near to a target curve Ctrl+drag takes hold of it."""

_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """What lies under the pointer."""

    number: int
    pane: Pane
    box: Box | None
    on_axis: bool


@dataclass(frozen=True, slots=True, eq=False)
class Pointed:
    """What a menu is asked for: a place of the screen, the curve there (else all of the pane), its instant."""

    at: QPoint
    keys: tuple[str, ...]
    at_s: float


class CanvasMouse(QObject):
    """Turns the canvas's mouse events into changes of the models.

    ``hinted`` says, in one sentence, why something was not done; ``menu_wanted`` carries what was pointed at.
    """

    hinted = Signal(str)
    menu_wanted = Signal(object)

    def __init__(
        self,
        canvas: PaneCanvas,
        model: SessionModel,
        view: ViewModel,
        snapping: Snapping | None = None,
    ) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._snapping = snapping
        self._model = model
        self._view = view
        self._pressed: tuple[QPointF, Spot, Qt.MouseButton] | None = None
        self._waiting: Gesture | None = None
        self.box_zoom_armed = False
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the canvas's mouse events; what is not used goes on to the scroll area around it."""
        if watched is not self._canvas:
            return False
        if isinstance(event, QWheelEvent):
            return self.wheel(event)
        if isinstance(event, QContextMenuEvent):
            if event.reason() is not QContextMenuEvent.Reason.Mouse:  # the mouse may yet draw a box
                self._menu_by_key()
            return True
        if not isinstance(event, QMouseEvent):
            return False
        verbs = {
            QEvent.Type.MouseButtonPress: self.press,
            QEvent.Type.MouseMove: self.move,
            QEvent.Type.MouseButtonRelease: self.release,
            QEvent.Type.MouseButtonDblClick: self.double_click,
        }
        verb = verbs.get(event.type())
        if verb is None:
            return False
        verb(event)
        return True

    def spot(self, pos: QPointF) -> Spot | None:
        """Say what lies at a point of the canvas."""
        for number, pane in enumerate(self._canvas.panes):
            if pane.rect.top() <= pos.y() <= pane.rect.bottom():
                return Spot(number, pane, pane.box_at(pos), pos.x() < self._canvas.left_px)
        return None

    def arm_box_zoom(self) -> None:
        """Let the next drag draw a box to zoom into."""
        self.box_zoom_armed = True
        self._canvas.setCursor(Qt.CursorShape.CrossCursor)

    def cancel(self) -> bool:
        """Take back the gesture under way; return whether there was one."""
        gesture, self._canvas.gesture = self._canvas.gesture, None
        self._pressed = self._waiting = None
        if self.box_zoom_armed:
            self._disarm()
            return True
        if gesture is None:
            return False
        gesture.cancel()
        self._canvas.refresh()
        return True

    # Buttons

    def press(self, event: QMouseEvent) -> None:
        """Begin what may become a click or a gesture."""
        spot = self.spot(event.position())
        if spot is None or self._pressed is not None:
            return
        self._view.set_active(spot.number)
        self._pressed = (event.position(), spot, event.button())
        self._waiting = self._gesture(event, spot)

    def move(self, event: QMouseEvent) -> None:
        """Follow the pointer: a gesture begins once the hand has moved enough not to be a slip."""
        pos = event.position()
        if self._pressed is None:
            self._point(pos)
            return
        slip = pos - self._pressed[0]
        if self._canvas.gesture is None and max(abs(slip.x()), abs(slip.y())) >= SLIP_PX:
            self._canvas.gesture = self._waiting
        if self._canvas.gesture is not None:
            held = event.modifiers()
            self._canvas.gesture.move(pos, fine=bool(held & _SHIFT), snap=bool(held & _ALT))
            self._canvas.refresh()

    def release(self, event: QMouseEvent) -> None:
        """End a gesture, or take a click."""
        if self._pressed is None or event.button() != self._pressed[2]:
            return
        _, spot, button = self._pressed
        gesture, self._canvas.gesture = self._canvas.gesture, None
        self._pressed = self._waiting = None
        if self.box_zoom_armed:
            self._disarm()
        if gesture is not None:
            gesture.finish()
        elif button == Qt.MouseButton.LeftButton and spot.box is not None and not spot.on_axis:
            self._click(event, spot)
        elif button == Qt.MouseButton.RightButton:
            self._menu_at(event.position(), spot)
        self._canvas.refresh()

    def double_click(self, event: QMouseEvent) -> None:
        """Fit the pane's values."""
        spot = self.spot(event.position())
        if spot is not None:
            self._canvas.fit_values([spot.pane])

    def _gesture(self, event: QMouseEvent, spot: Spot) -> Gesture | None:
        if spot.box is None:
            return None
        start = event.position()
        if event.button() == Qt.MouseButton.RightButton or self.box_zoom_armed:
            return BoxZoom(self._view, spot.box, start)
        if event.button() != Qt.MouseButton.LeftButton:
            return None
        if spot.on_axis:
            return PanValues(spot.box, start)
        frame = self._canvas.frame()
        if frame is None:
            return None
        if event.modifiers() & _CTRL:
            return self._move_target(spot, start, frame)
        return Pan(self._view, start, frame.sim_lens.px_per_s)

    def _move_target(self, spot: Spot, start: QPointF, frame: Frame) -> Gesture | None:
        session = self._model.session
        if session is None:
            return None
        if not self.on_target_curve(spot.pane, start):
            self.hinted.emit("Ctrl+drag moves the target: begin on one of its curves")
            return None
        if session.locked:
            self.hinted.emit(LOCKED)
            return None
        at_s = frame.time(start.x())
        snaps = None if self._snapping is None else self._snapping.drag(session, at_s)
        return MoveTarget(self._model, session, start, frame.sim_lens.px_per_s, snaps)

    def on_target_curve(self, pane: Pane, pos: QPointF) -> bool:
        """Whether a target curve passes near a point."""
        return any(series.side == "target" for series in self._curves_at(pane, pos))

    def _curves_at(self, pane: Pane, pos: QPointF) -> Iterator[Series]:
        frame = self._canvas.frame()
        if frame is None or not pane.box.rect.contains(pos):
            return
        at = pos - pane.box.rect.topLeft()
        for series in pane.series:
            shapes = shapes_of(pane, series, frame, self._canvas.data)
            if any(passes_near(shape, at, GRAB_PX) for shape in shapes):
                yield series

    # Menus

    def _menu_at(self, pos: QPointF, spot: Spot) -> None:
        frame = self._canvas.frame()
        if frame is None:
            return
        at_s = frame.time(min(max(pos.x(), self._canvas.left_px), self._canvas.right_px))
        if spot.pane.series:
            first = min(spot.pane.series, key=lambda s: s.side)
            at_s = nearest_sample(first, frame.case.alignment, at_s)
        near = tuple(dict.fromkeys(series.key for series in self._curves_at(spot.pane, pos)))
        place = self._canvas.mapToGlobal(pos).toPoint()
        self.menu_wanted.emit(Pointed(place, near or spot.pane.keys, at_s))

    def _menu_by_key(self) -> None:
        """Ask for the menu of the active pane, at cursor A where it is in view."""
        frame, panes = self._canvas.frame(), self._canvas.panes
        if frame is None or not panes:
            return
        pane = panes[min(self._view.active, len(panes) - 1)]
        low, high = self._view.range_s
        at_s = self._view.cursor_a_s
        at_s = (low + high) / 2 if at_s is None or not low <= at_s <= high else at_s
        left, right = self._canvas.left_px, self._canvas.right_px
        x = left + (at_s - low) / (high - low) * (right - left)
        place = self._canvas.mapToGlobal(QPointF(x, pane.box.rect.center().y())).toPoint()
        self.menu_wanted.emit(Pointed(place, pane.keys, at_s))

    def _click(self, event: QMouseEvent, spot: Spot) -> None:
        frame = self._canvas.frame()
        if frame is None or not spot.pane.series:
            return
        at_s = frame.time(event.position().x())
        first = min(spot.pane.series, key=lambda s: s.side)  # "sim" stands before "target"
        at_s = nearest_sample(first, frame.case.alignment, at_s)
        if event.modifiers() & _SHIFT:
            self._view.set_cursor_b(at_s)
        else:
            self._view.set_cursor_a(at_s)

    def _point(self, pos: QPointF) -> None:
        spot = self.spot(pos)
        if self.box_zoom_armed:
            return
        if spot is not None and spot.on_axis and spot.box is not None and not spot.pane.is_flags:
            self._canvas.setCursor(Qt.CursorShape.SizeVerCursor)
        else:
            self._canvas.unsetCursor()

    def _disarm(self) -> None:
        self.box_zoom_armed = False
        self._canvas.unsetCursor()

    # Wheel

    def wheel(self, event: QWheelEvent) -> bool:
        """Zoom or pan; return whether the wheel was used (over a header it scrolls the panes)."""
        spot = self.spot(event.position())
        frame = self._canvas.frame()
        if spot is None or spot.box is None or frame is None:
            return False
        turned = event.angleDelta()
        notches = (turned.y() or turned.x()) / NOTCH
        modifiers = event.modifiers()
        sideways = turned.y() == 0 and turned.x() != 0 and not modifiers & _CTRL
        if spot.on_axis or modifiers & _CTRL:
            if not spot.pane.is_flags:
                spot.box.zoom(ZOOM_A_NOTCH**notches, spot.box.value(event.position().y()))
                self._canvas.refresh()
        elif sideways or modifiers & _SHIFT:
            low, high = self._view.range_s
            self._view.pan(-notches * PAN_A_NOTCH * (high - low))
        else:
            self._view.zoom(ZOOM_A_NOTCH**notches, frame.time(event.position().x()))
        return True
