"""Pieces of a text table joined to columns; cells that are no numbers are judged over the whole column."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.errors import Problem
from tracescope.model.trace import HealthNote
from tracescope.readers import cells as cell_kinds
from tracescope.readers.csv_pieces import Piece
from tracescope.readers.csv_stamps import date_column, exact_column
from tracescope.readers.csv_store import joined
from tracescope.readers.notes import warned
from tracescope.readers.table import Column


@dataclass(slots=True)
class Judged:
    """Columns so far, and what was wrong with cells."""

    notes: list[HealthNote] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def joined_column(
    name: str,
    pieces: Sequence[Piece],
    decimal: str,
    place: Callable[[int], str],
    judged: Judged,
    as_text: bool = False,  # noqa: FBT001, FBT002
) -> Column:
    """Join the pieces of a plain column.

    Args:
        name: The column's unique name.
        pieces: One a block.
        decimal: Decimal mark of plain cells.
        place: Row number → ``file: line 12``.
        judged: Takes notes and problems.
        as_text: Whether it holds stamps finer than a float.
    """
    empty = _joined_empty(pieces)
    if all(p.numbers is not None for p in pieces):
        value = joined([p.numbers for p in pieces if p.numbers is not None])
        return Column(name, _tidy(value), empty=empty)
    codes, texts = _joined_texts(pieces)
    numbers, unlike, missing = _split_kinds(texts, decimal)
    count = np.bincount(codes, minlength=len(texts))
    if dates := date_column(name, codes, texts, missing, empty):
        return dates
    if as_text and not unlike and (exact := exact_column(name, codes, texts, numbers, empty)):
        return exact
    if unlike and all(cell_kinds.truth(texts[c]) is not None for c in unlike):
        flags = _truths(name, codes, texts, numbers, unlike, empty)
        if flags is not None:
            return flags
    as_number = sum(int(count[c]) for c in numbers)
    as_other = sum(int(count[c]) for c in unlike)
    if unlike and as_number < as_other:
        return _as_text(name, codes, texts, empty)
    if unlike:
        _judge_cells(name, codes, texts, unlike, decimal, place, judged)
    return Column(name, _numbers(codes, texts, numbers), empty=empty)


def _joined_empty(pieces: Sequence[Piece]) -> NDArray[np.bool_] | None:
    if all(p.empty is None for p in pieces):
        return None
    parts = [np.zeros(_size(p), np.bool_) if p.empty is None else p.empty for p in pieces]
    return np.concatenate(parts)


def _size(piece: Piece) -> int:
    return int(piece.numbers.size if piece.numbers is not None else piece.codes.size)  # type: ignore[union-attr]


def _tidy(value: NDArray[Any]) -> NDArray[Any]:
    """Bring joined blocks to one numeric dtype."""
    return value.astype(np.float64) if value.dtype == object else value


def _joined_texts(pieces: Sequence[Piece]) -> tuple[NDArray[np.int64], list[str]]:
    """Return codes and texts over all pieces; pieces of numbers are spelt again."""
    known: dict[str, int] = {}
    parts = []
    for piece in pieces:
        if piece.numbers is not None:
            texts = [_spelt(number) for number in piece.numbers.tolist()]
            parts.append(np.array([known.setdefault(t, len(known)) for t in texts], np.int64))
        else:
            table = np.array([known.setdefault(t, len(known)) for t in piece.texts], np.int64)
            parts.append(table[piece.codes] if table.size else np.zeros(0, np.int64))
    return np.concatenate(parts), list(known)


def _spelt(number: float) -> str:
    return "" if math.isnan(number) else repr(number)


def _split_kinds(
    texts: Sequence[str], decimal: str
) -> tuple[dict[int, int | float], list[int], list[int]]:
    """Sort distinct texts into numbers, others, and missing or empty ones."""
    numbers: dict[int, int | float] = {}
    unlike: list[int] = []
    missing: list[int] = []
    for code, text in enumerate(texts):
        value = cell_kinds.number(text, decimal)
        if value is not None:
            numbers[code] = value
        elif not text or cell_kinds.is_missing(text):
            missing.append(code)
        else:
            unlike.append(code)
    return numbers, unlike, missing


def _numbers(
    codes: NDArray[np.int64], texts: Sequence[str], numbers: dict[int, int | float]
) -> NDArray[Any]:
    """Look numbers up, as integers where every cell is one that int64 or uint64 holds."""
    whole = len(numbers) == len(texts) and all(isinstance(v, int) for v in numbers.values())
    if whole and numbers:
        low, high = min(numbers.values()), max(numbers.values())
        for kind in (np.int64, np.uint64):
            info = np.iinfo(kind)
            if info.min <= low and high <= info.max:
                return np.array([numbers[c] for c in range(len(texts))], dtype=kind)[codes]
    table = np.array([_float(numbers.get(c, float("nan"))) for c in range(len(texts))])
    return table[codes] if table.size else np.zeros(codes.size)


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _truths(
    name: str,
    codes: NDArray[np.int64],
    texts: Sequence[str],
    numbers: dict[int, int | float],
    unlike: Sequence[int],
    empty: NDArray[np.bool_] | None,
) -> Column | None:
    """Make a column of truth values where words and (perhaps) 0 and 1 are all that stands there."""
    if any(value not in {0, 1} for value in numbers.values()):
        return None
    table = np.full(len(texts), np.nan)
    for code in unlike:
        table[code] = bool(cell_kinds.truth(texts[code]))
    for code, number in numbers.items():
        table[code] = number
    value = table[codes]
    return Column(
        name, value if np.isnan(value).any() else value.astype(np.bool_), empty=empty, dtype="bool"
    )


def _as_text(
    name: str, codes: NDArray[np.int64], texts: Sequence[str], empty: NDArray[np.bool_] | None
) -> Column:
    return Column(name, codes.astype(np.int32), labels=tuple(texts), dtype="text", empty=empty)


def _judge_cells(
    name: str,
    codes: NDArray[np.int64],
    texts: Sequence[str],
    unlike: Sequence[int],
    decimal: str,
    place: Callable[[int], str],
    judged: Judged,
) -> None:
    """Refuse cells that start like a number and do not end like one; take words as missing, and say so."""
    broken = [c for c in unlike if cell_kinds.kind(texts[c], decimal) == "broken"]
    for code in broken[:10]:
        row = int(np.argmax(codes == code))
        judged.problems.append(
            Problem(
                f"a cell of column {name!r} starts like a number and does not end like one",
                place(row),
                texts[code][:60],
                f"correct the cell, or choose another delimiter or decimal mark ({decimal!r} is in use)",
            )
        )
    said_broken = set(broken)
    words = [c for c in unlike if c not in said_broken]
    rows = np.flatnonzero(np.isin(codes, words)) if words else np.zeros(0, np.int64)
    if rows.size:
        said = ", ".join(repr(texts[c][:20]) for c in words[:3])
        where = ", ".join(place(int(row)) for row in rows[:3])
        what = f"column {name!r} of numbers holds words: {said}"
        note = warned("words-among-numbers", what, where, int(rows.size), "taken as missing")
        judged.notes.append(note)
