"""Where an action → response latency is looked for, and where it is not believed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tests.truth.pairs import make_pair
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.impulse import impulses
from tracescope.analysis.impulse_shape import shape_difference
from tracescope.analysis.response import response_latency
from tracescope.analysis.response_bends import with_bends
from tracescope.analysis.response_rows import ResponseRows, response_rows
from tracescope.analysis.workbench import Workbench
from tracescope.model.case import Case
from tracescope.model.trace import Role, Trace


def followed(seed: int, n: int = 400, noise: float = 1e-4) -> Trace:
    """A velocity that follows a logged goal, nearly without noise."""
    rng = np.random.default_rng(seed)
    goal = np.sign(wander(n, seed=5, smooth=12.0)[:, 0])
    velocity, action = np.zeros(n), np.zeros(n)
    for i in range(n):
        action[i] = 2 * (goal[i] - velocity[i])
        if i + 1 < n:
            velocity[i + 1] = velocity[i] + 0.04 * action[i]
    seen = velocity + noise * rng.standard_normal(n)
    return trace(0.02, np.column_stack((seen, goal)), action + noise * rng.standard_normal(n))


def test_that_a_reference_is_no_state_though_the_runs_are_nearly_the_same() -> None:
    both = pair(followed(1), followed(2))
    case = Case(both, initial_alignment(both)[0])
    sim, target = response_rows(case, Role.ACTION)
    assert sim.states == target.states == ("obs[0]",)
    found = response_latency(Workbench(case))
    assert {path.output for path in found.paths} == {"obs[0]"}
    assert found.difference is not None
    assert abs(found.difference.value) < 0.1


def test_that_runs_that_are_the_same_have_no_difference() -> None:
    both = pair(followed(1), followed(1))
    found = response_latency(Workbench(Case(both, initial_alignment(both)[0])))
    assert found.identical
    assert found.difference is not None
    assert found.difference.interval == (0.0, 0.0)


def test_that_noise_a_policy_feeds_back_is_no_latency() -> None:
    # A quiet pendulum at 2 % noise: its fitted answers lie a row before and six rows behind the action.
    found = response_latency(Workbench(make_pair(30220).case))
    assert found.difference is None
    assert not found.paths


def dragged(seed: int, n: int = 800, delay: int = 0) -> Trace:
    """A boat with quadratic drag that follows a slow goal: no straight line describes it."""
    rng = np.random.default_rng(seed)
    goal = 2 * wander(n, seed=8, smooth=15.0)[:, 0]
    speed, action = np.zeros(n), np.zeros(n)
    for i in range(n):
        action[i] = 1.5 * (goal[i] - speed[i]) + 0.02 * rng.standard_normal()
        if i + 1 < n:
            acting = action[i - delay] if i >= delay else 0.0
            speed[i + 1] = speed[i] + 0.1 * (acting - 0.9 * speed[i] * abs(speed[i]))
    return trace(0.05, speed + 5e-4 * rng.standard_normal(n), action)


def sides_of(sim: Trace, target: Trace) -> tuple[ResponseRows, ResponseRows]:
    both = pair(sim, target)
    return response_rows(Case(both, initial_alignment(both)[0]), Role.ACTION)


def enough(sides: tuple[ResponseRows, ResponseRows]) -> tuple[int, bool]:
    return (8, False) if min(side.usable(8) for side in sides) > 100 else (0, True)


def test_that_drag_is_bent_and_a_straight_plant_is_not() -> None:
    curved = with_bends(sides_of(dragged(1), dragged(2)), enough)
    assert curved[0].states == curved[1].states == ("obs", "obs bent", "obs cubed")
    assert curved[0].outputs == ("obs",)
    straight = sides_of(followed(1), followed(2))
    assert with_bends(straight, enough) is straight


def test_that_too_few_rows_for_bends_leave_the_states_alone() -> None:
    sides = sides_of(dragged(1, n=80), dragged(2, n=80))
    assert with_bends(sides, enough) is sides


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_that_bends_leave_the_delay_of_a_bent_plant(delay: int) -> None:
    both = pair(dragged(1), dragged(2, delay=delay))
    found = response_latency(Workbench(Case(both, initial_alignment(both)[0])))
    assert found.difference is not None
    low, high = found.difference.interval
    assert low - 0.05 <= delay <= high + 0.05
    assert high - low < 0.5


@pytest.mark.parametrize("delay", [0, 2])
def test_that_a_whole_shape_is_believed_only_where_nothing_else_is_left(delay: int) -> None:
    """Drag taken for a straight line passes for a response, alike in both whatever the delay."""
    sides = sides_of(dragged(3), dragged(4, delay=delay))
    straight = [impulses(side, 8, alone=False) for side in sides]
    assert not any(impulse.leaves_noise(0) for impulse in straight)
    sim, target = (impulses(side, 8, alone=False) for side in with_bends(sides, enough))
    assert sim.leaves_noise(0)
    assert target.leaves_noise(0)
    rows, error = shape_difference((sim, target), 0, 0)
    assert abs(rows - delay) < 0.1
    assert 0 < error < 0.3


def coarse(value: np.ndarray, step: float) -> np.ndarray:
    return np.round(value / step) * step


def test_that_coarse_steps_stay_in_and_held_values_do_not() -> None:
    sim, target = dragged(1), dragged(2)
    speed = target.of_role(Role.OBSERVATION)[0].as_float()
    action = target.of_role(Role.ACTION)[0].as_float()
    stepped = sides_of(sim, trace(0.05, coarse(speed, 0.05 * speed.std()), action))
    assert np.nanstd(stepped[1].output[0]) > 0
    held = sides_of(sim, trace(0.05, speed[np.arange(speed.size) // 3 * 3], action))
    assert not held[1].output[0].any()


def test_that_rows_at_the_end_of_a_sensors_range_are_left_out() -> None:
    sim, target = dragged(1), dragged(2)
    speed = target.of_role(Role.OBSERVATION)[0].as_float()
    action = target.of_role(Role.ACTION)[0].as_float()
    limit = float(np.quantile(speed, 0.8))
    pinned = sides_of(sim, trace(0.05, np.minimum(speed, limit), action))
    assert np.isnan(pinned[1].state[0][speed >= limit]).all()
    assert np.isfinite(pinned[1].state[0][speed < limit]).all()
    assert np.isfinite(pinned[0].state[0]).all()
