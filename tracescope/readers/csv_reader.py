"""The reader of text tables, one row a step."""

from __future__ import annotations

from pathlib import Path

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Trace
from tracescope.readers.assemble import episode_infos, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.csv_table import read_table
from tracescope.readers.csv_text import detected_encoding
from tracescope.readers.files import looks_like


def claims(head: FileHead) -> Claim | None:
    """Claim anything that is text and not known to be something else."""
    if head.path.is_dir() or looks_like(head.head)[0]:
        return None
    encoding, because = detected_encoding(head.head)
    text = head.head.decode(encoding, "replace") if encoding else ""
    odd = sum(1 for c in text[:8192] if (c < " " and c not in "\t\r\n\0\x1a") or c == "\ufffd")
    if odd > 0.02 * max(1, len(text[:8192])) or not text.strip("\0\ufeff"):
        return None
    return Claim(0.3, f"it is text ({because})")


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes of a table: blocks of an episode column, or runs between restarts."""
    return episode_infos(placed(read_table(path, choices), choices))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode of a table."""
    refuse_summaries(path)
    return trace_of(placed(read_table(path, choices, progress), choices), choices, episode)


def refuse_summaries(path: Path) -> None:
    """Refuse Stable-Baselines3 Monitor files: a row an episode, not a step."""
    with path.open("rb") as file:
        start = file.read(4096)
    lines = start.split(b"\n")
    if (
        start.startswith(b"#{")
        and len(lines) > 1
        and lines[1].strip().split(b",")[:3] == [b"r", b"l", b"t"]
    ):
        raise TraceReadError(
            Problem(
                "this is an episode summary (Stable-Baselines3 Monitor: a row an episode), not a step trace",
                str(path),
                "columns r, l, t",
                "log each step: time, observation, action, reward, done",
            )
        )


READER = Reader("csv", "Text table (CSV)", claims, episodes, read)
