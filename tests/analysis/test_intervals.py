from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter

from tracescope.analysis.intervals import (
    bonferroni,
    covered,
    influence_interval,
    mean_interval,
    mean_intervals,
)


def autoregressive(phi: float, n: int, count: int, seed: int = 7) -> np.ndarray:
    noise = np.random.default_rng(seed).standard_normal((count, n + 200))
    return lfilter([1.0], [1.0, -phi], noise, axis=1)[:, 200:]


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("n", [40, 200, 2000])
def test_that_intervals_of_a_mean_cover_at_the_nominal_rate_on_autocorrelated_noise(
    n: int, phi: float
) -> None:
    z = autoregressive(phi, n, 1500)
    mean, half, _ = mean_intervals(z, 0.95)
    coverage = np.mean(np.abs(mean) < half)
    assert coverage > 0.93
    mean, half, _ = mean_intervals(z, 0.99)
    assert np.mean(np.abs(mean) < half) > (0.955 if (n, phi) == (40, 0.9) else 0.98)


def test_that_intervals_are_not_wider_than_long_series_need() -> None:
    z = autoregressive(0.5, 2000, 1000)
    mean, half, n_eff = mean_intervals(z, 0.99)
    assert np.median(half) < 1.15 * np.quantile(np.abs(mean), 0.99)
    # An AR(1) with φ = 0.5 holds a third as many independent samples as rows.
    assert np.median(n_eff) == pytest.approx(2000 / 3, rel=0.1)


def test_that_a_constant_series_has_no_width() -> None:
    result = mean_interval(np.full(50, 0.05))
    assert (result.estimate, result.low, result.high) == pytest.approx((0.05, 0.05, 0.05))
    assert result.n_eff == 50


@pytest.mark.parametrize("n", [0, 1, 2])
def test_that_too_few_samples_give_no_finite_interval(n: int) -> None:
    result = mean_interval(np.arange(float(n)))
    assert result.low == -np.inf
    assert result.high == np.inf


def test_that_samples_that_are_not_finite_are_left_out() -> None:
    z = np.random.default_rng(0).standard_normal(100)
    holed = np.insert(z, [10, 50], [np.nan, np.inf])
    assert mean_interval(holed) == mean_interval(z)


def test_that_a_trend_claims_no_precision() -> None:
    assert mean_interval(np.linspace(0, 1, 100)).n_eff < 12


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3), st.integers(3, 80))
def test_that_intervals_follow_shift_and_scale(shift: float, scale: float, n: int) -> None:
    z = np.random.default_rng(n).standard_normal(n)
    plain, moved = mean_interval(z), mean_interval(scale * z + shift)
    slack = 1e-6 * (abs(shift) + scale)
    assert moved.estimate == pytest.approx(scale * plain.estimate + shift, abs=slack)
    assert moved.half == pytest.approx(scale * plain.half, rel=1e-3, abs=slack)


def test_that_an_influence_interval_ignores_the_mean_of_the_influence() -> None:
    z = np.random.default_rng(0).standard_normal(200)
    result = influence_interval(3.0, z + 100)
    assert result.estimate == 3.0
    assert result.half == pytest.approx(mean_interval(z).half)


def test_that_joint_confidence_is_shared_out() -> None:
    assert bonferroni(0.99, 10) == pytest.approx(0.999)
    assert bonferroni(0.99, 0) == 0.99


def test_that_few_effective_samples_suffice_only_for_a_narrow_interval() -> None:
    assert covered((0.9, 1.1), 8, (0.95, 1.05))
    assert not covered((0.9, 1.1), 7.9, (0.95, 1.05))
    assert covered((0.999, 1.001), 2, (0.95, 1.05))
    assert not covered((0.999, 1.001), 2, None)
