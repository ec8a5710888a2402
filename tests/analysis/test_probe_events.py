"""Steps and contacts of known truth: what is measured brackets it, what cannot be told says so."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.analysis.probe_brackets import Bracket, first_above, joint_quantile, level_noise
from tracescope.analysis.probe_contact import (
    contact_threshold,
    contacts,
    paired_contacts,
    quiet_of,
    together,
)
from tracescope.analysis.probe_step import step_response, steps


def second_order(t: np.ndarray, damping: float = 0.4, omega: float = 12.0) -> np.ndarray:
    """Unit step response of a damped oscillator."""
    root = np.sqrt(1 - damping**2)
    t = np.maximum(t, 0.0)
    decay = np.exp(-damping * omega * t)
    wave = np.cos(omega * root * t) + damping / root * np.sin(omega * root * t)
    return 1 - decay * wave


def truth(damping: float = 0.4, omega: float = 12.0) -> tuple[float, float, float]:
    """Rise, settling and overshoot of it, from a fine grid."""
    t = np.arange(0, 4, 1e-5)
    y = second_order(t, damping, omega)
    rise = t[np.argmax(y >= 0.9)] - t[np.argmax(y >= 0.1)]
    settling = t[np.flatnonzero(np.abs(y - 1) > 0.05)[-1]]
    return rise, settling, y.max() - 1


@pytest.mark.parametrize("noise", [0.0, 0.003])
@pytest.mark.parametrize("dt", [0.002, 0.01])
def test_that_a_step_response_brackets_rise_settling_and_overshoot(dt, noise):
    t = np.arange(0, 4, dt)
    command = np.where(t >= 1.0, 2.0, 0.0)
    value = 3 + 2 * second_order(t - 1.0) + noise * np.random.default_rng(1).standard_normal(t.size)
    (step,) = steps(t, command)
    assert step.at_s == pytest.approx(1.0, abs=1e-9)
    found = step_response(t, value, step, 0.99)
    assert not isinstance(found, str)
    rise, settling, overshoot = truth()
    for bracket, true in (
        (found.rise_s, rise),
        (found.settling_s, settling),
        (found.overshoot, overshoot),
    ):
        assert bracket.low - 1e-4 <= true <= bracket.high + 1e-4
    assert found.height == pytest.approx(2.0, rel=0.02)
    assert found.rise_s.estimate == pytest.approx(rise, abs=dt)


def test_that_noise_widens_a_bracket():
    t = np.arange(0, 4, 0.002)
    (step,) = steps(t, np.where(t >= 1, 1.0, 0.0))
    noise = np.random.default_rng(0).standard_normal(t.size)
    widths = []
    for size in (0.0, 0.001, 0.004):
        found = step_response(t, second_order(t - 1) + size * noise, step, 0.99)
        widths.append(found.settling_s.high - found.settling_s.low)
    assert widths[0] < 0.002
    assert widths[0] < widths[1] < widths[2]


@pytest.mark.parametrize("seed", range(8))
def test_that_brackets_hold_the_truth_under_noise(seed):
    rng = np.random.default_rng(seed)
    t = np.arange(0, 4, 0.005)
    damping, omega = rng.uniform(0.3, 0.8), rng.uniform(6, 20)
    value = second_order(t - 1, damping, omega) + 0.004 * rng.standard_normal(t.size)
    (step,) = steps(t, np.where(t >= 1, 1.0, 0.0))
    found = step_response(t, value, step, 0.99)
    rise, settling, overshoot = truth(damping, omega)
    assert found.rise_s.low <= rise <= found.rise_s.high
    assert found.settling_s.low <= settling <= found.settling_s.high
    assert found.overshoot.low <= overshoot <= found.overshoot.high


def test_that_a_response_that_does_not_move_or_settle_says_so():
    t = np.arange(0, 2, 0.01)
    command = np.where(t >= 1, 1.0, 0.0)
    (step,) = steps(t, command)
    noise = np.random.default_rng(0).standard_normal(t.size)
    assert step_response(t, 0.01 * noise, step, 0.99) == "the response does not move"
    ramp = step_response(t, np.maximum(t - 1, 0), step, 0.99)
    assert not np.isfinite(ramp.settling_s.high)


def test_that_a_command_that_wanders_has_no_step():
    t = np.arange(0, 2, 0.01)
    assert steps(t, np.random.default_rng(0).standard_normal(t.size)) == ()
    assert steps(t, np.sin(t)) == ()
    assert steps(t, np.zeros_like(t)) == ()
    assert len(steps(t, np.floor(t / 0.5))) == 3


@given(st.floats(0.05, 0.95), st.integers(20, 400))
def test_that_a_crossing_lies_inside_its_bracket(level, n):
    t = np.linspace(0, 1, n)
    found = first_above(t, t**2, level, 0.0)
    assert found.low <= np.sqrt(level) + 1e-12
    assert found.high >= np.sqrt(level) - 1e-12
    assert found.high - found.low <= 2 / (n - 1) + 1e-12


def test_that_a_level_that_is_never_reached_has_no_upper_end():
    t = np.linspace(0, 1, 20)
    found = first_above(t, t, 2.0, 0.0)
    assert np.isnan(found.estimate)
    assert found.high == np.inf


def test_that_brackets_subtract_and_scale():
    difference = Bracket(3, 2, 5, 9).minus(Bracket(1, 0, 2, 4)).times(10)
    assert difference == Bracket(20, 0, 50, 4)
    assert joint_quantile(0.99, 1) == pytest.approx(2.5758, abs=1e-3)
    assert level_noise(np.arange(50.0)) == pytest.approx(0, abs=1e-9)


def half_sine(t: np.ndarray, at: float, length: float, peak: float) -> np.ndarray:
    inside = (t >= at) & (t <= at + length)
    return np.where(inside, peak * np.sin(np.pi * (t - at) / length), 0.0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_that_a_contact_brackets_its_truth(sign):
    t = np.arange(0, 3, 0.002)
    noise = 0.1 * np.random.default_rng(3).standard_normal(t.size)
    value = 5 + sign * half_sine(t, 1.0, 0.2, 20.0) + noise
    quiet = quiet_of(value, 0.99)
    assert quiet.level == pytest.approx(5, abs=0.05)
    assert quiet.sd == pytest.approx(0.1, rel=0.2)
    threshold = contact_threshold(quiet, quiet)
    (found,) = contacts(t, value, quiet, threshold, 0.99)
    onset = 1.0 + 0.2 / np.pi * np.arcsin(threshold / 20)
    risen = 1.0 + 0.2 / np.pi * np.arcsin(0.9)
    assert found.onset_s.low <= onset <= found.onset_s.high
    assert found.peak.low <= 20 <= found.peak.high
    assert found.impulse.low <= 20 * 0.2 * 2 / np.pi <= found.impulse.high
    assert found.rise_s.low <= risen - onset <= found.rise_s.high
    assert found.impulse.high - found.impulse.low < 0.2


def test_that_noise_and_stillness_hold_no_contact():
    t = np.arange(0, 3, 0.002)
    for value in (np.random.default_rng(0).standard_normal(t.size), np.zeros(t.size)):
        quiet = quiet_of(value, 0.99)
        assert contacts(t, value, quiet, contact_threshold(quiet, quiet), 0.99) == ()


def test_that_a_contact_cut_off_by_the_span_is_left_out():
    t = np.arange(0, 1, 0.002)
    value = half_sine(t, 0.95, 0.2, 20.0) + half_sine(t, 0.3, 0.1, 20.0)
    quiet = quiet_of(value, 0.99)
    found = contacts(t, value, quiet, 1.0, 0.99)
    assert [round(c.first_s, 1) for c in found] == [0.3]


def test_that_bounces_belong_to_one_contact_and_approaches_do_not():
    t = np.arange(0, 6, 0.002)
    sim = half_sine(t, 1.0, 0.5, 10.0) + half_sine(t, 4.0, 0.5, 10.0)
    bouncing = (
        half_sine(t, 1.0, 0.1, 30.0) + half_sine(t, 1.2, 0.1, 20.0) + half_sine(t, 4.1, 0.1, 30.0)
    )
    found = [contacts(t, v, quiet_of(v, 0.99), 0.5, 0.99) for v in (sim, bouncing)]
    first, second = paired_contacts(*found)
    assert (len(first[0]), len(first[1])) == (1, 2)
    assert (len(second[0]), len(second[1])) == (1, 1)
    whole = together(first[1])
    assert whole.touches == 2
    assert whole.peak.estimate == pytest.approx(30, abs=0.1)
    assert whole.impulse.estimate == pytest.approx(50 * 0.1 * 2 / np.pi, rel=0.01)


def test_that_a_contact_moves_to_another_clock_whole():
    t = np.arange(0, 2, 0.002)
    value = half_sine(t, 1.0, 0.2, 20.0)
    (found,) = contacts(t, value, quiet_of(value, 0.99), 0.5, 0.99)
    late = found.later(0.5)
    assert late.onset_s.estimate == pytest.approx(found.onset_s.estimate + 0.5)
    assert late.peak == found.peak
    assert late.rise_s == found.rise_s
