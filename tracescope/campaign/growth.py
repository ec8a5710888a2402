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
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)

MOST_EMPTY_WEEKS = 8
"""A longer row of weeks without episodes is left out of the timeline: one mistyped year would fill it."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Two windows that hold nearly as many dated episodes each; the first ends where the second starts.

    Attributes:
        start, split, end: Dates in UTC; the second window holds ``split`` and ``end``.
        before, after: Episodes run in each.
        weeks_after: The calendar days (UTC) that the second window touches, in weeks: days count whole, as n
            episodes span n − 1 gaps. 0 where it is shorter than a day: no rate a week follows from minutes.
        since: ``split`` in words: its day, with the time where the first window reaches into that day.
    """

    start: datetime
    split: datetime
    end: datetime
    before: int
    after: int
    weeks_after: float
    since: str


@dataclass(frozen=True, slots=True)
class Growth:
    """How often a kind came, and whether that changed.

    Attributes:
        per_week: Rate in the later window, ``None`` where that is shorter than a day.
        interval: Of that rate alone (exact Poisson), 95 %; an open end is infinite.
        before, after: Counts in both windows.
        ratio: Rate an episode run, later over earlier; infinite or ``None`` where the earlier count is 0.
        ratio_interval: Its exact conditional interval; those of all kinds hold together at 95 %.
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
    """Return a date in UTC; without a zone it is taken as UTC."""
    if date.tzinfo is None:
        return date.replace(tzinfo=UTC)
    try:
        return date.astimezone(UTC)
    except OverflowError:  # within hours of the first or last year there is
        return date.replace(tzinfo=UTC)


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
    before, end = bisect_left(known, split), known[-1]
    days = (end.date() - split.date()).days + 1
    weeks = days / 7 if end - split >= DAY else 0.0
    since = split.date().isoformat()
    if known[before - 1].date() == split.date():
        since = split.replace(tzinfo=None).isoformat(" ") + " UTC"
    return Windows(known[0], split, end, before, len(known) - before, weeks, since)


def growth_of(dates: Sequence[datetime | None], windows: Windows | None, kinds: int = 1) -> Growth:
    """Compare a kind's rate in the later window with that in the earlier one.

    Args:
        dates: When the kind's episodes ran.
        windows: Of all episodes run.
        kinds: How many kinds are compared: among many, some seem to grow by chance, so that the intervals
            are widened until all of them hold together (Bonferroni).
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
    ratio, ends = rate_ratio((before, windows.before), (after, windows.after), joint(kinds))
    growing: Growing = "yes" if ends[0] > 1 else "no" if ends[1] < 1 else "undecided"
    said = (
        f"{before} of {windows.before} episodes before {windows.since}, "
        f"{after} of {windows.after} since"
    )
    return Growth(per_week, interval, before, after, ratio, ends, growing, said)


def joint(kinds: int) -> float:
    """Return the confidence of each of so many intervals that together hold at 95 % (Bonferroni)."""
    return 1 - (1 - CONFIDENCE) / max(kinds, 1)


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


def week_of(date: datetime) -> datetime:
    """Return the start of a date's calendar week (Monday, UTC)."""
    day = comparable(date).date()
    monday = day - timedelta(days=day.weekday())
    return datetime.combine(monday, time(), tzinfo=UTC)


def weeks_of(dates: Sequence[datetime]) -> list[tuple[datetime, int]]:
    """Return the starts of calendar weeks from the first to the last date.

    Each comes with how many weeks without episodes are left out before it: a short row of empty weeks is
    listed (and 0 stands there), one longer than :data:`MOST_EMPTY_WEEKS` is not.
    """
    listed: list[tuple[datetime, int]] = []
    for week in sorted({week_of(date) for date in dates}):
        empty = (week - listed[-1][0]) // WEEK - 1 if listed else 0
        if 0 < empty <= MOST_EMPTY_WEEKS:
            listed += [(week - back * WEEK, 0) for back in range(empty, 0, -1)]
            empty = 0
        listed.append((week, empty))
    return listed
