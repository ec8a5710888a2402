"""D4RL's flat files, DROID and ManiSkill."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note
from tests.readers.layouts import EPOCH_MS, d4rl, droid, maniskill, ramp
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace


def roles(trace):
    return {c.name: str(c.role) for c in trace}


def test_that_a_flat_file_is_split_after_terminals_and_timeouts(tmp_path):
    path = d4rl(tmp_path / "d.hdf5", 20, terminals=[4], timeouts=[11])
    found = inspect_file(path)
    assert found.layout == "d4rl"
    assert [(e.key, e.steps) for e in found.episodes] == [("0", 5), ("1", 7), ("2", 8)]
    truth = ramp(20, 3, dtype="<f8")
    for trace, rows in zip(found.traces, (slice(0, 5), slice(5, 12), slice(12, 20)), strict=True):
        assert trace["observations[1]"].value.tolist() == truth[rows, 1].tolist()
    first, second = found.traces[:2]
    assert first["terminals"].value.tolist() == [False] * 4 + [True]
    assert second["timeouts"].value.tolist() == [False] * 6 + [True]
    assert (str(first["terminals"].role), str(first["timeouts"].role)) == (
        "terminated",
        "truncated",
    )
    assert open_trace(path, "2").time_s.tolist() == list(range(8))
    assert "time-limit-as-terminal" not in keys(first)
    assert "float64" in note(first, "mixed-precision").what


def test_that_terminals_alone_may_be_time_limits(tmp_path):
    trace = open_trace(d4rl(tmp_path / "d.hdf5", 22, terminals=[6, 13, 17]))
    assert str(trace["terminals"].role) == "done"
    said = note(trace, "time-limit-as-terminal")
    assert (said.count, said.severity, said.where) == (2, "warning", "row 6, row 13")


def test_that_ends_at_different_lengths_are_no_time_limits(tmp_path):
    assert "time-limit-as-terminal" not in keys(
        open_trace(d4rl(tmp_path / "d.hdf5", 22, terminals=[6, 15]))
    )


def test_that_a_file_without_ends_is_one_episode_and_says_so(tmp_path):
    path = d4rl(tmp_path / "d.hdf5", 9)
    assert [e.steps for e in inspect_file(path).episodes] == [9]
    assert note(open_trace(path), "no-episode-ends").severity == "warning"


def test_that_a_border_nobody_flagged_is_told_by_the_next_observations(tmp_path):
    truth = ramp(40, 3, dtype="<f8")
    after = np.vstack([truth[1:], truth[-1:]])
    after[14] += 1
    found = inspect_file(d4rl(tmp_path / "d.hdf5", 40, more={"next_observations": after}))
    assert [e.steps for e in found.episodes] == [15, 25]
    assert note(found.traces[0], "unmarked-ends").where == "row 14"
    noisy = inspect_file(d4rl(tmp_path / "e.hdf5", 40, more={"next_observations": truth + 0.1}))
    assert [e.steps for e in noisy.episodes] == [40]


@pytest.mark.parametrize("dtype", ["f4", "i8", "u1"])
def test_that_flags_may_be_numbers_and_vectors_of_one(tmp_path, dtype):
    path = d4rl(tmp_path / "d.hdf5", 10, terminals=[3])
    with h5py.File(path, "r+") as file:
        flags = file["terminals"][()].astype(dtype)
        del file["terminals"], file["rewards"]
        file["terminals"], file["rewards"] = flags[:, None], ramp(10, 1)
    assert [e.steps for e in inspect_file(path).episodes] == [4, 6]
    assert str(open_trace(path)["rewards[0]"].role) == "reward"


def test_that_extras_of_flat_files_are_told(tmp_path):
    more = {
        "infos/qpos": ramp(10, 4), "infos/empty": np.zeros(0), "next_observations": ramp(10, 3, start=9),
        "metadata/algorithm": "SAC", "metadata/policy/fc0/weight": ramp(64, 3), "metadata/ratio": 0.5,
    }  # fmt: skip
    trace = open_trace(d4rl(tmp_path / "d.hdf5", 10, terminals=[9], more=more))
    assert (roles(trace)["infos/qpos[0]"], roles(trace)["next_observations[0]"]) == (
        "other",
        "other",
    )
    assert note(trace, "zero-length").where == "infos/empty"
    assert dict(trace.metadata)["metadata/algorithm"] == "SAC"
    assert not [c for c in trace if "weight" in c.name]
    assert dict(trace.metadata)["phase"] == "observation before the action"


@pytest.mark.parametrize(
    ("name", "steps"), [("expert_no_aug_1k", [500, 500]), ("physical_trajectories_7", [2000])]
)
def test_that_real_flat_files_read_as_described(shared_data, name, steps):
    found = inspect_file(shared_data / "layouts" / "d4rl-flat" / f"{name}.hdf5")
    assert found.layout == "d4rl"
    assert [e.steps for e in found.episodes] == steps
    trace = found.traces[0]
    if name.startswith("expert"):
        assert note(trace, "time-limit-as-terminal").count == 2
    else:
        assert note(trace, "done-on-last-row").where == "terminals"
    assert (len(trace.of_role("observation")), len(trace.of_role("action"))) == (8, 3)
    largest = max(float(abs(c.value).max()) for t in found.traces for c in t.of_role("action"))
    if name.startswith("physical"):
        assert largest == pytest.approx(3.25, abs=0.01)


def test_that_droid_names_its_clock_and_one_of_its_action_spaces(tmp_path):
    trace = open_trace(droid(tmp_path / "trajectory.h5", 12, skipped=[3, 4]))
    assert trace.source.layout == "droid"
    found = roles(trace)
    assert found["action/joint_position[6]"] == found["action/gripper_position"] == "action"
    assert found["action/cartesian_velocity[0]"] == "other"
    assert found["observation/robot_state/joint_positions[0]"] == "observation"
    assert found["observation/camera_type/123"] == "other"
    assert (trace.clock.unit, trace.clock.is_epoch) == ("ms", True)
    assert trace.clock.column == "observation/timestamp/robot_state/read_start"
    assert trace.clock.origin_ns == EPOCH_MS * 1_000_000
    assert trace.time_s.tolist() == [66 * i / 1000 for i in range(12)]
    cameras = trace["observation/timestamp/cameras/123_read_start"].value
    assert cameras.tolist() == [EPOCH_MS + 66 * i - 11 for i in range(12)]
    assert note(trace, "not-executed").count == 2
    assert note(trace, "action-spaces").count == 3
    assert dict(trace.metadata)["success"] == "True"


def test_that_droid_without_stamps_has_no_clock(tmp_path):
    trace = open_trace(droid(tmp_path / "trajectory.h5", 12, stamps=False))
    assert trace.clock.kind == "rows"
    assert "not-executed" not in keys(trace)


def test_that_maniskill_keeps_the_last_observation(tmp_path):
    path = maniskill(
        tmp_path / "trajectory.state.pd_joint_delta_pos.physx_cpu.h5", {0: 6, 10: 4, 2: 5}
    )
    found = inspect_file(path)
    assert found.layout == "maniskill"
    assert [(e.key, e.steps) for e in found.episodes] == [
        ("traj_0", 6),
        ("traj_2", 5),
        ("traj_10", 4),
    ]
    trace = open_trace(f"{path}::traj_10")
    assert trace["obs/agent/qpos[8]"].value.tolist() == ramp(5, 9)[:, 8].tolist()
    assert trace["actions[0]"].time_s.tolist() == [0, 1, 2, 3]
    assert roles(trace)["env_states/actors/cube[0]"] == roles(trace)["success"] == "other"
    assert (roles(trace)["terminated"], roles(trace)["truncated"]) == ("terminated", "truncated")
    assert [f.name for f in trace.frames] == ["obs/sensor_data/cam/rgb"]
    assert "pictures of int16" in note(trace, "dataset-left-out").what
    assert note(trace, "extra-observation").count == 1


@pytest.mark.parametrize(("obs", "count"), [("array", 5), ("none", 44)])
def test_that_maniskill_without_observations_shows_states(tmp_path, obs, count):
    trace = open_trace(maniskill(tmp_path / "t.h5", {0: 6}, obs=obs))
    assert len(trace.of_role("observation")) == count


def test_that_the_description_of_maniskill_is_read_only_with_its_folder(tmp_path):
    path = maniskill(tmp_path / "trajectory.h5", {0: 6})
    about = {
        "env_info": {"env_id": "PickCube-v1", "max_episode_steps": 50},
        "episodes": [{"episode_id": 0, "control_mode": "pd_joint_pos", "elapsed_steps": 6}],
    }
    path.with_suffix(".json").write_text(json.dumps(about))
    assert "env_id" not in dict(open_trace(path).metadata)
    found = dict(open_trace(tmp_path).metadata)
    assert (found["env_id"], found["max_episode_steps"]) == ("PickCube-v1", "50")
    assert found["control_mode"] == "pd_joint_pos"
    with pytest.raises(TraceReadError, match="no episode"):
        open_trace(tmp_path, "traj_7")


def test_that_a_half_written_trajectory_costs_only_itself(tmp_path):
    path = maniskill(tmp_path / "t.h5", {0: 6, 1: 4})
    with h5py.File(path, "r+") as file:
        del file["traj_0/actions"], file["traj_0/terminated"], file["traj_0/truncated"]
    found = inspect_file(path)
    assert [e.steps for e in found.episodes] == [0, 4]
    assert [t.source.episode for t in found.traces] == ["traj_1"]
    assert "episode-left-out" in keys(found.traces[0])
