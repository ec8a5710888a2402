"""What cannot be read says what, where, what was found and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.readers.helpers import put
from tracescope.model.errors import Cancelled, TraceReadError
from tracescope.readers import inspect_file, open_trace


def problem(path):
    with pytest.raises(TraceReadError) as caught:
        open_trace(path)
    found = caught.value.problems[0]
    assert str(path) in found.where
    with pytest.raises(TraceReadError):
        inspect_file(path)
    return found


def hdf5(path, rows=5000):
    with h5py.File(path, "w") as file:
        file["obs"] = np.random.default_rng(0).normal(size=(rows, 4))
        file["timestamp"] = np.arange(rows) * 0.01
    return path


def test_that_a_missing_file_names_the_closest_one(tmp_path):
    put(tmp_path, "t,q\n0,1\n", "rollout_01.csv")
    assert "rollout_01.csv" in problem(tmp_path / "rollout_1.csv").todo
    assert "no folder" in problem(tmp_path / "nowhere" / "x.csv").todo


def test_that_an_empty_file_is_said_to_be_empty(tmp_path):
    assert problem(put(tmp_path, "", "empty.csv")).what == "the file is empty"
    assert problem(put(tmp_path, "", "empty.h5")).found == "0 bytes"


@pytest.mark.parametrize("text", ["t,q,u\n", "\n\n\n", "# only a comment\n", "t,q"])
def test_that_a_table_without_rows_is_refused(tmp_path, text):
    assert "no data rows" in problem(put(tmp_path, text)).what


def test_that_a_folder_without_traces_lists_what_is_there(tmp_path):
    (tmp_path / "empty").mkdir()
    assert problem(tmp_path / "empty").found == "nothing"
    put(tmp_path / "empty", b"\x89PNG\r\n", "image.png")
    assert "image.png" in problem(tmp_path / "empty").found


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"<!DOCTYPE html><html><body>404</body></html>", "HTML"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS pointer"),
        (b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00}\x94.", "pickle"),
        (b"\x00" * 4096, "zero bytes"),
        (b"ULog\x01\x12\x35" + b"\x00" * 100, "ULog"),
        (bytes(range(128, 256)) * 40, "no known format"),
    ],
)
@pytest.mark.parametrize("name", ["log.h5", "log.csv", "log.parquet"])
def test_that_content_under_a_wrong_name_is_told(tmp_path, content, says, name):
    assert says in problem(put(tmp_path, content, name)).what


def test_that_text_named_h5_is_read_as_the_text_it_is(tmp_path):
    trace = open_trace(put(tmp_path, "t,obs\n0,1\n1,2\n", "log.h5"))
    assert trace.source.layout == "csv"
    with pytest.raises(TraceReadError) as caught:
        open_trace(put(tmp_path, "this is a note, not a log\n", "note.h5"))
    named, found = caught.value.problems
    assert "the name says HDF5, the content is text" in named.what
    assert "no data rows" in found.what


@pytest.mark.parametrize("keep", [96, 0.6, 0.97])
def test_that_a_truncated_hdf5_says_expected_and_found_bytes(tmp_path, keep):
    path = hdf5(tmp_path / "cut.h5")
    whole = path.read_bytes()
    path.write_bytes(whole[: keep if isinstance(keep, int) else int(keep * len(whole))])
    found = problem(path)
    assert f"{path.stat().st_size} of {len(whole)} bytes" in found.what
    assert found.todo


def test_that_an_episode_summary_is_refused_as_what_it_is(tmp_path):
    text = '#{"t_start": 1700000000.1, "env_id": "Pendulum-v1"}\nr,l,t\n-120.5,200,0.5\n-110.2,200,0.9\n'
    assert "Monitor" in problem(put(tmp_path, text, "monitor.csv")).what


def test_that_a_file_that_may_not_be_read_says_so(tmp_path):
    path = put(tmp_path, "t,q\n0,1\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert problem(path).what == "cannot be opened"


def test_that_reading_can_be_cancelled(tmp_path):
    path = put(tmp_path, "t,q\n" + "".join(f"{i},{i}\n" for i in range(5000)))

    def stop(done, what):
        raise Cancelled

    with pytest.raises(Cancelled):
        open_trace(path, progress=stop)


def test_that_no_file_is_changed_or_held_open(tmp_path):
    path = hdf5(tmp_path / "log.h5")
    before = path.read_bytes()
    open_trace(path)
    assert path.read_bytes() == before
    held = {str(entry.resolve()) for entry in Path("/proc/self/fd").iterdir()}
    assert str(path) not in held


def test_that_a_writer_may_append_between_two_readings(tmp_path):
    path = tmp_path / "live.h5"
    with h5py.File(path, "w") as file:
        data = file.create_dataset("obs", data=np.zeros((10, 2)), maxshape=(None, 2))
        file.create_dataset("timestamp", data=np.arange(10.0), maxshape=(None,))
        file.flush()
        assert len(open_trace(path)) == 10
        data.resize((15, 2))
        file["timestamp"].resize((15,))
        file["timestamp"][10:] = np.arange(10.0, 15.0)
        file.flush()
        assert len(open_trace(path)) == 15
    with h5py.File(path, "r+") as file:
        assert file["obs"].shape == (15, 2)
