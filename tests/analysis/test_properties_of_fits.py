"""Properties that straight lines, one-step relations and rewards keep on any input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.analysis.drawn import GAIN, LEVEL, QUICK, SEEDS, moving
from tests.builders import wander
from tracescope.analysis.kinematics import find_relations, relation_constant, scale_ratio
from tracescope.analysis.one_step import Scaling, cross_validated, features, solve
from tracescope.analysis.one_step_noise import lag_one, whitened
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.regression import (
    first_rows,
    first_rows_on_line,
    fit_slopes,
    structured_spread,
)
from tracescope.analysis.regression_outputs import blocks_of, seen
from tracescope.analysis.regression_routes import (
    commands_agree,
    exact_line,
    identical,
    increments_agree,
    plant_gain_excluded,
    responds,
)
from tracescope.analysis.reward_model import (
    cross_validated as reward_cross_validated,
)
from tracescope.analysis.reward_model import (
    fit_reward,
    leverages,
    other_forms,
    relevant_inputs,
)
from tracescope.analysis.reward_model_designs import designs, inverse, spread_of
from tracescope.analysis.reward_model_gap import paired_gap, reward_gap
from tracescope.analysis.reward_model_rows import RewardRows, RewardSides
from tracescope.analysis.reward_model_sparse import chosen_terms, dictionary, sparse_designs
from tracescope.analysis.supported import directions

# Straight lines between signals


@QUICK
@given(SEEDS, GAIN, LEVEL, st.sampled_from([-1.0, 1.0]))
def test_that_slopes_follow_units_and_turn_over_with_the_sides(seed, gain, level, sign) -> None:
    x = moving(seed, 150, 2)
    noise = 0.05 * np.random.default_rng(seed).standard_normal(x.shape)
    plain, scaled = fit_slopes(x, x + noise), fit_slopes(x, sign * gain * (x + noise) + level)
    assert scaled.slope == pytest.approx(sign * gain * plain.slope)
    ends = np.sort([sign * gain * plain.low, sign * gain * plain.high], axis=0)
    assert np.array([scaled.low, scaled.high]) == pytest.approx(ends)
    assert scaled.structured == pytest.approx(plain.structured, abs=1e-9)
    back = fit_slopes(x + noise, x)
    assert back.slope == pytest.approx(1 / plain.slope)
    assert ((plain.low <= plain.slope) & (plain.slope <= plain.high)).all()


@QUICK
@given(SEEDS, GAIN)
def test_that_structure_is_what_moves_and_not_what_is_white(seed: int, gain: float) -> None:
    slow = moving(seed, 400)
    white = np.random.default_rng(seed).standard_normal((1, 400))
    assert structured_spread(gain * slow) == pytest.approx(gain * structured_spread(slow))
    assert structured_spread(slow)[0] > 0.6 * slow.std()
    assert structured_spread(white)[0] < 0.5
    assert structured_spread(white + 7) == pytest.approx(structured_spread(white))


@QUICK
@given(SEEDS, LEVEL, st.floats(-2, 2))
def test_that_first_rows_read_the_level_at_the_start(seed: int, level: float, slope: float) -> None:
    x = moving(seed, 60, 2)
    found = first_rows(x, x + level + slope * np.arange(60.0))
    assert found.difference == pytest.approx(np.full(2, level), abs=1e-6)
    assert (found.half <= 1e-6).all()
    y = 2 * x + 1
    fit = fit_slopes(x, y)
    assert first_rows_on_line(x, y, fit).all()
    bent = y.copy()
    bent[:, :3] += 3 * y.std()
    assert not first_rows_on_line(x, bent, fit).any()


@QUICK
@given(SEEDS, GAIN, LEVEL)
def test_that_sameness_lines_and_increments_are_told_by_numbers_alone(seed, gain, level) -> None:
    x = moving(seed, 80, 2)
    assert identical(x, x * (1 + 1e-12)).all()
    assert not identical(x, x + 1e-3).any()
    line = exact_line(x, gain * x + level, np.full(2, gain), np.full(2, level))
    assert line.all()
    off = x.copy()
    off[:, 40] += 0.1
    assert not exact_line(x, gain * off + level, np.full(2, gain), np.full(2, level)).any()
    assert increments_agree(x, gain * x + level).all()
    noise = np.random.default_rng(seed).standard_normal((2, *x.shape))
    assert not increments_agree(x + noise[0], x + noise[1]).any()


@QUICK
@given(SEEDS, GAIN)
def test_that_equal_commands_are_equal_in_any_unit(seed: int, gain: float) -> None:
    a = np.random.default_rng(seed).standard_normal((2, 60))
    same = commands_agree(("a", "b"), gain * a, gain * a)
    assert (same.logged, same.equal, same.exact, same.replayed) == (True, True, True, True)
    other = commands_agree(("a", "b"), a, np.stack((a[0], 3 * a[1])))
    assert not other.equal
    assert other.proportional
    assert "b" in other.because
    assert not commands_agree((), a[:0], a[:0]).logged


@QUICK
@given(SEEDS, st.floats(0.3, 3))
def test_that_what_a_command_moves_responds_and_a_clock_does_not(seed: int, gain: float) -> None:
    rng = np.random.default_rng(seed)
    command = rng.standard_normal((1, 300))
    moved = np.zeros(300)
    for i in range(299):
        moved[i + 1] = 0.8 * moved[i] + gain * command[0, i]
    clock = np.sin(0.1 * np.arange(300.0))
    motion = np.stack((moved, clock))
    found = responds(motion, command, np.ones(299, bool), 1e-4)
    assert found[0]
    assert plant_gain_excluded(motion, motion, np.full(2, 1.5), np.array([True, False]))[1]


# One-step relations


def a_plant(seed: int, n: int = 120, p: int = 2) -> Steps:
    rng = np.random.default_rng(seed)
    drive = rng.standard_normal((n, 1))
    state = np.zeros((n, p))
    for i in range(n - 1):
        state[i + 1] = 0.9 * state[i] + 0.3 * drive[i] + 0.01 * rng.standard_normal(p)
    at = np.arange(1, n - 1)
    return Steps(at, state[at], state[at - 1], drive[at], drive[at - 1], state[at + 1] - state[at])


def scaling_of(steps_: Steps) -> Scaling:
    return Scaling(
        steps_.state.mean(axis=0),
        steps_.state.std(axis=0),
        steps_.drive.mean(axis=0),
        steps_.drive.std(axis=0),
    )


@QUICK
@given(SEEDS, GAIN, st.sampled_from(["linear", "curved", "quadratic", "cubic", "lagged"]))
def test_that_features_do_not_depend_on_units_and_begin_with_the_constant(seed, gain, kind) -> None:
    one = a_plant(seed)
    two = replace(
        one, state=gain * one.state + 3, before=gain * one.before + 3, change=gain * one.change
    )
    x = features(kind, one, scaling_of(one))
    assert (x[:, 0] == 1).all()
    assert x == pytest.approx(features(kind, two, scaling_of(two)), abs=1e-6)
    linear = features("linear", one, scaling_of(one))
    assert x.shape[1] >= linear.shape[1]
    assert np.linalg.matrix_rank(np.hstack((x, linear))) == np.linalg.matrix_rank(x)


@QUICK
@given(SEEDS, GAIN)
def test_that_cross_validation_rewards_what_predicts_and_nothing_else(
    seed: int, gain: float
) -> None:
    rng = np.random.default_rng(seed)
    x = np.column_stack((np.ones(200), rng.standard_normal((200, 3))))
    y = np.column_stack((x @ [1.0, 2.0, -1.0, 0.5], rng.standard_normal(200), np.zeros(200)))
    score = cross_validated(x, y)
    assert score[0] == pytest.approx(1.0)
    assert score[1] < 0.2
    assert score[2] == -np.inf
    assert cross_validated(x, gain * y)[:2] == pytest.approx(score[:2])
    assert reward_cross_validated(x, y[:, 0]) == pytest.approx(1.0)
    assert reward_cross_validated(x, y[:, 1]) < 0.2


@QUICK
@given(SEEDS, st.integers(1, 6))
def test_that_solving_leaves_out_what_was_not_excited(seed: int, q: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((40, q))
    y = rng.standard_normal((40, 2))
    assert solve(x.T @ x, x.T @ y) == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0])
    twice = np.hstack((x, x))
    both = solve(twice.T @ twice, twice.T @ y)
    assert twice @ both == pytest.approx(x @ np.linalg.lstsq(x, y, rcond=None)[0], abs=1e-6)
    assert both[:q] == pytest.approx(both[q:], abs=1e-6)


@QUICK
@given(SEEDS, st.floats(0.3, 0.9))
def test_that_whitening_keeps_what_needs_none_and_comes_nearer_where_it_does(seed, phi) -> None:
    rng = np.random.default_rng(seed)
    x = np.column_stack((np.ones(300), wander(300, 1, seed=seed)))
    noise = np.zeros((300, 1))
    for i in range(1, 300):
        noise[i] = phi * noise[i - 1] + rng.standard_normal(1)
    row = np.arange(300)
    exact = x @ np.array([[1.0], [2.0]])
    beta = np.array([[1.0], [2.0]])
    assert whitened(x, exact, row, beta) == pytest.approx(beta)
    found = whitened(x, exact + noise, row, np.linalg.lstsq(x, exact + noise, rcond=None)[0])
    assert np.isfinite(found).all()
    assert found.shape == beta.shape
    earlier, later = lag_one(np.array([3, 4, 5, 9, 10]))
    assert (earlier.tolist(), later.tolist()) == ([0, 1, 3], [1, 2, 4])


@QUICK
@given(SEEDS, st.integers(1, 5))
def test_that_shared_directions_split_both_moments(seed: int, q: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((50, q)), 2 * rng.standard_normal((50, q))
    found = directions(a.T @ a / 50, b.T @ b / 50)
    assert found.sim + found.target == pytest.approx(np.full(q, 2.0))
    assert ((a @ found.basis) ** 2).mean(axis=0) == pytest.approx(found.sim, abs=1e-6)
    assert ((b @ found.basis) ** 2).mean(axis=0) == pytest.approx(found.target, abs=1e-6)


@QUICK
@given(SEEDS, st.integers(1, 7), GAIN, LEVEL)
def test_that_blocks_are_consecutive_and_sensors_are_taken_out_exactly(
    seed, size, gain, level
) -> None:
    made = a_plant(seed)
    rows = blocks_of(made, size)
    assert rows.shape[1] == size
    assert (np.diff(made.row[rows], axis=1) == 1).all()
    assert len(np.unique(rows)) == rows.size
    z = replace(
        made,
        state=gain * made.state + level,
        before=gain * made.before + level,
        change=gain * made.change,
    )
    back = seen(z, np.full(2, np.log(gain)), np.full(2, level))
    assert back.state == pytest.approx(made.state, abs=1e-6)
    assert back.change == pytest.approx(made.change, abs=1e-6)


@QUICK
@given(SEEDS, st.floats(0.3, 3), st.floats(0.01, 0.1))
def test_that_a_rate_and_its_integral_give_the_ratio_of_their_scales(seed, scale, dt) -> None:
    rate = wander(300, 1, seed=seed)[:, 0]
    place = np.concatenate(([0.0], np.cumsum((rate[1:] + rate[:-1]) / 2) * dt))
    time_s, sim = dt * np.arange(300), np.stack((place, rate))
    found = [r for r in find_relations(sim, time_s) if r.whole == 0]
    assert found
    ours = relation_constant(found[0], sim, time_s, 0.99)
    theirs = relation_constant(found[0], np.stack((scale * place, rate)), time_s, 0.99)
    assert ours is not None
    assert theirs is not None
    estimate, (low, high), _ = scale_ratio(ours, theirs)
    assert estimate == pytest.approx(scale, rel=1e-3)
    assert low <= estimate <= high


# Rewards

NAMED = (("a", "b"), (False, True))


def rewarded(seed: int, n: int = 200, scale: float = 1.0, level: float = 0.0) -> RewardRows:
    inputs = wander(n, 2, seed=seed)
    pay = scale * (1 - inputs[:, 0] ** 2 - 0.5 * inputs[:, 1]) + level
    before = np.vstack((inputs[:1], inputs[:-1]))
    after = np.vstack((inputs[1:], inputs[-1:]))
    return RewardRows(np.arange(n), 0.02 * np.arange(n), pay, inputs, before, after)


@QUICK
@given(SEEDS, st.floats(0.5, 2), st.floats(-1, 1))
def test_that_a_changed_reward_shows_scale_and_level_and_an_equal_one_nothing(
    seed, scale, level
) -> None:
    sim = rewarded(seed)
    model = fit_reward(sim)
    assert model is not None
    assert relevant_inputs(sim).tolist() == [0, 1]
    same = reward_gap(model, RewardSides(*NAMED, sim, rewarded(seed + 1)), 0.99)
    assume(same is not None)
    assert same is not None
    assert same.difference.low - 1e-6 <= 0 <= same.difference.high + 1e-6
    assert same.slope.low - 1e-6 <= 1 <= same.slope.high + 1e-6
    other = reward_gap(model, RewardSides(*NAMED, sim, rewarded(seed + 1, 200, scale, level)), 0.99)
    assert other is not None
    assert other.slope.estimate == pytest.approx(scale, abs=0.02)
    for again in other_forms(sim, model):
        assert again.kind != model.kind
        assert 1 - again.score <= 4 * (1 - model.score) + 1e-3


@QUICK
@given(SEEDS, GAIN, LEVEL)
def test_that_paired_rewards_differ_by_level_and_slope(
    seed: int, gain: float, level: float
) -> None:
    sim = moving(seed, 120)[0]
    found = paired_gap(sim, gain * sim + level, 0.02 * np.arange(120), 2.0, 0.99)
    assert found.slope.estimate == pytest.approx(gain)
    assert found.difference.estimate == pytest.approx(float((gain - 1) * sim.mean() + level) / 2.0)
    assert found.rows == 120
    assert found.widened(0.1).slope.half == pytest.approx(found.slope.half + 0.1)


@QUICK
@given(SEEDS, st.integers(1, 5))
def test_that_leverages_add_up_to_the_regressors_and_inverses_invert(seed: int, q: int) -> None:
    x = np.random.default_rng(seed).standard_normal((60, q))
    inner = inverse(x.T @ x)
    assert inner @ (x.T @ x) == pytest.approx(np.eye(q), abs=1e-5)
    assert leverages(x, inner).sum() == pytest.approx(q, abs=1e-4)
    stack = inverse(np.stack((x.T @ x, 2 * x.T @ x)))
    assert stack[1] == pytest.approx(stack[0] / 2, rel=1e-4)
    assert spread_of(np.column_stack((x[:, 0], np.ones(60)))) == pytest.approx([x[:, 0].std(), 1.0])


@QUICK
@given(SEEDS, st.permutations(range(5)))
def test_that_terms_are_chosen_whatever_the_order_of_the_columns(seed: int, order) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((120, 5))
    y = 3 * x[:, 1] - 2 * x[:, 4]
    mixed = x[:, list(order)]
    found = {order[int(j)] for j in chosen_terms(mixed, y, 2)}
    assert found == {1, 4}
    assert chosen_terms(x, np.zeros(120), 2).size == 0


@QUICK
@given(SEEDS, st.integers(0, 3), st.floats(0.3, 1.5))
def test_that_the_exponential_of_few_terms_is_found_and_is_its_own_tangent(
    seed: int, column: int, steep: float
) -> None:
    inputs = np.random.default_rng(seed).standard_normal((60, 4))
    rows = rewarded(seed, 60)
    sim = RewardRows(
        rows.row, rows.time_s, np.exp(-steep * inputs[:, column] ** 2), inputs, inputs, inputs
    )
    found = {kind: (score, design) for kind, score, design in sparse_designs(sim)}
    score, bell = found["few-bell"]
    assert score > 0.999
    x = bell(sim)
    beta = np.linalg.lstsq(x, sim.reward, rcond=None)[0]
    assert x @ beta == pytest.approx(sim.reward, abs=1e-3)
    weighted = chosen_terms(inputs**2, np.log(sim.reward), 1, sim.reward)
    assert weighted.tolist() == [column]


@QUICK
@given(SEEDS)
def test_that_designs_grow_and_one_row_means_the_same_alone(seed: int) -> None:
    sim = rewarded(seed, 60)
    made = list(designs(sim))
    assert made[0][0] == "squares"
    assert len({kind for kind, _ in made}) == len(made)
    for _, design in (*made, ("dictionary", dictionary(sim))):
        x = design(sim)
        assert x.shape[0] == 60
        assert np.isfinite(x).all()
        assert design(sim.some(np.array([7]))) == pytest.approx(x[7:8])
    (name, score, few), *others = sparse_designs(sim)
    assert name == "few"
    assert not others  # a reward below zero is no exponential
    assert score <= 1
    assert few(sim).shape[0] == 60
