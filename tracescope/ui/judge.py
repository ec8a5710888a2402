"""Runs the checks for the window whenever the case changes, and hands the results to the model."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Slot

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.findings.build import build_report
from tracescope.model.check import CheckResult
from tracescope.model.finding import Report
from tracescope.session.run import run_checks
from tracescope.session.session import Session
from tracescope.ui.session_model import SessionModel
from tracescope.ui.worker import Lane, Task

FOLLOW_MS = 40
"""While a hand drags, a new run begins at most this often, and not before the last one could end."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One result on its way from the worker to the model."""

    result: CheckResult
    revision: int


@dataclass(frozen=True, slots=True)
class RunDone:
    """A finished run on its way from the worker to the model."""

    results: tuple[CheckResult, ...]
    report: Report
    revision: int
    took_s: float


def judged_by(session: Session, checks: tuple[Check, ...], task: Task) -> RunDone:
    """Run all checks and build the findings, handing over every result as it comes.

    Raises:
        Cancelled: where the task was cancelled.
    """
    began_s = time.monotonic()
    bench = Workbench(session.case, task.pulse)
    results: list[CheckResult] = []
    for done, result in enumerate(run_checks(session.case, checks, bench), start=1):
        results.append(result)
        task.give(Judged(result, session.revision))
        following = checks[done].title if done < len(checks) else "findings"
        task.progress(done / (len(checks) + 1), f"checking: {following}")
    report = build_report(session.case, results, bench)
    task.pulse()
    took_s = time.monotonic() - began_s
    return RunDone(tuple(results), report, session.revision, took_s)


class Judge(QObject):
    """Keeps the model's results up to date on a lane of its own.

    During a drag a run is left to end before the next begins, so that the cards follow the hand as fast
    as the checks allow; otherwise a newer case ends the older run at once.
    """

    def __init__(
        self, model: SessionModel, checks: tuple[Check, ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._checks = checks
        self.lane = Lane(self)
        self.last_took_s = 0.0
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(FOLLOW_MS)
        self._again = False
        self._due.timeout.connect(self._start)
        model.needs_judging.connect(self._wanted)
        model.pair_changed.connect(self.lane.cancel)
        self.lane.task_changed.connect(self._lane_changed)

    @Slot()
    def _wanted(self) -> None:
        if not self._model.previewing:
            self._start()
        elif self.lane.task is not None:
            self._again = True
        elif not self._due.isActive():
            self._due.start()

    @Slot()
    def _lane_changed(self) -> None:
        if self._again and self.lane.task is None:
            self._again = False
            self._due.start()

    @Slot()
    def _start(self) -> None:
        session, checks = self._model.session, self._checks
        self._again = False
        if session is None or not checks:
            return
        task = self.lane.start("checks", lambda task: judged_by(session, checks, task))
        task.given.connect(self._given)
        task.finished.connect(self._finished)
        task.failed.connect(self._failed)

    @Slot(object)
    def _given(self, item: Judged) -> None:
        self._model.accept(item.result, item.revision)

    @Slot(object)
    def _finished(self, done: RunDone) -> None:
        self.last_took_s = done.took_s
        self._model.accept_all(done.results, done.report, done.revision)

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        raise error  # our own bug: the window's exception hook logs and shows it

    def close(self) -> None:
        """Cancel, and start nothing more."""
        self._due.stop()
        self._model.needs_judging.disconnect(self._wanted)
        self.lane.close()
