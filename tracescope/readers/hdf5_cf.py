"""What a dataset's attributes say of its numbers, as netCDF-4 and the CF conventions mean them.

Values that stand for "nothing here" (``_FillValue``, ``missing_value``) become NaN, then packed numbers are
unpacked (``scale_factor``, ``add_offset``). Values outside a declared valid range are said and kept: a reading
out of its range may be the very fault that is looked for, and nothing is lost by showing it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import HealthNote
from tracescope.readers.notes import noticed, repaired, warned
from tracescope.readers.table import Column

_MISSING = ("_FillValue", "missing_value")
_PACKED = ("scale_factor", "add_offset")
_VALID = ("valid_range", "valid_min", "valid_max")
_KNOWN = frozenset((*_MISSING, *_PACKED, *_VALID))

_MOST_BYTES = 4096
"""No such attribute is longer: what is, is something else."""

_APART = 2.0
"""HDF5's own fill value is a sentinel where it lies so many times the largest other value from all others."""

_EXACT = 2**53
"""Whole numbers beyond are rounded in a float."""


@dataclass(slots=True)
class _Said:
    """The numbers that a dataset's attributes give, and what is wrong with the others."""

    name: str
    numbers: dict[str, NDArray[Any]] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)

    def ignore(self, key: str, why: str) -> None:
        """Take an attribute out of use."""
        self.numbers.pop(key, None)
        self.bad.append(f"{key} {why}")


def mended(
    name: str, dataset: Any, array: NDArray[Any], notes: list[HealthNote], *, labelled: bool = False
) -> NDArray[Any]:
    """Return a dataset's values as its attributes mean them: the same array where they say nothing.

    Args:
        name: What the dataset is called in notes.
        dataset: Whose attributes and own fill value count.
        array: Its values, one row a step.
        notes: Takes what was done, what lies outside the valid range and what could not be used.
        labelled: Whether the numbers are codes of an enumeration.
    """
    if array.dtype.kind not in "iuf":
        return array
    said = _Said(name)
    keys = sorted(_KNOWN.intersection(dataset.attrs))
    for key in keys:
        _read(dataset, key, said)
    if labelled:
        for key in tuple(said.numbers):
            said.ignore(key, "stands on an enumeration")
    scale, offset = _packing(said)
    packed = scale != 1.0 or offset != 0.0
    own = None if "_FillValue" in said.numbers or labelled else _own_fill(dataset)
    if not (said.numbers or said.bad) and own is None:
        return array
    empty = _empty(said, array, own, notes)
    out = array
    if empty is not None:
        out = array.astype(np.result_type(array.dtype, np.float32) if not packed else np.float64)
        out[empty] = np.nan
    if packed:
        with np.errstate(over="ignore", invalid="ignore"):
            out = out.astype(np.float64, copy=False) * scale + offset
        what = f"{name} is packed: scale_factor {scale:.10g}, add_offset {offset:.10g}"
        done = f"unpacked: value times {scale:.10g} plus {offset:.10g}"
        notes.append(repaired("values-unpacked", what, name, int(array.size), done))
    _outside(said, array, out, empty, notes)
    if said.bad:
        what = f"{name}: attributes that cannot be used: {'; '.join(said.bad)}"
        notes.append(warned("attributes-ignored", what, name, len(said.bad), "ignored"))
    return out


def as_stored(columns: list[Column], stored: NDArray[Any], array: NDArray[Any]) -> None:
    """Let the columns of a mended array say what the file holds, and stamps keep all their digits."""
    for column in columns:
        column.dtype = str(stored.dtype)
    if stored.ndim != 1 or stored.dtype.kind not in "iu" or stored.dtype.itemsize < 8:
        return
    missing = np.isnan(array)
    kept = np.where(missing, 0, stored)
    fits = int(kept.max(initial=0)) <= np.iinfo(np.int64).max
    if fits and np.array_equal(np.where(missing, 0.0, array), kept.astype(np.float64)):
        columns[0].exact = kept.astype(np.int64), 0


def _read(dataset: Any, key: str, said: _Said) -> None:
    """Take one attribute where it holds as many real numbers as it should."""
    try:
        if dataset.attrs.get_id(key).get_storage_size() > _MOST_BYTES:
            said.ignore(key, "is too long")
            return
        value = np.ravel(np.asarray(dataset.attrs[key]))
    except (OSError, TypeError, ValueError, KeyError, RuntimeError) as error:
        said.ignore(key, f"cannot be read ({error})"[:100])
        return
    wanted = {"missing_value": value.size or 1, "valid_range": 2}.get(key, 1)
    if value.dtype.kind not in "iuf":
        said.ignore(key, "is no number")
    elif value.size != wanted:
        said.ignore(key, f"holds {value.size} numbers, not {wanted}")
    elif key not in _MISSING and np.isnan(value).any():
        said.ignore(key, "is not a number (NaN)")
    elif key in _PACKED and not np.isfinite(value).all():
        said.ignore(key, "is not finite")
    elif key == "scale_factor" and not value.all():
        said.ignore(key, "is zero")
    else:
        said.numbers[key] = value


def _packing(said: _Said) -> tuple[float, float]:
    """Return factor and offset; where one cannot be used the other is not either: half of both is wrong."""
    bad = any(text.startswith(_PACKED) for text in said.bad)
    for key in _PACKED if bad else ():
        if key in said.numbers:
            said.ignore(key, "stands beside one that cannot be used")
    scale, offset = (said.numbers.get(key) for key in _PACKED)
    return (
        1.0 if scale is None else float(scale[0]),
        0.0 if offset is None else float(offset[0]),
    )


def _own_fill(dataset: Any) -> float | int | None:
    """Return HDF5's own fill value where the writer set one that is not 0.

    Zero is what libraries set without being asked, and a value like any other.
    """
    import h5py

    try:
        if dataset.id.get_create_plist().fill_value_defined() != h5py.h5d.FILL_VALUE_USER_DEFINED:
            return None
        value = dataset.fillvalue
    except (AttributeError, OSError, RuntimeError, TypeError, ValueError):
        return None
    plain = np.asarray(value)
    number = plain.item() if plain.ndim == 0 and plain.dtype.kind in "iuf" else 0
    return number if number and np.isfinite(number) else None


def _empty(
    said: _Said, array: NDArray[Any], own: float | int | None, notes: list[HealthNote]
) -> NDArray[np.bool_] | None:
    """Return which values stand for nothing, or ``None`` where there are none; say them."""
    empty: NDArray[np.bool_] | None = None
    found: NDArray[np.bool_]
    for key in _MISSING:
        for sentinel in said.numbers.get(key, ()):
            like = _as_stored(sentinel, array.dtype)
            if like is None:
                said.bad.append(f"{key} {sentinel} is no {array.dtype}")
                continue
            found = array == like
            if found.any():
                notes.append(_taken(said.name, array, found, f"{key} {sentinel}"))
                empty = found if empty is None else empty | found
    if own is None:
        return empty
    found = array == _as_stored(np.asarray(own)[()], array.dtype)
    if empty is not None:
        found &= ~empty
    if not found.any():
        return empty
    text = f"the fill value {own} set on the dataset"
    if not _apart(own, array[~found if empty is None else ~(found | empty)]):
        what = f"{said.name}: {int(found.sum())} values equal {text}, which may be a value as well"
        where = _where(said.name, found)
        notes.append(noticed("fill-value-kept", what, where, int(found.sum()), "kept as values"))
        return empty
    notes.append(_taken(said.name, array, found, text))
    return found if empty is None else empty | found


def _as_stored(sentinel: Any, dtype: np.dtype[Any]) -> Any:
    """Return a sentinel as a number of that type, or ``None`` where the type cannot hold it."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            like = dtype.type(sentinel)
        return like if np.isfinite(like) or not np.isfinite(sentinel) else None
    if not np.isfinite(sentinel) or sentinel != np.floor(sentinel):
        return None
    limits = np.iinfo(dtype)
    return dtype.type(int(sentinel)) if limits.min <= int(sentinel) <= limits.max else None


def _apart(fill: float, others: NDArray[Any]) -> bool:
    """Whether a fill value lies so far from all other values that it cannot be one of them."""
    others = others[np.isfinite(others)]
    if not others.size:
        return False
    low, high = float(others.min()), float(others.max())
    return max(low - fill, fill - high) > _APART * max(abs(low), abs(high), 1.0)


def _taken(name: str, array: NDArray[Any], found: NDArray[np.bool_], why: str) -> HealthNote:
    count, done = int(found.sum()), "taken as missing"
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        rest = array[~found]
        if rest.size and max(abs(int(rest.min())), abs(int(rest.max()))) > _EXACT:
            done += "; the others are rounded to floats"
    what = f"{name}: {count} of {array.size} values equal {why}"
    return repaired("values-missing", what, _where(name, found), count, done)


def _where(name: str, found: NDArray[np.bool_]) -> str:
    """Return the first few places, as rows of columns."""
    shown = np.argwhere(found)[:3].tolist()
    places = [f"{name}{''.join(f'[{i}]' for i in at)} row {row}" for row, *at in shown]
    return ", ".join(places) + (" …" if int(found.sum()) > len(shown) else "")


def _outside(
    said: _Said,
    array: NDArray[Any],
    out: NDArray[Any],
    empty: NDArray[np.bool_] | None,
    notes: list[HealthNote],
) -> None:
    """Say which values lie outside the valid range; they are kept."""
    ends = [said.numbers[key] for key in _VALID if key in said.numbers]
    if not ends:
        return
    both = said.numbers.get("valid_range", (None, None))
    low = said.numbers["valid_min"][0] if "valid_min" in said.numbers else both[0]
    high = said.numbers["valid_max"][0] if "valid_max" in said.numbers else both[1]
    if low is not None and high is not None and low > high:
        said.bad.append(
            f"{', '.join(k for k in _VALID if k in said.numbers)} from {low} to {high} holds nothing"
        )
        return
    # a range in floats on packed integers is meant of the unpacked values, as netCDF's conventions say
    unpacked = array.dtype.kind in "iu" and any(end.dtype.kind == "f" for end in ends)
    value = out if unpacked else array
    beyond = np.zeros(array.shape, dtype=bool)
    if low is not None:
        beyond |= value < low
    if high is not None:
        beyond |= value > high
    if empty is not None:
        beyond &= ~empty
    count = int(beyond.sum())
    if count:
        below = "" if low is None else f" from {low}"
        above = "" if high is None else f" to {high}"
        what = (
            f"{said.name}: {count} of {array.size} values lie outside the valid range{below}{above}"
        )
        where = _where(said.name, beyond)
        notes.append(warned("outside-valid-range", what, where, count, "kept as they are"))
