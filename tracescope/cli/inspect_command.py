"""``tracescope inspect``: what is in a file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tracescope.cli.output import told, write_out
from tracescope.cli.sides import require_path
from tracescope.findings.numbers import number, value_text
from tracescope.findings.result import finite
from tracescope.model.trace import Channel, Role, Trace
from tracescope.readers.base import ImportChoices, Inspection
from tracescope.readers.roles import also_applied

SCHEMA = 1
MOST_LISTED = 60
WIDEST_NAME = 60
MOST_NAMED = 6


def run(options: argparse.Namespace) -> int:
    """Print what a file holds, or write it as JSON; return 0.

    Raises:
        TraceReadError: where no trace is in it: says what it is.
    """
    from tracescope.readers import inspect_file

    require_path(options.file, "FILE")
    choices = ImportChoices()
    if options.map:
        from tracescope.readers.mapfile import read_map

        choices = read_map(Path(options.map)).sim
    found = inspect_file(options.file, choices=choices)
    if options.json:
        content = msgspec.json.format(msgspec.json.encode(inspection_value(found)), indent=1)
        write_out(options.json, content + b"\n", (options.file,))
    if options.json != "-":
        _print(found)
    return 0


def inspection_value(found: Inspection) -> dict[str, Any]:
    """Return the JSON value of ``inspect --json``, schema 1."""
    return {
        "schema": SCHEMA,
        "path": found.path,
        "sha256": found.sha256,
        "layout": found.layout,
        "layout_because": found.layout_because,
        "episodes": [_episode(trace) for trace in found.traces],
        "health": [_health(note) for note in _all_health(found)],
    }


def _all_health(found: Inspection) -> list[Any]:
    notes = list(found.health)
    for trace in found.traces:
        notes += [note for note in trace.health if note not in notes]
    return notes


def _health(note: Any) -> dict[str, Any]:
    return {"what": note.what, "where": note.where, "count": note.count, "done": note.done}


def _episode(trace: Trace) -> dict[str, Any]:
    return {
        "key": trace.source.episode or "",
        "steps": len(trace),
        "duration_s": finite(trace.duration_s),
        "interval_s": finite(trace.interval_s),
        "clock": {
            "column": trace.clock.column,
            "unit": trace.clock.unit,
            "origin": str(trace.clock.origin_ns),
        },
        "channels": [_channel(channel) for channel in trace],
    }


def _channel(channel: Channel) -> dict[str, Any]:
    value = channel.as_float()
    good = value[np.isfinite(value)]
    return {
        "name": channel.name,
        "role": str(channel.role),
        "role_because": channel.role_because,
        "unit": channel.unit,
        "dtype": channel.dtype,
        "range": [float(good.min()), float(good.max())] if good.size else None,
        "nonfinite": int(value.size - good.size),
    }


def applied_lines(trace: Trace) -> tuple[str, ...]:
    """Say why a channel was taken for the applied action where others could be it too, and what to do."""
    rivals = also_applied(trace)
    if not rivals:
        return ()
    lines = [
        f"{c.name} is taken as applied action: {c.role_because}"
        for c in trace.of_role(Role.ACTION_APPLIED)[:MOST_NAMED]
    ]
    lines += [f"{c.name} is not taken: {c.role_because}" for c in rivals[:MOST_NAMED]]
    if len(rivals) > MOST_NAMED:
        lines.append(f"and {len(rivals) - MOST_NAMED} more are not")
    return (
        *lines,
        "to take another: action_applied = [...] under [both.roles] of a map file (--map)",
    )


def _timing(trace: Trace) -> str:
    """Return duration, interval and rate; rows that are only counted have none of them."""
    if trace.clock.kind == "rows":
        return ", no clock"
    rate = f", {number(1 / trace.interval_s)} Hz" if trace.interval_s > 0 else ""
    duration, interval = (value_text(v, None, "s") for v in (trace.duration_s, trace.interval_s))
    return f", {duration}, median interval {interval}{rate}"


def _print(found: Inspection) -> None:
    def say(line: str) -> None:
        print(told(line))

    say(f"{found.path}")
    say(f"  SHA-256  {found.sha256}")
    say(f"  layout   {found.layout} ({found.layout_because})")
    for trace in found.traces:
        clock = trace.clock
        name = trace.source.episode or "one episode"
        say(f"  {name}: {len(trace)} rows{_timing(trace)}")
        say(f"    clock {clock.column or clock.kind} in {clock.unit} ({clock.because})")
        if trace.step is not None and trace.step.size:
            say(
                f"    step counter {trace.step.min()} to {trace.step.max()}: rows can be paired by it"
            )
        listed = trace.channels[:MOST_LISTED]
        wide = max((min(len(c.name), WIDEST_NAME) for c in listed), default=0)
        for channel in listed:
            value = _channel(channel)
            span = value["range"]
            seen = f"{number(span[0])} to {number(span[1])}" if span else "nothing finite"
            bad = f", {value['nonfinite']} not finite" if value["nonfinite"] else ""
            unit = f" {channel.unit}" if channel.unit else ""
            name = channel.name.replace("\n", "\\n")
            say(f"    {name:{wide}}  {channel.role:16}{seen}{unit}{bad}")
        for line in applied_lines(trace):
            say(f"    {line}")
        if len(trace.channels) > MOST_LISTED:
            say(
                f"    and {len(trace.channels) - MOST_LISTED} more channels (--json lists them all)"
            )
    others = [
        e for e in found.episodes if e.key not in {t.source.episode or "" for t in found.traces}
    ]
    for episode in others[:MOST_LISTED]:
        say(f"  {episode.key}: {episode.steps} rows {episode.note}")
    for note in _all_health(found):
        done = f": {note.done}" if note.done else ""
        say(f"  {note.severity}: {note.placed}{done}")
