"""Plateaus, holds, steps and swaps, and what must not be taken for one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import wander
from tracescope.analysis.saturation import (
    held_values,
    ks_distance,
    plateau,
    repeat_runs,
    resolution,
    saturation,
    swapped_channels,
    ties_over_noise,
)
from tracescope.analysis.stretches import LONG_ROWS


def none(n: int) -> np.ndarray:
    return np.zeros(n, dtype=bool)


@pytest.mark.parametrize("side", [1, -1])
def test_that_a_plateau_over_which_the_simulator_moves_is_saturation(side: int) -> None:
    sim = wander(300, 1, 1)[:, 0]
    target = side * np.minimum(side * sim, 1.0)
    (found,) = saturation(sim, target)
    assert found.bound == side
    assert found.side == side
    assert found.count == int((side * sim >= 1.0).sum())


def climbing(noise: float, rest: float = 2.0) -> np.ndarray:
    """A slow climb to a rest that it reaches after two thirds, with a noise of its own on every row."""
    rng = np.random.default_rng(3)
    rise = rest * np.minimum(np.arange(300) / 200, 1.0)
    return rise + noise * rng.normal(size=300)


@pytest.mark.parametrize("side", [1, -1])
def test_that_ties_where_the_simulator_shows_noise_only_are_neither_saturation_nor_none(
    side: int,
) -> None:
    sim = side * climbing(0.01)
    target = side * np.minimum(side * sim, 1.99)
    assert saturation(sim, target) == ()
    (found,) = ties_over_noise(sim, target)
    assert found.side == side
    assert found.bound == pytest.approx(1.99 * side)
    assert found.count == int((side * sim >= 1.99).sum())


@given(seed=st.integers(0, 2**32 - 1), noise=st.floats(0.001, 0.05), gain=st.floats(0.5, 2.0))
@settings(max_examples=60, deadline=None)
def test_that_noise_ties_nowhere_and_a_common_rest_is_no_limit(
    seed: int, noise: float, gain: float
) -> None:
    rng = np.random.default_rng(seed)
    sim = climbing(noise)
    assert ties_over_noise(sim, gain * sim + noise * rng.normal(size=300)) == ()
    resting = climbing(0.0)
    assert ties_over_noise(resting, np.minimum(climbing(noise), 1.9)) == ()


def test_that_both_ends_can_saturate() -> None:
    sim = wander(300, 1, 1)[:, 0]
    assert {p.side for p in saturation(sim, np.clip(sim, -0.9, 0.9))} == {1, -1}


def test_that_a_pose_that_both_hold_is_no_saturation() -> None:
    sim = np.concatenate([np.zeros(50), np.abs(wander(100, 1, 1)[:, 0])])
    target = sim.copy()
    assert saturation(sim, target) == ()


def test_that_a_coarse_sensor_is_no_saturation() -> None:
    sim = wander(300, 1, 1)[:, 0]
    assert saturation(sim, np.round(sim)) == ()


def test_that_a_dead_signal_has_no_plateau() -> None:
    sim = wander(60, 1, 1)[:, 0]
    assert saturation(sim, np.zeros(60)) == ()
    assert plateau(np.full(5, np.nan), 1).count == 0


def test_that_repeats_are_counted_in_rows() -> None:
    first, length = repeat_runs(np.array([1.0, 1, 2, 3, 3, 3, 4]))
    assert first.tolist() == [0, 3]
    assert length.tolist() == [2, 3]


def test_that_a_hold_while_the_simulator_moves_is_found_where_it_is() -> None:
    sim = wander(200, 1, 1)[:, 0]
    target = sim + 1e-4 * np.random.default_rng(1).standard_normal(200)
    target[80:92] = target[80]
    found = held_values(sim, target, 0.0, none(200))
    assert found.longest == (80, 91)
    assert found.excess == 11
    assert np.flatnonzero(found.rows).tolist() == list(range(81, 92))


def test_that_standing_still_in_both_is_no_hold() -> None:
    sim = wander(200, 1, 1)[:, 0]
    sim[50:120] = sim[50]
    target = sim.copy()
    found = held_values(sim, target, 0.0, none(200))
    assert found.excess == 0
    assert found.longest is None


def test_that_a_machine_that_sticks_is_no_hold() -> None:
    sim = 0.01 * np.arange(200.0)
    target = sim.copy()
    target[80:] -= 0.01 * np.minimum(np.arange(120), 12)
    target[80:93] = target[80]
    assert held_values(sim, target, 0.0, none(200)).longest is None


def test_that_a_start_at_rest_is_no_hold() -> None:
    sim = wander(200, 1, 1)[:, 0]
    target = sim.copy()
    target[:6] = target[0]
    assert held_values(sim, target, 0.0, none(200)).longest is None


def test_that_the_simulators_own_holds_are_what_counts() -> None:
    truth = wander(200, 1, 1)[:, 0]
    sim, target = truth.copy(), truth.copy()
    sim[40:48] = sim[40]
    target[80:88] = target[80]
    found = held_values(sim, target, 0.0, none(200))
    assert found.longest == (80, 87)
    assert found.excess == 0


def test_that_flicker_below_two_steps_is_no_motion() -> None:
    rng = np.random.default_rng(1)
    sim = np.round(rng.normal(0, 0.6, 400))
    target = np.round(rng.normal(0, 0.6, 400))
    assert held_values(sim, target, 1.0, none(400)).excess == 0


def test_that_rows_known_to_repeat_for_another_reason_are_skipped() -> None:
    sim = wander(100, 1, 1)[:, 0]
    target = sim.copy()
    target[40:50] = target[40]
    skip = none(100)
    skip[40:50] = True
    assert held_values(sim, target, 0.0, skip).longest is None


@settings(max_examples=40, deadline=None)
@given(step=st.floats(1e-3, 10), offset=st.floats(-5, 5))
def test_that_the_step_of_a_grid_is_found_whatever_its_origin(step: float, offset: float) -> None:
    counts = np.round(6 * wander(400, 1, 2)[:, 0])
    assert resolution(step * counts + offset) == pytest.approx(step, rel=1e-6)


def test_that_a_fine_signal_lies_on_no_grid() -> None:
    assert resolution(wander(400, 1, 2)[:, 0]) == 0.0
    assert resolution(np.array([0.0, 1.0] * 50)) == 0.0


def test_that_the_distance_of_distributions_is_scipys() -> None:
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(1)
    a, b = np.round(rng.normal(0, 1, 300), 1), rng.normal(0.3, 1.2, 250)
    assert ks_distance(a, b) == pytest.approx(ks_2samp(a, b).statistic)
    assert ks_distance(a, a) == 0.0
    assert np.isnan(ks_distance(a, np.full(3, np.nan)))


def test_that_swapped_and_rotated_channels_are_found() -> None:
    sim = wander(300, 4, 1).T
    assert swapped_channels(sim, sim) == {}
    assert swapped_channels(sim, sim[[1, 0, 2, 3]]) == {0: 1, 1: 0}
    assert swapped_channels(sim, sim[[1, 2, 0, 3]]) == {0: 1, 1: 2, 2: 0}


def test_that_a_copy_of_a_neighbour_is_no_swap() -> None:
    sim = wander(300, 3, 1).T
    assert swapped_channels(sim, sim[[1, 1, 2]]) == {}


@pytest.mark.parametrize(("step", "still"), [(0.05, 0.0), (0.05, 0.999), (0.0, 0.0)])
def test_that_a_long_signal_has_the_resolution_of_its_converter(step: float, still: float) -> None:
    """Read off stretches, and off all of it where it stands still in most of those."""
    value = np.cumsum(np.random.default_rng(3).normal(size=LONG_ROWS + 1)) * 0.1
    value[: int(still * value.size)] = value[int(still * value.size)]
    if step:
        value = step * np.round(value / step)
    assert resolution(value) == pytest.approx(step, rel=1e-6)
    assert resolution(value.astype(np.float32)) == pytest.approx(step, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("step", [0.024, 0.1])
def test_that_a_coarse_sensor_repeats_no_longer_than_the_simulator_read_as_coarsely(step) -> None:
    """Where a motion turns, a coarse reading repeats; which rows another motion moves over then is chance."""
    for seed in range(30):
        sim, target = wander(1000, 2, seed=seed, smooth=4.0).T
        assert held_values(sim, step * np.round(target / step), step, none(1000)).excess <= 1


def test_that_a_coarse_sensor_that_holds_its_value_is_still_found() -> None:
    found = 0
    for seed in range(20):
        sim = wander(1000, 1, seed=seed, smooth=2.0)[:, 0]
        target = 0.024 * np.round(sim / 0.024)
        target[500:512] = target[500]
        held = held_values(sim, target, 0.024, none(1000))
        found += held.excess > 1 and held.longest == (500, 511)
    assert found >= 16
