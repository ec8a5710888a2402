"""Recordings made by others: what is known of their actions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tracescope.analysis.workbench import Workbench
from tracescope.checks.action import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.pair import pair_traces
from tracescope.readers import open_trace


def judged(sim: Path, target: Path, alignment: Alignment) -> CheckResult:
    pair = pair_traces(open_trace(str(sim)), open_trace(str(target)))
    return CHECK.judge(Workbench(Case(pair, alignment)), {})


def test_that_the_beams_gain_and_rate_limit_are_told_apart(shared_data: Path) -> None:
    folder = shared_data / "ball-and-beam"
    (sim,) = folder.glob("sim__*.csv")
    (hardware,) = folder.glob("hardware__*.csv")
    result = judged(sim, hardware, Alignment(mode="time"))
    assert result.state is State.FAIL
    (gain,) = result.measured("applied gain")
    assert gain.estimate == pytest.approx(25.0 / 57.2958, rel=1e-4)
    assert "25 in the target against 57.296 in the simulator" in gain.note
    assert "57.296 is 180/π, degrees where radians are meant" in gain.note
    leads = {lead.kind: lead.value for lead in result.leads}
    assert set(leads) == {"gain", "rate limit"}
    assert leads["rate limit"] == pytest.approx(1.2)


def test_that_the_beams_saturated_actions_are_counted(shared_data: Path) -> None:
    folder = shared_data / "ball-and-beam"
    (sim,) = folder.glob("sim__*.csv")
    (hardware,) = folder.glob("hardware__*.csv")
    trace = open_trace(str(hardware))
    emitted = trace["action_raw"].as_float()
    assert (abs(emitted) >= 0.43633).sum() == 10
    result = judged(sim, hardware, Alignment(mode="time"))
    (rows,) = result.measured("rows at the upper extreme")
    assert rows.estimate > 0
    assert "0.43633" in rows.note


def test_that_one_command_file_sent_twice_names_no_map(shared_data: Path) -> None:
    folder = shared_data / "so101-sage" / "step_response"
    result = judged(folder / "main", folder / "rawunits", Alignment(mode="time"))
    emitted = result.measured("altered emitted rows")
    assert {m.state for m in emitted} == {State.PASS}
    assert all(m.note.endswith("identity") for m in emitted)
    assert result.leads == ()


def test_that_equal_runs_differ_in_no_action(shared_data: Path) -> None:
    folder = shared_data / "go2-observation-and-motor-delay"
    (sim,) = folder.glob("*_delay0_*.h5")
    (target,) = folder.glob("*_motordelay0_*.h5")
    result = judged(sim, target, Alignment(mode="time"))
    states = {m.state for m in result.measurements if m.judged and m.interval is not None}
    assert states == {State.PASS}
    assert result.state is State.INCONCLUSIVE
    assert "not logged" in result.reason
