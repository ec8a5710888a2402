"""ALOHA, raw and compressed, and Minari, old and new."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note
from tests.readers.layouts import aloha, aloha_packed, jpeg, minari, ramp, write
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.frames import encoded_frame, load_frame


def test_that_a_raw_aloha_episode_comes_back_exactly(tmp_path):
    trace = open_trace(aloha(tmp_path / "episode_0.hdf5", 9))
    assert (trace.source.layout, trace.source.episode) == ("aloha", None)
    assert len(trace.of_role("action")) == 14
    assert len(trace.of_role("observation")) == 28
    assert trace["observations/qpos[13]"].value.tolist() == ramp(9, 14, start=3)[:, 13].tolist()
    assert trace["action[0]"].dtype == "float32"
    assert dict(trace.metadata)["phase"] == "observation before the action"
    assert dict(trace.metadata)["sim"] == "True"
    assert note(trace, "mixed-units").where == "action[6], action[13]"
    assert trace.clock.kind == "rows"
    assert trace.frames[0].rows.size == 9
    assert not any(c.unit for c in trace)


def test_that_an_aloha_episode_of_no_steps_and_one_more_observation_are_told(tmp_path):
    with pytest.raises(TraceReadError, match="no rows"):
        open_trace(aloha(tmp_path / "a.hdf5", 0))
    trace = open_trace(aloha(tmp_path / "b.hdf5", 5, obs=6))
    assert (len(trace["observations/qpos[0]"].value), len(trace["action[0]"].value)) == (6, 5)
    assert "extra-observation" in keys(trace)


def test_that_actions_longer_than_observations_are_kept_apart(tmp_path):
    trace = open_trace(aloha(tmp_path / "b.hdf5", 6, obs=5))
    assert {n.where for n in trace.health if n.key == "other-length"} >= {"observations/qpos"}


@pytest.mark.parametrize("lengths", [True, False])
def test_that_compressed_pictures_find_their_own_lengths(tmp_path, lengths):
    path, pictures = aloha_packed(tmp_path / "episode_0.hdf5", 5, lengths=lengths)
    trace = open_trace(path)
    assert [str(trace[f"base_action[{i}]"].role) for i in range(2)] == ["action"] * 2
    assert len(trace.frames) == 3
    for stack in trace.frames:
        camera = stack.name.rsplit("/", 1)[1]
        for i, truth in enumerate(pictures[camera]):
            raw = encoded_frame(stack, i).tobytes()
            assert raw == truth if lengths else raw.startswith(truth)
            assert load_frame(stack, i).shape == (24, 32, 3)


def test_that_bytes_that_are_no_pictures_are_left_out_and_said(tmp_path):
    path = aloha(tmp_path / "b.hdf5", 4)
    write(path, {"observations/images/odd": np.ones((4, 99), np.uint8)}, mode="r+")
    assert note(open_trace(path), "frames-left-out").where == "observations/images/odd"


def test_that_pictures_of_variable_length_are_frames(tmp_path):
    path = write(tmp_path / "x.h5", {"t": np.arange(3.0), "obs": np.arange(3.0)})
    with h5py.File(path, "r+") as file:
        cells = file.create_dataset("cam", (3,), dtype=h5py.vlen_dtype(np.uint8))
        for i in range(3):
            cells[i] = np.frombuffer(jpeg(i), np.uint8)
    trace = open_trace(path)
    assert (trace.frames[0].encoding, load_frame(trace.frames[0], 2).shape) == ("jpeg", (24, 32, 3))


@pytest.mark.parametrize("json_infos", [False, True])
def test_that_minari_keeps_the_last_observation(tmp_path, json_infos):
    path = minari(tmp_path / "main_data.hdf5", {0: 6, 1: 4, 10: 3, 2: 5}, json_infos=json_infos)
    found = inspect_file(path)
    assert found.layout == "minari"
    assert [e.key for e in found.episodes] == [f"episode_{i}" for i in (0, 1, 2, 10)]
    trace = open_trace(path, "1")
    assert trace["observations[2]"].value.tolist() == ramp(5, 3, start=10)[:, 2].tolist()
    assert trace["actions[0]"].value.size == 4
    assert trace["actions[0]"].time_s.tolist() == trace.time_s[:4].tolist()
    assert [str(trace[n].role) for n in ("rewards", "terminations", "truncations")] == [
        "reward", "terminated", "truncated",
    ]  # fmt: skip
    assert trace["infos/success"].value.tolist() == [False, False, True, True, True]
    assert str(trace["infos/success"].role) == "other"
    assert note(trace, "extra-observation").count == 1
    assert dict(trace.metadata)["phase"] == "observation before the action"
    assert dict(trace.metadata)["seed"] == "7"
    assert trace.clock.kind == "rows"
    if json_infos:
        assert trace["infos/pose[1]"].value.tolist() == [0, 0.5, 1, 1.5, 2]


def test_that_dict_and_tuple_spaces_are_named_by_their_path(tmp_path):
    trace = open_trace(minari(tmp_path / "main_data.hdf5", {0: 6}, nested=True))
    assert [c.name for c in trace.of_role("observation")] == [
        *(f"observations/achieved[{i}]" for i in range(2)),
        *(f"observations/inner/_index_0[{i}]" for i in range(3)),
    ]
    assert [c.name for c in trace.of_role("action")] == ["actions/_index_0[0]", "actions/_index_1"]


def test_that_the_description_beside_minari_is_read_only_with_its_folder(tmp_path):
    path = minari(tmp_path / "set" / "data" / "main_data.hdf5", {0: 3})
    spec = json.dumps({"id": "Pendulum-v1", "max_episode_steps": 200})
    about = {
        "env_spec": spec,
        "observation_space": json.dumps({"shape": [3]}),
        "minari_version": "0.5.4",
    }
    (path.parent / "metadata.json").write_text(json.dumps(about))
    assert "env_spec" not in dict(open_trace(path).metadata)
    for folder in (path.parent, path.parent.parent):
        trace = open_trace(folder)
        assert dict(trace.metadata)["max_episode_steps"] == "200"
        assert (trace.source.path, trace.source.layout) == (str(folder), "minari")
    before = open_trace(path.parent.parent).source.sha256
    minari(path, {0: 4})
    assert open_trace(path.parent.parent).source.sha256 != before


def test_that_broken_infos_are_counted(tmp_path):
    path = minari(tmp_path / "main_data.hdf5", {0: 3}, json_infos=True)
    with h5py.File(path, "r+") as file:
        file["episode_0/infos"][1] = "{not json"
    trace = open_trace(path)
    assert note(trace, "broken-json").count == 1
    assert trace["infos/pose[0]"].value.tolist() == [0, 2, 3]


def test_that_the_real_minari_set_reads_as_described(shared_data):
    folder = shared_data / "layouts" / "minari" / "pendulum-v0"
    found = inspect_file(folder / "data" / "main_data.hdf5")
    assert [(e.key, e.steps) for e in found.episodes] == [(f"episode_{i}", 60) for i in range(3)]
    for trace in found.traces:
        assert len(trace["observations[0]"].value) == 61
        assert len(trace["actions[0]"].value) == 60
        assert not trace["terminations"].value.any()
        assert trace["truncations"].value.tolist() == [False] * 59 + [True]
        assert trace.clock.kind == "rows"
    assert dict(open_trace(folder).metadata)["max_episode_steps"] == "60"
