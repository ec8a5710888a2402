"""Minari: ``episode_<i>`` groups; observations have one row more than actions.

As minari's HDF5 storage writes them (0.4 to 0.5): Dict spaces are groups, Tuple spaces ``_index_<i>``;
infos are a group of arrays, or in newer versions a JSON text a step.
"""

from __future__ import annotations

import json
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
from tracescope.readers.hdf5_groups import group_table
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.hdf5_tools import text_of, values_of
from tracescope.readers.json_columns import columns_of_texts
from tracescope.readers.table import Table

_FILE = "main_data.hdf5"
_EPISODE = re.compile(r"episode_\d+")


def recognise(seen: Outline) -> Claim | None:
    """Claim groups ``episode_<i>`` with observations and actions."""
    for name in seen.members(""):
        needed = (f"{name}/observations", f"{name}/actions", f"{name}/rewards")
        if _EPISODE.fullmatch(name) and all(path in seen.nodes for path in needed):
            what = f"it has {name} with observations, actions and rewards"
            return Claim(0.9, f"{what}, as Minari writes")
    return None


def groups(file: Any) -> list[EpisodeGroup]:
    """List the episodes."""
    import h5py

    found = []
    for name, node in children(file):
        if isinstance(node, h5py.Group) and _EPISODE.fullmatch(name):
            steps = rows_in(node, "rewards", "terminations", "truncations")
            found.append(EpisodeGroup(name, steps, "" if steps else "no rewards"))
    return found


def role_of(path: str) -> tuple[Role | None, str]:
    """Say what a dataset of an episode is."""
    known: dict[str, tuple[Role, str]] = {
        "observations": (Role.OBSERVATION, "the layout's observations"),
        "actions": (Role.ACTION, "the layout's actions"),
        "rewards": (Role.REWARD, "the layout's rewards"),
        "terminations": (Role.TERMINATED, "the layout's terminations"),
        "truncations": (Role.TRUNCATED, "the layout's truncations"),
        "infos": (Role.OTHER, "below infos/"),
    }
    return known.get(path.split("/", 1)[0], (None, ""))


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read one episode."""
    group = file[episode.key]

    def aside(path: str) -> bool:
        return path == "infos"  # as JSON texts; a group of arrays is infos/…

    found = group_table(group, source, progress, role_of, episode.steps, aside)
    texts = group.get("infos") if "infos" in group else None
    if getattr(texts, "shape", None):
        cells = [text_of(cell) for cell in values_of(file, f"{episode.key}/infos").ravel().tolist()]
        found.columns += columns_of_texts("infos", cells, found.health, Role.OTHER, "below infos/")
    phased(found, BEFORE, "action t was taken from observation t; observation t + 1 follows it")
    extra_rows(found)
    return found


def main_file(folder: Path) -> Path | None:
    """Return the data file of a Minari dataset's folder."""
    for place in (folder / "data" / _FILE, folder / _FILE):
        if place.is_file():
            return place
    return None


def beside(file: Path) -> tuple[tuple[str, str], ...]:
    """Return what metadata.json beside the data says: the environment, its spaces and its step limit."""
    found = json_file(file.parent / "metadata.json")
    spec = found.get("env_spec")
    try:
        spec = json.loads(spec) if isinstance(spec, str) else spec
    except (ValueError, RecursionError):
        spec = None
    if isinstance(spec, dict):
        found["max_episode_steps"] = spec.get("max_episode_steps")
    wanted = ("dataset_id", "minari_version", "algorithm_name", "observation_space", "action_space",
              "max_episode_steps", "env_spec")  # fmt: skip
    return tuple((key, str(found[key])[:2000]) for key in wanted if found.get(key) is not None)


READER = layout_reader(Layout("minari", "Minari", recognise, groups, table))
FOLDER_READER = in_folder(READER, main_file, beside)
