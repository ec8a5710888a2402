"""Nested values (JSON, messages) as columns: every numeric leaf is a column, called by its path."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tracescope.model.trace import HealthNote, Role
from tracescope.readers.notes import noticed, warned
from tracescope.readers.table import Column, text_column

MOST_LEAVES = 4096
"""A row with more leaves is an image or a map, not signals."""

_DEEPEST = 32

Leaf = bool | int | float | str | None


def leaves(value: Any, path: str = "", depth: int = 0) -> dict[str, Leaf]:
    """Return path → leaf of a nested value: ``a.b``, ``a[0]``.

    Raises:
        ValueError: where it is nested too deep, or has too many leaves.
    """
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(value, Mapping):
        items = [(f"{path}.{key}" if path else str(key), inner) for key, inner in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        items = [(f"{path}[{i}]", inner) for i, inner in enumerate(value)]
    else:
        return {path: value if isinstance(value, bool | int | float | str) else None}
    out: dict[str, Leaf] = {}
    for name, inner in items:
        out.update(leaves(inner, name, depth + 1))
        if len(out) > MOST_LEAVES:
            raise ValueError(f"more than {MOST_LEAVES} values a row")
    return out


def columns_of_rows(
    rows: Sequence[Mapping[str, Leaf]], notes: list[HealthNote], prefix: str = ""
) -> list[Column]:
    """Return a column a leaf, in order of first appearance; what a row lacks is empty.

    Args:
        rows: One mapping a row.
        notes: Takes what was noticed.
        prefix: Stands before every name.
    """
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    columns = []
    vectors = {name.partition("[")[0] for name in names if "[" in name}
    for name in names:
        cells = [row.get(name) for row in rows]
        if name in vectors and all(cell is None for cell in cells):
            continue  # a null in place of a whole vector
        column = column_of(f"{prefix}{name}", cells, notes)
        if column is not None:
            columns.append(column)
    return columns


def column_of(name: str, cells: Sequence[Leaf], notes: list[HealthNote]) -> Column | None:
    """Return cells of one kind as a column; ``None`` where there is nothing in them.

    Integers stay exact where all fit int64; numbers among texts stay numbers only where all texts are
    spellings of NaN or infinity.
    """
    given = [cell for cell in cells if cell is not None]
    if not given:
        notes.append(noticed("empty-channels", f"{name} is null in every row", name, 1, "left out"))
        return None
    base, index = _vector(name)
    if any(isinstance(cell, str) for cell in given):
        numbers = _spelt(cells)
        if numbers is None:
            texts = ["" if cell is None else str(cell) for cell in cells]
            return text_column(name, texts, column=base, index=index)
        cells, given = numbers, [n for n in numbers if n is not None]
    if cells[-1] is None and len(given) == len(cells) - 1:
        cells = given  # no action was taken after the last observation: one row shorter
    empty = np.fromiter((cell is None for cell in cells), bool, len(cells))
    value = _numbers(cells, given, whole=not empty.any())
    return Column(name, value, base, index, empty=empty if empty.any() else None)


def _vector(name: str) -> tuple[str, int | None]:
    head, _, tail = name.rpartition("[")
    inner = tail[:-1]
    if head and tail.endswith("]") and inner.isdecimal() and "[" not in head:
        return head, int(inner)
    return name, None


def _numbers(cells: Sequence[Leaf], given: Sequence[Leaf], *, whole: bool) -> Any:
    if whole and all(isinstance(cell, bool) for cell in given):
        return np.array(cells, dtype=bool)
    integers = all(isinstance(cell, int) for cell in given)
    if whole and integers and all(-(2**63) <= int(c) < 2**63 for c in given):  # type: ignore[arg-type]
        return np.array([int(c) for c in cells], dtype=np.int64)  # type: ignore[arg-type]
    return np.array([_float(cell) for cell in cells], dtype=np.float64)


def _float(cell: Leaf) -> float:
    if cell is None:
        return float("nan")
    try:
        return float(cell)
    except OverflowError:
        return float("inf") if isinstance(cell, int) and cell > 0 else float("-inf")


_SPELT = {"nan", "inf", "-inf", "infinity", "-infinity", "+inf"}


def _spelt(cells: Sequence[Leaf]) -> list[Leaf] | None:
    """Return cells with texts such as ``"NaN"`` as numbers; ``None`` where a text is anything else."""
    out: list[Leaf] = []
    numbers = False
    for cell in cells:
        if isinstance(cell, str):
            if cell.strip().lower() not in _SPELT:
                return None
            out.append(float(cell))
        else:
            numbers |= cell is not None
            out.append(cell)
    return out if numbers else None


def columns_of_texts(
    name: str, cells: Sequence[str], notes: list[HealthNote], role: Role, because: str
) -> list[Column]:
    """Return the leaves of a JSON text a row as columns ``name/leaf``; broken texts are counted."""
    rows: list[dict[str, Leaf]] = []
    broken = 0
    for cell in cells:
        try:
            rows.append(leaves(json.loads(cell)) if cell.strip() else {})
        except (ValueError, RecursionError):
            rows.append({})
            broken += 1
    if broken:
        what = f"{broken} of {len(cells)} texts of {name} are no JSON, or hold no signals"
        notes.append(warned("broken-json", what, name, broken, "left empty"))
    columns = columns_of_rows(rows, notes, f"{name}/")
    for column in columns:
        column.role, column.role_because = role, because
    return columns
