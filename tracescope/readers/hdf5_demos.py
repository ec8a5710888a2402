"""What layouts with ``data/demo_<i>`` groups (robomimic and its kin) have in common."""

from __future__ import annotations

import json
from typing import Any

from tracescope.model.progress import Progress
from tracescope.readers.hdf5_episodes import (
    EpisodeGroup,
    attribute,
    children,
    json_attribute,
    rows_in,
)
from tracescope.readers.hdf5_groups import RoleOf, group_table
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.hdf5_tools import attributes, own_node
from tracescope.readers.rates import control_rate
from tracescope.readers.table import Table

_JSON = ("env_args", "env_info", "problem_info")


def first_demo(seen: Outline) -> str:
    """Return the path of the first episode group with actions, ``"data"`` where there is none, else ``""``."""
    if seen.group("data") is None:
        return ""
    for name in seen.members("data"):
        if seen.dataset(f"data/{name}/actions") is not None:
            return f"data/{name}"
    has_mark = seen.attrs("data") & {"env_args", "total", "env_info", "env", "num_demos"}
    return "data" if has_mark else ""


def demo_groups(file: Any) -> list[EpisodeGroup]:
    """List the groups below ``data``."""
    import h5py

    found = []
    data = own_node(file, "data")
    for name, node in children(data):
        if not isinstance(node, h5py.Group):
            continue
        steps = rows_in(node, "actions", "states")
        success = attribute(node, "success")
        note = f"success: {success}" if success else ""
        found.append(EpisodeGroup(f"data/{name}", steps, note if steps else "no actions"))
    return found


def demo_table(
    file: Any, episode: EpisodeGroup, source: str, progress: Progress, role_of: RoleOf
) -> Table:
    """Read one demo; attributes of ``data`` and the control rate in its JSON are added."""

    def aside(path: str) -> bool:
        return path.startswith("initial_state/")

    group, data = file[episode.key], file["data"]
    table = group_table(group, source, progress, role_of, episode.steps, aside)
    table.metadata = (*table.metadata, *attributes(data), *_masks(file, episode.key))
    for key in _JSON:
        found = control_rate(json_attribute(data, key), key)
        if found is not None:
            table.rate_hz, table.rate_because = found
            break
    return table


def _masks(file: Any, key: str) -> list[tuple[str, str]]:
    """Return which of the file's named selections an episode is in."""
    mask = own_node(file, "mask")
    name = key.rsplit("/", 1)[-1]
    inside = []
    for label, node in [] if mask is None else children(mask):
        shape = getattr(node, "shape", None)
        if shape and len(shape) == 1 and shape[0] < 1_000_000 and node.dtype.kind in "SO":
            texts = {
                v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in node[()]
            }
            inside += [label] if name in texts else []
    return [("mask", json.dumps(inside))] if inside else []
