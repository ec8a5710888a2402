"""Transition dynamics: from the same state and action, do both machines make the same step?

The last of the motion checks: a gap is called dynamics only where alignment, observations, actions and
timing leave no other explanation open.
"""

from __future__ import annotations

from dataclasses import replace

from tracescope.analysis.workbench import Workbench
from tracescope.checks import dynamics_words as words
from tracescope.checks.base import Check, Upstream, of_stretches
from tracescope.checks.dynamics_contact import with_contacts
from tracescope.checks.dynamics_findings import pending
from tracescope.checks.dynamics_gate import Failing, Gate, assuming_corrected, gate
from tracescope.checks.dynamics_measure import (
    ALL,
    GAP,
    MIN_COMPARABLE,
    Facts,
    gather,
    measurements,
)
from tracescope.checks.open_readings import (
    UNCONFIRMED_SETTLE,
    holding,
    open_readings,
    unconfirmed,
)
from tracescope.model.check import CheckResult, Measurement, State, Would
from tracescope.model.correction import Correction

ID = "dynamics"

MOST_NAMED = 4
"""Corrections that a sentence lists; the result names all."""

RESTLESS_RATIO = 1.5
"""Residual spread of the target over the simulator's beyond which something else moves it too."""


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Measure the one-step gap, and say whether anything before the plant could have made it."""
    return of_stretches(_of(bench.excerpt, upstream), bench, "transitions taken from")


def _of(bench: Workbench, upstream: Upstream) -> CheckResult:
    result = with_contacts(_judged(bench, upstream), bench)
    fitted = pending(upstream)
    if not fitted:
        return result
    return replace(
        result, not_applied=tuple(map(str, fitted)), would=_would(bench, upstream, fitted)
    )


def _judged(bench: Workbench, upstream: Upstream) -> CheckResult:
    facts = gather(bench)
    band = bench.case.tolerances[GAP]
    ungated = measurements(facts, bench)
    passage = gate(upstream, bench.explanations, _failing(bench, facts, ungated))
    unsure = unconfirmed(bench, upstream)
    if unsure and not passage.blocked:
        passage = replace(passage, blocked=unsure, settle=UNCONFIRMED_SETTLE)
    measured = [_gated(m, passage) for m in ungated]
    readings = open_readings(bench, upstream)
    measured = holding(measured, readings, lambda reading: _again(bench.corrected(reading)))
    common = {
        "coverage": words.coverage(facts, bench),
        "applied": ("clock", *map(str, bench.case.corrections)),
        "evidence": words.evidence(facts, bench, band[1]),
        "leads": words.leads(
            passage, untried=_untried(ungated), decided=any(m.state is State.FAIL for m in measured)
        ),
        "untested": words.untested(facts),
        "counts": (
            ("comparable transitions", facts.comparable.count),
            ("transitions", facts.comparable.total),
        ),
    }
    if passage.shut:
        return CheckResult.inconclusive(
            ID,
            f"{passage.shut}; {words.comparable_words(facts)}",
            measurements=tuple(measured),
            settle=passage.settle,
            **common,
        )
    if not facts.has_model and facts.comparable.count < MIN_COMPARABLE:
        return CheckResult.inconclusive(
            ID,
            words.nothing_comparable(facts),
            measurements=tuple(measured),
            settle=words.REPLAY,
            **common,
        )
    result = CheckResult.from_measurements(ID, "", measured, **common)
    settle = words.settle(facts, passage, measured) if result.state is State.INCONCLUSIVE else ""
    said = words.reason(facts, passage, measured, result.state)
    return replace(result, reason=said, settle=settle)


def _again(bench: Workbench) -> list[Measurement]:
    return measurements(gather(bench), bench)


def _failing(bench: Workbench, facts: Facts, measured: list[Measurement]) -> Failing | None:
    """Return what fails by the one-step relation before any gate."""
    relation = facts.relation
    names = {m.channel for m in measured if m.judged and m.state is State.FAIL}
    if relation is None or not names:
        return None
    case = bench.case
    band = case.tolerances[GAP]
    outputs = tuple(j for j in relation.outputs if relation.names[j] in names)
    return Failing(
        relation,
        outputs,
        band,
        bench.rows.interval_s,
        case.confidence,
        sensors=any(
            gap.output in relation.kinematic and gap.interval[0] > band[1] for gap in facts.gaps
        ),
        restless=any(
            gap.output in outputs and gap.scatter_ratio > RESTLESS_RATIO for gap in facts.gaps
        ),
        pulse=bench.pulse,
    )


def _untried(measured: list[Measurement]) -> bool:
    """Whether gaps lie beyond their tolerance, and all of them in doubt by their own numbers."""
    judged = [m for m in measured if m.judged]
    doubted = any(m.blocked for m in judged)
    return doubted and not any(m.state is State.FAIL for m in judged)


def _gated(m: Measurement, passage: Gate) -> Measurement:
    """Take the say from a measurement that something upstream may have made."""
    if m.judged and passage.shut:
        return replace(m, blocked=passage.shut)
    if m.judged and m.state is State.FAIL and passage.blocked:
        return replace(m, blocked=passage.blocked)
    return m


def _would(bench: Workbench, upstream: Upstream, fitted: tuple[Correction, ...]) -> Would:
    """Say what the check would be with every correction that upstream checks fitted."""
    result = _judged(bench.corrected(fitted), assuming_corrected(upstream))
    counted = f"{result.count('comparable transitions')} of {result.count('transitions')}"
    counted += " transitions comparable"
    why = result.reason.removesuffix(f"; {counted}")
    if counted not in why:
        why = counted if result.state is State.PASS else f"{counted}; {why}"
    return Would(tuple(map(str, fitted)), result.state, f"with {_laid(fitted)}: {why}")


def _laid(fitted: tuple[Correction, ...]) -> str:
    more = f" and {len(fitted) - MOST_NAMED} more" if len(fitted) > MOST_NAMED else ""
    return ", ".join(_short(c) for c in fitted[:MOST_NAMED]) + more


def _short(c: Correction) -> str:
    return str(replace(c, scale=float(f"{c.scale:.3g}"), offset=float(f"{c.offset:.3g}"))).replace(
        f"÷ {float(f'{c.scale:.3g}'):.6g}",
        f"÷ {c.scale:.2f}" if abs(c.scale) < 100 else f"÷ {c.scale:.3g}",
    )


CHECK = Check(
    ID,
    "Transition dynamics",
    "From the same state with the same action, do both machines make the same step?",
    ALL,
    judge,
    needs=("alignment", "observation-scaling", "action", "timing"),
)
