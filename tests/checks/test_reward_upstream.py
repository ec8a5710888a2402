"""What stands before a reward that differs: findings, rivals of earlier checks, and inputs that are wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import trace, wander
from tests.checks.reward_judged import (
    N,
    judge,
    run,
    saturated,
    wrong_about,
)
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_rivals import reward_rivals
from tracescope.analysis.reward_model_rows import reward_sides
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction
from tracescope.model.pair import pair_traces


def test_uncorrected_finding_upstream_takes_back_a_failure_and_says_what_would_be() -> None:
    sim, target = run("squared", 1), run("squared", 2)
    channels = tuple(
        replace(c, value=c.as_float() * 1.5) if c.name == "obs[0]" else c for c in target.channels
    )
    scaled = replace(target, channels=channels)
    mend = Correction("obs[0]", 1.5)
    found = CheckResult("observation-scaling", State.FAIL, "", pending=(mend,))
    result = judge(sim, scaled, observation_scaling=found)
    assert result.state is State.INCONCLUSIVE
    assert result.would is not None
    assert result.would.state is State.PASS
    assert result.not_applied == (str(mend),)
    assert judge(sim, scaled, (mend,)).state is State.PASS


def test_open_scale_that_explains_it_is_named_instead() -> None:
    sim, target = run("squared", 1), run("squared", 2)
    channels = tuple(
        replace(c, value=c.as_float() * 1.2) if c.name == "obs[0]" else c for c in target.channels
    )
    undecided = CheckResult("observation-scaling", State.INCONCLUSIVE, "")
    result = judge(sim, replace(target, channels=channels), observation_scaling=undecided)
    assert result.state is State.INCONCLUSIVE
    assert "obs[0]" in result.reason


@pytest.mark.parametrize("offset", [0.11, -0.16, 0.27])
def test_an_observation_moved_in_the_loop_is_named_though_the_action_follows_it(
    offset: float,
) -> None:
    runs = []
    for seed, moved in ((1, 0.0), (2, offset)):
        goal = wander(N, 1, seed=3)[:, 0]
        rng = np.random.default_rng(seed)
        state = goal + 0.3 * wander(N, 1, seed=seed + 10)[:, 0] - moved
        heard = state + moved + rng.normal(0, 1e-3, N)
        action = 2 * (goal - heard)
        seen = np.column_stack((heard, goal))
        runs.append(trace(0.02, seen, action, reward=1 - (state - goal) ** 2))
    undecided = CheckResult("observation-scaling", State.INCONCLUSIVE, "")
    assert judge(*runs, observation_scaling=undecided).state is State.INCONCLUSIVE
    case = Case(pair_traces(*runs), Alignment(mode="step"))
    sides = reward_sides(case)
    assert sides is not None
    model = fit_reward(sides.sim)
    assert model is not None
    found = {(r.channel, r.kind): r.value for r in reward_rivals(model, sides)}
    assert found["obs[0]", "offset"] == pytest.approx(offset, abs=0.02)


@pytest.mark.parametrize(("bend", "open_too"), [(0.01, True), (0.025, True), (0.3, False)])
def test_that_an_offset_that_leaves_next_to_nothing_is_open_beside_the_reward(
    bend: float, open_too: bool
) -> None:
    """Where a reward is almost straight in an observation, an offset of either looks nearly the same."""
    runs = []
    for seed, moved in ((1, 0.0), (2, -0.4)):
        state = wander(N, 2, seed=seed)
        reward = state[:, 0] + bend * state[:, 0] ** 2 + moved
        runs.append(trace(0.02, state, wander(N, 1, seed=seed + 50)[:, 0], reward=reward))
    undecided = CheckResult("observation-scaling", State.INCONCLUSIVE, "")
    result = judge(*runs, observation_scaling=undecided)
    assert ("would explain it as well" in result.reason) == open_too
    assert result.state is (State.INCONCLUSIVE if open_too else State.FAIL)


@pytest.mark.parametrize(("offset", "state"), [(0.22, State.INCONCLUSIVE), (0.6, State.FAIL)])
def test_what_is_not_logged_may_keep_other_company_in_the_target(
    offset: float, state: State
) -> None:
    runs = []
    for seed, level in ((1, 0.0), (2, offset)):
        obs, action = wander(N, 2, seed=seed), wander(N, 1, seed=seed + 1000)[:, 0]
        told = 1 - obs[:, 0] ** 2
        hidden = 0.18 * told.std() * np.random.default_rng(seed).choice((-1.0, 1.0), N)
        runs.append(trace(0.02, obs, action, reward=told + hidden + level * told.std()))
    result = judge(*runs)
    assert result.state is state, result.reason
    assert ("not logged" in result.reason) == (state is State.INCONCLUSIVE)


def test_a_late_loop_does_not_take_back_a_failure() -> None:
    late = CheckResult("timing", State.FAIL, "")
    result = judge(run("squared", 1), run("squared", 2, offset_sd=0.3), timing=late)
    assert result.state is State.FAIL


@pytest.mark.parametrize("offset_sd", [0.0, 0.3])
def test_an_input_that_the_reward_does_not_need_is_left_out_where_it_is_wrong(
    offset_sd: float,
) -> None:
    sim = run("squared", 1)
    target = saturated(run("squared", 2, offset_sd=offset_sd), "obs[2]")
    result = judge(sim, target, observation_scaling=wrong_about("obs[2]"))
    assert result.state is (State.FAIL if offset_sd else State.PASS)
    assert "without obs[2]" in result.reason


def test_an_input_that_the_reward_needs_stands_in_the_way_where_it_is_wrong() -> None:
    target = saturated(run("squared", 2), "obs[0]")
    result = judge(run("squared", 1), target, observation_scaling=wrong_about("obs[0]"))
    assert result.state is State.INCONCLUSIVE


def test_no_input_is_left_out_where_it_is_not_known_which_is_wrong() -> None:
    found = wrong_about("obs[2]", "kinematic scale ratio")
    result = judge(run("squared", 1), run("squared", 2, offset_sd=0.3), observation_scaling=found)
    assert result.state is State.INCONCLUSIVE
    assert "not corrected" in result.reason
