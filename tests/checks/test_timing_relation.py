"""A latency that the simulator's own one-step relation denies is no finding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import pair, trace
from tracescope.analysis.response import Path, ResponseLatency
from tracescope.analysis.response_relation import applied_behind
from tracescope.analysis.workbench import Workbench
from tracescope.checks.timing_response import explained_otherwise
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import Measurement, State
from tracescope.model.trace import Trace

LATENCY = Measurement(
    "response latency, target less sim", "", 2.0, (1.4, 2.6), "rows", n=40.0, tolerance=(-0.5, 0.5)
)
SEEN = ResponseLatency((Path("action", "obs", 0.0, 0.2, 2.0, 0.2, 40.0),))


def side(seed: int, delay: int, rows: int = 100, *, behind: int | None = None) -> Trace:
    """One mass under its own pushes, acting so many rows later; the applied ones logged ``behind`` rows later."""
    rng = np.random.default_rng(seed)
    push, speed = rng.standard_normal(rows), np.zeros(rows)
    acting = np.concatenate((np.zeros(delay), push))[:rows]
    for i in range(rows - 1):
        speed[i + 1] = 0.9 * speed[i] + 0.1 * acting[i]
    applied = None if behind is None else np.concatenate((np.zeros(behind), push))[:rows]
    return trace(0.02, speed + 1e-4 * rng.standard_normal(rows), push, applied=applied)


def bench(sim: Trace, target: Trace) -> Workbench:
    return Workbench(Case(pair(sim, target), Alignment(mode="step")))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_that_a_latency_is_no_finding_where_the_relation_leaves_no_gap_at_once(seed: int) -> None:
    assert LATENCY.state is State.FAIL
    prompt = bench(side(seed, 0), side(seed + 50, 0))
    assert "fits the target's rows better without" in explained_otherwise(prompt, LATENCY, SEEN)
    early = replace(LATENCY, estimate=-1.5, interval=(-2.0, -1.0))
    assert "without" in explained_otherwise(prompt, early, SEEN)


@pytest.mark.parametrize("delay", [1, 2, 4])
def test_that_a_true_latency_stays_a_finding(delay: int) -> None:
    late = bench(side(1, 0), side(51, delay))
    found = replace(LATENCY, estimate=float(delay), interval=(delay - 0.2, delay + 0.2))
    assert explained_otherwise(late, found, SEEN) == ""


def test_that_actions_logged_as_they_reach_the_plant_hide_the_way_to_it() -> None:
    """The relation is driven by applied actions: a delay before them it cannot deny."""
    late = bench(side(1, 0, behind=0), side(51, 2, behind=2))
    assert applied_behind(late.case.pair)
    assert not any(gap.interval[0] > 0 for gap in late.gaps)
    assert explained_otherwise(late, LATENCY, SEEN) == ""
    prompt = bench(side(1, 0, behind=0), side(51, 0, behind=0))
    assert not applied_behind(prompt.case.pair)
    assert explained_otherwise(prompt, LATENCY, SEEN) != ""


def test_that_the_relation_denies_nothing_of_an_answer_it_does_not_predict() -> None:
    torque = ResponseLatency((Path("action", "torque", 0.0, 0.2, 2.0, 0.2, 40.0),))
    assert explained_otherwise(bench(side(1, 0), side(51, 0)), LATENCY, torque) == ""
