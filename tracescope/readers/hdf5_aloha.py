"""ALOHA and ACT: one episode a file, action beside observations/{qpos,qvel,effort,images}.

As record_sim_episodes.py (ACT) and record_episodes.py (ALOHA) write them; with ``compress`` images are JPEG
bytes padded with zeros to the longest frame of all cameras, and ``compress_len`` holds the true lengths.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.progress import Progress
from tracescope.model.trace import FrameStack, Role
from tracescope.readers.base import Claim
from tracescope.readers.hdf5_columns import encoded_kind, padded_stack
from tracescope.readers.hdf5_episodes import (
    BEFORE,
    EpisodeGroup,
    Layout,
    extra_rows,
    layout_reader,
    phased,
    rows_in,
)
from tracescope.readers.hdf5_groups import group_table
from tracescope.readers.hdf5_outline import Outline
from tracescope.readers.hdf5_tools import own_node, values_of
from tracescope.readers.notes import noticed, warned
from tracescope.readers.table import Table

_IMAGES = "observations/images"
_ARM = 7
"""Six joints in radians and a gripper that is normalised."""


def recognise(seen: Outline) -> Claim | None:
    """Claim files with action and observations/qpos at the root."""
    if seen.dataset("action") is None or seen.dataset("observations/qpos") is None:
        return None
    return Claim(0.9, "it has action and observations/qpos at its root, as ALOHA and ACT write")


def groups(file: Any) -> list[EpisodeGroup]:
    """Return the one episode of the file."""
    return [EpisodeGroup("", rows_in(file, "action"))]


def role_of(path: str) -> tuple[Role | None, str]:
    """Say what a dataset is."""
    known: dict[str, tuple[Role, str]] = {
        "action": (Role.ACTION, "position of the leader arm: what was commanded"),
        "base_action": (Role.ACTION, "command of the mobile base"),
        "observations": (Role.OBSERVATION, "measured on the follower arm"),
    }
    return known.get(path.split("/", 1)[0], (None, ""))


def table(file: Any, episode: EpisodeGroup, source: str, progress: Progress) -> Table:
    """Read the episode."""

    def aside(path: str) -> bool:
        return path == "compress_len" or _is_packed(file, path)

    found = group_table(file, source, progress, role_of, episode.steps, aside)
    found.frames = (*found.frames, *_packed(file, source, found))
    phased(found, BEFORE, "ALOHA records the observation, then the action taken from it")
    extra_rows(found)
    width = sum(c.column == "action" for c in found.columns)
    if width and width % _ARM == 0:
        grippers = ", ".join(f"action[{i}]" for i in range(_ARM - 1, width, _ARM))
        what = "arms are six joints in radians and a normalised gripper: one vector of two units"
        found.health.append(noticed("mixed-units", what, grippers, width // _ARM))
    return found


def _is_packed(file: Any, path: str) -> bool:
    node = own_node(file, path) if path.startswith(f"{_IMAGES}/") else None
    return len(getattr(node, "shape", None) or ()) == 2


def _packed(file: Any, source: str, found: Table) -> list[FrameStack]:
    """Return the cameras whose images are JPEG bytes; each finds its own row of lengths."""
    images = own_node(file, _IMAGES)
    if images is None:
        return []
    stacks, lost = [], []
    lengths = values_of(file, "compress_len")
    for name in images:
        if not _is_packed(file, f"{_IMAGES}/{name}"):
            continue
        node = own_node(file, f"{_IMAGES}/{name}")
        stack = padded_stack(f"{_IMAGES}/{name}", source, node)
        if stack is None:
            lost.append(f"{_IMAGES}/{name}")
            continue
        stacks.append(replace(stack, lengths=_own_lengths(node, lengths)))
    if lost:
        what = f"{len(lost)} cameras hold bytes that are no pictures"
        found.health.append(warned("frames-left-out", what, ", ".join(lost), len(lost), "left out"))
    return stacks


def _own_lengths(node: Any, lengths: Any) -> NDArray[np.int64] | None:
    """Return the row of ``compress_len`` that fits a camera: where its pictures end and only zeros follow.

    The order of cameras is not in the file, so it is found from the pictures. ``None``: no row fits, and the
    zeros behind a picture do no harm.
    """
    if (
        not isinstance(lengths, np.ndarray)
        or lengths.ndim != 2
        or lengths.shape[1] != node.shape[0]
    ):
        return None
    if not np.isfinite(lengths).all() or lengths.min() < 4 or lengths.max() > node.shape[1]:
        return None
    probe = sorted({0, node.shape[0] // 2, node.shape[0] - 1})
    fits = np.ones(len(lengths), dtype=bool)
    for row in probe:
        picture = np.asarray(node[row])
        for camera, end in enumerate(lengths[:, row].astype(np.int64)):
            inside = encoded_kind(picture[:end].tobytes()) is not None and picture[end - 1] != 0
            fits[camera] &= bool(inside and not picture[end:].any())
    which = np.flatnonzero(fits)
    return lengths[which[0]].astype(np.int64) if which.size else None


READER = layout_reader(Layout("aloha", "ALOHA / ACT", recognise, groups, table))
