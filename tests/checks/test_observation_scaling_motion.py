"""Scales that no difference of motion makes, and those that each trace tells on its own rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d

from tests.builders import case, trace, wander
from tests.checks.dynamics_plants import Plant, both
from tests.truth.faults import Fault
from tests.truth.loop import Setting, run_loop
from tests.truth.plants import PLANTS, reference
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import Role, Trace

STEP = Alignment(mode="step")
UNALIGNED = {"alignment": CheckResult.inconclusive("alignment", "two offsets fit")}


def read_as(found: Trace, *factors: float) -> Trace:
    """Return a trace whose observations read times these factors."""
    channels = tuple(
        replace(c, value=c.as_float() * factors[int(c.index or 0)])
        if c.role is Role.OBSERVATION
        else c
        for c in found.channels
    )
    return replace(found, channels=channels)


def pair(*factors: float, n: int = 600, mass: float = 1.3) -> Case:
    """Two loops whose plants differ, so that the motions do; the target's sensors read times the factors."""
    made = both(Plant("pendulum"), n, 4, log_applied=False, mass=mass)
    return case(made.pair.sim, read_as(made.pair.target, *factors), STEP)


@pytest.mark.parametrize("factor", [1000.0, 100.0, 180 / np.pi, 0.001])
@pytest.mark.parametrize("which", [0, 1])
def test_that_a_unit_is_told_though_the_motions_differ(factor: float, which: int) -> None:
    result = CHECK.judge(Workbench(pair(*(factor if k == which else 1.0 for k in range(2)))), {})
    (scale,) = result.measured("scale", f"obs[{which}]")
    assert scale.state is State.FAIL
    assert "route F" in scale.note
    (correction,) = result.pending
    assert correction.channel == f"obs[{which}]"
    assert correction.scale == pytest.approx(factor, rel=1e-9)


@pytest.mark.parametrize("mass", [0.6, 1.8, 3.0])
def test_that_another_plant_is_no_scale(mass: float) -> None:
    result = CHECK.judge(Workbench(pair(1.0, 1.0, mass=mass)), {})
    assert result.state is not State.FAIL, result.reason


def read_off_by(made: Case, offset: float, which: int) -> Case:
    """Return a case whose target reads one observation ``offset`` spreads of the simulator's beside the truth."""
    sim = next(c for c in made.pair.sim.of_role(Role.OBSERVATION) if c.index == which)
    shift = offset * float(np.std(sim.as_float()))
    channels = tuple(
        replace(c, value=c.as_float() + shift)
        if c.role is Role.OBSERVATION and c.index == which
        else c
        for c in made.pair.target.channels
    )
    return case(made.pair.sim, replace(made.pair.target, channels=channels), STEP)


@pytest.mark.parametrize("mass", [0.6, 1.3, 1.8])
@pytest.mark.parametrize("offset", [0.6, -0.6])
def test_that_an_offset_of_a_rate_is_told_though_its_scale_is_open(
    mass: float, offset: float
) -> None:
    made = pair(1.0, 1.0, mass=mass, n=1000)
    result = CHECK.judge(Workbench(read_off_by(made, offset, 1)), {})
    (scale,), (level,) = (result.measured(q, "obs[1]") for q in ("scale", "level"))
    assert scale.state is State.INCONCLUSIVE
    assert level.state is State.FAIL
    assert "route C" in level.note
    spread = float(np.std(made.pair.sim.of_role(Role.OBSERVATION)[1].as_float()))
    assert level.estimate == pytest.approx(offset * spread, rel=0.1)
    (correction,) = result.pending
    assert correction.channel == "obs[1]"
    assert (correction.scale, correction.offset) == pytest.approx((1.0, offset * spread), rel=0.1)


@pytest.mark.parametrize("offset", [0.0, 0.6])
def test_that_an_offset_of_a_position_is_none_of_its_rate(offset: float) -> None:
    result = CHECK.judge(Workbench(read_off_by(pair(1.0, 1.0, mass=1.8, n=1000), offset, 0)), {})
    assert not [m for m in result.measured("level", "obs[1]") if m.state is State.FAIL]


def test_that_a_machine_that_hardly_moves_is_no_scale() -> None:
    made = pair(1.0, 1.0)
    stuck = np.random.default_rng(3).normal(0, 1e-3, (600, 2))
    emitted = made.pair.target.of_role(Role.ACTION)[0].as_float()
    result = CHECK.judge(Workbench(case(made.pair.sim, trace(0.02, stuck, emitted), STEP)), {})
    assert not [m for m in result.measured("scale") if m.state is State.FAIL]


@pytest.mark.parametrize(
    ("factors", "kind"), [((1.3, 1.0), "scale"), ((1.0, -1.0), "sign"), ((1000.0, 1.0), "unit")]
)
def test_that_sensors_of_one_motion_that_disagree_are_told_without_alignment(
    factors: tuple[float, float], kind: str
) -> None:
    result = CHECK.judge(Workbench(pair(*factors)), UNALIGNED)
    assert result.state is State.FAIL
    assert [m.quantity for m in result.measurements if m.state is State.FAIL] == [
        "kinematic scale ratio"
    ]
    (lead,) = result.leads
    assert (lead.kind, lead.channels) == (kind, ("obs[0]", "obs[1]"))
    assert lead.value == pytest.approx(factors[0] / factors[1], rel=0.05)
    assert result.pending == ()


def test_that_without_alignment_nothing_else_is_told() -> None:
    result = CHECK.judge(Workbench(pair(1.0, 1.0)), UNALIGNED)
    assert result.state is State.INCONCLUSIVE
    assert all(m.blocked for m in result.measurements if m.judged and "ratio" not in m.quantity)


def test_that_a_clock_in_another_unit_is_no_scale_of_sensors() -> None:
    made = pair(1.0, 1.0)
    target = made.pair.target
    channels = tuple(replace(c, time_s=c.time_s * 1000) for c in target.channels)
    late = replace(target, time_s=target.time_s * 1000, channels=channels)
    result = CHECK.judge(Workbench(case(made.pair.sim, late, STEP)), UNALIGNED)
    assert result.state is not State.FAIL


def settled_loop(seed: int, times: float, rows: int = 300) -> Case:
    """A spring that a policy holds to one reference in both runs; the target's position reads an offset.

    The policy reads it too, and moves the spring until the reading is where it wants it.
    """
    rng, plant = np.random.default_rng([seed, 5]), PLANTS[0]
    setting = Setting(plant, reference(plant, rows, rng), "none", 0.0, 0.005, 1e-4, "squared")

    def draws(side: int) -> tuple[np.random.Generator, np.random.Generator]:
        return np.random.default_rng([seed, side]), np.random.default_rng([seed, 20])

    sim = run_loop(setting, (), *draws(1))
    motion = sim.state[:, 0]
    offset = times * np.hypot(0.1 * motion.std(), 0.05 * motion.mean()) * (1 if seed % 2 else -1)
    wrong = Fault("obs-offset", "observation-scaling", offset, 0, times, in_loop=True)
    target = run_loop(setting, (wrong,), *draws(2))
    sides = (
        trace(plant.dt, np.column_stack([r.logged, setting.reference]), r.emitted)
        for r in (sim, target)
    )
    return case(*sides, STEP)


def test_that_an_offset_that_the_loop_takes_back_does_not_pass() -> None:
    states = [CHECK.judge(Workbench(settled_loop(seed, 1.3)), {}).state for seed in range(40, 60)]
    assert State.PASS not in states


def test_that_a_loop_without_offset_passes_as_its_first_rows_agree() -> None:
    states = [CHECK.judge(Workbench(settled_loop(seed, 0.0)), {}).state for seed in range(10)]
    assert states.count(State.PASS) >= 6
    assert State.FAIL not in states


@pytest.mark.parametrize("logged", ["both", "target"])
@pytest.mark.parametrize("reached", ["alike", "half"])
def test_that_equal_commands_that_reached_the_plants_unlike_are_not_the_same_trajectory(
    logged, reached
):
    """The plant answers with what reached it: half of a command moves it half as far, as if read at 0.5."""
    command = wander(400, 1, seed=4)[:, 0]
    part = 0.5 if reached == "half" else 1.0
    noise = 0.002 * np.random.default_rng(5).standard_normal((2, 400))
    moved = gaussian_filter1d(command, 3.0)
    sim = trace(0.02, moved + noise[0], command, applied=command if logged == "both" else None)
    target = trace(0.02, part * moved + noise[1], command, applied=part * command)
    result = CHECK.judge(Workbench(case(sim, target, STEP)), {})
    (scale,) = result.measured("scale", "obs")
    if reached == "half":
        assert result.state is State.INCONCLUSIVE
        assert "applied action_applied differs by" in scale.blocked
    else:
        assert result.state is State.PASS
