"""Formats that are not read are named by their content, with a way to convert them."""

from __future__ import annotations

import pickle
import zipfile

import pytest

from tests.readers.helpers import put
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace

STARTS = [
    (b"ULog\x01\x12\x35\x01" + b"\0" * 40, "PX4 ULog", "ulog2csv"),
    (b"\xa3\x95\x80\x80" + b"\0" * 40, "DataFlash", "mavlogdump"),
    (b"#ROSBAG V1.2\n", "ROS bag of version 1", "rosbag"),
    (b"MATLAB 5.0 MAT-file, Platform: GLNXA64" + b" " * 90, "MATLAB v5", "-v7.3"),
    (pickle.dumps({"obs": [1.0]}, protocol=2), "Python pickle", "could run code"),
    (pickle.dumps({"obs": [1.0]}, protocol=5), "Python pickle", "could run code"),
    (b"SQLite format 3\0" + b"\0" * 100, "SQLite", "CSV"),
    (b"ARROW1\0\0" + b"\0" * 100, "Arrow or Feather", "Parquet"),
    (b"FEA1" + b"\0" * 100, "Feather", "Parquet"),
    (b"\x1f\x8b\x08\0", "gzip", "gunzip"),
    (b"\x28\xb5\x2f\xfd\0", "Zstandard", "unzstd"),
    (b"MDF     4.10", "ASAM MDF", "asammdf"),
    (b"CDF\x01\0", "netCDF", "nccopy"),
    (b"Obj\x01avro", "Avro", "Parquet"),
    (b"%PDF-1.7", "PDF", ""),
    (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer", "git lfs pull"),
    (b"<html><head><title>Sign in</title>", "HTML page", "again"),
]


@pytest.mark.parametrize(("start", "what", "todo"), STARTS, ids=[what for _, what, _ in STARTS])
def test_that_a_format_is_named_whatever_the_file_is_called(tmp_path, start, what, todo):
    for name in ("log.csv", "log.h5"):
        with pytest.raises(TraceReadError) as error:
            open_trace(put(tmp_path, start, name))
        assert what in str(error.value)
        assert todo in str(error.value)


def test_that_what_a_pickle_would_run_is_never_run(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "ran"), "w"))

    with pytest.raises(TraceReadError, match="could run code"):
        inspect_file(put(tmp_path, pickle.dumps(Bomb()), "log.pkl"))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("member", "what"),
    [
        ("a.csv", "ZIP archive"),
        ("archive/data.pkl", "PyTorch"),
        ("xl/workbook.xml", "Excel"),
        (".zarray", "Zarr"),
    ],
)
def test_that_archives_are_told_by_what_is_in_them(tmp_path, member, what):
    with zipfile.ZipFile(tmp_path / "x.bin", "w") as archive:
        archive.writestr(member, "x")
    with pytest.raises(TraceReadError, match=what):
        open_trace(tmp_path / "x.bin")


@pytest.mark.parametrize(
    ("mark", "what"),
    [(".zgroup", "Zarr"), ("zarr.json", "Zarr"), ("features.json", "RLDS"), ("data.mdb", "LMDB")],
)
def test_that_folders_are_told_by_what_is_in_them(tmp_path, mark, what):
    (tmp_path / mark).write_text("{}")
    with pytest.raises(TraceReadError, match=what):
        open_trace(tmp_path)


def test_that_a_folder_of_other_things_lists_them(tmp_path):
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(TraceReadError, match=r"no step trace.*notes.md"):
        open_trace(tmp_path)
