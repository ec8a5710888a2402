"""A table of facts to read, to choose a row of, and to copy."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)


class FactTable(QTableWidget):
    """Rows of text; numbers stand right.

    Args:
        headers: Of the columns.
        words: Columns that hold words, not numbers.
        stretch: The column that takes what room is left.
        least_px: No column is narrower.
    """

    def __init__(
        self,
        headers: Sequence[str],
        name: str,
        tip: str,
        words: Sequence[int] = (0,),
        stretch: int = 0,
        least_px: int = 28,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(0, len(headers), parent)
        self._headers = tuple(headers)
        self._words = frozenset(words)
        self.setHorizontalHeaderLabels(list(headers))
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self._row_px = self.fontMetrics().height() + 6
        self.verticalHeader().setDefaultSectionSize(self._row_px)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(least_px)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(60)
        header.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
        for column in range(len(headers)):
            item = self.horizontalHeaderItem(column)
            if item is not None:
                item.setTextAlignment(self._side(column))

    def show_rows(self, rows: Sequence[Sequence[str]]) -> None:
        """Show these rows; the current row stays the current one where it is still there."""
        current = self.currentRow()
        self.blockSignals(True)  # noqa: FBT003  # Qt's own signature
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            for column, text in enumerate(row):
                item = self.item(place, column)
                if item is None:
                    item = QTableWidgetItem()
                    item.setTextAlignment(self._side(column))
                    self.setItem(place, column, item)
                item.setText(text)
        if rows:
            self.setCurrentCell(min(max(current, 0), len(rows) - 1), 0)
        self.blockSignals(False)  # noqa: FBT003  # Qt's own signature

    def rows(self) -> list[list[str]]:
        """Return what is shown."""
        columns = range(self.columnCount())
        items = [[self.item(row, c) for c in columns] for row in range(self.rowCount())]
        return [["" if item is None else item.text() for item in row] for row in items]

    def as_text(self) -> str:
        """Return header and rows, cells parted by tabs, as spreadsheets take them."""
        return "\n".join("\t".join(row) for row in [list(self._headers), *self.rows()])

    def copy(self) -> None:
        """Put the table on the clipboard."""
        QGuiApplication.clipboard().setText(self.as_text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+C copies the table."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Return room for the header and two rows."""
        return QSize(120, self.horizontalHeader().sizeHint().height() + 2 * self._row_px + 4)

    def _side(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if column in self._words else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter
