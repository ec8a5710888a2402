"""Variants of the layouts that not every file has: values, names and episodes come back all the same."""

from __future__ import annotations

import h5py
import numpy as np

from tests.readers.helpers import keys
from tests.readers.layouts import aloha_packed, isaaclab, maniskill, minari, ramp, robomimic
from tracescope.readers import inspect_file, open_trace


def test_that_signals_of_subtasks_are_listed_as_other(tmp_path):
    path = isaaclab(tmp_path / "x.h5", 6)
    done = np.arange(6) > 3
    with h5py.File(path, "r+") as file:
        file["data/demo_0/obs/datagen_info/subtask_term_signals/grasp"] = done
    trace = open_trace(path)
    signal = trace["obs/datagen_info/subtask_term_signals/grasp"]
    assert (signal.value.tolist(), str(signal.role)) == (done.tolist(), "other")


def test_that_options_and_texts_of_minari_are_read(tmp_path):
    path = minari(tmp_path / "main_data.hdf5", {0: 5, 1: 3}, nested=True)
    with h5py.File(path, "r+") as file:
        file["episode_0"].attrs["options/goal"] = [1.0, 2.0]
        file["episode_0"].attrs["options/level/name"] = "hard"
        file.create_dataset(
            "episode_0/observations/mission",
            data=["go"] * 3 + ["stop"] * 3,
            dtype=h5py.string_dtype(),
        )
    trace = open_trace(f"{path}::episode_0")
    assert trace["observations/mission"].labels == ("go", "stop")
    assert trace["observations/mission"].value.tolist() == [0, 0, 0, 1, 1, 1]
    assert trace["observations/achieved[1]"].value.tolist() == ramp(6, 2)[:, 1].tolist()
    assert trace["actions/_index_1"].value.tolist() == [0, 1, 2, 3, 4]
    assert len(open_trace(path, "1").of_role("truncated")) == 1


def test_that_minari_files_without_seed_or_count_are_read(tmp_path):
    path = minari(tmp_path / "main_data.hdf5", {0: 5, 10: 3, 2: 4})
    with h5py.File(path, "r+") as file:
        for episode in file.values():
            for name in list(episode.attrs):
                del episode.attrs[name]
    found = inspect_file(path)
    assert (found.layout, [e.key for e in found.episodes]) == (
        "minari",
        ["episode_0", "episode_2", "episode_10"],
    )


def test_that_compressed_and_optional_parts_of_maniskill_are_read(tmp_path):
    path = maniskill(tmp_path / "x.h5", {0: 4}, obs="none")
    packed = (np.arange(5 * 3).reshape(5, 3) * 4000).astype("<u2")
    with h5py.File(path, "r+") as file:
        at = file["traj_0"]
        del at["success"]
        at["fail"], at["rewards"] = np.zeros(4, bool), ramp(4)
        at["obs"] = packed
    trace = open_trace(path)
    assert trace["obs[2]"].value.tolist() == packed[:, 2].tolist()
    assert trace["obs[2]"].dtype == "uint16"
    assert trace["rewards"].value.tolist() == ramp(4).tolist()
    assert str(trace["rewards"].role) == "reward"
    assert str(trace["fail"].role) == "other"


def test_that_a_robomimic_file_of_one_flat_observation_is_read(tmp_path):
    path = robomimic(tmp_path / "x.h5", {0: 5, 2: 3})
    with h5py.File(path, "r+") as file:
        for demo, n in (("demo_0", 5), ("demo_2", 3)):
            at = file["data"][demo]
            del at["obs"], at["next_obs"]
            at["obs/flat"] = at["next_obs/flat"] = ramp(n, 4)
        file["data"].attrs["env_args"] = "{not json"
        del file["data"].attrs["total"], file["data/demo_0"].attrs["num_samples"]
    trace = open_trace(path)
    assert (trace.source.layout, trace.clock.kind) == ("robomimic", "rows")
    assert "no-clock" in keys(trace)
    assert trace["obs/flat[3]"].value.tolist() == ramp(5, 4)[:, 3].tolist()
    assert [e.steps for e in inspect_file(path).episodes] == [5, 3]


def test_that_pictures_without_their_lengths_cost_only_themselves(tmp_path):
    path = aloha_packed(tmp_path / "x.h5", 4)[0]
    whole = [c.name for c in open_trace(path)]
    with h5py.File(path, "r+") as file:
        del file["compress_len"]
    trace = open_trace(path)
    assert [c.name for c in trace if not c.name.startswith("compress_len")] == [
        name for name in whole if not name.startswith("compress_len")
    ]
