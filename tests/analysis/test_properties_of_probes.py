"""Properties that clocks, distances and probes keep on any input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.analysis.drawn import GAIN, LEVEL, QUICK, SEEDS, moving
from tests.builders import trace, wander
from tracescope.analysis.contact_law import touching
from tracescope.analysis.intervals import MeanInterval
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
from tracescope.analysis.saturation import (
    held_values,
    most_common,
    plateau,
    repeat_runs,
    saturation,
    swapped_channels,
)
from tracescope.analysis.saturation import ks_distance as plain_ks_distance
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
