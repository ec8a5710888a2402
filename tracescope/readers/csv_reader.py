"""The reader of text tables, one row a step."""

from __future__ import annotations

import re
from pathlib import Path

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.csv_table import read_table
from tracescope.readers.csv_text import detected_encoding
from tracescope.readers.files import looks_like
from tracescope.readers.parts import Part, agree_on_unit, for_part, merged, with_clocks
from tracescope.readers.rowtypes import split_by_type
from tracescope.readers.table import Table

_STATISTICS = re.compile(rb"(?:\xef\xbb\xbf)?\s*Series,\s*Current,\s*Min,\s*Max,\s*Average")
_MONITOR = re.compile(rb"#\s*\{.*\n\s*r\s*,\s*l\s*,\s*t\b")


def claims(head: FileHead) -> Claim | None:
    """Claim anything that is text and not known to be something else."""
    if head.path.is_dir() or looks_like(head.head)[0]:
        return None
    encoding, because = detected_encoding(head.head)
    text = head.head.decode(encoding, "replace")[:8192]
    odd = sum((c < " " and c not in "\t\r\n\0\x1a") or c == "\ufffd" for c in text)
    if odd > 0.02 * max(1, len(text)) or not text.strip("\0\ufeff"):
        return None
    return Claim(0.3, f"it is text: {because}")


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes of a table: blocks of an episode column, or runs between restarts."""
    parts = _tables(path, choices, silent)
    if len(parts) == 1:
        return episode_infos(placed(parts[0][1], choices))
    return (EpisodeInfo("", sum(table.rows for _, table in parts)),)


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode of a table; kinds of rows that are mixed in it become tables of their own."""
    tables = _tables(path, choices, progress)
    if len(tables) == 1:
        return trace_of(placed(tables[0][1], choices), choices, episode)
    if episode:
        what = f"there is no episode {episode!r}: the rows are of several types"
        raise TraceReadError(Problem(what, str(path), todo="choose a row type"))
    parts = [Part(kind, kind, placed(table, for_part(choices))) for kind, table in tables]
    parts, unclocked = with_clocks(parts)
    agree_on_unit(parts, choices)
    return merged(str(path), parts, choices, unclocked, [])


def read_many(
    path: Path, keys: tuple[str, ...], choices: ImportChoices, progress: Progress = silent
) -> tuple[Trace, ...]:
    """Read several episodes of a table in one pass over the file."""
    tables = _tables(path, choices, progress)
    if len(tables) > 1:
        return (read(path, None, choices, progress),)
    where = placed(tables[0][1], choices)
    return tuple(trace_of(where, choices, key or None) for key in keys)


def _tables(path: Path, choices: ImportChoices, progress: Progress) -> list[tuple[str, Table]]:
    refuse_summaries(path)
    return split_by_type(read_table(path, choices, progress), choices.row_type)


def refuse_summaries(path: Path) -> None:
    """Refuse tables that are no step traces: Stable-Baselines3 Monitor files, statistics of signals.

    Raises:
        TraceReadError: for such a file.
    """
    with path.open("rb") as file:
        start = file.read(4096)
    if _STATISTICS.match(start):
        what = "these are statistics of signals (a row a signal), not a step trace"
        todo = "export the series themselves"
        raise TraceReadError(Problem(what, str(path), "Series, Current, Min, Max, Average", todo))
    if _MONITOR.match(start):
        what = "this is an episode summary (Stable-Baselines3 Monitor: a row an episode), not a step trace"
        todo = "log each step: time, observation, action, reward, done"
        raise TraceReadError(Problem(what, str(path), "columns r, l, t", todo))


READER = Reader("csv", "Text table (CSV)", claims, episodes, read, read_many)
