"""Export a stretch of a pair as CSV: raw and aligned time, values as recorded and as corrected."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import Place, place_of
from tracescope.analysis.residual import residual
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.errors import Problem, UsageError
from tracescope.model.progress import Progress, silent
from tracescope.model.trace import Channel, Samples, Trace
from tracescope.session.atomic import refuse_source
from tracescope.session.result_file import dated
from tracescope.session.session import Session
from tracescope.session.store import source_paths

BLOCK = 4096
"""Rows between two looks at whether somebody wants to cancel."""

COMPUTED = 1 << 18
"""Rows whose corrections and residuals are computed at a time."""

NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to export: names of sim channels and of target channels, and a span of the sim's clock.

    The target's rows are those whose aligned time lies inside.
    """

    sim: tuple[str, ...]
    target: tuple[str, ...]
    span_s: Interval


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The channels of one side that share a clock, and the rows of it that are inside the span."""

    side: str
    trace: Trace
    time_s: Samples
    channels: tuple[Channel, ...]
    rows: slice


def export_range(
    session: Session,
    path: Path | str,
    wanted: Wanted,
    date: str | None = None,
    progress: Progress = silent,
) -> int:
    """Write a CSV with one row a sample; return how many.

    Columns: ``trace``; ``raw_time_s`` as recorded (with the origin that was taken off put back, exactly);
    ``aligned_time_s`` on the simulator's clock; then every signal as recorded, every corrected target
    signal once more as ``NAME corrected``, and for every matched pair ``NAME residual``, target − sim at
    the simulator's samples. Comment lines (``#``) above name files, alignment and corrections.

    Args:
        path: Written as a whole or not at all; never one of the recordings.
        wanted: Signals and span.
        date: ISO 8601; ``None`` is now.
        progress: Told after each block of rows.

    Raises:
        UsageError: where the path cannot be used or a signal does not exist.
        Cancelled: from ``progress``; nothing is left behind.
    """
    path = Path(path)
    refuse_source(path, source_paths(session))
    _refuse_unknown(session, wanted)
    case = session.case
    parts = _parts(case, wanted)
    total: int = sum(part.rows.stop - part.rows.start for part in parts)
    draft = path.absolute().parent / f".{path.name}.{os.getpid()}.tmp"
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"# {line}\n" for line in _header(session, wanted, dated(date)))
            _write_rows(file, case, wanted, parts, total, progress)
        draft.replace(path)
    except OSError as error:
        todo = "choose another place"
        raise UsageError(
            Problem(f"cannot be written: {error.strerror}", str(path), todo=todo)
        ) from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()
    return total


def _refuse_unknown(session: Session, wanted: Wanted) -> None:
    sides = ((session.pair.sim, wanted.sim), (session.pair.target, wanted.target))
    unknown = [name for trace, names in sides for name in names if name not in trace]
    if unknown:
        raise UsageError([Problem("no such signal", name) for name in unknown])


def _parts(case: Case, wanted: Wanted) -> list[_Part]:
    out = []
    sides = (("sim", case.pair.sim, wanted.sim), ("target", case.pair.target, wanted.target))
    for side, trace, names in sides:
        ends = np.array(wanted.span_s)
        if side == "target":
            ends = case.alignment.to_target(ends)
        clocks: dict[Place, list[Channel]] = {}
        for name in names:
            channel = trace[name]
            clocks.setdefault(place_of(channel.time_s), []).append(channel)
        for channels in clocks.values():
            time_s = channels[0].time_s
            first = int(np.searchsorted(time_s, ends[0], side="left"))
            last = int(np.searchsorted(time_s, ends[1], side="right"))
            out.append(_Part(side, trace, time_s, tuple(channels), slice(first, max(first, last))))
    return out


def _header(session: Session, wanted: Wanted, date: str) -> Iterator[str]:
    """Yield what a reader of the file needs to make aligned time and corrected values himself."""
    alignment = session.alignment
    yield f"tracescope export of the visible range, {date}"
    for side, trace in (("sim", session.pair.sim), ("target", session.pair.target)):
        source, clock = trace.source, trace.clock
        episode = f" episode {source.episode}" if source.episode else ""
        yield f"{side}: {source.path}{episode} sha256 {source.sha256 or 'unknown'}"
        yield f"{side} clock: {clock.column or clock.kind}, origin {clock.origin_ns} ns"
    yield f"range: {wanted.span_s[0]!r} s to {wanted.span_s[1]!r} s on the simulator's clock"
    yield (
        f"alignment: {alignment.how}, {alignment.mode} mode, offset_s {alignment.offset_s!r}, "
        f"drift {alignment.drift!r}, pivot_s {alignment.pivot_s!r}, step_shift {alignment.step_shift}"
    )
    yield "aligned_time_s = t − (offset_s + drift · (t − pivot_s)), t = raw_time_s − origin, target only"
    yield "a positive offset says that the target's stamps are late: the target moves left"
    for correction in session.corrections:
        yield f"correction: {correction.in_full}; corrected = (recorded − offset) / scale"
    yield "residual = target corrected − sim, at the simulator's samples"


def _columns(case: Case, wanted: Wanted) -> list[tuple[str, str, str]]:
    """Return (header, side, channel) of every column after the times; residuals have side ``residual``."""
    corrected = [name for name in wanted.target if case.correction_of(name) is not None]
    matched = [name for name in wanted.sim if case.pair.target_of(name) in wanted.target]
    names = dict.fromkeys((*wanted.sim, *wanted.target))
    columns = [(_quoted(name), "recorded", name) for name in names]
    columns += [(_quoted(f"{name} corrected"), "corrected", name) for name in corrected]
    columns += [(_quoted(f"{name} residual"), "residual", name) for name in matched]
    return columns


def _write_rows(
    file: TextIO,
    case: Case,
    wanted: Wanted,
    parts: Sequence[_Part],
    total: int,
    progress: Progress,
) -> None:
    columns = _columns(case, wanted)
    names = ["trace", "raw_time_s", "aligned_time_s", *(name for name, _, _ in columns)]
    file.write(",".join(names) + "\n")
    done = 0
    for part in parts:
        for start in range(part.rows.start, part.rows.stop, COMPUTED):
            rows = slice(start, min(start + COMPUTED, part.rows.stop))
            writers = _writers(case, part, rows, columns)
            for first in range(0, rows.stop - rows.start, BLOCK):
                piece = slice(first, min(first + BLOCK, rows.stop - rows.start))
                cells = [writer(piece) for writer in writers]
                file.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))
                done += piece.stop - piece.start
                progress(done / max(total, 1), f"exporting {done} of {total} samples")


Writer = Callable[[slice], list[str]]


def _writers(
    case: Case, part: _Part, rows: slice, columns: list[tuple[str, str, str]]
) -> list[Writer]:
    """Return for each column what writes the cells of some of these rows."""
    own_s = part.time_s[rows]
    aligned_s = own_s if part.side == "sim" else case.alignment.to_sim(own_s)
    writers: list[Writer] = [
        lambda piece: [part.side] * (piece.stop - piece.start),
        lambda piece: _raw_times(part, own_s[piece]),
        lambda piece: [repr(t) for t in aligned_s[piece].tolist()],
    ]
    own = {channel.name: channel for channel in part.channels}
    for _, kind, name in columns:
        channel = own.get(name)
        if channel is not None and kind == "recorded":
            writers.append(partial(_recorded_cells, channel, channel.value[rows]))
        elif channel is not None and kind == "corrected" and part.side == "target":
            writers.append(partial(_number_cells, _corrected(case, name, rows)))
        elif channel is not None and kind == "residual" and part.side == "sim":
            writers.append(partial(_number_cells, residual(case, name, own_s)[1]))
        else:
            writers.append(lambda piece: [""] * (piece.stop - piece.start))
    return writers


def _raw_times(part: _Part, own_s: Samples) -> list[str]:
    """Write stamps as recorded: the origin is added in integers, so that no nanosecond is lost."""
    origin_ns = part.trace.clock.origin_ns
    if origin_ns == 0:
        return [repr(t) for t in own_s.tolist()]
    stamps = [origin_ns + round(t * NANOSECONDS) for t in own_s.tolist()]
    return [
        f"{'-' if ns < 0 else ''}{abs(ns) // NANOSECONDS}.{abs(ns) % NANOSECONDS:09d}"
        for ns in stamps
    ]


def _corrected(case: Case, name: str, rows: slice) -> Samples:
    correction = case.correction_of(name)
    value = case.pair.target[name].value[rows]
    if correction is None:
        return value.astype(np.float64)
    if correction.source is not None:
        value = case.pair.target[correction.source].value[rows]
    return correction.applied_to(value.astype(np.float64))


def _recorded_cells(channel: Channel, value: NDArray[np.generic], piece: slice) -> list[str]:
    if channel.labels:
        texts, codes = channel.labels, value[piece].astype(np.float64).tolist()
        known = [int(c) if np.isfinite(c) and 0 <= c < len(texts) else -1 for c in codes]
        return [_quoted(texts[code]) if code >= 0 else "" for code in known]
    if value.dtype.kind == "b":
        return ["1" if v else "0" for v in value[piece].tolist()]
    return _number_cells(value, piece)


def _number_cells(value: NDArray[np.generic], piece: slice) -> list[str]:
    return ["" if v != v else repr(v) for v in value[piece].tolist()]  # noqa: PLR0124  # NaN alone differs


def _quoted(text: str) -> str:
    if any(mark in text for mark in ',"\n\r#'):
        return '"' + text.replace('"', '""') + '"'
    return text
