"""NumPy's files: an archive of named arrays (NPZ), or one array (NPY). Pickled objects are never loaded."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_columns import MOST_ELEMENTS, array_columns
from tracescope.readers.hdf5_groups import usual_length
from tracescope.readers.hdf5_tools import text_of
from tracescope.readers.names import unique_names
from tracescope.readers.notes import warned
from tracescope.readers.rates import rate_in
from tracescope.readers.table import Column, Table

_ZIP, _NPY = b"PK\x03\x04", b"\x93NUMPY"
_MOST_PACKED = 1100
"""Deflate packs no better than this: an archive that claims more is damaged, or made to fill memory."""

_MOST_REPEATED = 512 * 1024**2
_REPETITION = 200
"""Measured values pack a few to 1; so much of what packs better would fill the memory with nothing."""

MOST_BYTES = 16 * 1024**3
_BAD = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, NotImplementedError,
        RuntimeError, SyntaxError, OverflowError, MemoryError, IndexError, AttributeError, zlib.error,
        tokenize.TokenError, struct.error)  # fmt: skip
"""What damage makes of it: the header of an array is parsed as a Python literal, by NumPy."""


def claims(head: FileHead) -> Claim | None:
    """Claim archives whose members are arrays, and single arrays."""
    if head.head.startswith(_NPY):
        return Claim(0.9, "it is a NumPy array (NPY)")
    if not head.head.startswith(_ZIP):
        return None
    try:
        with zipfile.ZipFile(head.path) as archive:
            members = archive.namelist()
    except _BAD:
        members = [head.head[30:62].decode("latin-1")] if b".npy" in head.head[:300] else []
    if members and any(".npy" in name for name in members):
        return Claim(0.9, "it is an archive of NumPy arrays (NPZ)")
    return None


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes: runs between restarts of clock or counter."""
    return episode_infos(placed(read_table(path), choices))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode."""
    return trace_of(placed(read_table(path, progress), choices), choices, episode)


def read_table(path: Path, progress: Progress = silent) -> Table:
    """Read all arrays as one table.

    Raises:
        TraceReadError: where the file is damaged or holds no series.
    """
    notes: list[HealthNote] = []
    arrays: dict[str, NDArray[Any]] = {}
    try:
        for at, (name, array) in enumerate(_arrays(path, notes)):
            progress(min(0.9, at / 100), f"reading {name}")
            arrays[name] = array
    except _BAD as error:
        todo = "copy it again; the writer may have stopped before its end"
        problem = Problem("the NumPy file is damaged", str(path), str(error)[:200], todo)
        raise TraceReadError(problem) from error
    return _table(arrays, notes, path)


def _arrays(path: Path, notes: list[HealthNote]) -> Iterator[tuple[str, NDArray[Any]]]:
    with path.open("rb") as file:
        single = file.read(len(_NPY)) == _NPY
    if single:
        size = path.stat().st_size
        with path.open("rb") as file:
            array = _array(file, size, path.stem, notes)
        if array is not None:
            yield path.stem, array
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            why_not = _suspicious(member)
            if why_not:
                notes.append(warned("dataset-left-out", f"{name}: {why_not}", name, 1, "left out"))
                continue
            try:
                with archive.open(member) as raw:
                    array = _array(raw, member.file_size, name, notes)
            except _BAD as error:
                what = f"{name} cannot be read: {error}"[:300]
                done = "left out; others are read"
                notes.append(warned("dataset-unreadable", what, name, 1, done))
                continue
            if array is not None:
                yield name, array


def _suspicious(member: zipfile.ZipInfo) -> str:
    if member.file_size > 2**20 and member.file_size > _MOST_PACKED * max(member.compress_size, 1):
        return "it claims more than the archive can hold"
    unpacked, ratio = member.file_size, member.file_size / max(member.compress_size, 1)
    if unpacked > _MOST_REPEATED and ratio > _REPETITION:
        return f"{unpacked / 2**30:.1f} GiB of one thing over and over, packed {ratio:.0f} to 1"
    if member.file_size > MOST_BYTES:
        return f"{member.file_size / 2**30:.0f} GiB are too many"
    return "" if member.filename.endswith(".npy") else "it is no array"


def _array(raw: Any, size: int, name: str, notes: list[HealthNote]) -> NDArray[Any] | None:
    """Read an array whose header fits its size; object arrays are refused.

    Raises:
        ValueError: where header and size do not fit.
    """
    head = io.BytesIO(raw.read(min(size, 64 * 1024)))
    version = np.lib.format.read_magic(head)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise ValueError(f"version {version} of the format is not known")
    shape, fortran, dtype = read_header(head)
    if dtype.hasobject:
        what = f"{name} holds Python objects, which could run code when loaded"
        done = "left out; save it as an array of numbers"
        notes.append(warned("objects-refused", what, name, 1, done))
        return None
    count = math.prod(shape)
    if count * dtype.itemsize != size - head.tell():
        raise ValueError(
            f"its header says {count * dtype.itemsize} bytes, it has {size - head.tell()}"
        )
    data = head.read() + raw.read()
    order = shape[::-1] if fortran else shape
    array = np.frombuffer(data, dtype=dtype, count=count).reshape(order)
    return array.T if fortran else array


def _table(arrays: dict[str, NDArray[Any]], notes: list[HealthNote], path: Path) -> Table:
    rows = usual_length([a.shape for a in arrays.values()])
    if rows is None:
        what = f"{len(arrays)} arrays, none with rows" if arrays else "no arrays of numbers"
        problems = [Problem(note.what, str(path), todo=note.done) for note in notes]
        raise TraceReadError([Problem("the file holds no series", str(path), what), *problems])
    columns: list[Column] = []
    metadata: list[tuple[str, str]] = []
    for name, array in arrays.items():
        if array.ndim == 0 or (array.size == 1 and rows > 2):
            metadata.append((name, text_of(array.ravel()[0] if array.size else "")[:2000]))
        elif array.shape[0] not in {rows, rows + 1}:
            key = "zero-length" if array.shape[0] == 0 else "other-length"
            what = f"{name} has {array.shape[0]} rows where the others have {rows}"
            notes.append(warned(key, what, name, 1, "left out"))
        elif math.prod(array.shape[1:]) > MOST_ELEMENTS or _is_picture(array):
            what = f"{name}: elements of shape {array.shape[1:]} are no signal"
            notes.append(warned("dataset-left-out", what, name, 1, "left out"))
        else:
            columns += array_columns(name, array)
    fresh, renamed = unique_names([c.name for c in columns], str(path))
    for column, name in zip(columns, fresh, strict=True):
        column.name = name
    rate = rate_in(metadata)
    most = max((c.value.size for c in columns), default=rows)
    because = f"its entry {rate[1]}" if rate else ""
    return Table(
        columns, most, [*notes, *renamed], tuple(metadata), rate[0] if rate else None, because,
        source_name=str(path),
    )  # fmt: skip


def _is_picture(array: NDArray[Any]) -> bool:
    return array.ndim in {3, 4} and min(array.shape[1:3]) >= 32 and array.dtype.kind in "uif"


READER = Reader("npz", "NumPy arrays (NPZ, NPY)", claims, episodes, read)
