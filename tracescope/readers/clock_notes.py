"""What is worth saying about a clock beside other things that say time: a second clock, a nominal rate."""

from __future__ import annotations

import numpy as np

from tracescope.model.trace import Clock, HealthNote, Samples
from tracescope.readers.clock import PER_S, inferred_unit, is_interval, stamps_of
from tracescope.readers.notes import noticed, warned
from tracescope.readers.table import Column, Table

RATE_SHARE = 0.02
"""A nominal rate farther than this share from the measured one is said."""


def clock_notes(table: Table, clock: Clock, time_s: Samples, used: set[int]) -> list[HealthNote]:
    """Compare the clock with every other column that says time, and with the rate the file says."""
    if clock.kind != "stamped":
        return []
    notes = []
    others = set(clock.others)
    measured = _interval(time_s) if others or clock.rate_hz else float("nan")
    for i, column in enumerate(table.columns):
        if i in used or column.name not in others or column.value.size != time_s.size:
            continue
        if is_interval(column):
            notes += _nominal_note(column, measured)
        else:
            notes += _second_clock(column, clock, time_s)
    if clock.rate_hz and np.isfinite(measured):
        ratio = clock.rate_hz * measured
        if abs(ratio - 1) > RATE_SHARE:
            what = f"the file says {clock.rate_hz:g} Hz, its stamps say {1 / measured:.4g} Hz"
            notes.append(warned("nominal-rate", what, clock.column, 1, "the stamps are used"))
    return notes


def _interval(time_s: Samples) -> float:
    steps = np.diff(time_s[np.isfinite(time_s)])
    steps = steps[steps > 0]
    return float(np.median(steps)) if steps.size else float("nan")


def _nominal_note(column: Column, measured: float) -> list[HealthNote]:
    unit, _ = inferred_unit(column)
    value = column.value.astype(np.float64)
    value = value[np.isfinite(value)] / PER_S[unit]
    if not value.size or np.ptp(value) > 1e-9 * abs(float(value[0])) or not np.isfinite(measured):
        return []
    said = float(value[0])
    if abs(said / measured - 1) <= RATE_SHARE:
        return []
    what = f"{column.name} says a constant {said * 1e3:.4g} ms; the median interval is {measured * 1e3:.4g} ms"
    return [noticed("nominal-interval", what, column.name, 1, "the stamps are used")]


def _second_clock(column: Column, clock: Clock, time_s: Samples) -> list[HealthNote]:
    """Say how far a second clock is from the first, at the start and at the end."""
    other = stamps_of(column)
    same_origin = other.is_epoch == clock.is_epoch
    own = other.time_s + ((other.origin_ns - clock.origin_ns) / 1e9 if same_origin else 0.0)
    both = np.flatnonzero(np.isfinite(own) & np.isfinite(time_s))
    if both.size < 2 or (np.diff(own[both]) < 0).any() or np.ptp(own[both]) == 0:
        return []
    first, last = both[0], both[-1]
    start, end = float(own[first] - time_s[first]), float(own[last] - time_s[last])
    growth = end - start
    if same_origin and abs(growth) < 1e-9 and abs(start) < 1e-9:
        return [noticed("second-clock", f"{column.name} equals the clock", column.name)]
    if same_origin:
        what = f"{start:+.6g} s from {clock.column} at the start, {end:+.6g} s at the end"
    elif abs(growth) < 1e-6:
        what = "it counts from another origin, at the same pace"
    else:
        what = f"it counts from another origin, and runs {growth:+.3g} s ahead of {clock.column} until the end"
    span = float(time_s[last] - time_s[first])
    diverges = abs(growth) > max(1e-3 * span, 2 * _interval(time_s))
    note = warned if diverges else noticed
    what = f"{column.name} is another clock: {what}"
    return [note("second-clock", what, column.name, 1, f"{clock.column} is the clock")]
