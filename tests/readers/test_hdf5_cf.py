"""HDF5 and netCDF-4 attributes: sentinels are missing, packed numbers are unpacked, and both are said."""

from __future__ import annotations

import json

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note
from tracescope.cli.main import main
from tracescope.readers import open_trace
from tracescope.readers.hdf5_preview import gathered_table
from tracescope.readers.native import write_native

N = 40
T = np.arange(N) * 0.02
STORED = {"contiguous": {}, "chunked": {"chunks": True, "compression": "gzip"}}
SAID = {
    "values-missing",
    "values-unpacked",
    "outside-valid-range",
    "attributes-ignored",
    "fill-value-kept",
}


def write(path, values, attrs=(), *, name="obs", stamps=T, **how):
    """Write one dataset with attributes beside a clock."""
    if "chunks" in how:
        how["chunks"] = (7, *np.shape(values)[1:])
    with h5py.File(path, "w") as file:
        file["timestamp"] = stamps
        file.create_dataset(name, data=values, **how).attrs.update(dict(attrs))
    return path


def wave(kind, width):
    """Numbers of a kind, distinct in each row, shape (N,) or (N, width)."""
    out = np.arange(N * (width or 1)).reshape(N, width) if width else np.arange(N)
    return (out % 97).astype(kind)


def columns(trace, name="obs"):
    return np.stack([c.value for c in trace if c.column == name or c.name == name], axis=1)


@pytest.mark.parametrize("how", STORED)
@pytest.mark.parametrize("key", ["_FillValue", "missing_value"])
@pytest.mark.parametrize("kind", ["i2", ">i4", "i8", "f4", ">f8", "f8"])
@pytest.mark.parametrize("width", [0, 3])
def test_that_sentinels_become_missing_and_are_said(tmp_path, how, key, kind, width):
    values = wave(kind, width)
    values[4] = -9999
    values[(11, 1) if width else 11] = -9999
    attrs = {key: np.array(-9999, kind)}
    trace = open_trace(write(tmp_path / "a.h5", values, attrs, **STORED[how]))
    wanted = np.where(values == -9999, np.nan, values.astype(float)).reshape(N, -1)
    np.testing.assert_array_equal(columns(trace), wanted)
    said = note(trace, "values-missing")
    assert said.severity == "repaired"
    assert said.count == (4 if width else 2)
    assert "row 4" in said.where
    assert key in said.what


def test_that_several_missing_values_and_a_float_sentinel_of_single_precision_count(tmp_path):
    values = wave("f4", 2)
    values[1, 0], values[2, 1], values[3, 0] = -999.9, 1e20, -1
    attrs = {"missing_value": np.array([-999.9, 1e20])}
    trace = open_trace(write(tmp_path / "a.h5", values, attrs))
    got = columns(trace)
    assert np.argwhere(np.isnan(got)).tolist() == [[1, 0], [2, 1]]
    assert got[3, 0] == -1
    assert sum(n.count for n in trace.health if n.key == "values-missing") == 2


@pytest.mark.parametrize("how", STORED)
def test_that_packed_numbers_are_unpacked_after_the_sentinel(tmp_path, how):
    values = wave("i2", 2)
    values[5, 1] = -32768
    attrs = {"_FillValue": np.int16(-32768), "scale_factor": np.array([0.5]), "add_offset": 10.0}
    trace = open_trace(write(tmp_path / "a.h5", values, attrs, **STORED[how]))
    wanted = values * 0.5 + 10.0
    wanted[5, 1] = np.nan
    np.testing.assert_array_equal(columns(trace), wanted)
    assert trace["obs[0]"].dtype == "int16"
    said = note(trace, "values-unpacked")
    assert (said.severity, said.count) == ("repaired", values.size)
    assert "scale_factor 0.5, add_offset 10" in said.what


@pytest.mark.parametrize(
    ("attrs", "outside"),
    [
        ({"valid_min": np.int16(3)}, 3),
        ({"valid_max": np.int16(36)}, 3),
        ({"valid_range": np.array([2, 38], "i2")}, 3),
        ({"valid_range": np.array([1.0, 19.0]), "scale_factor": 0.5}, 3),
        ({"valid_range": np.array([0, 39], "i2")}, 0),
        ({"valid_max": np.int16(36), "_FillValue": np.int16(39)}, 2),
    ],
)
def test_that_values_outside_a_valid_range_are_said_and_kept(tmp_path, attrs, outside):
    trace = open_trace(write(tmp_path / "a.h5", wave("i2", 0), attrs))
    missing = int(np.isnan(trace["obs"].value.astype(float)).sum())
    assert missing == ("_FillValue" in attrs)
    if outside:
        said = note(trace, "outside-valid-range")
        assert (said.severity, said.count) == ("warning", outside)
    else:
        assert "outside-valid-range" not in keys(trace)


@pytest.mark.parametrize(
    "attrs",
    [
        {"_FillValue": "none"},
        {"_FillValue": np.array([1, 2], "i2")},
        {"_FillValue": np.float64("nan")},
        {"_FillValue": 1e9},
        {"_FillValue": 0.5},
        {"missing_value": np.array(["a", "b"], "S1")},
        {"missing_value": h5py.Empty("f4")},
        {"scale_factor": 0.0},
        {"scale_factor": np.nan},
        {"scale_factor": np.inf},
        {"scale_factor": "2"},
        {"scale_factor": np.ones(3), "add_offset": 4.0},
        {"scale_factor": 2.0, "add_offset": np.nan},
        {"add_offset": 1 + 2j},
        {"valid_range": 3.0},
        {"valid_range": np.array([9, 1], "i2")},
        {"valid_min": np.nan},
        {"valid_max": np.zeros(5000)},
    ],
    ids=str,
)
def test_that_attributes_that_make_no_sense_are_ignored_and_said(tmp_path, attrs):
    trace = open_trace(write(tmp_path / "a.h5", wave("i2", 2), attrs))
    got = columns(trace)
    assert got.dtype == np.int16
    np.testing.assert_array_equal(got, wave("i2", 2))
    said = note(trace, "attributes-ignored")
    assert said.severity == "warning"
    assert all(key in said.what for key in attrs)


@pytest.mark.parametrize(
    ("fill", "values", "missing"),
    [
        (None, [0, 1, 0, 2], 0),
        (0, [0, 1, 0, 2], 0),
        (-9999, [0, 1, -9999, 2], 1),
        (-1, [-1, 1, -1, 1], 0),
        (1, [0, 1, 0, 1], 0),
        (-9999, [-9999] * 4, 0),
    ],
)
@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_that_an_own_fill_value_is_a_sentinel_only_where_set_and_far_from_all_else(
    tmp_path, fill, values, missing, kind
):
    values = np.tile(np.array(values, kind), N // 4)
    trace = open_trace(write(tmp_path / "a.h5", values, fillvalue=fill))
    assert int(np.isnan(trace["obs"].value.astype(float)).sum()) == missing * N // 4
    assert ("values-missing" in keys(trace)) == bool(missing)
    assert ("fill-value-kept" in keys(trace)) == (bool(fill) and not missing)


@pytest.mark.parametrize("how", STORED)
@pytest.mark.parametrize("kind", ["?", "u1", "i8", "f4", "f8"])
def test_that_without_such_attributes_every_bit_stays_and_nothing_is_said(tmp_path, how, kind):
    values = wave(kind, 3)
    if kind in {"f4", "f8"}:
        values[0] = [-0.0, 5e-324 if kind == "f8" else 1e-45, -9999]
    attrs = {"units": "m", "long_name": "position"}
    trace = open_trace(write(tmp_path / "a.h5", values, attrs, **STORED[how]))
    got = columns(trace)
    assert got.dtype == values.dtype
    assert got.tobytes() == values.tobytes()
    assert not keys(trace) & SAID


def test_that_a_step_counter_keeps_its_integers(tmp_path):
    counter = np.arange(N, dtype=np.int64) + 2**53
    attrs = {"_FillValue": np.int64(-1), "scale_factor": 1.0, "add_offset": 0.0}
    trace = open_trace(write(tmp_path / "a.h5", counter, attrs, name="step"))
    assert trace.step.tolist() == counter.tolist()
    assert not keys(trace) & SAID


@pytest.mark.parametrize("kind", ["ns", "packed", "float"])
def test_that_stamps_lose_their_sentinels_and_keep_their_digits(tmp_path, kind):
    even_ns = 1_700_000_000_000_000_001 + 20_000_000 * np.arange(N, dtype=np.int64)
    attrs = {"_FillValue": np.int64(-1)}
    stamps = even_ns.copy()
    if kind == "packed":
        stamps, attrs["scale_factor"] = 20 * np.arange(N, dtype=np.int64), 0.001
    elif kind == "float":
        stamps, attrs = T.copy(), {"_FillValue": -1.0}
    stamps[7] = -1
    path = write(tmp_path / "a.h5", wave("f8", 0), stamps=stamps)
    with h5py.File(path, "r+") as file:
        file["timestamp"].attrs.update(attrs)
    trace = open_trace(path)
    assert note(trace, "values-missing").count == 1
    rows = [i for i in range(N) if i != 7]
    got = trace.time_s[np.isfinite(trace.time_s)]
    wanted = (T - T[0])[rows] if got.size == N - 1 else T
    np.testing.assert_allclose(got - got[0], wanted, rtol=0, atol=1e-12)


def test_that_a_preview_shows_what_the_recording_will(tmp_path):
    rows = 40_000
    values = (np.arange(rows) % 1000).astype("i2")
    values[::3] = -9999
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["timestamp"] = np.arange(rows) * 0.01
        file["obs"] = values
        file["obs"].attrs.update({"_FillValue": np.int16(-9999), "scale_factor": 0.1})
    found = gathered_table(path, budget_s=0.0)
    shown = next(c for c in found.table.columns if c.name == "obs").value
    whole = open_trace(path)["obs"].value
    np.testing.assert_array_equal(shown, whole[found.rows])


def test_that_the_native_layout_stays_bit_exact_unless_a_channel_declares_a_sentinel(tmp_path):
    values = wave("f8", 0)
    values[[3, 9]] = -9999
    trace = open_trace(write(tmp_path / "a.h5", values))
    path = tmp_path / "native.h5"
    write_native(trace, path)
    assert open_trace(path)["obs"].value.tobytes() == values.tobytes()
    with h5py.File(path, "r+") as file:
        channels = file["channels"]
        assert isinstance(channels, h5py.Group)
        for name in channels:
            channels[name].attrs["_FillValue"] = -9999.0
    again = open_trace(path)
    assert np.flatnonzero(np.isnan(again["obs"].value)).tolist() == [3, 9]
    assert note(again, "values-missing").count == 2


def pair(folder, attrs):
    """Write the same motion twice; the target lost some of its samples to a sentinel."""
    rng = np.random.default_rng(3)
    rows = 400
    action = np.repeat(rng.uniform(-1, 1, rows // 5), 5)
    state = np.zeros(rows)
    for i in range(1, rows):
        state[i] = 0.9 * state[i - 1] + 0.1 * action[i - 1]
    paths = []
    for side in ("sim", "target"):
        obs = state + rng.normal(0, 1e-4, rows)
        if side == "target":
            obs[50:400:37] = -9999.0
        path = folder / f"{side}.h5"
        with h5py.File(path, "w") as file:
            file["timestamp"], file["step"] = np.arange(rows) * 0.02, np.arange(rows)
            file["obs"], file["action"] = obs, action
            file["obs"].attrs.update(attrs if side == "target" else {})
        paths.append(str(path))
    return paths


def states(folder, attrs):
    out = folder / "result.json"
    main(["check", *pair(folder, attrs), "--json", str(out), "--quiet"])
    return {c["id"]: c["state"] for c in json.loads(out.read_text("utf-8"))["checks"]}


def test_that_a_declared_sentinel_makes_no_wrong_fail(tmp_path, capsys):
    undeclared = states(tmp_path, {})
    assert "fail" in undeclared.values(), "the sentinel would be judged"
    declared = states(tmp_path, {"_FillValue": -9999.0})
    assert "fail" not in declared.values(), declared
    assert main(["inspect", str(tmp_path / "target.h5")]) == 0
    shown = capsys.readouterr().out
    assert "10 of 400 values equal _FillValue -9999.0" in shown
    assert "taken as missing" in shown
