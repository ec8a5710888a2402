"""A list of findings under one heading: wrapped, editable in place, in a person's order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QObject,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QListView,
    QPlainTextEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from tracescope.model.finding import Finding
from tracescope.ui.look import Look
from tracescope.ui.panels.finding_model import FINDING, FindingModel, Index, second_line

MARGIN = 6
_WRAP = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft


class _Delegate(QStyledItemDelegate):
    """Draws a finding as its text and, muted, what it hangs on; edits the text in several lines."""

    written = Signal(str, str)

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def _boxes(self, option: QStyleOptionViewItem, finding: Finding) -> tuple[QRect, QRect]:
        width = max(60, option.rect.width() - 2 * MARGIN)
        top = option.rect.topLeft()
        metrics = option.fontMetrics
        tall = QRect(top.x() + MARGIN, top.y() + MARGIN - 2, width, 100_000)
        first = metrics.boundingRect(tall, _WRAP, shown_text(finding))
        under = second_line(finding)
        second = QRect(tall)
        second.setTop(first.bottom() + 2)
        box = (
            metrics.boundingRect(second, _WRAP, under)
            if under
            else QRect(second.topLeft(), QSize())
        )
        first.setWidth(width)
        box.setWidth(width)
        return first, box

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for the wrapped text."""
        view = self.parent()
        assert isinstance(view, QListView)
        option.rect = QRect(0, 0, view.viewport().width(), 10)
        first, second = self._boxes(option, index.data(FINDING))
        height = max(first.bottom(), second.bottom() if second.height() > 0 else 0) + MARGIN
        return QSize(option.rect.width(), max(24, height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one finding."""
        theme, finding = self._look.theme, index.data(FINDING)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(option.rect, QColor(theme.selection))
        first, second = self._boxes(option, finding)
        painter.setPen(QColor(theme.on_selection if selected else theme.text))
        painter.drawText(first, _WRAP, shown_text(finding))
        if not selected:
            painter.setPen(QColor(theme.muted))
        painter.drawText(second, _WRAP, second_line(finding))

    def createEditor(  # noqa: N802  # Qt's name
        self, parent: QWidget, _option: QStyleOptionViewItem, index: Index
    ) -> QWidget:
        """Return a field of several lines over the finding."""
        editor = QPlainTextEdit(parent)
        editor.setTabChangesFocus(True)
        editor.setAccessibleName("text of the finding")
        editor.setToolTip("Ctrl+Enter keeps the text, Esc drops it")
        editor.setPlainText(index.data(FINDING).text)
        editor.selectAll()
        return editor

    def setEditorData(self, _editor: QWidget, _index: Index) -> None:  # noqa: N802  # Qt's name
        """Leave the field as it was made."""

    def updateEditorGeometry(  # noqa: N802  # Qt's name
        self, editor: QWidget, option: QStyleOptionViewItem, _index: Index
    ) -> None:
        """Give the field at least three lines."""
        box = QRect(option.rect)
        box.setHeight(max(box.height(), 3 * editor.fontMetrics().height() + 14))
        editor.setGeometry(box)

    def setModelData(  # noqa: N802  # Qt's name
        self, editor: QWidget, _model: QAbstractItemModel, index: Index
    ) -> None:
        """Hand the text over; the session, not the list, keeps it."""
        assert isinstance(editor, QPlainTextEdit)
        text = editor.toPlainText().strip()
        finding = index.data(FINDING)
        if text and text != finding.text:
            self.written.emit(finding.id, text)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:  # Qt's name
        """Keep the text on Ctrl+Enter; plain Enter is a new line."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                assert isinstance(editor, QWidget)
                self.commitData.emit(editor)
                self.closeEditor.emit(editor)
                return True
            if enter:
                return False
        return super().eventFilter(editor, event)


def shown_text(finding: Finding) -> str:
    """Return a finding's text with the sign of a hand where a person wrote it."""
    return f"{finding.text} ✎" if finding.by_hand else finding.text


class FindingList(QListView):
    """The findings of one heading.

    Signals:
        written: A person changed a text; carries the finding's id and the text.
        moved: A person wants the current finding one place up (−1) or down (+1).
        dropped: A person wants the current finding hidden.
        current_changed: Another finding is current, or none.
    """

    written = Signal(str, str)
    moved = Signal(int)
    dropped = Signal()
    current_changed = Signal()

    def __init__(self, name: str, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(f"{name} findings")
        self.setToolTip(
            "F2 or double click edits, Alt+↑ ↓ moves, Del hides (Ctrl+Z takes each back)"
        )
        self.setWordWrap(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("frameless", True)  # noqa: FBT003  # Qt's own signature
        delegate = _Delegate(look, self)
        delegate.written.connect(self.written)
        delegate.closeEditor.connect(self._edited, Qt.ConnectionType.QueuedConnection)
        self._waiting: tuple[Finding, ...] | None = None
        self._look, self._if_empty = look, ""
        self.setItemDelegate(delegate)
        self._model = FindingModel(self)
        self.setModel(self._model)

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show these, keeping the current one current; while one is being edited, afterwards."""
        if self.state() == QListView.State.EditingState:
            self._waiting = tuple(findings)
            return
        self._waiting = None
        if list(findings) == self.findings():
            return
        held = self.current_finding()
        self._model.show(findings)
        if held is not None:
            self.setCurrentRow(next((i for i, f in enumerate(findings) if f.id == held.id), -1))

    def _edited(self) -> None:
        if self._waiting is not None:
            self.show_findings(self._waiting)

    def say_if_empty(self, text: str) -> None:
        """Say this where there are no findings."""
        self._if_empty = text
        self.setAccessibleDescription("" if self.count() else text)
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the findings, or say that there are none."""
        super().paintEvent(event)
        if self.count() or not self._if_empty:
            return
        painter = QPainter(self.viewport())
        painter.setPen(QColor(self._look.theme.muted))
        room = self.viewport().rect().adjusted(MARGIN, MARGIN - 2, -MARGIN, 0)
        painter.drawText(room, _WRAP, self._if_empty)

    def findings(self) -> list[Finding]:
        """Return the findings shown, in their order."""
        return list(self._model.findings)

    def current_finding(self) -> Finding | None:
        """Return the current finding, or ``None``."""
        row = self.currentRow()
        return self._model.findings[row] if 0 <= row < self.count() else None

    def count(self) -> int:
        """Return how many findings are shown."""
        return len(self._model.findings)

    def currentRow(self) -> int:  # noqa: N802  # as Qt's own lists call it
        """Return the row of the current finding, or −1."""
        return self.currentIndex().row()

    def setCurrentRow(self, row: int) -> None:  # noqa: N802  # as Qt's own lists call it
        """Make a row current; none where it is −1."""
        self.setCurrentIndex(self._model.index(row))

    def edit_row(self, row: int) -> None:
        """Make a row current and edit it in place."""
        self.setCurrentRow(row)
        self.edit(self._model.index(row))

    def currentChanged(self, current: Index, previous: Index) -> None:  # noqa: N802
        """Say that another finding is current."""
        super().currentChanged(current, previous)
        self.current_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move with Alt+↑ ↓, hide with Del."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.moved.emit(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() == Qt.Key.Key_Delete:
            self.dropped.emit()
        else:
            super().keyPressEvent(event)
