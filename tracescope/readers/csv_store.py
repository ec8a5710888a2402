"""Columns of a text table as they grow: blocks are laid one behind another, so that nothing has to be joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.csv_pieces import Piece

Place = tuple[NDArray[Any], int, int]
"""An array ``(columns, rows)``, the first of its columns, and how many."""


class Store:
    """Memory for the columns of a table, one array ``(columns, rows)`` for each dtype.

    Memory that no row is written to is only asked for and not taken. Where rows come that were not expected,
    or a column changes its dtype, blocks stay as they are and are joined later.

    Args:
        first: The columns of the first block.
        rows: Rows expected in all.
    """

    def __init__(self, first: Sequence[Piece | NDArray[Any]], rows: int) -> None:
        self._at, self._rows = 0, rows
        self._places: list[Place | None] = []
        sizes: dict[np.dtype[Any], int] = {}
        for column in first:
            value = _values(column)
            if value is not None and value.dtype.kind in "iufb":
                sizes[value.dtype] = sizes.get(value.dtype, 0) + _width(value)
        room = {dtype: np.empty((count, rows), dtype) for dtype, count in sizes.items()}
        used = dict.fromkeys(sizes, 0)
        for column in first:
            value = _values(column)
            if value is None or value.dtype not in room:
                self._places.append(None)
                continue
            self._places.append((room[value.dtype], used[value.dtype], _width(value)))
            used[value.dtype] += _width(value)

    def laid(
        self, columns: Sequence[Piece | NDArray[Any]], rows: int
    ) -> list[Piece | NDArray[Any]]:
        """Lay the columns of the next block behind the others; return them as they lie there."""
        begin, self._at = self._at, self._at + rows
        if self._at > self._rows:
            return list(columns)
        return [
            column if place is None else _laid(column, place, begin, self._at)
            for column, place in zip(columns, self._places, strict=True)
        ]


def _laid(column: Piece | NDArray[Any], place: Place, begin: int, end: int) -> Piece | NDArray[Any]:
    room, first, width = place
    value = _values(column)
    if value is None or value.dtype != room.dtype:
        return column
    if isinstance(column, Piece):
        own = room[first, begin:end]
        own[:] = value
        return replace(column, numbers=own)
    if _width(value) != width:
        return column
    block = room[first : first + width, begin:end]
    block[:] = value.T
    return block.T


def _values(column: Piece | NDArray[Any]) -> NDArray[Any] | None:
    return column.numbers if isinstance(column, Piece) else column


def _width(value: NDArray[Any]) -> int:
    return 1 if value.ndim == 1 else value.shape[1]


def joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Join arrays of shape ``(n,)``; where each already lies behind the one before, none is copied."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros(0)
    whole = _behind_one_another(parts)
    return np.concatenate(parts) if whole is None else whole


def _behind_one_another(parts: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    first = parts[0]
    base = first.base
    if not isinstance(base, np.ndarray) or not base.flags.c_contiguous or first.ndim != 1:
        return None
    begin: int = first.__array_interface__["data"][0]
    at = begin
    for part in parts:
        is_next = (
            part.base is base and part.dtype == first.dtype and part.strides == (part.itemsize,)
        )
        if not is_next or part.__array_interface__["data"][0] != at:
            return None
        at += part.nbytes
    flat = base.reshape(-1).view(first.dtype)
    offset = (begin - base.__array_interface__["data"][0]) // first.itemsize
    return flat[offset : offset + (at - begin) // first.itemsize]
