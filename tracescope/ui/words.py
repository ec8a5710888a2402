"""Numbers and spans as the window writes them: short, with their unit, never more digits than known."""

from __future__ import annotations

import math

from tracescope.model.alignment import Interval
from tracescope.model.check import Measurement, State
from tracescope.model.trace import Clock, Trace

STATE_WORDS = {State.PASS: "pass", State.FAIL: "fail", State.INCONCLUSIVE: "inconclusive"}


def number(value: float, digits: int = 4) -> str:
    """Write a number with at most ``digits`` significant digits and a real minus sign."""
    if math.isnan(value):
        return "n/a"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.{digits}g}"
    if "e" in text and 1e-4 <= abs(value) < 1e7:
        text = f"{value:.0f}"
    return text.replace("-", "−")


def scaled(unit: str, *values: float) -> tuple[float, str]:
    """Return the factor and unit that make seconds and shares readable: ms, µs, %."""
    finite = [abs(v) for v in values if math.isfinite(v) and v]
    biggest = max(finite, default=1.0)
    if unit == "s" and biggest < 1e-3:
        return 1e6, "µs"
    if unit == "s" and biggest < 1:
        return 1e3, "ms"
    return 1.0, unit


def interval_text(interval: Interval | None, factor: float = 1.0) -> str:
    """Write ``[low, high]`` with as many digits as tell the ends apart."""
    if interval is None:
        return ""
    low, high = interval[0] * factor, interval[1] * factor
    digits = digits_for(low, high)
    return f"[{number(low, digits)}, {number(high, digits)}]"


def digits_for(low: float, high: float) -> int:
    """Return how many significant digits tell two numbers apart, 3 to 6."""
    width, size = abs(high - low), max(abs(low), abs(high))
    if not (math.isfinite(width) and math.isfinite(size)) or width == 0:
        return 4
    return min(6, max(3, 2 + math.ceil(math.log10(size / width)) if size > width else 3))


def measured_text(measurement: Measurement) -> str:
    """Write estimate and interval with their unit, e.g. ``34.8 [34.2, 35.4] ms``."""
    ends = measurement.interval or ()
    factor, unit = scaled(measurement.unit, measurement.estimate, *ends)
    digits = digits_for(*measurement.interval) if measurement.interval else 4
    parts = [number(measurement.estimate * factor, digits)]
    if measurement.interval is not None:
        parts.append(interval_text(measurement.interval, factor))
    if unit:
        parts.append(unit)
    return " ".join(parts)


def band_text(band: Interval | None, unit: str) -> str:
    """Write a tolerance band; one-sided ones as ``≤`` or ``≥``."""
    if band is None:
        return "no tolerance: reported, not judged"
    low, high = band
    suffix = f" {unit}" if unit else ""
    if math.isinf(low) and math.isinf(high):
        return "anything"
    if math.isinf(low):
        return f"≤ {number(high)}{suffix}"
    if math.isinf(high):
        return f"≥ {number(low)}{suffix}"
    return f"{number(low)} to {number(high)}{suffix}"


def duration_text(seconds: float) -> str:
    """Write a duration, in minutes where seconds become unreadable."""
    if abs(seconds) >= 600:
        return f"{number(seconds / 60)} min"
    return f"{number(seconds)} s"


def rate_text(trace: Trace) -> str:
    """Write a trace's measured rate, beside a nominal one that differs from it by over 1 %."""
    if trace.clock.kind == "rows":
        return "no clock"
    if not (math.isfinite(trace.interval_s) and trace.interval_s > 0):
        return "rate unknown"
    measured_hz = 1 / trace.interval_s
    text = f"{number(measured_hz, 3)} Hz"
    nominal_hz = trace.clock.rate_hz
    if trace.clock.kind == "nominal":
        return f"{text} (given)"
    if nominal_hz and abs(nominal_hz / measured_hz - 1) > 0.01:
        text += f" measured, {number(nominal_hz, 3)} Hz nominal"
    return text


def clock_text(clock: Clock) -> str:
    """Say which column is the clock and in which unit."""
    if clock.kind == "rows":
        return "clock: none, rows are counted"
    if clock.kind == "nominal":
        return f"clock: rows at {number(clock.rate_hz or float('nan'), 3)} Hz"
    return f"clock: {clock.column} ({clock.unit})"
