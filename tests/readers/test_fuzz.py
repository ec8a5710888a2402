"""Whatever the bytes: values, or an error a person can act on; nothing else, and no hang."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tracescope.model.errors import TraceReadError
from tracescope.model.trace import Trace
from tracescope.readers import inspect_file, open_trace

QUICK = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=12_000, deadline=None, suppress_health_check=list(HealthCheck))

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


def ends_well(data: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        problems = None
        try:
            trace = open_trace(path)
            found = inspect_file(path)
        except TraceReadError as error:
            problems = error.problems
        if problems is None:
            assert isinstance(trace, Trace)
            assert found.episodes
            assert all(np.isfinite(c.time_s).all() for c in trace)
        else:
            assert problems
            assert all(problem.what and str(path) in problem.where for problem in problems)


@given(tables())
@QUICK
def test_that_any_table_ends_with_values_or_a_problem(data):
    ends_well(data, "log.csv")


@given(st.binary(max_size=400))
@QUICK
def test_that_any_bytes_end_with_values_or_a_problem(data):
    ends_well(data, "log.csv")


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


@given(st.lists(EDIT, min_size=1, max_size=4))
@QUICK
def test_that_a_damaged_table_ends_with_values_or_a_problem(edits):
    ends_well(edited(GOOD_CSV, edits), "log.csv")


@given(st.lists(EDIT, min_size=1, max_size=4))
@QUICK
def test_that_a_damaged_hdf5_ends_with_values_or_a_problem(edits):
    ends_well(edited(GOOD_HDF5, edits), "log.h5")


@pytest.mark.slow
@given(tables())
@LONG
def test_that_very_many_tables_end_well(data):
    ends_well(data, "log.csv")


@pytest.mark.slow
@given(st.lists(EDIT, min_size=1, max_size=6))
@LONG
def test_that_very_many_damaged_files_end_well(edits):
    ends_well(edited(GOOD_HDF5, edits), "log.h5")
    ends_well(edited(GOOD_CSV, edits), "log.csv")
