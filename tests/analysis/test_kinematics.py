"""Kinematic relations pin one sensor's scale against another's whatever the plant does."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import wander
from tracescope.analysis.kinematics import (
    Constant,
    find_relations,
    relation_constant,
    scale_ratio,
)

DT = 0.02


def arm(n: int, seed: int, noise: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Velocity, its integral and an unrelated signal, shape ``(3, n)``, and the clock."""
    velocity = wander(n, 1, seed, smooth=5.0)[:, 0]
    position = np.concatenate(([0.0], np.cumsum(0.5 * (velocity[1:] + velocity[:-1]) * DT)))
    value = np.stack([position, velocity, wander(n, 1, seed + 999)[:, 0]])
    rng = np.random.default_rng(seed)
    value[0] += noise * 0.1 * rng.standard_normal(n)
    value[1] += noise * rng.standard_normal(n)
    return value, DT * np.arange(n)


def test_that_a_position_is_found_to_be_its_velocitys_integral() -> None:
    (relation,) = find_relations(*arm(200, 1))
    assert (relation.whole, relation.rates) == (0, (1,))
    assert relation.r2 > 0.99


def test_that_noise_is_met_with_longer_windows() -> None:
    (relation,) = find_relations(*arm(600, 1, noise=0.15))
    assert relation.window > 4


def test_that_unrelated_signals_and_short_traces_have_no_relation() -> None:
    assert find_relations(wander(300, 5, 3).T, DT * np.arange(300)) == ()
    value, time_s = arm(20, 1)
    assert find_relations(value, time_s) == ()
    assert find_relations(value[:1], time_s) == ()


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.5, -1.0, 57.3])
@pytest.mark.parametrize("n", [100, 1000])
def test_that_the_ratio_of_two_motions_gives_the_ratio_of_scales(scale: float, n: int) -> None:
    sim, time_s = arm(n, 1, noise=0.005)
    target, _ = arm(n, 2, noise=0.005)
    target[0] *= scale
    (relation,) = find_relations(sim, time_s)
    a = relation_constant(relation, sim, time_s, 0.99)
    b = relation_constant(relation, target, time_s, 0.99)
    assert a is not None
    assert b is not None
    estimate, (low, high), n_eff = scale_ratio(a, b)
    assert low <= scale <= high
    assert estimate == pytest.approx(scale, rel=0.03)
    assert n_eff >= 8


def test_that_noise_in_the_rate_does_not_shrink_the_constant() -> None:
    clean, time_s = arm(2000, 1)
    (relation,) = find_relations(clean, time_s)
    noisy, _ = arm(2000, 1, noise=0.3)
    constant = relation_constant(relation, noisy, time_s, 0.99)
    assert constant is not None
    assert np.exp(constant.log) == pytest.approx(1.0, abs=0.02)


def test_that_another_rate_of_rows_changes_nothing() -> None:
    sim, time_s = arm(400, 1)
    (relation,) = find_relations(sim, time_s)
    target, slow = sim[:, ::2], time_s[::2]
    a = relation_constant(relation, sim, time_s, 0.99)
    b = relation_constant(relation, target, slow, 0.99)
    assert a is not None
    assert b is not None
    assert scale_ratio(a, b)[0] == pytest.approx(1.0, abs=0.01)


def test_that_a_white_rate_has_no_constant() -> None:
    rng = np.random.default_rng(1)
    value, time_s = arm(200, 1)
    (relation,) = find_relations(value, time_s)
    assert relation_constant(relation, rng.standard_normal((3, 200)), time_s, 0.99) is None


def test_that_two_followers_of_one_reference_are_no_relation() -> None:
    time_s = DT * np.arange(600)
    turn = 2 * np.pi * 0.5 * time_s
    value = np.stack([np.sin(turn), np.cos(turn - 0.1)])
    for relation in find_relations(value, time_s):
        assert relation_constant(relation, value, time_s, 0.99) is None


def vehicle(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Place, speed and cosine of the heading of a vehicle, shape ``(3, n)``, and the clock."""
    speed = 1 + 0.5 * wander(n, 1, seed, smooth=5.0)[:, 0]
    cosine = np.cos(0.8 * wander(n, 1, seed + 7, smooth=8.0)[:, 0])
    rate = speed * cosine
    place = np.concatenate(([0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * DT)))
    return np.stack([place, speed, cosine]), DT * np.arange(n)


def test_that_a_place_is_the_integral_of_speed_times_heading() -> None:
    sim, time_s = vehicle(400, 1)
    (relation,) = find_relations(sim, time_s)
    assert (relation.whole, relation.rates) == (0, (1, 2))
    target, _ = vehicle(400, 2)
    target[1] *= 1.25
    a = relation_constant(relation, sim, time_s, 0.99)
    b = relation_constant(relation, target, time_s, 0.99)
    assert a is not None
    assert b is not None
    assert scale_ratio(a, b)[0] == pytest.approx(1 / 1.25, rel=0.02)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_that_a_ratio_that_nothing_tells_reaches_to_infinity_without_a_warning(sign):
    estimate, (low, high), _ = scale_ratio(
        Constant(0.0, 2000.0, 4.0, 1.0), Constant(0.1, 1.0, 9.0, sign)
    )
    assert estimate == pytest.approx(sign * np.exp(0.1))
    assert {abs(low), abs(high)} == {0.0, np.inf}
    assert low <= estimate <= high
