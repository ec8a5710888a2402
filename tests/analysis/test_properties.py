"""Properties that intervals, lags, splines and clocks of the analysis keep on any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.analysis.drawn import CONFIDENCE, QUICK, SEEDS, moving
from tracescope.analysis.blocks import LONG_ROWS, blocks_of, taken
from tracescope.analysis.correlation import Curve, correlation_curve, lag_reach, peaks
from tracescope.analysis.drift import affine_lag
from tracescope.analysis.ends import round_length
from tracescope.analysis.gaps import in_gap, interval_and_gap_s, median_interval, place_of
from tracescope.analysis.intervals import (
    bonferroni,
    covered,
    influence_interval,
    mean_interval,
    mean_intervals,
    t_quantile,
)
from tracescope.analysis.lag import few_rows, is_worse, lag_basis, least_squares, refine
from tracescope.analysis.pooling import alike, normal_quantile, pooled
from tracescope.analysis.resample import places_in
from tracescope.analysis.rows import live
from tracescope.analysis.spline import Smooth, Spline, filled, odd_extended, smoothed
from tracescope.model.trace import Channel, Role

# Intervals


@QUICK
@given(SEEDS, st.integers(3, 150), st.floats(0, 0.95), CONFIDENCE)
def test_that_intervals_do_not_depend_on_their_neighbours_the_sign_or_the_direction_of_time(
    seed: int, n: int, phi: float, confidence: float
) -> None:
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((4, n))
    for i in range(1, n):
        z[:, i] += phi * z[:, i - 1]
    mean, half, n_eff = mean_intervals(z, confidence)
    assert ((half >= 0) & (n_eff >= 1) & (n_eff <= n)).all()
    alone = mean_interval(z[2], confidence)
    assert (alone.estimate, alone.half, alone.n_eff) == pytest.approx((mean[2], half[2], n_eff[2]))
    assert mean_interval(-z[2], confidence).half == pytest.approx(half[2])
    assert mean_interval(z[2, ::-1], confidence).half == pytest.approx(half[2], rel=1e-6)
    wider = mean_interval(z[2], 0.5 + confidence / 2)
    assert wider.half >= half[2]
    shifted = influence_interval(7.0, z[2] + 3.0, confidence)
    assert shifted.interval == pytest.approx((7 - half[2], 7 + half[2]))


@given(CONFIDENCE, st.floats(1, 1e6))
def test_that_quantiles_shrink_with_samples_to_the_normal_one(
    confidence: float, dof: float
) -> None:
    assert t_quantile(confidence, dof) >= normal_quantile(confidence) - 1e-9
    assert t_quantile(confidence, dof) >= t_quantile(confidence, 2 * dof)
    assert t_quantile(confidence, 0.3) == t_quantile(confidence, 1.0)
    assert normal_quantile(confidence) > normal_quantile(confidence / 2)


@given(st.floats(0.5, 0.9999), st.integers(1, 500))
def test_that_joint_confidence_shares_the_error_evenly(confidence: float, count: int) -> None:
    each = bonferroni(confidence, count)
    assert count * (1 - each) == pytest.approx(1 - confidence)


@given(st.floats(-10, 10), st.floats(0, 5), st.floats(0.5, 100), st.floats(0.1, 4))
def test_that_more_samples_or_a_narrower_interval_never_undo_coverage(
    middle: float, half: float, n_eff: float, band: float
) -> None:
    interval, tolerance = (middle - half, middle + half), (-band, band)
    if covered(interval, n_eff, tolerance):
        assert covered(interval, 2 * n_eff, tolerance)
        assert covered((middle - half / 2, middle + half / 2), n_eff, tolerance)
    assert covered(interval, 8.0, tolerance)
    assert covered(interval, n_eff, None) == (n_eff >= 8)
    if n_eff < 8:
        assert covered(interval, n_eff, tolerance) == (interval[1] - interval[0] < band)


# Pooling and lags


@QUICK
@given(SEEDS, st.integers(1, 6), st.floats(-3, 3))
def test_that_pooling_keeps_order_shifts_and_leaves_out_what_is_unresolved(
    seed: int, k: int, shift: float
) -> None:
    rng = np.random.default_rng(seed)
    lag, se, n_eff = rng.normal(0, 1, k), rng.uniform(0.1, 1, k), rng.uniform(5, 100, k)
    found = pooled(lag, se, n_eff, 2.0)
    assert lag.min() - 1e-9 <= found.lag <= lag.max() + 1e-9
    assert found.interval[0] < found.lag < found.interval[1]
    moved = pooled(lag + shift, se, n_eff, 2.0)
    assert moved.lag == pytest.approx(found.lag + shift)
    more = pooled(np.append(lag, 50.0), np.append(se, np.inf), np.append(n_eff, 9.0), 2.0)
    assert more.interval == pytest.approx(found.interval)
    order = rng.permutation(k)
    mixed = pooled(lag[order], se[order], n_eff[order], 2.0)
    assert (mixed.lag, mixed.spread) == pytest.approx((found.lag, found.spread), abs=1e-9)
    one = pooled(lag[:1], se[:1], n_eff[:1], 2.0)
    assert one.interval == pytest.approx((lag[0] - 2 * se[0], lag[0] + 2 * se[0]))
    nothing = pooled(lag, np.full(k, np.inf), n_eff, 2.0)
    assert np.isnan(nothing.lag)
    assert nothing.interval == (-np.inf, np.inf)


@QUICK
@given(SEEDS, st.floats(-4, 4), st.floats(0.2, 5), st.floats(-10, 10))
def test_that_a_lag_is_found_whatever_gain_and_zero(
    seed: int, lag: float, gain: float, zero: float
) -> None:
    sim = Smooth(moving(seed, 160, 2), np.ones((1, 160), bool))
    shown, _, valid = Spline(sim).at(np.arange(160.0)[None, :] - lag)
    target = Smooth(gain * shown + zero, np.broadcast_to(valid, shown.shape))
    found = refine(sim, target, float(round(lag)), 0.95)
    assert found.lag == pytest.approx(lag, abs=1e-3)
    assert found.interval[0] - 1e-3 <= lag <= found.interval[1] + 1e-3
    assert not is_worse(sim, target, lag, lag, 0.95)
    assert is_worse(sim, target, lag, lag + 6.0, 0.95)
    line = affine_lag(sim, target, lag, 0.95)
    assert line is not None
    assert line.middle == pytest.approx(lag, abs=0.02)
    assert line.over_trace == pytest.approx(0.0, abs=0.05)


@QUICK
@given(SEEDS, st.integers(30, 150))
def test_that_few_rows_widen_and_many_do_not(seed: int, n: int) -> None:
    noise = np.random.default_rng(seed).standard_normal((3, n))
    wide = few_rows(noise)
    assert (wide >= 1).all()
    assert (few_rows(np.tile(noise, 6)[:, :151]) == 1).all()
    assert (few_rows(noise[:, : n // 2 + 5]) >= wide - 0.05).all() or n < 40


@QUICK
@given(SEEDS, st.integers(10, 60))
def test_that_least_squares_leave_a_residual_across_the_basis(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    basis, value = rng.standard_normal((2, 3, n)), rng.standard_normal((2, n))
    weight = (rng.random((2, n)) > 0.2).astype(float)
    solution, inverse = least_squares(basis, value, weight)
    left = (value - np.einsum("kp,kpn->kn", solution, basis)) * weight
    assert np.abs(np.einsum("kpn,kn->kp", basis, left)).max() < 1e-8
    assert inverse == pytest.approx(np.swapaxes(inverse, 1, 2))
    basis[0, 1] = 2 * basis[0, 0]
    solution, inverse = least_squares(basis, value, weight)
    assert np.isinf(inverse[0]).all()
    assert (solution[0] == 0).all()
    assert np.isfinite(inverse[1]).all()


@QUICK
@given(SEEDS, st.floats(-5, 5))
def test_that_a_lag_basis_holds_value_and_slope_of_the_shifted_sim(seed: int, lag: float) -> None:
    sim = smoothed(moving(seed, 80, 2))
    basis, weight = lag_basis(Spline(sim), sim, np.full((2, 1), lag))
    ahead, _ = lag_basis(Spline(sim), sim, np.full((2, 1), lag + 1e-5))
    assert basis.shape == (2, 3, 80)
    assert (basis[:, 0] == 1).all()
    assert set(np.unique(weight)) <= {0.0, 1.0}
    both = weight > 0
    slope = (ahead[:, 1] - basis[:, 1]) / 1e-5
    assert slope[both] == pytest.approx(basis[:, 2][both], abs=1e-3)


@QUICK
@given(SEEDS, st.floats(0.5, 2), st.floats(0, 0.5))
def test_that_only_one_signal_in_both_is_alike(seed: int, gain: float, noise: float) -> None:
    value = moving(seed, 100, 1)
    left = noise * np.random.default_rng(seed).standard_normal(value.shape)
    found = alike(np.array([gain]), left, value, np.ones_like(value))
    expected = abs(gain - 1) < 0.005 and float((left**2).sum()) < 1e-4 * float(
        ((value - value.mean()) ** 2).sum()
    )
    assert found.tolist() == [expected]


# Correlation


@given(st.integers(1, 5000), st.integers(1, 5000))
def test_that_the_reach_of_lags_mirrors_when_the_sides_change_places(a: int, b: int) -> None:
    low, high = lag_reach(a, b)
    assert lag_reach(b, a) == (-high, -low)
    assert low <= 0 <= high
    assert low <= b - a <= high


@QUICK
@given(SEEDS, st.integers(-20, 20), st.floats(0.1, 9), st.floats(-1e3, 1e3))
def test_that_correlation_peaks_at_the_lag_whatever_scale_and_level(
    seed: int, lag: int, gain: float, level: float
) -> None:
    whole = moving(seed, 200, 2)
    sim, target = whole[:, 30:170], gain * whole[:, 30 - lag : 170 - lag] + level
    every = np.ones((1, 140), bool)
    curve = correlation_curve(Smooth(sim, every), Smooth(target, every), -40, 40)
    best, others = peaks(curve)
    assert int(curve.lag[best]) == lag
    assert curve.score[best] == pytest.approx(1.0, abs=1e-6)
    assert best not in others
    assert (np.diff(curve.score[others]) <= 1e-8).all()
    back = correlation_curve(Smooth(target, every), Smooth(sim, every), -40, 40)
    assert back.score[::-1] == pytest.approx(curve.score, abs=1e-6, nan_ok=True)


def test_that_a_curve_without_a_finite_value_has_no_peak() -> None:
    nothing = Curve(np.arange(3), np.full(3, np.nan), np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="no lag"):
        peaks(nothing)


# Blocks of long traces


@QUICK
@given(
    st.integers(LONG_ROWS, 200_000),
    st.integers(-5000, 5000),
    st.integers(-300, 300),
)
def test_that_blocks_pair_rows_that_belong_together(n: int, longer: int, start: int) -> None:
    found = blocks_of(n, n + longer, float(start))
    if found is None:
        low, high = lag_reach(n, n + longer)
        assert high - low > 1600 or max(n, n + longer) < LONG_ROWS
        return
    assert found.sim.shape == found.target.shape == found.along.shape
    both = (found.sim >= 0) & (found.target >= 0)
    assert both.sum() > 8000
    assert (found.target[both] - found.sim[both] == -start).all()
    assert found.sim.max() < n
    assert found.target.max() < n + longer
    assert found.centre == -start
    held = found.target[found.target >= 0]
    assert (np.diff(held) > 0).all()
    assert held.size == 8 * 1536


@given(
    arrays(float, (2, 9), elements=st.floats(-9, 9)),
    arrays(np.int64, 12, elements=st.integers(-1, 8)),
)
def test_that_taking_rows_copies_them_and_marks_what_is_not_there(value, rows) -> None:
    out = taken(value, rows)
    assert out.shape == (2, 12)
    assert np.isnan(out[:, rows < 0]).all()
    assert (out[:, rows >= 0] == value[:, rows[rows >= 0]]).all()


# Splines and resampling


@QUICK
@given(SEEDS, st.floats(-5, 5), st.floats(-100, 100))
def test_that_smoothing_and_extending_keep_straight_lines(
    seed: int, slope: float, level: float
) -> None:
    line = (level + slope * np.arange(40.0))[None, :]
    assert smoothed(line).value == pytest.approx(line, abs=1e-9)
    longer = odd_extended(line, 7)
    assert longer == pytest.approx((level + slope * np.arange(-7.0, 47.0))[None, :], abs=1e-9)
    value = moving(seed, 40)
    assert odd_extended(value, 7)[:, 7:-7] == pytest.approx(value)
    assert smoothed(value + level).value == pytest.approx(smoothed(value).value + level)
    assert not smoothed(value).known[:, [0, 1, 2, -3, -2, -1]].any()
    assert smoothed(value).value.std() < value.std()


@QUICK
@given(SEEDS, st.integers(5, 30))
def test_that_holes_are_bridged_in_a_straight_line_and_nothing_else_moves(
    seed: int, hole: int
) -> None:
    value = moving(seed, 60)
    holed = value.copy()
    holed[0, hole : hole + 6] = np.nan
    out = filled(holed)
    assert (np.delete(out, range(hole, hole + 6)) == np.delete(value, range(hole, hole + 6))).all()
    assert np.diff(out[0, hole - 1 : hole + 7], 2) == pytest.approx(0.0, abs=1e-12)
    known = smoothed(holed).known
    assert not known[0, hole - 2 : hole + 8].any()
    assert known[0, hole + 8 : 57].all()
    assert (filled(np.full((1, 4), np.nan)) == 0).all()


@QUICK
@given(SEEDS, st.floats(-6, 6))
def test_that_a_spline_meets_its_samples_and_both_ways_of_reading_agree(
    seed: int, lag: float
) -> None:
    smooth = Smooth(moving(seed, 50, 2), np.ones((1, 50), bool))
    spline = Spline(smooth)
    value, _, valid = spline.at(np.arange(50.0)[None, :])
    assert value == pytest.approx(smooth.value, abs=1e-9)
    assert valid.all()
    one, one_slope, one_valid = spline.shifted(np.full(2, lag), 50)
    two, two_slope, two_valid = spline.at(np.arange(50.0)[None, :] - lag)
    both = one_valid & two_valid
    assert both.sum() >= 2 * (50 - 8)
    assert one[both] == pytest.approx(two[both], abs=1e-9)
    assert one_slope[both] == pytest.approx(two_slope[both], abs=1e-9)


@given(
    st.lists(st.floats(0.005, 0.2), min_size=2, max_size=30),
    st.lists(st.floats(-1, 7), min_size=1, max_size=20),
)
def test_that_instants_lie_between_the_stamps_they_are_read_from(gaps, instants) -> None:
    time_s = np.cumsum(gaps)
    at_s = np.sort(instants)
    found = places_in(time_s, at_s, 0.1)
    # The clock read as a signal: a straight line through stamps is the instant itself.
    drawn = found.read(Channel("q", Role.OBSERVATION, time_s, time_s), time_s)
    held = found.read(Channel("u", Role.ACTION, time_s, time_s), time_s)
    inside, known = np.isfinite(drawn), np.isfinite(held)
    slack = 1e-8
    assert (at_s[inside] >= time_s[0] - slack).all()
    assert (at_s[inside] <= time_s[-1] + slack).all()
    assert (np.abs(drawn - at_s)[inside] <= slack).all()
    assert (held[known] <= at_s[known] + slack).all()
    assert (known | ~inside)[at_s <= time_s[-1]].all()


# Clocks and liveness


@given(st.lists(st.floats(0.001, 5), min_size=1, max_size=60), st.floats(0.1, 10))
def test_that_intervals_and_gaps_scale_with_the_clock(steps, by: float) -> None:
    time_s = np.concatenate(([0.0], np.cumsum(steps)))
    middle_s, gap_s = interval_and_gap_s(time_s)
    assert gap_s >= 1.5 * middle_s
    assert min(steps) - 1e-9 <= median_interval(time_s) <= max(steps) + 1e-9
    scaled = interval_and_gap_s(time_s * by)
    assert scaled == pytest.approx((middle_s * by, gap_s * by))
    assert median_interval(time_s * by) == pytest.approx(by * median_interval(time_s))
    assert median_interval(np.zeros(3)) == np.inf
    assert place_of(time_s) == place_of(time_s[:])
    assert place_of(time_s) != place_of(time_s[1:])


@given(st.integers(5, 60), st.integers(2, 30))
def test_that_only_instants_inside_a_long_interval_lie_in_a_gap(before: int, missing: int) -> None:
    time_s = np.concatenate((np.arange(before), before + missing + np.arange(before))) * 0.1
    at_s = np.linspace(-0.5, time_s[-1] + 0.5, 301)
    inside = (at_s > time_s[before - 1]) & (at_s < time_s[before])
    assert in_gap(time_s, at_s).tolist() == inside.tolist()


@given(st.floats(-1e12, 1e12), st.integers(2, 50), st.floats(1e-3, 1e3))
def test_that_a_constant_of_any_size_does_not_move(level: float, n: int, step: float) -> None:
    value = np.full(n, level)
    assert not live(value)
    value[-1] += step * max(abs(level), 1.0)
    assert live(value)
    assert live(np.append(value, np.nan))
    assert not live(np.append(np.full(n, np.inf), level))


@given(st.integers(1, 100_000))
def test_that_round_lengths_stay_round_when_ten_times_as_long(rows: int) -> None:
    if round_length(rows) and rows >= 10:
        assert round_length(10 * rows)
    assert round_length(1000)
    assert not round_length(997)
