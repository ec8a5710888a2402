"""Does what the policy emits reach the actuator, and is it the same action in both traces?"""

from __future__ import annotations

from dataclasses import replace

from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_bounds import bound_measurements, sides
from tracescope.checks.action_emitted import emitted_maps, emitted_measurements
from tracescope.checks.action_follow import follow_measurements
from tracescope.checks.action_path import path_measurements, paths
from tracescope.checks.action_tolerances import ALL, ALTERED, APPLIED_ROWS, CHECK_ID, EMITTED_ROWS
from tracescope.checks.action_words import (
    coverage,
    emitted_names,
    evidence,
    leads,
    reason,
    untested,
)
from tracescope.checks.base import Check, Upstream
from tracescope.model.check import CheckResult, Measurement, State


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Measure emitted against applied inside the target, and emitted against emitted."""
    names = emitted_names(bench)
    if not names:
        return CheckResult.inconclusive(
            CHECK_ID,
            "the target logs no emitted action",
            settle="say in the import dialog, or a map file, which channels are actions",
        )
    gate = _gate(upstream)
    followed, both, emitted = paths(bench), sides(bench), emitted_maps(bench)
    measurements = [m for path in followed for m in path_measurements(bench, path)]
    known = {path.channel for path in followed}
    measurements += [_not_logged(bench, name) for name in names if name not in known]
    measurements += bound_measurements(bench, both, gate, known)
    measurements += emitted_measurements(bench, emitted, gate)
    if gate:
        compared = {m.channel for m in measurements if m.quantity == EMITTED_ROWS}
        measurements += [_not_compared(bench, n, gate) for n in names if n not in compared]
    measurements += [] if gate else follow_measurements(bench.excerpt)
    result = CheckResult.from_measurements(
        CHECK_ID,
        reason(measurements, followed, both),
        measurements,
        coverage=coverage(both),
        applied=("clock", *map(str, bench.case.corrections)),
        not_applied=_not_applied(bench, upstream),
        evidence=evidence(bench, followed, () if gate else both, () if gate else emitted),
        leads=leads(bench, followed, () if gate else both, () if gate else emitted),
        untested=untested(bench, followed, both),
        counts=(
            ("actions", len(names)),
            (APPLIED_ROWS, sum(int(path.altered.sum()) for path in followed)),
        ),
    )
    if result.state is State.INCONCLUSIVE:
        return replace(result, settle=_settle(result))
    return result


def _gate(upstream: Upstream) -> str:
    alignment = upstream.get("alignment")
    if alignment is None or alignment.state is State.PASS:
        return ""
    return f"alignment not established: {alignment.reason}"


def _not_applied(bench: Workbench, upstream: Upstream) -> tuple[str, ...]:
    done = set(map(str, bench.case.corrections))
    observation = upstream.get("observation-scaling")
    pending = observation.pending if observation is not None else ()
    return tuple(str(c) for c in pending if str(c) not in done)


def _not_logged(bench: Workbench, name: str) -> Measurement:
    return Measurement(
        APPLIED_ROWS,
        name,
        float("nan"),
        None,
        tolerance=bench.case.tolerances[ALTERED],
        tolerance_key=ALTERED.key,
        confidence=bench.case.confidence,
        blocked="the applied action is not logged",
        note="a log of what reached the actuator would settle it",
    )


def _not_compared(bench: Workbench, name: str, gate: str) -> Measurement:
    """Say that the two sides' emitted rows were not paired, so that half a check never passes."""
    return Measurement(
        EMITTED_ROWS,
        name,
        float("nan"),
        None,
        tolerance=bench.case.tolerances[ALTERED],
        tolerance_key=ALTERED.key,
        confidence=bench.case.confidence,
        blocked=gate,
        note="emitted in the target against emitted in the simulator",
    )


def _settle(result: CheckResult) -> str:
    if result.untested:
        return result.untested[0].would_need
    return "a replay of the simulator's actions with the applied action logged"


CHECK = Check(
    CHECK_ID,
    "Action",
    "Does what the policy emits reach the actuator unchanged, within the simulator's bounds?",
    ALL,
    judge,
    needs=("alignment", "observation-scaling"),
)
