"""Whatever the bytes: values, or an error a person can act on; nothing else, no hang, and bounded memory."""

from __future__ import annotations

import io
import random
import tempfile
import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.readers import damage
from tests.readers.memory import bounded_memory
from tracescope.model.errors import TraceReadError
from tracescope.model.trace import Trace
from tracescope.readers import inspect_file, open_trace

COUNTS = {"tables": 2200, "bytes": 1000, "structures": 1500, "cut tables": 800, "cut hdf5": 800}
"""Inputs of each kind in every run; damaged files of all formats come on top (test_fuzz_layouts)."""


def check_many(
    strategy: st.SearchStrategy[bytes], name: str, count: int, *, damaged: bool = False
) -> None:
    """Open ``count`` files; fails where one ends otherwise than in values or a problem.

    Where drawing a file takes longer than reading it, half of them are the drawn ones ``damaged``, each by
    its own content alone, so that what fails fails again.
    """
    seen = 0
    each = 2 if damaged else 1

    @settings(
        max_examples=-(-count // each),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(data: bytes) -> None:
        nonlocal seen
        for what in (data, damage.damaged(data, random.Random(zlib.crc32(data))))[:each]:
            seen += 1
            ends_well(what, name, inspect=seen % 8 in (0, 5))  # drawn ones and damaged ones

    with bounded_memory():
        one()
    assert seen >= count


CELL = st.one_of(
    st.floats().map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(
        [
            "",
            "nan",
            "inf",
            "-",
            "0x1F",
            "true",
            "No",
            "1,5",
            "1.2.3",
            '"',
            "'",
            "[1, 2]",
            '"[1, 2]"',
        ]
    ),
    st.sampled_from(
        [
            "[1 2",
            "not_valid",
            "2026-02-20 17:13:54.1",
            "#",
            "1e999",
            "\0",
            "\ufeff",
            "٣",
            "½",
            "1_0",
            "1.797693134862316e+299",
        ]
    ),
    st.text(max_size=6),
)
NAME = st.one_of(
    st.sampled_from(
        ["t", "time", "timestamp", "step", "obs", "obs", "action", "done", "dt", "type", "episode"]
    ),
    st.sampled_from(
        [
            "time_s",
            "time_us",
            "stamp.sec",
            "stamp.nanosec",
            "Unnamed: 0",
            "",
            "q [rad]",
            "frame_index",
        ]
    ),
    st.text(max_size=5),
)


@st.composite
def tables(draw):
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " ", ":"]))
    end = draw(st.sampled_from(["\n", "\r\n", "\r", "\r\r\n"]))
    width = draw(st.integers(1, 5))
    names = draw(st.lists(NAME, min_size=width, max_size=width))
    rows = draw(
        st.lists(st.lists(CELL, min_size=max(1, width - 1), max_size=width + 1), max_size=8)
    )
    clock = draw(st.sampled_from([None, 0.02, 20, 20_000, 5e6]))
    lines = [delimiter.join(names)] if draw(st.booleans()) else []
    for i, row in enumerate(rows):
        cells = row if clock is None else [str(i * clock), *row[1:]]
        lines.append(delimiter.join(cells))
    text = end.join(lines) + draw(st.sampled_from(["", end, end * 2, ",", '"']))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1"]))
    return text.encode(encoding, "replace")


def ends_well(data: bytes, name: str, *, inspect: bool = True) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        trace, problems = None, ()
        try:
            trace = open_trace(path)
            found = inspect_file(path) if inspect else None
        except TraceReadError as error:
            problems = error.problems
        if trace is None or problems:
            assert problems
            assert all(problem.what and str(path) in problem.where for problem in problems)
            return
        assert isinstance(trace, Trace)
        assert found is None or found.episodes
        assert all(np.isfinite(c.time_s).all() for c in trace)


PART = st.sampled_from(
    ["data", "demo_0", "demo_1", "obs", "next_obs", "observations", "observation", "action", "actions",
     "episode_0", "traj_0", "terminals", "timeouts", "terminations", "rewards", "dones", "states", "qpos",
     "infos", "env_states", "timestamp", "time_s", "t", "robot_state", "controller_info", "channels",
     "compress_len", "images", "é", "a b"]
)  # fmt: skip
KIND = st.sampled_from(
    ["<f8", ">f4", "<f2", "<i8", ">u2", "<u1", "|b1", "S3", "text", "pair", "enum", "vlen", "complex",
     "void"]
)  # fmt: skip
SHAPE = st.lists(st.integers(0, 6), max_size=3).map(tuple)
VALUE = st.one_of(
    st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8),
    st.floats(),
    st.integers(-(2**40), 2**40),
    st.sampled_from(['{"env_kwargs": {"control_freq": 0}}', "[1", '["a", "b"]', '{"fps": "x"}', "null"]),
    st.lists(st.floats(), max_size=3),
)  # fmt: skip
ATTRIBUTE = st.tuples(
    st.sampled_from(
        ["env_args", "env_info", "names", "units", "unit", "fps", "control_hz", "dt", "num_samples",
         "total", "sim", "compress", "tracescope_schema", "total_steps", "success", "id"]
    ),
    VALUE,
)  # fmt: skip


def put_dataset(
    file: h5py.File, where: str, kind: str, shape: tuple[int, ...], seed: int, extra: str
) -> None:
    if extra == "empty":
        file[where] = h5py.Empty("f8")
    elif kind == "text":
        file.create_dataset(
            where, shape, h5py.string_dtype(), data=np.full(shape, "[1, 2]", object)
        )
    elif kind == "vlen":
        file.create_dataset(where, shape[:1], h5py.vlen_dtype("f8"))
    else:
        named = {
            "pair": np.dtype([("x", "f8"), ("y", "i4", (2,))]),
            "enum": h5py.enum_dtype({"A": 0, "B": 1}, "i1"),
            "complex": np.dtype("c16"),
            "void": np.dtype("V4"),
        }
        data = np.random.default_rng(seed).bytes(64 * 216)
        dtype = np.dtype(named.get(kind, kind))
        value = np.frombuffer(data, dtype, int(np.prod(shape))).reshape(shape)
        packed = {"compression": "gzip"} if extra == "packed" and shape and np.prod(shape) else {}
        file.create_dataset(where, data=value, dtype=dtype, **packed)


@st.composite
def structures(draw: st.DrawFn) -> bytes:
    """HDF5 files of any groups, names, types, shapes, attributes and links."""
    target = io.BytesIO()
    libver = draw(st.sampled_from(["earliest", "latest"]))
    with h5py.File(target, "w", libver=libver) as file:
        for _ in range(draw(st.integers(0, 7))):
            where = "/".join(draw(st.lists(PART, min_size=1, max_size=4)))
            shape = draw(SHAPE | st.just((6,)) | st.just((6, 2)))
            extra = draw(st.sampled_from(["", "", "packed", "empty", "link", "group"]))
            try:
                if extra == "link":
                    file[where] = h5py.SoftLink("/" + draw(PART))
                elif extra == "group":
                    file.require_group(where)
                else:
                    put_dataset(file, where, draw(KIND), shape, draw(st.integers(0, 9)), extra)
                name, value = draw(ATTRIBUTE)
                file[draw(st.sampled_from(["/", where]))].attrs[name] = value
            except (ValueError, KeyError, TypeError, OSError, RuntimeError):
                continue  # what the library refuses to write cannot be met in a file either
    return target.getvalue()


def test_that_any_table_ends_with_values_or_a_problem():
    check_many(tables(), "log.csv", COUNTS["tables"], damaged=True)


def test_that_any_bytes_end_with_values_or_a_problem():
    check_many(st.binary(max_size=400), "log.csv", COUNTS["bytes"])


def test_that_any_structure_ends_with_values_or_a_problem():
    check_many(structures(), "log.h5", COUNTS["structures"], damaged=True)


GOOD_CSV = (
    "step,timestamp,obs,action,reward,done\n"
    + "".join(f'{i},{i * 0.05:.2f},"[{i * 0.1}, {-i}]","[0.5]",{-i},{i == 9}\n' for i in range(10))
).encode()


def good_hdf5() -> bytes:
    target = io.BytesIO()
    with h5py.File(target, "w") as file:
        file.attrs["control_hz"] = 50.0
        file["timestamp"] = np.arange(20) * 0.02
        file["obs"] = np.random.default_rng(0).normal(size=(20, 3))
        file["obs"].attrs["names"] = '["a", "b", "c"]'
        file["action"] = np.zeros((20, 2), np.float32)
        file["done"] = np.zeros(20, bool)
        file["text"] = ["x"] * 20
        file.create_dataset("packed", data=np.arange(20), compression="gzip")
    return target.getvalue()


GOOD_HDF5 = good_hdf5()
EDIT = st.tuples(
    st.integers(0, 10**6),
    st.sampled_from(["set", "cut", "drop", "repeat"]),
    st.binary(min_size=1, max_size=4),
)


def edited(data: bytes, edits: list[tuple[int, str, bytes]]) -> bytes:
    for place, what, new in edits:
        at = place % max(len(data), 1)
        if what == "set":
            data = data[:at] + new + data[at + len(new) :]
        elif what == "cut":
            data = data[: max(at, 1)]
        elif what == "drop":
            data = data[:at] + data[at + len(new) :]
        else:
            data = data[:at] + new + data[at:]
    return data


EDITS = st.lists(EDIT, min_size=1, max_size=5)


def test_that_a_damaged_table_ends_with_values_or_a_problem():
    check_many(EDITS.map(lambda edits: edited(GOOD_CSV, edits)), "log.csv", COUNTS["cut tables"])


def test_that_a_damaged_hdf5_ends_with_values_or_a_problem():
    check_many(EDITS.map(lambda edits: edited(GOOD_HDF5, edits)), "log.h5", COUNTS["cut hdf5"])


def test_that_a_run_takes_at_least_ten_thousand_inputs():
    from tests.readers.test_fuzz_layouts import COUNTS as DAMAGED

    assert sum(COUNTS.values()) + sum(DAMAGED.values()) >= 10_000


@pytest.mark.parametrize("name", ["time", "timestamp_ms", "t_ns", "stamp.sec"])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(
    "size", ["1.797693134862316e+299", "1e308", "-9e18", "9223372036854775807"]
)
def test_that_stamps_beyond_all_counting_end_well(name, rows, size):
    cells = "".join(f"{size},{i}\n" for i in range(rows))
    ends_well(f"{name},obs\n{cells}".encode(), "log.csv")
    ends_well(f"{name}\n{size}\n".encode(), "log.csv")
    ends_well(f"{name},obs\n0,1\n0.1,2\n{size},3\n0.2,4\n".encode(), "log.csv")


@pytest.mark.slow
@pytest.mark.parametrize("run", range(6))
@pytest.mark.parametrize("what", ["tables", "structures", "cut tables", "cut hdf5"])
def test_that_very_many_inputs_end_well(what, run):
    strategy, name = {
        "tables": (tables(), "log.csv"),
        "structures": (structures(), "log.h5"),
        "cut tables": (EDITS.map(lambda edits: edited(GOOD_CSV, edits)), "log.csv"),
        "cut hdf5": (EDITS.map(lambda edits: edited(GOOD_HDF5, edits)), "log.h5"),
    }[what]
    check_many(strategy, name, 4000)
