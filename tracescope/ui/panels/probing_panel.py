"""Probing: one question about one place, measured on both traces against a budget."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tracescope.checks.probing import Probe
from tracescope.model.check import CheckResult, Evidence
from tracescope.model.errors import ProblemsError
from tracescope.session.budgets import read_budgets, write_budgets
from tracescope.ui import pick_file
from tracescope.ui.look import Look
from tracescope.ui.panels.flow import FlowLayout
from tracescope.ui.panels.marks_panel import MarkTable
from tracescope.ui.panels.measurement_list import MeasurementList, worst_first
from tracescope.ui.panels.page import Page
from tracescope.ui.panels.parts import Badge, card, words
from tracescope.ui.panels.probing_form import ProbingForm
from tracescope.ui.panels.values import time_text
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel
from tracescope.ui.words import STATE_WORDS

HOW = (
    "Put the cursors A and B (click, Shift+click) around a step, a contact or a stretch of motion, choose "
    "command and response, and Probe. Results stand here, under Findings and in the note."
)
BUDGET_FILES = "Budgets (*.toml)"


def probe_rows(probes: tuple[Probe, ...], probed: tuple[CheckResult, ...]) -> list[list[str]]:
    """Write probes as rows of a table."""
    states = [STATE_WORDS[result.state] for result in probed] or ["measuring…"] * len(probes)
    return [
        [
            f"{probe.command} → {probe.response}" if probe.command else probe.response,
            f"{time_text(probe.span_s[0])} … {time_text(probe.span_s[1])}",
            " + ".join(probe.kinds) or "what fits",
            state,
        ]
        for probe, state in zip(probes, states, strict=True)
    ]


class ProbeCard(QWidget):
    """The result of one probe, as a check's card shows its own."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame, column = card()
        outer.addWidget(frame)
        head = QHBoxLayout()
        self.reason, self.settle = words(), words("", "muted")
        self.badge, self.list = Badge(look), MeasurementList(look)
        head.addWidget(self.reason, 1)
        head.addWidget(self.badge)
        column.addLayout(head)
        column.addWidget(self.list)
        column.addWidget(self.settle)

    def show_result(self, result: CheckResult | None) -> None:
        """Show a result, or nothing."""
        self.setVisible(result is not None)
        if result is None:
            return
        self.badge.show_state(result.state)
        self.reason.setText(result.reason)
        self.list.show_measurements(worst_first(result.measurements))
        self.settle.setText(f"Would settle it: {result.settle}" if result.settle else "")
        self.settle.setVisible(bool(result.settle))


class ProbingPanel(Page):
    """The form on the left, what was probed and the chosen result on the right.

    Signals:
        evidence_wanted: The panes should show an Evidence.
        hinted: One sentence for the status bar.
    """

    evidence_wanted = Signal(object)
    hinted = Signal(str)

    def __init__(
        self, model: SessionModel, view: ViewModel, look: Look, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._view = model, view
        self.form = ProbingForm()
        self.table = MarkTable(
            ("probed", "span (s)", "kinds", "result"),
            "probes",
            "What is probed; Return shows it in the panes, Del takes it away",
            words=(0, 1, 2, 3),
        )
        self.card = ProbeCard(look)
        self.how = words(HOW, "muted")
        self.wrong = words("", "repair")
        self.wrong.hide()
        right = QVBoxLayout()
        right.addLayout(self._buttons())
        for widget in (self.how, self.table, self.card):
            right.addWidget(widget)
        right.addStretch(1)
        left = QVBoxLayout()
        left.addWidget(self.form)
        left.addWidget(self.wrong)
        left.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 6)
        row.setSpacing(12)
        row.addLayout(left, 2)
        row.addLayout(right, 3)
        self.form.span_wanted.connect(self.take_span)
        self.form.probe_wanted.connect(self._add)
        self.form.refused.connect(self._refuse)
        self.table.currentCellChanged.connect(self._show_current)
        self.table.cellDoubleClicked.connect(self._go_to)
        self.table.dropped.connect(self._delete)
        self.table.opened.connect(self._go_to)
        for changed in (model.pair_changed, model.probes_changed):
            changed.connect(self.ask)
        model.pair_changed.connect(self._take_pair)

    def _buttons(self) -> FlowLayout:
        row = FlowLayout(10)
        self.go_to = QPushButton("Go to")
        self.delete = QPushButton("Delete")
        self.load = QPushButton("Budgets…")
        self.save = QPushButton("Save budgets…")
        for button, name, tip, do in (
            (self.go_to, "go to probe", "Show the chosen span in the panes", self._go_to),
            (self.delete, "delete probe", "Probe this no more (undoable)", self._delete),
            (self.load, "load budgets", "Hold probes to a budget file (TOML)", self._load),
            (self.save, "save budgets", "Write the budgets in force, to edit them", self._save),
        ):
            button.setAccessibleName(name)
            button.setToolTip(tip)
            button.setMinimumHeight(24)
            button.clicked.connect(do)
            row.addWidget(button)
        return row

    def _take_pair(self) -> None:
        session = self._model.session
        self.form.show_pair(None if session is None else session.pair)

    def take_span(self) -> None:
        """Fill in the span between both cursors, or the visible range."""
        here, there = self._view.cursor_a_s, self._view.cursor_b_s
        if here is None or there is None or here == there:
            self.form.show_span(self._view.range_s)
        else:
            self.form.show_span((min(here, there), max(here, there)))

    def refresh(self) -> None:
        """Show the session's probes."""
        session = self._model.session
        probes = () if session is None else session.probes
        if session is not None and not (self.form.first.text() or self.form.last.text()):
            self.take_span()
        self.table.show_rows(probe_rows(probes, self._model.probed))
        self.how.setVisible(not probes)
        self.table.setVisible(bool(probes))
        self._show_current()

    def _show_current(self) -> None:
        row, probed = self.table.currentRow(), self._model.probed
        there = 0 <= row < self.table.rowCount() and not self.table.isHidden()
        for button in (self.go_to, self.delete):
            button.setEnabled(there)
        self.card.show_result(probed[row] if there and row < len(probed) else None)

    def _add(self, probe: Probe) -> None:
        try:
            self._model.add_probe(probe)
        except ProblemsError as error:
            self._refuse("; ".join(f"{p.what} {p.todo}".strip() for p in error.problems))
            return
        self._refuse("")
        self.refresh()
        self.table.setCurrentCell(self.table.rowCount() - 1, 0)

    def _refuse(self, why: str) -> None:
        self.wrong.setText(why)
        self.wrong.setVisible(bool(why))

    def _delete(self) -> None:
        if self.delete.isEnabled():
            self._model.remove_probe(self.table.currentRow())
            self.refresh()

    def _go_to(self) -> None:
        if self.go_to.isEnabled():
            probe = self._model.open_session.probes[self.table.currentRow()]
            name = probe.response if probe.response in self._model.open_session.pair.sim else ""
            self.evidence_wanted.emit(Evidence(name, probe.span_s, f"probed {probe}"))

    def _load(self) -> None:
        path = pick_file.open_file(self, "Budgets of probing", BUDGET_FILES)
        if path is None:
            return
        try:
            self._model.set_budgets(read_budgets(path))
        except ProblemsError as error:
            self._refuse("; ".join(str(problem) for problem in error.problems))
            return
        self._refuse("")
        self.hinted.emit(f"probes are held to {path.name}")

    def _save(self) -> None:
        path = pick_file.save_file(self, "Save the budgets in force", BUDGET_FILES, "budgets.toml")
        if path is None:
            return
        try:
            write_budgets(self._model.open_session.budgets, path)
        except ProblemsError as error:
            self._refuse("; ".join(str(problem) for problem in error.problems))
            return
        self.hinted.emit(f"saved {path}")
