"""A clock read at other instants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis import stretches
from tracescope.analysis.resample import Reader, nearest_in, places_in, resampled
from tracescope.model.trace import Channel, Role


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 60))
def test_that_lines_are_read_as_numpy_reads_them(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    time_s = np.cumsum(rng.uniform(0.5, 1.5, n))
    value = rng.normal(size=n)
    at_s = np.sort(rng.uniform(time_s[0], time_s[-1], 50))
    channel = Channel("q", Role.OBSERVATION, time_s, value)
    np.testing.assert_allclose(
        resampled(channel, value, at_s, np.inf), np.interp(at_s, time_s, value), atol=1e-12
    )
    assert np.array_equal(resampled(channel, value, time_s, np.inf), value)


def test_that_repeated_stamps_give_the_last_sample_where_they_are_met() -> None:
    time_s, value = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0, 2.0])
    channel = Channel("q", Role.OBSERVATION, time_s, value)
    out = resampled(channel, value, np.array([0.5, 1.0, 1.5]), np.inf)
    assert out.tolist() == [0.5, 5.0, 1.5]


def test_that_channels_of_one_clock_are_placed_once_and_each_read_in_its_way() -> None:
    time_s = np.array([0.0, 1.0, 2.0, 3.0, 9.0])
    drawn = Channel("q", Role.OBSERVATION, time_s, np.array([0.0, 2.0, 4.0, 6.0, 8.0]))
    held = Channel("u", Role.ACTION, time_s, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    reader = Reader(np.array([-1.0, 0.5, 3.0, 5.0, 10.0, 20.0]))
    nan = np.nan
    np.testing.assert_equal(reader.read(drawn, drawn.as_float()), [nan, 1.0, 6.0, nan, nan, nan])
    np.testing.assert_equal(reader.read(held, held.as_float()), [nan, 1.0, 4.0, nan, 5.0, nan])


def test_that_an_empty_channel_has_no_values() -> None:
    channel = Channel("q", Role.OBSERVATION, np.zeros(0), np.zeros(0))
    assert np.isnan(resampled(channel, channel.as_float(), np.arange(3.0), 1.0)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 60), st.booleans())
def test_that_the_nearest_sample_is_read_once(seed: int, n: int, regular: bool) -> None:
    rng = np.random.default_rng(seed)
    time_s = np.arange(n) * 1.0 if regular else np.cumsum(rng.integers(0, 3, n)) * 0.5
    at_s = np.sort(rng.uniform(time_s[0] - 1, time_s[-1] + 1, 50)) if seed % 2 else time_s + 0.1
    value = rng.normal(size=n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "BLOCK_ROWS", 7)
        read = nearest_in(time_s, at_s).read(value)
    place = np.searchsorted(0.5 * (time_s[1:] + time_s[:-1]), at_s)
    again = np.concatenate(([False], place[1:] == place[:-1]))
    np.testing.assert_array_equal(read, np.where(again, np.nan, value[place]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 80), st.sampled_from(["i4", "f4", "f8", "?"]))
def test_that_blocks_and_types_change_no_value(seed: int, n: int, dtype: str) -> None:
    """Regular stretches, repeats, gaps and stamps that are met by some instants alone: all in one clock."""
    rng = np.random.default_rng(seed)
    time_s = np.cumsum(rng.choice([0.0, 1.0, 1.0, 1.0, 4.0], n))
    value = (100 * rng.normal(size=n)).astype(dtype)
    at_s = np.sort(np.concatenate((time_s, rng.uniform(-2, time_s[-1] + 2, 20))))
    for role in (Role.OBSERVATION, Role.ACTION):
        channel = Channel("q", role, time_s, value)
        whole = places_in(time_s, at_s, 1.5).read(channel, value.astype(np.float64))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stretches, "BLOCK_ROWS", 5)
            in_blocks = places_in(time_s, at_s, 1.5).read(channel, value)
        np.testing.assert_array_equal(in_blocks, whole)
