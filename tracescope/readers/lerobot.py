"""What LeRobot's episodes need beyond plain Parquet: joint names, and a clock that is no measurement."""

from __future__ import annotations

from typing import Any

import numpy as np

from tracescope.model.trace import Role
from tracescope.readers.hdf5_episodes import BEFORE, phased
from tracescope.readers.notes import noticed
from tracescope.readers.table import Column, Table

MARKS = ("episode_index", "frame_index", "timestamp")
"""Columns that every LeRobot episode has."""

_ROUNDING_S = 2e-4


def is_lerobot(names: list[str]) -> bool:
    """Whether columns are those of LeRobot."""
    return all(mark in names for mark in MARKS)


def settle(table: Table, fps: float | None, because: str = "") -> None:
    """Say the phase, and put rows on a nominal clock where the stamps are only frame numbers over a rate."""
    phased(table, BEFORE, "LeRobot records the observation, then the action taken from it")
    for column in table.columns:
        column.role, column.role_because = _role_of(column.column or column.name)
    by_name = {column.name: column for column in table.columns}
    stamp, frame = by_name.get("timestamp"), by_name.get("frame_index")
    if (
        stamp is None
        or frame is None
        or stamp.value.size < 2
        or frame.value.size != stamp.value.size
    ):
        return
    rate = fps or _implied(stamp, frame)
    if rate is None or not _is_grid(stamp, frame, rate):
        table.rate_hz, table.rate_because = fps, because
        return
    stamp.role, stamp.role_because = Role.OTHER, f"frame_index / {rate:g}, not measured"
    table.rate_hz = rate
    table.rate_because = because or f"timestamp is frame_index / {rate:g} in every row"
    what = (
        f"timestamp is frame_index / {rate:g} in every row: an ideal grid, which never shows jitter"
    )
    table.health.append(noticed("ideal-grid", what, "timestamp", 1, "taken as a nominal clock"))


def _role_of(name: str) -> tuple[Role | None, str]:
    """Say what a feature is; names of joints (``kLeftHandIndex``) must not decide."""
    head = name.split(".", 1)[0]
    if head == "observation":
        return Role.OBSERVATION, "a feature observation.…"
    if head == "action":
        return Role.ACTION, "the feature action"
    return (
        (Role.OTHER, "a number of the dataset") if name in {"index", "task_index"} else (None, "")
    )


def _implied(stamp: Column, frame: Column) -> float | None:
    time_s, number = np.asarray(stamp.value, np.float64), np.asarray(frame.value, np.float64)
    span = time_s[-1] - time_s[0]
    if not np.isfinite(span) or span <= 0 or number[-1] <= number[0]:
        return None
    rate = float((number[-1] - number[0]) / span)
    return float(round(rate)) if abs(rate - round(rate)) < 1e-3 * rate and rate >= 1 else rate


def _is_grid(stamp: Column, frame: Column, rate: float) -> bool:
    time_s, number = np.asarray(stamp.value, np.float64), np.asarray(frame.value, np.float64)
    error = np.abs((time_s - time_s[0]) - (number - number[0]) / rate)
    return bool(np.isfinite(error).all() and error.max() < _ROUNDING_S)


def name_elements(table: Table, features: Any) -> None:
    """Name the elements of vectors as info.json does: ``[..]``, ``[[..]]`` or ``{"motors": [..]}``."""
    if not isinstance(features, dict):
        return
    width: dict[str, int] = {}
    for column in table.columns:
        if column.index is not None:
            width[column.column] = width.get(column.column, 0) + 1
    taken = {column.name for column in table.columns}
    for column in table.columns:
        feature = features.get(column.column)
        names = flat_names(feature.get("names")) if isinstance(feature, dict) else []
        if column.index is None or len(names) != width[column.column]:
            continue
        name = f"{column.column}/{names[column.index]}"
        if len(set(names)) == len(names) and name not in taken:
            column.name = name


def flat_names(names: Any) -> list[str]:
    """Return names whatever nest they stand in."""
    if isinstance(names, dict):
        if names and all(isinstance(v, int) for v in names.values()):
            return sorted(names, key=lambda key: names[key])
        return [name for inner in names.values() for name in flat_names(inner)]
    if isinstance(names, list):
        return [
            n
            for part in names
            for n in (flat_names(part) if isinstance(part, list | dict) else [str(part)])
        ]
    return []
