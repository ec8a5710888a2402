"""One rule for what is a gap: a dropout is one, the scatter of a jittery clock is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis.gaps import (
    WINDOW,
    WINDOWS,
    gap_length_s,
    in_gap,
    interval_and_gap_s,
    median_interval,
)


def test_that_a_regular_clock_has_gaps_past_one_and_a_half_periods() -> None:
    assert gap_length_s(0.01 * np.arange(200)) == pytest.approx(0.015)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.floats(0.0, 0.2), st.sampled_from([0.0, 0.01, 0.03]))
def test_that_lost_rows_of_a_regular_clock_stay_gaps(seed: int, lost: float, jitter: float) -> None:
    rng = np.random.default_rng(seed)
    time_s = 0.02 * (np.arange(400) + np.clip(rng.normal(0, jitter, 400), -0.1, 0.1))
    kept = rng.random(400) >= lost
    row = np.flatnonzero(kept)
    gap_s = gap_length_s(time_s[kept])
    long = np.diff(row) > 1
    assert ((np.diff(time_s[kept]) > gap_s) == long).all()


def test_that_an_uneven_loop_has_no_gaps_but_for_a_stall() -> None:
    rng = np.random.default_rng(4)
    steps = rng.choice([0.0, 0.008, 0.01, 0.02, 0.022, 0.031], 300)
    steps[::6] = 0.031
    time_s = np.cumsum(steps)
    assert not (np.diff(time_s) > gap_length_s(time_s)).any()
    steps[150] = 0.2
    assert np.flatnonzero(np.diff(np.cumsum(steps)) > gap_length_s(np.cumsum(steps))).tolist() == [
        149
    ]


def test_that_a_loop_of_two_intervals_shows_only_its_hole(shared_data: Path) -> None:
    name = "sample_log_small_vehicle_angular_velocity_0.csv"
    file = next((shared_data / "layouts" / "px4-ulog2csv").rglob(name))
    stamps_us = np.loadtxt(file, delimiter=",", skiprows=1, usecols=0)
    steps_ms = np.diff(stamps_us) * 1e-3
    gaps_ms = steps_ms[steps_ms > gap_length_s(stamps_us * 1e-6) * 1e3]
    assert gaps_ms.round(1).tolist() == [163.7]


def test_that_a_clock_that_stands_still_has_no_gap() -> None:
    assert interval_and_gap_s(np.zeros(5)) == (np.inf, np.inf)
    assert gap_length_s(np.zeros(0)) == np.inf
    assert median_interval(np.zeros(1)) == np.inf


def test_that_a_very_long_clock_is_judged_like_a_short_one() -> None:
    time_s = 0.001 * np.arange(WINDOWS * WINDOW + 10.0)
    assert gap_length_s(time_s) == pytest.approx(0.0015)


def test_that_instants_inside_a_gap_are_told() -> None:
    time_s = np.array([0.0, 1.0, 2.0, 5.0, 6.0])
    told = in_gap(time_s, np.array([1.5, 2.0, 3.0, 5.0, 5.5]))
    assert told.tolist() == [False, False, True, False, False]
