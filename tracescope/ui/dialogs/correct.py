"""Enter a correction by hand: a channel of the target, a scale, an offset."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tracescope.findings.numbers import number, range_text
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.correction import Correction
from tracescope.model.trace import Channel, Role
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.panels.parts import words
from tracescope.ui.panels.tolerance_form import end_text

FORMULA = "corrected = (recorded − offset) ÷ scale"
MOST_EFFECTS = 4
"""Lines that say what a correction does: recorded, corrected, simulator, the command line's option."""

NO_NUMBER = "Not a number: write for example 1.02, −0.5 or 1e-3."


def number_from(text: str, empty: float) -> float | None:
    """Read a finite number; empty is a default, ``None`` is no number. Both minus signs and marks count."""
    text = text.strip().replace("−", "-").replace(",", ".")
    if not text:
        return empty
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def span_of(channel: Channel) -> Interval | None:
    """Return the least and the greatest finite value of a channel."""
    value = channel.as_float()
    finite = value[np.isfinite(value)]
    return (float(finite.min()), float(finite.max())) if finite.size else None


def _range_in_full(span: Interval) -> str:
    """Write a range with the digits that it takes to judge a scale by it."""
    low, high = span
    return range_text(span) if low == high else f"{number(low)} to {number(high)}"


class CorrectDialog(Dialog):
    """Says at once what a correction does to the channel's range, and what is wrong with one.

    Signals:
        chosen: Lay this Correction over the target.
        removed: Take the correction of this channel away.
    """

    chosen = Signal(object)
    removed = Signal(str)

    def __init__(self, case: Case, channel: str, parent: QWidget) -> None:
        super().__init__("Correct by hand", parent)
        self._case = case
        self._spans: dict[str, Interval | None] = {}
        self.column.addWidget(
            words(
                f"{FORMULA}. It is laid over the target for every check, drawn, and named in the note as "
                "given by hand. No file is changed; Ctrl+Z takes it back.",
                "muted",
            )
        )
        self.channel = self._channels(channel)
        self.scale = self._field("scale", "1", "What the recorded values are divided by; not 0")
        self.offset = self._field(
            "offset", "0", "What is subtracted first, in the channel's own unit"
        )
        self.faults = {field: words("", "danger") for field in (self.scale, self.offset)}
        self._lay_out()
        self.effect = words("", "muted")
        self.effect.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.effect.ensurePolished()  # its font, of which room for every line is kept: no field moves
        self.effect.setMinimumHeight(MOST_EFFECTS * self.effect.fontMetrics().lineSpacing())
        self.column.addWidget(self.effect)
        self.remove = QPushButton("Take it away")
        self.remove.setToolTip("Show this channel as it was recorded")
        self.remove.clicked.connect(self._remove)
        box = self.add_buttons("Correct", "Lay this over the target and judge again")
        box.addButton(self.remove, box.ButtonRole.DestructiveRole)
        self.channel.currentIndexChanged.connect(self._show_held)
        for field in self.faults:
            field.textChanged.connect(self._tell)
        self._show_held()
        self.scale.setFocus()
        self.scale.selectAll()
        self.resize(520, self.sizeHint().height())

    def _channels(self, wanted: str) -> QComboBox:
        field = QComboBox()
        pair = self._case.pair
        for channel in pair.target:
            if channel.role is not Role.FRAME:
                twin = pair.sim_of(channel.name)
                also = f"  (simulator: {twin})" if twin and twin != channel.name else ""
                field.addItem(channel.name + also, channel.name)
        field.setCurrentIndex(max(0, field.findData(wanted)))
        field.setAccessibleName("channel")
        field.setToolTip("The target's channel to correct")
        return field

    def _field(self, name: str, empty: str, tip: str) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(empty)
        field.setAccessibleName(name)
        field.setToolTip(f"{tip}. Empty is {empty}")
        return field

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setColumnStretch(1, 1)
        rows = (("&Channel", self.channel), ("&Scale", self.scale), ("&Offset", self.offset))
        for row, (text, field) in enumerate(rows):
            label = QLabel(text)
            label.setBuddy(field)
            grid.addWidget(label, 2 * row, 0)
            grid.addWidget(field, 2 * row, 1)
            fault = self.faults.get(field)  # type: ignore[call-overload]
            if fault is not None:
                fault.hide()
                grid.addWidget(fault, 2 * row + 1, 1)
        self.column.addLayout(grid)

    # What is entered

    @property
    def name(self) -> str:
        """The target channel that is chosen."""
        return str(self.channel.currentData() or "")

    def correction(self) -> Correction | None:
        """Return what the fields say, or ``None`` where they say nothing usable."""
        scale, offset = number_from(self.scale.text(), 1.0), number_from(self.offset.text(), 0.0)
        if not (self.name and scale and offset is not None) or (scale, offset) == (1.0, 0.0):
            return None
        held = self._held()
        source = None if held is None else held.source
        return Correction(self.name, scale, offset, source, by_hand=True)

    def _held(self) -> Correction | None:
        return self._case.correction_of(self.name)

    def _show_held(self) -> None:
        held = self._held()
        scale, offset = (1.0, 0.0) if held is None else (held.scale, held.offset)
        self.scale.setText("" if scale == 1 else end_text(scale))
        self.offset.setText("" if offset == 0 else end_text(offset))
        self.remove.setEnabled(held is not None)
        self._tell()

    # What is said about it

    def _tell(self) -> None:
        scale = number_from(self.scale.text(), 1.0)
        offset = number_from(self.offset.text(), 0.0)
        zero = "0 cannot be divided by: a channel that reads 0 times its value is lost."
        self._say(self.scale, NO_NUMBER if scale is None else "" if scale else zero)
        self._say(self.offset, NO_NUMBER if offset is None else "")
        self.say_wrong("")
        self.effect.setText(self._effect())
        needed = self.column.totalHeightForWidth(self.width())
        if self.isVisible() and needed > self.height():  # a long name, or what is wrong, takes more
            self.resize(self.width(), needed)

    def _say(self, field: QLineEdit, text: str) -> None:
        fault = self.faults[field]
        fault.setText(text)
        fault.setVisible(bool(text))
        if bool(field.property("wrong")) != bool(text):
            field.setProperty("wrong", bool(text))
            field.style().unpolish(field)
            field.style().polish(field)

    def _effect(self) -> str:
        correction = self.correction()
        span = self._span("target", self.name)
        if span is None:
            return "This channel holds no number."
        lines = [f"recorded: {_range_in_full(span)}"]
        if correction is not None:
            low, high = sorted(float(correction.applied_to(np.float64(v))) for v in span)  # type: ignore[arg-type]
            shown = replace(correction, by_hand=False)
            lines.append(f"corrected, {shown.in_short}: {_range_in_full((low, high))}")
        twin = self._case.pair.sim_of(self.name)
        theirs = None if twin is None else self._span("sim", twin)
        if theirs is not None:
            lines.append(f"simulator: {_range_in_full(theirs)}")
        if correction is not None:
            numbers = f"{correction.scale:.12g}" + (
                f",{correction.offset:.12g}" if correction.offset else ""
            )
            lines.append(f"on the command line: --correct '{self.name}={numbers}'")
        return "\n".join(lines)

    def _span(self, side: str, name: str) -> Interval | None:
        key = f"{side}:{name}"
        if key not in self._spans:
            trace = self._case.pair.sim if side == "sim" else self._case.pair.target
            self._spans[key] = span_of(trace[name]) if name in trace else None
        return self._spans[key]

    # Doing

    def accept(self) -> None:
        """Lay the correction over the target, or say what is missing."""
        correction = self.correction()
        if correction is None:
            if all(fault.text() == "" for fault in self.faults.values()):
                self.say_wrong("Give a scale other than 1, an offset other than 0, or both.")
            return
        self.chosen.emit(correction)
        super().accept()

    def _remove(self) -> None:
        self.removed.emit(self.name)
        self.reject()
