"""Numbers are written with the digits their interval supports and read back as what they were."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.findings.numbers import (
    OF_ONE,
    UNTOLD,
    band_text,
    clipped,
    count_text,
    estimate_text,
    interval_text,
    measured_texts,
    number,
    prefix,
    range_text,
    unit_of,
    unit_of_band,
    value_text,
)
from tracescope.model.check import Measurement
from tracescope.model.shares import SHARE_TOLERANCES
from tracescope.session.catalogue import all_checks


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


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.0, "rows", "1 row"),
        (-1.0, "rows", "−1 row"),
        (2.0, "rows", "2 rows"),
        (1.0, "periods", "1 period"),
        (1.5, "periods", "1.5 periods"),
        (1.0, "s", "1 s"),
    ],
)
def test_that_one_row_is_no_rows(value, unit, text):
    assert value_text(value, None, unit) == text
    assert interval_text((None, value), unit) == f"at most {text}"


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


def _measured(quantity: str, estimate: float, half: float, n: float, tolerance=(0.0, 0.01)):
    interval = (estimate - half, estimate + half)
    return Measurement(quantity, "", estimate, interval, n=n, tolerance=tolerance)


def test_that_a_share_is_read_in_per_cent_and_so_is_its_tolerance():
    stale = _measured("stale rows", 20 / 76, 0.0, 76)
    assert measured_texts(stale)[0] == "26.32 %"
    assert band_text(stale.tolerance, unit_of(stale.quantity, stale.unit)) == "0 to 1 %"
    assert band_text((0.5, 1.0), unit_of_band("alignment.overlap", "")) == "50 to 100 %"
    assert measured_texts(_measured("scale", 1.5, 0.0, 76))[0] == "1.5"


def test_that_every_tolerance_of_a_share_is_a_declared_one_without_unit():
    declared = {t.key: t for check in all_checks() for t in check.tolerances}
    assert declared.keys() >= SHARE_TOLERANCES
    assert {declared[key].unit for key in SHARE_TOLERANCES} == {""}


def test_that_a_number_of_less_than_one_independent_sample_is_no_estimate():
    lag = _measured("remaining lag", -1.0, 317.0, 0.2, (-0.5, 0.5))
    assert measured_texts(lag) == (UNTOLD, "")
    assert measured_texts(replace(lag, n=1.2))[1] == "−318 to 316"
    decided = replace(lag, estimate=0.0, interval=(-0.1, 0.1))
    assert measured_texts(decided)[0] == "0"
    counted = replace(lag, interval=(-1.0, -1.0), tolerance=None)
    assert measured_texts(counted)[0] == "−1"


@pytest.mark.parametrize(
    ("estimate", "half", "unit", "text"),
    [
        (0.4363, 1.803e-7, "", "± < 0.0001"),
        (0.0348, 1e-9, "s", "± < 0.01 ms"),
        (1003.0, 1e-5, "rows", "± < 1 row"),
        (0.25, 1e-8, OF_ONE, "± < 0.01 %"),
    ],
)
def test_that_an_interval_narrower_than_the_last_digit_is_that_digit(estimate, half, unit, text):
    assert estimate_text(estimate, (estimate - half, estimate + half), unit)[1] == text


@given(st.floats(1e-3, 1e9), st.floats(1e-12, 1e-6))
def test_that_a_narrow_interval_is_never_wider_than_it_is_written(estimate, share):
    interval = (estimate * (1 - share), estimate * (1 + share))
    text = estimate_text(estimate, interval)[1]
    if text.startswith("± < "):
        assert (interval[1] - interval[0]) / 2 < read(text.removeprefix("± < "))
