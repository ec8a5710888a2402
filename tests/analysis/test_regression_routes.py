"""What one pair can tell of whether the motion is the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import wander
from tracescope.analysis.regression_routes import (
    commands_agree,
    exact_line,
    increments_agree,
    plant_gain_excluded,
    responds,
)

NAMES = ("action",)


def test_that_equal_commands_agree() -> None:
    action = wander(100, 1, 1).T
    assert commands_agree(NAMES, action, action).equal


def test_that_a_clip_of_few_rows_leaves_commands_equal() -> None:
    action = np.clip(np.random.default_rng(0).normal(0, 0.4, (1, 40)), -1, 1)
    assert commands_agree(NAMES, action, np.clip(action, -0.5, 0.5)).equal


def test_that_noise_leaves_commands_equal_and_a_gain_does_not() -> None:
    action = wander(300, 1, 1).T
    noisy = action + 0.1 * np.random.default_rng(1).standard_normal(action.shape)
    assert commands_agree(NAMES, action, noisy).equal
    scaled = commands_agree(NAMES, action, 0.8 * action)
    assert not scaled.equal
    assert scaled.proportional
    assert "action" in scaled.because


def test_that_a_small_difference_that_is_not_noise_is_measured() -> None:
    action = wander(300, 1, 1).T
    noise = 0.02 * np.random.default_rng(1).standard_normal(action.shape)
    assert commands_agree(NAMES, action, action + noise).systematic == 0.0
    other = 0.02 * wander(300, 1, 2).T
    assert commands_agree(NAMES, action, action + other).systematic == pytest.approx(0.02, rel=0.3)


def test_that_without_a_logged_action_nothing_agrees() -> None:
    none = np.zeros((0, 100))
    found = commands_agree((), none, none)
    assert (found.logged, found.equal) == (False, False)


def driven(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of a mass under a command that no loop makes."""
    action = wander(n, 1, seed, smooth=2.0)[:, 0]
    position, velocity = np.zeros(n), np.zeros(n)
    for k in range(n - 1):
        velocity[k + 1] = velocity[k] + 0.1 * (action[k] - 0.5 * velocity[k])
        position[k + 1] = position[k] + 0.1 * velocity[k + 1]
    return np.stack([position, velocity]), action[None, :]


@pytest.mark.parametrize("n", [60, 300])
def test_that_what_a_command_moves_responds_and_a_random_walk_does_not(n: int) -> None:
    motion, action = driven(n, 3)
    walk = np.cumsum(np.random.default_rng(9).normal(0, 0.1, (1, n)), axis=1)
    assert responds(motion, action, np.ones(n - 1, dtype=bool)).all()
    white = np.random.default_rng(10).standard_normal((1, n))
    assert not responds(walk, white, np.ones(n - 1, dtype=bool)).any()


def test_that_too_few_rows_respond_by_caution() -> None:
    motion, action = driven(12, 3)
    assert responds(motion, action, np.ones(11, dtype=bool)).all()


def test_that_single_steps_buried_in_noise_do_not_agree() -> None:
    x = np.cumsum(np.random.default_rng(1).normal(0, 0.01, (1, 200)), axis=1)
    y = x + np.random.default_rng(2).normal(0, 0.05, x.shape)
    assert not increments_agree(x, y)[0]
    assert increments_agree(x, 1.5 * x)[0]


def test_that_only_a_start_off_zero_tells_a_scale_from_a_plant_gain() -> None:
    motion, _ = driven(200, 3)
    noise = np.random.default_rng(1).normal(0, 1e-3, motion.shape)
    responding = np.ones(2, dtype=bool)
    slope = np.full(2, 1.5)
    at_rest = plant_gain_excluded(motion, 1.5 * motion + noise, slope, responding)
    assert not at_rest.any()
    lifted = motion + 1.0
    assert plant_gain_excluded(lifted, 1.5 * lifted + noise, slope, responding).all()
    assert plant_gain_excluded(motion, 1.5 * motion, slope, ~responding).all()


def test_that_a_line_is_exact_only_to_the_last_digits() -> None:
    x = wander(50, 2, 1).T
    y = np.stack([1.2 * x[0] + 1, 1.2 * x[1] + 1e-3 * x[0]])
    found = exact_line(x, y, np.array([1.2, 1.2]), np.array([1.0, 0.0]))
    assert found.tolist() == [True, False]
