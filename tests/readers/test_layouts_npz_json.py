"""NumPy archives and JSON rollouts."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from tests.readers.helpers import keys, note, put, values
from tests.readers.layouts import ramp
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace


def roles(trace):
    return {c.name: str(c.role) for c in trace}


def test_that_an_archive_of_arrays_comes_back_exactly(tmp_path):
    path = tmp_path / "run.npz"
    truth = {
        "t": np.arange(8) * 0.02, "obs": ramp(8, 3), "action": ramp(8, 2, dtype=">f8"), "done": np.arange(8) == 7,
        "agents": ramp(8, 2, 4), "fall_time": np.int64(-1), "robot": np.array("go2"), "dt": 0.02,
        "single": np.array([3.5]), "mode": np.array(["walk"] * 7 + ["stand"]),
    }  # fmt: skip
    np.savez_compressed(path, **truth)
    trace = open_trace(path)
    assert (trace.source.layout, trace.clock.column) == ("npz", "t")
    assert trace["agents[1][3]"].value.tolist() == truth["agents"][:, 1, 3].tolist()
    assert trace["action[1]"].value.tolist() == truth["action"][:, 1].tolist()
    assert (trace["obs[0]"].dtype, trace["action[0]"].dtype) == ("float32", ">f8")
    assert roles(trace)["obs[2]"] == "observation"
    assert roles(trace)["done"] == "done"
    assert trace["mode"].labels == ("walk", "stand")
    found = dict(trace.metadata)
    assert (found["fall_time"], found["robot"], found["single"]) == ("-1", "go2", "3.5")


def test_that_one_array_alone_is_a_trace(tmp_path):
    path = tmp_path / "log.npy"
    np.save(path, np.asfortranarray(ramp(9, 4)))
    assert values(open_trace(path), "log[3]") == ramp(9, 4)[:, 3].tolist()
    record = np.zeros(5, [("t", "f8"), ("obs", "f4", (2,))])
    record["t"] = np.arange(5)
    record["obs"] = ramp(5, 2)
    np.save(path, record)
    trace = open_trace(path)
    assert values(trace, "log.obs[1]") == ramp(5, 2)[:, 1].tolist()


def test_that_objects_are_refused_and_never_loaded(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, obs=ramp(5, 2), extra=np.array([{"a": 1}] * 5, dtype=object))
    trace = open_trace(path)
    assert "could run code" in note(trace, "objects-refused").what
    assert len(trace.channels) == 2
    np.savez(path, extra=np.array([{"a": 1}] * 5, dtype=object))
    with pytest.raises(TraceReadError, match="could run code"):
        open_trace(path)


def test_that_other_lengths_pictures_and_one_more_observation_are_told(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, obs=ramp(7), action=ramp(6), reward=ramp(6), short=ramp(3), empty=np.zeros(0),
             image=np.zeros((6, 40, 40, 3), np.uint8))  # fmt: skip
    trace = open_trace(path)
    assert (trace["obs"].value.size, trace["action"].value.size) == (7, 6)
    assert note(trace, "other-length").where == "short"
    assert note(trace, "zero-length").where == "empty"
    assert note(trace, "dataset-left-out").where == "image"


def test_that_what_an_archive_claims_is_checked_before_memory_is_filled(tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)}
    )
    with zipfile.ZipFile(tmp_path / "run.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.npy", head.getvalue() + b"\0" * 100)
        for name in ("obs.npy", "action.npy"):
            out = io.BytesIO()
            np.save(out, ramp(5))
            archive.writestr(name, out.getvalue())
        archive.writestr("notes.txt", "hello")
    trace = open_trace(tmp_path / "run.npz")
    assert note(trace, "dataset-unreadable").where == "bomb"
    assert note(trace, "dataset-left-out").where == "notes.txt"
    assert len(trace.channels) == 2


def test_that_a_cut_archive_and_a_zip_of_other_things_are_told(tmp_path):
    np.savez(tmp_path / "run.npz", obs=ramp(500, 3))
    data = (tmp_path / "run.npz").read_bytes()
    with pytest.raises(TraceReadError, match="damaged"):
        open_trace(put(tmp_path, data[: len(data) // 2], "cut.npz"))
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as archive:
        archive.writestr("a.csv", "t,q\n0,1\n")
    with pytest.raises(TraceReadError, match="ZIP archive"):
        open_trace(tmp_path / "x.npz")


def test_that_entries_are_rows_with_nulls_as_nothing(tmp_path):
    rows = [
        {
            "t": 0.02 * i,
            "obs": [i, i / 2],
            "action": [float(i)],
            "info": {"ok": i > 1, "mode": "run"},
            "id": 2**60 + i,
        }
        for i in range(5)
    ]
    rows[4]["action"] = None
    rows[1]["obs"][1] = None
    trace = open_trace(put(tmp_path, json.dumps({"robot": "x", "entries": rows}), "log.json"))
    assert trace.source.layout == "json"
    assert values(trace, "action[0]") == [0, 1, 2, 3]
    assert np.isnan(values(trace, "obs[1]")[1])
    assert values(trace, "obs[0]") == list(range(5))
    assert values(trace, "id") == [2**60 + i for i in range(5)]
    assert values(trace, "info.ok") == [False, False, True, True, True]
    assert trace["info.mode"].labels == ("run",)
    assert dict(trace.metadata)["robot"] == "x"
    assert trace.interval_s == pytest.approx(0.02)
    assert roles(trace)["action[0]"] == "action"


def test_that_an_object_of_lists_may_have_one_more_observation(tmp_path):
    rollout = {"obs": [[i, -i] for i in range(6)], "actions": [[[i]] for i in range(5)], "rewards": [1.0] * 5,
               "fps": 50, "short": [1, 2], "nested": {"q": [0.5] * 5}}  # fmt: skip
    trace = open_trace(put(tmp_path, json.dumps(rollout), "log.json"))
    assert (trace["obs[1]"].value.size, trace["actions[0][0]"].value.size) == (6, 5)
    assert (trace.clock.kind, trace.clock.rate_hz) == ("nominal", 50.0)
    assert note(trace, "other-length").where == "short"
    assert values(trace, "nested.q") == [0.5] * 5


def test_that_vectors_of_one_and_scalars_are_both_read(tmp_path):
    flat = {"reward": [1, 2, 3], "action": [0.5, 1.5, 2.5]}
    nested = {"reward": [[1], [2], [3]], "action": [[0.5], [1.5], [2.5]]}
    one = open_trace(put(tmp_path, json.dumps(flat), "a.json"))
    two = open_trace(put(tmp_path, json.dumps(nested), "b.json"))
    assert values(one, "reward") == values(two, "reward[0]") == [1, 2, 3]


def test_that_episodes_inside_are_listed_and_picked(tmp_path):
    episodes = [{"obs": [float(k)] * (k + 2), "action": [0.0] * (k + 2)} for k in range(3)]
    path = put(tmp_path, json.dumps({"episodes": episodes, "env": "x"}), "log.json")
    found = inspect_file(path)
    assert [(e.key, e.steps) for e in found.episodes] == [("0", 2), ("1", 3), ("2", 4)]
    assert [t.source.episode for t in found.traces] == ["0", "1", "2"]
    assert values(open_trace(path, "2"), "obs") == [2.0] * 4
    assert "several-episodes" in keys(open_trace(path))


def test_that_an_object_a_line_is_read_and_a_cut_line_said(tmp_path):
    lines = "\n".join(json.dumps({"t": i, "obs": i * 2}) for i in range(5))
    assert values(open_trace(put(tmp_path, lines, "log.jsonl")), "obs") == [0, 2, 4, 6, 8]
    cut = open_trace(put(tmp_path, lines[:-4], "log.jsonl"))
    assert values(cut, "obs") == [0, 2, 4, 6]
    assert note(cut, "truncated-line").count == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"obs": [1, 2', "no whole JSON"),
        ('{"a": 1}', "no series"),
        ('{"a": [{"b": ' + "[" * 5000, "no whole JSON|too deep"),
        ('{"obs": []}', "no series"),
        ('[{"a": ' + "[" * 50 + "]" * 50 + "}]", "no row of signals"),
    ],
)
def test_that_json_that_is_no_trace_says_why(tmp_path, text, what):
    with pytest.raises(TraceReadError, match=what):
        open_trace(put(tmp_path, text, "log.json"))


def test_that_the_description_of_a_data_set_is_no_trace(tmp_path):
    info = {"codebase_version": "v2.1", "fps": 30, "features": {"action": {"names": ["a", "b"]}}}
    with pytest.raises(TraceReadError, match="describes a LeRobot data set"):
        open_trace(put(tmp_path, json.dumps(info), "info.json"))


def test_that_a_list_of_episodes_is_no_trace(tmp_path):
    rows = [{"episode_index": i, "tasks": ["x"], "length": 100 + i} for i in range(4)]
    for text in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        with pytest.raises(TraceReadError, match="a row an episode"):
            inspect_file(put(tmp_path, text, "episodes.jsonl"))
