"""What is worth saying about stamps and values of a finished trace."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from tracescope.analysis.gaps import gap_length_s
from tracescope.model.trace import Channel, HealthNote, Role, Samples, Trace
from tracescope.model.words import counted
from tracescope.readers.notes import noticed, repaired, warned
from tracescope.readers.roles import WORDS

_FEW = 5

FEWEST_FOR_GAPS = 8
"""Rows below which no interval is the usual one, so that none is too long."""

MOST_VALUE = 1e36
"""Beyond any quantity a machine has: largest floats and netCDF's filling as sentinels most of all. No check
could so much as cube it. A simulation that blew up (1e22 N m) stays well below."""

LEAST_VALUE = 1e-40
"""A channel that never leaves so narrow a band around zero does not move: squares of it would vanish."""


def without_sentinels(value: np.typing.NDArray[Any]) -> tuple[np.typing.NDArray[Any], int, bool]:
    """Take out finite numbers that no machine has.

    Returns:
        The values with NaN for those numbers, how many they were, and whether all values are known to be
        finite.
    """
    if value.dtype not in (np.float64, np.float32) or not value.size:
        return value, 0, False
    least, most = extremes(value)
    if least >= -MOST_VALUE and most <= MOST_VALUE:  # also says that none is NaN
        return value, 0, True
    if np.fmax.reduce(value) <= MOST_VALUE and np.fmin.reduce(value) >= -MOST_VALUE:
        return value, 0, False
    beyond = np.isfinite(value) & (np.abs(value) > MOST_VALUE)
    return np.where(beyond, value.dtype.type(np.nan), value), int(beyond.sum()), False


def is_speck(value: np.typing.NDArray[Any]) -> bool:
    """Whether numbers that are not all zero stay closer to zero than anything is measured."""
    if value.dtype.kind != "f" or not value.size or not np.abs(value[0]) < LEAST_VALUE:
        return False
    sizes = np.abs(value[np.isfinite(value)])
    return bool(0 < sizes.max() < LEAST_VALUE)


def speck_notes(names: list[str]) -> list[HealthNote]:
    """Note channels that :func:`is_speck` tells."""
    if not names:
        return []
    what = f"{counted(len(names), 'channel never leaves', 'channels never leave')} ±{LEAST_VALUE:g}"
    return [repaired("specks", what, _names(names), len(names), "taken as zero")]


AT_ONCE = 1 << 15
"""Values looked at twice while they are in a core's own cache."""


def extremes(value: np.typing.NDArray[Any]) -> tuple[float, float]:
    """Return the least and the greatest of some numbers in one pass over memory; NaN where one is NaN."""
    pieces = [value[at : at + AT_ONCE] for at in range(0, value.size, AT_ONCE)]
    with np.errstate(invalid="ignore"):  # a NaN that a file's bytes make may be a signalling one
        ends = np.array([(piece.min(), piece.max()) for piece in pieces], np.float64)
    return float(ends[:, 0].min()), float(ends[:, 1].max())


def sentinel_notes(taken_out: list[tuple[str, int]]) -> list[HealthNote]:
    """Note what :func:`without_sentinels` took out, by channel name."""
    if not taken_out:
        return []
    count = sum(n for _, n in taken_out)
    what = (
        f"{counted(count, 'number lies', 'numbers lie')} beyond ±{MOST_VALUE:g},"
        f" in {counted(len(taken_out), 'channel')}"
    )
    names = _names([f"{name} ({n})" for name, n in taken_out])
    return [repaired("sentinels", what, names, count, "taken as missing")]


def stamp_notes(trace: Trace) -> list[HealthNote]:
    """Note repeated stamps, stale rows and gaps of the row clock."""
    if trace.clock.kind != "stamped" or len(trace) < 3:
        return []
    notes = []
    steps = np.diff(trace.time_s)
    repeated = np.flatnonzero(steps == 0) + 1
    if repeated.size:
        stale = repeated[_same_observation(trace, repeated)]
        fresh = np.setdiff1d(repeated, stale)
        if stale.size:
            what = (
                f"{stale.size} of {len(trace)} rows {'repeats' if stale.size == 1 else 'repeat'} stamp and"
                " observation of the row before"
            )
            notes.append(
                warned("stale-rows", what, _at(trace.time_s, stale), int(stale.size), "kept")
            )
        if fresh.size:
            what = (
                f"{counted(fresh.size, 'row has', 'rows have')} the stamp of the row before but"
                " other values"
            )
            where = _at(trace.time_s, fresh)
            notes.append(warned("duplicate-stamps", what, where, int(fresh.size), "kept"))
    longest_s = gap_length_s(trace.time_s)
    gaps = np.flatnonzero(steps > longest_s)
    if gaps.size and len(trace) >= FEWEST_FOR_GAPS:
        interval = trace.interval_s
        exceed = "intervals exceed" if gaps.size > 1 else "interval exceeds"
        what = (
            f"{gaps.size} {exceed} {longest_s / interval:.3g} periods; the longest lasts"
            f" {float(steps.max()) * 1e3:.4g} ms against a median of {interval * 1e3:.4g} ms"
        )
        where = _at(trace.time_s, gaps)
        done = "nothing is interpolated across them"
        notes.append(noticed("gaps", what, where, int(gaps.size), done))
    return notes


def _same_observation(
    trace: Trace, rows: np.typing.NDArray[np.int64]
) -> np.typing.NDArray[np.bool_]:
    """Say of rows whether all observations equal those of the row before, shape ``(m,)``."""
    observed = [c for c in trace.of_role(Role.OBSERVATION) if c.time_s is trace.time_s]
    observed = observed or [c for c in trace.channels if c.value.shape == trace.time_s.shape]
    same = np.full(rows.shape, bool(observed))
    for channel in observed:
        value = channel.value
        same &= value[rows] == value[rows - 1]
    return same


def value_notes(trace: Trace, finite: Collection[str] = ()) -> list[HealthNote]:
    """Note channels with values that are not finite, whole or in part.

    Args:
        trace: The trace.
        finite: Names of channels that were looked through and are finite.
    """
    notes = []
    partly: list[tuple[Channel, int]] = []
    wholly: list[str] = []
    infinite: list[tuple[Channel, int]] = []
    for channel in trace.channels:
        if channel.value.dtype.kind != "f" or not channel.value.size or channel.name in finite:
            continue
        if np.isfinite(extremes(channel.value)).all():
            continue
        nan = int(np.isnan(channel.value).sum())
        inf = int(np.isinf(channel.value).sum())
        if nan == channel.value.size:
            wholly.append(channel.name)
        elif nan:
            partly.append((channel, nan))
        if inf:
            infinite.append((channel, inf))
    if wholly:
        what = f"{counted(len(wholly), 'channel holds', 'channels hold')} no value at all"
        notes.append(noticed("empty-channels", what, _names(wholly), len(wholly), "kept"))
    notes += _word_notes(trace)
    notes += _cells(partly, "NaN or empty cell", "nan-cells", "drawn as gaps")
    notes += _cells(infinite, "infinite cell", "infinite-cells", "kept")
    return notes


def _word_notes(trace: Trace) -> list[HealthNote]:
    """Warn of channels whose names promise numbers and whose cells are words."""
    found = [channel for channel in trace.channels if channel.role_because.endswith(WORDS)]
    if not found:
        return []
    what = (
        f"{counted(len(found), 'channel holds', 'channels hold')} words where numbers are expected"
    )
    names = _names([f"{c.name} ({next(filter(None, c.labels), '')[:20]!r})" for c in found])
    done = "shown as labels, never judged; write plain numbers (1234.5) to have them checked"
    return [warned("words-for-numbers", what, names, len(found), done)]


def _cells(found: list[tuple[Channel, int]], what: str, key: str, done: str) -> list[HealthNote]:
    if not found:
        return []
    count = sum(n for _, n in found)
    names = _names([f"{channel.name} ({n})" for channel, n in found])
    text = f"{counted(count, what)} in {counted(len(found), 'channel')}"
    return [noticed(key, text, names, count, done)]


def _names(names: list[str]) -> str:
    return ", ".join(names[:_FEW]) + (", …" if len(names) > _FEW else "")


def _at(time_s: Samples, rows: np.typing.NDArray[np.int64]) -> str:
    texts = [f"row {row} ({time_s[row]:.6g} s)" for row in rows[:_FEW].tolist()]
    return ", ".join(texts) + (", …" if rows.size > _FEW else "")
