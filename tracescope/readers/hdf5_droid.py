"""DROID: nested observation/… and action/…, the same action in several spaces, a stamp a source.

As droid/trajectory_utils/trajectory_writer.py writes them. Stamps are milliseconds since 1970.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tracescope.model.progress import Progress
from tracescope.model.trace import Role
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_columns import walk
from tracescope.readers.hdf5_episodes import (
    BEFORE,
    EpisodeGroup,
    Layout,
    attribute,
    extra_rows,
    layout_reader,
    phased,
)
from tracescope.readers.hdf5_groups import RoleOf, common_rows, group_table
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.notes import noticed, warned
from tracescope.readers.table import Column, Table

_SPACES = ("joint_position", "joint_velocity", "cartesian_position", "cartesian_velocity")
"""Action spaces, in order of preference as *the* action: what compares best with measured joints first."""

_CLOCKS = (
    "observation/timestamp/robot_state/read_start",
    "observation/timestamp/control/step_start",
    "observation/timestamp/robot_state/read_end",
)
_EPOCH_MS = (946_684_800_000, 4_102_444_800_000)


def recognise(seen: Outline) -> Claim | None:
    """Claim files with observation/robot_state and action groups at the root."""
    if seen.group("observation/robot_state") is None or seen.group("action") is None:
        return None
    return Claim(0.9, "it has groups observation/robot_state and action, as DROID writes")


def groups(file: Any) -> list[EpisodeGroup]:
    """Return the one episode of the file."""
    rows = common_rows(walk(file["action"])) or 0
    said = [f"{key}: {attribute(file, key)}" for key in ("success", "failure") if key in file.attrs]
    return [EpisodeGroup("", rows, ", ".join(said))]


def _role_of(space: str) -> RoleOf:
    def role_of(path: str) -> tuple[Role | None, str]:
        if path.startswith("action/"):
            name = path.split("/")[1]
            if name in {space, "gripper_position"}:
                return Role.ACTION, f"the action in the space {name}"
            return Role.OTHER, "the same action in another space"
        if path.startswith("observation/robot_state/"):
            return Role.OBSERVATION, "below observation/robot_state/"
        return Role.OTHER, "about the recording"

    return role_of


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read the trajectory."""
    spaces = [name for name in _SPACES if name in file["action"]]
    space = spaces[0] if spaces else next(iter(file["action"]), "")
    found = group_table(file, source, progress, _role_of(space), episode.steps)
    phased(found, BEFORE, "DROID reads the robot, then records the action taken")
    extra_rows(found)
    _stamp(found.columns)
    if len(spaces) > 1:
        what = f"the action is recorded in {len(spaces)} spaces: {', '.join(spaces)}"
        done = f"{space} is taken as the action; give roles to choose another"
        found.health.append(noticed("action-spaces", what, "action", len(spaces), done))
    _skipped(found)
    return found


def _stamp(columns: list[Column]) -> None:
    """Choose the clock; the stamps of other sources stay channels."""
    by_name = {column.name: column for column in columns}
    for name in _CLOCKS:
        column = by_name.get(name)
        if column is None or column.value.dtype.kind not in "iuf" or not column.value.size:
            continue
        value = np.asarray(column.value)
        whole = value[np.isfinite(value)] if value.dtype.kind == "f" else value
        if not whole.size:
            continue
        if _EPOCH_MS[0] < int(whole.min()) and int(whole.max()) < _EPOCH_MS[1]:
            column.unit, column.role, column.is_clock = "ms", None, True
            return


def _skipped(found: Table) -> None:
    """Note rows that were recorded but whose action was not executed."""
    for column in found.columns:
        if column.name.endswith("controller_info/movement_enabled"):
            rows = np.flatnonzero(np.asarray(column.value) == 0)
            if rows.size:
                what = (
                    f"in {rows.size} rows movement was not enabled: their actions were not executed"
                )
                where = ", ".join(f"row {row}" for row in rows[:5])
                found.health.append(warned("not-executed", what, where, int(rows.size), "kept"))


READER = layout_reader(Layout("droid", "DROID", recognise, groups, table))
