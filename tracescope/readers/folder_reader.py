"""A folder with several text tables of one recording: command and measurement in files of their own.

Each file keeps its own clock; channels are called ``file/column``. The rows of the trace are those of the
measuring file. Names of joints come from a list beside the tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Channel, HealthNote, Role, Source, Trace
from tracescope.readers.assemble import Placed, check_given, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader, TimeUnit
from tracescope.readers.csv_table import read_table
from tracescope.readers.roles import roles_for, words_of
from tracescope.readers.table import Table

_ENDINGS = {".csv", ".tsv"}
_MOST_FILES = 200
_ROW_TYPE = {"type", "row_type", "rowtype", "msg_type", "record_type"}


@dataclass(slots=True)
class Part:
    """One file of the recording."""

    stem: str
    path: Path
    where: Placed


def tables_in(folder: Path) -> list[Path]:
    """Return the text tables of a folder, by name."""
    from natsort import natsorted

    try:
        names = [p for p in folder.iterdir() if p.suffix.lower() in _ENDINGS and p.is_file()]
    except OSError as error:
        raise TraceReadError(
            Problem("the folder cannot be read", str(folder), str(error))
        ) from None
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
        raise TraceReadError(
            Problem(f"there is no episode {episode!r}", str(path), todo="a folder is one episode")
        )
    parts, notes = _parts(path, choices, progress)
    if not parts:
        found = "; ".join(f"{note.where}: {note.what}" for note in notes)[:300]
        raise TraceReadError(
            Problem("no table of the folder has rows with a clock", str(path), found)
        )
    joints = joint_names(path)
    for part in parts:
        _rename(part, joints)
    columns = [c for part in parts for c in part.where.table.columns]
    check_given(columns, choices, str(path))
    for column, (role, because) in zip(columns, roles_for(columns, choices), strict=True):
        column.role, column.role_because = role, because
    return _merged(path, parts, choices, notes)


def _parts(
    path: Path, choices: ImportChoices, progress: Progress
) -> tuple[list[Part], list[HealthNote]]:
    parts: list[Part] = []
    notes: list[HealthNote] = []
    found = tables_in(path)[:_MOST_FILES]
    stems = _short_stems([p.stem for p in found])
    broken: list[Problem] = []
    for place, (file, stem) in enumerate(zip(found, stems, strict=True)):
        progress(place / len(found), f"reading {file.name}")
        try:
            where = placed(_without_row_type(read_table(file, choices)), _for_part(choices))
        except TraceReadError as error:
            broken += error.problems
            what = "; ".join(p.what for p in error.problems)[:200]
            notes.append(
                HealthNote(
                    f"{file.name} was left out: {what}",
                    file.name,
                    1,
                    "left out",
                    "warning",
                    "file-left-out",
                )
            )
            continue
        parts.append(Part(stem, file, where))
    if broken and not parts:
        raise TraceReadError(broken)
    stamped = [p for p in parts if p.where.clock.clock.kind == "stamped"]
    notes += [
        HealthNote(f"{name} has no clock", name, 1, "left out", "warning", "file-left-out")
        for name in (p.path.name for p in parts if stamped and p not in stamped)
    ]
    parts = stamped or parts[:1]
    unit = _common_unit(parts)
    if choices.time_unit is None and unit is not None:
        again = replace(_for_part(choices), time_unit=unit)
        for part in parts:
            clock = part.where.clock.clock
            if clock.unit != unit and not clock.is_epoch and "name" not in clock.because:
                part.where = placed(part.where.table, again)
    return parts, notes


def _for_part(choices: ImportChoices) -> ImportChoices:
    return replace(choices, roles=())


def _common_unit(parts: list[Part]) -> TimeUnit | None:
    """Return the unit that the file with most rows has: few events tell no unit."""
    if not parts:
        return None
    best = max(parts, key=lambda p: p.where.table.rows)
    return best.where.clock.clock.unit  # type: ignore[return-value]


def _short_stems(stems: list[str]) -> list[str]:
    """Cut what all file names start with, at a word's end."""
    if len(stems) < 2:
        return stems
    low, high = min(stems), max(stems)
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    cut = low.rfind("_", 0, same) + 1
    short = [stem[cut:] for stem in stems]
    return short if all(re.match(r"[A-Za-z]", stem) for stem in short) else stems


def _without_row_type(table: Table) -> Table:
    """Take a row-type column that says the same on every row into the metadata."""
    for column in list(table.columns):
        if column.name.lower() in _ROW_TYPE and len(column.labels) == 1 and len(table.columns) > 1:
            table.columns.remove(column)
            table.metadata = (*table.metadata, (column.name, column.labels[0]))
    return table


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


def _rename(part: Part, joints: list[str]) -> None:
    """Prefix names with the file's; vectors with an element a joint get the joints' names."""
    table = part.where.table
    width: dict[str, int] = {}
    for column in table.columns:
        if column.index is not None:
            width[column.column] = width.get(column.column, 0) + 1
    for column in table.columns:
        vector = column.index is not None and width[column.column] == len(joints)
        name = f"{column.column}/{joints[column.index or 0]}" if vector else column.name
        column.column = f"{part.stem}/{column.column or column.name}"
        column.name = f"{part.stem}/{name}"


def _merged(
    path: Path, parts: list[Part], choices: ImportChoices, notes: list[HealthNote]
) -> Trace:
    main = max(parts, key=_weight)
    plain = _for_part(choices)
    traces = {part.stem: trace_of(part.where, plain, None) for part in parts}
    base = traces[main.stem]
    channels: list[Channel] = []
    health = list(notes)
    metadata: list[tuple[str, str]] = []
    for part in parts:
        trace = traces[part.stem]
        channels += trace.rebased(base.clock.origin_ns).channels
        health += [
            replace(n, where=f"{part.path.name}: {n.where}" if n.where else part.path.name)
            for n in trace.health
        ]
        metadata += [(f"{part.path.name}: {key}", text) for key, text in trace.metadata]
    if len(parts) > 1:
        what = f"the recording spans {len(parts)} files, each on its own clock; rows are those of {main.path.name}"
        health.insert(
            0,
            HealthNote(
                what, ", ".join(p.path.name for p in parts), len(parts), key="several-files"
            ),
        )
    clock = replace(
        base.clock,
        column=f"{main.stem}/{base.clock.column}",
        because=f"clock of {main.path.name}: {base.clock.because}",
    )
    return Trace(
        source=Source(str(path), layout_because="", rows_in_file=len(base)),
        clock=clock,
        time_s=base.time_s,
        channels=tuple(channels),
        step=base.step,
        health=tuple(health),
        metadata=tuple(metadata),
    )


def _weight(part: Part) -> tuple[bool, bool, int]:
    """Rank files as row clock: a state file first, then one that measures, then the one with most rows."""
    roles = {c.role for c in part.where.table.columns}
    return "state" in words_of(part.stem)[:1], Role.OBSERVATION in roles, part.where.table.rows


READER = Reader("csv-folder", "Folder of text tables", claims, episodes, read)
