"""D4RL's flat files: observations, actions, rewards, terminals at the root, many episodes one after another.

An episode ends with the row that is flagged terminal or timed out; the row after it begins the next one, so
what follows across that border is no transition.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Role, Trace
from tracescope.readers.assemble import Placed, episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_episodes import BEFORE, lone_last_done, phased, rows_in
from tracescope.readers.hdf5_groups import group_table, scalar_text
from tracescope.readers.hdf5_outline import outline
from tracescope.readers.hdf5_tools import open_hdf5
from tracescope.readers.notes import noticed, repaired, warned
from tracescope.readers.table import Column, Table

_FLAGS = ("terminals", "timeouts")


def claims(head: FileHead) -> Claim | None:
    """Claim flat files with observations, actions and a flag that ends episodes."""
    seen = outline(head)
    if seen is None:
        return None
    flags = [name for name in _FLAGS if seen.dataset(name) is not None]
    if not flags or any(seen.dataset(name) is None for name in ("observations", "actions")):
        return None
    return Claim(
        0.85, f"it has observations, actions and {' and '.join(flags)} at its root, as D4RL"
    )


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes."""
    return episode_infos(_placed(path, choices, silent))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode."""
    return trace_of(_placed(path, choices, progress), choices, episode)


def read_many(
    path: Path, keys: tuple[str, ...], choices: ImportChoices, progress: Progress = silent
) -> tuple[Trace, ...]:
    """Read several episodes in one pass over the file."""
    where = _placed(path, choices, progress)
    return tuple(trace_of(where, choices, key or None) for key in keys)


def _role_of(path: str, flags: set[str]) -> tuple[Role | None, str]:
    known: dict[str, tuple[Role, str]] = {
        "observations": (Role.OBSERVATION, "the layout's observations"),
        "actions": (Role.ACTION, "the layout's actions"),
        "rewards": (Role.REWARD, "the layout's rewards"),
        "timeouts": (Role.TRUNCATED, "the layout's timeouts"),
        "next_observations": (Role.OTHER, "the next row's observation"),
        "infos": (Role.OTHER, "below infos/"),
    }
    if path == "terminals":
        if "timeouts" in flags:
            return Role.TERMINATED, "terminals beside timeouts"
        return Role.DONE, "terminals without timeouts: it may mix failures and time limits"
    return known.get(path.split("/", 1)[0], (None, ""))


def _placed(path: Path, choices: ImportChoices, progress: Progress) -> Placed:
    with open_hdf5(path) as file:
        flags = {name for name in _FLAGS if name in file}
        rows = rows_in(file, "actions", "observations")

        def aside(name: str) -> bool:
            return name.startswith("metadata/")

        table = group_table(file, str(path), progress, lambda p: _role_of(p, flags), rows, aside)
        table.metadata = (*table.metadata, *_metadata(file))
    phased(table, BEFORE, "D4RL pairs each observation with the action taken from it")
    parts = _parts(table)
    table.health += _doubts(table, parts)
    found = placed(table, choices)
    if len(parts) < 2:
        return found
    return replace(found, episodes=tuple((str(i), part) for i, part in enumerate(parts)))


def _metadata(file: Any) -> list[tuple[str, str]]:
    """Return the scalars below metadata/; what a policy was trained to is not shown."""
    from tracescope.readers.hdf5_columns import walk

    if "metadata" not in file:
        return []
    found = walk(file["metadata"], "metadata/") if hasattr(file["metadata"], "keys") else []
    return [(name, scalar_text(node)) for name, node in found if node.shape == ()]


def _flag(table: Table, name: str) -> NDArray[np.bool_]:
    flag = np.zeros(table.rows, dtype=bool)
    for column in table.columns:
        if name in {column.column, column.name}:
            value = np.asarray(column.value)[: table.rows]
            flag[: value.size] |= np.nan_to_num(value.astype(np.float64)) > 0.5
    return flag


def _parts(table: Table) -> list[NDArray[np.int64]]:
    rows = np.arange(table.rows, dtype=np.int64)
    flagged = np.flatnonzero(_flag(table, "terminals") | _flag(table, "timeouts"))
    ends = np.union1d(flagged, _breaks(table)) + 1
    return [part for part in np.split(rows, ends) if part.size]


def _breaks(table: Table) -> NDArray[np.int64]:
    """Return the rows whose next_observations is not the observation of the row that follows.

    Where many rows differ, the two are not meant to agree (noise, relabelling) and nothing follows from it.
    """
    by_name: dict[tuple[str, int | None], Column] = {(c.column, c.index): c for c in table.columns}
    broken = np.zeros(max(table.rows - 1, 0), dtype=bool)
    for (name, index), column in by_name.items():
        after = by_name.get(("next_observations", index)) if name == "observations" else None
        if after is not None and after.value.size == column.value.size == table.rows:
            here, there = np.asarray(after.value)[:-1], np.asarray(column.value)[1:]
            broken |= (here != there) & ~(np.isnan(here) & np.isnan(there))
    found = np.flatnonzero(broken)
    return found if found.size <= 0.05 * table.rows else found[:0]


def _doubts(table: Table, parts: list[NDArray[np.int64]]) -> list[HealthNote]:
    """Note time limits flagged as terminals, and files that do not say where episodes end."""
    last = lone_last_done(table.columns, ("terminals",))
    notes = [n for n in (_time_limits(table), _obs_type(table.columns), last) if n is not None]
    flagged = _flag(table, "terminals") | _flag(table, "timeouts")
    unmarked = np.setdiff1d(_breaks(table), np.flatnonzero(flagged))
    if unmarked.size:
        what = f"after {unmarked.size} rows the observation is not the next_observations of the row before"
        where = ", ".join(f"row {row}" for row in unmarked[:5])
        notes.append(repaired("unmarked-ends", what, where, int(unmarked.size), "split there"))
    elif len(parts) == 1 and not flagged.any():
        what = "no row is flagged as an end: episodes may follow one another unmarked"
        notes.append(warned("no-episode-ends", what, "terminals", 1, "read as one episode"))
    return notes


def _time_limits(table: Table) -> HealthNote | None:
    ends = np.flatnonzero(_flag(table, "terminals"))
    if ends.size < 2 or _flag(table, "timeouts").any():
        return None
    lengths = np.diff(np.concatenate([[-1], ends]))
    length = int(lengths.max())
    at_limit = int((lengths == length).sum())
    if length < 2 or at_limit < 2:
        return None
    what = (
        f"{at_limit} of {ends.size} terminals fall exactly {length} rows after the last one:"
        " these are time limits, flagged as terminals"
    )
    where = ", ".join(f"row {row}" for row in ends[lengths == length][:5])
    done = "kept; ends at this length are no failures"
    return warned("time-limit-as-terminal", what, where, at_limit, done)


def _obs_type(columns: list[Column]) -> HealthNote | None:
    kinds = {c.column: c.dtype for c in columns if c.column in {"observations", "actions"}}
    if len(set(kinds.values())) < 2:
        return None
    what = ", ".join(f"{name} are {dtype}" for name, dtype in kinds.items())
    return noticed("mixed-precision", what)


READER = Reader("d4rl", "D4RL, flat", claims, episodes, read, read_many)
