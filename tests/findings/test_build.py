"""Findings say what was measured, what is inferred from it, and what nobody knows."""

import re
from dataclasses import replace

import pytest

from tests.builders import case as case_of
from tests.builders import exercise, trace
from tests.findings import hand
from tracescope.findings.build import build_report
from tracescope.model.check import CheckResult, Measurement, Untold

CAUSES = re.compile(
    r"\b(caus\w*|because of|due to|proves?|proven|explains?|therefore|leads? to|results? (from|in)|"
    r"consistent with|suggests?|indicates?|likely|probably|apparently|overall|score|verdict)\b",
    re.IGNORECASE,
)
"""Words that claim more than a measurement does, and words of hedging."""

OVERCLAIMS = re.compile(
    r"\b(proves?|proven|certain(ly)?|definitely|confirmed|overall)\b", re.IGNORECASE
)


@pytest.fixture(scope="module")
def report():
    return build_report(hand.case(), hand.RESULTS)


def test_that_an_observation_states_quantity_value_interval_n_tolerance_and_range(report):
    first = report.observed[0]
    assert first.text == (
        "Scale of obs[0]: 1.500 (99 % interval 1.473 to 1.528, effective n 588); "
        "tolerance 0.95 to 1.05: the whole interval lies outside; over −0.30 to 0.42; route A."
    )
    assert first.check == "observation-scaling"
    assert first.evidence[0].channel == "obs[0]"


def test_that_no_observation_speaks_of_causes(report):
    assert not [o.text for o in report.observed if CAUSES.search(o.text)]


@pytest.mark.parametrize(
    "planted",
    ["the scale was caused by a unit", "this proves it", "because of the clip", "overall 7 of 10"],
)
def test_that_the_lint_catches_planted_overclaims(planted):
    assert CAUSES.search(planted)


def test_that_nothing_inferred_or_untested_overclaims(report):
    texts = [i.text for i in report.inferred] + [u.text for u in report.untested]
    assert not [text for text in texts if OVERCLAIMS.search(text)]


def test_that_an_inference_rests_on_the_measurements_of_its_channels(report):
    first = report.inferred[0]
    assert first.rests_on == (
        "scale of obs[0] 1.500 (1.473 to 1.528)",
        "scale of obs[1] 1.503 (1.473 to 1.528)",
    )
    assert first.not_told_apart == ("dynamics",)
    assert first.would_be_wrong_if


def test_that_an_undecided_check_is_untested_with_what_would_settle_it(report):
    timing = [u for u in report.untested if u.id == "timing/undecided"]
    assert timing[0].text.startswith(
        "Timing could not be decided: the observation does not respond"
    )
    assert timing[0].would_need == "an action step that the observation answers"


def test_that_signals_of_one_side_alone_are_named(report):
    assert any(
        "action_applied[0]" in u.text and "Only the target" in u.text for u in report.untested
    )


def test_that_a_blocked_measurement_is_told_with_its_reason(report):
    text = next(o.text for o in report.observed if o.id == "dynamics/one-step gap/obs[0]")
    assert "not decided, because observation scaling is not corrected" in text


def test_that_counts_are_told(report):
    text = next(o.text for o in report.observed if o.id == "dynamics/counts")
    assert text == "Dynamics: 33 comparable transitions, 39 transitions."


def test_that_many_channels_inside_are_one_sentence_nearest_to_the_limit_first():
    measurements = [
        Measurement(
            "scale",
            f"obs[{i}]",
            1 + i / 1000,
            (1 + i / 1000 - 0.01, 1 + i / 1000 + 0.01),
            "",
            90,
            (0.95, 1.05),
        )
        for i in range(12)
    ]
    result = CheckResult.from_measurements("observation-scaling", "all inside", measurements)
    found = build_report(hand.case(), [result]).observed
    assert len(found) == 1
    assert "on 12 channels" in found[0].text
    assert found[0].text.index("obs[11]") < found[0].text.index("obs[10]")
    assert "and 6 more, further from their limits" in found[0].text


def test_that_a_failing_check_does_not_hide_what_it_left_undecided():
    result = CheckResult.from_measurements(
        "observation-scaling",
        "one channel fails",
        [
            Measurement("scale", "obs[0]", 1.5, (1.4, 1.6), "", 90, (0.95, 1.05)),
            Measurement("scale", "obs[1]", 1.0, (0.8, 1.2), "", 9, (0.95, 1.05)),
        ],
    )
    untested = build_report(hand.case(), [result]).untested
    assert any("Scale of obs[1] (0.80 to 1.20) could not be decided" in u.text for u in untested)


def test_that_a_pair_without_common_signals_says_so():
    sim, _ = exercise()
    other = trace(0.05, other={"x": [0.0, 1.0, 2.0]})
    report = build_report(case_of(sim, other), [])
    assert [u.text for u in report.untested] == [
        "No signal was found on both sides; nothing was compared"
    ]
    assert report.observed == ()
    assert report.next_test is None


def test_that_the_same_lead_of_two_checks_is_told_once():
    report = build_report(hand.case(), [hand.scaling(), hand.scaling()])
    assert len(report.inferred) == 1


def test_that_channels_undecided_for_one_reason_are_one_sentence():
    blocked = [
        Measurement(
            "scale", f"obs[{i}]", 1.2, (0.4, 2.0), "", 9, (0.95, 1.05), blocked="motions differ"
        )
        for i in range(9)
    ]
    result = CheckResult.from_measurements("observation-scaling", "undecided", blocked)
    texts = [o.text for o in build_report(hand.case(), [result]).observed]
    assert len(texts) == 1
    assert "on 9 channels" in texts[0]
    assert "not decided, because motions differ" in texts[0]
    assert "and 3 more in the table of measurements" in texts[0]


def test_that_why_the_alignment_is_open_stands_once_and_not_beside_every_number():
    why = "alignment not established: two offsets fit"
    waiting = Measurement("scale", "obs[0]", 1.2, (0.4, 2.0), "", 9, (0.95, 1.05), blocked=why)
    result = CheckResult.from_measurements("observation-scaling", why, [waiting])
    (seen,) = build_report(hand.case(), [result]).observed
    assert "not decided, because the alignment is not established" in seen.text
    assert "two offsets fit" not in seen.text


def test_that_what_is_needed_has_the_minus_sign_of_every_other_number():
    case, results = hand.case(), list(hand.RESULTS)
    untold = Untold("channel obs[0] never passed -1.9", "an episode that drives obs[0] to -2.169")
    results[0] = replace(results[0], untested=(untold,))
    (told,) = (u for u in build_report(case, results).untested if "never passed" in u.text)
    assert told.text.endswith("−1.9")
    assert told.would_need.endswith("−2.169")
