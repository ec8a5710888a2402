"""Recordings made by others: what is known of their observations."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracescope.analysis.estimate import assumed_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling import CHECK
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.pair import pair_traces
from tracescope.readers import open_trace

JOINTS = ("Rotation", "Pitch", "Elbow", "Wrist_Pitch", "Wrist_Roll", "Jaw")


def judged(sim: Path, target: Path) -> CheckResult:
    pair = pair_traces(open_trace(str(sim)), open_trace(str(target)))
    return CHECK.judge(Workbench(Case(pair, assumed_alignment(pair))), {})


@pytest.fixture(scope="module")
def arm(shared_data: Path) -> CheckResult:
    folder = shared_data / "so101-sage" / "step_response"
    return judged(folder / "main", folder / "rawunits")


@pytest.mark.parametrize("joint", JOINTS)
def test_that_raw_velocities_fail_as_encoder_ticks(arm: CheckResult, joint: str) -> None:
    name = f"state_motor/velocities/{joint}"
    (scale,) = arm.measured("scale", name)
    assert scale.state is State.FAIL
    assert scale.interval is not None
    assert scale.interval[0] <= 651.9 <= scale.interval[1]
    (lead,) = [lead for lead in arm.leads if lead.channels == (name,) and lead.kind == "unit"]
    assert "4096/2π" in lead.text


@pytest.mark.parametrize("joint", JOINTS)
def test_that_raw_torques_fail_as_counts(arm: CheckResult, joint: str) -> None:
    (scale,) = arm.measured("scale", f"state_motor/torques/{joint}")
    assert scale.state is State.FAIL
    assert 25 <= scale.estimate <= 45


@pytest.mark.parametrize("joint", JOINTS)
def test_that_positions_are_reported_for_what_they_are(arm: CheckResult, joint: str) -> None:
    (scale,) = arm.measured("scale", f"state_motor/positions/{joint}")
    assert scale.state is not State.FAIL
    if joint == "Elbow":
        assert scale.estimate == pytest.approx(1.13, abs=0.02)
        assert scale.state is State.INCONCLUSIVE
    else:
        assert 0.99 <= scale.estimate <= 1.06


def test_that_equal_runs_pass(shared_data: Path) -> None:
    folder = shared_data / "go2-observation-and-motor-delay"
    (sim,) = folder.glob("*_delay0_*.h5")
    (target,) = folder.glob("*_motordelay0_*.h5")
    assert judged(sim, target).state is State.PASS


@pytest.mark.parametrize("which", ["_delay1_", "_delay2_", "_motordelay1_"])
def test_that_a_delay_is_no_observation_finding(shared_data: Path, which: str) -> None:
    folder = shared_data / "go2-observation-and-motor-delay"
    (sim,) = folder.glob("*_delay0_*.h5")
    (target,) = folder.glob(f"*{which}*.h5")
    assert judged(sim, target).state is State.INCONCLUSIVE


@pytest.mark.parametrize("rollout", ["00_chirp", "01_step", "14_ramp", "24_triangle", "30_square"])
def test_that_a_near_match_fails_nothing(shared_data: Path, rollout: str) -> None:
    folder = shared_data / "servo"
    result = judged(folder / f"rollout{rollout}_sim.csv", folder / f"rollout{rollout}_real.csv")
    assert result.state is not State.FAIL


def test_that_the_arms_quantisation_steps_give_exact_corrections(arm: CheckResult) -> None:
    scales = {c.channel: c.scale for c in arm.pending}
    for joint in JOINTS:
        assert scales[f"state_motor/velocities/{joint}"] == pytest.approx(651.9, rel=1e-3)
        assert scales[f"state_motor/torques/{joint}"] == pytest.approx(43.83, rel=1e-3)
