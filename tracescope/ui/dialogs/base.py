"""What the window's dialogs have in common: none blocks, each goes when it is closed."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QVBoxLayout, QWidget

from tracescope.ui.panels.parts import words


class Dialog(QDialog):
    """A non-modal dialog with a column, a line for what is wrong, and buttons below."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(16, 14, 16, 12)
        self.column.setSpacing(9)
        self.wrong: QLabel = words("", "danger")
        self.wrong.hide()

    def say_wrong(self, text: str) -> None:
        """Say beside the buttons what is wrong; empty takes it away."""
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))

    def add_buttons(self, accept: str = "", tip: str = "") -> QDialogButtonBox:
        """End the column with Cancel (or Close) and, where named, the accepting button."""
        self.column.addWidget(self.wrong)
        close = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(close.Cancel if accept else close.Close)
        for button in box.buttons():
            button.setToolTip("Change nothing" if accept else "Close this")
            button.setIcon(QIcon())  # the style's own follow no theme
        if accept:
            strong = box.addButton(accept, QDialogButtonBox.ButtonRole.AcceptRole)
            strong.setProperty("strong", True)  # noqa: FBT003  # Qt's own signature
            strong.setToolTip(tip)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        self.column.addWidget(box)
        for other in self.findChildren(QPushButton):
            other.setAutoDefault(False)  # Return in a field must never press a chooser
        if accept:
            strong.setDefault(True)
        return box
