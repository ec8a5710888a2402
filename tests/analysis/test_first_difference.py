"""Levels along a kinematic relation: the whole's at the start, the rate's throughout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import wander
from tracescope.analysis.first_difference import (
    carried_first_rows,
    integral_constant,
    rate_level,
)
from tracescope.analysis.regression import FirstRows, first_rows

DT = 0.05
TIME = DT * np.arange(400)


def integrated(rate: np.ndarray) -> np.ndarray:
    return np.concatenate(([0.0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * DT)))


def side(seed: int, noise: float, start: float = 0.0, drift: float = 0.0) -> np.ndarray:
    """Position from a start on, and its rate with an offset, shape ``(2, 400)``."""
    rate = wander(400, 1, seed, smooth=8.0)[:, 0]
    rng = np.random.default_rng(seed + 7)
    position = start + integrated(rate) + noise * rng.standard_normal(400)
    return np.stack([position, rate + drift + noise * rng.standard_normal(400)])


def both(noise: float, start: float, drift: float = 0.0, seed: int = 1) -> tuple[FirstRows, ...]:
    """From five rows, and carried, for two motions that go apart at once."""
    x, y = side(seed, noise), side(seed + 100, noise, start, drift)
    first = first_rows(x, y)
    return first, carried_first_rows(first, x, y, TIME, [(0, (1,), 1.0)])


@pytest.mark.parametrize("start", [0.0, 0.3, -2.0])
@pytest.mark.parametrize("drift", [0.0, 0.5])
def test_that_a_start_is_read_off_many_rows_of_motions_that_differ(
    start: float, drift: float
) -> None:
    first, carried = both(0.02, start, drift)
    assert carried.half[0] < 0.6 * first.half[0]
    assert carried.difference[0] == pytest.approx(start, abs=carried.half[0])
    assert carried.half[0] < 0.05
    assert (carried.difference[1], carried.half[1]) == (first.difference[1], first.half[1])


def test_that_nothing_is_carried_over_a_gap() -> None:
    x, y = side(1, 0.02), side(101, 0.02)
    late = TIME.copy()
    late[10:] += 1.0
    first = first_rows(x, y)
    carried = carried_first_rows(first, x, y, late, [(0, (1,), 1.0)])
    assert carried.half[0] == first.half[0]


def test_that_a_relation_that_does_not_hold_leaves_the_first_rows() -> None:
    x, y = side(1, 0.02), side(101, 0.02)
    first = first_rows(x, y)
    carried = carried_first_rows(first, x, y, TIME, [(0, (1,), -1.0)])
    assert carried.half[0] == first.half[0]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    noise=st.sampled_from((1e-4, 0.01, 0.05)),
    start=st.floats(-3, 3),
    unit=st.sampled_from((1e-3, 1.0, 57.3)),
)
def test_that_a_carried_start_holds_the_truth_in_any_unit(
    seed: int, noise: float, start: float, unit: float
) -> None:
    x, y = side(seed, noise), side(seed + 20_000, noise, start)
    scale = np.array([[unit], [1.0]])
    plain = carried_first_rows(first_rows(x, y), x, y, TIME, [(0, (1,), 1.0)])
    x, y = scale * x, scale * y
    carried = carried_first_rows(first_rows(x, y), x, y, TIME, [(0, (1,), unit)])
    assert abs(carried.difference[0] / unit - start) <= 2 * carried.half[0] / unit
    assert carried.difference[0] == pytest.approx(unit * plain.difference[0], abs=1e-6 * unit)
    assert carried.half[0] == pytest.approx(unit * plain.half[0], rel=1e-4)


@pytest.mark.parametrize("drift", [0.0, 0.05, -1.0])
def test_that_a_rate_with_an_offset_adds_up_to_a_motion_that_is_not_there(drift: float) -> None:
    position, rate = side(3, 0.02, drift=drift)
    found = rate_level(position, rate, TIME, 1.0, 0.0, 0.99)
    assert found is not None
    level, half, rows = found
    assert level == pytest.approx(drift, abs=half)
    assert half < 0.02
    assert rows == 400


def test_that_a_loose_constant_widens_the_level_of_a_rate_that_goes_somewhere() -> None:
    position, rate = side(3, 0.02)
    ahead = np.arange(400) * DT
    sure, loose = (
        rate_level(position + ahead, rate + 1.0, TIME, 1.0, half, 0.99) for half in (0.0, 0.1)
    )
    assert sure is not None
    assert loose is not None
    assert loose[1] == pytest.approx(sure[1] + 0.1, abs=0.03)


def test_that_few_rows_between_gaps_tell_no_level() -> None:
    position, rate = side(3, 0.02)
    assert rate_level(position[:20], rate[:20], TIME[:20], 1.0, 0.0, 0.99) is None
    broken = TIME + np.floor(np.arange(400) / 20)
    assert rate_level(position, rate, broken, 1.0, 0.0, 0.99) is None
    longer = TIME + (np.arange(400) >= 100)
    found = rate_level(position, rate, longer, 1.0, 0.0, 0.99)
    assert found is not None
    assert found[2] == 300


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    noise=st.sampled_from((1e-4, 0.02, 0.1)),
    drift=st.floats(-1, 1),
    k=st.sampled_from((-2.0, 0.1, 1.0, 57.3)),
)
def test_that_the_level_of_a_rate_holds_the_truth_whatever_the_constant(
    seed: int, noise: float, drift: float, k: float
) -> None:
    position, rate = side(seed, noise, 0.4, drift)
    plain = rate_level(position, rate, TIME, 1.0, 0.0, 0.99)
    found = rate_level(k * position, rate, TIME, k, 0.0, 0.99)
    assert plain is not None
    assert found is not None
    assert found[:2] == pytest.approx(plain[:2], rel=1e-6, abs=1e-9)
    assert abs(found[0] - drift) <= 2 * found[1]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    noise=st.sampled_from((1e-4, 0.02, 0.1)),
    drift=st.floats(-1, 1),
    k=st.sampled_from((-2.0, 0.1, 1.0, 57.3)),
    rows=st.sampled_from((40, 100, 400)),
)
def test_that_an_integral_holds_its_constant_whatever_levels_and_units(
    seed: int, noise: float, drift: float, k: float, rows: int
) -> None:
    position, rate = (signal[:rows] for signal in side(seed, noise, 0.4, drift))
    plain = integral_constant(position, rate, TIME[:rows], 0.99)
    found = integral_constant(k * position, rate, TIME[:rows], 0.99)
    assert plain is not None
    assert found is not None
    assert found[0] == pytest.approx(k * plain[0], rel=1e-6)
    assert found[1] == pytest.approx(plain[1], rel=1e-3)
    assert abs(np.log(found[0] / k)) <= 2 * found[1] or found[1] > 0.3


def test_that_a_small_lag_of_the_whole_leaves_the_constant_alone() -> None:
    position, rate = side(5, 1e-4)
    late = np.interp(TIME - 0.4 * DT, TIME, position)
    found = integral_constant(late[1:], rate[1:], TIME[1:], 0.99)
    assert found is not None
    assert found[0] == pytest.approx(1.0, abs=max(found[1], 1e-3))


def test_that_few_rows_have_no_constant() -> None:
    position, rate = side(5, 0.01)
    assert integral_constant(position[:20], rate[:20], TIME[:20], 0.99) is None
