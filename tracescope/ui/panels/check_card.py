"""One check's card: state, sentence, measurements, what it rests on, and what can be done next."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from tracescope.checks.base import Check
from tracescope.findings.note.rows import says_the_same
from tracescope.findings.numbers import number, with_minus
from tracescope.model.check import CHECK_IDS, CheckResult, Evidence
from tracescope.model.correction import Correction
from tracescope.ui.look import Look
from tracescope.ui.panels.flow import FlowLayout
from tracescope.ui.panels.measurement_list import MeasurementList, worst_first
from tracescope.ui.panels.parts import Badge, card, link, widest_word_px, words
from tracescope.ui.panels.tolerance_form import ToleranceForm
from tracescope.ui.session_model import SessionModel
from tracescope.ui.words import STATE_WORDS

ROWS_FOLDED = 3
ALONE = "needs the other trace"
WAITING = "not yet judged"
"""Also said before a pair is open: a card is drawn a moment after the curves, and must not be wrong till then."""


def used_text(result: CheckResult) -> str:
    """Say which corrections the result rests on and which it does without."""
    parts = []
    if result.applied:
        parts.append(f"Uses: {', '.join(result.applied)}.")
    if result.not_applied:
        parts.append(f"Not applied: {', '.join(result.not_applied)}.")
    return " ".join(parts)


def counts_text(result: CheckResult) -> str:
    """Say effective n and the check's plain counts."""
    sizes = sorted({round(m.n) for m in result.measurements if m.n})
    parts = []
    if sizes:
        span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        parts.append(f"effective n {span}")
    parts += [f"{name} {count}" for name, count in result.counts]
    return " · ".join(parts)


def coverage_text(result: CheckResult) -> str:
    """Say which range the result speaks for."""
    lines = []
    for covered in result.coverage:
        if covered.channel in covered.statement:
            lines.append(covered.statement)
            continue
        span = ""
        if covered.range is not None:
            span = f" {number(covered.range[0])} to {number(covered.range[1])}"
        lines.append(f"{covered.channel}{span}: {covered.statement}")
    return "\n".join(lines)


def would_text(result: CheckResult) -> str:
    """Say what the check would say with the pending upstream corrections."""
    if result.would is None or says_the_same(result, result.would):
        return ""
    state = STATE_WORDS[result.would.state]
    if result.would.reason.startswith("with "):
        return f"Would be {state} {result.would.reason}"
    return f"With {', '.join(result.would.corrections)}: would be {state}. {result.would.reason}"


class CheckCard(QWidget):
    """Shows the newest result of one check.

    Signals:
        evidence_wanted: Go there and mark it; carries the Evidence.
        guide_wanted: Show what the guide says about this check; carries its number.
    """

    evidence_wanted = Signal(object)
    guide_wanted = Signal(int)

    def __init__(
        self,
        number_: int,
        check: Check,
        model: SessionModel,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.check = check
        self._number = number_
        self._model = model
        self._look = look
        self._result: CheckResult | None = None
        self._next_evidence = 0
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._frame, column = card()
        outer.addWidget(self._frame)
        self._badge = Badge(look)
        column.addLayout(self._head(number_))
        self._reason = words()
        self._marks = words("", "repair")
        self._list = MeasurementList(look)
        self._would = words("", "muted")
        self._settle = words()
        self._facts = words("", "muted")
        for widget in (
            self._reason, self._marks, self._list, self._would, self._settle, self._facts,
        ):  # fmt: skip
            column.addWidget(widget)
        self._form = ToleranceForm(check.tolerances, model, look)
        self._form.hide()
        column.addLayout(self._links())
        column.addWidget(self._form)
        self._unfolded = False
        self.refresh()

    def _head(self, number_: int) -> QLayout:
        row = QHBoxLayout()
        title = self._title = words(f"{number_}\N{NO-BREAK SPACE}{self.check.title}", "title")
        title.setToolTip(self.check.question)
        self.guide = link(
            "Guide", "What this check can and cannot tell: its place in the user guide"
        )
        self.guide.setAccessibleName(f"{self.guide.text()}: {self.check.title}")
        self.guide.clicked.connect(lambda: self.guide_wanted.emit(self._number))
        row.addWidget(title, 1)
        row.addWidget(self.guide)
        row.addWidget(self._badge)
        if self.check.id not in CHECK_IDS:
            self.guide.hide()  # the guide knows nothing of a plug-in's check
        return row

    def _links(self) -> QLayout:
        self.show_evidence = link(
            "Show evidence", "Go to the samples behind this result and mark them"
        )
        self.show_evidence.clicked.connect(self._go_to_evidence)
        self.apply = link(
            "Apply", "Lay the fitted corrections over the target (Ctrl+Z takes it back)"
        )
        self.apply.clicked.connect(self._apply)
        self.unfold = link("All", "Show every measurement")
        self.unfold.clicked.connect(self._toggle_rows)
        self.tolerances = link(
            "Tolerances", "Edit how strict this check is; default and reason shown"
        )
        self.tolerances.setCheckable(True)
        self.tolerances.toggled.connect(self._form.setVisible)
        self.details = link("Details", "Show coverage, counts and corrections used")
        self.details.setCheckable(True)
        self.details.toggled.connect(self.refresh)
        row = FlowLayout()
        for button in (
            self.show_evidence, self.apply, self.unfold, self.tolerances, self.details,
        ):  # fmt: skip
            button.setAccessibleName(f"{button.text()}: {self.check.title}")
            row.addWidget(button)
        if not self.check.tolerances:
            self.tolerances.hide()  # never shown here: without a parent it would be a window of its own
        return row

    # Showing

    def refresh(self) -> None:
        """Draw the newest result, or why there is none."""
        self._title.setMinimumWidth(widest_word_px(self._title))
        self._form.refresh()
        if self._model.session is not None and not self._model.is_pair:
            self._show_nothing(ALONE)
            return
        result = self._model.result_of(self.check.id)
        if result is None:
            self._show_nothing(WAITING)
            return
        if result is not self._result:
            self._next_evidence = 0
        self._result = result
        stale = self._model.is_stale(self.check.id)
        self._badge.show_state(result.state, stale=stale or result.tier != "full")
        self._say(self._reason, result.reason)
        self._say(self._marks, self._marks_text(result, stale=stale))
        self._show_rows(result)
        self._say(self._would, would_text(result))
        self._say(self._settle, f"Would settle it: {result.settle}" if result.settle else "")
        self._say(self._facts, self._facts_text(result))
        self._show_links(result)

    def _show_nothing(self, why: str) -> None:
        self._result = None
        self._badge.show_word("—")
        self._say(self._reason, why)
        for label in (self._marks, self._would, self._settle, self._facts):
            self._say(label, "")
        self._list.show_measurements(())
        for button in (self.show_evidence, self.apply, self.unfold, self.details):
            button.hide()

    @staticmethod
    def _say(label: object, text: str) -> None:
        label.setText(with_minus(text))  # type: ignore[attr-defined]
        label.setVisible(bool(text))  # type: ignore[attr-defined]

    @staticmethod
    def _marks_text(result: CheckResult, *, stale: bool) -> str:
        parts = []
        if stale:
            parts.append("recomputing: this is from before the last change")
        if result.depends_on_alignment:
            parts.append(
                "depends on the alignment: the verdict flips inside the offset's own interval"
            )
        if result.tier != "full":
            parts.append(
                "quick look at the present offset: the full answer follows when the hand rests"
            )
        return "\n".join(parts)

    def _facts_text(self, result: CheckResult) -> str:
        if not self.details.isChecked():
            return used_text(result) if result.not_applied else ""
        facts = (used_text(result), counts_text(result), coverage_text(result))
        untested = [f"Untested: {u.text} (needs: {u.would_need})" for u in result.untested]
        return "\n".join(fact for fact in (*facts, *untested) if fact)

    def _show_rows(self, result: CheckResult) -> None:
        rows = worst_first(result.measurements)
        many = len(rows) > ROWS_FOLDED + 1
        self._list.show_measurements(rows if self._unfolded or not many else rows[:ROWS_FOLDED])
        self.unfold.setVisible(many)
        self.unfold.setText("Fewer" if self._unfolded else f"All {len(rows)}")

    def _show_links(self, result: CheckResult) -> None:
        self.details.show()
        self.show_evidence.setVisible(bool(result.evidence))
        pending = self._pending(result)
        self.apply.setVisible(bool(pending))
        if pending:
            words_ = (
                f"Apply {pending[0]}" if len(pending) == 1 else f"Apply {len(pending)} corrections"
            )
            self.apply.setText(words_)
            self.apply.setToolTip(
                "Lay over the target, and judge again (Ctrl+Z takes it back):\n"
                + "\n".join(str(c) for c in pending)
            )

    def _pending(self, result: CheckResult) -> list[Correction]:
        held = self._model.open_session.corrections
        return [c for c in result.pending if c not in held]

    # Doing

    def _go_to_evidence(self) -> None:
        if self._result is None or not self._result.evidence:
            return
        evidence: Evidence = self._result.evidence[self._next_evidence % len(self._result.evidence)]
        self._next_evidence += 1
        self.evidence_wanted.emit(evidence)

    def _apply(self) -> None:
        if self._result is not None:
            self._model.correct(*self._pending(self._result))

    def _toggle_rows(self) -> None:
        self._unfolded = not self._unfolded
        self.refresh()
