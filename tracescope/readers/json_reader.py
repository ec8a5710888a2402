"""JSON rollouts: a list of entries (one a step), a mapping of lists, or one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import HealthNote, Trace
from tracescope.readers.assemble import pick_episode, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_groups import usual_length
from tracescope.readers.json_columns import Leaf, columns_of_rows, leaves
from tracescope.readers.names import unique_names
from tracescope.readers.notes import noticed, repaired, warned
from tracescope.readers.rates import rate_in
from tracescope.readers.table import Column, Table

MOST_BYTES = 256 * 1024 * 1024
_LISTS = ("entries", "steps", "data", "rows", "samples", "trajectory", "log", "records", "frames")
_EPISODES = ("episodes", "trajectories", "rollouts", "demos")

Entries = Sequence[Any]


def claims(head: FileHead) -> Claim | None:
    """Claim texts that start as a JSON object, or as a list of objects."""
    start = head.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"{") and start[1:].lstrip()[:1] in {b'"', b"}"}:
        return Claim(0.6, "it is JSON")
    if start.startswith(b"[") and start[1:].lstrip()[:1] == b"{":
        return Claim(0.6, "it is a JSON list of objects")
    return None


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes."""
    del choices
    return tuple(EpisodeInfo(key, _steps(value)) for key, value in _episodes(path)[0])


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode.

    Raises:
        TraceReadError: where the text is no JSON, or holds no series.
    """
    found, metadata, notes = _episodes(path)
    key = pick_episode([k for k, _ in found], episode, str(path)) if episode else found[0][0]
    progress(0.5, "reading entries")
    value = next(v for k, v in found if k == key)
    table = _table(value, [*notes], path, metadata)
    where = placed(table, choices)
    if len(found) == 1:
        return trace_of(where, choices, episode if len(where.episodes) > 1 else None)
    trace = trace_of(where, choices, where.episodes[0][0] or None)
    note = noticed("several-episodes", f"the file holds {len(found)} episodes; this is {key!r}", "",
                   len(found), "" if episode else "the first was taken")  # fmt: skip
    trace = trace.with_health([note])
    return replace(trace, source=replace(trace.source, episode=key))


def _episodes(path: Path) -> tuple[list[tuple[str, Any]], list[tuple[str, str]], list[HealthNote]]:
    """Return (key, entries or mapping of lists) of each episode, what stands beside them, and notes."""
    value, notes = _loaded(path)
    _refuse_descriptions(value, path)
    metadata: list[tuple[str, str]] = []
    if isinstance(value, dict):
        metadata = [(k, str(v)[:2000]) for k, v in value.items() if not isinstance(v, list | dict)]
        inner = next((k for k in _EPISODES if isinstance(value.get(k), list | dict)), None)
        if inner is not None:
            parts = value[inner]
            pairs = list(parts.items()) if isinstance(parts, dict) else list(enumerate(parts))
            found = [(str(k), _series(v)) for k, v in pairs if isinstance(v, list | dict)]
            if found:
                return found, metadata, notes
        for name in ("metadata", "meta", "info", "config"):
            if isinstance(value.get(name), dict):
                metadata.append((name, json.dumps(value[name])))
    return [("", _series(value))], metadata, notes


def _refuse_descriptions(value: Any, path: Path) -> None:
    """Refuse what describes a data set, and lists with a row an episode: neither has steps."""
    if isinstance(value, dict) and {"codebase_version", "features"} <= value.keys():
        what, todo = "this describes a LeRobot data set; it holds no steps", "open its folder"
        raise TraceReadError(Problem(what, str(path), "codebase_version, features", todo))
    if not isinstance(value, list) or not value:
        return
    if all(isinstance(row, dict) and {"episode_index", "length"} <= row.keys() for row in value):
        what = "this is a list of episodes (a row an episode), not a step trace"
        raise TraceReadError(
            Problem(what, str(path), "episode_index, length", "open the data set's folder")
        )


def _series(value: Any) -> Any:
    """Return the list of entries inside an object, or the object itself where its values are the series."""
    if isinstance(value, dict):
        for name in _LISTS:
            inner = value.get(name)
            if isinstance(inner, list) and inner and isinstance(inner[0], dict):
                return inner
            if isinstance(inner, dict) and any(isinstance(v, list) for v in inner.values()):
                return inner
    return value


def _steps(value: Any) -> int:
    if isinstance(value, list):
        return len(value)
    shapes = (
        [(len(v),) for v in value.values() if isinstance(v, list)]
        if isinstance(value, dict)
        else []
    )
    return usual_length(shapes) or 0


def _loaded(path: Path) -> tuple[Any, list[HealthNote]]:
    size = path.stat().st_size
    if size > MOST_BYTES:
        found, todo = f"{size / 2**20:.0f} MiB", "convert it to HDF5 or NPZ"
        raise TraceReadError(Problem("the JSON file is too large", str(path), found, todo))
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = Problem(
            "the JSON file is not UTF-8", str(path), f"byte {error.start}", "save it as UTF-8"
        )
        raise TraceReadError(problem) from None
    try:
        return json.loads(text), []
    except RecursionError:
        raise TraceReadError(Problem("the JSON is nested too deep", str(path))) from None
    except ValueError as error:
        lines = _lines(text)
        if lines is not None:
            return lines
        place = f"{path}:{getattr(error, 'lineno', 1)}:{getattr(error, 'colno', 1)}"
        todo = "the writer may have stopped before its end: complete the text, or export again"
        raise TraceReadError(
            Problem("this is no whole JSON", place, str(error)[:120], todo)
        ) from None


def _lines(text: str) -> tuple[list[Any], list[HealthNote]] | None:
    """Return objects that stand one a line; a last line cut short is dropped and said."""
    rows: list[Any] = []
    lines = [line for line in text.splitlines() if line.strip()]
    for at, line in enumerate(lines):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            if at == len(lines) - 1 and len(rows) > 1:
                what = f"the last line is incomplete, ignored, 1 of {len(lines)}"
                return rows, [repaired("truncated-line", what, f"line {len(lines)}", 1, "ignored")]
            return None
        if not isinstance(row, dict):
            return None
        rows.append(row)
    return (rows, []) if len(rows) > 1 else None


def _table(
    value: Any, notes: list[HealthNote], path: Path, metadata: list[tuple[str, str]]
) -> Table:
    columns: list[Column] = []
    if isinstance(value, list):
        columns = columns_of_rows(_entries(value, notes, path), notes)
    elif isinstance(value, dict):
        columns = _transposed(value, notes, metadata)
    if not columns:
        todo = "write a list with an object a step, or an object of lists"
        raise TraceReadError(Problem("the file holds no series", str(path), todo=todo))
    fresh, renamed = unique_names([c.name for c in columns], str(path))
    for column, name in zip(columns, fresh, strict=True):
        column.name = name
    rate = rate_in(metadata)
    because = f"its entry {rate[1]}" if rate else ""
    return Table(
        columns,
        max(c.value.size for c in columns),
        [*notes, *renamed], tuple(metadata), rate[0] if rate else None, because,
        source_name=str(path),
    )  # fmt: skip


def _entries(value: Entries, notes: list[HealthNote], path: Path) -> list[dict[str, Leaf]]:
    rows = []
    odd = [i for i, entry in enumerate(value) if not isinstance(entry, dict)]
    if odd:
        where = ", ".join(f"entry {i}" for i in odd[:5])
        notes.append(warned("entries-left-out", f"{len(odd)} entries are no objects", where, len(odd),
                            "left out"))  # fmt: skip
    for i, entry in enumerate(value):
        if isinstance(entry, dict):
            try:
                rows.append(leaves(entry))
            except ValueError as error:
                problem = Problem("an entry is no row of signals", f"{path}: entry {i}", str(error))
                raise TraceReadError(problem) from None
    return rows


def _transposed(
    value: dict[str, Any], notes: list[HealthNote], metadata: list[tuple[str, str]]
) -> list[Column]:
    """Turn an object of lists into columns; lists of another length are left out and said."""
    lists = _lists(value)
    rows = usual_length([(len(series),) for series in lists.values()]) or 0
    out: list[Column] = []
    for name, series in lists.items():
        if len(series) not in {rows, rows + 1} or not series:
            what = f"{name} has {len(series)} rows where the others have {rows}"
            notes.append(warned("other-length", what, name, 1, "left out"))
            continue
        try:
            out += columns_of_rows([leaves(cell, name) for cell in series], notes)
        except ValueError as error:
            notes.append(warned("dataset-left-out", f"{name}: {error}", name, 1, "left out"))
    metadata += [(k, str(v)[:2000]) for k, v in value.items() if (k, str(v)[:2000]) not in metadata
                 and not isinstance(v, list | dict)]  # fmt: skip
    return out


def _lists(value: dict[str, Any], prefix: str = "", depth: int = 0) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for key, inner in value.items():
        if isinstance(inner, list):
            found[f"{prefix}{key}"] = inner
        elif isinstance(inner, dict) and depth < 16:
            found |= _lists(inner, f"{prefix}{key}.", depth + 1)
    return found


READER = Reader("json", "JSON rollouts", claims, episodes, read)
