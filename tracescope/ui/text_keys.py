"""Keys that fields for text would keep to themselves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

GIVEN_UP = ((Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier),)
"""On X11 Ctrl+E goes to the end of a line, as End does: here it exports the note, wherever the text cursor is."""

WRITING = (Qt.Key.Key_E, Qt.Key.Key_S)
"""With Ctrl they write what there is, or ask for it to be written: what stands in the field belongs to it."""


class TextKeys(QObject):
    """Lets the window's shortcuts through where the focus is in one of its text fields.

    A field hands over what was typed when it loses the focus to another, but not to another window: what
    writes a note or a session from within it would write the words of before.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._hear)

    @Slot(QWidget, QWidget)
    def _hear(self, old: QWidget | None, new: QWidget | None) -> None:
        if isinstance(old, QLineEdit):
            old.removeEventFilter(self)
        if isinstance(new, QLineEdit) and self._window.isAncestorOf(new):
            new.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hand over what was typed before it is written; claim no shortcut that belongs to the window."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if held and event.key() in WRITING and isinstance(watched, QLineEdit):
            watched.editingFinished.emit()
        if (event.key(), event.modifiers()) not in GIVEN_UP:
            return False
        event.ignore()
        return True
