"""Values are looked through once, a piece at a time, and nothing hides at the pieces' borders."""

from __future__ import annotations

import numpy as np
import pytest

from tracescope.readers.health import AT_ONCE, extremes, without_sentinels
from tracescope.readers.stamps import sentinel_rows


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("size", [1, 7, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 3])
def test_that_the_extremes_are_those_of_all_values(size, dtype):
    value = np.random.default_rng(size).normal(size=size).astype(dtype)
    assert extremes(value) == (value.min(), value.max())
    for place in {0, size // 2, size - 1}:
        changed = value.copy()
        changed[place] = np.inf
        assert extremes(changed)[1] == np.inf
        changed[place] = np.nan
        assert np.isnan(extremes(changed)).all()


@pytest.mark.parametrize(("dtype", "bits", "word"), [(np.float32, np.uint32, 0x7F800001),
                                                     (np.float64, np.uint64, 0x7FF0000000000001)])  # fmt: skip
def test_that_a_signalling_nan_is_a_nan_like_others(dtype, bits, word):
    value = np.ones(9, dtype)
    value.view(bits)[4] = word
    assert np.isnan(extremes(value)).all()


@pytest.mark.parametrize("place", [0, AT_ONCE - 1, AT_ONCE, 2 * AT_ONCE])
def test_that_a_sentinel_is_found_wherever_it_stands(place):
    value = np.ones(2 * AT_ONCE + 1)
    assert without_sentinels(value) == (value, 0, True)
    value[place] = 1e300
    kept, count, is_finite = without_sentinels(value)
    assert (count, is_finite) == (1, False)
    assert np.flatnonzero(np.isnan(kept)).tolist() == [place]
    value[place] = np.nan
    assert without_sentinels(value)[1:] == (0, False)
    value[place] = np.inf
    assert without_sentinels(value)[1:] == (0, False)


@pytest.mark.parametrize("span_s", [86_399.0, 86_401.0])
def test_that_a_stamp_a_day_away_is_a_placeholder_and_a_near_one_is_not(span_s):
    time_s = np.arange(40) * 0.01 + span_s
    time_s[0] = 0.0
    assert sentinel_rows(time_s, 1).sum() == (span_s > 86_400.0)
    led = np.concatenate(([-1.0, -1.0], np.arange(40) * 0.01))
    assert np.flatnonzero(sentinel_rows(led, 0)).tolist() == [0, 1]
    assert not sentinel_rows(led, 1).any()
