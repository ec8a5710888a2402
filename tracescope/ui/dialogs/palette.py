"""Find any action by typing a part of its name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from tracescope.ui.actions import Actions, ActionSpec, key_texts
from tracescope.ui.dialogs.base import Dialog

LEAST_FIT = 50.0
SPEC = Qt.ItemDataRole.UserRole


def ranked(specs: tuple[ActionSpec, ...], typed: str) -> list[ActionSpec]:
    """Return the entries that fit what was typed, best first; all of them where nothing was.

    What begins with it comes first, then what contains it, then what resembles it.
    """
    wanted = typed.strip().lower()
    if not wanted:
        return list(specs)
    scored = [(_fit(spec, wanted), spec) for spec in specs]
    fitting = sorted((s for s in scored if s[0] >= LEAST_FIT), key=lambda s: -s[0])
    return [spec for _, spec in fitting]


def _fit(spec: ActionSpec, wanted: str) -> float:
    from rapidfuzz import fuzz

    text = spec.plain_text.lower()
    if text.startswith(wanted):
        return 300.0 - len(text)
    if wanted in text:
        return 200.0 - len(text)
    return fuzz.WRatio(wanted, text_of(spec).lower())


def text_of(spec: ActionSpec) -> str:
    """Return what the palette calls an entry: menu and text."""
    menu = spec.menu.replace("/", " › ")
    return f"{menu} › {spec.plain_text}" if menu else spec.plain_text


class CommandPalette(Dialog):
    """A field and the entries that fit it; Enter does the current one."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__("Command palette", parent)
        self._actions = actions
        self.field = QLineEdit()
        self.field.setPlaceholderText("Type what you want to do")
        self.field.setAccessibleName("command")
        self.field.setToolTip("A part of a command's name; Enter does the marked one")
        self.list = QListWidget()
        self.list.setAccessibleName("commands")
        self.list.setToolTip("Enter or double click does it")
        self.column.addWidget(self.field)
        self.column.addWidget(self.list)
        self.field.textChanged.connect(self._fill)
        self.field.returnPressed.connect(self._do)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(self._do)
        self.resize(520, 400)
        self._fill("")
        self.field.setFocus()

    def _fill(self, typed: str) -> None:
        self.list.clear()
        for spec in ranked(self._actions.specs, typed):
            if not self._actions[spec.id].isEnabled():
                continue
            keys = f"    {key_texts(spec)[0]}" if spec.keys else ""
            item = QListWidgetItem(f"{text_of(spec)}{keys}")
            item.setToolTip(spec.tip)
            item.setData(SPEC, spec)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _do(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            action = self._actions[item.data(SPEC).id]
            self.accept()
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # Qt's name
        """Let ↑ ↓ in the field move through the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
            if by:
                row = self.list.currentRow() + by
                self.list.setCurrentRow(max(0, min(row, self.list.count() - 1)))
                return True
        return super().eventFilter(watched, event)
