"""Tolerances edited in place: low and high, the default, the reason, and the way back."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLineEdit, QWidget

from tracescope.findings.numbers import MINUS, OF_ONE, unit_of_band
from tracescope.model.alignment import Interval
from tracescope.model.tolerance import Tolerance
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import icon_button, words
from tracescope.ui.session_model import SessionModel
from tracescope.ui.words import band_text


def end_from(text: str, unbounded: float) -> float | None:
    """Read one end of a band; empty and ∞ are unbounded, ``None`` is no number."""
    text = text.strip().replace("−", "-").replace(",", ".")
    if text.lower() in ("", "∞", "+∞", "-∞", "inf", "-inf"):
        return unbounded
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def end_text(value: float) -> str:
    """Write one end of a band for editing: no digit is lost."""
    return "" if math.isinf(value) else f"{value:.12g}".replace("-", MINUS)


class ToleranceRow:
    """The fields of one tolerance, placed in a form's grid."""

    def __init__(
        self, tolerance: Tolerance, model: SessionModel, look: Look, grid: QGridLayout, row: int
    ) -> None:
        self._tolerance = tolerance
        self._model = model
        name = tolerance.key.partition(".")[2].replace("-", " ").replace("_", " ")
        self._unit = unit_of_band(tolerance.key, tolerance.unit)
        shown, self._factor = ("%", 100.0) if self._unit == OF_ONE else (self._unit, 1.0)
        label = words(f"{name} ({shown})" if shown else name)
        self.low = self._field("low", "−∞")
        self.high = self._field("high", "∞")
        self.reset = icon_button(
            look, "reset", f"reset {tolerance.key}", f"Back to {self._default}"
        )
        self.reset.clicked.connect(lambda: model.set_tolerance(tolerance.key, None))
        grid.addWidget(label, row, 0)
        grid.addWidget(self.low, row, 1)
        grid.addWidget(QLabel("to"), row, 2)
        grid.addWidget(self.high, row, 3)
        grid.addWidget(self.reset, row, 4)
        self.reason = words(f"Default {self._default}: {tolerance.why}", "muted")
        grid.addWidget(self.reason, row + 1, 0, 1, 5)
        self.refresh()

    @property
    def _default(self) -> str:
        return band_text(self._tolerance.band, self._unit)

    def _field(self, end: str, unbounded: str) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(unbounded)
        field.setFixedWidth(64)
        field.setAccessibleName(f"{self._tolerance.key} {end}")
        field.setToolTip(
            f"{end} end of {self._tolerance.key}; empty is unbounded. Default "
            f"{self._default}: {self._tolerance.why}"
        )
        field.editingFinished.connect(self._edited)
        return field

    def refresh(self) -> None:
        """Show the band in force."""
        session = self._model.session
        if session is None:
            return
        low, high = session.tolerances[self._tolerance]
        for field, value in ((self.low, low), (self.high, high)):
            if not field.hasFocus() or not field.isModified():
                field.setText(end_text(value * self._factor))
            self._mark(field, wrong=False)
        self.reset.setEnabled(not session.tolerances.is_default(self._tolerance))

    def _edited(self) -> None:
        band = self._band()
        wrong = band is None
        for field in (self.low, self.high):
            self._mark(field, wrong=wrong)
        if band is not None and self._model.session is not None:
            for field in (self.low, self.high):
                field.setModified(False)
            self._model.set_tolerance(
                self._tolerance.key, None if band == self._tolerance.band else band
            )

    def _band(self) -> Interval | None:
        low = end_from(self.low.text(), -math.inf)
        high = end_from(self.high.text(), math.inf)
        allowed = self._tolerance.allowed
        self.reason.setText(f"Default {self._default}: {self._tolerance.why}")
        if low is None or high is None:
            self.reason.setText(
                "Not a number: write for example 0.95, or leave it empty for no bound."
            )
            return None
        low, high = low / self._factor, high / self._factor
        if low > high:
            self.reason.setText("The low end must not exceed the high end.")
            return None
        if low < allowed[0] or high > allowed[1]:
            span = band_text(allowed, self._unit)
            self.reason.setText(f"Outside what makes sense here: {span}.")
            return None
        return (low, high)

    def _mark(self, field: QLineEdit, *, wrong: bool) -> None:
        if bool(field.property("wrong")) != wrong:
            field.setProperty("wrong", wrong)
            field.style().unpolish(field)
            field.style().polish(field)


class ToleranceForm(QWidget):
    """Every tolerance of one check; made from its declarations, plug-ins' likewise."""

    def __init__(
        self,
        tolerances: tuple[Tolerance, ...],
        model: SessionModel,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 4, 0, 0)
        grid.setHorizontalSpacing(5)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(0, 1)
        grid.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._rows = [
            ToleranceRow(tolerance, model, look, grid, 2 * place)
            for place, tolerance in enumerate(tolerances)
        ]

    def refresh(self) -> None:
        """Show the bands in force."""
        for row in self._rows:
            row.refresh()
