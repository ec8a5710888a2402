"""How a sentence begins, how numbers and counts stand in it, and which measurement speaks for a check."""

from __future__ import annotations

import math
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import case, trace, wander
from tracescope.findings.note.key import key_measurement
from tracescope.findings.note.rows import alignment_lines, check_row, says_the_same, sentence
from tracescope.findings.numbers import spoken, with_minus
from tracescope.findings.observe import all_observed, capitalised, observed_of, opened
from tracescope.findings.result_schema import CheckEntry, MeasurementEntry
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Measurement, State

NAMES = ("action/FL_hip", "obs[0]", "q_1", "jointPos", "imu.gyro", "x1")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", [capitalised, sentence, lambda text: opened(text, NAMES)])
def test_that_a_name_keeps_its_letters_and_a_word_goes_before_it(name, form):
    assert form(f"{name}: holds no value").startswith(f"Channel {name}: holds")


@pytest.mark.parametrize("name", ["reward", "q", "done", "speed"])
def test_that_a_plain_name_is_known_as_one_where_names_are_known(name):
    assert opened(f"{name} moves", {name}) == f"Channel {name} moves"
    assert opened(f"{name}, b and 3 more move", {name}) == f"Channels {name}, b and 3 more move"
    assert opened(f"the {name} moves", {name}) == f"The {name} moves"


@pytest.mark.parametrize(
    "text", ["one-step gap", "scale of obs[0]", "3 rows", "the target's a_1", ""]
)
def test_that_a_word_gets_its_capital(text):
    assert capitalised(text) == text[:1].upper() + text[1:]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("between -3 and −1.5", "between −3 and −1.5"),
        ("[-0.5, -.25] (-1e6)", "[−0.5, −.25] (−1e6)"),
        ("obs-1, 2026-11-30, a/-5, run_-3, --offset -0.3".replace(" -0.3", ""),) * 2,
        ("one-step, 1e-05", "one-step, 1e-05"),
    ],
)
def test_that_numbers_have_one_minus_and_names_keep_their_hyphen(text, shown):
    assert with_minus(text) == shown


@given(st.floats(-1e5, 1e5, allow_nan=False))
def test_that_no_negative_number_keeps_a_hyphen(value):
    text = with_minus(f"between {value:.4g} and {value:.4f}, ({value:.3f})")
    assert not re.search(r"(?<!e)-\d", text)


def entry(estimate, interval, state, blocked="", channel="obs[0]"):
    return MeasurementEntry(
        "scale", channel, estimate, interval, 0.99, "", 30.0, (0.98, 1.02), state, "", blocked
    )


def key_of(*entries, state="inconclusive"):
    check = msgspec.convert(
        {"id": "x", "state": state, "reason": ""}, type=Bare, from_attributes=True
    )
    return key_measurement(msgspec.structs.replace(check, measurements=list(entries)))


class Bare(msgspec.Struct):
    """As much of a check's entry as the choice looks at."""

    id: str
    state: str
    reason: str
    measurements: list[MeasurementEntry] = []


WILD = entry(-3.0, (-136.0, 1.0), "inconclusive", "nothing moves there", "obs[9]")
CLOSE = entry(1.05, (1.0, 1.1), "inconclusive")
LEFT_OUT = entry(-3.0, (-136.0, 1.0), "inconclusive", channel="obs[8]")
GOOD = entry(1.0, (0.99, 1.01), "pass", channel="obs[2]")
BAD = entry(1.5, (1.4, 1.6), "fail", channel="obs[3]")
MISSED = entry(None, None, "inconclusive", "too few rows", "obs[5]")
HELD = entry(1.5, (1.4, 1.6), "inconclusive", "the action may have made it", "obs[4]")


@pytest.mark.parametrize(
    ("entries", "chosen"),
    [
        ((WILD, CLOSE, GOOD), CLOSE),
        ((LEFT_OUT, CLOSE), CLOSE),
        ((WILD, GOOD), GOOD),
        ((WILD,), WILD),
        ((WILD, GOOD, MISSED), MISSED),
        ((MISSED, CLOSE), CLOSE),
        ((WILD, BAD, CLOSE), BAD),
        ((HELD, CLOSE, GOOD), HELD),
    ],
)
def test_that_the_key_measurement_is_the_worst_that_may_speak(entries, chosen):
    assert key_of(*entries) is chosen
    assert key_of(*reversed(entries)) is chosen


@pytest.mark.parametrize("other", [WILD, CLOSE, LEFT_OUT, MISSED, HELD])
def test_that_nothing_undecided_speaks_for_a_check_that_passes(other):
    assert key_of(other, GOOD, state="pass") is GOOD
    assert key_of(GOOD, other, state="pass") is GOOD


def test_that_samples_moved_are_the_targets_whose_rate_differs():
    from types import SimpleNamespace

    moved = Alignment(mode="time", offset_s=-0.05)
    both = case(trace(0.01, wander(100)), trace(0.0125, wander(80)), moved)
    entry = SimpleNamespace(overlap_steps=70, offset_s=-0.05, offset_interval_s=None, rivals=())
    lines = alignment_lines(both, SimpleNamespace(alignment=entry))
    assert lines[1].startswith("The target was moved right 50 ms, 4 samples")


@pytest.mark.parametrize(("rows", "said"), [(1, "1 row is paired"), (2, "2 rows are paired")])
def test_that_one_row_is_one(rows, said):
    from tracescope.findings.note.rows import _paired

    assert _paired(rows) == said


@pytest.mark.parametrize(
    ("state", "reason", "same"),
    [
        ("inconclusive", "with q ÷ 2: too few rows.", True),
        ("inconclusive", "too few rows", True),
        ("inconclusive", "with q ÷ 2: 33 of 39 transitions comparable", False),
        ("pass", "too few rows", False),
    ],
)
def test_that_a_correction_that_changes_nothing_is_not_told(state, reason, same):
    from types import SimpleNamespace

    check = SimpleNamespace(state="inconclusive", reason="Rewards differ; too few rows")
    assert says_the_same(check, SimpleNamespace(state=state, reason=reason)) is same


def _of(check: str, *measurements: Measurement) -> CheckResult:
    return CheckResult(check, State.INCONCLUSIVE, "", measurements)


def test_that_what_lies_outside_is_told_first_and_what_was_not_measured_last():
    band = (-0.5, 0.5)
    lag = Measurement("remaining lag", "", math.nan, None, "rows", tolerance=band)
    rows = Measurement("common rows", "", 40.0, (40.0, 40.0), "rows", tolerance=(20.0, math.inf))
    bound = Measurement("bound", "a", 0.5, (0.5, 0.5), tolerance=(0.95, math.inf))
    told = all_observed([_of("alignment", lag, rows), _of("action", bound)])
    assert [o.check for o in told] == ["action", "alignment", "alignment"]
    assert told[0].text.startswith("Bound of a: 0.5")
    assert told[-1].text.startswith("Remaining lag: not measured")
    assert told[-1].text.endswith("not decided.")


def test_that_a_lag_of_no_independent_sample_is_not_told_as_a_number():
    lag = Measurement("remaining lag", "", -1, (-317, 315), "rows", n=0.2, tolerance=(-0.5, 0.5))
    (told,) = observed_of(_of("alignment", lag))
    assert told.text == (
        "Remaining lag: cannot be told from these rows (less than one independent sample, effective "
        "n 0.2); tolerance −0.5 to 0.5 rows: not decided."
    )


def test_that_what_cannot_be_told_speaks_for_a_check_and_its_reason_stands_once():
    why = "the first rows do not tell"
    lag = Measurement(
        "remaining lag", "", -1, (-317, 315), "rows", 0.2, (-0.5, 0.5), blocked=why, note=why
    )
    (told,) = observed_of(_of("alignment", lag))
    assert told.text.count(why) == 1
    entries = [
        MeasurementEntry(
            "remaining lag",
            "",
            -1,
            (-317, 315),
            0.99,
            "rows",
            0.2,
            (-0.5, 0.5),
            "inconclusive",
            "",
            why,
        ),
        MeasurementEntry("rows back in time", "", 0, (0, 0), 0.99, "", 0, (0, 0.01), "pass", ""),
    ]
    check = CheckEntry(
        "alignment", "inconclusive", why, entries, [], [], None, [], {}, [], "", False
    )
    assert key_measurement(check) is entries[0]
    assert check_row(check).key == "remaining lag: cannot be told from these rows"


@pytest.mark.parametrize(
    ("n", "note", "verdict"),
    [
        (4.0, "paired fit", "not decided, as too few effective rows tell of it"),
        (
            300.0,
            "target -1.9, simulator -2.1",
            "not decided, as too little was covered to tell: target −1.9, simulator −2.1",
        ),
        (0.0, "", "not decided, as too little was covered to tell"),
    ],
)
def test_that_what_was_not_covered_says_why_and_once(n, note, verdict):
    m = Measurement(
        "scale", "obs[0]", 1.02, (0.9, 1.1), n=n, tolerance=(0.95, 1.05), covered=False, note=note
    )
    (said,) = observed_of(CheckResult.from_measurements("observation-scaling", "r", [m]))
    assert f": {verdict}" in said.text
    assert said.text.count(with_minus(note)) == 1 or not note


@pytest.mark.parametrize("count", range(1, 6))
def test_that_all_items_are_spoken_with_one_and(count):
    items = [f"item {place}" for place in range(count)]
    text = spoken(items)
    assert text.count(" and ") == (count > 1)
    assert text.replace(" and ", ", ").split(", ") == items
