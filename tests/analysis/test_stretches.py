"""Looking at long signals in blocks and at stretches."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis import stretches
from tracescope.analysis.stretches import (
    blocks_of_rows,
    even_rows,
    finite_range,
    running_count,
    spread_of,
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


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 300_000))
def test_that_the_spread_is_that_of_all_samples(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    value = rng.normal(size=size)
    value[rng.random(size) < 0.3] = np.nan
    value[0] = 1.0
    assert spread_of(value) == pytest.approx(float(np.nanstd(value)), rel=0.03)


@pytest.mark.parametrize("size", [1000, 400_000])
def test_that_a_signal_that_moves_once_has_the_spread_of_its_move(size: int) -> None:
    value = np.full(size, np.nan)
    value[size // 3], value[size // 3 + 1] = 0.0, 2.0
    assert spread_of(value) == pytest.approx(1.0)
