"""The native layout: a trace in HDF5 that reads back bit for bit.

Written by :func:`write_native`, easily written by others as well. Only what is marked * is needed::

    /                    attribute * tracescope_schema = 1
    /time_s              * float64 (n,): seconds of the rows, never decreasing
    /step                int64 (n,): step counter
    /channels/<any>      * one 1-D dataset a channel, in natural order of link names; attributes:
                           name         what it is called (else the link's name)
                           role         observation, observation_raw, action, action_applied, reward, done,
                                        terminated, truncated, latency, other (else guessed from the name)
                           role_because, unit, column, index, dtype
                           clock        link name below /clocks; else the rows' clock
    /clocks/<any>        float64 (m,): clocks of channels that have their own
    /labels/<any>        texts that the codes of the channel of the same link name stand for
    /frames/<any>        group: attributes name, path (beside this file), dataset, encoding; datasets
                         time_s, rows, lengths
    /about/clock         JSON: kind, column, unit, origin_ns, is_epoch, rate_hz, others, because
    /about/source        JSON: path, sha256, layout, layout_because, episode, rows_in_file
    /about/health        JSON: list of what, where, count, done, severity, key
    /about/metadata      JSON: list of [key, text]

``origin_ns`` are the integer nanoseconds that were subtracted from stamps; seconds count from there.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from tracescope.model.errors import Problem, UsageError
from tracescope.model.trace import Channel, Trace

SCHEMA = 1


def write_native(trace: Trace, path: str | Path) -> None:
    """Write a trace; a temporary file is renamed into place, so that no half-written file is ever seen.

    Raises:
        UsageError: where ``path`` is the trace's own source.
    """
    path = Path(path)
    source = Path(trace.source.path)
    if path.exists() and source.exists() and path.resolve() == source.resolve():
        raise UsageError(
            Problem(
                "a trace is never written over its own source",
                str(path),
                todo="choose another name",
            )
        )
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    os.close(handle)
    try:
        _write(trace, Path(temporary))
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _write(trace: Trace, path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file.attrs["tracescope_schema"] = SCHEMA
        file.create_dataset("time_s", data=trace.time_s)
        if trace.step is not None:
            file.create_dataset("step", data=trace.step)
        about = file.create_group("about")
        source, clock = asdict(trace.source), asdict(trace.clock)
        for key, value in (
            ("clock", clock),
            ("source", source),
            ("health", [asdict(note) for note in trace.health]),
            ("metadata", [list(entry) for entry in trace.metadata]),
        ):
            about.create_dataset(key, data=json.dumps(value), dtype=_text())
        _write_channels(file, trace)
        _write_frames(file, trace)


def _text() -> Any:
    import h5py

    return h5py.string_dtype("utf-8")


def _write_channels(file: Any, trace: Trace) -> None:
    channels = file.create_group("channels")
    clocks: dict[int, str] = {}
    for place, channel in enumerate(trace.channels):
        link = f"{place:06d}"
        dataset = channels.create_dataset(link, data=np.asarray(channel.value))
        attrs = dataset.attrs
        for key in ("name", "unit", "column", "dtype", "role_because"):
            attrs.create(key, getattr(channel, key), dtype=_text())
        attrs.create("role", str(channel.role), dtype=_text())
        if channel.index is not None:
            attrs["index"] = channel.index
        if channel.time_s is not trace.time_s and not _same(channel, trace):
            attrs.create("clock", _own_clock(file, channel, clocks), dtype=_text())
        if channel.labels:
            file.create_dataset(f"labels/{link}", data=list(channel.labels), dtype=_text())


def _same(channel: Channel, trace: Trace) -> bool:
    return channel.time_s.size == trace.time_s.size and np.array_equal(channel.time_s, trace.time_s)


def _own_clock(file: Any, channel: Channel, clocks: dict[int, str]) -> str:
    key = id(channel.time_s)
    if key not in clocks:
        clocks[key] = f"{len(clocks):06d}"
        file.create_dataset(f"clocks/{clocks[key]}", data=channel.time_s)
    return clocks[key]


def _write_frames(file: Any, trace: Trace) -> None:
    for place, frame in enumerate(trace.frames):
        group = file.create_group(f"frames/{place:06d}")
        for key in ("name", "path", "dataset", "encoding"):
            group.attrs.create(key, getattr(frame, key), dtype=_text())
        group.create_dataset("time_s", data=frame.time_s)
        group.create_dataset("rows", data=frame.rows)
        if frame.lengths is not None:
            group.create_dataset("lengths", data=frame.lengths)
