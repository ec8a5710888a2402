"""Reward: the same state and action paid the same, or not, and what keeps that from being told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import trace, wander
from tests.checks.reward_judged import (
    N,
    Rewarding,
    judge,
    run,
    short_run,
)
from tracescope.analysis.reward_model import cross_validated, fit_reward
from tracescope.analysis.reward_model_gap import reward_gap
from tracescope.analysis.reward_model_rows import reward_sides
from tracescope.analysis.reward_model_sparse import chosen_terms
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Trace


@pytest.mark.parametrize("kind", ["squared", "distance", "bell", "smooth"])
def test_same_reward_passes_though_motions_differ(kind: Rewarding) -> None:
    result = judge(run(kind, 1), run(kind, 2))
    assert result.state is State.PASS, result.reason
    assert result.coverage[0].range is not None


@pytest.mark.parametrize("scale", [0.8, 1.2, 1.5])
def test_scaled_reward_fails_with_its_slope(scale: float) -> None:
    result = judge(run("squared", 1), run("squared", 2, scale=scale))
    assert result.state is State.FAIL
    slope = result.measured("slope")[0]
    assert slope.interval is not None
    assert slope.interval[0] <= scale <= slope.interval[1]
    assert slope.estimate == pytest.approx(scale, abs=0.02)
    assert any(lead.kind == "reward-scale" for lead in result.leads)


@pytest.mark.parametrize("offset", [-0.3, 0.12, 0.5])
def test_moved_reward_fails_with_its_difference(offset: float) -> None:
    sim, target = run("distance", 1), run("distance", 2)
    sd = sim["reward"].as_float().std()
    channels = tuple(
        replace(c, value=c.as_float() + offset * sd) if c.name == "reward" else c
        for c in target.channels
    )
    result = judge(sim, replace(target, channels=channels))
    assert result.state is State.FAIL
    assert result.measured("difference")[0].estimate == pytest.approx(offset, abs=0.03)


def test_small_change_passes() -> None:
    assert judge(run("squared", 1), run("squared", 2, scale=1.01)).state is State.PASS


def test_missing_and_constant_rewards_are_inconclusive() -> None:
    bare = trace(0.02, wander(N, 3, seed=1), wander(N, 1, seed=2)[:, 0])
    missing = judge(run("squared", 1), bare)
    assert missing.state is State.INCONCLUSIVE
    assert "target" in missing.reason
    assert missing.settle
    still = trace(0.02, wander(N, 3, seed=1), wander(N, 1, seed=2)[:, 0], reward=np.ones(N))
    assert judge(still, still).reason == "the reward never varies"


def test_alignment_must_stand() -> None:
    failed = CheckResult("alignment", State.FAIL, "")
    result = judge(run("squared", 1), run("squared", 2, scale=1.5), alignment=failed)
    assert result.state is State.INCONCLUSIVE
    assert all(m.blocked for m in result.measurements)


def test_hidden_reward_is_compared_on_comparable_rows_only() -> None:
    rng = np.random.default_rng(5)
    state, action, hidden = wander(N, 2, 1), wander(N, 1, 2)[:, 0], rng.normal(0, 1, N)

    def one(seed: int, offset: float = 0.0, moved: float = 0.0) -> Trace:
        noise = np.random.default_rng(seed).normal(0, 0.001, state.shape)
        return trace(0.02, state + noise + moved, action, reward=hidden + offset)

    assert judge(one(1), one(2)).state is State.PASS
    assert judge(one(1), one(2, offset=0.3)).state is State.FAIL
    apart = judge(one(1), one(2, moved=5.0))
    assert apart.state is State.INCONCLUSIVE
    assert "not predictable" in apart.reason


def test_target_where_simulator_never_was_is_not_covered() -> None:
    sim, target = run("squared", 1), run("squared", 2)
    channels = tuple(
        replace(c, value=c.as_float() + 30.0) if c.name.startswith("obs") else c
        for c in target.channels
    )
    result = judge(sim, replace(target, channels=channels))
    assert result.state is State.INCONCLUSIVE


def test_short_traces_say_nothing_from_nothing() -> None:
    result = judge(run("squared", 1, n=12), run("squared", 2, n=12))
    assert result.state is State.INCONCLUSIVE


@pytest.mark.parametrize(
    ("kind", "names"), [("distance", {"root"}), ("bell", {"bell", "few-bell"})]
)
def test_curved_rewards_get_their_form(kind: Rewarding, names: set[str]) -> None:
    case = Case(pair_traces(run(kind, 1), run(kind, 2)), Alignment(mode="step"))
    sides = reward_sides(case)
    assert sides is not None
    model = fit_reward(sides.sim)
    assert model is not None
    assert model.kind in names
    assert model.score > 0.97


@pytest.mark.parametrize("kind", ["squared", "bell", "smooth"])
@pytest.mark.parametrize(("scale", "offset_sd"), [(1.0, 0.0), (1.25, 0.0), (1.0, 0.3)])
def test_forty_rows_suffice_for_a_reward_of_few_terms(
    kind: Rewarding, scale: float, offset_sd: float
) -> None:
    found = []
    for seed in range(8):
        sim = short_run(kind, seed, 0, 1.0, 0.0)
        found.append(judge(sim, short_run(kind, seed, 1, scale, offset_sd)).state)
    right = State.PASS if scale == 1.0 and offset_sd == 0.0 else State.FAIL
    assert found.count(right) >= 3
    assert not set(found) - {right, State.INCONCLUSIVE}


def test_a_slope_leaves_no_doubt_about_the_difference() -> None:
    gaps = {}
    for scale in (1.0, 1.4):
        pair = pair_traces(run("squared", 1, 60), run("squared", 2, 60, scale))
        sides = reward_sides(Case(pair, Alignment(mode="step")))
        assert sides is not None
        model = fit_reward(sides.sim)
        assert model is not None
        gap = reward_gap(model, sides, 0.99)
        assert gap is not None
        expected = sides.target.reward[model.supported(sides.target) > 0] * (1 - 1 / scale)
        truth = float(expected.mean()) / float(sides.sim.reward.std())
        assert gap.difference.low - 1e-3 <= truth <= gap.difference.high + 1e-3
        gaps[scale] = gap
    assert gaps[1.4].difference.half < 2 * gaps[1.0].difference.half


def test_rows_far_beyond_an_input_s_range_are_not_covered_by_few_terms() -> None:
    sides = reward_sides(Case(pair_traces(run("squared", 1), run("squared", 2)), Alignment()))
    assert sides is not None
    model = fit_reward(sides.sim)
    assert model is not None
    assert model.kind == "few"
    assert model.supported(sides.sim).mean() > 0.95
    both = sides.sim.inputs.copy()
    both[:, :2] += 30.0  # their distance, which the reward is of, stays
    moved = sides.sim.moved(both)
    assert model.predict(moved) == pytest.approx(model.predict(sides.sim), abs=0.1)
    assert not model.supported(moved).any()


def test_a_failure_needs_every_form_that_predicts_as_well() -> None:
    # At rest before it moves, the action tells the error exactly: which of them is paid for is not known.
    error = 0.3 * np.sin(np.arange(40) / 6) + np.random.default_rng(0).normal(0, 0.001, 40)
    rest = wander(40, 1, seed=5)[:, 0]
    seen = np.column_stack((error, rest))
    sim = trace(0.02, seen, -2 * error, reward=1 - error**2)
    other = 0.2 * np.sin(np.arange(40) / 5)
    target = trace(
        0.02, np.column_stack((other, rest)), -2 * other + 0.2, reward=1 - (other - 0.1) ** 2
    )
    assert judge(sim, target).state is not State.FAIL


@pytest.mark.parametrize(("rows", "said"), [(14, True), (8, False)])
def test_a_short_target_is_compared_where_the_function_is_known(rows: int, said: bool) -> None:
    sim = short_run("squared", 1, 0, 1.0, 0.0)
    target = short_run("squared", 1, 1, 1.0, 0.0)
    kept = tuple(replace(c, value=c.value[:rows], time_s=c.time_s[:rows]) for c in target.channels)
    result = judge(
        sim, replace(target, channels=kept, time_s=target.time_s[:rows], step=np.arange(rows))
    )
    assert bool(result.measurements) is said
    assert result.state is not State.FAIL


def test_cross_validation_does_not_reward_noise() -> None:
    rng = np.random.default_rng(0)
    x = np.column_stack((np.ones(200), rng.normal(size=(200, 30))))
    assert cross_validated(x, rng.normal(size=200)) < 0.2


def test_pursuit_finds_the_terms() -> None:
    x = np.random.default_rng(1).normal(size=(60, 40))
    assert set(chosen_terms(x, 2 * x[:, 7] - x[:, 31] + 4, 5)) == {7, 31}


def test_difference_interval_covers_zero_where_nothing_differs() -> None:
    hits, trials = 0, 40
    for k in range(trials):
        case = Case(
            pair_traces(run("squared", 2 * k, 150), run("squared", 2 * k + 1, 150)), Alignment()
        )
        sides = reward_sides(case)
        assert sides is not None
        model = fit_reward(sides.sim)
        assert model is not None
        gap = reward_gap(model, sides, 0.95)
        assert gap is not None
        hits += gap.difference.low <= 0 <= gap.difference.high
    assert hits >= 0.9 * trials


@pytest.mark.parametrize("scale", [1.0, 1.3])
def test_alike_states_do_not_fail_a_reward_of_their_small_differences(scale: float) -> None:
    motion, action = wander(60, 1, seed=3)[:, 0], wander(60, 1, seed=4)[:, 0]
    error = 0.02 * np.sin(np.arange(60) / 9)
    runs = []
    for factor, paid_by in ((1.0, 1.0), (1.06, scale)):
        seen = np.column_stack((motion, motion - factor * error))
        runs.append(trace(0.02, seen, action, reward=-paid_by * (factor * error) ** 2))
    result = judge(*runs)
    assert (result.state is State.FAIL) == (scale != 1.0), result.reason


def test_a_slope_does_not_fail_alone_where_the_difference_drifts_throughout() -> None:
    found = {}
    for drift in (0.0, 0.5):
        target = run("squared", 2, scale=3.0)
        reward = target["reward"].as_float()
        moved = reward + drift * reward.std() * np.linspace(0, 1, N)
        channels = tuple(
            replace(c, value=moved) if c.name == "reward" else c for c in target.channels
        )
        found[drift] = judge(run("squared", 1), replace(target, channels=channels))
    assert found[0.0].state is State.FAIL
    (difference,) = found[0.5].measured("difference")
    assert not difference.covered
    assert found[0.5].state is State.INCONCLUSIVE
