"""robomimic: ``data/demo_<i>`` with actions, obs/…, next_obs/…, rewards and dones.

Names as in robomimic's dataset documentation (docs/datasets/overview.md).
"""

from __future__ import annotations

from typing import Any

from tracescope.model.progress import Progress
from tracescope.model.trace import Role
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_demos import demo_groups, demo_table, first_demo
from tracescope.readers.hdf5_episodes import (
    BEFORE,
    EpisodeGroup,
    Layout,
    extra_rows,
    layout_reader,
    lone_last_done,
    phased,
)
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.table import Table


def recognise(seen: Outline) -> Claim | None:
    """Claim ``data/<demo>/actions``; kin with marks of their own claim more."""
    demo = first_demo(seen)
    if not demo:
        return None
    what = (
        "groups data/… with actions"
        if demo != "data"
        else "a group data with env_args, and no demo"
    )
    return Claim(0.7, f"it has {what}, as robomimic writes")


def role_of(path: str) -> tuple[Role | None, str]:
    """Say what a dataset of a demo is."""
    head, _, tail = path.partition("/")
    if head == "obs" and "datagen_info" not in tail:
        return Role.OBSERVATION, "below obs/"
    known: dict[str, tuple[Role, str]] = {
        "actions": (Role.ACTION, "the layout's actions"),
        "rewards": (Role.REWARD, "the layout's rewards"),
        "dones": (Role.DONE, "the layout's dones"),
        "next_obs": (Role.OTHER, "the next row's observation"),
        "states": (Role.OTHER, "flattened state of the simulator"),
    }
    if head.startswith("actions_") or head == "action_dict":
        return Role.OTHER, "another form of the actions"
    return known.get(head, (None, ""))


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read one demo."""
    found = demo_table(file, episode, source, progress, role_of)
    phased(found, BEFORE, "robomimic pairs obs with the action taken from it; next_obs follows")
    extra_rows(found)
    done = lone_last_done(found.columns)
    found.health += [done] if done else []
    return found


READER = layout_reader(Layout("robomimic", "robomimic", recognise, demo_groups, table))
