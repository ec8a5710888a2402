"""The dock of findings: Observed, Inferred, Untested and the one next test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from tracescope.findings.numbers import band_text, unit_of
from tracescope.model.finding import Finding, Hypothesis, Inferred, NextTest, Observed, Prediction
from tracescope.session.edits import kind_of
from tracescope.session.probe import told_report
from tracescope.session.session import FindingEdit
from tracescope.ui.look import Look
from tracescope.ui.panels.explanations import ExplanationList
from tracescope.ui.panels.finding_list import FindingList
from tracescope.ui.panels.parts import (
    SMALLEST_CONTROL,
    card,
    icon_button,
    scrolled,
    scrolled_both,
    words,
)
from tracescope.ui.panels.soon import Soon
from tracescope.ui.session_model import SessionModel

NARROWEST_PX = 176
"""A column this wide can still be read; below, the dock scrolls sideways."""

LOWEST_PX = 150
"""A column this high can still be read where the columns stand below one another; the dock scrolls then."""

LINES_WANTED, LINES_NEEDED = 13, 7

RANKED = (
    "Explanations in the order of the note. Removes: the share of the aligned residual that goes away when "
    "this one alone is corrected; shares overlap and are never added up. Explanations with = share a rank: "
    "this pair does not tell them apart. Click or Enter goes to the check."
)
NONE_RANKED = "none: no check names one"
NOTHING = {
    "observed": "Nothing was observed.",
    "inferred": "Nothing follows from what was observed.",
    "untested": "Nothing is listed as untested.",
}

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
    """The ranked explanations above four columns, from the session's report with the person's edits over it.

    The columns stand side by side, or one below the other where the panel is narrow.

    Signals:
        evidence_wanted: The panes should show an Evidence.
        check_wanted: The card of a check (its id) should be shown.
    """

    evidence_wanted = Signal(object)
    check_wanted = Signal(str)

    def __init__(self, model: SessionModel, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        content = QWidget()
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, content)
        self._row.setContentsMargins(8, 2, 8, 6)
        self._row.setSpacing(8)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(self._head(look))
        self._area = scrolled_both(content, "findings")
        outer.addWidget(self._area, 1)
        self.columns = {
            kind: FindingColumn(kind, model, look) for kind in ("observed", "inferred", "untested")
        }
        for column in self.columns.values():
            self._row.addWidget(column, 3)
            column.evidence_wanted.connect(self.evidence_wanted)
        self._row.addWidget(self._last_column(), 3)
        self._stand(is_narrow=False)
        self._soon = Soon(self.refresh, model, self)
        for later in (
            model.results_changed, model.corrections_changed, model.tolerances_changed, look.changed,
        ):  # fmt: skip
            later.connect(self._soon.ask)
        for changed in (
            model.pair_changed, model.edits_changed, model.marks_changed, model.probes_changed,
        ):  # fmt: skip
            changed.connect(self.refresh)

    def _head(self, look: Look) -> QBoxLayout:
        """Return the line of ranked explanations, which also says when all of this is out of date."""
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._line.setContentsMargins(17, 0, 8, 0)
        self._line.setSpacing(8)
        title = words("Explanations, ranked", "title", wrap=False)
        title.setToolTip(RANKED)
        title.setMinimumHeight(SMALLEST_CONTROL)
        self.explanations = ExplanationList(look)
        self.explanations.setToolTip(RANKED)
        self.explanations.check_wanted.connect(self.check_wanted)
        self.no_explanation = words("", "muted")
        self.no_explanation.setMinimumHeight(SMALLEST_CONTROL)
        self.stale = words("recomputing", "repair", wrap=False)
        self.stale.setToolTip("All of this is from before the last change")
        self.stale.setMinimumHeight(SMALLEST_CONTROL)
        self.stale.hide()
        top = Qt.AlignmentFlag.AlignTop
        self._line.addWidget(title, 0, top)
        self._line.addWidget(self.explanations, 1, top)
        self._line.addWidget(self.no_explanation, 1, top)
        self._line.addWidget(self.stale, 0, top)
        return self._line

    def _last_column(self) -> QFrame:
        frame, inside = card()
        inside.setContentsMargins(9, 5, 3, 5)
        self._last = frame
        title = words("Next test", "title", wrap=False)
        title.setMinimumHeight(self.columns["observed"].add.sizeHint().height())
        inside.addWidget(title)
        self.next_test = words()
        self.next_test.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.next_test.setAlignment(Qt.AlignmentFlag.AlignTop)
        inside.addWidget(scrolled(self.next_test, "next test"), 1)
        return frame

    def sizeHint(self) -> QSize:
        """Ask for a few lines: the panes need their room more, and every column is scrolled."""
        return QSize(super().sizeHint().width(), LINES_WANTED * self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        """Need as little with many explanations as with none: a dock that had to grow would stay grown."""
        return QSize(NARROWEST_PX, LINES_NEEDED * self.fontMetrics().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand the columns side by side where two of them fit, else below one another."""
        super().resizeEvent(event)
        self._stand(is_narrow=event.size().width() < 2 * NARROWEST_PX + 3 * self._row.spacing())

    def _stand(self, *, is_narrow: bool) -> None:
        way = QBoxLayout.Direction
        direction = way.TopToBottom if is_narrow else way.LeftToRight
        for box in (self._row, self._line):
            box.setDirection(direction)
        for column in (*self.columns.values(), self._last):
            column.setMinimumWidth(0 if is_narrow else NARROWEST_PX)
            column.setMinimumHeight(LOWEST_PX if is_narrow else 0)

    def refresh(self) -> None:
        """Draw the report with its edits."""
        session = self._model.session
        if session is None:
            return
        is_judged = bool(session.results)
        self.stale.setVisible(self._model.report_is_stale and is_judged)
        report = told_report(session, self._model.probed)
        self._rank(report.hypotheses, is_judged=is_judged)
        for column, findings in (
            (self.columns["observed"], report.observed),
            (self.columns["inferred"], report.inferred),
            (self.columns["untested"], report.untested),
        ):
            column.list.say_if_empty(NOTHING[column.kind] if is_judged else "")
            column.show_findings(findings)
        self.next_test.setText(next_test_text(report.next_test) if is_judged else "")

    def _rank(self, hypotheses: tuple[Hypothesis, ...], *, is_judged: bool) -> None:
        ranked = hypotheses if is_judged else ()
        had_focus = self.explanations.hasFocus()
        self.explanations.show_hypotheses(ranked)
        self.explanations.setVisible(bool(ranked))
        if had_focus and not ranked:
            self.columns["observed"].list.setFocus()
        if self._model.is_pair:
            why = NONE_RANKED if is_judged else "once the checks are in"
        else:
            why = "need the other trace"
        self.no_explanation.setText(why)
        self.no_explanation.setVisible(not ranked)
