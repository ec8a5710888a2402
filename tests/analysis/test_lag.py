from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import wander
from tracescope.analysis.correlation import correlation_curve, lag_reach, peaks
from tracescope.analysis.lag import flatter, is_worse, refine
from tracescope.analysis.pooling import pooled
from tracescope.analysis.spline import EDGE_ROWS, Smooth, Spline, filled, smoothed


def shifted(value: np.ndarray, rows: int, noise: float = 0.0, seed: int = 0):
    """Sim and target of 200 rows, shape (k, 200), the target ``rows`` late."""
    rng = np.random.default_rng(seed)
    sim, target = value[50:250].T, value[50 - rows : 250 - rows].T
    return sim, target + noise * rng.standard_normal(target.shape)


@given(st.integers(-40, 40))
@settings(deadline=None, max_examples=25)
def test_that_the_curve_is_one_where_the_rows_agree(rows: int) -> None:
    sim, target = shifted(wander(300, 2, seed=1), rows)
    curve = correlation_curve(smoothed(sim), smoothed(target), -66, 66)
    peak, _ = peaks(curve)
    assert curve.lag[peak] == rows
    assert curve.score[peak] == pytest.approx(1.0, abs=1e-9)


def test_that_each_lag_counts_only_the_rows_that_overlap_there() -> None:
    sim, target = shifted(wander(300, 1, seed=3), 17, noise=0.3)
    x, y = smoothed(sim), smoothed(target)
    curve = correlation_curve(x, y, -30, 30)
    inner = slice(EDGE_ROWS, 200 - EDGE_ROWS)
    for lag in (-30, 0, 17, 29):
        late = y.value[0, inner][max(0, lag) : 194 + min(0, lag)]
        early = x.value[0, inner][max(0, -lag) : 194 - max(0, lag)]
        expected = np.corrcoef(late, early)[0, 1]
        assert curve.score[np.searchsorted(curve.lag, lag)] == pytest.approx(expected, abs=1e-9)


def test_that_masked_samples_do_not_count() -> None:
    sim, target = shifted(wander(300, 2, seed=1), 9)
    spoilt = target.copy()
    spoilt[0, 60:80] = np.nan
    curve = correlation_curve(smoothed(sim), smoothed(spoilt), -20, 20)
    peak, _ = peaks(curve)
    assert curve.lag[peak] == 9
    assert curve.score[peak] == pytest.approx(1.0, abs=1e-3)


def test_that_too_little_overlap_has_no_score() -> None:
    value = wander(30, 1)
    curve = correlation_curve(smoothed(value.T), smoothed(value.T), -29, 29)
    assert np.isnan(curve.score[0])
    assert np.isnan(curve.score[-1])


def test_that_the_reach_is_a_third_and_every_containment() -> None:
    assert lag_reach(300, 300) == (-100, 100)
    assert lag_reach(5000, 5000) == (-400, 400)
    assert lag_reach(300, 900) == (-100, 700)
    assert lag_reach(900, 300) == (-700, 100)


def test_that_of_equal_peaks_the_nearest_is_taken() -> None:
    wave = np.sin(2 * np.pi * np.arange(400) / 40)[None, :]
    curve = correlation_curve(smoothed(wave), smoothed(np.roll(wave, 10)), -133, 133)
    peak, others = peaks(curve)
    assert curve.lag[peak] == 10
    assert {-30, 50} <= set(curve.lag[others].tolist())


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_that_lag_intervals_cover(noise: float) -> None:
    covered = []
    for seed in range(150):
        sim, target = shifted(wander(300, 1, seed=seed), 5, noise, seed)
        fit = refine(smoothed(sim), smoothed(1.3 * target + 2), 5.0, 0.95)
        covered.append(fit.interval[0] <= 5 <= fit.interval[1])
    assert np.mean(covered) > 0.9


def apart(seed: int, own: float, rows: int = 400):
    """Two runs of one motion, each with jerky motion of its own besides: sim and target, shape (1, n)."""
    rng = np.random.default_rng(seed)
    common = wander(rows, 1, seed=seed, smooth=15.0).T
    return [smoothed(common + own * rng.standard_normal(common.shape)) for _ in range(2)]


def test_that_lag_intervals_cover_where_each_run_moves_for_itself_too() -> None:
    """Most of the slope is then each run's own, and says nothing about the other's lag."""
    fits = [refine(*apart(seed, 0.3), 0.0, 0.99) for seed in range(150)]
    covered = [fit.interval[0] <= 0 <= fit.interval[1] for fit in fits]
    assert np.mean(covered) >= 0.96
    assert np.median([fit.interval[1] for fit in fits if np.isfinite(fit.lag)]) < 2


@given(st.integers(0, 300), st.floats(0.0, 0.6), st.floats(0.01, 100.0), st.floats(-5, 5))
@settings(deadline=None, max_examples=30)
def test_that_flatness_follows_neither_gain_nor_level(
    seed: int, own: float, gain: float, level: float
) -> None:
    sim, target = apart(seed, own)
    other = Smooth(gain * target.value + level, target.known)
    lag = np.zeros((1, 1))
    found = flatter(Spline(sim), target, lag)
    assert found[0] >= 1
    assert flatter(Spline(sim), other, lag) == pytest.approx(found, rel=1e-6)
    assert flatter(Spline(sim), sim, lag) == pytest.approx(1.0, abs=0.05)
    assert flatter(Spline(sim), target, np.zeros((1, 400)))[0] >= 1


def test_that_gain_offset_and_sign_do_not_move_the_lag() -> None:
    sim, target = shifted(wander(300, 2, seed=1), 6)
    fit = refine(smoothed(sim), smoothed(-2.5 * target + 40), 6.0, 0.99)
    assert fit.lag == pytest.approx(6.0, abs=1e-6)


def test_that_a_straight_line_resolves_nothing() -> None:
    line = np.arange(200.0)[None, :]
    fit = refine(smoothed(line), smoothed(line + 3), 0.0, 0.99)
    assert not np.isfinite(fit.lag) or fit.interval[1] - fit.interval[0] > 1


def test_that_pooling_weighs_by_precision_and_widens_by_disagreement() -> None:
    lag, se = np.array([1.0, 1.0]), np.array([0.1, 0.2])
    same = pooled(lag, se, np.array([5e9, 4e9]), 2.0)
    assert same.lag == 1.0
    assert same.interval[1] - same.lag == pytest.approx(2 / np.sqrt(125))
    # Weights that are estimates from few samples widen it: 1 + 4 Σ share (1 − share) / freedom.
    few = pooled(lag, se, np.array([21.0, 11.0]), 2.0)
    widened = 1 + 4 * 0.16 * (1 / 20 + 1 / 10)
    assert few.interval[1] - few.lag == pytest.approx(2 * np.sqrt(widened / 125))
    apart = pooled(np.array([0.0, 2.0]), np.array([0.1, 0.1]), np.array([50.0, 40.0]), 2.0)
    assert apart.lag == pytest.approx(1.0)
    assert apart.spread == pytest.approx(np.sqrt(2), rel=0.01)
    none = pooled(np.array([0.0]), np.array([np.inf]), np.array([0.0]), 2.0)
    assert np.isnan(none.lag)


def test_that_a_rival_is_worse_only_where_the_rows_say_so() -> None:
    sim, target = shifted(wander(300, 2, seed=1), 4, 0.1)
    x, y = smoothed(sim), smoothed(target)
    assert is_worse(x, y, 4.0, 30.0, 0.99)
    assert not is_worse(x, y, 30.0, 4.0, 0.99)
    assert not is_worse(x, y, 4.0, 4.0, 0.99)


def test_that_the_spline_goes_through_its_samples_and_gathers_as_it_shifts() -> None:
    smooth = smoothed(wander(100, 3, seed=2).T)
    spline = Spline(smooth)
    rows = np.arange(100.0)[None, :]
    value, _, _ = spline.at(rows)
    assert value == pytest.approx(smooth.value, abs=1e-9)
    lag = np.array([3.25, -7.5, 0.0])
    fast = spline.shifted(lag, 100)
    slow = spline.at(rows - lag[:, None])
    inside = fast[2]
    assert inside.sum() > 250
    assert (inside <= slow[2]).all()
    for one, other in zip(fast[:2], slow[:2], strict=True):
        assert one[inside] == pytest.approx(other[inside], abs=1e-9)


def test_that_holes_are_bridged_by_straight_lines() -> None:
    value = np.array([[0.0, np.nan, 2.0, np.nan], [np.nan] * 4])
    assert filled(value).tolist() == [[0.0, 1.0, 2.0, 2.0], [0.0, 0.0, 0.0, 0.0]]
