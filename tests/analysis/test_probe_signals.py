"""Phase, latency, distributions and loop timing of known truth."""

import numpy as np
import pytest
from scipy.signal import lfilter

from tests.builders import wander
from tracescope.analysis.probe_brackets import Bracket
from tracescope.analysis.probe_loop import Dropouts, content_latency, dropouts, overruns
from tracescope.analysis.probe_phase import phase_difference, phase_lag
from tracescope.analysis.probe_spread import centroid_distance, ks_distance

DT = 0.002


def delayed(command: np.ndarray, rows: int, noise: float, seed: int) -> np.ndarray:
    response = np.concatenate((np.zeros(rows), command[: command.size - rows]))
    return response + noise * np.random.default_rng(seed).standard_normal(command.size)


@pytest.mark.parametrize("rows", [0, 3, 9])
def test_that_a_pure_delay_gives_its_phase(rows):
    command = np.random.default_rng(0).standard_normal(8000)
    found = phase_lag(command, delayed(command, rows, 0.2, 1), DT, 10.0, 0.99)
    assert found.because == ""
    assert found.lag_deg.low <= 360 * 10 * rows * DT <= found.lag_deg.high
    assert found.coherence > 0.9
    assert found.lag_deg.high - found.lag_deg.low < 15


def test_that_the_interval_of_a_phase_covers():
    inside = 0
    for seed in range(200):
        command = np.random.default_rng(seed).standard_normal(2000)
        found = phase_lag(command, delayed(command, 4, 0.3, 1000 + seed), DT, 10.0, 0.95)
        inside += found.lag_deg.low <= 360 * 10 * 4 * DT <= found.lag_deg.high
    assert inside / 200 >= 0.92


def test_that_unrelated_signals_are_not_coherent():
    rng = np.random.default_rng(0)
    found = phase_lag(rng.standard_normal(4000), rng.standard_normal(4000), DT, 10.0, 0.99)
    assert "coherence" in found.because
    assert not np.isfinite(found.lag_deg.high)


@pytest.mark.parametrize(
    ("command", "dt", "said"),
    [
        (np.random.default_rng(0).standard_normal(2000), 0.05, "samples every 50 ms"),
        (np.random.default_rng(0).standard_normal(100), DT, "too short"),
        (np.zeros(4000), DT, "the command does not move"),
        (np.sin(2 * np.pi * 0.7 * DT * np.arange(8000)), DT, "the command does not move at 10 Hz"),
    ],
)
def test_that_a_phase_that_cannot_be_read_says_why(command, dt, said):
    assert said in phase_lag(command, command, dt, 10.0, 0.99).because


def test_that_phase_differences_wrap():
    found = phase_difference(Bracket(-175, -176, -174), Bracket(175, 174, 176))
    assert found.estimate == pytest.approx(10)
    assert found.interval == pytest.approx((8, 12))


@pytest.mark.parametrize("rows", [2.0, 7.5])
def test_that_the_latency_of_a_following_response_is_found(rows):
    command = wander(1500, seed=3, smooth=6.0)[:, 0]
    t = np.arange(1500.0)
    response = np.interp(t - rows, t, command) * 1.3 + 0.2
    response = response + 0.02 * np.random.default_rng(0).standard_normal(1500)
    found = content_latency(command, response, 0.02)
    assert found.low - 0.001 <= rows * 0.02 <= found.high + 0.001
    assert found.estimate == pytest.approx(rows * 0.02, abs=0.002)


def test_that_an_unrelated_response_has_no_latency():
    assert content_latency(wander(800, seed=1)[:, 0], wander(800, seed=2)[:, 0], 0.02) is None
    assert content_latency(np.zeros(100), np.zeros(100), 0.02) is None


def test_that_the_distance_of_a_series_from_itself_is_exactly_nothing():
    value = np.random.default_rng(0).standard_normal(300)
    found = ks_distance(value, value)
    assert found.interval == (0.0, 0.0)


@pytest.mark.parametrize("phi", [0.0, 0.8])
def test_that_the_interval_of_a_distribution_distance_covers(phi):
    # Two independent series of one distribution: the true distance is 0; shifted by 0.5 sd: 0.1974.
    inside = [0, 0]
    for seed in range(60):
        noise = np.random.default_rng(seed).standard_normal((2, 900))
        value = lfilter([np.sqrt(1 - phi**2)], [1, -phi], noise, axis=1)[:, 100:]
        for place, (shift, true) in enumerate(((0.0, 0.0), (0.5, 0.1974))):
            found = ks_distance(value[0], value[1] + shift, 0.95)
            inside[place] += found.low <= true <= found.high
    assert min(inside) >= 57


def test_that_few_rows_give_no_distance():
    assert ks_distance(np.arange(5.0), np.arange(5.0)).high == np.inf


def test_that_a_centroid_distance_is_the_length_of_the_mean_difference():
    noise = np.random.default_rng(0).standard_normal((2, 400))
    found = centroid_distance(noise * 0.1 + np.array([[3.0], [4.0]]))
    assert found.low <= 5.0 <= found.high
    assert found.high - found.low < 0.1


def test_that_dropouts_are_what_is_lost_or_catches_up():
    other = np.arange(14.0)
    held = np.array([0, 1, 2, 2, 2, 2, 6, 7, 8, 9, 10, 11, 12, 13.0])
    assert dropouts(held, other) == Dropouts(1, 0, 3)
    lost = np.where((other > 4) & (other < 9), np.nan, other)
    assert dropouts(lost, other) == Dropouts(1, 0, 4)
    assert dropouts(np.ones(14), np.ones(14)) == Dropouts(0, 0, 0)


def test_that_a_quantised_sensor_at_rest_is_no_certain_dropout():
    creeping = 1 - np.exp(-np.arange(100) / 8.0)
    quantised = np.round(creeping, 2)
    found = dropouts(quantised, creeping)
    assert found.certain == 0
    assert found.possible >= 1


def test_that_overruns_are_intervals_over_the_deadline():
    time_s = 1e6 + 0.02 * np.arange(100)
    assert overruns(time_s, 0.02) == 0
    late = time_s.copy()
    late[50:] += 0.005
    assert overruns(late, 0.022) == 1
