"""What a reader who has only the note trips over: numbers that deny their sentence, and lists that leave out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.builders import exercise
from tests.checks.test_timing import judged as timed
from tests.checks.test_timing import stamped
from tests.findings import hand
from tests.findings.lint import sections
from tracescope.checks.observation_scaling_words import reason
from tracescope.findings.build import build_report
from tracescope.findings.next_test import MOST_PREDICTED, next_test
from tracescope.findings.note import render
from tracescope.findings.numbers import estimate_text, measured_texts
from tracescope.findings.observe import short
from tracescope.model.check import CheckResult, Lead, Measurement
from tracescope.session.export import session_document

SCALE = (0.95, 1.05)
DATE = "2026-11-30T09:12:44+01:00"


def read(interval: str) -> tuple[float, ...]:
    return tuple(float(end.replace("−", "-")) for end in interval.split(" to "))


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ((-52.7, 0.91), "−52.7 to 0.9"),
        ((-52.7, 0.949), "−52.7 to 0.9"),
        ((1.0501, 30.0), "1.1 to 30.0"),
        ((-52.7, 1.2), "−52.7 to 1.2"),
        ((0.9, 1.1), "0.90 to 1.10"),
    ],
)
def test_that_an_interval_shows_on_which_side_of_its_limits_it_lies(interval, said):
    measured = Measurement("scale", "a", 0.5, interval, "", 50, SCALE)
    assert measured_texts(measured)[1] == said


def test_that_an_end_on_its_limit_or_off_it_by_a_rounding_is_written_as_the_limit():
    assert estimate_text(0.5, (-52.7, 0.95), "", SCALE)[1] == "−52.70 to 0.95"
    assert estimate_text(0.7, (0.4, 0.95 + 1e-9), "", SCALE)[1] == "0.40 to 0.95"
    assert estimate_text(0.01, (0.0, 0.05), "of 1", (0.0, 0.05))[1] == "0 to 5.0 %"


@given(st.floats(-10, 10), st.floats(0.01, 100), st.floats(1e-3, 10))
def test_that_no_interval_is_written_across_a_limit_that_it_keeps_clear_of(low, width, clear):
    interval = (low, low + width)
    # a thousandth of the width is what the digits that are added resolve
    assume(clear > 2e-3 * width)
    for band in ((interval[1] + clear, interval[1] + clear + 1), (low - clear - 1, low - clear)):
        measured = Measurement("gap", "a", low, interval, "", 50, band)
        ends = read(measured_texts(measured)[1])
        assert ends[1] < band[0] or ends[0] > band[1]


def test_that_the_summary_the_table_and_the_sentence_write_one_interval():
    scale = Measurement("scale", "obs[0]", -2.0, (-52.7, 0.93), "", 8.1, SCALE)
    result = CheckResult.from_measurements("observation-scaling", "it fails", [scale])
    note = render(session_document(hand.judged_session((result,)), DATE), "md").decode()
    parts = dict(sections(note))
    written = "−52.7 to 0.9"
    for part in ("Summary", "Observed", "Residual mismatch", "Appendix: to reproduce"):
        assert written in parts[part], part
    assert "−53 to 1" not in note


def test_that_an_inference_rests_on_nothing_that_passed_where_something_did_not():
    open_one = Measurement("scale", "obs[0]", 0.9, (0.5, 1.3), "", 40, SCALE)
    passed = replace(open_one, quantity="level", estimate=1.0, interval=(0.99, 1.01))
    lead = Lead("consistent with another scale", "observation-scaling", ("obs[0]",), "none", (), "")
    result = CheckResult.from_measurements(
        "observation-scaling", "undecided", [open_one, passed], leads=(lead,)
    )
    (inferred,) = build_report(hand.case(), [result]).inferred
    assert inferred.rests_on == (short(open_one),)


@pytest.mark.parametrize("channels", [2, MOST_PREDICTED, MOST_PREDICTED + 1, 30])
def test_that_a_test_that_predicts_some_of_it_does_not_promise_a_pass(channels):
    doubtful = [
        Measurement("scale", f"obs[{i}]", 1.0, (0.5, 1.5), "", 40, SCALE) for i in range(channels)
    ]
    result = CheckResult.from_measurements("observation-scaling", "open", doubtful, settle="more")
    test = next_test([result], ())
    assert len(test.predicted) == min(channels, MOST_PREDICTED)
    promised = "if all lie wholly inside, it passes" in test.falsifies
    assert promised is (channels <= MOST_PREDICTED)
    assert (f"{MOST_PREDICTED} of the {channels} that count" in test.falsifies) is not promised


@pytest.mark.parametrize(
    ("open_ones", "more"), [(1, ""), (4, ""), (5, " and 1 more"), (9, " and 5 more")]
)
def test_that_a_list_of_undecided_channels_says_how_many_it_leaves_out(open_ones, more):
    doubtful = [
        Measurement("scale", f"obs[{i}]", 1.0, (0.5, 1.5), "", 40, SCALE) for i in range(open_ones)
    ]
    said = reason(doubtful, 9, {})
    names = ", ".join(f"obs[{i}]" for i in range(min(open_ones, 4)))
    assert f"undecided ({names}{more}): " in said


def test_that_a_loop_that_stalls_is_told_by_its_longest_interval():
    stamps = 0.02 * np.arange(200)
    stamps[100:] += 0.07
    leads = [lead for lead in stamped(stamps).leads if lead.kind == "longest-interval"]
    assert leads
    assert "one interval of 4.5 periods of 20 ms (median)" in leads[0].text


def test_that_the_exercise_is_told_without_a_claim_that_nothing_answers():
    result = timed(*exercise())
    assert "no channel is seen to respond to the action" in result.reason
