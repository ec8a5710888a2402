"""Known truths where a small slip of the code shows: starts that differ, gaps, levels far from 0, slow noise."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.kinematics import Relation, relation_constant
from tracescope.analysis.one_step_sums_fit import coefficient_covariance
from tracescope.analysis.probe_contact import contacts, quiet_of
from tracescope.analysis.residual import signal_lags
from tracescope.analysis.response_bends import with_bends
from tracescope.analysis.response_rows import ResponseRows
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_gap import paired_gap
from tracescope.analysis.reward_model_rivals import reward_rivals
from tracescope.analysis.reward_model_rows import reward_sides


@pytest.mark.parametrize("first", [0, 9])
def test_that_a_signals_lag_is_counted_from_the_alignment_wherever_the_logs_begin(first: int):
    value = wander(330, 2, seed=6)
    late = np.column_stack((value[3:, 0], value[:-3, 1]))
    sim, target = value[3 + first :], late
    both = case(trace(0.02, sim, t0=0.02 * first), trace(0.02, target))
    lags = {lag.channel: lag.lag_s for lag in signal_lags(both)}
    assert lags["obs[0]"] == pytest.approx(0.0, abs=1e-6)
    assert lags["obs[1]"] == pytest.approx(0.06, abs=1e-6)


def test_that_a_relation_in_bursts_too_short_for_three_windows_has_no_constant():
    velocity = wander(240, 1, 1, smooth=5.0)[:, 0]
    position = np.concatenate(([0.0], np.cumsum(0.5 * (velocity[1:] + velocity[:-1]) * 0.02)))
    value = np.stack((position, velocity))
    whole = relation_constant(Relation(0, (1,), 1.0, 4), value, 0.02 * np.arange(240), 0.99)
    assert whole is not None
    row = np.arange(240)
    pause = np.where(row < 2 * 13, row // 13, row // 9)  # two bursts alone hold three windows of 4
    assert relation_constant(Relation(0, (1,), 1.0, 4), value, 0.02 * row + pause, 0.99) is None


def test_that_a_contacts_impulse_does_not_rest_on_how_long_nothing_touched():
    rng = np.random.default_rng(4)
    quiet = 0.05 * rng.standard_normal(1200)
    pulse = 20 * np.sin(np.pi * np.arange(1, 20) / 20)
    found = []
    for before in (100, 1000):
        value = np.concatenate((quiet[-before:], pulse, quiet[:100]))
        t = 0.002 * np.arange(value.size)
        (contact,) = contacts(t, value, quiet_of(value, 0.99), 2.0, 0.99)
        found.append(contact)
        assert contact.impulse.low <= 20 * 0.04 * 2 / np.pi <= contact.impulse.high
        assert contact.impulse.n < 30
        assert contact.first_s == pytest.approx(0.002 * before, abs=0.003)
    short, long = (one.impulse.high - one.impulse.low for one in found)
    assert long == pytest.approx(short, rel=0.3)


def test_that_slow_noise_counts_in_full_for_a_sum_over_many_rows():
    n, rng = 400, np.random.default_rng(2)
    influence = np.full((n, 1), 1 / n)
    means, said = [], []
    for _ in range(300):
        error = np.convolve(rng.standard_normal(n + 14), np.ones(15) / np.sqrt(15), "valid")[:n]
        means.append(error.mean())
        error = (error - error.mean())[:, None]
        said.append(coefficient_covariance(influence, error, np.arange(n), n - 1)[0, 0, 0])
    assert 0.6 < np.mean(said) / np.var(means) < 1.5


def test_that_a_state_far_from_zero_is_bent_about_its_mean_whatever_another_does():
    rng = np.random.default_rng(3)

    def side(seed: int) -> ResponseRows:
        speed = -4 + wander(600, seed=seed, smooth=10.0)[:, 0]
        state = np.vstack((speed, 4 + wander(600, seed=seed + 50, smooth=10.0)[:, 0]))
        force = wander(600, seed=seed + 90)[:, 0]
        change = (
            0.1 * force - 0.2 * (speed + 4) * np.abs(speed + 4) + 1e-3 * rng.standard_normal(600)
        )
        names = ("speed", "other")
        return ResponseRows(
            ("force",), names, names[:1], force[None], state, change[None], np.zeros(600, int)
        )

    sides = side(1), side(2)
    bent = with_bends(sides, lambda _: (2, False))
    mean = np.concatenate([s.state for s in sides], axis=1).mean(axis=1)
    for straight, curved in zip(sides, bent, strict=True):
        assert curved.states[2:4] == ("speed bent", "other bent")
        assert (np.sign(curved.state[2:4]) == np.sign(straight.state - mean[:, None])).all()


def test_that_rewards_in_exact_proportion_have_an_exact_slope():
    sim = 3 * wander(200, seed=5)[:, 0]
    slope = paired_gap(sim, 1.7 * sim, 0.02 * np.arange(200), 1.0, 0.99).slope
    assert (slope.low, slope.estimate, slope.high) == pytest.approx((1.7, 1.7, 1.7))


@pytest.mark.parametrize("rows", [-2, 1])
def test_that_observations_of_other_rows_than_the_reward_was_paid_for_are_a_rival(rows: int):
    def paid(seed: int, later: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        state, action = wander(404, 2, seed=seed), wander(404, seed=seed + 7)[2:-2, 0]
        reward = 1 - state[2:-2, 0] ** 2 - 0.5 * state[2:-2, 1] - 0.3 * action**2
        return state[2 - later : 402 - later], action, reward

    sim, target = (
        trace(0.02, obs, action, reward=reward)
        for obs, action, reward in (paid(1, 0), paid(2, rows))
    )
    sides = reward_sides(case(sim, target))
    model = fit_reward(sides.sim)
    assert model is not None
    rival = reward_rivals(model, sides)[0]
    assert (rival.kind, rival.value, rival.channel) == ("lag", rows, "")
