"""The import dialog's fields: clock, unit, rate, step counter, order, dialect."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from tracescope.model.trace import Trace
from tracescope.readers.base import CsvChoices, ImportChoices

DETECTED = "as detected"
UNITS = (("s", "seconds"), ("ms", "milliseconds"), ("us", "microseconds"), ("ns", "nanoseconds"))
ORDERS = (("sort", "sorted by time"), ("rows", "kept"), ("split", "split where time runs back"))
DELIMITERS = ((",", "comma"), (";", "semicolon"), ("\t", "tab"), (" ", "spaces"), ("|", "bar"))
DECIMALS = ((".", "point"), (",", "comma"))


class ImportFields(QWidget):
    """A form. ``None`` everywhere means: as detected."""

    changed = Signal()

    def __init__(self, choices: ImportChoices, trace: Trace) -> None:
        super().__init__()
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        names = [(name, name) for name in _names(trace)]
        csv = choices.csv
        self.time = self._combo("Clock", names, choices.time_column, "Which column is the clock")
        self.unit = self._combo("Unit", UNITS, choices.time_unit, "Unit of the clock's stamps")
        self.rate = self._line(
            "Rate (Hz)", choices.rate_hz, "Rows a second, where there is no clock"
        )
        self.step = self._combo(
            "Step counter", names, choices.step_column, "Which column counts steps"
        )
        self.order = self._combo(
            "Row order", ORDERS, choices.order, "What to do where time runs back"
        )
        self.order.removeItem(0)
        self.order.setCurrentIndex(max(0, self.order.findData(choices.order)))
        self.delimiter = self._combo(
            "Cells end with", DELIMITERS, csv.delimiter, "Between the cells; or type any character"
        )
        self._let_type(self.delimiter, csv.delimiter)
        self.decimal = self._combo(
            "Decimal mark", DECIMALS, csv.decimal, "Point or comma in numbers"
        )
        self.header = self._line("Header line", csv.header_line, "Counts from 1; 0: there is none")
        self.encoding = self._line("Encoding", csv.encoding, "For example utf-8, utf-16, latin-1")
        is_text = trace.source.layout.startswith("csv")
        for field in (self.delimiter, self.decimal, self.header, self.encoding):
            self._form.setRowVisible(field, is_text)

    def offer_columns(self, trace: Trace) -> None:
        """Offer the columns of what was read now; what was chosen stays chosen."""
        for field in (self.time, self.step):
            for name in _names(trace):
                if field.findData(name) < 0:
                    field.addItem(name, name)

    def _combo(self, label: str, items: Any, held: str | None, tip: str) -> QComboBox:
        field = QComboBox()
        field.addItem(DETECTED, None)
        for key, text in items:
            field.addItem(text, key)
        field.setCurrentIndex(max(0, field.findData(held)))
        field.setMinimumWidth(150)
        self._finish(field, label, tip)
        field.activated.connect(lambda _: self.changed.emit())
        return field

    def _let_type(self, field: QComboBox, held: str | None) -> None:
        """Take what is typed as well as what is listed."""
        field.setEditable(True)
        field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        if held is not None and field.findData(held) < 0:
            field.setEditText(held)
        edit = field.lineEdit()
        assert edit is not None, "an editable list has one"
        edit.textEdited.connect(lambda _: self.changed.emit())

    def _typed_delimiter(self) -> str | None:
        """Return the listed delimiter that is shown, or else the character that was typed."""
        text = self.delimiter.currentText()
        place = self.delimiter.findText(text)
        if place >= 0:
            return cast("str | None", self.delimiter.itemData(place))
        return text.replace("\\t", "\t") or None

    def _line(self, label: str, held: object, tip: str) -> QLineEdit:
        field = QLineEdit("" if held is None else str(held))
        field.setPlaceholderText(DETECTED)
        self._finish(field, label, tip)
        field.textEdited.connect(lambda _: self.changed.emit())
        return field

    def _finish(self, field: QWidget, label: str, tip: str) -> None:
        field.setToolTip(tip)
        field.setAccessibleName(label.lower())
        self._form.addRow(label, field)

    def wrong(self) -> str:
        """Say which field is no number, or ``""``."""
        if self.rate.text().strip() and not 0 < _number(self.rate.text()) < math.inf:
            return "The rate is a number of rows a second, for example 50"
        if len(self._typed_delimiter() or "") > 1:
            return "Cells end with one character: choose one or type it"
        line = self.header.text().strip()
        if line and not line.isdecimal():
            return "The header line is a whole number; 0 says that there is none"
        return ""

    def choices(self, base: ImportChoices) -> ImportChoices:
        """Return the choices with what these fields say; roles and units stay."""
        line = self.header.text().strip()
        rate = self.rate.text().strip()
        return replace(
            base,
            time_column=self.time.currentData(),
            time_unit=self.unit.currentData(),
            rate_hz=_number(rate) if rate else None,
            step_column=self.step.currentData(),
            order=self.order.currentData(),
            csv=CsvChoices(
                self._typed_delimiter(),
                self.decimal.currentData(),
                int(line) if line else None,
                self.encoding.text().strip() or None,
            ),
        )


def _names(trace: Trace) -> list[str]:
    found = dict.fromkeys([trace.clock.column, *trace.clock.others, *_columns(trace)])
    return [name for name in found if name]


def _columns(trace: Trace) -> list[str]:
    return [channel.column for channel in trace.channels if channel.index is None]


def _number(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return math.nan
