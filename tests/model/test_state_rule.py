"""The one rule that turns an interval and a tolerance into a state, and states into a check's."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracescope.model.check import CheckResult, Measurement, State, combined, state_of

PASS, FAIL, DOUBT = State.PASS, State.FAIL, State.INCONCLUSIVE
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((-0.5, 0.5), PASS),
        ((-1.0, 1.0), PASS),
        ((0.2, 0.2), PASS),
        ((1.0, 1.0), PASS),
        ((-1.1, 1.0), DOUBT),
        ((-1.0, 1.1), DOUBT),
        ((-9.0, 9.0), DOUBT),
        ((0.5, 1.5), DOUBT),
        ((1.0, 2.0), DOUBT),
        ((-2.0, -1.0), DOUBT),
        ((1.1, 2.0), FAIL),
        ((-2.0, -1.1), FAIL),
        ((5.0, 5.0), FAIL),
        ((0.5, -0.5), DOUBT),
        ((3.0, 2.0), DOUBT),
        ((NAN, 0.5), DOUBT),
        ((-0.5, NAN), DOUBT),
        ((2.0, INF), DOUBT),
        ((-INF, -2.0), DOUBT),
        ((-INF, INF), DOUBT),
        (None, DOUBT),
    ],
)
def test_that_only_an_interval_wholly_on_one_side_decides(interval, expected) -> None:
    assert state_of(interval, (-1.0, 1.0)) is expected
    assert state_of(interval, (-1.0, 1.0), covered=True) is expected
    assert state_of(interval, (-1.0, 1.0), covered=False) is DOUBT
    assert state_of(interval, None) is DOUBT


@given(
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(allow_nan=True, allow_infinity=True),
    st.floats(-1e6, 1e6),
    st.floats(0, 1e6),
)
def test_that_wider_intervals_never_decide_what_narrower_ones_did_not(
    low, high, band, wide
) -> None:
    low, high = sorted((low, high)) if low == low and high == high else (low, high)
    tolerance = (band - wide, band + wide)
    state = state_of((low, high), tolerance)
    wider = state_of((low - 1.0, high + 1.0), tolerance)
    assert wider in (state, DOUBT)
    if state is PASS:
        assert tolerance[0] <= low <= high <= tolerance[1]
    if state is FAIL:
        assert high < tolerance[0] or low > tolerance[1]


@pytest.mark.parametrize(
    "pairs", list(itertools.product(itertools.product(State, (True, False)), repeat=2))
)
def test_that_a_failure_fails_doubt_about_what_is_required_doubts_and_the_rest_passes(
    pairs,
) -> None:
    states = [state for state, _ in pairs]
    required = [state for state, needed in pairs if needed]
    if FAIL in states:
        expected = FAIL
    elif not required or DOUBT in required:
        expected = DOUBT
    else:
        expected = PASS
    assert combined(pairs) is expected
    assert combined(iter(pairs)) is expected


def test_that_nothing_measured_never_passes() -> None:
    assert combined([]) is DOUBT
    assert combined([(PASS, False)]) is DOUBT


def measurement(interval, **rest) -> Measurement:
    return Measurement("scale", "obs", 1.0, interval, "ratio", 40.0, tolerance=(0.95, 1.05), **rest)


def test_that_a_result_follows_from_what_is_judged_and_blocked_measurements_say_nothing() -> None:
    good, bad = measurement((0.97, 1.03)), measurement((1.2, 1.3))
    assert (good.state, bad.state) == (PASS, FAIL)
    assert measurement((1.2, 1.3), blocked="alignment is not established").state is DOUBT
    result = CheckResult.from_measurements("timing", "because", [good, bad])
    assert (result.id, result.state, result.reason) == ("timing", FAIL, "because")
    assert result.measured("scale") == (good, bad)
    assert result.measured("scale", "other") == ()
    assert result.measured("level") == ()
    assert CheckResult.from_measurements("timing", "because", [good]).state is PASS
    assert CheckResult.from_measurements("timing", "because", []).state is DOUBT
    assert CheckResult.inconclusive("timing", "no clock").state is DOUBT
