"""A person's hands: what tests do to the window, on the screen's own pixels.

Positions are pixels of the widget given (``QPointF`` or ``QPoint``). Nothing here looks inside a widget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QElapsedTimer, QEvent, QEventLoop, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QWidget

NO = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
NONE = Qt.MouseButton.NoButton

Where = QPointF | QPoint


def settle() -> None:
    """Let everything that is due happen: events, timers of 0 ms, paints."""
    for _ in range(4):
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def _mouse(
    widget: QWidget,
    kind: QEvent.Type,
    pos: Where,
    button: Qt.MouseButton,
    buttons: Qt.MouseButton,
    modifiers: Qt.KeyboardModifier,
) -> None:
    at = QPointF(pos)
    event = QMouseEvent(kind, at, widget.mapToGlobal(at), button, buttons, modifiers)
    QApplication.sendEvent(widget, event)


def hover(widget: QWidget, pos: Where, modifiers: Qt.KeyboardModifier = NO) -> None:
    """Move the pointer without a button."""
    _mouse(widget, QEvent.Type.MouseMove, pos, NONE, NONE, modifiers)
    settle()


def click(
    widget: QWidget,
    pos: Where,
    modifiers: Qt.KeyboardModifier = NO,
    button: Qt.MouseButton = LEFT,
) -> None:
    """Press and release at one place."""
    hover(widget, pos, modifiers)
    _mouse(widget, QEvent.Type.MouseButtonPress, pos, button, button, modifiers)
    _mouse(widget, QEvent.Type.MouseButtonRelease, pos, button, NONE, modifiers)
    settle()


def double_click(widget: QWidget, pos: Where) -> None:
    """Click twice, as one double click."""
    click(widget, pos)
    _mouse(widget, QEvent.Type.MouseButtonDblClick, pos, LEFT, LEFT, NO)
    _mouse(widget, QEvent.Type.MouseButtonRelease, pos, LEFT, NONE, NO)
    settle()


class Drag:
    """A drag under way: ``with Drag(widget, start) as hand: hand.to(place)``; released at the end."""

    def __init__(
        self,
        widget: QWidget,
        start: Where,
        modifiers: Qt.KeyboardModifier = NO,
        button: Qt.MouseButton = LEFT,
    ) -> None:
        self.widget = widget
        self.pos = QPointF(start)
        self.modifiers = modifiers
        self.button = button
        hover(widget, start, modifiers)
        _mouse(widget, QEvent.Type.MouseButtonPress, start, button, button, modifiers)
        settle()

    def to(self, pos: Where, steps: int = 6) -> None:
        """Move to a place in some steps, the last one exactly there."""
        first, last = self.pos, QPointF(pos)
        for step in range(1, steps + 1):
            self.pos = first + (last - first) * (step / steps)
            _mouse(self.widget, QEvent.Type.MouseMove, self.pos, NONE, self.button, self.modifiers)
            settle()

    def queue(self, places: Sequence[Where]) -> None:
        """Move through places faster than anything can be drawn: all moves wait in the queue at once."""
        for pos in places:
            self.pos = QPointF(pos)
            at = QPointF(pos)
            event = QMouseEvent(
                QEvent.Type.MouseMove,
                at,
                self.widget.mapToGlobal(at),
                NONE,
                self.button,
                self.modifiers,
            )
            QApplication.postEvent(self.widget, event)

    def release(self) -> None:
        """Let go where the pointer is."""
        _mouse(
            self.widget,
            QEvent.Type.MouseButtonRelease,
            self.pos,
            self.button,
            NONE,
            self.modifiers,
        )
        settle()

    def __enter__(self) -> Drag:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def drag(
    widget: QWidget,
    start: Where,
    stop: Where,
    modifiers: Qt.KeyboardModifier = NO,
    button: Qt.MouseButton = LEFT,
    steps: int = 6,
) -> None:
    """Press at ``start``, move, release at ``stop``."""
    with Drag(widget, start, modifiers, button) as hand:
        hand.to(stop, steps)


def wheel(
    widget: QWidget,
    pos: Where,
    notches: float = 1.0,
    modifiers: Qt.KeyboardModifier = NO,
    sideways: bool = False,
) -> None:
    """Turn the wheel: positive notches away from the person. Goes to parents where it is not used."""
    at = QPointF(pos)
    turned = round(120 * notches)
    angle = QPoint(turned, 0) if sideways else QPoint(0, turned)
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        angle,
        NONE,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    settle()


def key(
    widget: QWidget, pressed: Qt.Key | str, modifiers: Qt.KeyboardModifier = NO, times: int = 1
) -> None:
    """Press a key on whatever has the focus in a window, or on the widget itself where nothing has."""
    focused = widget.window().focusWidget() or widget
    for _ in range(times):
        QTest.keyClick(focused, pressed, modifiers)
    settle()


def type_text(widget: QWidget, text: str) -> None:
    """Put the focus on a field and type."""
    widget.setFocus()
    QTest.keyClicks(widget, text)
    settle()


def press(window: QWidget, label: str) -> None:
    """Click the one visible, enabled button that reads ``label``; fail as a person would be stuck."""
    shown = [
        button
        for button in window.findChildren(QAbstractButton)
        if button.isVisible() and button.text().replace("&", "") == label
    ]
    assert len(shown) == 1, f"{len(shown)} visible buttons read {label!r}"
    assert shown[0].isEnabled(), f"{label!r} is greyed out"
    click(shown[0], shown[0].rect().center())


def choose(menu: QMenu, label: str) -> None:
    """Take the one enabled entry of a menu that reads ``label``."""
    entries = [action for action in menu.actions() if action.text().replace("&", "") == label]
    assert len(entries) == 1, f"{len(entries)} entries read {label!r}"
    assert entries[0].isEnabled(), f"{label!r} is greyed out"
    entries[0].trigger()
    settle()


def wait_for(condition: Callable[[], bool], what: str, most_s: float = 10.0) -> None:
    """Wait until a condition holds; fail saying what was waited for."""
    clock = QElapsedTimer()
    clock.start()
    while not condition():
        assert clock.elapsed() < most_s * 1000, f"waited in vain for {what}"
        # An event loop lets workers run meanwhile; QTest.qWait holds the interpreter's lock.
        loop = QEventLoop()
        QTimer.singleShot(5, loop.quit)
        loop.exec()
    settle()
