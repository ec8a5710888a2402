"""What to probe: command, response, span, kinds; filled from cursors, marks and what is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from tracescope.checks.probing import KINDS, Probe
from tracescope.model.alignment import Interval
from tracescope.model.errors import Problem, UsageError
from tracescope.model.pair import TracePair
from tracescope.model.trace import Role
from tracescope.ui.panels.flow import FlowLayout
from tracescope.ui.panels.parts import words
from tracescope.ui.panels.values import time_text, typed_s

NOTHING = "none: the response alone"
KIND_TIPS = {
    "step": "Rise, settling and overshoot after a step of the command",
    "contact": "Onset, peak force, impulse and rise of a contact",
    "phase": "Phase lag of the response at a frequency, with coherence",
    "latency": "From command to response, end to end",
    "distribution": "How far apart the two sensors' values are distributed",
    "centroid": "How far a feature's centroid lies from where the simulator has it",
    "dropout": "Runs in which a sensor repeats or loses values",
    "timing": "Jitter, age of observations and missed deadlines of the loop",
}


class ProbingForm(QWidget):
    """Fields of one probe.

    Signals:
        probe_wanted: Carries the Probe.
        refused: Why there is none, one sentence.
    """

    probe_wanted = Signal(object)
    refused = Signal(str)
    span_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.command = self._names("command", "The channel that asks, by its name in the simulator")
        self.response = self._names(
            "response", "The channel that answers; several joined by + for a centroid"
        )
        self.command.setPlaceholderText(NOTHING)
        self.first, self.last = self._time("start"), self._time("end")
        self.take_span = QPushButton("From view")
        self.take_span.setToolTip(
            "Take the span between the cursors A and B, without both the visible range"
        )
        self.take_span.setAccessibleName("take the span from cursors or view")
        self.take_span.clicked.connect(self.span_wanted)
        self.phase_hz = self._hertz("phase at", 10.0, "Where the phase lag is read")
        self.rate_hz = self._hertz("loop at", 50.0, "Rate of the control loop, for its deadline")
        self.kinds = {kind: self._kind(kind) for kind in KINDS}
        self.add = QPushButton("Probe")
        self.add.setToolTip("Measure this on both traces against the budgets (undoable)")
        self.add.setAccessibleName("add probe")
        self.add.clicked.connect(self._add)
        self._lay_out()

    def _names(self, name: str, tip: str) -> QComboBox:
        field = QComboBox()
        field.setEditable(True)
        field.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        field.setAccessibleName(f"{name} of the probe")
        field.setToolTip(tip)
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        field.setMinimumContentsLength(14)
        field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return field

    def _time(self, name: str) -> QLineEdit:
        field = QLineEdit()
        field.setAccessibleName(f"{name} of the probed span, seconds")
        field.setToolTip(f"The {name} of the span, seconds on the simulator's clock")
        field.setPlaceholderText(f"{name} (s)")
        return field

    def _hertz(self, name: str, value: float, tip: str) -> QDoubleSpinBox:
        field = QDoubleSpinBox()
        field.setRange(0.01, 10_000.0)
        field.setValue(value)
        field.setPrefix(f"{name} ")
        field.setSuffix(" Hz")
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setAccessibleName(f"{name}, hertz")
        field.setToolTip(tip)
        return field

    def _kind(self, kind: str) -> QCheckBox:
        box = QCheckBox(kind)
        box.setToolTip(f"{KIND_TIPS[kind]}; with none ticked, what fits the channels is measured")
        box.setAccessibleName(f"measure {kind}")
        box.setMinimumHeight(24)
        return box

    def _lay_out(self) -> None:
        span, hertz, boxes = QHBoxLayout(), QHBoxLayout(), QWidget()
        for widget in (self.first, self.last, self.take_span, self.add):
            span.addWidget(widget)
        for field in (self.phase_hz, self.rate_hz):
            hertz.addWidget(field)
        flow = FlowLayout(8, boxes)
        for box in self.kinds.values():
            flow.addWidget(box)
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(4)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.addRow("Command", self.command)
        form.addRow("Response", self.response)
        form.addRow("Span", span)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(form)
        column.addWidget(words("Measure; with none ticked, what fits:", "muted"))
        column.addWidget(boxes)
        column.addLayout(hertz)
        column.addStretch(1)
        controls = (self.command, self.response, self.first, self.last, self.take_span, self.add)
        for control in (*controls, self.phase_hz, self.rate_hz):
            control.setMinimumHeight(24)

    def show_pair(self, pair: TracePair | None) -> None:
        """Offer the channels that both sides have; a choice that is still there stays."""
        names = [] if pair is None else [match.sim for match in pair.matches]
        for field, roles in (
            (self.command, {Role.ACTION}),
            (self.response, {Role.OBSERVATION}),
        ):
            held = field.currentText()
            field.clear()
            field.addItems([*([""] if field is self.command else []), *names])
            fitting = [n for n in names if pair is not None and pair.sim[n].role in roles]
            field.setCurrentText(held if held in names else next(iter(fitting), ""))

    def show_span(self, span_s: Interval) -> None:
        """Fill in a span, seconds on the simulator's clock."""
        for field, at_s in ((self.first, span_s[0]), (self.last, span_s[1])):
            field.setText(time_text(at_s))

    def probe(self) -> Probe:
        """Return what the fields say.

        Raises:
            UsageError: where that is no probe.
        """
        ends = tuple(typed_s(field.text()) for field in (self.first, self.last))
        first, last = ends
        if first is None or last is None:
            raise UsageError(Problem("start and end are seconds", "the span of the probe"))
        kinds = tuple(kind for kind, box in self.kinds.items() if box.isChecked())
        return Probe(
            self.command.currentText().strip(),
            self.response.currentText().strip(),
            (first, last),
            kinds,
            self.phase_hz.value(),
            self.rate_hz.value(),
        )

    def _add(self) -> None:
        try:
            self.probe_wanted.emit(self.probe())
        except UsageError as error:
            self.refused.emit("; ".join(problem.what for problem in error.problems))
