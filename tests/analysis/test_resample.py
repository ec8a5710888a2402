"""A clock read at other instants."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis.resample import Reader, resampled
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
