"""The toolbar's alignment tools: mode, offset, drift or step shift, estimate, lock."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QStandardItemModel, QValidator
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QHBoxLayout, QLabel, QToolButton, QWidget

from tracescope.findings.numbers import MINUS
from tracescope.model.alignment import Alignment
from tracescope.model.pair import TracePair
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import SMALLEST_CONTROL
from tracescope.ui.session_model import SessionModel

MODES = (("time", "time: offset + drift"), ("step", "step counters"))
NO_COUNTERS = "One of the traces has no step counter"


class NumberField(QDoubleSpinBox):
    """A number that a person enters or steps; setting it from the session says nothing.

    Signals:
        chosen: The person entered or stepped to this value.
    """

    chosen = Signal(float)

    def __init__(self, name: str, tip: str, unit: str, decimals: int) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setSuffix(f" {unit}" if unit else "")
        self.setDecimals(decimals)
        self.setRange(-1e12, 1e12)
        self.setKeyboardTracking(False)
        self.setMinimumHeight(SMALLEST_CONTROL)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(
            self.fontMetrics().horizontalAdvance(f"−000.{'0' * decimals} {unit}") + 16
        )
        self._shown = 0.0
        self.editingFinished.connect(self._finished)

    def show_value(self, value: float) -> None:
        """Show the session's value, unless the person is typing."""
        if self.hasFocus() and self.lineEdit().isModified():
            return
        self.setValue(value)
        self._shown = self.value()

    def textFromValue(self, value: float) -> str:  # noqa: N802  # Qt's name
        """Write the minus sign that everything else has."""
        return super().textFromValue(value).replace("-", MINUS)

    def valueFromText(self, text: str) -> float:  # noqa: N802  # Qt's name
        """Read either minus sign."""
        return super().valueFromText(text.replace(MINUS, "-"))

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        """Let either minus sign be typed."""
        state, _, place = super().validate(text.replace(MINUS, "-"), at)
        return state, text, place

    def stepBy(self, steps: int) -> None:  # noqa: N802  # Qt's name
        """Step and say so."""
        super().stepBy(steps)
        self._finished()

    def _finished(self) -> None:
        self.lineEdit().setModified(False)
        if self.value() != self._shown:
            self._shown = self.value()
            self.chosen.emit(self.value())


class AlignTools(QWidget):
    """Shows the alignment in force and changes it, undoably.

    Signals:
        estimate_wanted: Estimate anew and show the score over the lag.
    """

    estimate_wanted = Signal()

    def __init__(self, model: SessionModel, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._look = model, look
        self._narrow = False
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        self._make_mode()
        self.offset = NumberField(
            "clock offset",
            "Clock offset: positive means that the target's stamps are late; it moves the target left",
            "s",
            6,
        )
        self.drift = NumberField(
            "clock drift",
            "Clock drift: how much faster the target's clock runs, parts per million",
            "ppm",
            2,
        )
        self.shift = NumberField(
            "step shift", "Target step k + shift belongs to simulator step k", "", 0
        )
        self._labels = {
            field: QLabel(text)
            for field, text in (
                (self.offset, "offset"),
                (self.drift, "drift"),
                (self.shift, "shift"),
            )
        }
        self._by = QLabel("Align by")
        row.addWidget(self._by)
        row.addWidget(self.mode)
        for field, label in self._labels.items():
            row.addWidget(label)
            row.addWidget(field)
        self._make_buttons()
        for button in (self.estimate, self.lock):
            button.setMinimumSize(SMALLEST_CONTROL, SMALLEST_CONTROL)
            row.addWidget(button)
        self._connect()
        self._paint()
        self.refresh()

    def _make_mode(self) -> None:
        self.mode = QComboBox()
        for key, text in MODES:
            self.mode.addItem(text, key)
        self.mode.setToolTip(
            "How the checks pair rows: by time, or by the recorders' step counters"
        )
        self.mode.setAccessibleName("align by")
        self.mode.setMinimumHeight(SMALLEST_CONTROL)

    def _make_buttons(self) -> None:
        self.estimate = QToolButton()
        self.estimate.setText("Estimate")
        self.estimate.setToolTip(
            "Estimate offset and drift, and show the score over the lag (Ctrl+I)"
        )
        self.estimate.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.estimate.clicked.connect(self.estimate_wanted)
        self.lock = QToolButton()
        self.lock.setCheckable(True)
        self.lock.setAccessibleName("lock the alignment")
        self.lock.setToolTip("Lock the alignment against slips of the hand (L)")
        self.lock.clicked.connect(self._model.set_locked)

    def _connect(self) -> None:
        self.mode.activated.connect(self._mode_chosen)
        self.offset.chosen.connect(lambda value: self._entered(offset_s=value))
        self.drift.chosen.connect(lambda value: self._entered(drift=value / 1e6))
        self.shift.chosen.connect(lambda value: self._entered(step_shift=round(value)))
        for changed in (
            self._model.pair_changed,
            self._model.alignment_changed,
            self._model.lock_changed,
        ):
            changed.connect(self.refresh)
        self._look.changed.connect(self._paint)

    def _paint(self) -> None:
        locked = self._model.session is not None and self._model.session.locked
        self.lock.setIcon(self._look.icon("lock" if locked else "unlock"))
        self.estimate.setIcon(self._look.icon("estimate"))

    def refresh(self) -> None:
        """Show the alignment in force."""
        session = self._model.session
        self.setEnabled(session is not None and self._model.is_pair)
        if session is None:
            self._show_none()
            return
        alignment, pair = session.alignment, session.pair
        by_step = alignment.mode == "step"
        with QSignalBlocker(self.mode):
            self.mode.setCurrentIndex(1 if by_step else 0)
        self._enable_step(able=pair.sim.step is not None and pair.target.step is not None)
        if pair.target.interval_s > 0:
            self.offset.setSingleStep(pair.target.interval_s)
        self.offset.show_value(alignment.offset_s)
        self.drift.show_value(alignment.drift_ppm)
        self.shift.show_value(alignment.step_shift)
        self._show_fields(by_step=by_step)
        for widget in (self.mode, self.offset, self.drift, self.shift):
            widget.setEnabled(not session.locked)
        self.lock.setChecked(session.locked)
        self._paint()

    def _show_none(self) -> None:
        """Show nothing of a pair that was closed."""
        self.mode.setCurrentIndex(0)
        for field in (self.offset, self.drift, self.shift):
            field.show_value(0.0)
        self.lock.setChecked(False)
        self._show_fields(by_step=False)
        self._paint()

    def set_narrow(self, *, narrow: bool) -> None:
        """Do without labels and words where the window is narrow; tooltips keep them."""
        self._narrow = narrow
        self._by.setVisible(not narrow)
        self._labels[self.offset].setVisible(not narrow)
        style = Qt.ToolButtonStyle
        self.estimate.setToolButtonStyle(
            style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon
        )
        self.refresh()

    def _show_fields(self, *, by_step: bool) -> None:
        for field in (self.drift, self.shift):
            shown = by_step == (field is self.shift)
            field.setVisible(shown)
            self._labels[field].setVisible(shown and not self._narrow)

    def _enable_step(self, *, able: bool) -> None:
        items = self.mode.model()
        if isinstance(items, QStandardItemModel):
            items.item(1).setEnabled(able)
            items.item(1).setToolTip("" if able else NO_COUNTERS)

    def _entered(
        self,
        offset_s: float | None = None,
        drift: float | None = None,
        step_shift: int | None = None,
    ) -> None:
        session = self._model.open_session
        entered = session.alignment.by_hand(offset_s, drift, step_shift)
        if step_shift is not None and entered.mode == "step":
            entered = on_counter_stamps(session.pair, entered)
        self._model.align(entered)

    def _mode_chosen(self, place: int) -> None:
        session = self._model.open_session
        if (session.alignment.mode == "step") == (place == 1):
            return
        self._model.align(other_mode(session.alignment, by_step=place == 1))


def other_mode(alignment: Alignment, *, by_step: bool) -> Alignment:
    """Return the same clock lens with rows paired the other way."""
    if by_step:
        return replace(alignment, mode="step", how="hand", note="paired by step counter, by hand")
    return replace(alignment, mode="time", how="hand", note="paired by time, by hand")


def on_counter_stamps(pair: TracePair, alignment: Alignment) -> Alignment:
    """Return the lens at the clock that the stamps of the rows it pairs show; as it is where none does."""
    from tracescope.analysis.estimate import counter_alignment

    counted = counter_alignment(pair, step_shift=alignment.step_shift)
    if counted is None:
        return alignment
    return replace(alignment, offset_s=counted.offset_s, drift=counted.drift)
