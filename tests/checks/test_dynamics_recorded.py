"""The dynamics check, behind the real earlier checks, on bundled samples and real recordings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tracescope.analysis.estimate import initial_alignment
from tracescope.checks.registry import BUILT_IN
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction
from tracescope.model.pair import pair_traces
from tracescope.readers import open_trace
from tracescope.session.run import run_checks

SAMPLES = Path(__file__).parents[2] / "samples"


def dynamics(sim: Path, target: Path, *corrections: Correction) -> CheckResult:
    pair = pair_traces(open_trace(str(sim)), open_trace(str(target)))
    case = Case(pair, initial_alignment(pair)[0], corrections)
    wanted = ("alignment", "observation-scaling", "action", "timing", "dynamics")
    return list(run_checks(case, [c for c in BUILT_IN if c.id in wanted]))[-1]


def sample(name: str, *corrections: Correction) -> CheckResult:
    (sim,) = (SAMPLES / name).glob("sim.*")
    return dynamics(sim, sim.with_name(sim.name.replace("sim", "target")), *corrections)


def test_that_a_braking_rail_fails_and_friction_is_named():
    result = sample("friction")
    assert result.state is State.FAIL
    assert (result.leads[0].kind, result.leads[0].channels) == ("coefficient", ("obs_1", "obs_1"))
    assert result.leads[0].value == pytest.approx(5.0, rel=0.1)


def test_that_the_same_system_twice_passes():
    assert sample("healthy").state is State.PASS


@pytest.mark.parametrize("name", ["scaling", "clipped", "late", "clock", "reward", "ended-early"])
def test_that_faults_elsewhere_are_not_called_dynamics(name):
    result = sample(name)
    assert result.state is not State.FAIL, result.reason


def told_corrections(name: str) -> list[Correction]:
    """What the sample's own truth says should be divided out."""
    truth = tomllib.loads((SAMPLES / name / "truth.toml").read_text(encoding="utf-8"))
    pairs = [text.split("=") for text in truth["corrected"]["corrections"]]
    return [Correction(channel, float(scale)) for channel, scale in pairs]


def test_that_dividing_the_wrong_scale_out_lets_the_check_pass():
    result = sample("scaling", *told_corrections("scaling"))
    assert result.state is State.PASS, result.reason


def test_that_the_exercise_counts_5_then_33_of_39():
    result = sample("exercise")
    assert result.state is State.INCONCLUSIVE
    assert result.count("comparable transitions") == 5
    assert result.would is not None
    assert "33 of 39 transitions comparable" in result.would.reason
    corrected = sample("exercise", Correction("obs[0]", 1.5), Correction("obs[1]", 1.5))
    assert corrected.count("comparable transitions") == 33


def recording(folder: Path, key: str) -> Path:
    (path,) = (folder / "go2-observation-and-motor-delay").glob(f"*_{key}_*.h5")
    return path


def test_that_a_bit_identical_quadruped_passes(shared_data):
    result = dynamics(recording(shared_data, "delay0"), recording(shared_data, "motordelay0"))
    assert result.state is State.PASS, result.reason


@pytest.mark.parametrize(
    ("sim", "target"),
    [("delay0", "delay1"), ("delay0", "delay2"), ("motordelay0", "motordelay1")],
)
def test_that_delays_of_a_quadruped_are_not_called_dynamics(shared_data, sim, target):
    result = dynamics(recording(shared_data, sim), recording(shared_data, target))
    assert result.state is State.INCONCLUSIVE, result.reason
