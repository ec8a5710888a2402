"""Do both loops keep the same time, and does the target respond as soon as the sim?"""

from __future__ import annotations

from dataclasses import replace

from tracescope.analysis.response import ResponseLatency
from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check, Upstream, of_stretches
from tracescope.checks.timing_clock import clock_doubt, clock_measurements, logged_latency
from tracescope.checks.timing_response import (
    AGE_QUANTITY,
    explained_otherwise,
    response_measurements,
)
from tracescope.checks.timing_tolerances import ALL, CHECK_ID, OF_CLOCK
from tracescope.checks.timing_words import (
    RESPONSE_QUANTITY,
    SETTLE_AGE,
    SETTLE_CLOCK,
    SETTLE_RESPONSE,
    SETTLE_STAMPS,
    coverage,
    evidence,
    leads,
    reason,
    untested,
)
from tracescope.model.check import CheckResult, Measurement, State

SWAPPED = "swapped channels"
COARSE = ("resolution", "held rows", "held share")


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Judge the target's clock against the sim's, and the latency of its response."""
    case = bench.case
    response, found = response_measurements(bench)
    of_clock, doubt = bench.of_recordings(
        "clock", lambda: ((*clock_measurements(case), *logged_latency(case)), clock_doubt(case))
    )
    measurements = (*of_clock, *response)
    if not measurements:
        return CheckResult.inconclusive(CHECK_ID, "a trace has no rows", settle=SETTLE_CLOCK)
    blocked = _gate(upstream) or _swapped(upstream)
    coarse = _coarse(upstream)
    measurements = tuple(_gated(bench, m, blocked, doubt, coarse, found) for m in measurements)
    result = CheckResult.from_measurements(
        CHECK_ID,
        reason(measurements, found),
        measurements,
        coverage=coverage(case),
        applied=("clock", *map(str, case.corrections)),
        evidence=evidence(case, measurements, found),
        leads=leads(bench, measurements, found),
        untested=untested(case, measurements, found),
        counts=(("intervals", max(0, len(case.pair.target) - 1)),),
    )
    result = of_stretches(result, bench, "the response read off (the clock off all rows)")
    if result.state is State.INCONCLUSIVE:
        return replace(result, settle=_settle(measurements, blocked))
    return result


def _gate(upstream: Upstream) -> str:
    alignment = upstream.get("alignment")
    if alignment is None or alignment.state is State.PASS:
        return ""
    return f"alignment not established: {alignment.reason}"


def _swapped(upstream: Upstream) -> str:
    """Say that a response was read off another channel in the target, where observations are swapped."""
    seen = upstream.get("observation-scaling")
    failed = () if seen is None else seen.measured(SWAPPED)
    if any(m.state is State.FAIL for m in failed):
        return (
            "observations are swapped: one trace's response would be held against another channel's"
        )
    return ""


def _coarse(upstream: Upstream) -> str:
    """Say that the target's observations are coarse or held: what they hide looks like a later response."""
    seen = upstream.get("observation-scaling")
    measured = () if seen is None else seen.measurements
    off = [m.channel for m in measured if m.quantity in COARSE and m.state is State.FAIL]
    return (
        f"{', '.join(dict.fromkeys(off))} coarse or held: that hides when it responds"
        if off
        else ""
    )


def _gated(
    bench: Workbench,
    measurement: Measurement,
    blocked: str,
    doubt: str,
    coarse: str,
    found: ResponseLatency,
) -> Measurement:
    """What lives in one trace's clock alone rests on no alignment; the response's difference does."""
    if measurement.quantity not in (RESPONSE_QUANTITY, AGE_QUANTITY):
        why = doubt if measurement.tolerance_key in OF_CLOCK else ""
    else:
        fails = measurement.state is State.FAIL
        why = blocked or (coarse if fails else "") or explained_otherwise(bench, measurement, found)
    return replace(measurement, blocked=why) if why else measurement


def _settle(measurements: tuple[Measurement, ...], blocked: str) -> str:
    if blocked.startswith("observations"):
        return "the swap corrected"
    if blocked:
        return "a better alignment"
    doubtful = [m for m in measurements if m.judged and m.state is State.INCONCLUSIVE]
    settled = []
    if any(m.note.startswith("not measured") for m in doubtful):
        settled.append(SETTLE_STAMPS)
    if any(m.quantity == RESPONSE_QUANTITY for m in doubtful):
        settled.append(SETTLE_RESPONSE)
    if any(m.quantity == AGE_QUANTITY for m in doubtful):
        settled.append(SETTLE_AGE)
    return "; and ".join(settled) or SETTLE_CLOCK


CHECK = Check(
    CHECK_ID,
    "Timing",
    "Do both loops keep the same time, and does the target respond as soon as the sim?",
    ALL,
    judge,
    needs=("alignment", "observation-scaling", "action"),
)
