"""Numbers as a person reads them: as many digits as the interval supports, one prefix a quantity."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Protocol

from tracescope.model.shares import SHARE_TOLERANCES, is_share

MINUS = "−"
UNBOUNDED = "unbounded"
UNKNOWN = "not measured"
UNTOLD = "cannot be told from these rows"
WITHIN = "± < "
OF_ONE = "of 1"
"""The unit of a share while it is written: as per cent."""
COUNTED = "counted"
ONES = ("1", f"{MINUS}1")
NOUNS = (" rows", " periods")
"""Units that are words, as they stand after more than one."""

DUST = {"s": 1e-12, "ms": 1e-9, "µs": 1e-6, "us": 1e-6}
"""Below a picosecond a time is the rounding of its stamps, by unit."""
MOST_DECIMALS = 5
MOST_MORE_DIGITS = 3
MOST_DIGITS_WIDTH = 1e-5
"""An interval narrower than this share of its ends adds no digits that a person would read."""


def number(value: float | None, decimals: int | None = None) -> str:
    """Write one number: four significant digits, or ``decimals`` behind the point."""
    if value is None or not math.isfinite(value):
        return UNKNOWN if value is None or math.isnan(value) else UNBOUNDED
    size = abs(value)
    if decimals is not None and round(value, decimals) == 0:
        return "0"
    small = size < 1e-4 and (decimals is None or decimals > MOST_DECIMALS)
    if size and (size >= 1e6 or small):
        mantissa, exponent = f"{value:.3e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}".replace("-", MINUS)
    if decimals is None:
        decimals = 0 if size >= 1000 else 3 - (math.floor(math.log10(size)) if size else 2)
        text = f"{value:.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{value:.{decimals}f}"
    return "0" if float(text) == 0 else text.replace("-", MINUS)


def decimals_for(interval: Sequence[float | None] | None) -> int | None:
    """Return how many digits behind the point an interval supports: two digits of its width."""
    if interval is None or any(end is None or not math.isfinite(end) for end in interval):
        return None
    low, high = float(interval[0] or 0.0), float(interval[1] or 0.0)
    largest = max(abs(low), abs(high))
    if high - low <= MOST_DIGITS_WIDTH * largest:
        return None
    return max(0, 1 - math.floor(math.log10(high - low)))


def telling_decimals(
    interval: Sequence[float | None] | None, band: Sequence[float | None] | None
) -> int | None:
    """Return the digits an interval supports, and more where an end would be written across a limit of its band.

    What lies wholly outside 0.95 to 1.05 must not read *−53 to 1*. An end on its limit gets no more.
    """
    decimals = decimals_for(interval)
    if decimals is None or interval is None or band is None:
        return decimals
    ends = [end for end in interval if end is not None]
    limits = [limit for limit in band if limit is not None and math.isfinite(limit)]
    for digits in range(decimals, decimals + MOST_MORE_DIGITS + 1):
        if all(
            (round(end, digits) < limit, round(end, digits) > limit) == (end < limit, end > limit)
            for end in ends
            for limit in limits
        ):
            return digits
    return decimals


def prefix(unit: str, *values: float | None) -> tuple[str, float]:
    """Choose milliseconds or microseconds for seconds, per cent for shares; others stay as the file has them."""
    if unit == OF_ONE:
        return "%", 100.0
    finite = [abs(v) for v in values if v is not None and math.isfinite(v)]
    largest = max(finite, default=0.0)
    if unit != "s" or largest >= 1 or largest == 0:
        return unit, 1.0
    return ("ms", 1e3) if largest >= 1e-3 else ("µs", 1e6)


def settled(value: float | None, unit: str) -> float | None:
    """Return a time without the rounding of its stamps; anything else as it is."""
    dust = DUST.get(unit.strip(), 0.0)
    return 0.0 if value is not None and abs(value) < dust else value


def is_counted(value: float | None, interval: Sequence[float | None] | None) -> bool:
    """Say whether an interval is one number: the value was counted, not estimated."""
    return interval is not None and interval[0] == interval[1] == value


def band_text(band: Sequence[float | None] | None, unit: str = "") -> str:
    """Write a tolerance as it was set: no digits are added, one-sided bands as ``at most``, ``at least``."""
    return interval_text(band, unit, rounded=False)


def interval_text(
    interval: Sequence[float | None] | None,
    unit: str = "",
    *,
    rounded: bool = True,
    band: Sequence[float | None] | None = None,
) -> str:
    """Write ``low to high unit``; one-sided bands as ``at most`` and ``at least``.

    Args:
        interval: Both ends, ``None`` where unbounded.
        unit: Of the ends.
        rounded: To the digits that the interval's width supports.
        band: What it is held to: enough digits are written to see on which side of its limits the ends lie.
    """
    if interval is None:
        return ""
    low, high = (end if end is not None and math.isfinite(end) else None for end in interval)
    low, high = settled(low, unit), settled(high, unit)
    unit, factor = prefix(unit, low, high)
    tail = f" {unit}" if unit else ""
    if low is None and high is None:
        return UNBOUNDED
    if low is None:
        return f"at most {_one(number((high or 0.0) * factor), tail)}"
    if high is None:
        return f"at least {_one(number(low * factor), tail)}"
    limits = None if band is None else _scaled(band, factor)
    decimals = telling_decimals((low * factor, high * factor), limits) if rounded else None
    return f"{_end(low * factor, decimals)} to {_end(high * factor, decimals)}{tail}"


def range_text(interval: Sequence[float | None] | None) -> str:
    """Write the range of a channel; one value alone as ``only at 0.0537``."""
    if interval is not None and interval[0] is not None and interval[0] == interval[1]:
        return f"only at {number(interval[0])}"
    return interval_text(interval)


def value_text(
    value: float | None,
    interval: Sequence[float | None] | None,
    unit: str = "",
    band: Sequence[float | None] | None = None,
) -> str:
    """Write an estimate with the digits its interval is written with, and its unit."""
    value = settled(value, unit)
    ends = tuple(interval) if interval is not None else ()
    unit, factor = prefix(unit, value, *ends)
    scaled = None if interval is None else _scaled(interval, factor)
    limits = None if band is None else _scaled(band, factor)
    tail = f" {unit}" if unit else ""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return _one(_end(value * factor, telling_decimals(scaled, limits)), tail)


def _scaled(ends: Sequence[float | None], factor: float) -> list[float | None]:
    return [None if end is None else end * factor for end in ends]


def _one(written: str, tail: str) -> str:
    """Join a number and its unit, a counted one in the singular where it is one: ``1 row``, ``1.0 rows``."""
    return f"{written}{tail[:-1] if written in ONES and tail in NOUNS else tail}"


def estimate_text(
    value: float | None,
    interval: Sequence[float | None] | None,
    unit: str = "",
    band: Sequence[float | None] | None = None,
) -> tuple[str, str]:
    """Write (estimate, interval) with one prefix for both; see :func:`interval_text` for ``band``."""
    value = settled(value, unit)
    interval = None if interval is None else [settled(end, unit) for end in interval]
    ends = tuple(interval) if interval is not None else ()
    shown_unit, factor = prefix(unit, value, *ends)
    if interval is None:
        return value_text(value, None, unit), ""
    scaled = _scaled(interval, factor)
    limits = None if band is None else _scaled(band, factor)
    scaled_value = None if value is None else value * factor
    # the prefix is chosen: seconds may no longer change theirs
    kept = shown_unit if shown_unit != "s" else "s "
    kept = "%" if unit == OF_ONE else kept
    estimate = value_text(scaled_value, scaled, kept, limits).rstrip()
    within = interval_text(scaled, kept, band=limits).rstrip()
    low, _, high = within.removesuffix(kept.rstrip()).rstrip().partition(" to ")
    if low == high and interval[0] != interval[1]:
        within = within_text(scaled, kept).rstrip()
    return estimate, within


class Measured(Protocol):
    """A measurement, of a check or of a result file."""

    @property
    def quantity(self) -> str: ...

    @property
    def estimate(self) -> float | None: ...

    @property
    def interval(self) -> Sequence[float | None] | None: ...

    @property
    def unit(self) -> str: ...

    @property
    def tolerance(self) -> Sequence[float | None] | None: ...

    @property
    def n(self) -> float | None: ...

    @property
    def state(self) -> str: ...


def unit_of(quantity: str, unit: str) -> str:
    """Return the unit in which a person reads a quantity: shares of a whole in per cent."""
    return OF_ONE if is_share(quantity, unit) else unit


def unit_of_band(key: str, unit: str) -> str:
    """Return the unit in which a person reads the tolerance of this key."""
    return OF_ONE if key in SHARE_TOLERANCES and not unit else unit


def is_untold(m: Measured) -> bool:
    """Say whether less than one independent sample speaks: what was computed then is no estimate."""
    decided = m.state in ("pass", "fail")
    counted = is_counted(m.estimate, m.interval)
    return m.n is not None and 0 < m.n < 1 and not decided and not counted


def measured_texts(m: Measured) -> tuple[str, str]:
    """Write (estimate, interval) of a measurement as a person reads it."""
    if is_untold(m):
        return UNTOLD, ""
    return estimate_text(m.estimate, m.interval, unit_of(m.quantity, m.unit), m.tolerance)


def last_place(value: float) -> float:
    """Return what the last digit stands for of a number written with four digits."""
    size = abs(value)
    if not size or not math.isfinite(size):
        return 0.0
    return float(10.0 ** (math.floor(math.log10(size)) - 3)) if size < 1000 or size >= 1e6 else 1.0


def within_text(interval: Sequence[float | None], unit: str = "") -> str:
    """Write an interval narrower than its estimate's last digit: ``± < 0.0001``."""
    place = last_place(max(abs(end) for end in interval if end is not None))
    return f"{WITHIN}{_one(number(place), f' {unit}')}".rstrip()


def _end(value: float, decimals: int | None) -> str:
    """Write one end; a number much larger than the interval's width still gets the width's digits."""
    return number(value, decimals)


def count_text(n: float | None) -> str:
    """Write an effective sample size: whole, or one digit below ten."""
    if n is None or not math.isfinite(n) or n <= 0:
        return ""
    return f"{n:.0f}" if n >= 10 else f"{n:.1f}".rstrip("0").rstrip(".")


def percent(share: float | None) -> str:
    """Write a share as whole per cent; a confidence keeps what it needs (``99.9 %``)."""
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return f"{share * 100:.4g} %"


def share_text(share: float) -> str:
    """Write a share of the residual to a tenth of a per cent; only all of it is 100 %."""
    if 0.9995 <= share < 1:
        return "over 99.9 %"
    return f"{share * 100:.3g} %"


def clipped(text: str, most: int) -> str:
    """Return at most ``most`` characters of a text, cut between words where it can be, with an ellipsis."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    words = head.rsplit(" ", 1)[0]
    return f"{(words if len(words) > most // 2 else head).rstrip(' ,;:')}…"


_HYPHEN = re.compile(r"(?<![\w\]\)./:-])-(?=\.?\d)")


def with_minus(text: str) -> str:
    """Return a text with the minus sign before its negative numbers; names, dates and paths stay."""
    return _HYPHEN.sub(MINUS, text)


def spoken(items: Sequence[str]) -> str:
    """Return items as a sentence names all of them: ``a``, ``a and b``, ``a, b and c``."""
    *before, last = items or ("",)
    return f"{', '.join(before)} and {last}" if before else last


def listed(items: Sequence[str], most: int = 6) -> tuple[str, int]:
    """Join the first ``most`` items; return the text and how many were left out."""
    return ", ".join(items[:most]), max(0, len(items) - most)
