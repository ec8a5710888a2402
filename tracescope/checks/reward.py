"""Reward: is the same state and action paid the same in both traces?

Written exactly as a plug-in would be: a declaration and a pure function.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tracescope.analysis.intervals import bonferroni, covered
from tracescope.analysis.reward_model import (
    RewardModel,
    fit_reward,
    other_forms,
    relevant_inputs,
)
from tracescope.analysis.reward_model_gap import RewardGap, paired_gap, reward_gap
from tracescope.analysis.reward_model_rows import RewardSides, reward_pair, reward_sides
from tracescope.analysis.rows import live
from tracescope.analysis.transitions import comparable_transitions
from tracescope.analysis.workbench import Workbench
from tracescope.checks import reward_words as words
from tracescope.checks.base import Check, Upstream, of_stretches
from tracescope.checks.open_readings import (
    Reading,
    holding,
    open_readings,
    unconfirmed,
)
from tracescope.checks.reward_tolerances import DIFFERENCE, MIN_SUPPORT, SLOPE
from tracescope.checks.reward_upstream import (
    OF_INPUTS,
    UPSTREAM,
    alignment_blocks,
    doubtful,
    findings_block,
    open_rival,
    rival_leads,
    rival_words,
    trusted_inputs,
)
from tracescope.model.check import CheckResult, Measurement, State, Would
from tracescope.model.correction import Correction
from tracescope.model.trace import Role
from tracescope.model.words import counted

ID = "reward"
FAILING_SCORE = 0.95
"""A function that leaves more of the simulator's own reward unexplained may not fail the target's."""

MIN_ALIKE = 20
"""Comparable rows that a comparison without a fitted function needs."""

TIGHT_SD = 0.01
"""A failure without a fitted function needs motions this alike, in sim standard deviations."""


def judge(bench: Workbench, upstream: Upstream) -> CheckResult:
    """Compare rewards where the fitted function reaches, else on comparable rows."""
    nothing = _nothing_to_compare(bench)
    if nothing:
        return CheckResult.inconclusive(ID, nothing[0], settle=nothing[1])
    return of_stretches(_of(bench.excerpt, upstream), bench, "rewards compared on")


def _of(bench: Workbench, upstream: Upstream) -> CheckResult:
    sides = reward_sides(bench.case)
    result = None if sides is None else _by_trusted(bench, upstream, sides)
    if result is not None:
        return result
    if sides is not None:
        sides = sides.only(relevant_inputs(sides.sim))
    model = fit_reward(sides.sim, bench.pulse) if sides is not None else None
    if sides is not None and model is not None:
        result = _by_function(bench, upstream, sides, model)
    if result is None or result.state is State.INCONCLUSIVE:
        other = _by_rows(bench, upstream)
        if result is None or (other is not None and _settles(other, result)):
            result = other
    if result is None:
        result = CheckResult.inconclusive(
            ID,
            words.NOT_PREDICTABLE if model is None else words.NOT_COVERED,
            settle="log what the reward is computed from, or replay the simulator's actions from the "
            "same start",
        )
    return _with_would(result, bench, upstream)


def _settles(rows: CheckResult, function: CheckResult) -> bool:
    """Whether comparable rows decide what the function left open.

    They pass; or they fail on what the function's own estimate lies beyond as well: alike states are not
    equal ones, and a reward of their small differences may differ where its function is the same.
    """
    if rows.state is not State.FAIL:
        return rows.state is State.PASS
    told = {m.quantity: m.estimate for m in function.measurements}
    failing = [m for m in rows.measurements if m.judged and m.state is State.FAIL]
    return all(
        _beyond(told[m.quantity], m) or not np.isfinite(told[m.quantity])
        for m in failing
        if m.quantity in told
    )


def _nothing_to_compare(bench: Workbench) -> tuple[str, str] | None:
    pair = bench.case.pair
    matched = reward_pair(bench.case)
    if matched is None:
        without = [
            side
            for side, trace in (("sim", pair.sim), ("target", pair.target))
            if not trace.of_role(Role.REWARD)
        ]
        none = f"no reward is logged in the {without[0] if without else 'pair'}"
        none = "neither trace logs a reward" if len(without) == 2 else none
        return none, "log the reward of every step in both traces"
    if not any(live(c.as_float()) for c in matched):
        return "the reward never varies", "an episode in which the reward changes"
    if not live(matched[0].as_float()):
        return "the simulator's reward never varies", "an episode in which the reward changes"
    return None


def _by_trusted(bench: Workbench, upstream: Upstream, sides: RewardSides) -> CheckResult | None:
    """Compare by what no upstream finding touches, where that decides; else ``None``."""
    kept = trusted_inputs(upstream, sides)
    if kept is None:
        return None
    named = ", ".join(n for k, n in enumerate(sides.names) if k not in set(kept.tolist()))
    rest = sides.only(kept)
    rest = rest.only(relevant_inputs(rest.sim))
    model = fit_reward(rest.sim, bench.pulse)
    found = None if model is None else _by_function(bench, upstream, rest, model, apart=named)
    return found if found is not None and found.state is not State.INCONCLUSIVE else None


def _by_function(
    bench: Workbench, upstream: Upstream, sides: RewardSides, model: RewardModel, apart: str = ""
) -> CheckResult | None:
    """Compare with the fitted function; ``apart`` names inputs left out, which may shift what it misses."""
    confidence = bonferroni(bench.case.confidence, 2)
    gap = reward_gap(model, sides, confidence)
    if gap is None:
        return None
    unsure = gap.widened(float(np.sqrt(max(1 - model.score, 0.0))))
    if apart:
        gap = unsure
    without = f" without {apart}" if apart else ""
    route = f"against the sim's reward as a function of state and action{without} (R² {model.score:.3f})"
    blocked = alignment_blocks(upstream)
    measurements = _measurements(bench, gap, route, blocked)
    rival = None
    if not blocked and any(m.state is State.FAIL for m in measurements):
        blocked = (
            "" if apart else findings_block(upstream, OF_INPUTS) or unconfirmed(bench, upstream)
        )
        rival = None if blocked else open_rival(upstream, model, sides)
        blocked = (
            blocked
            or rival_words(rival)
            or _hidden_blocks(bench, unsure)
            or _form_blocks(bench, model, sides, measurements)
            or _drift_blocks(measurements)
        )
        measurements = _blocked(measurements, blocked)
    if not apart:

        def again(reading: Reading) -> tuple[Measurement, ...]:
            return _of_function(bench.corrected(reading), sides.names, model)

        measurements = tuple(holding(measurements, open_readings(bench, upstream), again))
    result = _result(bench, gap, measurements, upstream, f"{counted(gap.rows, 'row')}, {route}")
    return replace(result, leads=(*result.leads, *rival_leads(rival)))


def _of_function(
    bench: Workbench, names: tuple[str, ...], model: RewardModel
) -> tuple[Measurement, ...]:
    """Measure with a function of these inputs and nothing upstream."""
    sides = reward_sides(bench.case)
    if sides is None or not set(names) <= set(sides.names):
        return ()
    kept = np.asarray([sides.names.index(name) for name in names], dtype=np.int64)
    result = _by_function(bench, {}, sides.only(kept), model)
    return () if result is None else result.measurements


def _by_rows(bench: Workbench, upstream: Upstream) -> CheckResult | None:
    matched = reward_pair(bench.case)
    if matched is None or matched[0].name not in bench.rows.sim:
        return None
    alike = comparable_transitions(bench)
    sim, target = bench.rows.sim[matched[0].name], bench.rows.target[matched[0].name]
    use = np.flatnonzero(alike.alike & np.isfinite(sim) & np.isfinite(target))
    sd = float(np.std(matched[0].as_float()[np.isfinite(matched[0].as_float())]))
    if use.size < MIN_ALIKE or not sd > 0:
        return None
    confidence = bonferroni(bench.case.confidence, 2)
    gap = paired_gap(sim[use], target[use], bench.rows.time_s[use], sd, confidence)
    blocked = alignment_blocks(upstream)
    measurements = _measurements(bench, gap, "on comparable rows", blocked)
    if not blocked and any(m.state is State.FAIL for m in measurements):
        blocked = findings_block(upstream) or unconfirmed(bench, upstream)
        if not blocked and float(np.median(alike.distance[use])) > TIGHT_SD:
            blocked = "the states are alike, not equal: a reward that depends on them differs too"
        blocked = blocked or doubtful(upstream)
        measurements = _blocked(measurements, blocked)

    def again(reading: Reading) -> tuple[Measurement, ...]:
        result = _by_rows(bench.corrected(reading), {})
        return () if result is None else result.measurements

    measurements = tuple(holding(measurements, open_readings(bench, upstream), again))
    result = _result(bench, gap, measurements, upstream, f"{use.size} comparable rows")
    return replace(
        result,
        counts=(("comparable transitions", alike.count), ("transitions", alike.total)),
    )


def _measurements(
    bench: Workbench, gap: RewardGap, route: str, blocked: str
) -> tuple[Measurement, ...]:
    tolerances = bench.case.tolerances
    enough = gap.support >= tolerances[MIN_SUPPORT][0]
    reward = reward_pair(bench.case)
    channel = reward[0].name if reward else ""
    out = []
    for quantity, mean, tolerance, moves in (
        ("difference", gap.difference, DIFFERENCE, True),
        ("slope", gap.slope, SLOPE, gap.varies),
    ):
        band = tolerances[tolerance]
        believed = covered(mean.interval, mean.n_eff, band)
        note = words.note(route, gap, enough=enough, moves=moves, believed=believed)
        out.append(
            Measurement(
                quantity,
                channel,
                mean.estimate,
                mean.interval,
                unit=tolerance.unit,
                n=mean.n_eff,
                tolerance=band,
                tolerance_key=tolerance.key,
                confidence=bonferroni(bench.case.confidence, 2),
                covered=enough and moves and believed,
                blocked=blocked,
                note=note,
            )
        )
    return tuple(out)


def _hidden_blocks(bench: Workbench, unsure: RewardGap) -> str:
    """Say that a failure may be of what the function leaves unexplained of the simulator's own reward.

    That part is of something not logged. It may keep other company in the target: at most (Cauchy and
    Schwarz) it then moves difference and slope by its own standard deviation.
    """
    again = _measurements(bench, unsure, "", "")
    return "" if any(m.state is State.FAIL for m in again) else words.HIDDEN


def _form_blocks(
    bench: Workbench,
    model: RewardModel,
    sides: RewardSides,
    measurements: tuple[Measurement, ...],
) -> str:
    """Ask a reward function of another form; what it does not confirm may be the first one's misfit."""
    if model.score < FAILING_SCORE:
        return words.NOT_CLOSE
    others = other_forms(sides.sim, model)
    confirmed = all(_confirms(bench, other, measurements, sides) for other in others)
    return "" if confirmed else words.NOT_CONFIRMED


def _confirms(
    bench: Workbench, model: RewardModel, measurements: tuple[Measurement, ...], sides: RewardSides
) -> bool:
    """Whether a form's estimate lies beyond the tolerance as well, for one of the failing measurements."""
    gap = reward_gap(model, sides, bonferroni(bench.case.confidence, 2))
    again = () if gap is None else _measurements(bench, gap, "", "")
    return any(
        a.state is State.FAIL and _beyond(b.estimate, a)
        for a, b in zip(measurements, again, strict=False)
    )


def _drift_blocks(measurements: tuple[Measurement, ...]) -> str:
    """Say that a slope may not fail alone where the difference drifts through the whole episode.

    With hardly an effective sample in it, something that is not logged moves it, and the slope along.
    """
    believed = {m.quantity: m.covered for m in measurements}
    return "" if believed.get("difference", True) else words.DRIFTS


def _beyond(estimate: float, failing: Measurement) -> bool:
    """Whether another estimate lies outside the tolerance on the side of a failing one."""
    if failing.tolerance is None:
        return False
    low, high = failing.tolerance
    return estimate > high if failing.estimate > high else estimate < low


def _blocked(measurements: tuple[Measurement, ...], why: str) -> tuple[Measurement, ...]:
    """Block the failing ones: a doubt about upstream takes back a failure, never a pass."""
    if not why:
        return measurements
    return tuple(replace(m, blocked=why) if m.state is State.FAIL else m for m in measurements)


def _result(
    bench: Workbench,
    gap: RewardGap,
    measurements: tuple[Measurement, ...],
    upstream: Upstream,
    basis: str,
) -> CheckResult:
    return CheckResult.from_measurements(
        ID,
        words.reason(measurements, basis),
        measurements,
        coverage=words.coverage(measurements, gap),
        applied=("clock", *map(str, bench.case.corrections)),
        not_applied=tuple(str(c) for c in _pending(upstream)),
        evidence=words.evidence(bench.case, gap, measurements),
        leads=words.leads(measurements),
        untested=words.untested(gap),
        settle=words.settle(measurements),
    )


def _pending(upstream: Upstream) -> tuple[Correction, ...]:
    return tuple(c for name in UPSTREAM if name in upstream for c in upstream[name].pending)


def _with_would(result: CheckResult, bench: Workbench, upstream: Upstream) -> CheckResult:
    """Say what the check would be if what upstream fitted were applied."""
    pending = _pending(upstream)
    if not pending or result.state is not State.INCONCLUSIVE:
        return result
    mended = {
        name: found
        for name, found in upstream.items()
        if not (found.state is State.FAIL and found.pending)
    }
    would = judge(bench.corrected(pending), mended)
    names = tuple(str(c) for c in pending)
    return replace(result, would=Would(names, would.state, would.reason))


CHECK = Check(
    ID,
    "Reward",
    "Is the same state and action paid the same?",
    (DIFFERENCE, SLOPE, MIN_SUPPORT),
    judge,
    needs=("alignment", *UPSTREAM),
)
