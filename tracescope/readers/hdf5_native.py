"""The reader of the native layout; :mod:`tracescope.readers.native` describes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tracescope.model.errors import Problem, TraceReadError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import (
    Channel,
    Clock,
    FrameStack,
    HealthNote,
    Role,
    Source,
    Trace,
    read_only,
)
from tracescope.readers.assemble import pick_episode
from tracescope.readers.base import Claim, EpisodeInfo, FileHead, ImportChoices, Reader
from tracescope.readers.hdf5_tools import is_hdf5, links, open_hdf5, text_of
from tracescope.readers.native import SCHEMA
from tracescope.readers.roles import roles_for
from tracescope.readers.table import Column
from tracescope.readers.units import unit_given


def claims(head: FileHead) -> Claim | None:
    """Claim files that carry the schema attribute."""
    if not is_hdf5(head):
        return None
    try:
        with open_hdf5(head.path) as file:
            if "tracescope_schema" in file.attrs:
                return Claim(1.0, "its attribute tracescope_schema says so")
    except TraceReadError:
        return None
    return None


def episodes(path: Path, choices: ImportChoices) -> tuple[EpisodeInfo, ...]:
    """Return the one episode."""
    del choices
    with open_hdf5(path) as file:
        return (EpisodeInfo("", int(_needed(file, "time_s", path).shape[0])),)


def read(
    path: Path, episode: str | None, choices: ImportChoices, progress: Progress = silent
) -> Trace:
    """Read the trace back.

    Raises:
        TraceReadError: where something the layout needs is missing or does not fit.
    """
    if episode:
        pick_episode([""], episode, str(path))
    with open_hdf5(path) as file:
        try:
            return _trace(file, path, choices, progress)
        except (ValueError, TypeError, AttributeError) as error:
            raise TraceReadError(
                Problem("the file does not follow the native layout", str(path), str(error)[:200])
            ) from error


def _needed(file: Any, name: str, path: Path) -> Any:
    if name not in file:
        raise TraceReadError(
            Problem(f"the native layout needs /{name}", str(path), "it is missing")
        )
    return file[name]


def _trace(file: Any, path: Path, choices: ImportChoices, progress: Progress) -> Trace:
    schema = int(file.attrs["tracescope_schema"])
    if schema > SCHEMA:
        raise TraceReadError(
            Problem(
                "the file was written by a newer tracescope",
                str(path),
                f"schema {schema}",
                "update tracescope",
            )
        )
    time_s = read_only(np.asarray(_needed(file, "time_s", path)[()], dtype=np.float64))
    clock, clock_notes = _clock(_about(file, "clock", {}), choices)
    source = _about(file, "source", {})
    return Trace(
        source=Source(
            path=str(path),
            layout="native",
            episode=None,
            rows_in_file=int(time_s.size),
        ),
        clock=clock,
        time_s=time_s,
        channels=_channels(file, time_s, choices, progress),
        step=np.asarray(file["step"][()], dtype=np.int64) if "step" in file else None,
        health=(*(HealthNote(**note) for note in _about(file, "health", [])), *clock_notes),
        metadata=_metadata(_about(file, "metadata", []), source),
        frames=_frames(file, path),
    )


def _about(file: Any, name: str, default: Any) -> Any:
    path = f"about/{name}"
    return json.loads(text_of(file[path][()])) if path in file else default


def _metadata(entries: list[list[str]], source: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    del source
    return tuple((str(key), str(text)) for key, text in entries)


def _clock(about: dict[str, Any], choices: ImportChoices) -> tuple[Clock, tuple[HealthNote, ...]]:
    about = {**about, "others": tuple(about.get("others", ()))}
    clock = Clock(**about)
    if choices.time_column not in {None, clock.column} or choices.rate_hz is not None:
        note = HealthNote(
            "the native layout has its clock already",
            "/time_s",
            1,
            "the choice of time column or rate was not used",
            "info",
            "choice-unused",
        )
        return clock, (note,)
    return clock, ()


def _channels(
    file: Any, time_s: Any, choices: ImportChoices, progress: Progress
) -> tuple[Channel, ...]:
    group = file.get("channels", {})
    clocks = {
        key: read_only(np.asarray(file[f"clocks/{key}"][()], dtype=np.float64))
        for key in file.get("clocks", ())
    }
    names = [name for name, key in links(group) if name == key]
    columns = []
    for place, link in enumerate(names):
        progress(place / len(names), "reading channels")
        columns.append(_column(file, link, group[link]))
    guesses = roles_for(columns, choices)
    channels = []
    for link, column, (role, because) in zip(names, columns, guesses, strict=True):
        own = text_of(group[link].attrs["clock"]) if "clock" in group[link].attrs else ""
        channels.append(
            Channel(
                name=column.name,
                role=role,
                time_s=clocks[own] if own else time_s,
                value=column.value,
                unit=unit_given(column, choices),
                column=column.column,
                index=column.index,
                dtype=column.dtype,
                labels=column.labels,
                role_because=because,
            )
        )
    return tuple(channels)


def _column(file: Any, link: str, dataset: Any) -> Column:
    attrs = dataset.attrs

    def text(key: str, default: str = "") -> str:
        return text_of(attrs[key]) if key in attrs else default

    labels = f"labels/{link}"
    role = text("role")
    return Column(
        name=text("name", link),
        value=np.asarray(dataset[()]),
        column=text("column"),
        index=int(attrs["index"]) if "index" in attrs else None,
        unit=text("unit"),
        dtype=text("dtype"),
        labels=tuple(text_of(v) for v in file[labels][()].tolist()) if labels in file else (),
        role=Role(role) if role else None,
        role_because=text("role_because"),
    )


def _frames(file: Any, path: Path) -> tuple[FrameStack, ...]:
    """Return frames whose images lie in the same folder (no other file is ever read)."""
    frames = []
    for key in sorted(file.get("frames", ())):
        group = file[f"frames/{key}"]
        where = Path(text_of(group.attrs["path"]))
        beside = path.parent / where.name
        frames.append(
            FrameStack(
                text_of(group.attrs["name"]),
                str(where) if where.parent == path.parent else str(beside),
                text_of(group.attrs["dataset"]),
                np.asarray(group["time_s"][()], dtype=np.float64),
                text_of(group.attrs["encoding"]),  # type: ignore[arg-type]
                np.asarray(group["rows"][()], dtype=np.int64),
                np.asarray(group["lengths"][()], dtype=np.int64) if "lengths" in group else None,
            )
        )
    return tuple(frames)


READER = Reader("native", "tracescope's own HDF5 layout", claims, episodes, read)
