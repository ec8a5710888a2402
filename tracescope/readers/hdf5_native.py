"""The reader of the native layout; :mod:`tracescope.readers.native` describes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from tracescope.readers.hdf5_cf import mended
from tracescope.readers.hdf5_tools import (
    is_hdf5,
    links,
    open_hdf5,
    own_node,
    text_of,
    values_of,
)
from tracescope.readers.native import SCHEMA
from tracescope.readers.notes import noticed
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
        return (EpisodeInfo("", int(np.size(_needed(file, "time_s", path)))),)


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
    values = values_of(file, name)
    if values is None:
        raise TraceReadError(
            Problem(f"the native layout needs /{name}", str(path), "it is missing")
        )
    return values


def _of_kind(values: Any, name: str, kinds: str) -> NDArray[Any]:
    """Return real numbers of the kinds of dtype that the layout writes.

    Raises:
        ValueError: They are something else.
    """
    array = np.asarray(values)
    if array.dtype.kind not in kinds:
        raise ValueError(f"/{name} holds {array.dtype}, not the numbers that belong there")
    return array


def _trace(file: Any, path: Path, choices: ImportChoices, progress: Progress) -> Trace:
    schema = int(file.attrs["tracescope_schema"])
    if schema > SCHEMA:
        what, found = "the file was written by a newer tracescope", f"schema {schema}"
        raise TraceReadError(Problem(what, str(path), found, "update tracescope"))
    time_s = read_only(_of_kind(_needed(file, "time_s", path), "time_s", "iuf").astype(np.float64))
    step = values_of(file, "step")
    health = _about(file, "health", list[HealthNote], [])
    clock, notes = _chosen_clock(_about(file, "clock", Clock, Clock()), choices)
    channels = _channels(file, time_s, choices, progress, notes)
    return Trace(
        source=Source(path=str(path), layout="native", rows_in_file=int(time_s.size)),
        clock=clock,
        time_s=time_s,
        channels=channels,
        step=None if step is None else _of_kind(step, "step", "iu").astype(np.int64),
        health=(*health, *notes),
        metadata=tuple(_about(file, "metadata", list[tuple[str, str]], [])),
        frames=_frames(file, path),
    )


def _about(file: Any, name: str, kind: Any, default: Any) -> Any:
    """Return a value kept as JSON, checked against its type."""
    import msgspec

    text = values_of(file, f"about/{name}")
    if text is None:
        return default
    try:
        return msgspec.json.decode(text_of(text).encode(), type=kind)
    except msgspec.MsgspecError as error:
        raise ValueError(f"/about/{name}: {error}") from error


def _chosen_clock(clock: Clock, choices: ImportChoices) -> tuple[Clock, list[HealthNote]]:
    """Keep the clock as it is; a choice of another one cannot be met and is said."""
    if choices.time_column in {None, clock.column} and choices.rate_hz is None:
        return clock, []
    done = "the choice of time column or rate was not used"
    return clock, [
        noticed("choice-unused", "the native layout has its clock already", "/time_s", 1, done)
    ]


def _channels(
    file: Any, time_s: Any, choices: ImportChoices, progress: Progress, notes: list[HealthNote]
) -> tuple[Channel, ...]:
    group, own = own_node(file, "channels"), own_node(file, "clocks")
    clocks = {
        name: read_only(np.asarray(values_of(own, name), dtype=np.float64))
        for name in ([] if own is None else _names(own))
    }
    names = [] if group is None else _names(group)
    columns = []
    for place, link in enumerate(names):
        progress(place / len(names), "reading channels")
        columns.append(_column(file, group, link, notes))
    guesses = roles_for(columns, choices)
    channels = []
    for link, column, (role, because) in zip(names, columns, guesses, strict=True):
        clock = _text(group[link], "clock")
        channels.append(
            Channel(
                name=column.name,
                role=role,
                time_s=clocks[clock] if clock else time_s,
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


def _names(group: Any) -> list[str]:
    return [name for name, key in links(group) if name == key]


def _text(node: Any, key: str, default: str = "") -> str:
    return text_of(node.attrs[key]) if key in node.attrs else default


def _column(file: Any, group: Any, link: str, notes: list[HealthNote]) -> Column:
    value = values_of(group, link)
    if value is None or np.asarray(value).dtype.kind not in "biuf":
        raise ValueError(f"/channels/{link} holds no numbers of its own")
    dataset = group[link]
    labels = values_of(file, f"labels/{link}")
    role = _text(dataset, "role")
    name = _text(dataset, "name", link)
    value = np.asarray(value)
    return Column(
        name=name,
        value=value if labels is not None else mended(name, dataset, value, notes),
        column=_text(dataset, "column"),
        index=int(dataset.attrs["index"]) if "index" in dataset.attrs else None,
        unit=_text(dataset, "unit"),
        dtype=_text(dataset, "dtype"),
        labels=() if labels is None else tuple(text_of(v) for v in np.ravel(labels).tolist()),
        role=Role(role) if role else None,
        role_because=_text(dataset, "role_because"),
    )


def _frames(file: Any, path: Path) -> tuple[FrameStack, ...]:
    """Return frames whose images lie in the same folder (no other file is ever read)."""
    frames = []
    group = own_node(file, "frames")
    for name in [] if group is None else _names(group):
        stack = own_node(group, name)
        lengths = values_of(stack, "lengths")
        beside = path.parent / Path(_text(stack, "path")).name
        frames.append(
            FrameStack(
                _text(stack, "name"),
                str(beside),
                _text(stack, "dataset"),
                np.asarray(values_of(stack, "time_s"), dtype=np.float64),
                _text(stack, "encoding", "raw"),  # type: ignore[arg-type]
                np.asarray(values_of(stack, "rows"), dtype=np.int64),
                None if lengths is None else np.asarray(lengths, dtype=np.int64),
            )
        )
    return tuple(frames)


READER = Reader("native", "tracescope's own HDF5 layout", claims, episodes, read)
