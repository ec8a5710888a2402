"""Growth: exact intervals, and few false claims."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.campaign.growth import growth_of, poisson_interval, rate_ratio, windows_of

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
