"""ManiSkill: ``traj_<id>`` groups, one observation more than actions, described in a JSON file beside them.

As docs/source/user_guide/datasets/demos.md of ManiSkill says. In files recorded without observations the
simulator's states are all that was measured.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tracescope.model.progress import Progress
from tracescope.model.trace import Role
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_episodes import (
    BEFORE,
    EpisodeGroup,
    Layout,
    children,
    extra_rows,
    in_folder,
    json_file,
    layout_reader,
    phased,
    rows_in,
)
from tracescope.readers.hdf5_groups import RoleOf, group_table
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.table import Table

_TRAJECTORY = re.compile(r"traj_\d+")


def recognise(seen: Outline) -> Claim | None:
    """Claim groups ``traj_<id>`` with actions."""
    for name in seen.members(""):
        if _TRAJECTORY.fullmatch(name) and f"{name}/actions" in seen.nodes:
            return Claim(0.9, f"it has {name} with actions, as ManiSkill writes")
    return None


def groups(file: Any) -> list[EpisodeGroup]:
    """List the trajectories."""
    import h5py

    found = []
    for name, node in children(file):
        if isinstance(node, h5py.Group) and _TRAJECTORY.fullmatch(name):
            steps = rows_in(node, "actions", "terminated", "truncated")
            found.append(EpisodeGroup(name, steps, "" if steps else "no actions"))
    return found


def _role_of(*, has_obs: bool) -> RoleOf:
    known: dict[str, tuple[Role, str]] = {
        "obs": (Role.OBSERVATION, "the layout's obs"),
        "actions": (Role.ACTION, "the layout's actions"),
        "rewards": (Role.REWARD, "the layout's rewards"),
        "terminated": (Role.TERMINATED, "the layout's terminated"),
        "truncated": (Role.TRUNCATED, "the layout's truncated"),
        "success": (Role.OTHER, "whether the task was solved"),
        "fail": (Role.OTHER, "whether the task was failed"),
        "env_states": (Role.OTHER, "state of the simulator"),
    }
    if not has_obs:
        why = "recorded without observations: the simulator's state is what was measured"
        known["env_states"] = known["env_state"] = (Role.OBSERVATION, why)

    def role_of(path: str) -> tuple[Role | None, str]:
        return known.get(path.split("/", 1)[0], (None, ""))

    return role_of


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read one trajectory."""
    group = file[episode.key]
    obs = group.get("obs")
    has_obs = obs is not None and bool(len(obs))
    found = group_table(group, source, progress, _role_of(has_obs=has_obs), episode.steps)
    phased(found, BEFORE, "action t was taken from observation t; observation t + 1 follows it")
    extra_rows(found)
    return found


def described_file(folder: Path) -> Path | None:
    """Return the only HDF5 file of a folder that a JSON file of the same name describes."""
    try:
        found = [p for p in sorted(folder.iterdir()) if p.suffix in {".h5", ".hdf5"}]
    except OSError:
        return None
    described = [p for p in found if p.with_suffix(".json").is_file()]
    return described[0] if len(described) == 1 else None


def beside(file: Path) -> tuple[tuple[str, str], ...]:
    """Return what the JSON file beside the data says about the environment and its control."""
    about = json_file(file.with_suffix(".json"))
    info = about.get("env_info")
    info = info if isinstance(info, dict) else {}
    runs = about.get("episodes")
    modes = {str(r["control_mode"]) for r in runs if isinstance(r, dict) and "control_mode" in r} if (
        isinstance(runs, list)
    ) else set()  # fmt: skip
    wanted = ("env_id", "max_episode_steps", "env_kwargs")
    found = [(key, str(info[key])[:2000]) for key in wanted if info.get(key) is not None]
    return (*found, *([("control_mode", ", ".join(sorted(modes)))] if modes else []))


READER = layout_reader(Layout("maniskill", "ManiSkill", recognise, groups, table))
FOLDER_READER = in_folder(READER, described_file, beside)
