"""The native layout reads back bit for bit."""

from __future__ import annotations

import tempfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.readers.helpers import put
from tracescope.model.errors import TraceReadError, UsageError
from tracescope.model.trace import Channel, Clock, FrameStack, HealthNote, Role, Source, Trace
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.base import ImportChoices
from tracescope.readers.native import write_native

FIELDS = ("name", "role", "unit", "column", "index", "dtype", "labels", "role_because")


def assert_same(a: Trace, b: Trace) -> None:
    assert (a.clock, a.health, a.metadata) == (b.clock, b.health, b.metadata)
    assert a.time_s.tobytes() == b.time_s.tobytes()
    assert (a.step is None) == (b.step is None)
    assert a.step is None or a.step.tobytes() == b.step.tobytes()
    for one, two in zip(a, b, strict=True):
        assert [getattr(one, f) for f in FIELDS] == [getattr(two, f) for f in FIELDS]
        assert one.value.dtype == two.value.dtype
        assert one.value.tobytes() == two.value.tobytes()
        assert one.time_s.tobytes() == two.time_s.tobytes()
    for one, two in zip(a.frames, b.frames, strict=True):
        assert (one.name, one.dataset, one.encoding) == (two.name, two.dataset, two.encoding)
        assert one.time_s.tobytes() == two.time_s.tobytes()


def again(trace: Trace, folder: Path) -> Trace:
    write_native(trace, folder / "again.h5")
    return open_trace(folder / "again.h5")


TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
DTYPES = st.sampled_from(["<f8", "<f4", "<f2", "<i8", "<i4", "<u1", "<u8", "|b1"])


@st.composite
def traces(draw):
    n = draw(st.integers(1, 6))
    steps = draw(st.lists(st.floats(0, 10), min_size=n, max_size=n))
    time_s = np.cumsum(steps)
    channels = []
    for i in range(draw(st.integers(0, 4))):
        own = draw(st.booleans())
        size = draw(st.integers(0, n)) if own else n
        value = draw(hnp.arrays(draw(DTYPES), size))
        channels.append(
            Channel(
                name=f"{i}{draw(TEXT)}",
                role=draw(st.sampled_from(list(Role))),
                time_s=time_s[:size] if own else time_s,
                value=value,
                unit=draw(TEXT),
                index=draw(st.none() | st.integers(0, 99)),
                role_because=draw(TEXT),
            )
        )
    clock = Clock(
        origin_ns=draw(st.integers(-(2**62), 2**62)), column=draw(TEXT), because=draw(TEXT)
    )
    health = tuple(HealthNote(draw(TEXT), draw(TEXT), draw(st.integers(0, 9))) for _ in range(2))
    step = np.arange(n) if draw(st.booleans()) else None
    return Trace(
        Source("x"), clock, time_s, tuple(channels), step, health, ((draw(TEXT), draw(TEXT)),)
    )


@given(traces())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_that_any_trace_reads_back_bit_for_bit(trace):
    with tempfile.TemporaryDirectory() as folder:
        assert_same(trace, again(trace, Path(folder)))


def test_that_a_read_csv_reads_back_with_clock_health_and_labels(tmp_path):
    text = "timestamp,obs [rad],phase,action\n" + "".join(
        f"{1_700_000_000_000_000_000 + i * 7},{'nan' if i == 3 else i / 3},{'ab'[i % 2]},{i}\n"
        for i in range(9)
    )
    trace = open_trace(put(tmp_path, text))
    back = again(trace, tmp_path)
    assert_same(trace, back)
    assert back.source.layout == "native"
    assert back["phase"].labels == ("a", "b")
    assert inspect_file(tmp_path / "again.h5").episodes[0].steps == 9


def test_that_shared_clocks_stay_shared(tmp_path):
    back = again(open_trace(put(tmp_path, "t,a,b\n0,1,2\n1,2,3\n2,3,4\n")), tmp_path)
    assert all(channel.time_s is back.time_s for channel in back)


def test_that_a_hand_written_file_needs_only_time_and_channels(tmp_path):
    with h5py.File(tmp_path / "hand.h5", "w") as file:
        file.attrs["tracescope_schema"] = 1
        file["time_s"] = [0.0, 0.5, 1.0]
        file["channels/obs_x"] = [1.0, 2.0, 3.0]
        file["channels/foo"] = [1, 2, 3]
        file["channels/foo"].attrs["role"] = "action"
        file["channels/foo"].attrs["unit"] = "rad"
    trace = open_trace(tmp_path / "hand.h5")
    assert [(c.name, str(c.role), c.unit) for c in trace] == [
        ("foo", "action", "rad"),
        ("obs_x", "observation", ""),
    ]


@pytest.mark.parametrize("break_it", ["time", "shape", "back", "role", "schema", "json"])
def test_that_a_file_that_does_not_follow_the_layout_is_refused(tmp_path, break_it):
    with h5py.File(tmp_path / "bad.h5", "w") as file:
        file.attrs["tracescope_schema"] = 99 if break_it == "schema" else 1
        if break_it != "time":
            file["time_s"] = [0.0, 1.0, 0.5] if break_it == "back" else [0.0, 0.5, 1.0]
        file["channels/a"] = [1.0, 2.0] if break_it == "shape" else [1.0, 2.0, 3.0]
        if break_it == "role":
            file["channels/a"].attrs["role"] = "boss"
        if break_it == "json":
            file["about/clock"] = "{"
    with pytest.raises(TraceReadError) as caught:
        open_trace(tmp_path / "bad.h5")
    assert "bad.h5" in caught.value.problems[0].where


@pytest.mark.parametrize("name", ["time_s", "step"])
@pytest.mark.parametrize("values", [np.array([0, 1, 2], complex), np.array([b"a", b"b", b"c"])])
def test_that_what_is_no_real_number_is_refused_by_name(tmp_path, name, values):
    with h5py.File(tmp_path / "bad.h5", "w") as file:
        file.attrs["tracescope_schema"] = 1
        kept = {"time_s": np.array([0.0, 0.5, 1.0]), name: values}
        for key, value in kept.items():
            file[key] = value
        file["channels/a"] = [1.0, 2.0, 3.0]
    with pytest.raises(TraceReadError) as caught:
        open_trace(tmp_path / "bad.h5")
    assert f"/{name} holds" in caught.value.problems[0].found


def test_that_a_source_is_never_written_over(tmp_path):
    path = put(tmp_path, "t,a\n0,1\n1,2\n")
    before = path.read_bytes()
    with pytest.raises(UsageError, match="own source"):
        write_native(open_trace(path), path)
    assert path.read_bytes() == before


def test_that_nothing_is_left_behind_where_writing_fails(tmp_path, monkeypatch):
    trace = open_trace(put(tmp_path, "t,a\n0,1\n1,2\n"))
    monkeypatch.setattr("tracescope.readers.native._write_frames", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_native(trace, tmp_path / "out.h5")
    assert [p.name for p in tmp_path.iterdir()] == ["log.csv"]


def test_that_roles_and_units_can_be_chosen_for_a_native_file_too(tmp_path):
    write_native(open_trace(put(tmp_path, "t,a,b\n0,1,2\n1,2,3\n")), tmp_path / "n.h5")
    choices = ImportChoices(roles=(("action", ("b",)),), units=(("a", "m"),))
    trace = open_trace(tmp_path / "n.h5", choices=choices)
    assert (str(trace["b"].role), str(trace["a"].role), trace["a"].unit) == ("action", "other", "m")


def test_that_frames_are_found_beside_the_file_and_nowhere_else(tmp_path):
    time_s = np.array([0.0, 1.0])
    frames = FrameStack("cam", "/etc/passwd", "/cam", time_s, "raw", np.arange(2))
    channel = Channel("a", Role.OTHER, time_s, np.zeros(2))
    back = again(Trace(Source("x"), Clock(), time_s, (channel,), frames=(frames,)), tmp_path)
    assert Path(back.frames[0].path).parent == tmp_path


def test_that_links_into_other_files_are_not_followed(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["a"] = np.arange(3.0)
    (tmp_path / "raw.bin").write_bytes(np.arange(3.0).tobytes())
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file["t"] = np.arange(3.0)
        file["linked"] = h5py.ExternalLink("secret.h5", "/a")
        file.create_dataset("outside", (3,), "f8", external=[(str(tmp_path / "raw.bin"), 0, 24)])
        layout = h5py.VirtualLayout((3,), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "secret.h5"), "a", (3,))
        file.create_virtual_dataset("virtual", layout)
        file["obs"] = np.ones(3)
    trace = open_trace(tmp_path / "log.h5")
    assert [c.name for c in trace] == ["obs"]
    left_out = [n.where for n in trace.health if n.key == "dataset-left-out"]
    assert left_out == ["outside", "virtual"]
