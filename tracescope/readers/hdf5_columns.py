"""Datasets as columns: vectors spread out, names and units from attributes, odd types told apart."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import FrameStack, HealthNote, Role
from tracescope.readers.cells import is_missing
from tracescope.readers.csv_stamps import date_column
from tracescope.readers.hdf5_cf import as_stored, mended
from tracescope.readers.hdf5_tools import child, claims_too_much, elsewhere, links, text_of
from tracescope.readers.table import Column, text_column

MOST_ELEMENTS = 100_000
"""A dataset with more elements a row is no signal."""

_PICTURE = 32
"""Matrices of so many rows and columns are pictures (depth, segmentation), not vectors."""

_NAME_ATTRS = (
    "names",
    "columns",
    "column_names",
    "channel_names",
    "dim_names",
    "joint_names",
    "fields",
    "labels",
)
_UNIT_ATTRS = ("units", "unit")


def walk(group: Any, prefix: str = "", depth: int = 0) -> list[tuple[str, Any]]:
    """Return (path, dataset) of all datasets below a group, natural order; links that dangle are skipped.

    External links are not followed: no file beside the given one is read.
    """
    found: list[tuple[str, Any]] = []
    _walk(group, prefix, depth, (), Counter(), found)
    return found


_DEEPEST = 30
_MOST_ALIASES = 8
"""A group that more links lead to is walked no further: links that fan out again and again never end."""


def _walk(  # what a walk carries along
    group: Any,
    prefix: str,
    depth: int,
    above: tuple[Any, ...],
    visits: Counter[int],
    found: list[tuple[str, Any]],
) -> None:
    """Collect the datasets below a group that does not lead back to one ``above``."""
    import h5py

    if depth > _DEEPEST or group in above:
        return
    visits[hash(group.id)] += 1
    if visits[hash(group.id)] > _MOST_ALIASES:
        return
    for name, key in links(group):
        try:
            node = child(group, key)
        except (KeyError, OSError, RuntimeError, UnicodeDecodeError):
            continue
        path = f"{prefix}{name}"
        if isinstance(node, h5py.Group):
            _walk(node, f"{path}/", depth + 1, (*above, group), visits, found)
        elif isinstance(node, h5py.Dataset):
            found.append((path, node))


def dataset_columns(
    name: str, dataset: Any, notes: list[HealthNote], role: Role | None = None, because: str = ""
) -> list[Column]:
    """Return a dataset's columns, one an element of its rows; what cannot be one is noted.

    Args:
        name: What to call it, usually its path.
        dataset: With one row a step.
        notes: Takes what was noticed.
        role, because: Where the layout says what it is.
    """
    why_not = _why_not(dataset)
    if why_not:
        notes.append(
            HealthNote(f"{name}: {why_not}", name, 1, "left out", "warning", "dataset-left-out")
        )
        return []
    try:
        array = _whole(dataset)
    except (OSError, RuntimeError, TypeError, ValueError, KeyError) as error:
        reason = _filter_reason(dataset) or str(error)
        notes.append(
            HealthNote(
                f"{name} cannot be read: {reason}"[:300],
                name,
                1,
                "left out; others are read",
                "warning",
                "dataset-unreadable",
            )
        )
        return []
    names, units = _named(dataset, _NAME_ATTRS), _named(dataset, _UNIT_ATTRS)
    labels = _enum_labels(dataset)
    stored, array = array, mended(name, dataset, array, notes, labelled=bool(labels))
    columns = array_columns(name, array, names, units, labels=labels)
    if array is not stored:
        as_stored(columns, stored, array)
    if not columns and dataset.size:
        what = f"{name}: values of type {dataset.dtype} are no signal"
        notes.append(HealthNote(what, name, 1, "left out", "warning", "dataset-left-out"))
    for column in columns:
        column.role, column.role_because = role, because
    return columns


_BLOCK = 1 << 20
"""Bytes of a matrix turned at a time: what fits into a core's own cache."""


def _whole(dataset: Any) -> Any:
    """Return a dataset's values; a matrix of numbers lies in memory column by column.

    A matrix is read by blocks of rows, each of whole chunks, so that every chunk is unpacked once and
    nothing is ever held twice.
    """
    shape, dtype = dataset.shape, dataset.dtype
    if len(shape) != 2 or dtype.kind not in "biuf" or shape[1] < 2 or not shape[0]:
        return dataset[()]
    by_column = np.empty((shape[1], shape[0]), dtype)
    in_chunk = dataset.chunks[0] if dataset.chunks else 1
    rows = max(1, _BLOCK // (shape[1] * dtype.itemsize * in_chunk)) * in_chunk
    for start in range(0, shape[0], rows):
        by_column[:, start : start + rows] = dataset[start : start + rows].T
    return by_column.T


def _why_not(dataset: Any) -> str:
    """Say why a dataset is no signal, or ``""``."""
    import h5py

    if dataset.shape is None:
        return "empty (no data space)"
    if claims_too_much(dataset):
        return f"it claims {dataset.size} values, more than the file can hold"
    if elsewhere(dataset):
        return "its values lie in another file, which is not read"
    if dataset.dtype.kind == "O" and h5py.check_string_dtype(dataset.dtype) is None:
        return "variable-length elements are not supported"
    if len(dataset.shape) in {3, 4} and min(dataset.shape[1:3]) >= _PICTURE:
        return f"pictures of {dataset.dtype} numbers are not shown"
    if int(np.prod(dataset.shape[1:], dtype=np.float64)) > MOST_ELEMENTS:
        return f"{dataset.shape[1:]} elements a row are no signal"
    return ""


def _filter_reason(dataset: Any) -> str:
    """Name the compression filter that is missing."""
    import h5py

    try:
        filters = dataset.id.get_create_plist()
        for i in range(filters.get_nfilters()):
            code, _, _, label = filters.get_filter(i)
            if not h5py.h5z.filter_avail(code):
                text = label.decode("utf-8", "replace") if isinstance(label, bytes) else str(label)
                install = "pip install 'tracescope[filters]'"
                return (
                    f"compression filter {code} ({text or 'unnamed'}) is not installed: {install}"
                )
    except (RuntimeError, ValueError, OSError):
        return ""
    return ""


def _enum_labels(dataset: Any) -> dict[int, str]:
    import h5py

    mapping = h5py.check_enum_dtype(dataset.dtype) if dataset.dtype.kind in "iu" else None
    return {int(v): str(k) for k, v in mapping.items()} if mapping else {}


def _named(dataset: Any, keys: Sequence[str]) -> list[str]:
    """Return texts of an attribute that is an array, a JSON list or comma-separated."""
    for key in keys:
        if key not in dataset.attrs:
            continue
        value = dataset.attrs[key]
        if isinstance(value, np.ndarray):
            return [text_of(v) for v in value.ravel().tolist()]
        text = text_of(value)
        if text.lstrip().startswith("["):
            try:
                parsed = json.loads(text)
            except (ValueError, RecursionError):
                continue
            return [str(v) for v in parsed] if isinstance(parsed, list) else []
        return [part.strip() for part in text.split(",")]
    return []


def array_columns(
    name: str,
    array: NDArray[Any],
    names: Sequence[str] = (),
    units: Sequence[str] = (),
    labels: dict[int, str] | None = None,
) -> list[Column]:
    """Spread an array of one row a step into columns.

    ``(n,)`` gives ``name``; ``(n, k)`` gives ``name[0]`` …, or ``name/x`` where there is a name for each
    element; more dimensions give ``name[0][1]``. Compound types give ``name.field``.
    """
    kind = array.dtype.kind
    if array.dtype.names:
        fields = array.dtype.names
        return [c for field in fields for c in array_columns(f"{name}.{field}", array[field])]
    if kind in "SUO":
        return _texts(name, array, names)
    if kind == "c":
        parts = (("real", array.real), ("imag", array.imag))
        return [c for part, values in parts for c in array_columns(f"{name}.{part}", values)]
    if kind not in "biufMm":
        return []
    flat = _flat(_plain_numbers(array))
    width = flat.shape[1]
    fits = names if len(names) == width else ()
    unit = list(units) if len(units) == width else [units[0] if len(units) == 1 else ""] * width
    columns = []
    for i in range(width):
        value = np.ascontiguousarray(flat[:, i])
        wanted = _element(name, array.shape[1:], i, fits)
        place = _index(array, i)
        text = _labelled(value, labels)
        columns.append(Column(wanted, value, name, place, unit[i], str(array.dtype), text))
    return columns


def _texts(name: str, array: NDArray[Any], names: Sequence[str]) -> list[Column]:
    flat = _flat(array)
    columns = []
    for i in range(flat.shape[1]):
        cells = [text_of(v) for v in flat[:, i].tolist()]
        wanted = _element(name, array.shape[1:], i, names)
        column = text_column(wanted, cells, column=name, index=_index(array, i))
        columns.append((_dates(column) if array.ndim == 1 else None) or column)
    return columns


def _dates(column: Column) -> Column | None:
    """Return a column of stamps where all texts are dates and times."""
    missing = [code for code, text in enumerate(column.labels) if not text or is_missing(text)]
    empty = np.isin(column.value, missing) if missing else None
    stamps = date_column(column.name, column.value, column.labels, missing, empty)
    if stamps is not None:
        stamps.column = column.column
    return stamps


def _plain_numbers(array: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers in this machine's byte order, in a type that everything can reckon with."""
    if array.dtype.kind in "Mm":
        return array.astype("int64")
    if array.dtype == np.longdouble and array.dtype.itemsize > 8:
        return array.astype(np.float64)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _flat(array: NDArray[Any]) -> NDArray[Any]:
    """Return one line a row, also where there are no rows or no elements."""
    width = int(np.prod(array.shape[1:])) if array.ndim > 1 else 1
    return array.reshape(len(array), width)


def _labelled(value: NDArray[Any], labels: dict[int, str] | None) -> tuple[str, ...]:
    """Return labels where codes count from 0 without holes."""
    if not labels or sorted(labels) != list(range(len(labels))) or not value.size:
        return ()
    return tuple(labels[i] for i in range(len(labels))) if int(value.max()) < len(labels) else ()


def _index(array: NDArray[Any], i: int) -> int | None:
    return None if array.ndim < 2 else i


def _element(name: str, shape: tuple[int, ...], i: int, names: Sequence[str]) -> str:
    if not shape:
        return name
    if len(names) == int(np.prod(shape)) and len(set(names)) == len(names):
        return f"{name}/{names[i]}"
    return name + "".join(f"[{place}]" for place in np.unravel_index(i, shape))


def frame_stack(name: str, path: str, dataset: Any) -> FrameStack | None:
    """Return a dataset of images as frames (times are row numbers for now), or ``None``.

    Raw pixels ``(n, h, w[, c])``, or pictures of variable length.
    """
    shape = dataset.shape
    if shape is None or elsewhere(dataset):
        return None
    if _is_vlen_bytes(dataset) and len(shape) == 1:
        return _encoded(name, path, dataset)
    if dataset.dtype != np.uint8 or len(shape) not in {3, 4} or min(shape[1:3]) < 16:
        return None
    if len(shape) == 4 and shape[3] not in {1, 3, 4}:
        return None
    rows = np.arange(shape[0], dtype=np.int64)
    return FrameStack(name, path, dataset.name, rows.astype(np.float64), "raw", rows)


def _is_vlen_bytes(dataset: Any) -> bool:
    import h5py

    return bool(h5py.check_vlen_dtype(dataset.dtype) == np.uint8)


def padded_stack(name: str, path: str, dataset: Any) -> FrameStack | None:
    """Return pictures padded with zeros, ``(n, bytes)`` uint8, as frames; ``None`` where they are none."""
    if dataset.dtype != np.uint8 or len(dataset.shape) != 2 or elsewhere(dataset):
        return None
    return _encoded(name, path, dataset)


def _encoded(name: str, path: str, dataset: Any) -> FrameStack | None:
    if not dataset.shape[0]:
        return None
    try:
        kind = encoded_kind(np.asarray(dataset[0], dtype=np.uint8)[:8].tobytes())
    except (OSError, RuntimeError, ValueError, TypeError):
        return None
    if kind is None:
        return None
    rows = np.arange(dataset.shape[0], dtype=np.int64)
    return FrameStack(name, path, dataset.name, rows.astype(np.float64), kind, rows)


def encoded_kind(start: bytes) -> Literal["jpeg", "png"] | None:
    """Tell pictures by their first bytes."""
    if start.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    return "png" if start.startswith(b"\x89PNG\r\n\x1a\n") else None
