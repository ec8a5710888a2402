"""Known truths of noise: what is squared is found again, what stands still far off zero is no motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chndtr

from tests.builders import case, trace, wander
from tracescope.analysis.action_map_fits import fit_gain_and_rate_limit
from tracescope.analysis.ends_motion import end_motion
from tracescope.analysis.one_step import Scaling
from tracescope.analysis.one_step_noise import sensor_variance
from tracescope.analysis.one_step_spread import spread_interval
from tracescope.analysis.pooling import alike
from tracescope.analysis.probe_brackets import first_above
from tracescope.analysis.probe_step import Step, step_response
from tracescope.analysis.residual import signal_lags
from tracescope.analysis.response_rows import response_rows
from tracescope.analysis.start import start_verdict
from tracescope.analysis.timebase import step_lattice
from tracescope.analysis.whole_shift import whole_shifts
from tracescope.model.trace import Role


@pytest.mark.parametrize(("observed", "dof"), [(5000.0, 1000.0), (9000.0, 3000.0), (2500.0, 40.0)])
def test_that_a_large_draw_is_unlikely_by_the_same_share_at_both_ends(observed: float, dof: float):
    low, high = spread_interval(observed, dof, 0.99)
    assert low < observed - dof < high
    assert chndtr(observed, dof, low) == pytest.approx(0.995, abs=1e-3)
    assert chndtr(observed, dof, high) == pytest.approx(0.005, abs=1e-3)


def test_that_a_level_far_from_zero_makes_no_two_signals_alike():
    value = np.vstack((100 + wander(200, seed=1)[:, 0], wander(200, seed=2)[:, 0]))
    weight, gain = np.ones_like(value), np.ones(2)
    near, far = 1e-3 * wander(200, 2, seed=3).T, 0.05 * wander(200, 2, seed=3).T
    assert alike(gain, near, value, weight).all()
    assert not alike(gain, far, value, weight).any()
    assert not alike(1.01 * gain, near, value, weight).any()


def test_that_a_level_reached_from_the_start_has_ends():
    t = 0.1 * np.arange(30)
    found = first_above(t, 1 + 0.01 * t, 0.5, 0.05)
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, 0.0)


def test_that_a_response_that_is_there_at_once_settles_within_a_row():
    t = 0.01 * np.arange(300)
    value = np.where(t >= 1.0, 2.0, 0.0)
    found = step_response(t, value, Step(0.995, 0.0, float(t[-1]), 2.0), 0.99)
    assert not isinstance(found, str)
    assert found.settling_s.estimate == 0.0
    assert found.settling_s.low == 0.0
    assert 0 <= found.settling_s.high <= 0.01
    assert found.settling_s.n == 200


@pytest.mark.parametrize("seed", [0, 2])
def test_that_a_signals_lag_lies_within_an_interval_that_has_two_ends(seed: int):
    rng = np.random.default_rng(seed)
    value = wander(303, 2, seed=seed)
    late = np.column_stack((value[3:, 0], value[:-3, 1])) + 0.02 * rng.standard_normal((300, 2))
    lags = {
        lag.channel: lag for lag in signal_lags(case(trace(0.02, value[3:]), trace(0.02, late)))
    }
    for channel, true in (("obs[0]", 0.0), ("obs[1]", 0.06)):
        low, high = lags[channel].interval_s
        assert low < lags[channel].lag_s < high
        assert low - 1e-4 <= true <= high + 1e-4
        assert high - low < 0.01


def test_that_a_signal_that_only_grows_is_no_response():
    value, rng = wander(400, seed=4)[:, 0], np.random.default_rng(1)
    sides = []
    for _ in range(2):
        clock = np.cumsum(rng.uniform(0.5, 1.5, 400))
        action = wander(400, seed=6)[:, 0] + 0.01 * rng.standard_normal(400)
        seen = value + 0.01 * rng.standard_normal(400)
        moving = wander(400, seed=8)[:, 0] + 0.01 * rng.standard_normal(400)
        sides.append(trace(0.02, seen, action, other={"counter": clock, "gauge": moving}))
    for side in response_rows(case(*sides), Role.ACTION):
        assert side.outputs == ("obs", "gauge")


def test_that_a_gain_behind_a_rate_limit_keeps_its_level():
    rng = np.random.default_rng(2)
    x = np.where(rng.random(600) < 0.05, 1.0, 0.0).cumsum() % 3 + 0.01 * rng.standard_normal(600)
    y = np.zeros(600)
    y[0] = 1.2 * x[0] + 0.4
    for i in range(1, 600):
        y[i] = y[i - 1] + np.clip(1.2 * x[i] + 0.4 - y[i - 1], -0.3, 0.3)
    (found,) = fit_gain_and_rate_limit(x, y)
    assert (found.gain, found.offset, found.rate) == pytest.approx((1.2, 0.4, 0.3), abs=0.02)


@pytest.mark.parametrize("keep", [0.6, 1.0])
def test_that_sensor_noise_is_found_again_in_what_one_step_leaves(keep: float):
    rng, n = np.random.default_rng(3), 20_000
    noise = np.array([0.2, 3.0]) * rng.standard_normal((n + 1, 2))
    beta = np.zeros((3, 2))
    beta[1:] = (keep - 1) * np.eye(2) * 2.0
    scaling = Scaling(np.zeros(2), np.full(2, 2.0), np.zeros(0), np.zeros(0))
    found = sensor_variance(noise[1:] - keep * noise[:-1], np.arange(n), beta, scaling)
    assert found == pytest.approx([0.04, 9.0], rel=0.1)
    assert sensor_variance(noise, np.arange(n + 1), beta, scaling) == pytest.approx([0, 0])


@pytest.mark.parametrize("unit", [1e-5, 1e5])
@pytest.mark.parametrize("late", [0, 2])
def test_that_which_counters_started_together_does_not_rest_on_units(unit: float, late: int):
    rng = np.random.default_rng(7)
    value = wander(303, 3, seed=7)
    noise = 0.01 * rng.standard_normal((2, 300, 3))
    found = []
    for factor in (np.ones(3), np.array([unit, 1.0, unit**2])):
        sim, target = (
            factor * (value[:300] + noise[0]),
            factor * (value[late : 300 + late] + noise[1]),
        )
        lattice = step_lattice(case(trace(0.02, sim), trace(0.02, target)), 0)
        verdicts = [start_verdict(lattice, lag) for lag in (-2.0, -1.0, 1.0, 2.0)]
        found.append((whole_shifts(lattice, range(-4, 5), 0.99), repr(verdicts)))
    assert found[0] == found[1]
    assert len(found[0][0]) == 1


def test_that_two_motions_that_stay_together_from_the_start_are_one_unbroken_stretch():
    ended = 0.01 * np.where(np.arange(60) % 2, 1.0, -1.0)[:, None] * np.ones(2)
    found = end_motion(ended, ended.copy(), np.ones(2), 50, ("a", "b"))
    assert (found.still_low, found.still_high) == (found.shift_low, found.shift_high)
    assert found.still_low < -3
    assert found.still_high == 9
