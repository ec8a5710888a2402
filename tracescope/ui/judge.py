"""Runs the checks for the window whenever the case changes, and hands the results to the model."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Slot

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.findings.build import build_report
from tracescope.model.check import CheckResult
from tracescope.model.finding import Report
from tracescope.session.judge import marked_where_flipping, offsets_to_try
from tracescope.session.run import quick_checks, quick_look, run_checks
from tracescope.session.session import Session
from tracescope.session.supposing import supposed
from tracescope.ui.session_model import SessionModel
from tracescope.ui.worker import Lane, Task

FOLLOW_MS = 40
"""While a hand drags, a new run begins at most this often, and not before the last one could end."""

REST_MS = 250
"""A hand that rests this long in the middle of a drag gets the full answer."""

QUICK_S = 0.12
"""What a quick look may take: longer, and the cards would no longer follow the hand."""

Kind = Literal["full", "following", "quick"]
"""All checks and their dependence on the alignment; all of them under a hand; those that are quick."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One result on its way from the worker to the model, and how long it took."""

    result: CheckResult
    revision: int
    took_s: float


@dataclass(frozen=True, slots=True)
class RunDone:
    """All results on their way from the worker to the model.

    ``is_last`` is false while verdicts are still tried at other offsets.
    """

    results: tuple[CheckResult, ...]
    report: Report
    revision: int
    took_s: float
    is_last: bool = True


def judged_by(session: Session, checks: tuple[Check, ...], task: Task) -> RunDone:
    """Run all checks and build the findings, handing over every result as it comes.

    Where the offset has an interval, all is handed over once and then asked again at its ends: what flips
    there is marked in what is returned.

    Raises:
        Cancelled: where the task was cancelled.
    """
    began_s = last_s = time.monotonic()
    bench = Workbench(session.case, task.pulse)
    results: list[CheckResult] = []
    for done, result in enumerate(run_checks(session.case, checks, bench), start=1):
        now_s = time.monotonic()
        results.append(result)
        task.give(Judged(result, session.revision, now_s - last_s))
        last_s = now_s
        following = checks[done].title if done < len(checks) else "findings"
        task.progress(done / (len(checks) + 2), f"checking: {following}")

    would = supposed(bench, results, checks)

    def told(*, is_last: bool) -> RunDone:
        report = build_report(session.case, results, bench, would)
        task.pulse()
        took_s = time.monotonic() - began_s
        return RunDone(tuple(results), report, session.revision, took_s, is_last)

    if offsets_to_try(bench):
        task.give(told(is_last=False))
        results = marked_where_flipping(bench, results, checks, task.progress)
    return told(is_last=True)


def looked_at(
    session: Session, checks: tuple[Check, ...], known: Mapping[str, CheckResult], task: Task
) -> None:
    """Run a few checks for a quick look, handing over every result as it comes.

    Raises:
        Cancelled: where the task was cancelled.
    """
    bench = Workbench(session.case, task.pulse)
    for result in quick_look(session.case, checks, known, bench):
        task.give(Judged(result, session.revision, 0.0))
        task.pulse()


class Judge(QObject):
    """Keeps the model's results up to date on a lane of its own.

    During a drag a run is left to end before the next begins, so that the cards follow the hand as fast
    as the checks allow. Where all of them together are too slow for that, only the quick ones follow,
    marked as a quick look; the full answer comes as soon as the hand rests. Otherwise a newer case ends
    the older run at once. A run that a person ended is not begun again by itself.
    """

    def __init__(
        self, model: SessionModel, checks: tuple[Check, ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._checks = checks
        self.lane = Lane(self)
        self.last_took_s = 0.0
        self._took_s: dict[str, float] = {}
        self._full: dict[str, CheckResult] = {}
        self._kind: Kind = "full"
        self._again = self._came_to_end = False
        self._due = QTimer(self, singleShot=True, interval=FOLLOW_MS)
        self._due.timeout.connect(self._follow)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self.run)
        model.needs_judging.connect(self._wanted)
        model.pair_changed.connect(self._forget)
        model.undo_stack.indexChanged.connect(self._let_go)
        self.lane.task_changed.connect(self._lane_changed)

    @Slot()
    def run(self) -> None:
        """Ask every check, now."""
        self._start("full")

    @Slot()
    def _wanted(self) -> None:
        self._rest.stop()
        if not self._model.previewing:
            self._start("full")
            return
        if self.lane.task is not None and self._kind == "full":
            self.lane.cancel()  # the hand moves on: it would come too late
        if self.lane.task is not None:
            self._again = True
        elif not self._due.isActive():
            self._due.start()

    @Slot()
    def _follow(self) -> None:
        """Begin the run that a moving hand can wait for."""
        quick = quick_checks(self._checks, self._took_s, QUICK_S)
        self._start("following" if len(quick) == len(self._checks) else "quick", quick)

    @Slot()
    def _lane_changed(self) -> None:
        session = self._model.session
        if self.lane.task is not None or session is None:
            return
        if self._again:
            self._again = False
            self._due.start()
        elif self._came_to_end and session.stale and self._kind != "full":
            self._rest.start(REST_MS if self._model.previewing else 0)

    @Slot()
    def _let_go(self) -> None:
        """Give the full answer at once after a drag, not only after a rest."""
        if self._rest.isActive():
            self._rest.start(0)

    def _start(self, kind: Kind, quick: tuple[Check, ...] = ()) -> None:
        session, checks, known = self._model.session, self._checks, dict(self._full)
        self._again = self._came_to_end = False
        self._rest.stop()
        self._due.stop()
        if session is None or not checks:
            return
        if kind == "quick":
            task = self.lane.start(
                "quick look", lambda task: looked_at(session, quick, known, task)
            )
        else:
            task = self.lane.start("checks", lambda task: judged_by(session, checks, task))
            task.finished.connect(self._finished)
        self._kind = kind
        task.finished.connect(self._ended)
        task.given.connect(self._given)
        task.failed.connect(self._failed)

    @Slot(object)
    def _given(self, item: Judged | RunDone) -> None:
        if isinstance(item, RunDone):
            self._model.accept_all(item.results, item.report, item.revision, is_last=False)
            return
        if item.result.tier == "full":
            self._took_s[item.result.id] = item.took_s
            self._full[item.result.id] = item.result
        self._model.accept(item.result, item.revision)

    @Slot(object)
    def _finished(self, done: RunDone) -> None:
        self.last_took_s = done.took_s
        self._model.accept_all(done.results, done.report, done.revision)

    @Slot()
    def _ended(self) -> None:
        self._came_to_end = True

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        raise error  # our own bug: the window's exception hook logs and shows it

    @Slot()
    def _forget(self) -> None:
        self.lane.cancel()
        self._due.stop()
        self._rest.stop()
        session = self._model.session
        self._took_s = {}
        self._full = {} if session is None else {r.id: r for r in session.results}

    def close(self) -> None:
        """Cancel, and start nothing more."""
        self._model.needs_judging.disconnect(self._wanted)
        self._kind, self._again = "full", False
        self._due.stop()
        self._rest.stop()
        self.lane.close()
