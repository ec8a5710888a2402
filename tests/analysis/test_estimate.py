from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from tests.builders import exercise, pair, trace, wander
from tests.truth.pairs import make_pair
from tracescope.analysis.estimate import (
    assumed_alignment,
    counter_alignment,
    estimate_alignment,
    initial_alignment,
    lag_by_step,
)
from tracescope.model.trace import Clock

MOTION = CubicSpline(np.arange(1400), wander(1400, 3, seed=5))


def moved(n: int, lag_rows: float, noise: float = 0.05, drift: float = 0.0, seed: int = 1):
    """A pair in which the target shows ``lag_rows`` rows later what the sim shows."""
    rows = np.arange(n) + 400.0
    rng = np.random.default_rng(seed)
    shown = MOTION(rows - lag_rows - drift * np.arange(n))
    sim = trace(0.02, MOTION(rows), step=False)
    target = trace(0.02, 1.4 * shown + 0.3 + noise * rng.standard_normal((n, 3)), step=False)
    return pair(sim, target)


@pytest.mark.parametrize("n", [40, 41, 300, 301])
def test_that_a_trace_against_itself_is_off_by_exactly_nothing(n: int) -> None:
    both = trace(0.02, wander(n, 2, seed=n), step=False)
    estimate = estimate_alignment(pair(both, both))
    assert estimate.verdict == "clear"
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == 0.0
    assert estimate.alignment.drift == 0.0


@pytest.mark.parametrize("lag_rows", [-10.0, -3.4, 0.7, 10.0, 31.25])
def test_that_a_late_target_has_a_positive_offset_and_an_early_one_a_negative(
    lag_rows: float,
) -> None:
    estimate = estimate_alignment(moved(300, lag_rows))
    assert estimate.verdict == "clear"
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(lag_rows * 0.02, abs=0.1 * 0.02)
    low, high = estimate.alignment.offset_interval_s
    assert low - 1e-3 <= lag_rows * 0.02 <= high + 1e-3


@settings(max_examples=30, deadline=None)
@given(st.floats(-20, 20), st.integers(0, 1000), st.sampled_from([0.02, 0.1, 0.2]))
def test_that_a_clear_estimate_is_never_far_off(lag_rows: float, seed: int, noise: float) -> None:
    estimate = estimate_alignment(moved(300, lag_rows, noise, seed=seed))
    if estimate.verdict == "clear":
        assert estimate.alignment is not None
        assert estimate.alignment.offset_s / 0.02 == pytest.approx(lag_rows, abs=0.3)


@pytest.mark.parametrize("lag_rows", [-1.0, 4.3])
def test_that_a_chance_drift_does_not_pull_the_offset_out_of_its_interval(lag_rows: float) -> None:
    # Seed 421 is one of the few in a hundred whose noise looks like a drift.
    held = 0
    for seed in (421, *range(39)):
        found = estimate_alignment(moved(300, lag_rows, 0.2, seed=seed)).alignment
        assert found is not None
        assert found.drift == 0.0
        assert found.offset_s / 0.02 == pytest.approx(lag_rows, abs=0.12)
        low, high = found.offset_interval_s
        inside = low / 0.02 <= lag_rows <= high / 0.02
        held += inside
        assert inside or seed != 421
    assert held >= 39


def test_that_stamps_that_start_elsewhere_only_move_the_offset() -> None:
    sim = trace(0.02, wander(200, 2), step=False)
    target = trace(0.02, wander(200, 2), t0=50.25, step=False)
    estimate = estimate_alignment(pair(sim, target))
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(50.25, abs=1e-9)


def test_that_a_sine_is_ambiguous_and_names_the_periods_beside() -> None:
    t = 0.02 * np.arange(500)
    sim = trace(0.02, np.sin(2 * np.pi * t), step=False)
    target = trace(0.02, np.sin(2 * np.pi * (t + 0.2)), step=False)
    estimate = estimate_alignment(pair(sim, target))
    assert estimate.verdict == "ambiguous"
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(-0.2, abs=1e-3)
    assert min(abs(rival.offset_s - 0.8) for rival in estimate.rivals) < 1e-3
    assert estimate.alignment.rivals == estimate.rivals


def test_that_a_noisy_sine_is_ambiguous_and_the_nearest_offset_is_picked() -> None:
    t = 0.02 * np.arange(500)
    noise = 0.1 * np.random.default_rng(3).standard_normal(500)
    sim = trace(0.02, np.sin(2 * np.pi * t), step=False)
    target = trace(0.02, np.sin(2 * np.pi * (t + 0.2)) + noise, step=False)
    estimate = estimate_alignment(pair(sim, target))
    assert estimate.verdict == "ambiguous"
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(-0.2, abs=0.01)


@pytest.mark.parametrize(
    ("sim", "target", "reason"),
    [
        (np.ones(100), wander(100)[:, 0], "no channel moves"),
        (np.zeros(100), np.zeros(100), "no channel moves"),
        (np.arange(100.0), np.arange(100.0) + 3, "straight line"),
        (wander(15)[:, 0], wander(15)[:, 0], "only 15 rows"),
        (wander(150, seed=1)[:, 0], wander(150, seed=9, smooth=0.1)[:, 0], "correlation"),
    ],
    ids=["constant", "silent", "straight", "short", "other"],
)
def test_that_nothing_is_estimated_where_nothing_can_be(
    sim: np.ndarray, target: np.ndarray, reason: str
) -> None:
    estimate = estimate_alignment(
        pair(trace(0.02, sim, step=False), trace(0.02, target, step=False))
    )
    assert estimate.verdict == "not possible"
    assert estimate.alignment is None
    assert reason in estimate.because


@pytest.mark.parametrize(("dt_sim", "dt_target"), [(0.02, 0.03), (0.03, 0.02)])
def test_that_rates_may_differ(dt_sim: float, dt_target: float) -> None:
    n_sim, n_target = int(6 / dt_sim), int(6 / dt_target)
    sim = trace(dt_sim, MOTION(400 + np.arange(n_sim) * dt_sim / 0.02), step=False)
    late = np.arange(n_target) * dt_target - 0.05
    target = trace(dt_target, MOTION(400 + late / 0.02), step=False)
    estimate = estimate_alignment(pair(sim, target))
    assert estimate.verdict == "clear"
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(0.05, abs=0.002)


def test_that_channels_may_miss_samples() -> None:
    both = moved(400, 5.0)
    values = np.stack([channel.as_float() for channel in both.target.channels], axis=1).copy()
    values[100:110] = np.nan
    values[::37, 0] = np.nan
    estimate = estimate_alignment(pair(both.sim, trace(0.02, values, step=False)))
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(0.1, abs=0.002)


@pytest.mark.parametrize("drift", [0.01, 0.001, -0.005])
def test_that_a_drifting_clock_is_found_with_its_offset(drift: float) -> None:
    estimate = estimate_alignment(moved(500, 2.0, drift=drift))
    assert estimate.verdict == "clear"
    assert estimate.alignment is not None
    assert estimate.alignment.drift == pytest.approx(drift, abs=2e-4)
    assert estimate.alignment.offset_s == pytest.approx(0.04, abs=0.002)
    low, high = estimate.alignment.drift_interval
    assert low <= drift <= high


def test_that_a_command_the_same_in_both_decides_against_lagging_responses() -> None:
    command = wander(300, seed=2)
    response = wander(300, 3, seed=8)
    lagging = np.vstack((np.repeat(response[:1], 4, axis=0), response[:-4]))
    sim = trace(0.02, response, command, step=False)
    target = trace(0.02, lagging, command, step=False)
    estimate = estimate_alignment(pair(sim, target))
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == 0.0
    assert "identical" in estimate.because


def test_that_a_longer_target_is_searched_for_the_sim() -> None:
    whole = wander(900, 3, seed=4)
    sim = trace(0.02, whole[500:700], step=False)
    estimate = estimate_alignment(pair(sim, trace(0.02, whole, step=False)))
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(10.0, abs=1e-6)


def test_that_counters_give_the_exercise_its_ten_milliseconds() -> None:
    alignment, estimate = initial_alignment(pair(*exercise()))
    assert alignment.mode == "step"
    assert alignment.offset_s == pytest.approx(0.01, abs=1e-12)
    assert alignment.drift == 0.0
    assert estimate is None


def test_that_counters_read_the_drift_off_the_stamps() -> None:
    sim = trace(0.02, wander(500))
    target = trace(0.02 * 1.001, wander(500), t0=3.0)
    alignment = counter_alignment(pair(sim, target))
    assert alignment is not None
    # A second of the target's clock holds 1/1.001 s of the sim's.
    assert alignment.drift == pytest.approx(1 - 1 / 1.001, rel=1e-6)
    assert alignment.to_sim(target.time_s) == pytest.approx(sim.time_s, abs=1e-9)


@pytest.mark.parametrize(
    "counter", [4 * np.arange(100), np.concatenate((np.arange(50), np.arange(50))), False]
)
def test_that_counters_that_count_something_else_are_not_used(counter: object) -> None:
    sim = trace(0.02, wander(100))
    target = trace(0.02, wander(100), step=counter)
    assert counter_alignment(pair(sim, target)) is None
    alignment, estimate = initial_alignment(pair(sim, target))
    assert alignment.mode == "time"
    assert alignment.how == "assumed"
    assert estimate is not None


def test_that_overlapping_epochs_are_assumed_to_agree() -> None:
    clock = Clock(column="t", origin_ns=1_700_000_000_000_000_000, is_epoch=True)
    later = Clock(column="t", origin_ns=1_700_000_000_500_000_000, is_epoch=True)
    sim = trace(0.02, wander(100), clock=clock, step=False)
    target = trace(0.02, wander(100), clock=later, step=False)
    both = pair(sim, target)
    assert assumed_alignment(both).offset_s == 0.0
    assert both.target.t_first_s == pytest.approx(0.5)


def test_that_first_samples_are_put_together_where_no_epoch_is_shared() -> None:
    both = pair(trace(0.02, wander(100), step=False), trace(0.02, wander(100), t0=9.0, step=False))
    assert assumed_alignment(both).offset_s == 9.0


@pytest.mark.parametrize("drift", [0.0, 2e-6])
def test_that_a_long_pair_is_looked_at_in_stretches_and_answers_the_same(drift: float) -> None:
    n = 60_000
    whole = wander(n + 200, 2, seed=3)
    late = 37.0 + drift * np.arange(n)
    shown = CubicSpline(np.arange(n + 200), whole)(100 + np.arange(n) - late)
    sim = trace(0.001, whole[100 : n + 100], step=False)
    noise = 0.05 * np.random.default_rng(0).standard_normal(shown.shape)
    estimate = estimate_alignment(pair(sim, trace(0.001, shown + noise, step=False)))
    assert estimate.verdict == "clear"
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(0.037, abs=2e-5)
    assert estimate.alignment.drift == pytest.approx(drift, abs=5e-7)


def test_that_a_nearer_rival_that_resolves_no_lag_is_not_taken() -> None:
    # Forty rows of a pendulum in which the peak nearer to "aligned" is a straight stretch.
    case = make_pair(44, rows=40, kinds=["damping-down"]).case
    found = lag_by_step(case, case.alignment.step_shift)
    assert np.isfinite(found.lag)
    assert all(np.isfinite(lag) for lag, _ in found.rivals)
