"""Slopes, levels and first rows: known truth in, the same truth out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import wander
from tracescope.analysis.regression import first_rows, first_rows_on_line, fit_slopes


def signals(n: int, seed: int) -> np.ndarray:
    return wander(n, 1, seed).T


@pytest.mark.parametrize("slope", [-1.0, 0.8, 1.0, 1.5, 651.9])
@pytest.mark.parametrize("n", [40, 400])
def test_that_the_interval_holds_the_slope_and_the_intercept_its_offset(
    slope: float, n: int
) -> None:
    x = signals(n, 1)
    noise = np.random.default_rng(2).normal(0, 0.01, x.shape)
    fit = fit_slopes(x, slope * (x + noise) + 0.3)
    assert fit.low[0] <= slope <= fit.high[0]
    assert fit.high[0] - fit.low[0] < 0.2 * abs(slope)
    assert abs(fit.intercept[0] - 0.3) <= fit.intercept_half[0]
    assert fit.structured[0] < 0.02


def test_that_equal_signals_have_a_slope_of_exactly_one_without_width() -> None:
    x = wander(100, 3, 4).T
    fit = fit_slopes(x, x.copy())
    assert np.allclose(fit.low, 1.0, atol=1e-9)
    assert np.allclose(fit.high, 1.0, atol=1e-9)
    assert np.array_equal(fit.shift, np.zeros(3))
    assert (fit.n_eff == 100).all()


def test_that_another_motion_in_the_residual_widens_the_slope() -> None:
    x = signals(2000, 1)
    other = signals(2000, 2)
    noise = np.random.default_rng(3).standard_normal(x.shape)
    structured = fit_slopes(x, x + 0.2 * other)
    white = fit_slopes(x, x + 0.2 * noise)
    assert structured.structured[0] > 0.1 > white.structured[0]
    assert structured.high[0] - structured.low[0] > 2 * (white.high[0] - white.low[0])


def test_that_a_weakly_related_signal_has_a_finite_interval() -> None:
    x = np.cumsum(np.random.default_rng(1).standard_normal((1, 60)), axis=1)
    y = np.cumsum(np.random.default_rng(2).standard_normal((1, 60)), axis=1)
    fit = fit_slopes(x, y)
    assert np.isfinite([fit.low[0], fit.high[0]]).all()
    assert fit.low[0] < fit.slope[0] < fit.high[0]


def test_that_a_still_signal_has_no_slope() -> None:
    x = np.stack([np.zeros(50), signals(50, 1)[0]])
    fit = fit_slopes(x, x[::-1].copy())
    assert not np.isfinite(fit.slope[0])
    assert fit.n_eff[0] == 0


@settings(max_examples=40, deadline=None)
@given(
    scale=st.floats(0.01, 1000),
    shift=st.floats(-1000, 1000),
    seed=st.integers(0, 1000),
)
def test_that_a_change_of_unit_changes_the_slope_by_that_unit(
    scale: float, shift: float, seed: int
) -> None:
    x = signals(80, seed)
    y = x + 0.05 * np.random.default_rng(seed).standard_normal(x.shape)
    before, after = fit_slopes(x, y), fit_slopes(x, scale * y + shift)
    assert after.slope[0] == pytest.approx(scale * before.slope[0], rel=1e-6)
    assert after.low[0] == pytest.approx(scale * before.low[0], rel=1e-5)
    assert after.high[0] == pytest.approx(scale * before.high[0], rel=1e-5)


def test_that_slope_intervals_cover_the_truth_as_often_as_they_claim() -> None:
    rng = np.random.default_rng(7)
    inside = 0
    for _ in range(10):
        x = wander(200, 40, int(rng.integers(1 << 30))).T
        y = 1.2 * x + 0.1 * rng.standard_normal(x.shape)
        x = x + 0.1 / 1.2 * rng.standard_normal(x.shape)
        fit = fit_slopes(x, y, 0.95)
        inside += int(((fit.low <= 1.2) & (fit.high >= 1.2)).sum())
    assert inside >= 0.94 * 400


def test_that_the_first_rows_give_the_start_before_the_motions_part() -> None:
    n = 400
    time = np.arange(n)
    x = np.exp(-time / 20)[None, :]
    y = (1.5 * np.exp(-time / 12))[None, :]
    noise = np.random.default_rng(1).normal(0, 1e-3, (1, n))
    start = first_rows(x, y + noise)
    assert abs(start.difference[0] - 0.5) < 0.02 + start.half[0]
    assert start.half[0] < 0.05
    assert not first_rows_on_line(x, y + noise, fit_slopes(x, y + noise))[0]


def test_that_the_first_rows_of_a_scaled_signal_lie_on_its_line() -> None:
    x = signals(100, 5)
    y = 1.5 * x + np.random.default_rng(1).normal(0, 0.01, x.shape)
    assert first_rows_on_line(x, y, fit_slopes(x, y))[0]


def test_that_a_long_trace_keeps_the_interval_of_its_rows() -> None:
    x = wander(20_000, 2, 1).T
    y = 1.2 * x + 0.2 * np.random.default_rng(1).standard_normal(x.shape)
    long, short = fit_slopes(x, y), fit_slopes(x[:, :2000], y[:, :2000])
    assert (long.low <= 1.2).all()
    assert (long.high >= 1.2).all()
    assert (long.n_eff > 5 * short.n_eff).all()
    ratio = short.shift_half / long.shift_half
    assert (np.abs(np.log(ratio / np.sqrt(10))) < np.log(2)).all()
