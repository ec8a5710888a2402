"""Stamps that are texts: dates, and numbers with more digits than a float holds."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.clock import MOST_NS
from tracescope.readers.table import Column

_DATE = re.compile(
    r"\d{4}[-/]\d\d?[-/]\d\d?[ T]\d\d?:\d\d(:\d\d([.,]\d{1,9})?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)(?:[.,](\d{1,9}))?")
_DIGITS = re.compile(r"([+-]?)(\d+)(?:\.(\d*))?")


def exact_column(
    name: str,
    codes: NDArray[np.int64],
    texts: Sequence[str],
    numbers: dict[int, int | float],
    empty: NDArray[np.bool_] | None,
) -> Column | None:
    """Make a clock column whose digits are kept in integers beside the rounded floats.

    Returns:
        ``None`` where a text is in scientific notation or too long for int64.
    """
    parts = {code: _DIGITS.fullmatch(texts[code].strip()) for code in numbers}
    if not numbers or not all(parts.values()):
        return None
    fractions = {c: (m[3] or "") if m else "" for c, m in parts.items()}
    decimals = max(map(len, fractions.values()))
    if decimals > 12:
        return None
    exact = np.zeros(len(texts), np.int64)
    rounded = np.full(len(texts), np.nan)
    for code, match in parts.items():
        digits = int(match[2] + fractions[code].ljust(decimals, "0")) if match else 0
        if digits >= 2**63:
            return None
        exact[code] = -digits if match and match[1] == "-" else digits
        rounded[code] = numbers[code]
    if not decimals and len(numbers) == len(texts):
        return Column(name, exact[codes], empty=empty)
    return Column(name, rounded[codes], empty=empty, dtype="text", exact=(exact[codes], decimals))


def date_column(
    name: str,
    codes: NDArray[np.int64],
    texts: Sequence[str],
    missing: Sequence[int],
    empty: NDArray[np.bool_] | None,
) -> Column | None:
    """Make a clock column of dates and times; UTC where they name no zone."""
    gone = set(missing)
    if of_day := _times_of_day(name, codes, texts, gone, empty):
        return of_day
    kept = [c for c in range(len(texts)) if c not in gone]
    if not kept or not all(_DATE.fullmatch(texts[c].strip()) for c in kept):
        return None
    table = np.zeros(len(texts), np.int64)
    zoned = True
    for code in kept:
        parsed = _date_ns(texts[code].strip())
        if parsed is None:
            return None
        table[code], with_zone = parsed
        zoned = zoned and with_zone
    lost = np.isin(codes, list(gone)) if gone else None
    ns = table[codes]
    return Column(
        name,
        ns,
        dtype="text",
        empty=lost if empty is None else empty,
        stamp_ns=ns,
        stamp_zone=zoned,
    )


def _times_of_day(
    name: str,
    codes: NDArray[np.int64],
    texts: Sequence[str],
    gone: set[int],
    empty: NDArray[np.bool_] | None,
) -> Column | None:
    """Make seconds since midnight of ``12:30:05.25``; past midnight they go on counting."""
    parts = {c: _CLOCK.fullmatch(t.strip()) for c, t in enumerate(texts) if c not in gone}
    if not parts or not all(parts.values()):
        return None
    table = np.full(len(texts), np.nan)
    for code, match in parts.items():
        if match:
            hour, minute, second, fraction = match.groups()
            whole = int(hour) * 3600 + int(minute) * 60 + int(second)
            table[code] = whole + int((fraction or "0").ljust(9, "0")) / 1e9
    value = table[codes]
    steps = np.diff(value)
    midnight = np.concatenate(([0], np.cumsum(steps < -43_200)))
    return Column(name, value + 86_400.0 * midnight, unit="s", dtype="text", empty=empty)


def _date_ns(text: str) -> tuple[int, bool] | None:
    """Return exact nanoseconds since 1970 and whether the text names its zone; none for a far century."""
    match = re.fullmatch(
        r"(.*?)(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?", text.replace("/", "-")
    )
    if match is None:
        return None
    base, fraction, zone = match.groups()
    try:
        moment = dt.datetime.fromisoformat(_padded(base.replace("T", " ")))
        offset = dt.timedelta(0)
        if zone and zone not in {"Z", "UTC"}:
            sign = -1 if zone[0] == "-" else 1
            digits = zone[1:].replace(":", "")
            offset = sign * dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        since = moment - dt.datetime(1970, 1, 1) - offset  # noqa: DTZ001  # both naive on purpose: UTC arithmetic
    except ValueError:
        return None
    seconds = since.days * 86_400 + since.seconds
    ns = seconds * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))
    return (ns, bool(zone)) if abs(ns) < MOST_NS else None


def _padded(base: str) -> str:
    date, _, time = base.partition(" ")
    return (
        "-".join(p.zfill(2) for p in date.split("-"))
        + " "
        + ":".join(p.zfill(2) for p in time.split(":"))
    )
