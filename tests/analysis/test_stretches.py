"""Looking at long signals in blocks and at stretches."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis import stretches
from tracescope.analysis.saturation import held_values, saturation
from tracescope.analysis.stretches import (
    blocks_of_rows,
    even_rows,
    finite_range,
    running_count,
    spread_of,
    spreads_together,
    stretches_of,
)


@pytest.fixture
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretches, "BLOCK_ROWS", 7)


@pytest.mark.usefixtures("_small_blocks")
@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(width=32), max_size=40))
def test_that_blocks_hold_every_row_once_and_give_the_range_of_the_whole(some: list[float]) -> None:
    value = np.array(some, dtype=np.float64)
    rows = [row for block in blocks_of_rows(value.size) for row in range(block.start, block.stop)]
    assert rows == list(range(value.size))
    count, low, high = finite_range(value)
    finite = value[np.isfinite(value)]
    assert count == finite.size
    if count:
        assert (low, high) == (finite.min(), finite.max())
    else:
        assert np.isnan(low)
        assert np.isnan(high)


@pytest.mark.usefixtures("_small_blocks")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), max_size=40))
def test_that_flags_are_counted_as_one_sum_would(some: list[bool]) -> None:
    flags = np.array(some, dtype=np.bool_)
    assert running_count(flags).tolist() == np.cumsum(flags).tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 2_000_000), st.integers(1, 4000))
def test_that_stretches_lie_in_order_inside_the_rows(first: int, size: int, rows: int) -> None:
    spans = stretches_of(first, first + size, rows)
    assert spans[0][0] == first
    assert spans[-1][1] == first + size
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    chosen = even_rows(size)
    assert chosen.size == min(size, stretches.MOST_ROWS)
    assert (np.diff(chosen) > 0).all()


@pytest.mark.usefixtures("_small_blocks")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(0, 60))
def test_that_spreads_and_covariance_are_those_of_the_rows_that_both_have(
    seed: int, size: int
) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(5.0, size=(2, size))
    x[rng.random(size) < 0.3], y[rng.random(size) < 0.2] = np.nan, np.inf
    both = np.isfinite(x) & np.isfinite(y)
    found = spreads_together(x, y)
    if not both.any():
        assert np.isnan(found).all()
        return
    x, y = x[both], y[both]
    told = (x.std(), y.std(), float(np.mean((x - x.mean()) * (y - y.mean()))))
    assert found == pytest.approx(told, rel=1e-9, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 300_000))
def test_that_the_spread_is_that_of_all_samples(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    value = rng.normal(size=size)
    value[rng.random(size) < 0.3] = np.nan
    value[0] = 1.0
    assert spread_of(value) == pytest.approx(float(np.nanstd(value)), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("size", [1000, 400_000])
def test_that_a_signal_that_moves_once_has_the_spread_of_its_move(size: int) -> None:
    value = np.full(size, np.nan)
    value[size // 3], value[size // 3 + 1] = 0.0, 2.0
    assert spread_of(value) == pytest.approx(1.0)


def between_stretches(size: int) -> np.ndarray:
    """A machine that rests and moves only where no stretch lies."""
    value, rows = np.zeros(size), even_rows(size)
    for row in np.flatnonzero(np.diff(rows) > 1):
        first, last = int(rows[row]) + 1, int(rows[row + 1])
        value[first:last] = np.sin(np.linspace(0.0, np.pi, last - first))
    return value


def test_that_motion_between_stretches_counts_for_the_spread() -> None:
    value = between_stretches(400_000) + np.random.default_rng(0).normal(0.0, 1e-3, 400_000)
    assert spread_of(value) == pytest.approx(float(value.std()), rel=1e-9)


def test_that_a_target_at_rest_is_not_saturated_since_the_simulator_trembles_there() -> None:
    motion = between_stretches(400_000)
    trembling = motion + np.random.default_rng(0).normal(0.0, 1e-3, motion.size)
    assert saturation(trembling, motion) == ()
    assert (
        held_values(trembling, motion, 0.0, np.zeros(motion.size, dtype=np.bool_)).longest is None
    )
