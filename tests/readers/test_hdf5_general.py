"""HDF5 files of no known layout: every dataset is listed, named as the file names it."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.frames import load_frame


def write(path, **datasets):
    with h5py.File(path, "w") as file:
        for name, data in datasets.items():
            file[name.replace("__", "/")] = data
    return path


def test_that_fields_are_found_by_name_whatever_the_group(tmp_path):
    path = write(
        tmp_path / "log.h5",
        policy__obs=np.ones((20, 3)),
        policy__action=np.zeros((20, 2), np.float32),
        reward=np.zeros(20),
        done=np.zeros(20, bool),
        timestamp=np.arange(20) * 0.02,
        step=np.arange(20),
        q_value=np.zeros(20),
    )
    trace = open_trace(path)
    roles = {c.name: str(c.role) for c in trace}
    assert roles["policy/obs[2]"] == "observation"
    assert roles["policy/action[1]"] == "action"
    assert roles["q_value"] == "other"
    assert trace.interval_s == pytest.approx(0.02)
    assert trace.step.tolist() == list(range(20))
    assert trace["policy/action[0]"].dtype == "float32"


def test_that_names_and_units_come_from_attributes(tmp_path):
    path = write(tmp_path / "log.h5", obs=np.ones((9, 2)), torque=np.ones((9, 2)), t=np.arange(9.0))
    with h5py.File(path, "r+") as file:
        file["obs"].attrs["names"] = json.dumps(["vx", "vy"])
        file["obs"].attrs["units"] = ["m/s", "m/s"]
        file["torque"].attrs["columns"] = np.array(["hip", "knee"], dtype="S")
        file["torque"].attrs["unit"] = "Nm"
    trace = open_trace(path)
    assert [(c.name, c.unit) for c in trace] == [
        ("obs/vx", "m/s"), ("obs/vy", "m/s"), ("torque/hip", "Nm"), ("torque/knee", "Nm"),
    ]  # fmt: skip


def test_that_names_of_elements_do_not_decide_what_a_vector_is(tmp_path):
    path = write(tmp_path / "log.h5", obs=np.ones((9, 3)), action=np.ones((9, 2)), t=np.arange(9.0))
    with h5py.File(path, "r+") as file:
        file["obs"].attrs["names"] = ["hand_index", "last_action", "error"]
        file["action"].attrs["names"] = ["index", "reward_gain"]
    assert [str(c.role) for c in open_trace(path)] == ["action"] * 2 + ["observation"] * 3


def test_that_names_of_the_wrong_number_are_not_used(tmp_path):
    path = write(tmp_path / "log.h5", obs=np.ones((9, 2)), t=np.arange(9.0))
    with h5py.File(path, "r+") as file:
        file["obs"].attrs["names"] = '["only one"]'
    assert [c.name for c in open_trace(path)] == ["obs[0]", "obs[1]"]


@pytest.mark.parametrize("dtype", [">f8", "<f2", ">i4", "<u2", "|b1", "<f4", "<i8"])
def test_that_values_are_exact_in_any_number_type(tmp_path, dtype):
    truth = np.array([0, 1, 2, 3], dtype=dtype)
    trace = open_trace(write(tmp_path / "log.h5", t=np.arange(4.0), q=truth))
    assert trace["q"].value.tolist() == truth.tolist()
    assert trace["q"].value.dtype.isnative
    assert trace["q"].dtype == str(truth.dtype)


def test_that_odd_types_cost_only_their_dataset(tmp_path):
    path = write(tmp_path / "log.h5", t=np.arange(5.0), obs=np.arange(5.0))
    with h5py.File(path, "r+") as file:
        file["nothing"] = h5py.Empty("f")
        file["scalar"] = 3.5
        file["zero"] = np.zeros((0,))
        file["zero2"] = np.zeros((0, 7))
        file["other"] = np.zeros((3, 2))
        file["text"] = ["a", "b", "a", "c", "a"]
        file["complex"] = np.arange(5) * 1j
        pair = np.zeros(5, [("x", "f8"), ("n", "i4")])
        pair["n"] = range(5)
        file["pair"] = pair
        kinds = h5py.enum_dtype({"IDLE": 0, "RUN": 1}, basetype="i1")
        file.create_dataset("mode", data=np.array([0, 1, 1, 0, 1], "i1"), dtype=kinds)
        ragged = file.create_dataset("ragged", (5,), dtype=h5py.vlen_dtype("f8"))
        ragged[0] = [1.0, 2.0]
    trace = open_trace(path)
    assert trace["text"].labels == ("a", "b", "c")
    assert trace["mode"].labels == ("IDLE", "RUN")
    assert values(trace, "pair.n") == [0, 1, 2, 3, 4]
    assert values(trace, "complex.imag") == [0, 1, 2, 3, 4]
    assert ("scalar", "3.5") in trace.metadata
    reasons = {n.where: n.what for n in trace.health}
    assert "no data space" in reasons["nothing"]
    assert "variable-length" in reasons["ragged"]
    assert "0 rows" in reasons["zero"]
    assert "3 rows" in reasons["other"]
    assert "obs" in trace


def test_that_a_missing_compression_filter_is_named_and_costs_only_its_dataset(tmp_path):
    path = write(tmp_path / "log.h5", t=np.arange(64.0), obs=np.arange(64.0))
    with h5py.File(path, "r+") as file:
        space = h5py.h5s.create_simple((64,))
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((64,))
        plist.set_filter(305, h5py.h5z.FLAG_OPTIONAL, ())
        dataset = h5py.h5d.create(file.id, b"packed", h5py.h5t.NATIVE_DOUBLE, space, plist)
        dataset.write_direct_chunk((0,), b"\x01" * 100, 0)
    trace = open_trace(path)
    assert "filter 305" in note(trace, "dataset-unreadable").what
    assert "obs" in trace


def test_that_filters_of_the_plugin_package_are_read(tmp_path):
    hdf5plugin = pytest.importorskip("hdf5plugin")
    truth = np.random.default_rng(0).normal(size=(500, 3))
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file["t"] = np.arange(500.0)
        file.create_dataset("obs", data=truth, **hdf5plugin.Blosc())
    trace = open_trace(tmp_path / "log.h5")
    assert np.array_equal(trace["obs[1]"].value, truth[:, 1])


def test_that_a_dataset_that_claims_more_than_the_file_holds_is_left_out(tmp_path):
    path = write(tmp_path / "log.h5", t=np.arange(4.0), obs=np.arange(4.0))
    with h5py.File(path, "r+") as file:
        file.create_dataset("huge", (4, 40_000_000), "f8", chunks=(1, 1000))
        file.create_dataset("wide", (4, 90_000), "f8", chunks=(1, 1000))
    trace = open_trace(path)
    assert {n.where for n in trace.health if n.key == "dataset-left-out"} >= {"huge"}
    assert "obs" in trace


@pytest.mark.parametrize("what", ["nothing", "groups", "scalars"])
def test_that_a_file_without_series_says_so(tmp_path, what):
    with h5py.File(tmp_path / "log.h5", "w") as file:
        if what == "groups":
            file.create_group("data/demo_0")
        if what == "scalars":
            file["a"] = 1.0
    with pytest.raises(TraceReadError, match="no series"):
        open_trace(tmp_path / "log.h5")
    with pytest.raises(TraceReadError, match="no series"):
        inspect_file(tmp_path / "log.h5")


def test_that_images_stay_in_the_file_and_are_read_one_at_a_time(tmp_path):
    images = np.random.default_rng(0).integers(0, 255, (6, 24, 32, 3), dtype=np.uint8)
    path = write(tmp_path / "log.h5", t=np.arange(6) * 0.1, obs=np.arange(6.0), cam=images)
    trace = open_trace(path)
    assert [c.name for c in trace] == ["obs"]
    stack = trace.frames[0]
    assert (stack.name, stack.encoding) == ("cam", "raw")
    assert stack.time_s.tolist() == trace.time_s.tolist()
    assert np.array_equal(load_frame(stack, 4), images[4])
    with pytest.raises(IndexError):
        load_frame(stack, 6)


def test_that_observations_one_row_longer_keep_their_last_row(tmp_path):
    path = write(tmp_path / "log.h5", observations=np.arange(11.0), actions=np.arange(10.0))
    trace = open_trace(path)
    assert len(trace["observations"].value) == 11
    assert len(trace["actions"].value) == 10
    assert trace["actions"].time_s.tolist() == trace["observations"].time_s[:10].tolist()


def test_that_opening_from_several_threads_gives_whole_traces(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    path = write(
        tmp_path / "log.h5",
        t=np.arange(2000.0),
        obs=np.random.default_rng(0).normal(size=(2000, 8)),
    )
    with ThreadPoolExecutor(4) as pool:
        traces = list(pool.map(lambda _: open_trace(path), range(12)))
    assert len({t["obs[7]"].value.tobytes() for t in traces}) == 1


def test_that_a_good_file_has_nothing_to_say(tmp_path):
    path = write(
        tmp_path / "log.h5", t=np.arange(9) * 0.1, obs=np.arange(9.0), action=np.arange(9.0)
    )
    assert not keys(open_trace(path))


@pytest.mark.parametrize(
    "key", ["names", "units", "joint_names", "env_args", "control_hz", "columns"]
)
def test_that_attributes_nested_without_end_cost_nothing_else(tmp_path, key):
    path = tmp_path / "deep.h5"
    with h5py.File(path, "w") as file:
        file["t"], file["obs"] = np.arange(4) * 0.1, np.ones((4, 2))
        for where in (file, file["obs"]):
            where.attrs[key] = "[" * 20_000
    assert [c.name for c in open_trace(path)] == ["obs[0]", "obs[1]"]
