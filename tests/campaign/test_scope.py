"""Scope: how much of a target run lies where the simulator has not been."""

from __future__ import annotations

import numpy as np
import pytest

from tests import builders
from tracescope.campaign.scope import scope_of
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Lead, Measurement, State
from tracescope.model.correction import Correction


def wander(rng, rows=400, channels=3):
    time = np.arange(rows)[:, None]
    phase, cycles = rng.uniform(0, 6, (2, channels))
    return np.sin(0.02 * (1 + 0.3 * cycles) * time + phase) + rng.normal(0, 0.02, (rows, channels))


def case_of(sim, target, **other):
    first = {name: values[0] for name, values in other.items()}
    second = {name: values[1] for name, values in other.items()}
    pair = builders.pair(
        builders.trace(obs=sim, other=first), builders.trace(obs=target, other=second)
    )
    return Case(pair, Alignment("step"))


def misread(channel, pending=()):
    m = Measurement("scale", channel, 1.5, (1.4, 1.6), tolerance=(0.95, 1.05))
    assert m.state is State.FAIL
    return CheckResult.from_measurements("observation-scaling", "off", [m], pending=tuple(pending))


def test_that_a_run_through_the_same_states_lies_inside():
    rng = np.random.default_rng(0)
    sim = wander(rng)
    share, said = scope_of(case_of(sim, sim[::-1] + rng.normal(0, 0.01, sim.shape)), ())
    assert share is not None
    assert share <= 0.02
    assert "Mahalanobis" in said


def test_that_new_states_are_counted_by_their_share():
    sim = wander(np.random.default_rng(1))
    target = sim.copy()
    target[:100] += 8.0
    share, _ = scope_of(case_of(sim, target), ())
    assert share == pytest.approx(0.25, abs=0.02)


def test_that_rows_need_not_be_paired():
    sim = wander(np.random.default_rng(2))
    share, _ = scope_of(case_of(sim, sim[37:290]), ())
    assert share is not None
    assert share <= 0.02


def test_that_a_misreading_with_a_fitted_correction_is_no_new_state():
    sim = wander(np.random.default_rng(3))
    target = sim * (3.0, 1.0, 1.0)
    wrong, _ = scope_of(case_of(sim, target), ())
    assert wrong is not None
    assert wrong > 0.2
    right, said = scope_of(case_of(sim, target), (misread("obs[0]", [Correction("obs[0]", 3.0)]),))
    assert right is not None
    assert right <= 0.02
    assert "left out" not in said


def test_that_a_misreading_without_a_correction_is_left_out_and_said():
    sim = wander(np.random.default_rng(4))
    share, said = scope_of(case_of(sim, sim * (3.0, 1.0, 1.0)), (misread("obs[0]"),))
    assert share is not None
    assert share <= 0.02
    assert "left out: obs[0]" in said


def test_that_channels_which_another_check_holds_for_misread_are_left_out_too():
    sim = wander(np.random.default_rng(5))
    lead = Lead("read on another scale", "observation-scaling", ("obs[1]",), "…", kind="scale")
    dynamics = CheckResult.inconclusive("dynamics", "cannot tell", leads=(lead,))
    _, said = scope_of(case_of(sim, sim), (misread("obs[0]"), dynamics))
    assert "obs[0], obs[1]" in said


def test_that_nothing_left_to_look_at_is_unknown_and_not_zero():
    sim = wander(np.random.default_rng(6), channels=1)[:, 0]
    share, said = scope_of(case_of(sim, sim), (misread("obs"),))
    assert share is None
    assert "no matched observation" in said
    still = np.full(100, 2.0)
    assert scope_of(case_of(still, still), ())[0] is None
    assert scope_of(case_of(sim[:5], sim[:5]), ())[0] is None


def test_that_goals_beside_the_observations_count_and_other_columns_do_not():
    sim = wander(np.random.default_rng(7))
    ref, far = sim[:, 0].copy(), sim[:, 0] + 9.0
    share, _ = scope_of(case_of(sim, sim, reference=(ref, far)), ())
    assert share is not None
    assert share > 0.9
    share, _ = scope_of(case_of(sim, sim, temperature=(ref, far)), ())
    assert share is not None
    assert share <= 0.02


def test_that_rows_with_a_dropped_sample_are_not_judged():
    sim = wander(np.random.default_rng(8))
    target = sim.copy()
    target[:50, 0] = np.nan
    share, _ = scope_of(case_of(sim, target), ())
    assert share is not None
    assert share <= 0.02
