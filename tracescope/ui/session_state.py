"""The current session behind the window: reading it, replacing it, taking in results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult
from tracescope.model.finding import Report
from tracescope.session.session import Session
from tracescope.ui.undo import Facet, SwapCommand, UndoStack


class SessionState(QObject):
    """Holds the session, its undo stack and the newest result of each check.

    Signals:
        opening: Another pair (or none) is about to be there.
        pair_changed: Another pair is open (or none); everything else has changed as well.
        alignment_changed: Also for every step of a drag; :attr:`previewing` tells them apart.
        results_changed: A result or the report arrived, or results became stale.
        probes_changed: What is probed, the budgets, or what was measured.
        lock_changed, proposal_changed: The padlock; the offered alignment.
        refused: A change was not made; says why, in one sentence.
        needs_judging: The case is another one; the payload-free sign for whoever runs the checks.
    """

    opening = Signal()
    pair_changed = Signal()
    alignment_changed = Signal()
    corrections_changed = Signal()
    tolerances_changed = Signal()
    results_changed = Signal()
    marks_changed = Signal()
    edits_changed = Signal()
    probes_changed = Signal()
    lock_changed = Signal()
    proposal_changed = Signal()
    needs_judging = Signal()
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = UndoStack(self)
        self._session: Session | None = None
        self._before_preview: Alignment | None = None
        self._shown: dict[str, tuple[CheckResult, int]] = {}
        self._report_revision = -1
        self._probed: tuple[CheckResult, ...] = ()

    # What is there

    @property
    def session(self) -> Session | None:
        """The session, or ``None`` while nothing is open."""
        return self._session

    @property
    def open_session(self) -> Session:
        """The session; only to be asked while one is open."""
        assert self._session is not None, "no pair is open"
        return self._session

    @property
    def case(self) -> Case | None:
        """What drawing, residual and checks look at, or ``None`` while nothing is open."""
        return None if self._session is None else self._session.case

    @property
    def is_pair(self) -> bool:
        """Whether both traces are there; with one alone the other has no rows and no channels."""
        return self._session is not None and all(
            trace.channels for trace in (self._session.pair.sim, self._session.pair.target)
        )

    @property
    def previewing(self) -> bool:
        """Whether a drag is under way."""
        return self._before_preview is not None

    def result_of(self, check_id: str) -> CheckResult | None:
        """Return the newest result of a check, stale or not."""
        shown = self._shown.get(check_id)
        return None if shown is None else shown[0]

    @property
    def shown_results(self) -> tuple[CheckResult, ...]:
        """The newest result of each check, stale or not."""
        return tuple(result for result, _ in self._shown.values())

    def is_stale(self, check_id: str) -> bool:
        """Whether the shown result belongs to an earlier state of the case."""
        shown = self._shown.get(check_id)
        return shown is not None and shown[1] != self.open_session.revision

    @property
    def report_is_stale(self) -> bool:
        """Whether the findings belong to an earlier state of the case."""
        session = self._session
        return session is not None and session.stale and self._report_revision != session.revision

    # Opening

    def open(self, session: Session | None) -> None:
        """Show another session; undo begins anew and recordings of the old one are let go."""
        self.opening.emit()
        self._before_preview = None
        self.undo_stack.clear()
        self._session = session
        fresh = session is not None and not session.stale
        self._shown = {}
        self._report_revision = -1
        self._probed = ()
        if session is not None:
            self._shown = {r.id: (r, session.results_revision) for r in session.results}
        self.pair_changed.emit()
        if session is not None and not fresh and self.is_pair:
            self.needs_judging.emit()

    # Results

    def accept(self, result: CheckResult, revision: int) -> None:
        """Take in one check's result.

        A result of an older revision is dropped, except during a drag, where it is shown as stale: it is
        the newest there is for the moving target.
        """
        if self._session is None:
            return
        shown = self._shown.get(result.id)
        newer = shown is None or revision >= shown[1]
        if revision == self._session.revision or (self.previewing and newer):
            self._shown[result.id] = (result, revision)
            self.results_changed.emit()

    def accept_all(
        self,
        results: tuple[CheckResult, ...],
        report: Report,
        revision: int,
        *,
        is_last: bool = True,
    ) -> None:
        """Take in a finished run, unless the session has moved on.

        Where it is not the last word (verdicts are still tried at other offsets) everything is shown, and
        the session stays stale: what is written to a file is never less than the last word.
        """
        if self._session is None or revision != self._session.revision:
            return
        if is_last:
            self._session = self._session.judged(results, report, revision)
        else:
            self._session = replace(
                self._session, results=results, report=report, results_revision=-1
            )
        self._report_revision = revision
        self._shown = {r.id: (r, revision) for r in results}
        self.results_changed.emit()

    @property
    def probed(self) -> tuple[CheckResult, ...]:
        """What was measured of the session's probes, in their order; empty until it is."""
        session = self._session
        known = session is not None and len(session.probes) == len(self._probed)
        return self._probed if known else ()

    def accept_probed(self, results: tuple[CheckResult, ...]) -> None:
        """Take in what was measured of the probes."""
        if results != self._probed:
            self._probed = results
            self.probes_changed.emit()

    # How changes are made

    def _push(self, facet: Facet, after: object, text: str, gesture: int = -1) -> None:
        before = getattr(self.open_session, facet)
        if after != before:
            self.undo_stack.push(SwapCommand(self._put, facet, before, after, text, gesture))

    def _put(self, facet: Facet, value: object) -> None:
        changes: dict[Facet, tuple[Callable[..., Session], Callable[[], None]]] = {
            "alignment": (Session.aligned, self.alignment_changed.emit),
            "corrections": (Session.corrected, self.corrections_changed.emit),
            "tolerances": (Session.tolerated, self.tolerances_changed.emit),
        }
        session = self.open_session
        if facet in changes:
            change, tell = changes[facet]
            if getattr(session, facet) == value:  # redo() of a drag that is already there
                return
            self._session = change(session, value)
            tell()
            self.results_changed.emit()
            if self.is_pair:
                self.needs_judging.emit()
            return
        self._session = replace(session, **{facet: value})  # type: ignore[arg-type]
        others = {
            "marks": self.marks_changed,
            "probes": self.probes_changed,
            "budgets": self.probes_changed,
        }
        others.get(facet, self.edits_changed).emit()
