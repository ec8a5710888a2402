"""The guided tour: steps that point at real controls and go on when the person does the thing, or asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

from tracescope.ui.tour_callout import Callout, Ring
from tracescope.ui.tour_steps import Done, Step, is_open, steps

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow

LOOK_MS = 60
"""How often the tour looks where its control is and whether the thing was done."""


class Tour(QObject):
    """One walk through one window. It begins only when asked, and leaves nothing behind.

    Attributes:
        callout: The words and buttons.
        place: Number of the present step, from 0.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.steps = steps()
        self.place = 0
        self._done: Done | None = None
        self._opening = False
        self.ring = Ring(window.look, window)
        self.callout = Callout(window.look, window)
        self.callout.back.connect(self.go_back)
        self.callout.forward.connect(self.go_on)
        self.callout.closed.connect(self.close)
        self._looking = QTimer(self, interval=LOOK_MS)
        self._looking.timeout.connect(self._look)
        window.installEventFilter(self)
        self._hear(None, QApplication.focusWidget())
        _application().focusChanged.connect(self._hear)

    @classmethod
    def begin(cls, window: MainWindow) -> Tour:
        """Begin at the first step; a tour under way ends."""
        for old in window.findChildren(cls):
            old.close()
        tour = cls(window)
        tour._arrive(0)
        tour._looking.start()
        tour.callout.next.setFocus()
        return tour

    @property
    def step(self) -> Step:
        """The present step."""
        return self.steps[self.place]

    def target(self) -> QWidget:
        """Return the control that the present step points at."""
        return self.step.at(self._window)

    def around(self) -> QRect:
        """Return the rectangle pointed at, in the window's coordinates, as far as it can be seen."""
        part = self.step.part
        return self._seen(self.target(), None if part is None else part(self._window))

    def _seen(self, widget: QWidget, box: QRect | None = None) -> QRect:
        box = widget.rect() if box is None else box
        seen = box.intersected(widget.visibleRegion().boundingRect())
        return QRect(widget.mapTo(self._window, seen.topLeft()), seen.size())

    # Going

    @Slot()
    def go_on(self) -> None:
        """Go to the next step, doing first what the rest needs; after the last the tour ends."""
        step = self.step
        if step.do is not None and self._done is not None and not self._done():
            step.do(self._window)
        if self.place == 0 and not is_open(self._window):
            self._opening = True  # the step goes on by itself once the pair is there
            return
        self._arrive(self.place + 1)

    @Slot()
    def go_back(self) -> None:
        """Go to the step before; nothing that was done is undone."""
        self._arrive(max(self.place - 1, 0))

    @Slot()
    def close(self) -> None:
        """End the tour."""
        _application().focusChanged.disconnect(self._hear)
        self._hear(QApplication.focusWidget(), None)
        self._window.removeEventFilter(self)
        self._looking.stop()
        for part in (self.callout, self.ring):
            part.hide()
            part.deleteLater()
        self.setParent(None)
        self.deleteLater()

    def _arrive(self, place: int) -> None:
        if place >= len(self.steps):
            self.close()
            return
        self.place = place
        step = self.step
        step.ready(self._window)
        self._bring_into_view(self.target())
        self._done = None if step.watch is None else step.watch(self._window)
        if self._done is not None and self._done():
            self._done = None  # done before it was asked for: there is nothing to wait for
        self.callout.say(step.title, step.text, place, len(self.steps))
        self._look_around()
        for part in (self.ring, self.callout):
            part.show()
            part.raise_()
        if self._opening:
            self._opening = False
            self.callout.next.setFocus()  # the panes take the keyboard when a pair opens: keys must lead on

    def _bring_into_view(self, widget: QWidget) -> None:
        """Scroll every area around a control that fits into it, so that all of it can be seen."""
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        inside = widget.parentWidget()
        while inside is not None and inside is not self._window:
            if isinstance(inside, QScrollArea):
                _show_in(inside, widget)
            inside = inside.parentWidget()

    # Looking

    @Slot()
    def _look(self) -> None:
        if self.place > 0 and not is_open(self._window):
            self._window.parts.status.hint("the tour ended: another pair is open now")
            self.close()
        elif self._done is not None and self._done():
            self._arrive(self.place + 1)
        else:
            self._look_around()

    def _look_around(self) -> None:
        around, beside = self.around(), self.step.beside
        free = around if beside is None else self._seen(beside(self._window))
        self.ring.setGeometry(self._window.rect())
        self.ring.show_around(around, self.callout.stand_beside(free))

    @Slot(QWidget, QWidget)
    def _hear(self, old: QWidget | None, new: QWidget | None) -> None:
        """Listen for Esc where keys go now; the window itself is always listened to."""
        if old is not None and old is not self._window:
            old.removeEventFilter(self)
        if new is not None and new is not self._window:
            new.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Take Esc, unless it ends a drag or belongs to a dialog or a menu."""
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if event.type() not in kinds or not isinstance(event, QKeyEvent):
            return False
        if event.key() != Qt.Key.Key_Escape or not self._has_the_keyboard():
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self.close()
        return True

    def _has_the_keyboard(self) -> bool:
        return (
            self._window.isActiveWindow()
            and QApplication.activePopupWidget() is None
            and not self._window.model.previewing
            and QApplication.mouseButtons() == Qt.MouseButton.NoButton
        )


def _show_in(area: QScrollArea, widget: QWidget) -> None:
    """Scroll an area so that a control can be seen; along a side that it does not fit into, not at all."""
    room, content = area.viewport().size(), area.widget()
    if content is None or widget.width() > room.width():
        return
    if widget.height() <= room.height():
        area.ensureWidgetVisible(widget, 4, 4)
    else:
        middle = widget.mapTo(content, widget.rect().center()).x()
        area.ensureVisible(middle, area.verticalScrollBar().value(), widget.width() // 2, 0)


def _application() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
