"""A folder with several text tables of one recording: command and measurement in files of their own.

Each file keeps its own clock; channels are called ``file/column``. The rows of the trace are those of the
measuring file. Names of joints come from a list beside the tables.
"""

from __future__ import annotations

import re
from pathlib import Path

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.assemble import placed
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.csv_table import read_table
from tracescope.readers.notes import warned
from tracescope.readers.parts import Part, agree_on_unit, for_part, merged, with_clocks
from tracescope.readers.rowtypes import split_by_type

_ENDINGS = {".csv", ".tsv"}
_MOST_FILES = 200


def tables_in(folder: Path) -> list[Path]:
    """Return the text tables of a folder, by name."""
    from natsort import natsorted

    try:
        names = [p for p in folder.iterdir() if p.suffix.lower() in _ENDINGS and p.is_file()]
    except OSError as error:
        found = error.strerror or str(error)
        raise TraceReadError(Problem("the folder cannot be read", str(folder), found)) from None
    return list(natsorted(names, key=lambda p: p.name))


def claims(head: FileHead) -> Claim | None:
    """Claim folders that hold text tables."""
    if not head.path.is_dir():
        return None
    found = tables_in(head.path)
    if not found:
        return None
    names = ", ".join(p.name for p in found[:4])
    return Claim(0.4, f"a folder with {len(found)} text tables: {names}")


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """Return the one episode of the folder."""
    return (EpisodeInfo("", len(read(path, None, choices))),)


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read all tables of a folder as one recording.

    Raises:
        TraceReadError: where no table has a clock and rows.
    """
    if episode:
        problem = Problem(
            f"there is no episode {episode!r}", str(path), todo="a folder is one episode"
        )
        raise TraceReadError(problem)
    parts, notes, problems = _parts(path, choices, progress)
    if not parts:
        raise TraceReadError(problems or Problem("the folder holds no text table", str(path)))
    parts, unclocked = with_clocks(parts)
    agree_on_unit(parts, choices)
    return merged(str(path), parts, choices, [*notes, *unclocked], joint_names(path))


def _parts(
    path: Path, choices: ImportChoices, progress: Progress
) -> tuple[list[Part], list[HealthNote], list[Problem]]:
    """Read every table; one that cannot be read is noted and does not keep the others."""
    parts: list[Part] = []
    notes: list[HealthNote] = []
    problems: list[Problem] = []
    found = tables_in(path)[:_MOST_FILES]
    stems = short_stems([p.stem for p in found])
    for at, (file, stem) in enumerate(zip(found, stems, strict=True)):
        progress(at / len(found), f"reading {file.name}")
        try:
            for kind, table in split_by_type(read_table(file, choices), choices.row_type):
                name = f"{stem}/{kind}".strip("/")
                parts.append(Part(name, file.name, placed(table, for_part(choices))))
        except TraceReadError as error:
            problems += error.problems
            what = "; ".join(p.what for p in error.problems)[:200]
            notes.append(warned("table-left-out", f"{file.name}: {what}", file.name, 1, "left out"))
    return parts, notes, problems


def short_stems(stems: list[str]) -> list[str]:
    """Cut what all file names start with, at a word's end; a single file needs no name."""
    if len(stems) < 2:
        return [""] * len(stems)
    low, high = min(stems), max(stems)
    pairs = enumerate(zip(low, high, strict=False))
    same = next((i for i, (a, b) in pairs if a != b), len(low))
    cut = low.rfind("_", 0, same) + 1
    short = [stem[cut:] for stem in stems]
    return short if all(re.match(r"[A-Za-z]", stem) for stem in short) else stems


def joint_names(folder: Path) -> list[str]:
    """Return names of joints from a list beside the tables (a name a line, or a YAML list); else nothing."""
    for file in sorted(folder.iterdir()):
        if "joint" not in file.name.lower() or file.suffix.lower() not in {".txt", ".yaml", ".yml"}:
            continue
        if not file.is_file() or file.stat().st_size > 100_000:
            continue
        lines = [line.strip() for line in file.read_text("utf-8", errors="replace").splitlines()]
        if file.suffix.lower() != ".txt":
            lines = [line[1:].strip() for line in lines if line.startswith("-")]
        names = [line.strip("'\" ,") for line in lines if line and not line.startswith("#")]
        if names and len(set(names)) == len(names):
            return names
    return []


READER = Reader("csv-folder", "Folder of text tables", claims, episodes, read)
