"""Judge a session: run every check, then put findings into words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.findings.build import build_report
from tracescope.model.check import CheckResult
from tracescope.model.correction import Correction
from tracescope.model.progress import Progress, silent
from tracescope.session.catalogue import all_checks
from tracescope.session.run import run_checks
from tracescope.session.session import Session
from tracescope.session.supposing import supposed

AUTO_ROUNDS = 3
"""Correcting one channel can let a check speak on the next; more rounds than this were never needed."""


def judge(
    session: Session,
    progress: Progress = silent,
    checks: Sequence[Check] | None = None,
    *,
    sensitivity: bool = True,
) -> Session:
    """Return the session with results and findings of its present state.

    With one trace alone no check has anything to say: none is run, and the findings name what is missing.

    Args:
        session: What to judge.
        progress: Told before each check.
        checks: Other checks than the installed ones.
        sensitivity: Judge again at both ends of the offset's interval, where rows are paired by time, and
            mark verdicts that flip.

    Raises:
        Cancelled: from ``progress``.
    """
    chosen = all_checks() if checks is None else tuple(checks)
    if not (session.pair.sim.channels and session.pair.target.channels):
        chosen = ()
    bench = Workbench(session.case)
    results: list[CheckResult] = []
    if chosen:
        progress(0.0, chosen[0].title)
    for done, result in enumerate(run_checks(session.case, chosen, bench), start=1):
        results.append(result)
        following = chosen[done].title if done < len(chosen) else "findings"
        progress(done / (len(chosen) + 2), following)
    if sensitivity:
        results = marked_where_flipping(bench, results, chosen, progress)
    report = build_report(session.case, results, bench, supposed(bench, results, chosen))
    progress(1.0, "judged")
    return session.judged(tuple(results), report, session.revision)


def marked_where_flipping(
    bench: Workbench,
    results: Sequence[CheckResult],
    checks: Sequence[Check],
    progress: Progress = silent,
) -> list[CheckResult]:
    """Mark results whose state is another at an end of the offset's own interval.

    Args:
        bench: The case that the results are of; its pulse ends the work between and inside the checks.
        results: One a check, in their order.
        checks: Those that gave the results.
        progress: Told before either end is tried.

    Raises:
        Cancelled: from ``progress`` or the bench's pulse.
    """
    flipping: set[str] = set()
    for offset_s in offsets_to_try(bench):
        progress(len(checks) / (len(checks) + 2), f"again at an offset of {offset_s:.6g} s")
        moved = bench.at(offset_s)
        for here, there in zip(results, run_checks(moved.case, checks, moved), strict=True):
            if here.state is not there.state:
                flipping.add(here.id)
    return [replace(r, depends_on_alignment=True) if r.id in flipping else r for r in results]


def offsets_to_try(bench: Workbench) -> tuple[float, ...]:
    """Return the ends of the offset's interval where moving there can change anything.

    Pairing by step does not depend on the clock offset; an interval of less than a thousandth of a row
    moves nothing.
    """
    alignment, rows = bench.case.alignment, bench.rows
    interval = alignment.offset_interval_s
    if alignment.mode != "time" or interval is None or len(rows) < 2:
        return ()
    low, high = interval
    if not (math.isfinite(low) and math.isfinite(high)):
        return ()
    return () if high - low < 1e-3 * rows.interval_s else (low, high)


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
