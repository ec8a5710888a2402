"""Sensor scale and level from one-step relations: known sensors in, the same sensors out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import case, trace
from tests.checks.test_observation_scaling_loop import episode
from tracescope.analysis.action_map_follow import best_following, following
from tracescope.analysis.regression_one_step import Sensed, sensed
from tracescope.analysis.regression_outputs import MEMORIES, blocks_of, memories_of
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment

CONFIDENCE = 0.9975
SAME = frozenset({"obs[2]"})


def read(
    n: int, task: int, *, block: int = 1, whitened: bool = False, **fault
) -> tuple[Sensed, ...]:
    sim = episode(n, task, 2 * task, spring=5.0)
    target = episode(n, task, 2 * task + 1, spring=5.0, **fault)
    relation = Workbench(case(sim, target, Alignment(mode="step"))).relation
    assert relation is not None
    return sensed(relation, CONFIDENCE, SAME, block, whitened=whitened)


def holds(found: Sensed, name: str, scale: float) -> bool:
    k = found.names.index(name)
    return bool(abs(np.log(found.scale[k] / scale)) <= found.scale_half[k])


@given(
    task=st.integers(0, 200),
    scale=st.tuples(st.floats(0.8, 1.25), st.floats(0.8, 1.25)),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_that_scales_inside_a_loop_come_back(task: int, scale: tuple[float, float]) -> None:
    found = read(300, task, scale=scale)
    if found:
        assert holds(found[0], "obs[0]", scale[0])
        assert holds(found[0], "obs[1]", scale[1])


@pytest.mark.parametrize("block", [1, 4, 10])
def test_that_a_healthy_loop_is_read_narrowly(block: int) -> None:
    plain = read(600, 3, block=block)[0]
    assert holds(plain, "obs[0]", 1.0)
    assert holds(plain, "obs[1]", 1.0)
    assert plain.scale_half.max() < 0.05
    assert plain.chance > 1e-3 or plain.left < 0.01
    assert plain.plant == ""


@given(
    task=st.integers(0, 200),
    scale=st.tuples(st.floats(0.9, 1.1), st.floats(0.9, 1.1)),
)
@settings(max_examples=8, deadline=None, derandomize=True)
def test_that_whitening_reads_noisy_sensors_more_narrowly_and_as_truly(
    task: int, scale: tuple[float, float]
) -> None:
    """Noise of the sensors alone: neighbouring steps share it, and what they share tells of it."""
    single = read(200, task, scale=scale, noise=0.02)
    found = read(200, task, scale=scale, noise=0.02, whitened=True)
    if found and single:
        # 0.25 % of intervals miss, and more where few rows tell of noise: none by far.
        error = np.abs(np.log(found[0].scale / np.array(scale)))
        assert (error <= 1.5 * found[0].scale_half).all()
        assert found[0].scale_half.mean() < single[0].scale_half.mean()


def recorded(seed: int, sensor: float, process: float, gain: float = 1.0):
    """A relation of two runs whose noise is the sensor's, or the motion's own."""

    def run(own: int):
        rng = np.random.default_rng([seed, own])
        drive = np.random.default_rng(seed).standard_normal(400)
        state = np.zeros(400)
        for i in range(399):
            state[i + 1] = 0.95 * state[i] + 0.3 * drive[i] + process * rng.standard_normal()
        return trace(
            0.02, gain * (state + sensor * rng.standard_normal(400))[:, None], drive[:, None]
        )

    relation = Workbench(case(run(1), run(2), Alignment(mode="step"))).relation
    assert relation is not None
    return relation


@given(seed=st.integers(0, 200), gain=st.floats(0.01, 100.0))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_that_sensor_noise_is_shared_by_neighbouring_steps_and_a_motions_own_is_not(
    seed: int, gain: float
) -> None:
    of_sensor = memories_of(recorded(seed, 0.05, 0.0), [0])
    own = memories_of(recorded(seed, 0.0, 0.05), [0])
    assert of_sensor[0] >= 0.7
    assert own[0] <= 0.25
    assert memories_of(recorded(seed, 0.05, 0.0, gain), [0]) == of_sensor
    assert set(of_sensor.values()) | set(own.values()) <= set(MEMORIES)


def test_that_an_offset_of_a_velocity_comes_back() -> None:
    sim, target = episode(600, 4, 8, spring=5.0), episode(600, 4, 9, spring=5.0)
    value = np.column_stack([target[f"obs[{k}]"].as_float() for k in range(3)])
    value[:, 1] += 0.2
    moved = trace(0.02, value, target["action"].as_float())
    relation = Workbench(case(sim, moved, Alignment(mode="step"))).relation
    assert relation is not None
    found = sensed(relation, CONFIDENCE, SAME)[0]
    k = found.names.index("obs[1]")
    assert abs(found.level[k] - 0.2) <= found.level_half[k] < 0.1


def test_that_a_heavier_plant_is_said_to_be_left_and_let_free() -> None:
    found = read(600, 5, mass=1.3)
    assert found[0].chance < 1e-6
    assert found[0].left > 0.01
    assert len(found) > 1
    assert found[1].plant
    assert found[1].chance > found[0].chance


@pytest.mark.parametrize("factor", [5.0, 10.0])
def test_that_a_unit_is_not_followed(factor: float) -> None:
    assert read(300, 6, scale=(1.0, factor)) == ()


def test_that_nothing_is_read_off_a_loop_that_ran_away() -> None:
    sim = episode(300, 6, 12, spring=5.0)
    target = episode(300, 6, 13, spring=5.0, scale=(1.0, 57.3))
    assert max(np.abs(c.as_float()).max() for c in target.channels) > 1e100
    assert Workbench(case(sim, target, Alignment(mode="step"))).relation is None


def test_that_too_few_rows_say_nothing() -> None:
    assert read(60, 7, block=20) == ()


def test_that_blocks_never_reach_over_a_gap() -> None:
    sim = episode(200, 8, 1, spring=5.0)
    relation = Workbench(case(sim, sim, Alignment(mode="step"))).relation
    assert relation is not None
    steps = relation.sim.subset(np.flatnonzero(np.arange(len(relation.sim)) % 50 != 7))
    blocks = blocks_of(steps, 4)
    assert (np.diff(steps.row[blocks], axis=1) == 1).all()


@given(
    gain=st.floats(0.2, 3.0),
    offset=st.floats(-2, 2),
    lag=st.integers(0, 10),
    seed=st.integers(0, 99),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_that_what_follows_an_action_is_found(
    gain: float, offset: float, lag: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    action = rng.standard_normal((2, 120))
    late = np.concatenate((np.zeros(lag), action[1][: 120 - lag]))
    observation = np.stack((rng.standard_normal(120), gain * late + offset))
    found = following(action, observation)
    assert found[1][0] == 1
    assert 0 not in found
    fit = found[1][1]
    assert (fit.gain, fit.offset) == pytest.approx((gain, offset), abs=1e-9)
    assert fit.lag == lag
    assert best_following(action[1], observation[1]) == fit


def test_that_few_rows_follow_nothing() -> None:
    few = np.ones((1, 20))
    assert following(few, few) == {}


def test_that_sensors_that_no_change_of_the_plant_can_be_told_from_say_nothing(tmp_path) -> None:
    """A pure tone excites one direction only: the joint fit is singular, and nothing may be said."""
    from tests.ui.logs import periodic_pair
    from tracescope.checks.observation_scaling import CHECK
    from tracescope.model.check import State
    from tracescope.session.open import OpenOptions, open_session, side_of

    sim, target = periodic_pair(tmp_path, 0.2)
    options = OpenOptions(propose=True)
    session = open_session(side_of(str(sim)), side_of(str(target)), options)
    result = CHECK.judge(Workbench(session.case), {})
    assert result.state is not State.FAIL
