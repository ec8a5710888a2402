"""A single Parquet file: a LeRobot episode, or any table of one row a step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Trace
from tracescope.readers.assemble import Placed, episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.lerobot import is_lerobot, settle
from tracescope.readers.parquet_columns import MAGIC, read_parquet


def claims(head: FileHead) -> Claim | None:
    """Claim Parquet files."""
    return Claim(0.8, "it is Parquet") if head.head.startswith(MAGIC) else None


def _placed(path: Path, choices: ImportChoices, progress: Progress) -> tuple[Placed, bool]:
    """Return the table on its clock, and whether it is LeRobot's."""
    table = read_parquet(path, progress)
    known = is_lerobot([column.name for column in table.columns])
    if known:
        settle(table, None)
    return placed(table, choices), known


def _named(trace: Trace, *, known: bool) -> Trace:
    if not known:
        return trace
    because = "its columns are those of a LeRobot episode"
    return replace(trace, source=replace(trace.source, layout="lerobot", layout_because=because))


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes: blocks of an episode column, or runs between restarts."""
    return episode_infos(_placed(path, choices, silent)[0])


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode."""
    where, known = _placed(path, choices, progress)
    return _named(trace_of(where, choices, episode), known=known)


def read_many(
    path: Path, keys: tuple[str, ...], choices: ImportChoices, progress: Progress = silent
) -> tuple[Trace, ...]:
    """Read several episodes in one pass over the file."""
    where, known = _placed(path, choices, progress)
    return tuple(_named(trace_of(where, choices, key or None), known=known) for key in keys)


READER = Reader("parquet", "Parquet", claims, episodes, read, read_many)
