"""The rule that single samples are held against, and the summary of a stretch of samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.analysis.differences import runs_beyond, sample_rule
from tracescope.analysis.range_stats import range_stats

SCALE, LEVEL = (0.95, 1.05), (-0.10, 0.10)


@given(
    scale=st.floats(0.951, 1.049),
    level=st.floats(-0.099, 0.099),
    size=st.floats(1e-3, 1e6),
    mean=st.floats(-1e6, 1e6),
)
def test_that_whatever_scale_and_level_inside_tolerance_make_is_allowed(scale, level, size, mean):
    sim = mean + size * np.sin(np.arange(200))
    rule = sample_rule(sim, SCALE, LEVEL)
    target = scale * (sim - rule.mean) + rule.mean + level * rule.sd
    assert runs_beyond(sim, target - sim, rule).shape == (0, 2)


@given(st.floats(0.3, 5.0), st.integers(0, 199))
def test_that_a_single_sample_far_off_is_a_run_of_its_own(by_sd, row):
    sim = np.sin(np.arange(200.0))
    difference = np.zeros(200)
    rule = sample_rule(sim, SCALE, LEVEL)
    difference[row] = by_sd * rule.sd
    assert runs_beyond(sim, difference, rule).tolist() == [[row, row]]


def test_that_missing_samples_end_a_run_and_are_none():
    sim = np.tile([-1.0, 1.0], 5)
    difference = np.full(10, 2.0)
    difference[4] = np.nan
    runs = runs_beyond(sim, difference, sample_rule(sim, SCALE, LEVEL))
    assert runs.tolist() == [[0, 3], [5, 9]]


def test_that_a_constant_simulator_allows_only_rounding():
    sim = np.full(5, 4.6e15)
    rule = sample_rule(sim, SCALE, LEVEL)
    assert runs_beyond(sim, np.full(5, 1.0), rule).size == 0
    assert runs_beyond(sim, np.full(5, 1e8), rule).tolist() == [[0, 4]]
    nothing = sample_rule(np.full(3, np.nan), SCALE, LEVEL)
    assert runs_beyond(np.full(3, np.nan), np.full(3, np.nan), nothing).size == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50), st.integers(0, 3))
def test_that_statistics_are_those_of_the_finite_samples(values, holes):
    stats = range_stats(np.array(values + [math.nan] * holes))
    assert (stats.count, stats.missing) == (len(values) + holes, holes)
    assert (stats.low, stats.high) == (min(values), max(values))
    assert stats.mean == pytest.approx(np.mean(values), abs=1e-6)
    assert stats.sd == pytest.approx(np.std(values, ddof=1), abs=1e-6)
    assert stats.rms == pytest.approx(math.sqrt(np.mean(np.square(values))), abs=1e-6)


def test_that_a_small_spread_on_a_large_level_keeps_its_digits():
    stats = range_stats(1e9 + np.array([0.0, 1.0, 2.0]))
    assert stats.mean == 1e9 + 1
    assert stats.sd == 1.0


def test_that_too_few_samples_have_no_spread():
    assert math.isnan(range_stats(np.array([1.0])).sd)
    assert math.isnan(range_stats(np.array([math.inf])).mean)
    assert range_stats(np.zeros(0)).count == 0
