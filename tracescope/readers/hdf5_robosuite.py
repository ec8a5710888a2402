"""robosuite's raw demonstrations: ``data/demo_<i>`` with states and actions alone.

As robosuite/scripts/collect_human_demonstrations.py writes them: only successful episodes, each state
recorded after its action, states flattened as (time, positions, velocities).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tracescope.model.progress import Progress
from tracescope.model.trace import Role
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_demos import demo_groups, demo_table, first_demo
from tracescope.readers.hdf5_episodes import AFTER, EpisodeGroup, Layout, layout_reader, phased
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.notes import noticed
from tracescope.readers.table import Table


def recognise(seen: Outline) -> Claim | None:
    """Claim demos of states and actions, with robosuite's attributes."""
    demo = first_demo(seen)
    marks = seen.attrs("data") & {"repository_version", "env_info", "env"}
    if not demo or not marks or seen.group(f"{demo}/obs") or "env_args" in seen.attrs("data"):
        return None
    if demo != "data" and seen.dataset(f"{demo}/states") is None:
        return None
    return Claim(0.9, f"data has {', '.join(sorted(marks))}; demos hold states and actions alone")


def role_of(path: str) -> tuple[Role | None, str]:
    """Say what a dataset of a demo is."""
    head = path.split("/", 1)[0]
    if head == "states":
        return Role.OBSERVATION, "the file has no obs: the simulator's state is what was measured"
    return (Role.ACTION, "the layout's actions") if head == "actions" else (None, "")


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read one demo."""
    found = demo_table(file, episode, source, progress, role_of)
    phased(found, AFTER, "robosuite records the state after the action of the same row")
    what = "robosuite writes successful episodes only: a failed one cannot come from this file"
    found.health.append(noticed("successes-only", what))
    clock = next((c for c in found.columns if c.name == "states[0]"), None)
    if clock is not None and clock.value.size > 2:
        steps = np.diff(np.asarray(clock.value, dtype=np.float64))
        if steps.min() > 0 and np.ptp(steps) < 1e-6 + 1e-3 * steps.mean():
            clock.role, clock.role_because = Role.OTHER, "it counts evenly: the simulator's time"
            what = (
                f"states[0] counts evenly by {steps.mean():.6g}: it looks like the simulator's time"
            )
            done = "not used; choose it as the time column to use it"
            found.health.append(noticed("clock-in-state", what, "states[0]", 1, done))
    return found


READER = layout_reader(Layout("robosuite", "robosuite, raw", recognise, demo_groups, table))
