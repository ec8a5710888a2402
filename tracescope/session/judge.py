"""Judge a session: run every check, then put findings into words."""

from __future__ import annotations

from collections.abc import Sequence

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.findings.build import build_report
from tracescope.model.check import CheckResult
from tracescope.model.correction import Correction
from tracescope.model.progress import Progress, silent
from tracescope.session.catalogue import all_checks
from tracescope.session.run import run_checks
from tracescope.session.session import Session

AUTO_ROUNDS = 3
"""Correcting one channel can let a check speak on the next; more rounds than this were never needed."""


def judge(
    session: Session, progress: Progress = silent, checks: Sequence[Check] | None = None
) -> Session:
    """Return the session with results and findings of its present state.

    Raises:
        Cancelled: from ``progress``.
    """
    chosen = all_checks() if checks is None else tuple(checks)
    bench = Workbench(session.case)
    results: list[CheckResult] = []
    if chosen:
        progress(0.0, chosen[0].title)
    for done, result in enumerate(run_checks(session.case, chosen, bench), start=1):
        results.append(result)
        following = chosen[done].title if done < len(chosen) else "findings"
        progress(done / (len(chosen) + 1), following)
    report = build_report(session.case, results, bench)
    progress(1.0, "judged")
    return session.judged(tuple(results), report, session.revision)


def pending_corrections(session: Session) -> tuple[Correction, ...]:
    """Return what checks fitted and failed on, for target channels that carry no correction yet."""
    taken = {correction.channel for correction in session.corrections}
    pending: dict[str, Correction] = {}
    for result in session.results:
        for correction in result.pending:
            if correction.channel not in taken:
                pending.setdefault(correction.channel, correction)
    return tuple(pending.values())


def judge_corrected(
    session: Session, progress: Progress = silent, checks: Sequence[Check] | None = None
) -> Session:
    """Judge, apply everything that checks fitted and failed on, and judge again until nothing is left.

    A correction that a person gave is never replaced.
    """
    session = judge(session, progress, checks)
    for _ in range(AUTO_ROUNDS):
        pending = pending_corrections(session)
        if not pending:
            break
        session = judge(session.corrected((*session.corrections, *pending)), progress, checks)
    return session
