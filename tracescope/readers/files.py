"""Looking at files: what they are by content, their hash, and errors a person can act on."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.readers.base import FileHead

HEAD_BYTES = 64 * 1024
HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
_BLOCK = 4 * 1024 * 1024

_PICKLE = ("a Python pickle, which could run code when loaded", "export CSV, NPZ or HDF5 instead")

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "fetch it: git lfs pull"),
    (b"PAR1", "a Parquet file", "pip install 'tracescope[parquet]'"),
    (b"\x89MCAP0\r\n", "an MCAP recording", "pip install 'tracescope[ros]'"),
    (
        b"#ROSBAG V1",
        "a ROS bag of version 1.x",
        "convert it on a copy: rosbag fix, or rosbag reindex",
    ),
    (b"#ROSBAG", "a ROS 1 bag", "pip install 'tracescope[ros]'"),
    (b"SQLite format 3", "an SQLite database (no ROS 2 bag)", "export its tables as CSV"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first: gunzip"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", "unpack it first: unzstd"),
    (b"\x04\x22\x4d\x18", "an LZ4 archive", "unpack it first: unlz4"),
    (b"]\0\0\x80\0", "an LZMA archive", "unpack it first: unlzma"),
    (b"PK\x05\x06", "a ZIP archive with nothing in it", "copy or pack it again"),
    (b"BZh", "a bzip2 archive", "unpack it first: bunzip2"),
    (b"\xfd7zXZ\x00", "an xz archive", "unpack it first: unxz"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it first: 7z x"),
    (b"Rar!", "a RAR archive", "unpack it first"),
    (b"ULog\x01\x12\x35", "a PX4 ULog", "convert it: ulog2csv FILE, and open the folder"),
    (b"\xa3\x95", "an ArduPilot DataFlash log", "convert it: mavlogdump.py --format csv FILE"),
    (b"MDF ", "an ASAM MDF file", "convert it to CSV or HDF5, e.g. with asammdf"),
    (b"UnFinMF", "an unfinished ASAM MDF file", "convert it to CSV or HDF5, e.g. with asammdf"),
    (b"MATLAB 5.0", "a MATLAB v5 file", "save it again with -v7.3, or write a CSV"),
    (b"ARROW1", "an Arrow or Feather file", "write it as Parquet: pyarrow.parquet.write_table"),
    (b"FEA1", "a Feather file of version 1", "write it as Parquet: pandas.DataFrame.to_parquet"),
    (b"Obj\x01", "an Avro file", "write it as Parquet or CSV"),
    (b"CDF\x01", "a netCDF classic file", "convert it: nccopy -k nc4 FILE NEW.nc"),
    (b"CDF\x02", "a netCDF classic file", "convert it: nccopy -k nc4 FILE NEW.nc"),
    (b"\x0a\x0d\x0d\x0a", "a packet capture (pcapng)", "decode it to CSV first"),
    (b"\xd0\xcf\x11\xe0", "an old Office file (XLS)", "save it as CSV"),
    (b"%PDF", "a PDF document", ""),
    (b"\x89PNG", "a PNG picture", ""),
    (b"\xff\xd8\xff", "a JPEG picture", ""),
    *((start, *_PICKLE) for start in (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")),
    *((start, *_PICKLE) for start in (b"(dp0\n", b"(lp0\n", b"ccopy_reg\n", b"cnumpy")),
)

_INSIDE_ZIP: tuple[tuple[bytes, str, str], ...] = (
    (b"data.pkl", "a PyTorch file: a Python pickle, which could run code when loaded", _PICKLE[1]),
    (b"[Content_Types].xml", "an Excel workbook (XLSX)", "save it as CSV"),
    (b"xl/", "an Excel workbook (XLSX)", "save it as CSV"),
    (b".zarray", "a zipped Zarr store", "write it as HDF5: zarr.copy_all"),
)

_FOLDERS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    ((".zgroup", ".zarray", ".zattrs", "zarr.json"), "a Zarr store", "write it as HDF5: zarr.copy_all"),
    (("dataset_info.json", "features.json"), "a TensorFlow dataset (RLDS)",
     "write an episode as HDF5 or NPZ with tensorflow_datasets"),
    (("data.mdb",), "an LMDB store", "write an episode as HDF5 or NPZ"),
)  # fmt: skip


def folder_looks_like(names: Collection[str]) -> tuple[str, str]:
    """Say what a folder is by the names in it, and what to do; ``("", "")`` where that is not known."""
    for marks, what, todo in _FOLDERS:
        if any(mark in names for mark in marks):
            return what, todo
    return "", ""


def file_head(path: Path) -> FileHead:
    """Read what a reader needs to claim a file.

    Raises:
        TraceReadError: where there is no such file, it cannot be opened, or it is empty.
    """
    try:
        if path.is_dir():
            return FileHead(path, b"", 0)
        size = path.stat().st_size
        if not path.is_file():
            todo = "name a file; write what comes out of a pipe or device into one first"
            raise TraceReadError(
                Problem("this is neither a file nor a folder", str(path), todo=todo)
            )
        with path.open(
            "rb"
        ) as file:  # what says it has no bytes may never give any: /proc/kmsg waits
            head = file.read(HEAD_BYTES) if size else b""
    except FileNotFoundError:
        raise TraceReadError(_missing(path)) from None
    except (OSError, ValueError) as error:
        todo = "check the path and its permissions"
        found = getattr(error, "strerror", None) or str(error)
        raise TraceReadError(Problem("cannot be opened", str(path), found, todo)) from None
    if size == 0:
        raise TraceReadError(
            Problem("the file is empty", str(path), "0 bytes", "record or copy it again")
        )
    return FileHead(path, head, size)


def _missing(path: Path) -> Problem:
    import difflib

    if path.is_symlink():
        return Problem("this link leads nowhere", str(path), str(path.readlink()), "mend the link")
    todo = "check the spelling"
    try:
        near = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        todo = f"there is no folder {path.parent} either"
    else:
        close = difflib.get_close_matches(path.name, near, n=3, cutoff=0.75)
        if close:
            todo = f"did you mean {', '.join(close)}?"
    return Problem("no such file or folder", str(path), todo=todo)


def looks_like(head: bytes) -> tuple[str, str]:
    """Say what content is, and what to do about it; ``("", "")`` where it is not known."""
    for magic, what, todo in _MAGIC:
        if head.startswith(magic):
            return what, todo
    if head.startswith(b"PK\x03\x04"):
        start = head[:400]
        inside = ((what, todo) for mark, what, todo in _INSIDE_ZIP if mark in start)
        return next(inside, ("a ZIP archive", "unpack it first"))
    start = head[:2048].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<head")):
        return (
            "an HTML page (an error page saved in place of the file?)",
            "download the file itself again",
        )
    if start.startswith(b"<?xml"):
        return "an XML file", "export CSV or HDF5 instead"
    if head[257:262] == b"ustar":
        return "a tar archive", "unpack it first: tar -xf"
    if head.startswith(b"\x00" * 64):
        return "nothing but zero bytes at the start", "copy it again"
    return "", ""


_PICTURES = {".mp4", ".avi", ".mkv", ".png", ".jpg", ".jpeg", ".webm"}
_MOST_HASHED = 20_000


def _files_below(folder: Path, depth: int = 4) -> list[Path]:
    """Return the files of a folder that may hold series, by path; videos and pictures are left out."""
    found: list[Path] = []
    for entry in sorted(folder.iterdir()):
        if entry.is_file() and entry.suffix.lower() not in _PICTURES:
            found.append(entry)
        elif entry.is_dir() and not entry.is_symlink() and depth:
            found += _files_below(entry, depth - 1)
    return found[:_MOST_HASHED]


@dataclass(slots=True)
class Seen:
    """Hashes of files that a reader went through from first to last byte anyway."""

    digests: dict[tuple[str, int, int, int], str] = field(default_factory=dict)


_SEEN: ContextVar[Seen | None] = ContextVar("seen", default=None)


@contextmanager
def hashes_kept() -> Iterator[None]:
    """Let :func:`sha256_of` use, inside the block, what :func:`hashing` saw of a file."""
    token = _SEEN.set(Seen())
    try:
        yield
    finally:
        _SEEN.reset(token)


def _state(path: Path) -> tuple[str, int, int, int]:
    stat = path.stat()
    return str(path), stat.st_ino, stat.st_size, stat.st_mtime_ns


@contextmanager
def hashing(path: Path) -> Iterator[Callable[[bytes | memoryview], object]]:
    """Yield what to feed with every byte of a file, in order; a reader spares the hash a pass of its own.

    What was fed counts only where the block ends well and the file is the same as before.
    """
    seen = _SEEN.get()
    if seen is None:
        yield lambda _: None
        return
    before, digest, size = _state(path), hashlib.sha256(), 0

    def feed(block: bytes | memoryview) -> None:
        nonlocal size
        digest.update(block)
        size += len(block)

    yield feed
    if size == before[2] and _state(path) == before:
        seen.digests[before] = digest.hexdigest()


Hashes = dict[tuple[str, int, int, int, int], str]
"""Hashes of files by path, inode, size and both times of change."""

SETTLED_S = 3.0
"""A file that was changed this lately may be changed again within the same tick of its stamps."""

_LASTING: ContextVar[Hashes | None] = ContextVar("lasting", default=None)


@contextmanager
def hashes_lasting(known: Hashes) -> Iterator[None]:
    """Let :func:`sha256_of` hash a file once as long as its stamps stay: many episodes lie in one file."""
    token = _LASTING.set(known)
    try:
        yield
    finally:
        _LASTING.reset(token)


def sha256_of(path: Path, progress: Progress = silent) -> str:
    """Return the SHA-256 of a file, or of the names and hashes of a folder's files, by path."""
    seen = _SEEN.get()
    if seen is not None and (known := seen.digests.get(_state(path))):
        progress(1.0, "hashing")
        return known
    lasting = _LASTING.get()
    if lasting is None or path.is_dir():
        return _hashed(path, progress)
    before = _stamped(path)
    if before not in lasting:
        digest = _hashed(path, progress)
        if _stamped(path) != before or time.time() - max(before[3:]) / 1e9 < SETTLED_S:
            return digest
        lasting[before] = digest
    return lasting[before]


def _stamped(path: Path) -> tuple[str, int, int, int, int]:
    return *_state(path), path.stat().st_ctime_ns


def _hashed(path: Path, progress: Progress) -> str:
    digest = hashlib.sha256()
    if path.is_dir():
        for entry in _files_below(path):
            name = entry.relative_to(path).as_posix()
            digest.update(f"{name}\0{sha256_of(entry)}\n".encode())
        return digest.hexdigest()
    total = max(path.stat().st_size, 1)
    done = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            progress(min(done / total, 1.0), "hashing")
    return digest.hexdigest()
