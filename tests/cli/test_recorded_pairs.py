"""Recordings made by others, by command line: what is known of each pair comes out of the whole pipeline."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.test_main_job import Result, check_of, measured
from tracescope.cli.main import main

JOINTS = ("Rotation", "Pitch", "Elbow", "Wrist_Pitch", "Wrist_Roll", "Jaw")
GO2 = "go2-observation-and-motor-delay"
SERVO = ("00_chirp", "01_step", "14_ramp", "24_triangle", "30_square")
PAIRS = {
    "arm": ("so101-sage/step_response/main", "so101-sage/step_response/rawunits"),
    "twin": (f"{GO2}/*_delay0_*.h5", f"{GO2}/*_motordelay0_*.h5"),
    "motor": (f"{GO2}/*_motordelay0_*.h5", f"{GO2}/*_motordelay1_*.h5"),
    "beam": ("ball-and-beam/sim*.csv", "ball-and-beam/hardware*.csv"),
    **{f"servo{n}": (f"servo/rollout{n}_sim.csv", f"servo/rollout{n}_real.csv") for n in SERVO},
}


@cache
def _checked(folder: Path, name: str, out: Path) -> tuple[int, Result]:
    (sim,), (target,) = (tuple(folder.glob(pattern)) for pattern in PAIRS[name])
    status = main(["check", str(sim), str(target), "--json", str(out), "--quiet"])
    return status, json.loads(out.read_text("utf-8"))


@pytest.fixture(scope="module")
def checked(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("recorded")
    return lambda name: _checked(shared_data, name, out / f"{name}.json")


@pytest.mark.parametrize("joint", JOINTS)
def test_that_the_arms_raw_units_fail_and_its_positions_do_not(checked: Any, joint: str) -> None:
    status, result = checked("arm")
    assert status == 1
    velocity = measured(result, "observation-scaling", "scale", f"state_motor/velocities/{joint}")
    torque = measured(result, "observation-scaling", "scale", f"state_motor/torques/{joint}")
    position = measured(result, "observation-scaling", "scale", f"state_motor/positions/{joint}")
    assert (velocity["state"], torque["state"]) == ("fail", "fail")
    assert velocity["interval"][0] <= 651.9 <= velocity["interval"][1]
    assert position["state"] != "fail"
    if joint == "Elbow":
        assert position["estimate"] == pytest.approx(1.12, abs=0.03)
        assert position["state"] == "inconclusive"
    else:
        assert 0.99 <= position["estimate"] <= 1.06


def test_that_the_arms_velocities_lead_with_the_unit_step(checked: Any) -> None:
    _, result = checked("arm")
    inferred = " ".join(item["text"] for item in result["findings"]["inferred"])
    assert "4096/2π" in inferred
    assert result["hypotheses"][0]["family"] == "observation-scaling"


def test_that_three_events_are_no_gap(checked: Any) -> None:
    _, result = checked("arm")
    health = [note["what"] for side in result["pair"].values() for note in side["health"]]
    assert not [what for what in health if "exceed" in what]


def test_that_no_check_fails_on_a_bit_identical_pair(checked: Any) -> None:
    status, result = checked("twin")
    assert status == 3
    states = {c["id"]: c["state"] for c in result["checks"]}
    assert "fail" not in states.values()
    covered = ("alignment", "observation-scaling", "timing", "dynamics")
    assert {states[check] for check in covered} == {"pass"}


def test_that_the_motor_delay_is_one_step(checked: Any) -> None:
    status, result = checked("motor")
    assert status == 1
    latency = measured(result, "timing", "response latency, target less sim")
    assert latency["estimate"] == pytest.approx(1.0, abs=0.05)
    assert latency["state"] == "fail"
    assert "torque" in check_of(result, "timing")["reason"]
    states = {c["id"]: c["state"] for c in result["checks"]}
    assert [check for check, state in states.items() if state == "fail"] == ["timing"]


def test_that_the_beams_setpoint_scales_are_told(checked: Any) -> None:
    _, result = checked("beam")
    action = check_of(result, "action")
    assert action["state"] == "fail"
    assert "25 in the target against 57.296 in the simulator" in action["reason"]
    gain = measured(result, "action", "applied gain", "action_raw")
    assert gain["estimate"] == pytest.approx(25.0 / np.degrees(1.0), rel=1e-3)


def test_that_the_beams_stale_rows_and_dt_column_are_told(checked: Any) -> None:
    _, result = checked("beam")
    timing = check_of(result, "timing")
    assert timing["state"] == "fail"
    stale = measured(result, "timing", "stale rows")
    assert stale["estimate"] == pytest.approx(20 / 76)
    stated = measured(result, "timing", "measured over stated interval (column dt)")
    assert stated["state"] == "fail"
    assert "column dt says 10 ms always; measured 0 to 30.95 ms" in timing["reason"]


@pytest.mark.parametrize("name", SERVO)
def test_that_a_servo_gives_no_delay_finding(checked: Any, name: str) -> None:
    status, result = checked(f"servo{name}")
    assert status == 3
    assert "fail" not in {c["state"] for c in result["checks"]}
    assert "timing" not in {one["family"] for one in result["hypotheses"]}
    assert not [i for i in result["findings"]["inferred"] if "later" in i["text"]]


def test_that_no_recording_was_written(checked: Any, shared_data: Path) -> None:
    files = [p for p in shared_data.rglob("*") if p.is_file()]
    before = {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in files}
    _checked.cache_clear()
    assert checked("beam")[0] == 1
    assert {p: (p.stat().st_mtime_ns, p.stat().st_size) for p in before} == before
    assert {p for p in shared_data.rglob("*") if p.is_file()} == set(files)
