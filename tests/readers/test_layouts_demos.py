"""robomimic and its kin: values, names, roles, phases, rates and episodes come back as they were written."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note
from tests.readers.layouts import isaaclab, libero, ramp, robomimic, robosuite, write
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.frames import load_frame


def roles(trace):
    return {c.name: str(c.role) for c in trace}


def test_that_a_robomimic_demo_comes_back_exactly(tmp_path):
    path = robomimic(tmp_path / "demo.hdf5", {0: 6, 1: 4})
    trace = open_trace(path)
    assert (trace.source.layout, trace.source.episode) == ("robomimic", "data/demo_0")
    assert roles(trace) == {
        **{f"actions[{i}]": "action" for i in range(3)}, "rewards": "reward", "dones": "done",
        **{f"states[{i}]": "other" for i in range(5)},
        **{f"obs/joint_pos[{i}]": "observation" for i in range(2)},
        **{f"next_obs/joint_pos[{i}]": "other" for i in range(2)},
    }  # fmt: skip
    truth = ramp(6, 3, dtype="<f8")
    for i in range(3):
        assert trace[f"actions[{i}]"].value.tolist() == truth[:, i].tolist()
    assert (trace.clock.kind, trace.clock.rate_hz) == ("nominal", 20.0)
    assert "env_args.env_kwargs.control_freq" in trace.clock.because
    assert trace.time_s.tolist() == [i / 20 for i in range(6)]
    assert dict(trace.metadata)["phase"] == "observation before the action"
    assert dict(trace.metadata)["num_samples"] == "6"
    assert len(dict(trace.metadata)["model_file"]) < 2100
    assert note(trace, "done-on-last-row").severity == "warning"


def test_that_images_of_a_demo_are_frames_and_no_channels(tmp_path):
    trace = open_trace(robomimic(tmp_path / "demo.hdf5", {0: 3, 1: 4}), "1")
    assert not [c for c in trace if "cam" in c.name]
    assert (trace.frames[0].name, trace.frames[0].rows.size) == ("obs/cam", 4)
    assert (load_frame(trace.frames[0], 3) == 1).all()


def test_that_demos_are_in_natural_order_and_picked_by_path_name_or_number(tmp_path):
    path = robomimic(tmp_path / "demo.hdf5", {10: 3, 2: 4, 1: 5})
    found = inspect_file(path)
    assert [(e.key, e.steps) for e in found.episodes] == [
        ("data/demo_1", 5), ("data/demo_2", 4), ("data/demo_10", 3),
    ]  # fmt: skip
    assert [len(t) for t in found.traces] == [5, 4, 3]
    for wanted in ("data/demo_10", "demo_10", "10"):
        assert open_trace(path, wanted).source.episode == "data/demo_10"
    assert open_trace(f"{path}::data/demo_2").source.episode == "data/demo_2"
    assert open_trace(f"{path}::0").source.episode == "data/demo_1"
    assert note(open_trace(path), "several-episodes").count == 3
    with pytest.raises(TraceReadError, match="demo_10"):
        open_trace(path, "data/demo_11x")


def test_that_a_file_without_demos_or_with_an_empty_one_says_so(tmp_path):
    with pytest.raises(TraceReadError, match="no episodes"):
        open_trace(robomimic(tmp_path / "a.hdf5", {}))
    path = robomimic(tmp_path / "b.hdf5", {0: 3})
    write(path, {"data/demo_1": None, "data/demo_2/actions": np.zeros((0, 3))}, mode="r+")
    assert [e.steps for e in inspect_file(path).episodes] == [3, 0, 0]
    with pytest.raises(TraceReadError, match="no rows"):
        open_trace(path, "1")
    assert len(open_trace(path)) == 3


def test_that_other_key_names_are_no_obstacle(tmp_path):
    tree = {
        "data/demo_3/actions": ramp(5, 2), "data/demo_3/actions_abs": ramp(5, 2),
        "data/demo_3/obs/policy": ramp(5, 4), "data/demo_3/extra/q_value": ramp(5),
    }  # fmt: skip
    trace = open_trace(write(tmp_path / "x.hdf5", tree))
    assert roles(trace)["obs/policy[3]"] == "observation"
    assert roles(trace)["actions_abs[0]"] == "other"
    assert roles(trace)["extra/q_value"] == "other"
    assert (trace.clock.kind, "no-clock" in keys(trace)) == ("rows", True)


def test_that_a_demo_without_obs_and_one_row_longer_obs_are_read(tmp_path):
    path = write(
        tmp_path / "x.hdf5", {"data/demo_0/actions": ramp(5, 2), "data/demo_0/obs/q": ramp(6)}
    )
    trace = open_trace(path)
    assert (len(trace["obs/q"].value), len(trace["actions[0]"].value)) == (6, 5)
    assert trace["actions[0]"].time_s.tolist() == trace.time_s[:5].tolist()
    assert np.isfinite(trace["actions[0]"].value).all()
    assert "6 rows" in note(trace, "extra-observation").what


def test_that_the_selections_of_a_file_are_named(tmp_path):
    path = robomimic(tmp_path / "x.hdf5", {0: 3, 1: 3}, **{"mask/train": np.array([b"demo_0"])})
    assert dict(open_trace(path, "0").metadata)["mask"] == json.dumps(["train"])
    assert "mask" not in dict(open_trace(path, "1").metadata)


def test_that_a_physics_step_alone_is_no_row_rate(tmp_path):
    path = write(tmp_path / "x.hdf5", {"data/demo_0/actions": ramp(5, 2)})
    for settings, rate in (
        ({"sim": {"dt": 0.005}}, None),
        ({"sim": {"dt": 0.005}, "decimation": 4}, 50.0),
    ):
        with h5py.File(path, "r+") as file:
            file["data"].attrs["env_args"] = json.dumps({"env_kwargs": settings})
        assert open_trace(path).clock.rate_hz == pytest.approx(rate) if rate else True
        assert open_trace(path).clock.kind == ("nominal" if rate else "rows")


def test_that_raw_robosuite_demos_say_what_they_cannot_show(tmp_path):
    path = robosuite(tmp_path / "demo.hdf5", {1: 5, 2: 6})
    trace = open_trace(path)
    assert (trace.source.layout, trace.source.episode, len(trace)) == (
        "robosuite",
        "data/demo_1",
        5,
    )
    assert [str(trace[f"states[{i}]"].role) for i in range(4)] == ["other"] + ["observation"] * 3
    assert dict(trace.metadata)["phase"] == "observation after the action"
    assert {"successes-only", "clock-in-state"} <= keys(trace)
    assert trace.clock.rate_hz == 20.0
    from tracescope.readers.base import ImportChoices

    stamped = open_trace(path, None, ImportChoices(time_column="states[0]"))
    assert stamped.time_s.tolist() == [(i + 1) * 0.05 for i in range(5)]


def test_that_libero_observes_after_the_action_and_makes_up_its_end(tmp_path):
    trace = open_trace(libero(tmp_path / "demo.hdf5", 8))
    assert trace.source.layout == "libero"
    assert dict(trace.metadata)["phase"] == "observation after the action"
    assert (str(trace["dones"].role), str(trace["rewards"].role)) == ("other", "other")
    assert note(trace, "done-fabricated").count == 2
    assert trace.clock.rate_hz == 20.0
    assert trace["obs/ee_states[5]"].value.tolist() == ramp(8, 6)[:, 5].tolist()
    assert [f.name for f in trace.frames] == ["obs/agentview_rgb"]


def test_that_a_real_reward_in_liberos_layout_keeps_its_meaning(tmp_path):
    trace = open_trace(libero(tmp_path / "demo.hdf5", 8, rewards=ramp(8)))
    assert str(trace["rewards"].role) == "reward"
    assert note(trace, "done-fabricated").where == "dones"


@pytest.mark.parametrize("default", [(0.5, -1.0), (0.0, 0.0)])
def test_that_isaac_lab_says_which_joints_are_relative(tmp_path, default):
    trace = open_trace(isaaclab(tmp_path / "demo.hdf5", 7, default=default))
    assert trace.source.layout == "isaaclab"
    found = roles(trace)
    assert found["obs/joint_pos[0]"] == "observation"
    assert found["obs/actions[0]"] == found["states/articulation/robot/root_pose[6]"] == "other"
    assert found["processed_actions[1]"] == "action_applied"
    assert found["obs/datagen_info/eef_pose/left[3][3]"] == "other"
    assert not [c for c in trace if "initial_state" in c.name]
    said = note(trace, "joint-frame").what
    assert ("relative to a default pose (0.5, -1)" in said) == (default != (0.0, 0.0))
    assert ("is absolute" in said) == (default == (0.0, 0.0))
    assert dict(trace.metadata)["phase"] == "observation before the action"
    assert (trace.clock.kind, dict(trace.metadata)["success"]) == ("rows", "True")


def test_that_isaac_lab_without_success_and_with_strangers_joints_is_read(tmp_path):
    path = isaaclab(tmp_path / "demo.hdf5", 7, success=None)
    with h5py.File(path, "r+") as file:
        file["data/demo_0/obs/joint_pos"][...] = np.random.default_rng(0).normal(size=(7, 2))
    assert "joint-frame" not in keys(open_trace(path))
    assert inspect_file(path).episodes[0].note == ""


def test_that_aborted_episodes_at_the_start_do_not_hide_the_layout(tmp_path):
    path = tmp_path / "x.hdf5"
    with h5py.File(path, "w") as file:
        for i in range(9):
            group = file.create_group(f"data/demo_{i}")
            if i > 5:
                group["actions"], group["obs/q"] = ramp(5 + i, 2), ramp(5 + i)
    found = inspect_file(path)
    assert found.layout == "robomimic"
    assert [e.steps for e in found.episodes] == [0] * 6 + [11, 12, 13]
    assert open_trace(path).source.episode == "data/demo_6"


def test_that_runs_of_a_clock_that_restarts_inside_a_demo_can_be_named(tmp_path):
    stamps = np.concatenate([np.arange(10) * 0.1, np.arange(12) * 0.1])
    tree = {"data/demo_0/actions": ramp(22, 2), "data/demo_0/obs/q": np.arange(22.0),
            "data/demo_0/timestamp": stamps, "data/demo_1/actions": ramp(5, 2)}  # fmt: skip
    path = write(tmp_path / "x.hdf5", tree)
    first, second = open_trace(path, "data/demo_0"), open_trace(f"{path}::demo_0.1")
    assert (len(first), first.source.episode) == (10, "data/demo_0.0")
    assert (len(second), second.source.episode) == (12, "data/demo_0.1")
    assert second["obs/q"].value.tolist() == list(range(10, 22))
    assert "data/demo_0.1 names the next" in note(first, "clock-restarts").done
    with pytest.raises(TraceReadError, match=r"no episode '7'"):
        open_trace(path, "data/demo_0.7")
