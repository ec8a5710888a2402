"""Do the two traces lie over each other in time?"""

from __future__ import annotations

from dataclasses import replace

from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment_clock import against_counter, clock_measurements
from tracescope.checks.alignment_health import health_measurements, too_little
from tracescope.checks.alignment_lag import judge_lag
from tracescope.checks.alignment_tolerances import ALL, CHECK_ID
from tracescope.checks.alignment_words import (
    coverage,
    evidence,
    leads,
    reason,
    settle,
    untested,
)
from tracescope.checks.base import Check, Upstream
from tracescope.model.check import CheckResult, State


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Judge the alignment in force: health first, then the lag that is left under it."""
    del upstream
    health = health_measurements(bench)
    lacking = too_little(bench)
    if lacking:
        return CheckResult.inconclusive(
            CHECK_ID,
            lacking,
            measurements=(*health, *clock_measurements(bench.case.alignment)),
            coverage=coverage(bench),
            settle="another offset (starting both at 0), other stamp units, or a longer recording",
            counts=(("common rows", len(bench.rows)),),
        )
    judged = judge_lag(bench)
    measurements = (
        *judged.measurements,
        *against_counter(bench),
        *health,
        *clock_measurements(bench.case.alignment),
    )
    result = CheckResult.from_measurements(
        CHECK_ID,
        reason(measurements, judged, bench.case),
        measurements,
        coverage=coverage(bench),
        applied=("clock", *map(str, bench.case.corrections)),
        evidence=evidence(bench, judged),
        leads=leads(measurements, judged),
        untested=untested(judged),
        counts=(("common rows", len(bench.rows)),),
    )
    if result.state is State.INCONCLUSIVE:
        return replace(result, settle=settle(judged))
    return result


CHECK = Check(
    CHECK_ID,
    "Alignment",
    "Do the two traces lie over each other in time?",
    ALL,
    judge,
)
