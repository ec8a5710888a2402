"""Numbers are written with the digits their interval supports and read back as what they were."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.findings.numbers import (
    band_text,
    clipped,
    count_text,
    estimate_text,
    interval_text,
    number,
    prefix,
    range_text,
    value_text,
)


def read(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.31, "0.31"),
        (588.2, "588.2"),
        (-0.3, "−0.3"),
        (0.0, "0"),
        (-0.0, "0"),
        (12345.6, "12346"),
        (1234567.0, "1.235e6"),
        (0.00002, "2e−5"),
        (float("nan"), "not measured"),
        (None, "not measured"),
        (float("inf"), "unbounded"),
    ],
)
def test_that_numbers_read_as_a_person_writes_them(value, text):
    assert number(value) == text


@given(st.floats(-1e9, 1e9, allow_nan=False))
def test_that_a_written_number_is_the_number_to_four_digits(value):
    assert read(number(value)) == pytest.approx(value, rel=6e-4, abs=1e-300)


@given(st.floats(-1e5, 1e5), st.floats(1e-6, 1e4))
def test_that_an_interval_keeps_two_digits_of_its_width(low, width):
    text = interval_text((low, low + width))
    ends = [read(part) for part in text.split(" to ")]
    assert ends == pytest.approx([low, low + width], abs=0.06 * width, rel=1e-3)


@pytest.mark.parametrize(
    ("args", "texts"),
    [
        ((1.5, (1.473, 1.5281), ""), ("1.500", "1.473 to 1.528")),
        ((0.01, (0.00998, 0.01002), "s"), ("10.000 ms", "9.980 to 10.020 ms")),
        ((2.0, (1.5, 2.5), "s"), ("2.0 s", "1.5 to 2.5 s")),
        ((0.5, None, "rad"), ("0.5 rad", "")),
        ((float("nan"), None, "s"), ("not measured", "")),
        ((0.0, (0.0, 0.0), "s"), ("0 s", "0 to 0 s")),
    ],
)
def test_that_estimate_and_interval_share_digits_and_prefix(args, texts):
    assert estimate_text(*args) == texts


@pytest.mark.parametrize(
    ("band", "unit", "text"),
    [
        ((0.95, 1.05), "", "0.95 to 1.05"),
        ((float("-inf"), 0.002), "s", "at most 2 ms"),
        ((0.95, float("inf")), "", "at least 0.95"),
        ((None, None), "", "unbounded"),
    ],
)
def test_that_a_tolerance_is_written_as_it_was_set(band, unit, text):
    assert band_text(band, unit) == text


def test_that_only_seconds_change_their_prefix():
    assert prefix("rad", 0.001) == ("rad", 1.0)
    assert prefix("s", 0.001, 0.0005) == ("ms", 1e3)
    assert prefix("s", 1e-5) == ("µs", 1e6)
    assert value_text(3.2, None, "s") == "3.2 s"


def test_that_an_effective_count_is_whole_from_ten_on():
    assert (count_text(588.4), count_text(7.25), count_text(0), count_text(math.nan)) == (
        "588",
        "7.2",
        "",
        "",
    )


def test_that_rounding_noise_beside_a_wide_interval_is_zero():
    assert interval_text((-1.386e-18, 0.45)) == "0 to 0.45"
    assert interval_text((-1e-5, 1e-5)) == "−1e−5 to 1e−5"


@pytest.mark.parametrize(
    ("interval", "written"),
    [((0.1, 0.25), "0.10 to 0.25"), ((0.0537, 0.0537), "only at 0.0537"), (None, "")],
)
def test_that_one_value_is_no_range(interval, written):
    assert range_text(interval) == written


def test_that_rounding_of_stamps_is_no_time():
    assert estimate_text(5e-13, (5e-13, 5e-13), "ms") == ("0 ms", "0 to 0 ms")
    assert estimate_text(2e-9, (1e-9, 3e-9), "s") == ("0.0020 µs", "0.0010 to 0.0030 µs")


def test_that_a_small_number_keeps_its_intervals_digits():
    assert estimate_text(-5.6e-5, (-0.00023, 0.00012)) == ("−0.00006", "−0.00023 to 0.00012")


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [("short", 9, "short"), ("some words here", 11, "some words…"), ("x" * 20, 10, "x" * 9 + "…")],
)
def test_that_a_long_text_is_cut_between_words(text, most, cut):
    assert clipped(text, most) == cut
    assert len(clipped(text, most)) <= most
