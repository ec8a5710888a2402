"""Parquet files as tables: lists spread out, stamps exact, nulls as missing samples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote
from tracescope.readers.extras import library
from tracescope.readers.hdf5_columns import MOST_ELEMENTS, array_columns
from tracescope.readers.names import unique_names
from tracescope.readers.notes import noticed, warned
from tracescope.readers.table import Column, Table, text_column

MAGIC = b"PAR1"
MOST_BYTES = 16 * 1024**3
_MOST_EXPANDED = 4096
"""No encoding of Parquet packs numbers better than this many to one: a file that claims more is damaged."""


@contextmanager
def parquet_file(path: Path) -> Iterator[Any]:
    """Open a Parquet file.

    Raises:
        TraceReadError: where pyarrow is not installed, or the file is damaged.
    """
    pq = library("pyarrow.parquet", "parquet", path, "a Parquet file")
    import pyarrow as pa

    try:
        with pq.ParquetFile(path, memory_map=False) as file:
            _plausible(file, path)
            yield file
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, IndexError) as error:
        todo = "copy it again; the writer may have stopped before its footer"
        what = "the Parquet file is damaged"
        raise TraceReadError(Problem(what, str(path), str(error)[:200], todo)) from error


def _plausible(file: Any, path: Path) -> None:
    size, about = path.stat().st_size, file.metadata
    claimed = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    rows_too_many = about.num_rows > size * _MOST_EXPANDED
    if claimed < 0 or rows_too_many or claimed > max(size, 2**20) * _MOST_EXPANDED:
        raise ValueError(f"it claims {about.num_rows} rows and {claimed} bytes in a file of {size}")
    if claimed > MOST_BYTES:
        raise TraceReadError(
            Problem("the file is too large", str(path), f"{claimed / 2**30:.0f} GiB of values",
                    "cut it into episodes")
        )  # fmt: skip


def read_parquet(path: Path, progress: Progress = silent, episode: int | None = None) -> Table:
    """Read a file, or only the rows of one episode of it (by its column ``episode_index``).

    Raises:
        TraceReadError: see :func:`parquet_file`.
    """
    notes: list[HealthNote] = []
    with parquet_file(path) as file:
        kept = None if episode is None else _rows_of(file, episode)
        names = list(dict.fromkeys(field.name for field in file.schema_arrow))
        columns: list[Column] = []
        for at, name in enumerate(names):
            progress(at / len(names), f"reading {name}")
            data = _column(file, name, notes)
            if data is not None:
                columns += _columns(name, data if kept is None else data.filter(kept), notes)
        rows = file.metadata.num_rows if kept is None else int(kept.to_numpy(False).sum())  # noqa: FBT003
        metadata = _metadata(file.schema_arrow.metadata)
    fresh, renamed = unique_names([c.name for c in columns], str(path))
    for column, name in zip(columns, fresh, strict=True):
        column.name = name
    return Table(columns, rows, [*notes, *renamed], metadata, source_name=str(path))


def _column(file: Any, name: str, notes: list[HealthNote]) -> Any | None:
    """Return one column in one piece; ``None`` where it is damaged: others are still read."""
    import pyarrow as pa

    try:
        data = file.read(columns=[name]).column(0)
        return pa.concat_arrays(data.chunks) if data.num_chunks != 1 else data.chunk(0)
    except (pa.ArrowException, OSError, ValueError, KeyError, IndexError) as error:
        what = f"{name} cannot be read: {error}"[:300]
        notes.append(warned("dataset-unreadable", what, name, 1, "left out; others are read"))
        return None


def _rows_of(file: Any, episode: int) -> Any:
    import pyarrow.compute as pc

    index = file.read(columns=["episode_index"]).column(0)
    return pc.fill_null(pc.equal(index, episode), False).combine_chunks()  # noqa: FBT003


def _metadata(raw: dict[bytes, bytes] | None) -> tuple[tuple[str, str], ...]:
    found = []
    for key, text in (raw or {}).items():
        if not key.startswith((b"ARROW:", b"pandas")):
            found.append((key.decode("utf-8", "replace"), text.decode("utf-8", "replace")[:2000]))
    return tuple(found)


def _columns(name: str, data: Any, notes: list[HealthNote]) -> list[Column]:
    """Return a column of Arrow values as columns of numbers."""
    import pyarrow as pa

    kind = data.type
    if pa.types.is_dictionary(kind):
        return _columns(name, data.dictionary_decode(), notes)
    if pa.types.is_struct(kind):
        inner = [kind.field(i).name for i in range(kind.num_fields)]
        parts = zip(inner, data.flatten(), strict=True)
        return [c for field, part in parts for c in _columns(f"{name}.{field}", part, notes)]
    if _is_list(kind):
        return _list_columns(name, data, notes)
    if pa.types.is_timestamp(kind):
        return [_stamp_column(name, data)]
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return [text_column(name, ["" if v is None else v for v in data.to_pylist()])]
    if pa.types.is_duration(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        width = pa.int32() if kind.bit_width == 32 else pa.int64()
        return _plain(name, data.cast(width), str(kind))
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _plain(name, data, str(kind))
    if not pa.types.is_null(kind):
        what = f"{name}: values of type {kind} are no signal"
        notes.append(warned("dataset-left-out", what[:200], name, 1, "left out"))
    return []


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    t = pa.types
    return bool(t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind))


def _plain(name: str, data: Any, dtype: str) -> list[Column]:
    value = data.to_numpy(zero_copy_only=False)
    if value.dtype == object:  # booleans with nulls
        value = np.array([np.nan if v is None else float(v) for v in value.tolist()])
    empty = data.is_null().to_numpy(zero_copy_only=False) if data.null_count else None
    return [Column(name, np.ascontiguousarray(value), dtype=dtype, empty=empty)]


def _stamp_column(name: str, data: Any) -> Column:
    import pyarrow as pa

    empty = data.is_null().to_numpy(zero_copy_only=False) if data.null_count else None
    unit = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[data.type.unit]
    ticks = data.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    fits = np.abs(ticks.astype(np.float64)) * unit < 9e18
    ns = np.where(fits, ticks, 0) * unit
    value = ns.astype(np.float64) / 1e9
    return Column(
        name, value, dtype=str(data.type), stamp_ns=ns, stamp_zone=data.type.tz is not None,
        empty=empty,
    )  # fmt: skip


def _list_columns(name: str, data: Any, notes: list[HealthNote]) -> list[Column]:
    """Spread lists of one length; lists of different lengths are no vector."""
    shape: list[int] = [len(data)]
    flat = data
    while _is_list(flat.type):
        if flat.null_count:
            notes.append(warned("dataset-left-out", f"{name} has rows without a vector", name, 1,
                                "left out"))  # fmt: skip
            return []
        inner = flat.flatten()
        width, rest = divmod(len(inner), max(len(flat), 1))
        ragged = rest or not _even(flat, width)
        if ragged or int(np.prod([*shape[1:], width], dtype=np.float64)) > MOST_ELEMENTS:
            what = f"{name}: its lists differ in length, or are too long to be a vector"
            notes.append(warned("dataset-left-out", what, name, 1, "left out"))
            return []
        shape.append(width)
        flat = inner
    plain = _columns(name, flat, notes)
    if len(plain) != 1 or plain[0].labels or not len(data):
        return []
    columns = array_columns(name, plain[0].value.reshape(shape))
    if plain[0].empty is not None:
        count = int(plain[0].empty.sum())
        notes.append(noticed("null-elements", f"{count} elements of {name} are null", name, count))
    for column in columns:
        column.dtype = plain[0].dtype
    return columns


def _even(data: Any, width: int) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_fixed_size_list(data.type):
        return True
    lengths = pc.list_value_length(data).to_numpy(zero_copy_only=False)
    return bool((lengths == width).all())
