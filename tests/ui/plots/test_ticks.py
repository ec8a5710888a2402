import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.ui.plots.ticks import read_out, signed, tick_text, tick_values

numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)


@given(low=numbers, span=st.floats(1e-300, 1e300), most=st.integers(2, 20))
def test_that_ticks_lie_inside_the_span_and_are_few(low, span, most):
    high = low + span
    if not math.isfinite(high):
        return
    step, values = tick_values(low, high, most)
    assert len(values) <= most + 2
    assert all(low - step * 1e-6 <= v <= high + step * 1e-6 for v in values)


@given(low=st.floats(-1e12, 1e12), span=st.floats(1e-3, 1e12))
def test_that_neighbouring_ticks_never_read_the_same(low, span):
    step, values = tick_values(low, low + span, 8)
    texts = [tick_text(value, step) for value in values]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [
        (0.05, 0.05, "0.05"),
        (0.1, 0.05, "0.10"),
        (-50.0, 50.0, "−50"),
        (1e-17, 0.1, "0"),
        (4.5e15, 5e14, "4.5e15"),
        (2e-7, 1e-7, "2e−7"),
    ],
)
def test_that_a_tick_has_the_digits_its_step_needs(value, step, text):
    assert tick_text(value, step) == text


def test_that_a_span_too_narrow_for_its_magnitude_has_no_ticks():
    assert tick_values(4.6e15, 4.6e15 + 0.5, 5) == (0.0, ())


def test_that_what_is_no_number_is_said_as_such():
    assert [read_out(v) for v in (math.nan, math.inf, -math.inf, -2.0)] == [
        "–",
        "+inf",
        "−inf",
        "−2",
    ]
    assert [signed(v) for v in (0.5, -0.5, 0.0, math.nan)] == ["+0.5", "−0.5", "0", "–"]
