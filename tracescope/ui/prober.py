"""Measures what a person marked for probing, behind the window, and hands the results to the model."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Slot

from tracescope.checks.probing_budgets import PROBE_ID
from tracescope.model.check import CheckResult
from tracescope.model.errors import UsageError
from tracescope.session.probe import probe_results
from tracescope.session.session import Session
from tracescope.ui.plots.background import Background
from tracescope.ui.session_model import SessionModel


def measured(session: Session) -> tuple[CheckResult, ...]:
    """Measure every probe; one that does not fit the pair (any longer) says so in its own place."""
    results: list[CheckResult] = []
    for probe in session.probes:
        try:
            results += probe_results(replace(session, probes=(probe,)))
        except UsageError as error:
            what = "; ".join(problem.what for problem in error.problems)
            results.append(
                CheckResult.inconclusive(PROBE_ID, f"probed {probe}: {what}", settle="another pair")
            )
    return tuple(results)


class Prober(QObject):
    """Asks again whenever probes, budgets or what they are measured on are others.

    The checks come first: what the clock decides waits for the alignment's verdict.
    """

    def __init__(self, model: SessionModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._asked: object = None
        self._background = Background("probes", self._take, self)
        for changed in (model.results_changed, model.probes_changed, model.pair_changed):
            changed.connect(self._look)

    @property
    def is_busy(self) -> bool:
        """Whether something is being measured."""
        return self._background.is_busy

    @Slot()
    def _look(self) -> None:
        session = self._model.session
        if session is None or session.stale or not session.probes:
            if session is None or not session.probes:
                self._asked = None
                self._model.accept_probed(())
            return
        key = (session.revision, session.probes, session.budgets, id(session.pair))
        if key != self._asked:
            self._asked = key
            self._background.forget(lambda _: True)
            self._background.ask(key, lambda: measured(session))

    def _take(self, key: object, results: tuple[CheckResult, ...]) -> None:
        if key == self._asked:
            self._model.accept_probed(results)
