"""The first lines of a text table as the file has them, cut into cells the way they are read now."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtWidgets import QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tracescope.model.errors import TraceReadError
from tracescope.readers.base import CsvChoices

ROWS_SHOWN = 8
COLUMNS_SHOWN = 60
CELL_CHARACTERS = 40

UNCUT = "the line as it stands in the file"


@dataclass(frozen=True, slots=True)
class FirstLines:
    """Header names and (line number from 1, cells) of the first data rows."""

    names: tuple[str, ...] = ()
    rows: tuple[tuple[int, tuple[str, ...]], ...] = ()


def first_lines(path: Path, choices: CsvChoices) -> FirstLines:
    """Read the first lines of a text table; empty for a folder or a binary file.

    Where it is no table under these choices, the lines are shown uncut.

    Raises:
        TraceReadError: where the file is no text under these choices.
    """
    from tracescope.readers.csv_table import detect
    from tracescope.readers.csv_text import text_sample

    if not path.is_file():
        return FirstLines()
    try:
        _, dialect = detect(path, choices)
    except TraceReadError:
        uncut = text_sample(path, choices.encoding).text.splitlines()[:ROWS_SHOWN]
        return FirstLines((UNCUT,), tuple((n, (text,)) for n, text in enumerate(uncut, start=1)))
    header = dialect.header
    rows = tuple((row.line, tuple(row.cells)) for row in header.rows[:ROWS_SHOWN])
    return FirstLines(header.names, rows)


class FirstLinesTable(QTableWidget):
    """Shows them, with the line numbers of the file at the left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("first lines of the file")
        self.setToolTip(
            "The file's first lines with their line numbers, cut into cells as they are read"
        )
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setMaximumHeight(190)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_lines(self, lines: FirstLines) -> None:
        """Fill the table; hidden where there is nothing to show."""
        self.setVisible(bool(lines.rows))
        width = max((len(cells) for _, cells in lines.rows), default=0)
        width = min(max(width, len(lines.names)), COLUMNS_SHOWN)
        self.setRowCount(len(lines.rows))
        self.setColumnCount(width)
        names = [name or f"({place + 1})" for place, name in enumerate(lines.names)]
        names += [f"({place + 1})" for place in range(len(names), width)]
        self.setHorizontalHeaderLabels(names[:width])
        self.setVerticalHeaderLabels([str(line) for line, _ in lines.rows])
        for place, (_, cells) in enumerate(lines.rows):
            for column in range(width):
                text = cells[column] if column < len(cells) else ""
                short = text if len(text) <= CELL_CHARACTERS else f"{text[: CELL_CHARACTERS - 1]}…"
                item = QTableWidgetItem(short)
                item.setToolTip(text[:400])
                self.setItem(place, column, item)
