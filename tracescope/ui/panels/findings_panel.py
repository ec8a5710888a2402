"""The dock of findings: Observed, Inferred, Untested and the one next test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from tracescope.findings.numbers import band_text, unit_of
from tracescope.model.finding import Finding, Inferred, NextTest, Observed, Prediction
from tracescope.session.edits import kind_of
from tracescope.session.probe import told_report
from tracescope.session.session import FindingEdit
from tracescope.ui.look import Look
from tracescope.ui.panels.finding_list import FindingList
from tracescope.ui.panels.parts import card, icon_button, scrolled, scrolled_sideways, words
from tracescope.ui.panels.soon import Soon
from tracescope.ui.session_model import SessionModel

NARROWEST_PX = 176
"""A column this wide can still be read; below, the dock scrolls sideways."""

NEW_TEXT = {"observed": "Observed by hand: ", "untested": "Not tested: "}


class FindingColumn(QFrame):
    """One heading with its list and the verbs for the current finding.

    Signals:
        evidence_wanted: The panes should show an Evidence.
    """

    evidence_wanted = Signal(object)

    def __init__(
        self, kind: str, model: SessionModel, look: Look, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.kind = kind
        self._model = model
        self.setProperty("card", True)  # noqa: FBT003  # Qt's own signature
        column = QVBoxLayout(self)
        column.setContentsMargins(9, 5, 3, 5)
        column.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(0)
        head.addWidget(words(kind.capitalize(), "title", wrap=False), 1)
        self.list = FindingList(kind, look)
        for button in self._buttons(look):
            head.addWidget(button)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self.list.written.connect(self._written)
        self.list.moved.connect(self._move)
        self.list.dropped.connect(self._hide)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._menu)
        self.list.current_changed.connect(self._enable)
        self._enable()

    def _buttons(self, look: Look) -> list[QWidget]:
        self.evidence = icon_button(
            look,
            "evidence",
            f"show evidence of the {self.kind} finding",
            "Show its evidence in the panes",
        )
        self.evidence.clicked.connect(self._show_evidence)
        self.demote = icon_button(
            look,
            "demote",
            "demote to untested",
            "Demote to untested: certainty only ever goes down, never up",
        )
        self.demote.clicked.connect(self._demote)
        self.hide_button = icon_button(
            look, "close", f"hide the {self.kind} finding", "Leave it out of the note (Del)"
        )
        self.hide_button.clicked.connect(self._hide)
        self.add = icon_button(
            look, "plus", f"add an {self.kind} finding", "Add a finding of your own"
        )
        self.add.clicked.connect(self._add)
        # Only ever hidden here: what has no parent yet would show as a window of its own.
        for button, is_used in (
            (self.demote, self.kind == "inferred"),
            (self.evidence, self.kind == "observed"),
            (self.add, self.kind in NEW_TEXT),
        ):
            if not is_used:
                button.hide()
        return [self.evidence, self.demote, self.hide_button, self.add]

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        """Show these under the heading."""
        self.list.show_findings(findings)
        self._enable()

    def _enable(self) -> None:
        finding = self.list.current_finding()
        self.demote.setEnabled(isinstance(finding, Inferred))
        self.hide_button.setEnabled(finding is not None)
        self.evidence.setEnabled(isinstance(finding, Observed) and bool(finding.evidence))
        self.add.setEnabled(self._model.session is not None)

    def _edit_of(self, finding: Finding) -> FindingEdit:
        held = {edit.id: edit for edit in self._model.open_session.edits}
        return held.get(finding.id, FindingEdit(finding.id, kind_of(finding)))

    def _written(self, finding_id: str, text: str) -> None:
        for finding in self.list.findings():
            if finding.id == finding_id:
                self._model.edit_finding(replace(self._edit_of(finding), text=text))

    def _move(self, by: int) -> None:
        findings, row = self.list.findings(), self.list.currentRow()
        if not (0 <= row < len(findings) and 0 <= row + by < len(findings)):
            return
        findings[row], findings[row + by] = findings[row + by], findings[row]
        edits = [replace(self._edit_of(f), place=place) for place, f in enumerate(findings)]
        self._model.edit_finding(*edits)
        self.list.setFocus()

    def _hide(self) -> None:
        finding = self.list.current_finding()
        if finding is not None:
            self._model.edit_finding(replace(self._edit_of(finding), hidden=True))

    def _demote(self) -> None:
        finding = self.list.current_finding()
        if isinstance(finding, Inferred):
            self._model.edit_finding(replace(self._edit_of(finding), kind="untested", place=None))

    def _restore(self) -> None:
        finding = self.list.current_finding()
        if finding is not None:
            self._model.restore_finding(finding.id)

    def _add(self) -> None:
        added = FindingEdit(f"hand-{uuid4().hex[:8]}", self.kind, NEW_TEXT[self.kind], added=True)
        self._model.edit_finding(added)
        self.list.edit_row(self.list.count() - 1)

    def _show_evidence(self) -> None:
        finding = self.list.current_finding()
        if isinstance(finding, Observed) and finding.evidence:
            self.evidence_wanted.emit(finding.evidence[0])

    def _menu(self, at: QPoint) -> None:
        finding = self.list.current_finding()
        if finding is None:
            return
        edited = any(edit.id == finding.id for edit in self._model.open_session.edits)
        menu = QMenu(self)
        verbs: list[tuple[str, Callable[[], None], bool]] = [
            ("Edit (F2)", lambda: self.list.edit_row(self.list.currentRow()), True),
            ("Move up (Alt+↑)", lambda: self._move(-1), self.list.currentRow() > 0),
            (
                "Move down (Alt+↓)",
                lambda: self._move(1),
                self.list.currentRow() < self.list.count() - 1,
            ),
            ("Demote to untested", self._demote, isinstance(finding, Inferred)),
            ("Leave out of the note (Del)", self._hide, True),
            ("Original wording", self._restore, edited),
            ("Show evidence", self._show_evidence, self.evidence.isEnabled()),
        ]
        for text, do, enabled in verbs:
            action = menu.addAction(text)
            action.triggered.connect(do)
            action.setEnabled(enabled)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(at))


def next_test_text(test: NextTest | None) -> str:
    """Write the next test: what to do, what would falsify it, and a line for each predicted quantity."""
    if test is None:
        return "None follows from what was found."
    parts = [test.do, test.falsifies]
    if test.predicted:
        parts.append("\n".join(["Predicted:", *map(predicted_line, test.predicted)]))
    return "\n\n".join(parts)


def predicted_line(one: Prediction) -> str:
    """Write one predicted quantity with its interval, e.g. ``• scale of obs[0]: 0.95 to 1.05``."""
    subject = f"{one.quantity} of {one.channel}" if one.channel else one.quantity
    return f"• {subject}: {band_text(one.interval, unit_of(one.quantity, one.unit))}"


class FindingsPanel(QWidget):
    """Four columns, drawn from the session's report with the person's edits laid over it."""

    evidence_wanted = Signal(object)

    def __init__(self, model: SessionModel, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(8, 2, 8, 6)
        row.setSpacing(8)
        outer = QHBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled_sideways(content, "findings"))
        self.columns = {
            kind: FindingColumn(kind, model, look) for kind in ("observed", "inferred", "untested")
        }
        for column in self.columns.values():
            row.addWidget(column, 3)
            column.setMinimumWidth(NARROWEST_PX)
            column.evidence_wanted.connect(self.evidence_wanted)
        frame, inside = card()
        frame.setMinimumWidth(NARROWEST_PX)
        inside.addWidget(words("Next test", "title", wrap=False))
        self.stale = words("recomputing: this is from before the last change", "repair")
        self.stale.hide()
        inside.addWidget(self.stale)
        self.next_test = words()
        self.next_test.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.next_test.setAlignment(Qt.AlignmentFlag.AlignTop)
        area = scrolled(self.next_test, "next test")
        inside.addWidget(area, 1)
        row.addWidget(frame, 3)
        self._soon = Soon(self.refresh, model, self)
        model.results_changed.connect(self._soon.ask)
        look.changed.connect(self._soon.ask)
        for changed in (
            model.pair_changed, model.edits_changed, model.marks_changed, model.probes_changed,
        ):  # fmt: skip
            changed.connect(self.refresh)

    def refresh(self) -> None:
        """Draw the report with its edits."""
        session = self._model.session
        if session is None:
            return
        self.stale.setVisible(self._model.report_is_stale and bool(session.results))
        report = told_report(session, self._model.probed)
        self.columns["observed"].show_findings(report.observed)
        self.columns["inferred"].show_findings(report.inferred)
        self.columns["untested"].show_findings(report.untested)
        self.next_test.setText(next_test_text(report.next_test) if session.results else "")
