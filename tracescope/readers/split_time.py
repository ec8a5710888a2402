"""A stamp that a file keeps in two columns: whole seconds, and the part of a second beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tracescope.readers.clock import NS_PER
from tracescope.readers.roles import words_of
from tracescope.readers.table import Column

_MOST_S = 9_000_000_000
"""Seconds beyond this do not fit an integer of nanoseconds."""

_WHOLE = {"s", "sec", "secs", "seconds"}
_PART = {
    "ms": "ms", "msec": "ms", "msecs": "ms", "us": "us", "usec": "us", "usecs": "us", "ns": "ns",
    "nsec": "ns", "nsecs": "ns", "nanosec": "ns", "nanosecs": "ns", "nanoseconds": "ns",
    "microseconds": "us",
}  # fmt: skip


def joined_time(columns: Sequence[Column]) -> tuple[int, int, Column] | None:
    """Find seconds and part of a second (``time_s`` and ``time_us``) and join them exactly.

    Returns:
        Numbers of both columns and a clock column in integer nanoseconds, or ``None``. Two columns are
        joined only where the first holds whole numbers, the second stays below a second, and together
        they run forward at least as well as the first alone.
    """
    for i, whole in enumerate(columns):
        words = words_of(whole.name)
        if not words or words[-1] not in _WHOLE or not _is_whole(whole):
            continue
        for k, part in enumerate(columns):
            tail = words_of(part.name)
            if tail[:-1] == words[:-1] and tail and tail[-1] in _PART and _is_whole(part):
                unit = _PART[tail[-1]]
                joined = _joined(whole, part, unit)
                if joined is not None:
                    return i, k, joined
    return None


def _is_whole(column: Column) -> bool:
    value = column.value
    if column.labels or column.first_row or value.dtype.kind not in "iuf":
        return False
    return value.dtype.kind in "iu" or bool(
        np.isfinite(value).all() and (value == np.floor(value)).all()
    )


def _joined(whole: Column, part: Column, unit: str) -> Column | None:
    if whole.value.size != part.value.size or not whole.value.size:
        return None
    if part.value.min() < 0 or part.value.max() >= 10**9 // NS_PER[unit]:
        return None
    if whole.value.min() < -_MOST_S or whole.value.max() > _MOST_S:
        return None
    fraction, seconds = part.value.astype(np.int64), whole.value.astype(np.int64)
    ns = seconds * 1_000_000_000 + fraction * NS_PER[unit]
    if (np.diff(ns) < 0).sum() > (np.diff(seconds) < 0).sum():
        return None
    name = f"{whole.name} + {part.name}"
    return Column(name, ns, unit="ns")
