"""Where an action → response latency is looked for, and where it is not believed."""

from __future__ import annotations

import numpy as np

from tests.builders import pair, trace, wander
from tests.truth.pairs import make_pair
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.response import response_latency
from tracescope.analysis.response_rows import response_rows
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
