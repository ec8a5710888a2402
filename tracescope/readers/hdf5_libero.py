"""LIBERO: robomimic's groups, but each observation was taken after the action of its row.

As scripts/create_dataset.py of LIBERO writes them: rewards and dones are made up (0, and 1 on the last row),
the first steps are cut away.
"""

from __future__ import annotations

from typing import Any

from tracescope.model.progress import Progress
from tracescope.model.trace import Role
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_demos import demo_groups, demo_table, first_demo
from tracescope.readers.hdf5_episodes import AFTER, EpisodeGroup, Layout, layout_reader, phased
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.notes import warned
from tracescope.readers.table import Table


def recognise(seen: Outline) -> Claim | None:
    """Claim demos with LIBERO's attributes."""
    marks = seen.attrs("data") & {"problem_info", "bddl_file_name", "bddl_file_content"}
    if not first_demo(seen) or not marks:
        return None
    return Claim(0.95, f"data has {', '.join(sorted(marks))}, as LIBERO writes")


def role_of(path: str) -> tuple[Role | None, str]:
    """Say what a dataset of a demo is."""
    made_up = "LIBERO makes it up: 0, and 1 on the last row"
    known: dict[str, tuple[Role, str]] = {
        "obs": (Role.OBSERVATION, "below obs/"),
        "actions": (Role.ACTION, "the layout's actions"),
        "rewards": (Role.OTHER, made_up),
        "dones": (Role.OTHER, made_up),
        "states": (Role.OTHER, "flattened state of the simulator"),
        "robot_states": (Role.OTHER, "state of the robot in the simulator's own form"),
    }
    return known.get(path.split("/", 1)[0], (None, ""))


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read one demo; a reward or done that was not made up after all keeps its meaning."""
    found = demo_table(file, episode, source, progress, role_of)
    phased(found, AFTER, "LIBERO observes after the action of the same row: against logs that observe"
                         " before it, that is one control period")  # fmt: skip
    made_up = []
    for column in found.columns:
        if column.name in {"rewards", "dones"}:
            if column.value.size and not column.value[:-1].any():
                made_up.append(column.name)
            else:
                role = Role.REWARD if column.name == "rewards" else Role.DONE
                column.role, column.role_because = role, f"the layout's {column.name}"
    if made_up:
        what = f"{' and '.join(made_up)} are 0 but for the last row, as LIBERO makes them up"
        done = "kept as other: they tell neither reward nor termination"
        found.health.append(warned("done-fabricated", what, ", ".join(made_up), len(made_up), done))
    return found


READER = layout_reader(Layout("libero", "LIBERO", recognise, demo_groups, table))
