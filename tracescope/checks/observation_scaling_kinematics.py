"""Kinematic ratios of the observation check: measured inside each trace, compared between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.ends import episode_end
from tracescope.analysis.first_difference import (
    carried_first_rows,
    integral_constant,
    rate_level,
)
from tracescope.analysis.intervals import covered
from tracescope.analysis.kinematics import (
    Constant,
    Relation,
    find_relations,
    relation_constant,
    scale_ratio,
)
from tracescope.analysis.regression import Matrix
from tracescope.analysis.units import unit_factor
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_routes import (
    Ratio,
    Settled,
    means_something,
    settle_all,
)
from tracescope.checks.observation_scaling_tolerances import SCALE, level_band
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement, State
from tracescope.model.trace import Samples, Trace

RATIO = "kinematic scale ratio"
RATE_LEVEL = "against the motion of the signal whose rate it is (route C)"
CLOSE = 0.05
"""An integral that tells its constant no better may be another signal's that happens to look alike."""

MEANT = 0.02
"""Part of 1, or of a unit, that a constant may be off."""

SAME_RATE = 1.02
"""Rows of either side lie within this factor of each other, or a clock in another unit scales every integral."""


def rates_agree(bench: Workbench) -> bool:
    """Whether the row intervals of the two traces agree by their own clocks."""
    sim, target = bench.case.pair.sim.interval_s, bench.case.pair.target.interval_s
    return bool(sim > 0 and target > 0 and 1 / SAME_RATE <= target / sim <= SAME_RATE)


@dataclass(frozen=True, slots=True, eq=False)
class Kinematics:
    """The simulator's kinematic relations with their constants in either trace.

    Attributes:
        names: Channels, in the order that relations count them.
        sim, target: Their values and times on each side's own rows up to its end.
        found: ``(relation, constant in the simulator, constant in the target)``.
    """

    names: tuple[str, ...]
    sim: tuple[Matrix, Samples]
    target: tuple[Matrix, Samples]
    found: tuple[tuple[Relation, Constant, Constant], ...]


def kinematics(bench: Workbench, facts: Facts) -> Kinematics | None:
    """Find every relation of the simulator and measure it in both traces.

    Each trace is measured on its own rows and clock; channels with shape faults or on another clock than
    the rows are left out.
    """
    case = bench.case
    pairs = {a.name: (a, b) for a, b in case.pair.matched()}
    names = tuple(
        n
        for n in facts.names
        if not facts.shapes[n].rows.any()
        and n not in facts.swapped
        and np.array_equal(pairs[n][0].time_s, case.pair.sim.time_s)
        and np.array_equal(pairs[n][1].time_s, case.pair.target.time_s)
    )
    if len(names) < 2:
        return None
    sim = _own_rows(case.pair.sim, [pairs[n][0].as_float() for n in names])
    target = _own_rows(case.pair.target, [case.target_values(pairs[n][1].name) for n in names])
    found = []
    for relation in find_relations(*sim):
        bench.pulse()
        in_sim = relation_constant(relation, *sim, confidence=facts.confidence)
        in_target = relation_constant(relation, *target, confidence=facts.confidence)
        if in_sim is not None and in_target is not None:
            closer = _closer(relation, sim, in_sim, facts.confidence)
            if _is_meant(closer) and _one_motion(
                facts, [names[j] for j in (relation.whole, *relation.rates)]
            ):
                in_sim = closer
                in_target = _closer(relation, target, in_target, facts.confidence)
            found.append((relation, in_sim, in_target))
    return Kinematics(names, sim, target, tuple(found))


def _is_meant(constant: Constant) -> bool:
    """Whether a constant is 1 or a unit: signals that only look alike for a while have any other."""
    k = float(np.exp(constant.log))
    near = (k * (1 - MEANT), k * (1 + MEANT))
    return near[0] <= 1 <= near[1] or unit_factor(k, near) is not None


def _one_motion(facts: Facts, names: Sequence[str]) -> bool:
    """Whether all signals lie inside the loop, or all outside: a reference is no rate of what follows it."""
    return len({bool(facts.outside[i] | facts.same[i]) for i in map(facts.names.index, names)}) == 1


def _closer(
    relation: Relation, side: tuple[Matrix, Samples], constant: Constant, confidence: float
) -> Constant:
    """Return the constant as the integral itself tells it, where that agrees and says more."""
    whole, rate = relation.signals(side[0])
    found = integral_constant(whole, rate, side[1], confidence)
    if found is None or found[0] * constant.sign <= 0:
        return constant
    k, half, rows = found
    log = float(np.log(abs(k)))
    if half >= min(constant.half, CLOSE) or abs(log - constant.log) > constant.half + half:
        return constant
    return Constant(log, half, rows, constant.sign)


def kinematic_ratios(known: Kinematics | None, facts: Facts, band: Interval) -> tuple[Ratio, ...]:
    """Return ``(whole, rate, scale of whole over scale of rate)`` of every relation in the simulator."""
    ratios: list[Ratio] = []
    if known is None:
        return ()
    for relation, in_sim, in_target in known.found:
        estimate, interval, n_eff = scale_ratio(in_sim, in_target)
        meant = means_something(interval, estimate, band)
        whole, rates = known.names[relation.whole], tuple(known.names[j] for j in relation.rates)
        ratios.append(
            (
                whole,
                rates,
                Measurement(
                    RATIO,
                    whole,
                    estimate,
                    interval if meant else None,
                    n=n_eff,
                    tolerance=band,
                    tolerance_key=SCALE.key,
                    confidence=facts.confidence,
                    required=False,
                    covered=meant and covered(interval, n_eff, band),
                    note=f"against {' × '.join(rates)}, whose integral it is (route C): blames them together",
                ),
            )
        )
    return tuple(ratios)


def by_carried_starts(
    bench: Workbench, facts: Facts, known: Kinematics | None, settled: Sequence[Settled]
) -> tuple[Settled, ...]:
    """Settle levels by first-row differences read off more rows, where a relation carries them there.

    Not those that the one-step relations contradict: a force that pulls back shows where a loop really settled.
    """
    if known is None or not known.found or not rates_agree(bench):
        return tuple(settled)
    again = settle_all(_carried(bench, facts, known), bench.case.tolerances)
    return tuple(
        replace(one, level=other.level)
        if one.level.state is State.INCONCLUSIVE
        and other.level.state is State.PASS
        and one.scale.state is State.PASS
        and not one.doubted
        else one
        for one, other in zip(settled, again, strict=True)
    )


def _carried(bench: Workbench, facts: Facts, known: Kinematics) -> Facts:
    place = {name: i for i, name in enumerate(facts.names)}
    relations = [
        (
            place[known.names[r.whole]],
            tuple(place[known.names[j]] for j in r.rates),
            in_sim.sign * float(np.exp(in_sim.log)),
        )
        for r, in_sim, _ in known.found
    ]
    time_s = bench.rows.time_s[facts.rows]
    first = carried_first_rows(facts.first, facts.x, facts.y, time_s, relations, facts.confidence)
    return replace(facts, first=first)


def by_rate_levels(
    bench: Workbench, facts: Facts, known: Kinematics | None, settled: Sequence[Settled]
) -> tuple[Settled, ...]:
    """Route C for levels: a rate with an offset adds up to a motion that its whole does not make.

    Where a scale is open, only an offset that lies outside by itself is taken: whatever the scale, both cannot
    be right then.
    """
    found = {one.name: one for one in settled}
    if known is None:
        return tuple(settled)
    for relation, in_sim, in_target in known.found:
        whole, *rates = (known.names[j] for j in (relation.whole, *relation.rates))
        one = found[rates[0]]
        if len(rates) > 1 or one.scale.state is State.FAIL:
            continue
        if one.level.state is not State.INCONCLUSIVE:
            continue
        sim = _rate_level(relation, known.sim, in_sim, facts.confidence)
        target = _rate_level(relation, known.target, in_target, facts.confidence)
        if sim is not None and target is not None:
            level = _level_of_rate(bench, facts, one, whole, (sim, target))
            if one.scale.state is State.PASS or level.state is State.FAIL:
                found[one.name] = replace(one, level=level)
    return tuple(found[one.name] for one in settled)


def _rate_level(
    relation: Relation, side: tuple[Matrix, Samples], constant: Constant, confidence: float
) -> tuple[float, float, float] | None:
    whole, rate = relation.signals(side[0])
    k = constant.sign * float(np.exp(constant.log))
    return rate_level(whole, rate, side[1], k, constant.half, confidence)


def _level_of_rate(
    bench: Workbench,
    facts: Facts,
    one: Settled,
    whole: str,
    read: Sequence[tuple[float, float, float]],
) -> Measurement:
    """Return the level of a rate from what it reads beyond its whole's motion on either side."""
    i = facts.names.index(one.name)
    mean, spread = float(facts.x[i].mean()), float(facts.spread[i])
    band = level_band(bench.case.tolerances, mean, spread)
    (in_sim, half_sim, n_sim), (in_target, half_target, n_target) = read
    half = float(np.hypot(half_sim, half_target))
    scale, scales = 1.0, (1.0, 1.0)
    if one.scale.state is State.PASS:
        scale = one.scale.estimate
        scales = one.scale.interval or (scale, scale)
    ends = [(s - 1) * mean for s in scales]
    apart = in_target - in_sim
    interval = (apart - half + min(ends), apart + half + max(ends))
    n = min(n_sim, n_target)
    found = replace(
        one.level,
        estimate=apart + (scale - 1) * mean,
        interval=interval,
        n=n,
        tolerance=band,
        covered=covered(interval, n, band),
        blocked="",
        note=f"{RATE_LEVEL}: {whole}",
    )
    return found if found.state is not State.INCONCLUSIVE else one.level


def _own_rows(trace: Trace, values: list[Samples]) -> tuple[Matrix, Samples]:
    """Stack signals of one trace on its own distinct, finite rows, up to its end."""
    value = np.stack(values)
    forward = np.concatenate(([True], np.diff(trace.time_s) > 0))
    kept = forward & np.isfinite(value).all(axis=0)
    kept[episode_end(trace).state_row + 1 :] = False
    return value[:, kept], trace.time_s[kept]
