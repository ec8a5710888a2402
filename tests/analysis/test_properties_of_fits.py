"""Properties that fits, probes and clocks of the analysis keep on any input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.builders import trace, wander
from tracescope.analysis.contact_law import touching
from tracescope.analysis.intervals import MeanInterval
from tracescope.analysis.kinematics import find_relations, relation_constant, scale_ratio
from tracescope.analysis.one_step import Scaling, cross_validated, features, solve
from tracescope.analysis.one_step_noise import lag_one, whitened
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.probe_brackets import Bracket, first_above, joint_quantile, level_noise
from tracescope.analysis.probe_contact import (
    contact_threshold,
    contacts,
    paired_contacts,
    quiet_of,
    together,
)
from tracescope.analysis.probe_loop import SUSTAINED_ROWS, content_latency, dropouts, overruns
from tracescope.analysis.probe_phase import phase_difference, phase_lag
from tracescope.analysis.probe_spread import centroid_distance, ks_distance
from tracescope.analysis.probe_step import step_response, steps
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
from tracescope.analysis.saturation import (
    held_values,
    most_common,
    plateau,
    repeat_runs,
    saturation,
    swapped_channels,
)
from tracescope.analysis.saturation import ks_distance as plain_ks_distance
from tracescope.analysis.supported import directions
from tracescope.analysis.timebase_rows import (
    is_computed,
    jittered,
    mean_period,
    missing_rows,
    nominal_periods,
    period_ratio,
    repeated_stamps,
    row_counts,
    rows_back,
    spread,
    stale_rows,
)
from tracescope.analysis.transitions import episode_continues

SEEDS = st.integers(0, 10_000)
GAIN = st.floats(0.2, 5)
LEVEL = st.floats(-100, 100)
QUICK = settings(max_examples=20, deadline=None)


def moving(seed: int, n: int = 200, channels: int = 1) -> np.ndarray:
    return np.ascontiguousarray(wander(n, channels, seed=seed).T)


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


# Clocks


@QUICK
@given(st.integers(10, 60), st.integers(1, 8), st.floats(0.001, 1.0), st.booleans())
def test_that_missing_rows_are_counted_by_counter_and_by_stamps(n, lost, dt, counted) -> None:
    kept = np.delete(np.arange(n + lost), np.arange(n // 2, n // 2 + lost))
    made = trace(time_s=dt * kept, obs=wander(n)[:, 0], step=kept if counted else False)
    found = missing_rows(made)
    assert (found.missing, found.expected) == (lost, n + lost)
    assert found.by_counter == counted
    assert row_counts(made).sum() == n + lost - 1
    assert jittered(made).size == n - 2
    assert jittered(made) == pytest.approx(dt)
    assert mean_period(made, 0.99).estimate == pytest.approx(dt)
    assert not repeated_stamps(made).any()
    assert not stale_rows(made).any()
    assert rows_back(made) == 0


@QUICK
@given(SEEDS, st.floats(0.5, 2), st.floats(0.002, 0.2))
def test_that_period_and_spread_scale_with_the_clock(seed: int, by: float, dt: float) -> None:
    steps_s = dt * (1 + 0.05 * np.random.default_rng(seed).standard_normal(120))
    time_s = np.concatenate(([0.0], np.cumsum(steps_s)))
    one = trace(time_s=time_s, obs=wander(121)[:, 0])
    two = trace(time_s=by * time_s, obs=wander(121)[:, 0])
    a, b = mean_period(one, 0.99), mean_period(two, 0.99)
    assert b.interval == pytest.approx((by * a.low, by * a.high))
    ratio = period_ratio(a, b)
    assert ratio.estimate == pytest.approx(by)
    assert ratio.low < by < ratio.high
    assert period_ratio(MeanInterval(np.nan, 0, 0, 0), a).low == -np.inf
    s, t = spread(steps_s, 0.95), spread(by * steps_s + 3, 0.95)
    assert t.interval == pytest.approx((by * s.low, by * s.high), rel=1e-6)
    assert s.low < s.estimate < s.high
    assert spread(steps_s, 0.99).low < s.low
    assert not is_computed(one)
    assert is_computed(trace(dt, wander(50)[:, 0]))


@QUICK
@given(SEEDS, st.integers(1, 48))
def test_that_only_rows_that_repeat_stamp_and_observation_are_stale(seed: int, row: int) -> None:
    value, time_s = wander(50, seed=seed)[:, 0].copy(), 0.02 * np.arange(50)
    time_s[row] = time_s[row - 1]
    made = trace(time_s=time_s, obs=value, step=False)
    assert np.flatnonzero(repeated_stamps(made)).tolist() == [row]
    assert not stale_rows(made).any()
    value[row] = value[row - 1]
    again = trace(time_s=time_s, obs=value, step=False)
    assert np.flatnonzero(stale_rows(again)).tolist() == [row]


@QUICK
@given(st.sampled_from([(1.0, "dt"), (1e3, "dt_ms"), (1e6, "period_us")]), st.floats(0.002, 0.5))
def test_that_a_stated_period_is_read_in_any_unit(unit, dt: float) -> None:
    factor, name = unit
    made = trace(dt, wander(40)[:, 0], other={name: np.full(40, dt * factor)})
    (found,) = nominal_periods(made)
    assert found.period_s == pytest.approx(dt)
    assert nominal_periods(trace(dt, wander(40)[:, 0], other={name: dt * np.arange(40.0)})) == ()


@QUICK
@given(SEEDS, st.integers(5, 50))
def test_that_nothing_continues_over_a_flagged_row(seed: int, row: int) -> None:
    state = wander(60, 2, seed=seed)
    flagged = np.zeros(60, bool)
    assert episode_continues(state, flagged).all()
    flagged[row] = True
    inside = episode_continues(state, flagged)
    assert inside.shape == (59,)
    assert not inside[row]
    assert inside[: row - 1].all()
    jumped = state.copy()
    jumped[row:] += 100.0
    assert not episode_continues(jumped, flagged)[row - 1]


# Saturation, repeats, distances


@QUICK
@given(SEEDS, st.floats(0.3, 0.9), st.sampled_from([-1, 1]), GAIN)
def test_that_a_clipped_signal_shows_its_plateau_in_any_unit(seed, part, side, gain) -> None:
    value = moving(seed, 400)[0]
    bound = side * float(np.quantile(side * value, part))
    cut = np.minimum(value, bound) if side > 0 else np.maximum(value, bound)
    at = plateau(gain * cut, side)
    assert at.bound == pytest.approx(gain * bound)
    assert at.rows.sum() == pytest.approx((side * value >= side * bound).sum())
    found = saturation(gain * value, gain * cut)
    assert [p.side for p in found] == [side]
    assert saturation(value, value) == ()
    assert most_common(cut, plateau(cut, side)) <= 2


@given(arrays(np.int64, st.integers(2, 60), elements=st.integers(0, 3)))
def test_that_repeat_runs_cover_exactly_the_equal_neighbours(value) -> None:
    first, length = repeat_runs(value.astype(float))
    covered = np.zeros(value.size, bool)
    for a, n in zip(first, length, strict=True):
        assert n >= 2
        assert len(set(value[a : a + n])) == 1
        covered[a : a + n] = True
    equal = np.zeros(value.size, bool)
    equal[1:] |= value[1:] == value[:-1]
    equal[:-1] |= value[1:] == value[:-1]
    assert covered.tolist() == equal.tolist()


@QUICK
@given(SEEDS, st.integers(20, 150), st.integers(4, 20))
def test_that_a_value_held_while_the_sim_moves_is_found_where_it_stands(seed, at, rows) -> None:
    sim = moving(seed, 200)[0]
    target = sim.copy()
    target[at : at + rows] = target[at]
    nothing = np.zeros(200, bool)
    moved = np.abs(np.diff(sim[at : at + rows]))
    assume((moved > 0.03 * sim.std()).mean() > 0.8)
    assume(abs(target[at + rows] - target[at]) > 0.3)
    found = held_values(sim, target, 0.0, nothing)
    assert found.longest == (at, at + rows - 1)
    assert held_values(sim, sim, 0.0, nothing).longest is None


@QUICK
@given(SEEDS, st.integers(5, 60), st.integers(5, 60))
def test_that_a_distribution_distance_is_a_distance(seed: int, a: int, b: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.standard_normal(a), np.round(rng.standard_normal(b), 1)
    found = plain_ks_distance(x, y)
    assert 0 <= found <= 1
    assert found == plain_ks_distance(y, x)
    assert plain_ks_distance(np.exp(x), np.exp(y)) == pytest.approx(found)
    assert plain_ks_distance(x, x) == 0
    assert plain_ks_distance(x, y + 100) == 1
    assert np.isnan(plain_ks_distance(x, y[:0]))


@QUICK
@given(SEEDS, st.floats(-2, 2), GAIN)
def test_that_the_paired_distance_agrees_and_its_interval_holds_it(seed, shift, gain) -> None:
    x = moving(seed, 150)[0]
    y = x + shift + 0.1 * np.random.default_rng(seed).standard_normal(150)
    found = ks_distance(x, y)
    assert found.estimate == pytest.approx(plain_ks_distance(x, y))
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    scaled = ks_distance(gain * x, gain * y)
    assert scaled.interval == pytest.approx(found.interval, abs=1e-6)
    wider = ks_distance(x, y, 0.999)
    assert wider.low <= found.low + 1e-12
    assert wider.high >= found.high - 1e-12
    assert ks_distance(x[:5], y[:5]).high == np.inf


@QUICK
@given(SEEDS, st.floats(0, 6.3), LEVEL)
def test_that_a_centroid_distance_does_not_depend_on_the_axes(seed, turn, level) -> None:
    difference = np.random.default_rng(seed).standard_normal((2, 100)) + np.array([[level], [1.0]])
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    found = centroid_distance(difference)
    assert centroid_distance(spin @ difference).estimate == pytest.approx(found.estimate)
    assert found.low <= found.estimate <= found.high
    assert found.low >= 0
    assert centroid_distance(3 * difference).high == pytest.approx(3 * found.high)


@QUICK
@given(st.permutations(range(4)), SEEDS)
def test_that_any_order_of_channels_is_put_right(order, seed: int) -> None:
    sim = moving(seed, 300, 4)
    target = sim[list(order)]
    found = swapped_channels(sim, target)
    assert found == {k: source for k, source in enumerate(order) if source != k}


# Probes


@given(st.floats(0.5, 0.999), st.integers(1, 1000))
def test_that_joint_bands_grow_with_the_samples(confidence: float, count: int) -> None:
    assert joint_quantile(confidence, count + 1) >= joint_quantile(confidence, count)
    assert joint_quantile(0.95, 1) == pytest.approx(1.959964, abs=1e-5)


@QUICK
@given(SEEDS, st.floats(0.01, 5), LEVEL, st.floats(-3, 3))
def test_that_level_noise_ignores_the_line(
    seed: int, sd: float, level: float, slope: float
) -> None:
    noise = sd * np.random.default_rng(seed).standard_normal(300)
    assert level_noise(noise + level + slope * np.arange(300.0)) == pytest.approx(sd, rel=0.25)
    assert level_noise(np.arange(3.0)) == 0


@QUICK
@given(st.floats(0.15, 0.85), st.floats(0, 0.1), st.floats(-5, 5))
def test_that_a_crossing_lies_in_its_bracket_and_moves_with_the_clock(level, noise, start) -> None:
    time_s = np.linspace(0, 1, 41)
    found = first_above(time_s, time_s, level, noise)
    assert found.low - 1e-9 <= level <= found.high + 1e-9
    assert found.estimate == pytest.approx(level, abs=1e-6)
    moved = first_above(time_s + start, time_s, level, noise)
    assert (moved.low, moved.high) == pytest.approx((found.low + start, found.high + start))
    assert first_above(time_s, time_s, 2.0, noise).high == np.inf


def push(peak: float, seed: int, sign: float = 1.0, level: float = 0.0) -> np.ndarray:
    at_s = np.arange(0, 4, 0.01)
    force = peak * np.clip(np.sin(2 * np.pi * (at_s - 1.0)), 0, None) * (at_s > 1) * (at_s < 1.5)
    return sign * force + level + 0.01 * np.random.default_rng(seed).standard_normal(at_s.size)


@QUICK
@given(SEEDS, st.floats(2, 50), st.sampled_from([-1.0, 1.0]), LEVEL)
def test_that_a_push_is_measured_whatever_its_sign_and_zero(seed, peak, sign, level) -> None:
    at_s, value = np.arange(0, 4, 0.01), push(peak, seed, sign, level)
    quiet = quiet_of(value, 0.99)
    assert quiet.sign == sign
    assert quiet.level == pytest.approx(level, abs=0.02)
    threshold = contact_threshold(quiet, quiet)
    assert threshold > 0
    (found,) = contacts(at_s, value, quiet, threshold, 0.99)
    assert found.peak.low <= peak <= found.peak.high
    assert found.impulse.estimate == pytest.approx(peak / np.pi, rel=0.1)
    assert found.onset_s.high >= 1.0
    assert found.first_s < found.last_s
    (pairing,) = paired_contacts((found,), (found,))
    assert pairing == ((found,), (found,))
    assert together((found,)) == found
    both = together((found, replace(found, first_s=2.0, last_s=2.2)))
    assert both.touches == 2
    assert both.impulse.estimate == pytest.approx(2 * found.impulse.estimate)


@QUICK
@given(SEEDS, st.floats(1, 100))
def test_that_touching_and_free_rows_part_at_rest(seed: int, peak: float) -> None:
    value = peak * push(1.0, seed)
    found = touching(value)
    assert found is not None
    touch, free = found
    assert not (touch & free).any()
    assert value[touch > 0].mean() > value[free > 0].mean()
    assert touching(wander(200, seed=seed)[:, 0]) is None


@QUICK
@given(SEEDS, st.integers(20, 150), st.integers(1, 12))
def test_that_samples_that_are_no_numbers_are_dropouts(seed: int, at: int, rows: int) -> None:
    other = moving(seed, 200)[0]
    value = other.copy()
    assert dropouts(value, other).certain == 0
    value[at : at + rows] = np.nan
    found = dropouts(value, other)
    assert found.certain == (1 if rows >= SUSTAINED_ROWS else 0)
    assert found.longest in (rows, 0)
    resting = dropouts(np.zeros(200), np.zeros(200))
    assert resting.certain == 0


@given(st.lists(st.floats(0.001, 0.1), min_size=1, max_size=50), st.floats(0.002, 0.09))
def test_that_overruns_are_the_intervals_beyond_the_deadline(steps_s, deadline_s: float) -> None:
    assume(all(abs(s - deadline_s) > 1e-6 for s in steps_s))
    time_s = np.concatenate(([0.0], np.cumsum(steps_s)))
    assert overruns(time_s, deadline_s) == sum(s > deadline_s for s in steps_s)


@QUICK
@given(SEEDS, st.integers(0, 6), GAIN, st.floats(0.001, 0.1))
def test_that_a_response_late_by_rows_is_late_by_seconds(seed, rows, gain, dt) -> None:
    whole = moving(seed, 220)[0]
    found = content_latency(whole[20:], gain * whole[20 - rows : 220 - rows], dt)
    assert found is not None
    assert found.estimate == pytest.approx(rows * dt, abs=0.02 * dt)
    noise = np.random.default_rng(seed).standard_normal((2, 200))
    assert content_latency(noise[0], noise[1], dt) is None


@QUICK
@given(SEEDS, st.integers(0, 4), GAIN)
def test_that_a_delay_is_a_phase_lag_at_any_frequency(seed: int, rows: int, gain: float) -> None:
    x = np.random.default_rng(seed).standard_normal(2004)
    y = gain * x[4 - rows : 2004 - rows]
    found = phase_lag(x[4:], y, 0.01, 5.0, 0.99)
    expected = 360 * 5.0 * 0.01 * rows
    # Noise through a delay leaks at the ends of each segment: a few degrees of scatter.
    assert found.lag_deg.estimate == pytest.approx(expected, abs=5.0)
    assert found.lag_deg.low - 3 <= expected <= found.lag_deg.high + 3
    assert found.coherence > 0.9


@given(st.floats(-179, 179), st.floats(-179, 179), st.floats(0, 5))
def test_that_differences_of_phase_wrap(a: float, b: float, half: float) -> None:
    found = phase_difference(Bracket(a, a - half, a + half), Bracket(b, b - half, b + half))
    assert -180 <= found.estimate <= 180
    assert np.cos(np.radians(found.estimate - (a - b))) == pytest.approx(1.0)
    assert found.high - found.low >= 2 * half - 1e-9


@QUICK
@given(st.floats(0.05, 0.4), st.floats(0.5, 20), LEVEL, SEEDS)
def test_that_a_first_order_step_is_measured_in_any_unit(tau_s, height, level, seed) -> None:
    at_s = np.arange(0, 8, 0.01)
    command = level + height * (at_s >= 2.0)
    answer = 1 - np.exp(-np.clip(at_s - 2.0, 0, None) / tau_s)
    value = level + height * answer
    (step,) = steps(at_s, command)
    assert step.height == pytest.approx(height)
    found = step_response(at_s, value, step, 0.99)
    assert not isinstance(found, str)
    assert found.rise_s.estimate == pytest.approx(np.log(9) * tau_s, abs=0.02)
    assert found.overshoot.estimate == pytest.approx(0.0, abs=0.01)
    assert found.settling_s.estimate == pytest.approx(np.log(20) * tau_s, abs=0.04)
    assert found.height == pytest.approx(height, rel=0.01)


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
