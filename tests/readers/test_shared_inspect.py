"""Every recorded file, through the command: the right layout, episodes, rows, rate and roles, or a refusal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tracescope.cli.main import main

GO2 = ("hdf5", [300], 0.02, {"observation": 30, "action": 12, "other": 22, "done": 1})
SERVO = {"observation": 1, "action": 1}
BEAM = {"observation": 4, "action": 1, "action_applied": 1, "other": 11}
LEROBOT = {"observation": 26, "action": 26, "other": 3}
D4RL = {"observation": 8, "action": 3, "reward": 1, "done": 1, "other": 8}
MINARI = {"observation": 3, "action": 1, "reward": 1, "terminated": 1, "truncated": 1, "other": 1}
ARM, ARM_ALONE = {"action": 6, "observation": 18, "other": 1}, {"observation": 18}
GO2_FOLDER = "go2-observation-and-motor-delay/mujoco_S2_turn_"
PX4, PX4_FOLDER = "csv", "layouts/px4-ulog2csv/sample_log_small_"
PARQUET, SAGE = "layouts/lerobot-parquet", "so101-sage"

OPENED: dict[str, tuple[str, list[int], float, dict[str, int]]] = {
    **{f"{GO2_FOLDER}{what}.h5": GO2 for what in (
        "delay0_20260203_234556", "delay1_20260203_234117", "delay2_20260203_233759",
        "motordelay0_20260207_013100", "motordelay1_20260207_013108")},
    f"{GO2_FOLDER}delay0_20260203_234556.csv": ("csv", [300], 0.02, {
        "observation": 30, "action": 12, "other": 12, "done": 1}),
    **{f"servo/rollout{name}_{side}.csv": ("csv", [rows], 0.02, SERVO) for side in ("sim", "real")
       for name, rows in (("00_chirp", 150), ("01_step", 50), ("14_ramp", 100), ("24_triangle", 100),
                          ("30_square", 100))},
    "ball-and-beam/hardware__experiment_b__RL_trial_11.first76rows.csv": ("csv", [76], 0.01068, BEAM),
    "ball-and-beam/sim__experiment_b__sim_exp_b_trial_1.first76rows.csv": ("csv", [76], 0.01, BEAM),
    "layouts/d4rl-flat/expert_no_aug_1k.hdf5": ("d4rl", [500, 500], 1.0, D4RL),
    "layouts/d4rl-flat/physical_trajectories_7.hdf5": ("d4rl", [2000], 1.0, D4RL),
    "layouts/minari/pendulum-v0/data/main_data.hdf5": ("minari", [61, 61, 61], 1.0, MINARI),
    "layouts/minari/pendulum-v0": ("minari", [61, 61, 61], 1.0, MINARI),
    **{f"{PARQUET}/data/chunk-000/episode_{number}.parquet": ("lerobot", [rows], 1 / 30, LEROBOT)
       for number, rows in (("000000", 479), ("000003", 459), ("000061", 583))},
    PARQUET: ("lerobot", [479, 459, 583], 1 / 30, LEROBOT),
    f"{PX4_FOLDER}actuator_controls_0_0.csv": (PX4, [1812], 0.002476, {"action": 8, "other": 1}),
    f"{PX4_FOLDER}vehicle_angular_velocity_0.csv": (PX4, [1812], 0.002475, {"observation": 3, "other": 1}),
    f"{PX4_FOLDER}vehicle_attitude_0.csv": (PX4, [1298], 0.004888, {"observation": 9}),
    f"{PX4_FOLDER}vehicle_status_0.csv": (PX4, [14], 0.505986, {"other": 27}),
    "layouts/px4-ulog2csv": ("csv-folder", [1812], 0.002475, {"action": 9, "observation": 13, "other": 27}),
    **{f"{SAGE}/step_response/{run}": ("csv-folder", [6000], 0.02006, ARM) for run in ("main", "rawunits")},
    **{f"{SAGE}/step_response/{run}/state_motor.csv": ("csv", [6000], 0.02006, ARM_ALONE)
       for run in ("main", "rawunits")},
    f"{SAGE}/h1_2/0-Subject_4_F_5": ("csv-folder", [3876], 0.002, {
        "action": 23, "observation": 12, "other": 2}),
    f"{SAGE}/h1_2/0-Subject_4_F_5/state_base.csv": ("csv", [3876], 0.002, {"observation": 12}),
}  # fmt: skip
ALONE = {
    f"{SAGE}/h1_2/0-Subject_4_F_5/control.csv": (388, 0.02, 23),
    f"{SAGE}/step_response/main/control.csv": (6000, 0.02006, 6),
    f"{SAGE}/step_response/rawunits/control.csv": (6000, 0.02006, 6),
}
"""Commands without the file they belong to: rows, rate and number of channels."""
EVENTS = {f"{SAGE}/{run}/event.csv" for run in (
    "step_response/main", "step_response/rawunits", "h1_2/0-Subject_4_F_5")}  # fmt: skip
REFUSED = {
    "README.md": "no table of numbers",
    "ball-and-beam/PROVENANCE.md": "no table of numbers",
    f"{PARQUET}/meta/info.json": "describes a LeRobot data set",
    f"{PARQUET}/meta/episodes.jsonl": "a row an episode",
    f"{PARQUET}/meta/tasks.jsonl": "holds no series",
    "layouts/minari/pendulum-v0/data/metadata.json": "no column holds numbers",
    f"{SAGE}/h1_2/h1_2_joints.yaml": "no table of numbers",
    f"{SAGE}/step_response/main/joint_list.txt": "no table of numbers",
    f"{SAGE}/step_response/rawunits/joint_list.txt": "no table of numbers",
}


def inspected(path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> dict[str, Any]:
    assert main(["inspect", str(path), "--json", "-"]) == 0
    found = json.loads(capsysbinary.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_that_every_recorded_file_is_in_the_list(shared_data):
    files = {str(p.relative_to(shared_data)) for p in shared_data.rglob("*") if p.is_file()}
    assert files - OPENED.keys() - ALONE.keys() - EVENTS - REFUSED.keys() == set()


@pytest.mark.parametrize("name", OPENED)
def test_that_a_recording_is_inspected(shared_data, capsysbinary, name):
    layout, rows, interval_s, roles = OPENED[name]
    found = inspected(shared_data / name, capsysbinary)
    assert (found["layout"], [e["steps"] for e in found["episodes"]]) == (layout, rows)
    for episode in found["episodes"]:
        assert episode["interval_s"] == pytest.approx(interval_s, rel=0.01)
        assert Counter(c["role"] for c in episode["channels"]) == roles
    assert found["sha256"] or (shared_data / name).is_dir()


@pytest.mark.parametrize("name", ALONE)
def test_that_a_file_of_commands_alone_is_inspected(shared_data, capsysbinary, name):
    rows, interval_s, channels = ALONE[name]
    found = inspected(shared_data / name, capsysbinary)
    (episode,) = found["episodes"]
    assert (found["layout"], episode["steps"], len(episode["channels"])) == ("csv", rows, channels)
    assert episode["interval_s"] == pytest.approx(interval_s, rel=0.01)
    assert episode["clock"]["unit"] == "us"


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_that_a_list_of_events_is_inspected_as_labels(shared_data, capsysbinary, name):
    (episode,) = inspected(shared_data / name, capsysbinary)["episodes"]
    assert episode["steps"] == 3
    assert {c["role"] for c in episode["channels"]} == {"other"}


@pytest.mark.parametrize("name", REFUSED)
def test_that_what_is_no_recording_is_refused(shared_data, capsysbinary, name):
    assert main(["inspect", str(shared_data / name)]) == 2
    said = capsysbinary.readouterr().err.decode()
    assert REFUSED[name] in said
    assert name in said
    assert "→" in said


def test_that_what_is_known_of_the_real_files_is_said(shared_data, capsysbinary):
    def health(name: str) -> str:
        return " | ".join(h["what"] for h in inspected(shared_data / name, capsysbinary)["health"])

    hardware = "ball-and-beam/hardware__experiment_b__RL_trial_11.first76rows.csv"
    assert "20 of 76 rows repeat stamp and observation" in health(hardware)
    assert "dt says a constant 10 ms" in health(hardware)
    assert "exactly 500 rows" in health("layouts/d4rl-flat/expert_no_aug_1k.hdf5")
    assert "observations have 61 rows, actions 60" in health("layouts/minari/pendulum-v0")
    assert "frame_index / 30 in every row" in health(PARQUET)
    assert "163.7 ms" in health(f"{PX4_FOLDER}vehicle_angular_velocity_0.csv")
    physical = inspected(
        shared_data / "layouts/d4rl-flat/physical_trajectories_7.hdf5", capsysbinary
    )
    ranges = [c["range"] for c in physical["episodes"][0]["channels"] if c["role"] == "action"]
    assert max(abs(v) for low_high in ranges for v in low_high) == pytest.approx(3.25, abs=0.01)
    pendulum = inspected(shared_data / "layouts/minari/pendulum-v0", capsysbinary)
    ends = {c["role"]: c["range"] for c in pendulum["episodes"][0]["channels"]}
    assert (ends["truncated"][1], ends["terminated"][1]) == (1, 0)
