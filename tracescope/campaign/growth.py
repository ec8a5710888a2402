"""Whether a kind of failure grows: exact intervals, with the episodes run as exposure."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Literal

Growing = Literal["yes", "no", "undecided"]
Interval = tuple[float, float]

CONFIDENCE = 0.95
WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Windows:
    """Two windows that hold nearly as many dated episodes each; the first ends where the second starts.

    Attributes:
        start, split, end: Dates; the second window holds ``split`` and ``end``.
        before, after: Episodes run in each.
        weeks_before, weeks_after: How long each is; a date without time of day stands for its whole day.
    """

    start: datetime
    split: datetime
    end: datetime
    before: int
    after: int
    weeks_before: float
    weeks_after: float


@dataclass(frozen=True, slots=True)
class Growth:
    """How often a kind came, and whether that changed.

    Attributes:
        per_week: Rate in the later window, ``None`` where it has no length.
        interval: Of that rate (exact Poisson), 95 %; an open end is infinite.
        before, after: Counts in both windows.
        ratio: Rate an episode run, later over earlier; infinite or ``None`` where the earlier count is 0.
        ratio_interval: Its exact conditional interval, 95 %.
        growing: ``yes`` where that interval lies above 1, ``no`` where it lies below, else ``undecided``.
        because: One sentence.
    """

    per_week: float | None
    interval: Interval | None
    before: int
    after: int
    ratio: float | None
    ratio_interval: Interval | None
    growing: Growing
    because: str


def comparable(date: datetime) -> datetime:
    """Return a date with zone; without one it is taken as UTC."""
    return date.replace(tzinfo=UTC) if date.tzinfo is None else date


def windows_of(dates: Sequence[datetime | None]) -> Windows | None:
    """Split the dated episodes into two windows of nearly equal exposure; never inside one date.

    ``None`` where fewer than two different dates are known.
    """
    known = sorted(comparable(date) for date in dates if date is not None)
    later = sorted(set(known))[1:]
    if not later:
        return None
    half = len(known) / 2
    split = min(later, key=lambda date: (abs(bisect_left(known, date) - half), date))
    before = bisect_left(known, split)
    whole_days = all(d.timetz().replace(tzinfo=None) == time() for d in known)
    tail = timedelta(days=1) if whole_days else timedelta()
    return Windows(
        known[0],
        split,
        known[-1],
        before,
        len(known) - before,
        (split - known[0]) / WEEK,
        (known[-1] - split + tail) / WEEK,
    )


def growth_of(dates: Sequence[datetime | None], windows: Windows | None) -> Growth:
    """Compare a kind's rate in the later window with that in the earlier one.

    Args:
        dates: When the kind's episodes ran.
        windows: Of all episodes run.
    """
    known = [comparable(date) for date in dates if date is not None]
    if windows is None or not known:
        why = "fewer than two different dates are known" if windows is None else "it has no dates"
        return Growth(None, None, 0, 0, None, None, "undecided", f"{why}: no rate can be compared")
    before = sum(date < windows.split for date in known)
    after = len(known) - before
    weeks = windows.weeks_after
    per_week = after / weeks if weeks > 0 else None
    interval = poisson_interval(after, weeks) if weeks > 0 else None
    ratio, ends = rate_ratio((before, windows.before), (after, windows.after))
    growing: Growing = "yes" if ends[0] > 1 else "no" if ends[1] < 1 else "undecided"
    day = windows.split.date().isoformat()
    said = f"{before} of {windows.before} episodes before {day}, {after} of {windows.after} since"
    return Growth(per_week, interval, before, after, ratio, ends, growing, said)


def poisson_interval(count: int, exposure: float, confidence: float = CONFIDENCE) -> Interval:
    """Return the exact interval of a rate from a count.

    Args:
        count: Events seen.
        exposure: For how long, in the rate's unit; above 0.
        confidence: Two-sided.

    Source:
        Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936), 437–442.
    """
    from scipy.stats import chi2

    tail = (1 - confidence) / 2
    low = float(chi2.ppf(tail, 2 * count)) / 2 if count else 0.0
    high = float(chi2.ppf(1 - tail, 2 * (count + 1))) / 2
    return low / exposure, high / exposure


def rate_ratio(
    earlier: tuple[int, int], later: tuple[int, int], confidence: float = CONFIDENCE
) -> tuple[float | None, Interval]:
    """Return the ratio of two rates, later over earlier, and its exact conditional interval.

    Given the total count, the later count is binomial with probability
    ``ratio · later exposure / (earlier exposure + ratio · later exposure)``; Clopper and Pearson's interval
    of that probability is carried over to the ratio.

    Args:
        earlier, later: Count and exposure (above 0) of each.
        confidence: Two-sided: at equal rates the interval lies above 1 with less than half the rest.

    Returns:
        The ratio (infinite where only the earlier count is 0, ``None`` where both are) and the interval.

    Source:
        Przyborowski and Wilenski, Biometrika 31 (1940), 313–323; Clopper and Pearson, Biometrika 26 (1934).
    """
    from scipy.stats import beta

    (before, run_before), (after, run_after) = earlier, later
    total = before + after
    if not total:
        return None, (0.0, math.inf)
    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, after, before + 1)) if after else 0.0
    high = float(beta.ppf(1 - tail, after + 1, before)) if before else 1.0
    odds = run_before / run_after
    ends = (odds * low / (1 - low), odds * high / (1 - high) if high < 1 else math.inf)
    ratio = (after / run_after) / (before / run_before) if before else math.inf
    return ratio, ends


def weeks_between(windows: Windows) -> list[datetime]:
    """Return the starts of the calendar weeks (Mondays, UTC) that the windows touch."""
    first = windows.start.astimezone(UTC)
    monday = datetime.combine((first - timedelta(days=first.weekday())).date(), time(), tzinfo=UTC)
    return [monday + place * WEEK for place in range((windows.end - monday) // WEEK + 1)]
