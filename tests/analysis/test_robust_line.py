"""The robust line beside scipy's, and on points whose line is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import theilslopes

from tracescope.analysis.robust_line import robust_line


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    count=st.integers(2, 45),
    steps=st.sampled_from([0, 3, 12]),
    confidence=st.sampled_from([0.9, 0.99, 0.999]),
)
def test_slope_level_and_interval_are_those_of_scipy(seed, count, steps, confidence):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=count), rng.normal(size=count)
    if steps:  # points that stand over and beside one another
        x, y = np.round(x * steps) / steps, np.round(y * steps) / steps
        x[0], x[1] = -9.0, 9.0
    expected = theilslopes(y, x, alpha=confidence)

    line = robust_line(x, y, confidence)

    assert line is not None
    assert (line.slope, line.level, *line.interval) == pytest.approx(tuple(expected), abs=1e-12)


def test_a_third_of_wild_points_does_not_turn_the_line():
    x = np.arange(30.0)
    y = 2.0 - 0.5 * x
    y[::4] += 100.0

    line = robust_line(x, y, 0.99)

    assert line is not None
    assert line.slope == pytest.approx(-0.5)
    assert line.interval[0] <= -0.5 <= line.interval[1]


def test_points_over_one_another_have_no_line():
    assert robust_line(np.ones(5), np.arange(5.0), 0.99) is None
    assert robust_line(np.ones(1), np.ones(1), 0.99) is None
