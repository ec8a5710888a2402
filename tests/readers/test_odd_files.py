"""Files that are something else than they seem, or lead in circles: told in words, never waited for."""

from __future__ import annotations

import io
import lzma
import os
import tarfile
import time
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import open_trace

TABLE = "timestamp,obs_x\n" + "".join(f"{0.02 * k:.2f},{k % 5}\n" for k in range(40))


def tar_of(*names):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(TABLE)
            archive.addfile(entry, io.BytesIO(TABLE.encode()))
    return out.getvalue()


def empty_zip():
    out = io.BytesIO()
    zipfile.ZipFile(out, "w").close()
    return out.getvalue()


@pytest.mark.parametrize("name", ["log.csv", "log.bin"])
@pytest.mark.parametrize(
    ("content", "what"),
    [
        (tar_of("run.csv"), "tar archive"),
        (tar_of("a.csv", "b.csv"), "tar archive"),
        (lzma.compress(TABLE.encode(), format=lzma.FORMAT_ALONE), "LZMA archive"),
        (empty_zip(), "ZIP archive with nothing in it"),
    ],
)
def test_that_archives_are_told_whatever_they_are_called(tmp_path, content, what, name):
    with pytest.raises(TraceReadError, match=what):
        open_trace(put(tmp_path, content, name))


@pytest.mark.parametrize("through_link", [False, True])
def test_that_a_pipe_or_device_is_never_read_and_the_way_out_is_said(tmp_path, through_link):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), Path("/dev/null")):
        named = path
        if through_link:
            named = tmp_path / f"to_{path.name}"
            named.symlink_to(path)
        with pytest.raises(TraceReadError, match="neither a file nor a folder") as told:
            open_trace(named)
        assert "into one first" in str(told.value)


def test_that_a_file_that_says_it_is_empty_is_not_waited_for(tmp_path, monkeypatch):
    path = put(tmp_path, b"")
    reads = []
    real = Path.open

    def opened(self, *arguments, **more):
        file = real(self, *arguments, **more)
        if self == path:
            reads.append(file)
        return file

    monkeypatch.setattr(Path, "open", opened)
    with pytest.raises(TraceReadError, match="empty"):
        open_trace(path)
    assert all(file.closed for file in reads)


def test_that_repetition_packed_to_nothing_does_not_fill_the_memory(tmp_path):
    path = tmp_path / "bomb.npz"
    rows = 80_000_000
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("obs.npy", "w", force_zip64=True) as member,
    ):
        head = {"descr": "<f8", "fortran_order": False, "shape": (rows,)}
        np.lib.format.write_array_header_1_0(member, head)
        for _ in range(80):
            member.write(bytes(8_000_000))
    started = time.process_time()
    with pytest.raises(TraceReadError, match="over and over"):
        open_trace(path)
    assert time.process_time() - started < 3


def recording(group):
    group["timestamp"] = 0.02 * np.arange(40)
    group["obs_x"] = np.arange(40) % 5 * 0.5
    group["action_u"] = np.arange(40) % 7 * 1.0


def test_that_groups_that_contain_themselves_are_read_once(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        run = file.create_group("run")
        recording(run)
        run["self"], run["again"], run["top"] = run, run, file["/"]
        run["soft"] = h5py.SoftLink("/run")
        file["round"] = h5py.SoftLink("/trip")
        file["trip"] = h5py.SoftLink("/round")
    started = time.process_time()
    trace = open_trace(path)
    assert time.process_time() - started < 5
    assert values(trace, "run/obs_x") == (np.arange(40) % 5 * 0.5).tolist()
    assert len({c.name for c in trace}) == len(trace.channels) == 2


def test_that_links_that_fan_out_again_and_again_come_to_an_end(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        recording(file)
        group = file
        for _ in range(25):
            below = group.create_group("a")
            group["b"] = below
            group = below
        group["deep"] = np.arange(40.0)
    started = time.process_time()
    trace = open_trace(path)
    assert time.process_time() - started < 5
    assert values(trace, "obs_x") == (np.arange(40) % 5 * 0.5).tolist()


def test_that_a_second_name_of_a_group_still_shows_it(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        recording(file.create_group("runs/3"))
        file["latest"] = h5py.SoftLink("/runs/3")
    names = {c.name for c in open_trace(path)}
    assert {"latest/obs_x", "runs/3/obs_x"} <= names


def test_that_datasets_that_claim_too_much_are_named_where_nothing_else_is_there(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("obs", (10**10,), "f8", chunks=(10**6,), compression="gzip")
    with pytest.raises(TraceReadError, match="obs: it claims 10000000000 values"):
        open_trace(path)


@pytest.mark.parametrize("dtype", ["<f8", "<f4", ">f4"])
@pytest.mark.parametrize("filling", [9.969209968386869e36, float(np.finfo(np.float32).max)])
def test_that_fillings_of_netcdf_and_largest_floats_are_missing(tmp_path, dtype, filling):
    path = tmp_path / "log.h5"
    held = np.where(np.arange(40) % 4 == 1, filling, np.arange(40) * 0.5).astype(dtype)
    with h5py.File(path, "w") as file:
        file["timestamp"] = 0.02 * np.arange(40)
        file["obs_x"] = held
    trace = open_trace(path)
    value = trace["obs_x"].value
    assert value.dtype == held.dtype.newbyteorder("=")
    assert np.isnan(value).sum() == 10
    assert np.nanmax(value) == 19.5
    assert note(trace, "sentinels").count == 10


@pytest.mark.parametrize("size", [1e-45, 1e-120, 1e-160, 1e-310, 5e-324])
def test_that_a_channel_closer_to_zero_than_anything_measured_is_zero_and_told(tmp_path, size):
    rows = "".join(f"{0.02 * k:.2f},{size * (1 + k % 3)!r},{k % 5}\n" for k in range(40))
    trace = open_trace(put(tmp_path, "timestamp,obs_x,obs_y\n" + rows))
    assert values(trace, "obs_x") == [0.0] * 40
    assert values(trace, "obs_y") == [k % 5 for k in range(40)]
    assert note(trace, "specks").where == "obs_x"


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_that_small_and_large_quantities_are_kept_to_the_bit(tmp_path, size):
    rows = "".join(f"{0.02 * k:.2f},{size * (1 + k % 3)!r}\n" for k in range(40))
    trace = open_trace(put(tmp_path, "timestamp,obs_x\n" + rows))
    assert values(trace, "obs_x") == [size * (1 + k % 3) for k in range(40)]
    assert not {"specks", "sentinels"} & keys(trace)


def test_that_a_decay_to_nothing_is_kept_to_the_bit(tmp_path):
    decay = [10.0 ** (-8 * k) for k in range(40)]
    rows = "".join(f"{0.02 * k:.2f},{v!r}\n" for k, v in enumerate(reversed(decay)))
    trace = open_trace(put(tmp_path, "timestamp,obs_x\n" + rows))
    assert values(trace, "obs_x") == decay[::-1]


def test_that_what_is_not_finite_beside_specks_stays_what_it_is(tmp_path):
    rows = "".join(f"{0.02 * k:.2f},{('1e-99', 'inf', 'nan', '-inf')[k % 4]}\n" for k in range(40))
    value = open_trace(put(tmp_path, "timestamp,obs_x\n" + rows))["obs_x"].value
    assert value[0] == 0.0
    assert value[1] == np.inf
    assert np.isnan(value[2])
    assert value[3] == -np.inf
