"""A LeRobot dataset's folder, versions 2 and 3: meta/info.json beside data/chunk-*/*.parquet."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Trace
from tracescope.readers.assemble import pick_episode, placed, trace_of
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_episodes import json_file
from tracescope.readers.lerobot import name_elements, settle
from tracescope.readers.notes import noticed
from tracescope.readers.parquet_columns import parquet_file, read_parquet

_EPISODE = re.compile(r"episode_(\d{1,9})")
_MOST_FILES = 20_000
_LFS = b"version https://git-lfs"


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where one episode lies; ``whole`` where the file holds it alone."""

    number: int
    file: Path
    steps: int
    whole: bool
    note: str = ""

    @property
    def key(self) -> str:
        return f"episode_{self.number:06d}"


def claims(head: FileHead) -> Claim | None:
    """Claim folders with LeRobot's meta/info.json."""
    if not head.path.is_dir():
        return None
    info = json_file(head.path / "meta" / "info.json")
    version = info.get("codebase_version")
    if version is None or "features" not in info:
        return None
    return Claim(0.9, f"meta/info.json says LeRobot {version}")


def _entries(path: Path) -> list[_Entry]:
    """List the episodes whose data are there.

    Raises:
        TraceReadError: where no episode can be read; says why.
    """
    from natsort import natsorted

    files = natsorted((path / "data").glob("chunk-*/*.parquet"), key=str)[:_MOST_FILES]
    found: list[_Entry] = []
    problems: list[Problem] = []
    for file in files:
        try:
            found += _in_file(file)
        except TraceReadError as error:
            problems += error.problems
    if not found:
        what = "the dataset holds no episode that can be read"
        missing = Problem(what, str(path), f"{len(files)} files in data/", "download its data too")
        raise TraceReadError(problems or missing)
    return sorted(found, key=lambda entry: entry.number)


def _in_file(file: Path) -> list[_Entry]:
    with file.open("rb") as raw:
        if raw.read(len(_LFS)) == _LFS:
            what, todo = "this is a Git LFS pointer, not the data", "fetch it: git lfs pull"
            raise TraceReadError(Problem(what, str(file), todo=todo))
    named = _EPISODE.fullmatch(file.stem)
    with parquet_file(file) as parquet:
        if named:
            return [_Entry(int(named[1]), file, parquet.metadata.num_rows, whole=True)]
        import numpy as np

        index = parquet.read(columns=["episode_index"]).column(0).to_numpy()
        numbers, counts = np.unique(index, return_counts=True)
    return [
        _Entry(int(number), file, int(count), whole=False)
        for number, count in zip(numbers, counts, strict=True)
    ]


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """List the episodes whose data are there."""
    del choices
    return tuple(EpisodeInfo(e.key, e.steps, e.note) for e in _entries(path))


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read one episode, with the names and the rate of info.json."""
    entries = _entries(path)
    key = (
        entries[0].key
        if not episode
        else pick_episode([e.key for e in entries], episode, str(path))
    )
    entry = next(e for e in entries if e.key == key)
    trace = _read(path, entry, choices, progress)
    if len(entries) > 1 and not episode:
        what = f"the folder holds {len(entries)} episodes; this is {key!r}"
        note = noticed("several-episodes", what, "", len(entries), "the first was taken")
        trace = trace.with_health([note])
    return trace


def _read(path: Path, entry: _Entry, choices: ImportChoices, progress: Progress) -> Trace:
    info = json_file(path / "meta" / "info.json")
    table = read_parquet(entry.file, progress, None if entry.whole else entry.number)
    fps = info.get("fps")
    rate = float(fps) if isinstance(fps, int | float) and 0 < fps < 1e6 else None
    settle(table, rate, f"meta/info.json says fps {fps}" if rate else "")
    name_elements(table, info.get("features"))
    table.metadata = (*table.metadata, *_about(info))
    where = placed(table, choices)
    trace = trace_of(where, choices, where.episodes[0][0] or None)
    return replace(trace, source=replace(trace.source, path=str(path), episode=entry.key))


def _about(info: dict[str, Any]) -> list[tuple[str, str]]:
    wanted = ("codebase_version", "robot_type", "fps", "total_episodes", "total_frames")
    features = info.get("features")
    videos = [
        name for name, feature in (features.items() if isinstance(features, dict) else ())
        if isinstance(feature, dict) and feature.get("dtype") in {"video", "image"}
    ]  # fmt: skip
    found = [(key, str(info[key])) for key in wanted if info.get(key) is not None]
    return [*found, *([("cameras (not shown)", ", ".join(videos))] if videos else [])]


READER = Reader("lerobot", "LeRobot dataset", claims, episodes, read)
