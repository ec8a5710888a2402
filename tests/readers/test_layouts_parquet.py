"""Parquet tables, and LeRobot's episodes in versions 2 and 3."""

from __future__ import annotations

import datetime
import importlib.util
import json

import numpy as np
import pytest

from tests.readers.helpers import note, put
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def episode(n, number=0, fps=30, *, fixed=True, jitter=0.0):
    width = 3 if fixed else -1
    state = np.arange(3.0 * n).reshape(n, 3) + number
    frames = np.arange(n)
    stamp = frames / fps + jitter * np.sin(frames)
    return pa.table(
        {
            "observation.state": pa.array(state.tolist(), pa.list_(pa.float32(), width)),
            "action": pa.array((state + 0.5).tolist(), pa.list_(pa.float32(), width)),
            "timestamp": pa.array(stamp, pa.float32()),
            "frame_index": frames,
            "episode_index": np.full(n, number),
            "index": frames + 100,
            "task_index": np.zeros(n, np.int64),
            "next.reward": pa.array(np.zeros(n), pa.float32()),
            "next.done": frames == n - 1,
            "next.success": frames < 0,
        }
    )


def dataset(folder, names, tables, version="v2.1"):
    features = {"observation.state": {"names": names}, "action": {"names": None},
                "observation.images.top": {"dtype": "video"}}  # fmt: skip
    (folder / "meta").mkdir(parents=True)
    info = {"codebase_version": version, "fps": 30, "features": features, "robot_type": "arm"}
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    chunk = folder / "data" / "chunk-000"
    chunk.mkdir(parents=True)
    for name, table in tables.items():
        pq.write_table(table, chunk / f"{name}.parquet")
    return folder


@pytest.mark.parametrize("fixed", [True, False])
def test_that_a_lerobot_episode_comes_back_exactly(tmp_path, fixed):
    path = tmp_path / "episode_000003.parquet"
    pq.write_table(episode(12, 3, fixed=fixed), path)
    trace = open_trace(path)
    assert trace.source.layout == "lerobot"
    assert trace["observation.state[1]"].value.tolist() == [3.0 * i + 4 for i in range(12)]
    roles = {c.name: str(c.role) for c in trace}
    assert roles["action[2]"] == "action"
    assert (roles["next.reward"], roles["next.done"]) == ("reward", "done")
    assert (
        roles["index"]
        == roles["task_index"]
        == roles["next.success"]
        == roles["timestamp"]
        == "other"
    )
    assert (trace.clock.kind, trace.clock.rate_hz) == ("nominal", 30.0)
    assert note(trace, "ideal-grid").count == 1
    assert trace.step.tolist() == list(range(12))
    assert dict(trace.metadata)["phase"] == "observation before the action"


def test_that_real_stamps_are_a_clock(tmp_path):
    pq.write_table(episode(40, jitter=0.004), tmp_path / "e.parquet")
    trace = open_trace(tmp_path / "e.parquet")
    assert (trace.clock.kind, trace.clock.column) == ("stamped", "timestamp")


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b", "Index"],
        [["a", "b", "Index"]],
        {"motors": ["a", "b", "Index"]},
        {"b": 1, "a": 0, "Index": 2},
    ],
)
def test_that_names_are_found_however_deep_they_stand(tmp_path, names):
    folder = dataset(
        tmp_path / "set", names, {"episode_000003": episode(5, 3), "episode_000010": episode(6, 10)}
    )
    found = inspect_file(folder)
    assert found.layout == "lerobot"
    assert [(e.key, e.steps) for e in found.episodes] == [
        ("episode_000003", 5),
        ("episode_000010", 6),
    ]
    trace = open_trace(f"{folder}::10")
    assert [c.name for c in trace.of_role("observation")] == [
        f"observation.state/{n}" for n in ("a", "b", "Index")
    ]
    assert trace["action[0]"].value.tolist() == [10.5 + 3 * i for i in range(6)]
    assert dict(trace.metadata)["cameras (not shown)"] == "observation.images.top"
    assert (trace.source.path, trace.source.episode) == (str(folder), "episode_000010")
    assert "info.json says fps 30" in trace.clock.because


def test_that_version_3_keeps_several_episodes_a_file(tmp_path):
    both = pa.concat_tables([episode(5, 0), episode(7, 1)])
    folder = dataset(tmp_path / "set", None, {"file-000": both, "file-001": episode(4, 2)}, "v3.0")
    assert [e.steps for e in inspect_file(folder).episodes] == [5, 7, 4]
    trace = open_trace(folder, "1")
    assert trace["observation.state[0]"].value.tolist() == [3.0 * i + 1 for i in range(7)]
    assert trace.time_s[0] == 0
    single = inspect_file(folder / "data" / "chunk-000" / "file-000.parquet")
    assert [(e.key, e.steps) for e in single.episodes] == [("0", 5), ("1", 7)]


def test_that_pointers_in_place_of_data_are_named(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"
    with pytest.raises(TraceReadError, match="Git LFS pointer"):
        open_trace(put(tmp_path, pointer, "episode_000000.parquet"))
    folder = dataset(tmp_path / "set", None, {"episode_000001": episode(5, 1)})
    put(folder / "data" / "chunk-000", pointer, "episode_000000.parquet")
    assert [e.key for e in inspect_file(folder).episodes] == ["episode_000001"]
    (folder / "data" / "chunk-000" / "episode_000001.parquet").unlink()
    with pytest.raises(TraceReadError, match="git lfs pull"):
        open_trace(folder)


def test_that_any_table_is_read_with_exact_stamps_and_missing_samples(tmp_path):
    t0 = 1_700_000_000_000_000_000
    columns = {
        "stamp": pa.array([t0 + 5_000_001 * i for i in range(6)], pa.timestamp("ns", "UTC")),
        "obs.q": pa.array([0.5, None, 1.5, float("nan"), 2.5, 3.5]),
        "action": pa.array(
            [[[1, 2], [3, i]] for i in range(6)], pa.list_(pa.list_(pa.int64(), 2), 2)
        ),
        "mode": pa.array(["idle", "run", None, "run", "run", "idle"]).dictionary_encode(),
        "ragged": pa.array([[1.0], [1.0, 2.0], [], [1.0], [1.0], [1.0]]),
        "pose": pa.array([{"x": i, "y": {"z": -i}} for i in range(6)]),
        "flag": pa.array([True, None, False, True, True, True]),
        "half": pa.array(np.arange(6, dtype=np.float16)),
        "blob": pa.array([b"x"] * 6),
        "big": pa.array([2**63 - 1 - i for i in range(6)], pa.int64()),
        "day": pa.array([datetime.date(2024, 1, 1)] * 6),
    }
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    trace = open_trace(tmp_path / "x.parquet")
    assert trace.source.layout == "parquet"
    assert trace.clock.origin_ns == t0
    assert (trace.time_s * 1e9).round().astype(int).tolist() == [5_000_001 * i for i in range(6)]
    assert trace["action[1][1]"].value.tolist() == list(range(6))
    assert trace["mode"].labels == ("idle", "run", "")
    assert trace["pose.y.z"].value.tolist() == [-i for i in range(6)]
    assert trace["big"].value.tolist() == [2**63 - 1 - i for i in range(6)]
    assert trace["half"].value.dtype == np.float16
    assert {n.where for n in trace.health if n.key == "dataset-left-out"} == {"ragged", "blob"}


def test_that_a_damaged_file_and_a_missing_library_are_told(tmp_path, monkeypatch):
    path = tmp_path / "x.parquet"
    pq.write_table(episode(50), path)
    good = path.read_bytes()
    with pytest.raises(TraceReadError, match="damaged"):
        open_trace(put(tmp_path, good[: len(good) // 2], "cut.parquet"))
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda n, *a: None if n == "pyarrow" else real(n, *a)
    )
    with pytest.raises(TraceReadError, match=r"pip install 'tracescope\[parquet\]'"):
        open_trace(path)


def test_that_a_table_without_rows_says_so(tmp_path):
    pq.write_table(episode(0), tmp_path / "x.parquet")
    with pytest.raises(TraceReadError, match="no data rows"):
        open_trace(tmp_path / "x.parquet")


def test_that_the_real_episodes_read_as_described(shared_data):
    folder = shared_data / "layouts" / "lerobot-parquet"
    found = inspect_file(folder)
    assert [(e.key, e.steps) for e in found.episodes] == [
        ("episode_000000", 479), ("episode_000003", 459), ("episode_000061", found.episodes[2].steps),
    ]  # fmt: skip
    for trace in found.traces:
        assert (trace.clock.kind, trace.clock.rate_hz) == ("nominal", 30.0)
        assert len(trace.of_role("observation")) == len(trace.of_role("action")) == 26
        assert "ideal-grid" in {n.key for n in trace.health}
        assert "observation.state/kLeftHandIndex" in trace
    alone = open_trace(folder / "data" / "chunk-000" / "episode_000003.parquet")
    assert (alone.source.layout, len(alone), alone.clock.rate_hz) == ("lerobot", 459, 30.0)
    assert (
        alone["action[25]"].value.tobytes() == found.traces[1].of_role("action")[25].value.tobytes()
    )
