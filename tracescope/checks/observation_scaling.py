"""Do the two traces observe in the same units, scale and level?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tracescope.analysis.rows import without_values
from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check, Upstream, of_stretches
from tracescope.checks.observation_scaling_facts import Facts, gather
from tracescope.checks.observation_scaling_kinematics import (
    by_carried_starts,
    by_rate_levels,
    kinematic_ratios,
    kinematics,
    rates_agree,
)
from tracescope.checks.observation_scaling_leads import corrections, leads
from tracescope.checks.observation_scaling_loop import by_one_step
from tracescope.checks.observation_scaling_routes import (
    Ratio,
    Settled,
    by_kinematics,
    settle_all,
)
from tracescope.checks.observation_scaling_shape import reported, shape_measurements
from tracescope.checks.observation_scaling_tolerances import ALL, CHECK_ID, SCALE
from tracescope.checks.observation_scaling_words import (
    SETTLE,
    between,
    coverage,
    evidence,
    failed,
    reason,
    unmeasured,
    untested,
)
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction

STRETCHES = "scale, level, order and resolution read off (saturated and held rows counted on all)"


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Measure scale, level and shape of every matched observation channel."""
    return of_stretches(_judged(bench, bench.excerpt, upstream), bench, STRETCHES)


def _judged(whole: Workbench, bench: Workbench, upstream: Upstream) -> CheckResult:
    """Measure shape on the whole pair, and everything that is fitted on what regressions look at."""
    if not whole.observations:
        return CheckResult.inconclusive(
            CHECK_ID,
            "no observation channel is matched between the traces",
            settle="say in the import dialog, or a map file, which channels are observations",
        )
    facts = gather(bench, whole)
    if facts is None:
        return CheckResult.inconclusive(
            CHECK_ID,
            "no observation channel moves on both sides over enough common rows",
            untested=(*untested(whole, None, ()), *between(whole, bench)),
            settle="an episode in which the observed channels move, with at least 20 common rows",
        )
    settled, ratios, every = _settle(bench, facts)
    measurements = [*_all(settled), *unmeasured(whole, facts)]
    shapes = shape_measurements(facts, settled, bench.case.tolerances)
    blocked = _gate(upstream)
    if blocked:
        # What is read inside each trace, on its own rows and clock, needs no alignment.
        ratios = tuple(ratio for _, _, ratio in every) if rates_agree(bench) else ()
        measurements = [replace(m, blocked=blocked) for m in (*measurements, *shapes)]
        measurements += ratios
    else:
        measurements += [*ratios, *shapes]
    return _result(whole, bench, facts, settled, tuple(measurements), blocked, every)


def _settle(
    bench: Workbench, facts: Facts
) -> tuple[tuple[Settled, ...], tuple[Measurement, ...], tuple[Ratio, ...]]:
    """Settle channels by routes A, B and D, then along kinematic and one-step relations what stays open.

    First rows read off many come last: what a relation that pulls back tells of a level is better founded.

    Returns:
        The channels, kinematic ratios that settled none of them, and every ratio.
    """
    tolerances = bench.case.tolerances
    settled = settle_all(facts, tolerances)
    if _decided(settled):
        return settled, (), ()
    band, known = tolerances[SCALE], kinematics(bench, facts)
    every = kinematic_ratios(known, facts, band)
    settled, left = by_kinematics(settled, every, band)
    if any(m.state is State.FAIL for m in (*left, *_all(settled))):
        return settled, left, every
    settled, left = by_kinematics(by_one_step(bench, facts, settled), every, band)
    settled = by_rate_levels(bench, facts, known, settled)
    return by_carried_starts(bench, facts, known, settled), left, every


def _decided(settled: tuple[Settled, ...]) -> bool:
    return all(m.state is not State.INCONCLUSIVE for m in _all(settled))


def _all(settled: tuple[Settled, ...]) -> list[Measurement]:
    return [m for one in settled for m in (one.scale, one.level)]


def _gate(upstream: Upstream) -> str:
    alignment = upstream.get("alignment")
    if alignment is None or alignment.state is State.PASS:
        return ""
    return f"alignment not established: {alignment.reason}"


def _result(
    whole: Workbench,
    bench: Workbench,
    facts: Facts,
    settled: tuple[Settled, ...],
    measurements: tuple[Measurement, ...],
    blocked: str,
    ratios: tuple[Ratio, ...],
) -> CheckResult:
    failing = failed(measurements)
    speaks = not blocked
    mending = corrections(bench, facts, settled, ratios) if speaks else ()
    fitted = {} if bench.case.corrections else _by_sim_name(bench, mending)
    said = reason(measurements, len({m.channel for m in measurements if m.channel}), fitted)
    if blocked and not failing:
        said = blocked
    result = CheckResult.from_measurements(
        CHECK_ID,
        said,
        (*measurements, *reported(facts)),
        coverage=coverage(facts, settled),
        applied=("clock", *map(str, bench.case.corrections)),
        pending=mending,
        evidence=evidence(whole, bench, facts, failing),
        leads=leads(bench, facts, settled if speaks else (), failing, ratios),
        untested=(*untested(whole, facts, settled), *between(whole, bench)),
        counts=(("common rows", len(whole.rows)), ("channels", len(facts.names))),
    )
    if result.state is State.INCONCLUSIVE:
        return replace(
            result, settle="a better alignment" if blocked else _settle_words(whole, result)
        )
    return result


def _by_sim_name(bench: Workbench, mending: Sequence[Correction]) -> dict[str, float]:
    return {bench.case.pair.sim_of(c.channel) or c.channel: c.scale for c in mending}


def _settle_words(bench: Workbench, result: CheckResult) -> str:
    """Say what settles it; a channel without values needs a recording that has them, and nothing else."""
    doubtful = {
        m.channel
        for m in result.measurements
        if m.judged and m.required and m.state is not State.PASS
    }
    empty = [name for name in bench.observations if without_values(bench.rows, name)]
    if not empty:
        return SETTLE
    needed = f"a recording in which {', '.join(empty[:4])} {'holds' if len(empty) == 1 else 'hold'} values"
    return needed if doubtful <= set(empty) else f"{needed}; and {SETTLE}"


CHECK = Check(
    CHECK_ID,
    "Observation scaling",
    "Do both traces observe in the same units, scale, level and order?",
    ALL,
    judge,
    needs=("alignment",),
)
