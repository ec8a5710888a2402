"""Inside a closed loop a scaled sensor changes the motion: no wrong verdict may come of that."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, trace
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import Trace

DT = 0.02


def episode(
    n: int,
    task: int,
    noise_seed: int,
    *,
    noise: float = 0.002,
    scale: tuple[float, float] = (1.0, 1.0),
    offset: float = 0.0,
    gain: float = 1.0,
    mass: float = 1.0,
    delay: int = 0,
    spring: float = 0.0,
    loop: bool = True,
) -> Trace:
    """A mass (on a spring) that tracks a reference by PD, or is driven open loop."""
    of_task, rng = np.random.default_rng(task), np.random.default_rng(noise_seed)
    time = DT * np.arange(n)
    reference = sum(
        0.4 * of_task.normal() * np.sin(2 * np.pi * f * time + of_task.uniform(0, 6.28))
        for f in (0.3, 0.7, 1.3)
    )
    drive = 4.5 * np.convolve(of_task.standard_normal(n + 20), np.ones(8) / 8, "same")[:n]
    x, v = 0.5 * of_task.standard_normal(2)
    waiting = [0.0] * (delay + 1)
    rows = []
    for k in range(n):
        position = scale[0] * (x + 0.5 * noise * rng.standard_normal()) + offset
        velocity = scale[1] * (v + noise * rng.standard_normal())
        action = 6 * (reference[k] - position) - 3 * velocity if loop else drive[k]
        rows.append((position, velocity, reference[k], action))
        waiting.append(gain * action)
        force = waiting[-1 - delay]
        for _ in range(4):
            acceleration = (force - spring * x - 0.8 * v) / mass
            x, v = (
                x + DT / 4 * v,
                v + DT / 4 * (acceleration + 0.5 * noise * rng.standard_normal()),
            )
    value = np.array(rows)
    return trace(DT, value[:, :3], value[:, 3])


def judged(n: int, task: int, **fault) -> CheckResult:
    common = {k: fault.pop(k) for k in ("noise", "spring", "loop") if k in fault}
    sim = episode(n, task, 2 * task, **common)
    target = episode(n, task, 2 * task + 1, **common, **fault)
    return CHECK.judge(Workbench(case(sim, target, Alignment(mode="step"))), {})


PLANTS = ({}, {"spring": 5.0}, {"spring": 6.0, "loop": False})
SCALES = [(s, 1.0) for s in (0.8, 1.2, 1.5)] + [(1.0, s) for s in (0.7, 1.2, 1.5)]
OTHER_FAULTS = (
    {"gain": 0.8},
    {"gain": 1.3},
    {"mass": 0.7},
    {"mass": 1.5},
    {"delay": 1},
    {"delay": 3},
)


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("scale", SCALES)
def test_that_a_scaled_sensor_in_the_loop_never_passes(scale: tuple[float, float], n: int) -> None:
    for plant in PLANTS:
        for noise in (0.002, 0.02):
            result = judged(n, 5 + n, scale=scale, noise=noise, **plant)
            assert result.state is not State.PASS, (plant, noise, result.reason)


@pytest.mark.parametrize("scale", [(0.93, 1.0), (1.07, 1.0), (1.0, 0.93), (1.0, 1.07)])
@pytest.mark.parametrize("n", [40, 300])
def test_that_a_loop_does_not_hide_a_scale_just_outside_the_tolerance(
    scale: tuple[float, float], n: int
) -> None:
    for task in range(3):
        for plant in PLANTS:
            result = judged(n, task, scale=scale, noise=0.0005, **plant)
            assert result.state is not State.PASS, (task, plant, result.reason)


@pytest.mark.parametrize("scale", SCALES)
def test_that_a_scale_is_never_given_to_the_other_channel(scale: tuple[float, float]) -> None:
    for task in range(3):
        result = judged(300, task, scale=scale)
        for name, truth in zip(("obs[0]", "obs[1]", "obs[2]"), (*scale, 1.0), strict=True):
            (found,) = result.measured("scale", name)
            if found.state is not State.INCONCLUSIVE:
                assert found.interval is not None
                assert found.interval[0] <= truth <= found.interval[1], (task, name, found)


def test_that_most_long_scaled_loops_are_decided() -> None:
    states = Counter(judged(300, task, scale=(1.5, 1.0)).state for task in range(6))
    assert states[State.FAIL] >= 5


@pytest.mark.parametrize("fault", OTHER_FAULTS, ids=str)
@pytest.mark.parametrize("n", [40, 300])
def test_that_plant_and_actuator_faults_are_no_observation_finding(fault: dict, n: int) -> None:
    for plant in PLANTS:
        for noise in (0.002, 0.02):
            result = judged(n, 11 + n, noise=noise, **plant, **fault)
            assert result.state is not State.FAIL, (plant, noise, result.reason)


@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_that_healthy_loops_pass_and_never_fail(plant: dict) -> None:
    states = Counter(judged(300, task, **plant).state for task in range(6))
    assert states[State.PASS] >= 5
    assert states[State.FAIL] == 0


def test_that_an_offset_in_the_loop_never_passes() -> None:
    for task in range(4):
        result = judged(300, task, offset=0.3)
        assert result.state is not State.PASS


@pytest.mark.parametrize("scale", [1.0, 1.2])
def test_that_a_pair_without_actions_is_judged_by_a_position_and_its_rate(scale: float) -> None:
    """A kinematic relation needs no action: with none logged, no action may move it either."""
    sides = []
    for seed, factor in ((1, 1.0), (2, scale)):
        made = episode(250, 7, seed, scale=(1.0, factor))
        sides.append(replace(made, channels=tuple(c for c in made.channels if c.name != "action")))
    result = CHECK.judge(Workbench(case(*sides, Alignment(mode="step"))), {})
    assert result.measured("scale")
    if scale == 1.0:
        assert result.state is not State.FAIL
    else:
        assert result.state is not State.PASS
