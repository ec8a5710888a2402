"""Every message of a window, oldest first, to read and to copy."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QWidget

from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.notices import Notices


class MessageLog(Dialog):
    """Follows the log while it is open."""

    def __init__(self, notices: Notices, parent: QWidget) -> None:
        super().__init__("Messages", parent)
        self._notices = notices
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("messages")
        self.text.setToolTip("Every message of this window, oldest first")
        self.text.setTabChangesFocus(True)
        self.column.addWidget(self.text)
        box = self.add_buttons()
        copy = box.addButton("Copy all", QDialogButtonBox.ButtonRole.ActionRole)
        copy.setToolTip("Copy every message")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        notices.changed.connect(self._fill)
        self._fill()
        self.resize(640, 360)

    def _fill(self) -> None:
        lines = []
        for notice in self._notices.said:
            lines.append(f"{notice.at:%H:%M:%S}  {notice.level:<6}  {notice.text}")
            lines += [f"    {line}" for line in notice.detail.splitlines()]
        self.text.setPlainText("\n".join(lines) or "No message yet.")
