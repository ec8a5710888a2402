"""Numbers and spans as the window writes them: short, with their unit, never more digits than known."""

from __future__ import annotations

import math

from tracescope.findings.numbers import (
    UNTOLD,
    WITHIN,
    estimate_text,
    is_untold,
    number,
    prefix,
    unit_of,
)
from tracescope.findings.numbers import band_text as as_it_was_set
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Measurement, State
from tracescope.model.trace import Channel, Clock, Trace

ROUNDING = 1e-9
"""Half an interval below this share of its ends is the rounding of its computation."""

HAND_BADGE = "by hand"
STATE_WORDS = {State.PASS: "pass", State.FAIL: "fail", State.INCONCLUSIVE: "inconclusive"}


def measured_text(measurement: Measurement) -> str:
    """Write estimate and interval with their unit, e.g. ``34.8 ms [34.2, 35.4]``; as the note does."""
    if is_untold(measurement):
        return UNTOLD
    unit = unit_of(measurement.quantity, measurement.unit)
    return spread_text(measurement.estimate, measurement.interval, unit, measurement.tolerance)


def spread_text(
    estimate: float, interval: Interval | None, unit: str, band: Interval | None = None
) -> str:
    """Write an estimate and its interval; one narrower than the last digit becomes ``± < that digit``.

    Where a tolerance is given, with enough digits to show on which side of it the interval lies.
    """
    value, within = estimate_text(estimate, interval, unit, band)
    if not within or interval is None:
        return value
    if _is_rounding(interval):
        return value
    if within.startswith(WITHIN):
        return f"{value} {within}"
    shown = prefix(unit, estimate, *interval)[0]
    ends = within.removesuffix(f" {shown}") if shown else within
    return f"{value} [{ends.replace(' to ', ', ')}]"


def _is_rounding(interval: Interval) -> bool:
    """Say whether half an interval is only the rounding of its computation."""
    half = float(f"{(interval[1] - interval[0]) / 2:.2g}")
    return not half > ROUNDING * max(abs(end) for end in interval)


def correction_text(case: Case | None, target: Channel | None) -> str:
    """Write the correction in force on a target channel, e.g. ``÷ 1.5``, and whether a person gave it.

    Empty where there is none.
    """
    found = None if case is None or target is None else case.correction_of(target.name)
    if found is None:
        return ""
    return f"{found.in_short} {HAND_BADGE}" if found.by_hand else found.in_short


def brief_text(measurement: Measurement) -> str:
    """Write estimate and interval with four digits, for where the full text does not fit."""
    if is_untold(measurement):
        return UNTOLD
    ends = measurement.interval or ()
    given = unit_of(measurement.quantity, measurement.unit)
    unit, factor = prefix(given, measurement.estimate, *ends)
    text = f"{number(measurement.estimate * factor)} {unit}".rstrip()
    shown = [number(end * factor) for end in ends]
    if shown and shown[0] == shown[1]:
        return spread_text(measurement.estimate, measurement.interval, given)
    return f"{text} [{', '.join(shown)}]" if shown else text


def band_text(band: Interval | None, unit: str) -> str:
    """Write a tolerance band; one-sided ones as ``at most`` or ``at least``."""
    if band is None:
        return "none: reported, never judged"
    return as_it_was_set(band, unit)


def drift_text(ppm: float) -> str:
    """Write a drift with its sign, e.g. ``+41 ppm``; whole above a thousand."""
    return f"{'+' if ppm > 0 else ''}{number(ppm)} ppm"


def duration_text(seconds: float) -> str:
    """Write a duration, in minutes where seconds become unreadable."""
    if abs(seconds) >= 600:
        return f"{_short(seconds / 60)} min"
    return f"{_short(seconds)} s"


def rate_text(trace: Trace) -> str:
    """Write a trace's measured rate, beside a nominal one that differs from it by over 1 %."""
    if trace.clock.kind == "rows":
        return "no clock"
    if not (math.isfinite(trace.interval_s) and trace.interval_s > 0):
        return "rate unknown"
    measured_hz = 1 / trace.interval_s
    text = f"{_short(measured_hz)} Hz"
    nominal_hz = trace.clock.rate_hz
    if trace.clock.kind == "nominal":
        return f"{text} (given)"
    if nominal_hz and abs(nominal_hz / measured_hz - 1) > 0.01:
        text += f" measured, {_short(nominal_hz)} Hz nominal"
    return text


def clock_text(clock: Clock) -> str:
    """Say which column is the clock and in which unit."""
    if clock.kind == "rows":
        return "clock: none, rows are counted"
    if clock.kind == "nominal":
        return f"clock: rows at {_short(clock.rate_hz or math.nan)} Hz"
    return f"clock: {clock.column} ({clock.unit})"


def _short(value: float) -> str:
    """Three digits; a number that they would round to 1e+03 is written out."""
    return f"{value:.3g}" if 0.01 <= abs(value) < 999.5 else number(value)
