"""Levels and scales that a loop takes back: read off a kinematic relation, or not at all."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.builders import case, trace
from tests.truth.faults import Fault
from tests.truth.loop import Setting, run_loop
from tests.truth.plants import PLANTS, reference
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State

BY_NAME = {plant.name: plant for plant in PLANTS}
STEP = Alignment(mode="step")


def pair(
    name: str,
    seed: int,
    *faults: Fault,
    rows: int = 300,
    explore: str = "none",
    noise: float = 0.005,
) -> Case:
    """Two runs of one plant under one policy, the second with faults."""
    rng, plant = np.random.default_rng([seed, 5]), BY_NAME[name]
    setting = Setting(plant, reference(plant, rows, rng), explore, 0.1, noise, 1e-4, "squared")
    runs = [
        run_loop(
            setting, wrong, np.random.default_rng([seed, side]), np.random.default_rng([seed, 20])
        )
        for side, wrong in ((1, ()), (2, faults))
    ]
    sides = (
        trace(plant.dt, np.column_stack([r.logged, setting.reference]), r.emitted) for r in runs
    )
    return case(*sides, STEP)


def offset(channel: int, value: float) -> Fault:
    return Fault("obs-offset", "observation-scaling", value, channel, in_loop=True)


def judged(made: Case) -> CheckResult:
    return CHECK.judge(Workbench(made), {})


@pytest.mark.parametrize(("name", "channel"), [("thruster", 1), ("point", 2), ("pendulum", 1)])
@pytest.mark.parametrize("explore", ["none", "own"])
def test_that_a_rate_with_an_offset_fails_though_the_loop_answers_it(
    name: str, channel: int, explore: str
) -> None:
    wrong = 0.4 * float(BY_NAME[name].spread[channel])
    result = judged(pair(name, 3, offset(channel, wrong), explore=explore))
    assert result.state is State.FAIL
    (level,) = [m for m in result.measured("level") if m.state is State.FAIL]
    assert level.channel == f"obs[{channel}]"
    assert level.interval is not None
    assert level.interval[0] <= wrong <= level.interval[1]
    (mending,) = result.pending
    assert mending.offset == pytest.approx(wrong, rel=0.15)


def test_that_a_position_that_nothing_pulls_back_passes_by_its_start_read_off_many_rows() -> None:
    states = Counter(
        judged(pair(name, seed)).state for name in ("point", "thruster") for seed in range(8)
    )
    assert states[State.PASS] >= 6
    assert states[State.FAIL] == 0


@pytest.mark.parametrize("name", ["thruster", "point"])
@pytest.mark.parametrize("explore", ["none", "own"])
def test_that_a_position_whose_offset_only_its_start_shows_does_not_pass(
    name: str, explore: str
) -> None:
    for seed in range(10):
        made = pair(name, seed, explore=explore)
        x = np.array(made.pair.sim["obs[0]"].as_float())
        twice = 2 * float(np.hypot(0.1 * x.std(), 0.05 * x.mean()))
        result = judged(pair(name, seed, offset(0, twice), explore=explore))
        assert result.state is not State.PASS


@pytest.mark.parametrize("name", ["thruster", "pendulum", "point"])
@pytest.mark.parametrize("explore", ["none", "own"])
def test_that_a_scaled_position_in_a_loop_fails_against_its_rate_in_a_hundred_rows(
    name: str, explore: str
) -> None:
    wrong = Fault("obs-scale", "observation-scaling", 1.2, 0, in_loop=True)
    result = judged(pair(name, 3, wrong, rows=100, explore=explore, noise=0.002))
    assert result.state is State.FAIL
    (ratio,) = [m for m in result.measured("kinematic scale ratio") if m.state is State.FAIL]
    assert ratio.interval is not None
    assert ratio.interval[0] <= 1.2 <= ratio.interval[1]
    assert ratio.interval[1] - ratio.interval[0] < 0.15


def test_that_a_signal_that_only_looks_like_an_integral_fails_nothing() -> None:
    clip = Fault("action-clip", "action", 0.4)
    for seed in range(12):
        result = judged(pair("pendulum", seed, clip, rows=40))
        assert result.state is not State.FAIL


def test_that_a_first_row_does_not_pass_a_level_that_a_spring_denies() -> None:
    made = pair("spring", 54, rows=300)
    x = np.array(made.pair.sim["obs[0]"].as_float())
    for times in (1.3, -1.3):
        beyond = times * float(np.hypot(0.1 * x.std(), 0.05 * x.mean()))
        result = judged(pair("spring", 54, offset(0, beyond), rows=300))
        assert result.state is not State.PASS
    denied = [m for m in result.measured("level") if "read another level" in m.blocked]
    assert [m.state for m in denied] == [State.INCONCLUSIVE] * len(denied)


def test_that_a_heavier_plant_in_a_long_trace_is_told_from_scaled_sensors() -> None:
    heavier = Fault("mass", "dynamics", 1.06)
    result = judged(pair("pendulum", 5, heavier, rows=1000, noise=0.002))
    assert result.state is State.PASS
    assert any("inertia" in m.note for m in result.measured("scale"))
