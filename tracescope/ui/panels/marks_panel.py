"""Marks: what a person saw, listed, gone to, worded, moved to a trace, taken away."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from tracescope.model.check import Evidence
from tracescope.session.session import Mark
from tracescope.ui.panels.fact_table import FactTable
from tracescope.ui.panels.page import Page
from tracescope.ui.panels.parts import words
from tracescope.ui.panels.values import time_text, typed_s
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

SIDES = (("both", "both traces"), ("sim", "simulator"), ("target", "target"))
HOW = "M marks cursor A, or the span from A to B. Marks go into the note as observed by hand."


def mark_rows(marks: tuple[Mark, ...]) -> list[list[str]]:
    """Write marks as rows of a table."""
    names = dict(SIDES)
    return [
        [
            f"{mark.span_s[0]:.4f}".replace("-", "−"),
            "" if mark.span_s[0] == mark.span_s[1] else f"{mark.span_s[1]:.4f}".replace("-", "−"),
            names.get(mark.side, mark.side),
            mark.text,
        ]
        for mark in marks
    ]


def time_texts(mark: Mark) -> tuple[str, str]:
    """Write start and end of a mark, seconds; the end is empty where it marks an instant."""
    start, end = mark.span_s
    return time_text(start), "" if start == end else time_text(end)


class MarkTable(FactTable):
    """Delete takes the current mark away, Return goes to it.

    Signals:
        dropped, opened: By the keyboard.
    """

    dropped = Signal()
    opened = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the two keys; the rest is the table's own."""
        if event.key() in {Qt.Key.Key_Delete, Qt.Key.Key_Backspace}:
            self.dropped.emit()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.opened.emit()
        else:
            super().keyPressEvent(event)


class MarksPanel(Page):
    """The list, and a line below it that edits the current mark.

    Signals:
        evidence_wanted: The panes should show an Evidence.
    """

    evidence_wanted = Signal(object)

    def __init__(self, model: SessionModel, view: ViewModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._view = model, view
        view.cursor_changed.connect(self._show_cursors)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 6)
        column.setSpacing(5)
        column.addLayout(self._build_line())
        self.table = MarkTable(
            ("from (s)", "to (s)", "trace", "text"),
            "marks",
            "Marks in order of making; Return shows one in the panes, Del takes it away",
            words=(2, 3),
            stretch=3,
        )
        column.addWidget(self.table, 1)
        self.how = words(HOW, "muted")
        column.addWidget(self.how)
        self.table.currentCellChanged.connect(self._show_current)
        self.table.cellDoubleClicked.connect(self._go_to)
        self.table.dropped.connect(self._delete)
        self.table.opened.connect(self._go_to)
        for changed in (model.pair_changed, model.marks_changed):
            changed.connect(self.ask)

    def _build_line(self) -> QHBoxLayout:
        line = QHBoxLayout()
        self.text = QLineEdit()
        self.text.setPlaceholderText("What is to be seen here")
        self.text.setAccessibleName("text of the mark")
        self.text.setToolTip("What the note says of this mark")
        self.text.editingFinished.connect(self._write)
        self.side = QComboBox()
        for key, name in SIDES:
            self.side.addItem(name, key)
        self.side.setAccessibleName("trace of the mark")
        self.side.setToolTip("Which trace it speaks of; a mark on the target moves with it")
        self.side.activated.connect(self._move_side)
        self.ends = tuple(self._time_field(name) for name in ("start", "end"))
        self.go_to = QPushButton("Go to")
        self.go_to.setToolTip("Show the chosen mark in the panes")
        self.go_to.clicked.connect(self._go_to)
        self.move_there = QPushButton("Move to cursors")
        self.move_there.setToolTip("Move the chosen mark to cursor A, or to the span from A to B")
        self.move_there.setAccessibleName("move mark to the cursors")
        self.move_there.clicked.connect(self._move_to_cursors)
        self.delete = QPushButton("Delete")
        self.delete.setToolTip("Take the chosen mark away (undoable)")
        self.delete.clicked.connect(self._delete)
        verbs = (self.go_to, self.move_there, self.delete)
        for widget in (self.text, *self.ends, self.side, *verbs):
            widget.setMinimumHeight(24)
            line.addWidget(widget, 1 if widget is self.text else 0)
        self.go_to.setAccessibleName("go to mark")
        self.delete.setAccessibleName("delete mark")
        return line

    def _time_field(self, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName(f"{name} of the mark, seconds")
        field.setToolTip(f"The {name} in seconds on the clock of the mark's trace; Return sets it")
        field.setPlaceholderText(f"{name} (s)")
        field.setFixedWidth(field.fontMetrics().horizontalAdvance("−00000.000000") + 16)
        field.editingFinished.connect(self._write_times)
        return field

    def refresh(self) -> None:
        """Show the session's marks."""
        session = self._model.session
        self.table.show_rows([] if session is None else mark_rows(session.marks))
        self.how.setVisible(session is None or not session.marks)
        self._show_current()

    def choose_last(self) -> None:
        """Choose the newest mark and let its text be typed."""
        self.refresh()
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()

    def _current(self) -> Mark | None:
        session, row = self._model.session, self.table.currentRow()
        if session is None or not 0 <= row < len(session.marks):
            return None
        return session.marks[row]

    def _show_current(self) -> None:
        mark = self._current()
        for widget in (self.text, *self.ends, self.side, self.go_to, self.delete):
            widget.setEnabled(mark is not None)
        self._show_cursors()
        self.text.setText("" if mark is None else mark.text)
        for field, text in zip(
            self.ends, ("", "") if mark is None else time_texts(mark), strict=True
        ):
            field.setText(text)
        self.side.setCurrentIndex(0 if mark is None else max(0, self.side.findData(mark.side)))

    def _replace(self, new: Mark | None, what: str) -> None:
        row, marks = self.table.currentRow(), self._model.open_session.marks
        middle = () if new is None else (new,)
        self._model.set_marks((*marks[:row], *middle, *marks[row + 1 :]), what)
        self.refresh()

    def _write(self) -> None:
        mark = self._current()
        if mark is not None and self.text.text() != mark.text:
            self._replace(replace(mark, text=self.text.text()), "text of a mark")

    def _write_times(self) -> None:
        """Take what was typed, ends in order; what is no number is put back as it was."""
        mark = self._current()
        if mark is None or tuple(field.text() for field in self.ends) == time_texts(mark):
            return
        # A field that was left as it is keeps what its digits leave out.
        was = zip(self.ends, time_texts(mark), mark.span_s, strict=True)
        start, end = (s if f.text() == text != "" else typed_s(f.text()) for f, text, s in was)
        end = end if self.ends[1].text().strip() else start
        if start is None or end is None:
            self._show_current()
            return
        self._replace(replace(mark, span_s=(min(start, end), max(start, end))), "place of a mark")

    def _move_side(self) -> None:
        mark = self._current()
        side = str(self.side.currentData())
        if mark is not None and side != mark.side:
            moved = mark.moved_to(side, self._model.open_session.alignment)
            self._replace(moved, "trace of a mark")

    def _show_cursors(self) -> None:
        there = self._view.cursor_a_s is not None
        self.move_there.setEnabled(there and self._current() is not None)

    def _move_to_cursors(self) -> None:
        mark, here, there = self._current(), self._view.cursor_a_s, self._view.cursor_b_s
        if mark is None or here is None:
            return
        there = here if there is None else there
        moved = replace(mark, span_s=(min(here, there), max(here, there)), side="both")
        moved = moved.moved_to(mark.side, self._model.open_session.alignment)
        self._replace(moved, "place of a mark")

    def _delete(self) -> None:
        if self._current() is not None:
            self._replace(None, "removal of a mark")

    def _go_to(self) -> None:
        mark = self._current()
        if mark is not None:
            span_s = mark.on_sim(self._model.open_session.alignment)
            self.evidence_wanted.emit(Evidence("", span_s, mark.text))
