"""Kinematic ratios of the observation check: measured inside each trace, compared between them."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.intervals import covered
from tracescope.analysis.kinematics import find_relations, relation_constant, scale_ratio
from tracescope.analysis.regression import Matrix
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts
from tracescope.checks.observation_scaling_routes import Ratio, means_something
from tracescope.checks.observation_scaling_tolerances import SCALE
from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement
from tracescope.model.trace import Samples, Trace

RATIO = "kinematic scale ratio"
SAME_RATE = 1.02
"""Rows of either side lie within this factor of each other, or a clock in another unit scales every integral."""


def rates_agree(bench: Workbench) -> bool:
    """Whether the row intervals of the two traces agree by their own clocks."""
    sim, target = bench.case.pair.sim.interval_s, bench.case.pair.target.interval_s
    return bool(sim > 0 and target > 0 and 1 / SAME_RATE <= target / sim <= SAME_RATE)


def kinematic_ratios(bench: Workbench, facts: Facts, band: Interval) -> tuple[Ratio, ...]:
    """Return ``(whole, rate, scale of whole over scale of rate)`` of every relation in the simulator.

    Each trace is measured on its own rows and clock; channels with shape faults or on another clock than
    the rows are left out.
    """
    case = bench.case
    pairs = {a.name: (a, b) for a, b in case.pair.matched()}
    names = [
        n
        for n in facts.names
        if not facts.shapes[n].rows.any()
        and n not in facts.swapped
        and np.array_equal(pairs[n][0].time_s, case.pair.sim.time_s)
        and np.array_equal(pairs[n][1].time_s, case.pair.target.time_s)
    ]
    if len(names) < 2:
        return ()
    sim = _own_rows(case.pair.sim, [pairs[n][0].as_float() for n in names])
    target = _own_rows(case.pair.target, [case.target_values(pairs[n][1].name) for n in names])
    ratios = []
    for relation in find_relations(*sim):
        bench.pulse()
        in_sim = relation_constant(relation, *sim, confidence=facts.confidence)
        in_target = relation_constant(relation, *target, confidence=facts.confidence)
        if in_sim is None or in_target is None:
            continue
        estimate, interval, n_eff = scale_ratio(in_sim, in_target)
        meant = means_something(interval, estimate, band)
        whole, rates = names[relation.whole], tuple(names[j] for j in relation.rates)
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


def _own_rows(trace: Trace, values: list[Samples]) -> tuple[Matrix, Samples]:
    """Stack signals of one trace on its own distinct, finite rows."""
    value = np.stack(values)
    forward = np.concatenate(([True], np.diff(trace.time_s) > 0))
    kept = forward & np.isfinite(value).all(axis=0)
    return value[:, kept], trace.time_s[kept]
