"""Which column is the clock, in which unit, and exact seconds from it.

Integer stamps are brought to seconds by one division, after an integer origin was subtracted where they
count from 1970 (or from anything so far away that a float of seconds would round). Epoch stamps that
were texts with a fraction arrive as exact nanoseconds in ``Column.stamp_ns``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import Samples
from tracescope.readers.base import TimeUnit
from tracescope.readers.roles import words_of
from tracescope.readers.table import Column

NS_PER: dict[str, int] = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
PER_S: dict[str, int] = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}

EPOCH_S = (946_684_800.0, 4_102_444_800.0)
"""Stamps between these (the years 2000 to 2100) are taken as counting from 1970."""

MOST_NS = 2**62
"""Stamps beyond ±146 years from zero mean nothing; the difference of any two others fits into 64 bits."""

FAR_S = 1e6
"""A clock starting later than this gets an integer origin: a float keeps 0.1 ns only up to here."""

_UNIT_WORD: dict[str, TimeUnit] = {
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s",
    "ms": "ms", "msec": "ms", "millis": "ms", "milliseconds": "ms",
    "us": "us", "µs": "us", "usec": "us", "micros": "us", "microseconds": "us",
    "ns": "ns", "nsec": "ns", "nanos": "ns", "nanoseconds": "ns",
}  # fmt: skip
_EXACT = ("timestamp", "time", "t", "stamp", "timestamps", "ts", "times")
_TIME_WORDS = {"time", "timestamp", "timestamps", "stamp", "stamps", "clock", "elapsed", "zeit"}
_STEP_NAMES = {
    "step", "steps", "step index", "index", "frame", "frame index", "frame id", "tick", "iteration",
    "iter", "seq", "step id", "timestep", "time step", "n", "k", "unnamed 0", "row", "step count",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stamps:
    """Exact stamps of rows.

    Attributes:
        time_s: Seconds relative to ``origin_ns``, shape ``(n,)``; NaN where a row has none.
        origin_ns: Integer nanoseconds that were subtracted.
        is_epoch: Whether they count from 1970.
        unit: Unit in the file.
        because: Why this unit.
    """

    time_s: Samples
    origin_ns: int
    is_epoch: bool
    unit: TimeUnit
    because: str


def clock_candidates(columns: Sequence[Column]) -> list[int]:
    """Return the numbers of the columns whose names say time, best first; intervals (``dt``) last."""
    ranked = []
    for i, column in enumerate(columns):
        rank = -1 if column.is_clock else _rank(column)
        if rank is not None:
            ranked.append((rank, i))
    return [i for _, i in sorted(ranked)]


def _rank(column: Column) -> int | None:
    """0 for an exact name, higher for vaguer ones, ``None`` for no clock."""
    if column.labels or column.index is not None or column.role is not None:
        return None
    words = words_of(column.name)
    plain = column.name.strip().strip("_%#").lower()
    if plain in _EXACT or column.stamp_ns is not None:
        return _EXACT.index(plain) if plain in _EXACT else 10
    if is_interval(column):
        return 100
    if not words or plain in _STEP_NAMES or " ".join(words) in _STEP_NAMES:
        return None
    if words[0] in _TIME_WORDS or (
        words[0] in _EXACT and len(words) > 1 and words[1] in _UNIT_WORD
    ):
        return 20
    if _bracketed_unit(column.name):
        return 40
    if words[-1] in _TIME_WORDS or (words[-1] in _UNIT_WORD and _TIME_WORDS.intersection(words)):
        return 30
    return None


def says_time(name: str) -> bool:
    """Whether a name alone promises stamps, whatever the cells are."""
    words = words_of(name)
    return bool(words) and (words[0] in _TIME_WORDS or name.strip().lower() in _EXACT)


def is_interval(column: Column) -> bool:
    """Whether a name says the time from row to row (``dt``, ``delta_t``), not a stamp."""
    words = words_of(column.name)
    return bool(words) and (
        words[0] in {"dt", "deltat", "timedelta"}
        or words[:2] in {("delta", "t"), ("delta", "time")}
    )


def is_counter(name: str) -> bool:
    """Whether a name says that its column counts steps."""
    return " ".join(words_of(name)) in _STEP_NAMES


def step_candidates(columns: Sequence[Column]) -> list[int]:
    """Return the numbers of the columns whose names say that they count steps."""
    return [
        i for i, c in enumerate(columns)
        if not c.labels and c.index is None and c.role is None
        and is_counter(c.name)
    ]  # fmt: skip


def _bracketed_unit(name: str) -> TimeUnit | None:
    """Return the unit of time in brackets at the end of a name, in any language: ``Zeit [s]``."""
    bracket = re.search(r"[\[(]\s*([a-zµ]+)\s*[\])]\s*$", name.lower())
    return _UNIT_WORD.get(bracket[1]) if bracket else None


def unit_in_name(column: Column) -> TimeUnit | None:
    """Return the unit that a column's unit or name says."""
    if column.unit.lower() in _UNIT_WORD:
        return _UNIT_WORD[column.unit.lower()]
    if bracketed := _bracketed_unit(column.name):
        return bracketed
    words = words_of(column.name)
    return _UNIT_WORD.get(words[-1]) if len(words) > 1 else None


def stamps_of(column: Column, unit: TimeUnit | None = None, because: str = "") -> Stamps:
    """Turn a clock column into exact seconds.

    Args:
        column: Numbers, NaN where a row has no stamp.
        unit: What a person or the layout says; ``None`` infers it.
        because: Reason for the given unit.
    """
    if column.stamp_ns is not None:
        zone = "with their zone" if column.stamp_zone else "without a zone: taken as UTC"
        time_s, origin = from_ns(column.stamp_ns, column.empty)
        return Stamps(time_s, origin, column.stamp_zone, "s", f"dates and times {zone}")
    value = column.value
    if unit is None:
        unit, because = inferred_unit(column)
    finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
    first = _typical(finite)
    is_epoch = EPOCH_S[0] <= first / PER_S[unit] < EPOCH_S[1]
    if is_epoch or abs(first) / PER_S[unit] > FAR_S:
        ns, missing = _exact_ns(column, unit) or to_ns(value, unit)
        time_s, origin = from_ns(ns, missing)
        return Stamps(time_s, origin, is_epoch, unit, because)
    seconds = value.astype(np.float64, copy=False)
    if PER_S[unit] != 1:
        seconds = seconds / PER_S[unit]
    return Stamps(seconds, 0, is_epoch, unit, because)


_ENOUGH = 10_000
"""Stamps, evenly taken, that tell which century most of them are of."""


def _typical(finite: NDArray[np.generic]) -> float:
    some = finite[:: max(1, finite.size // _ENOUGH)]
    return float(np.median(some.astype(np.float64))) if some.size else 0.0


def _exact_ns(column: Column, unit: TimeUnit) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
    """Return nanoseconds from digits that a float would round, where the column has them."""
    if column.exact is None:
        return None
    whole, decimals = column.exact
    missing = np.isnan(column.value.astype(np.float64))
    places = round(np.log10(NS_PER[unit])) - decimals
    if places < 0:
        half = 10**-places // 2
        return np.where(missing, 0, whole // 10**-places + (whole % 10**-places >= half)), missing
    if np.abs(whole).max(initial=0) > MOST_NS // 10**places:
        return None
    return np.where(missing, 0, whole * 10**places), missing


def to_ns(
    value: NDArray[np.generic], unit: TimeUnit
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return integer nanoseconds, shape ``(n,)``, and which rows have none.

    Integers convert exactly. Floats that are the nearest ones to decimals they can hold (microseconds
    of today's date in seconds) become those decimals, which gives back what a text said.
    """
    if value.dtype.kind in "iu":
        limit = MOST_NS // NS_PER[unit]
        missing = np.asarray(np.abs(value.astype(np.float64)) >= limit)
        exact = np.where(missing, 0, value).astype(np.int64) * NS_PER[unit]
        return exact, missing
    as_float = value.astype(np.float64)
    missing = ~np.isfinite(as_float) | (np.abs(as_float) >= MOST_NS // NS_PER[unit])
    as_float = np.where(missing, 0.0, as_float)
    whole = np.floor(as_float)
    scale = _decimal_scale(as_float, unit)
    part = np.rint((as_float - whole) * scale).astype(np.int64) * (NS_PER[unit] // scale)
    return whole.astype(np.int64) * NS_PER[unit] + part, missing


def _decimal_scale(value: Samples, unit: TimeUnit) -> int:
    """Return 10^k where every float is the one nearest to a decimal of k places, else what 1 ns needs."""
    spacing = float(np.spacing(np.abs(value).max(initial=1.0)))
    most = round(np.log10(NS_PER[unit]))
    decimals = int(np.clip(np.floor(-np.log10(2 * spacing)), 0, most))
    scale = 10**decimals
    rounded = np.floor(value) + np.rint((value - np.floor(value)) * scale) / scale
    return scale if bool((np.abs(rounded - value) <= spacing).all()) else NS_PER[unit]


def from_ns(ns: NDArray[np.int64], missing: NDArray[np.bool_] | None) -> tuple[Samples, int]:
    """Subtract the first stamp in integers; return seconds (NaN where missing) and what was subtracted."""
    kept = ns if missing is None else ns[~missing]
    origin = int(np.median(kept)) if kept.size else 0
    near = kept[np.abs(kept - origin) < 10**17]
    origin = int(near[0]) if near.size else origin
    time_s = (ns - origin) / 1e9
    if missing is not None:
        time_s[missing] = np.nan
    return time_s, origin


def inferred_unit(column: Column) -> tuple[TimeUnit, str]:
    """Infer the unit from name, else from magnitude (an epoch), else from the median interval."""
    named = unit_in_name(column)
    if named is not None:
        return named, f"its name or unit says {named}"
    value = column.value.astype(np.float64)
    value = value[np.isfinite(value)]
    first = _typical(value)
    units: tuple[TimeUnit, ...] = ("s", "ms", "us", "ns")
    for unit in units:
        if EPOCH_S[0] <= first / PER_S[unit] < EPOCH_S[1]:
            return unit, f"counted in {unit} from 1970, its stamps are dates of this century"
    steps = np.diff(value)
    steps = steps[steps > 0]
    if not steps.size:
        return "s", "it never moves, so its unit cannot be told; seconds assumed"
    step = float(np.median(steps))
    whole = column.value.dtype.kind in "iu" or bool((value == np.floor(value)).all())
    unit = _unit_by_step(step, whole=whole)
    return unit, f"its median interval is {step:.6g}, which as {unit} is {_rate_words(step, unit)}"


def _unit_by_step(step: float, *, whole: bool) -> TimeUnit:
    """Choose the unit in which a robot's log has a plausible rate (about 2 Hz to 5 kHz)."""
    if step < (2 if whole else 5):
        return "s"
    if step < 250:
        return "ms"
    return "ns" if step >= 900_000 and whole else "us"  # nobody writes fractions of a nanosecond


def _rate_words(step: float, unit: TimeUnit) -> str:
    rate = PER_S[unit] / step
    return f"{rate:.4g} rows a second" if rate >= 0.5 else f"one row in {1 / rate:.4g} s"
