import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tracescope.ui.plots.pyramid import PendingPyramid, Pyramid

values = hnp.arrays(
    np.float64,
    st.integers(1, 3000),
    elements=st.one_of(st.floats(-1e9, 1e9), st.just(np.nan), st.just(np.inf), st.just(-np.inf)),
    fill=st.floats(-1, 1),
)


def by_hand(value, size, first, last):
    finite = np.where(np.isinf(value), np.nan, value)
    out = []
    for number in range(first, last):
        part = finite[number * size : (number + 1) * size]
        part = part[~np.isnan(part)]
        out.append((part.min(), part.max()) if part.size else (np.nan, np.nan))
    return np.array(out).T


@given(value=values, power=st.integers(0, 11))
@settings(max_examples=60, deadline=None)
def test_that_every_bin_spans_exactly_its_finite_samples(value, power):
    size = 2**power
    bins = -(-value.size // size)
    pyramid = Pyramid(value)
    expected = by_hand(value, size, 0, bins)
    np.testing.assert_array_equal(np.array(pyramid.between(size, 0, bins)), expected)
    chosen = np.arange(bins, dtype=np.int64)[:: max(1, bins // 7)]
    np.testing.assert_array_equal(np.array(pyramid.at(size, chosen)), expected[:, chosen])


@pytest.mark.parametrize("row", [0, 1, 4095, 70_000, 99_999])
def test_that_a_single_sample_spike_survives_in_every_size_of_bin(row):
    value = np.zeros(100_000)
    value[row] = 1.0
    pyramid = Pyramid(value)
    for power in range(17):
        size = 2**power
        _, high = pyramid.between(size, row // size, row // size + 1)
        assert high.tolist() == [1.0]


def test_that_infinite_samples_are_listed_and_do_not_reach_the_bounds():
    pyramid = Pyramid(np.array([1.0, np.inf, 3.0, -np.inf, np.nan]))
    assert pyramid.infinite.tolist() == [1, 3]
    assert (pyramid.low, pyramid.high) == (1.0, 3.0)


def test_that_finite_numbers_whose_sum_overflows_are_not_taken_for_infinite():
    pyramid = Pyramid(np.array([1e308, 1e308, -1e308]))
    assert pyramid.infinite.size == 0
    assert pyramid.high == 1e308


def test_that_flags_and_whole_numbers_are_taken_as_they_are():
    assert Pyramid(np.array([False, True])).high == 1.0
    assert Pyramid(np.array([3, 9], np.int32)).low == 3.0


def test_that_an_empty_channel_has_no_bounds():
    pyramid = Pyramid(np.zeros(0))
    assert np.isnan(pyramid.low)
    assert np.isnan(pyramid.high)


def test_that_a_pyramid_being_built_shows_nothing_at_any_size():
    pending = PendingPyramid(10_000)
    for size in (1, 16, 4096):
        low, high = pending.between(size, 0, 2)
        assert np.isnan(low).all()
        assert np.isnan(high).all()
    assert np.isnan(pending.at(16, np.array([3, 4]))[0]).all()
    assert np.isnan(pending.value[[0, 9999]]).all()
