"""Isaac Lab's recorder: robomimic's groups with states and initial_state as trees, and no reward or done.

Row t of obs/… is what the policy saw before action t; row t of states/… is the state after it. Joint
positions in obs are often relative to the default pose, those in states never.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tracescope.model.progress import Progress
from tracescope.model.trace import HealthNote, Role, Samples
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_demos import demo_groups, demo_table, first_demo
from tracescope.readers.hdf5_episodes import (
    BEFORE,
    EpisodeGroup,
    Layout,
    json_attribute,
    layout_reader,
    phased,
)
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.notes import noticed
from tracescope.readers.table import Table

_ENV_TYPE = 2
_CLOSE = 1e-4


def recognise(seen: Outline) -> Claim | None:
    """Claim demos whose states are trees of articulations and rigid objects."""
    demo = first_demo(seen)
    if not demo or demo == "data":
        return None
    found = [name for name in ("initial_state", "states") if seen.group(f"{demo}/{name}")]
    if not found:
        return None
    return Claim(0.9, f"demos have {' and '.join(found)} as trees, as Isaac Lab records")


def role_of(path: str) -> tuple[Role | None, str]:
    """Say what a dataset of a demo is."""
    head, _, tail = path.partition("/")
    if path.startswith("obs/actions") or tail.rsplit("/", 1)[-1] in {"last_action", "actions"}:
        return Role.OTHER, "the previous action, seen by the policy"
    if head == "obs":
        generated = tail.startswith("datagen_info")
        return (
            (Role.OTHER, "for data generation") if generated else (Role.OBSERVATION, "below obs/")
        )
    known: dict[str, tuple[Role, str]] = {
        "actions": (Role.ACTION, "the layout's actions"),
        "processed_actions": (Role.ACTION_APPLIED, "actions as the action terms processed them"),
        "states": (Role.OTHER, "absolute state after the step"),
    }
    return known.get(head, (None, ""))


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read one demo."""
    found = demo_table(file, episode, source, progress, role_of)
    phased(found, BEFORE, "Isaac Lab records obs before the step; row t of states is after step t")
    env_args = json_attribute(file["data"], "env_args")
    if env_args.get("type") == _ENV_TYPE:
        found.metadata = (*found.metadata, ("environment type", "2 (Isaac Lab)"))
    found.health += relative_joints(found)
    return found


def relative_joints(table: Table) -> list[HealthNote]:
    """Compare joint positions seen by the policy with the absolute ones that follow from the states."""
    vectors: dict[str, list[Samples]] = {}
    for column in table.columns:
        if column.column.rsplit("/", 1)[-1].startswith(("joint_pos", "joint_position")):
            value = np.asarray(column.value, dtype=np.float64)
            vectors.setdefault(column.column, []).append(value)
    stacked = {name: np.stack(parts, axis=1) for name, parts in vectors.items()}
    states = {name: v for name, v in stacked.items() if name.startswith("states/")}
    notes = []
    for name, seen in stacked.items():
        for state, truth in states.items():
            if name.startswith("obs/") and seen.shape == truth.shape and len(seen) > 2:
                text = _relation(seen, truth)
                notes += [noticed("joint-frame", f"{name} {text} {state}", name)] if text else []
    return notes


def _relation(seen: Samples, truth: Samples) -> str:
    """Say how row t of ``seen`` stands to row t − 1 of ``truth``, shapes ``(n, joints)``; ``""``: not at all."""
    gap = seen[1:] - truth[:-1]
    if float(np.ptp(gap, axis=0).max(initial=0.0)) > _CLOSE:
        return ""
    offset = gap.mean(axis=0)
    if np.abs(offset).max(initial=0.0) <= _CLOSE:
        return "is absolute: it equals, one row later,"
    shown = ", ".join(f"{-v:.4g}" for v in offset[:12])
    return f"is relative to a default pose ({shown}), not absolute like"


READER = layout_reader(Layout("isaaclab", "Isaac Lab", recognise, demo_groups, table))
