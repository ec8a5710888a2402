"""Every key and mouse gesture on one sheet, made from the table that makes the menus."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTableWidget, QTableWidgetItem, QWidget

from tracescope.ui.actions import Actions, ActionSpec, key_texts
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.panels.parts import words

MOUSE = (
    ("Wheel", "Zoom time about the pointer"),
    ("Shift+Wheel", "Pan time"),
    ("Ctrl+Wheel", "Zoom this pane's values"),
    ("Wheel over an axis", "Zoom that axis"),
    ("Drag in a plot", "Pan"),
    ("Right drag, or Z then drag", "Zoom into a box"),
    ("Click, Shift+Click", "Cursor A, cursor B"),
    ("Double click", "Fit this pane"),
    (
        "Drag the target bar, Ctrl+drag a target curve",
        "Move the whole target; Shift: a tenth; Alt: snap; Esc: back",
    ),
    ("Overview: drag box, edges, click", "Pan, zoom, jump"),
)


def sheet_rows(specs: tuple[ActionSpec, ...]) -> list[tuple[str, str, str]]:
    """Return (menu, keys, words) of every entry that has a key."""
    return [
        (spec.menu.replace("/", " › "), "   ".join(key_texts(spec)), spec.plain_text)
        for spec in specs
        if spec.keys
    ]


class ShortcutSheet(Dialog):
    """One table: where it stands, its keys, what it does."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__("Shortcuts", parent)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter: a word of what it does, a key, a menu")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("filter shortcuts")
        self.filter.setToolTip("Show only rows that hold every word typed; Esc closes")
        self.filter.textChanged.connect(self._filter)
        self.column.addWidget(self.filter)
        rows = sheet_rows(actions.specs) + [("Mouse", keys, text) for keys, text in MOUSE]
        self.table = QTableWidget(len(rows), 3)
        self.table.setHorizontalHeaderLabels(["Where", "Keys", "What it does"])
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setAccessibleName("shortcuts")
        self.table.setToolTip("Single letters act only while no text field has the focus")
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                self.table.setItem(row, column, QTableWidgetItem(text))
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        self._texts = [" ".join(texts).lower() for texts in rows]
        self.none = words("", "muted")
        self.none.hide()
        self.column.addWidget(self.none)
        self.column.addWidget(self.table)
        self.add_buttons()
        self.resize(760, 560)
        self.filter.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Take the keys at once, so that typing filters and Esc closes."""
        super().showEvent(event)
        self.activateWindow()

    def _filter(self, typed: str) -> None:
        wanted = typed.lower().split()
        fits = [all(word in text for word in wanted) for text in self._texts]
        for row, fit in enumerate(fits):
            self.table.setRowHidden(row, not fit)
        self.none.setText(f"No shortcut has {typed.strip()!r}")
        self.none.setVisible(not any(fits))
