"""Where ticks stand and how their numbers read."""

from __future__ import annotations

import math
from functools import lru_cache


def tick_step(span: float, most: int) -> float:
    """Return the least of 1, 2, 5 × 10ⁿ that puts at most about ``most`` ticks on a span.

    Returns 0 where the span is not a positive finite number.
    """
    if not (math.isfinite(span) and span > 0) or most < 1:
        return 0.0
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    if not (power > 0 and math.isfinite(power)):
        return 0.0
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= raw * (1 - 1e-9))


@lru_cache(maxsize=512)
def tick_values(low: float, high: float, most: int) -> tuple[float, tuple[float, ...]]:
    """Return the step and the multiples of it inside ``[low, high]``, at most about ``most``.

    A span too narrow for the numbers' own resolution has no ticks.
    """
    step = tick_step(high - low, most)
    if step == 0 or step <= 4e-16 * max(abs(low), abs(high)):
        return 0.0, ()
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return step, tuple(n * step for n in range(first, min(last, first + 4 * most) + 1))


@lru_cache(maxsize=4096)
def tick_text(value: float, step: float) -> str:
    """Write a tick's number with the digits its step needs and no more."""
    if abs(value) < step * 1e-6:
        return "0"
    magnitude = max(abs(value), step)
    if magnitude >= 1e6 or (step < 1e-4 and magnitude < 1e-2):
        digits = max(0, math.ceil(math.log10(magnitude / step) + 1e-9))
        mantissa, _, exponent = f"{value:.{min(digits, 15)}e}".partition("e")
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        return f"{mantissa}e{int(exponent)}".replace("-", "−")
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}".replace("-", "−")


def read_out(value: float) -> str:
    """Write a sample as a read-out shows it: four significant digits, or what it is instead of a number."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "+inf" if value > 0 else "−inf"
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value)}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def signed(value: float) -> str:
    """Write a difference with its sign."""
    text = read_out(value)
    return text if text[0] in "−–+" or value == 0 else f"+{text}"
