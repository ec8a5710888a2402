"""Several episodes in one table: by an episode column, or where clock and step counter restart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import HealthNote, Samples
from tracescope.model.words import counted
from tracescope.readers.base import RowOrder
from tracescope.readers.roles import words_of
from tracescope.readers.table import Column, Table

Rows = NDArray[np.int64]

_EPISODE_NAMES = {
    "episode", "episode index", "episode id", "ep", "episode number", "traj id", "trajectory id",
    "trajectory", "traj", "rollout", "rollout id", "episode num", "run id",
}  # fmt: skip


def episode_column(columns: list[Column]) -> int | None:
    """Return the number of the column that numbers episodes, or ``None``."""
    for i, column in enumerate(columns):
        if " ".join(words_of(column.name)) in _EPISODE_NAMES and column.first_row == 0:
            return i
    return None


def split_by_column(table: Table, rows: Rows, used: set[int]) -> list[tuple[str, Rows]]:
    """Split rows by the episode column, if there is one that numbers blocks; key: its value."""
    i = episode_column(table.columns)
    if i is None or table.columns[i].value.size != table.rows or not rows.size:
        return [("", rows)]
    column = table.columns[i]
    value = column.value[rows]
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        return [("", rows)]
    starts = np.flatnonzero(value[1:] != value[:-1]) + 1
    if starts.size + 1 > max(1, rows.size // 2) or (starts.size + 1 != np.unique(value).size):
        return [("", rows)]
    if column.labels or value.dtype.kind != "f" or (value == np.floor(value)).all():
        used.add(i)
        parts = np.split(rows, starts)
        if len(parts) == 1:
            return [("", rows)]
        return [(_key(column, part), part) for part in parts]
    return [("", rows)]


def _key(column: Column, part: Rows) -> str:
    value = column.value[part[0]]
    return column.labels[int(value)] if column.labels else str(int(value))


def split_by_resets(
    time_s: Samples, step: NDArray[np.int64] | None, rows: Rows, kind: str
) -> list[Rows]:
    """Split rows where the clock falls back to its start, or the step counter does.

    A single row out of order, or a few, is no restart: the clock must come back to within two intervals
    of where the episode began and stay below where it was for the rows that follow.
    """
    if rows.size < 2:
        return [rows]
    series = time_s[rows] if kind == "stamped" else None
    starts = _restarts(series) if series is not None else np.zeros(0, np.int64)
    if step is not None:
        by_step = _restarts(step[rows].astype(np.float64))
        if series is None:
            starts = by_step
        else:
            back = np.flatnonzero(np.diff(series) < 0) + 1
            starts = np.union1d(starts, np.intersect1d(by_step, back))
    return list(np.split(rows, starts)) if starts.size else [rows]


def _restarts(series: Samples) -> Rows:
    steps = np.diff(series)
    back = np.flatnonzero(steps < 0) + 1
    if not back.size:
        return back
    forward = steps[steps > 0]
    interval = float(np.median(forward)) if forward.size else 0.0
    found = []
    begin = 0
    for at in back.tolist():
        first, before, now = series[begin], series[at - 1], series[at]
        ahead = series[at : at + 4]
        stays = ahead.size >= 2 and bool((ahead < before).all())
        long = before - first > 4 * interval
        if stays and long and now <= first + 2 * interval and before - now > 3 * interval:
            found.append(at)
            begin = at
    return np.array(found, dtype=np.int64)


def in_order(
    table: Table,
    time_s: Samples,
    episodes: list[tuple[str, Rows]],
    order: RowOrder,
    notes: list[HealthNote],
) -> list[tuple[str, Rows]]:
    """Deal with rows that run back in time inside an episode: sort them, keep them, or split there."""
    out: list[tuple[str, Rows]] = []
    for key, rows in episodes:
        back = np.flatnonzero(np.diff(time_s[rows]) < 0) + 1
        if not back.size:
            out.append((key, rows))
            continue
        parts = np.split(rows, back) if order == "split" else [rows]
        if order == "sort":
            parts = [rows[np.argsort(time_s[rows], kind="stable")]]
        done = {"sort": "sorted by time", "rows": "row order kept", "split": "split there"}[order]
        where = ", ".join(table.place(int(row)) for row in rows[back[:5]])
        what = f"{counted(back.size, 'row runs', 'rows run')} back in time"
        notes.append(HealthNote(what, where, int(back.size), done, "repaired", "out-of-order"))
        many = len(parts) > 1
        out += [(f"{key}.{i}".strip(".") if many else key, part) for i, part in enumerate(parts)]
    return out
