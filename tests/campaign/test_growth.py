"""Growth: exact intervals, and few false claims."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.campaign.growth import (
    MOST_EMPTY_WEEKS,
    growth_of,
    poisson_interval,
    rate_ratio,
    week_of,
    weeks_of,
    windows_of,
)

START = datetime(2026, 9, 7, 8, 0, tzinfo=UTC)


def dates(*days):
    return [START + timedelta(days=day) for day in days]


def test_that_garwoods_intervals_are_the_published_ones():
    assert poisson_interval(0, 1.0) == pytest.approx((0.0, 3.6889), abs=1e-4)
    assert poisson_interval(10, 1.0) == pytest.approx((4.7954, 18.3904), abs=1e-4)
    assert poisson_interval(10, 2.0) == pytest.approx((2.3977, 9.1952), abs=1e-4)


def test_that_a_ratio_of_rates_has_clopper_and_pearsons_interval():
    ratio, (low, high) = rate_ratio((10, 100), (20, 100))
    # 20 of 30: exact binomial interval 0.4719 to 0.8271
    assert ratio == 2.0
    assert low == pytest.approx(0.4719 / 0.5281, abs=2e-3)
    assert high == pytest.approx(0.8271 / 0.1729, abs=2e-2)


def test_that_more_episodes_run_are_no_growth():
    ratio, (low, high) = rate_ratio((10, 100), (20, 200))
    assert ratio == 1.0
    assert low < 1 < high


def test_that_nothing_before_leaves_the_ratio_open_and_nothing_at_all_says_nothing():
    ratio, (low, high) = rate_ratio((0, 50), (8, 50))
    assert math.isinf(ratio or 0.0)
    assert low > 1
    assert math.isinf(high)
    assert rate_ratio((0, 50), (0, 50)) == (None, (0.0, math.inf))


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 400), st.integers(1, 400))
@settings(max_examples=80)
def test_that_turning_time_round_turns_the_interval_round(before, after, run_before, run_after):
    _, (low, high) = rate_ratio((before, run_before), (after, run_after))
    _, (back_low, back_high) = rate_ratio((after, run_after), (before, run_before))
    assert low <= high
    if low > 0:
        assert back_high == pytest.approx(1 / low, rel=1e-6)
    if math.isfinite(high) and high > 0:
        assert back_low == pytest.approx(1 / high, rel=1e-6)


def test_that_equal_rates_are_called_growing_in_under_a_fortieth_of_campaigns():
    rng = np.random.default_rng(4)
    called = 0
    for _ in range(400):
        days = np.sort(rng.uniform(0, 70, 160))
        chosen = rng.random(160) < 0.25
        every = dates(*days)
        of_kind = [date for date, mine in zip(every, chosen, strict=True) if mine]
        called += growth_of(of_kind, windows_of(every)).growing == "yes"
    assert called / 400 < 0.025


def test_that_a_kind_that_triples_is_named():
    every = dates(*np.linspace(0, 70, 200))
    rng = np.random.default_rng(1)
    share = np.linspace(0.05, 0.45, 200)
    mine = [date for date, p in zip(every, share, strict=True) if rng.random() < p]
    growth = growth_of(mine, windows_of(every))
    assert growth.growing == "yes"
    assert growth.ratio_interval is not None
    assert growth.ratio_interval[0] > 1
    assert growth.per_week is not None
    assert growth.interval is not None
    assert growth.interval[0] < growth.per_week < growth.interval[1]


def test_that_windows_never_part_one_date_and_hold_nearly_as_many_episodes():
    windows = windows_of(dates(*[0] * 30, *[7] * 10, *[14] * 30))
    assert windows is not None
    assert (windows.before, windows.after) in {(30, 40), (40, 30)}
    assert windows.split in dates(7, 14)


def test_that_one_date_or_none_gives_no_windows_and_no_claim():
    assert windows_of(dates(1, 1, 1)) is None
    assert windows_of([None, None]) is None
    growth = growth_of(dates(1, 1), None)
    assert growth.growing == "undecided"
    assert growth.per_week is None
    assert "no rate" in growth.because


def test_that_dates_without_a_zone_are_taken_as_utc_and_zones_are_respected():
    naive = [date.replace(tzinfo=None) for date in dates(0, 1, 2, 3)]
    assert windows_of(naive) == windows_of(dates(0, 1, 2, 3))
    east = timezone(timedelta(hours=9))
    moved = [date.astimezone(east) for date in dates(0, 1, 2, 3)]
    assert windows_of(moved) == windows_of(dates(0, 1, 2, 3))


def test_that_dates_of_whole_days_count_their_last_day():
    whole = [datetime(2026, 9, day, tzinfo=UTC) for day in (1, 2, 8, 9)]
    windows = windows_of(whole)
    assert windows is not None
    assert windows.weeks_after == pytest.approx(2 / 7)
    assert windows.since == "2026-09-08"


@pytest.mark.parametrize("step", [timedelta(seconds=1), timedelta(minutes=4)])
def test_that_minutes_are_not_blown_up_to_a_week(step):
    every = [START + place * step for place in range(100)]
    growth = growth_of(every[::3], windows_of(every))
    assert growth.per_week is None
    assert growth.interval is None
    assert growth.ratio_interval is not None, "shares can be compared all the same"


def test_that_a_split_inside_a_day_is_said_with_its_time():
    windows = windows_of([START, START + timedelta(hours=1), START + timedelta(hours=2)])
    assert windows is not None
    assert windows.since == "2026-09-07 09:00:00 UTC"


@given(st.integers(2, 40), st.integers(1, 5))
@settings(max_examples=40)
def test_that_as_many_a_day_give_seven_times_as_many_a_week(days, a_day):
    every = [
        START + timedelta(days=day, hours=hour) for day in range(2 * days) for hour in range(a_day)
    ]
    growth = growth_of(every, windows_of(every))
    if growth.per_week is not None:
        assert growth.per_week <= 7 * a_day * (1 + 1e-9)
        assert growth.per_week == pytest.approx(7 * a_day, rel=1 / days)


def test_that_among_many_kinds_none_grows_by_chance_more_often_than_one_alone():
    rng = np.random.default_rng(11)
    kinds, called = 20, 0
    for _ in range(120):
        every = dates(*np.sort(rng.uniform(0, 70, 400)))
        windows = windows_of(every)
        kind = rng.integers(0, kinds, 400)
        called += any(
            growth_of([every[k] for k in np.flatnonzero(kind == one)], windows, kinds).growing
            == "yes"
            for one in range(kinds)
        )
    assert called / 120 <= 0.05


def test_that_more_kinds_widen_the_interval():
    every = dates(*range(60))
    windows = windows_of(every)
    alone, among = (growth_of(every[::3], windows, kinds) for kinds in (1, 12))
    assert alone.ratio_interval is not None
    assert among.ratio_interval is not None
    assert among.ratio_interval[0] < alone.ratio_interval[0]
    assert alone.ratio_interval[1] < among.ratio_interval[1]
    assert among.interval == alone.interval


def test_that_a_mistyped_year_adds_one_week_not_thousands():
    listed = weeks_of([*dates(0, 1, 15), datetime(2062, 9, 7, 8, 0, tzinfo=UTC)])
    assert [str(week.date()) for week, _ in listed] == [
        "2026-09-07", "2026-09-14", "2026-09-21", "2062-09-04",
    ]  # fmt: skip
    assert [left_out for _, left_out in listed] == [0, 0, 0, 1875]


@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=30))
@settings(max_examples=60)
def test_that_weeks_are_in_order_and_hold_every_date(days):
    every = dates(*days)
    listed = weeks_of(every)
    starts = [week for week, _ in listed]
    assert starts == sorted(set(starts))
    assert {week_of(date) for date in every} <= set(starts)
    assert len(starts) <= (MOST_EMPTY_WEEKS + 1) * len(set(days))
    passed = (starts[-1] - starts[0]) // timedelta(weeks=1)
    assert passed == len(starts) - 1 + sum(left_out for _, left_out in listed)


@pytest.mark.parametrize(
    "date",
    [
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12))),
    ],
)
def test_that_the_ends_of_the_calendar_break_nothing(date):
    assert weeks_of([date, START])
    assert windows_of([date, START]) is not None
