"""What is marked in the panes follows the newest results, or goes."""

from __future__ import annotations

import pytest

from tests.ui.conftest import wait_judged
from tracescope.model.check import CheckResult, Evidence, State
from tracescope.ui.followed import followed


def result(check: str, *evidence: Evidence) -> CheckResult:
    return CheckResult(check, State.FAIL, "as it is", evidence=evidence)


OLD = Evidence("a", (1.0, 2.0), "gain 25")


@pytest.mark.parametrize(
    ("after", "wanted"),
    [
        ((OLD,), (OLD,)),
        ((Evidence("a", (1.0, 2.0), "gain 57"),), (Evidence("a", (1.0, 2.0), "gain 57"),)),
        ((Evidence("b", (1.0, 2.0), "gain 57"),), ()),
        ((), ()),
    ],
)
def test_that_evidence_is_what_its_check_says_now(after, wanted):
    assert followed([OLD], [result("action", OLD)], [result("action", *after)]) == wanted


def test_that_the_nearest_span_of_the_channel_follows():
    far, near = Evidence("a", (9.0, 9.5), "far"), Evidence("a", (1.5, 3.0), "near")
    assert followed([OLD], [result("action", OLD)], [result("action", far, near)]) == (near,)


def test_that_another_check_never_steps_in():
    other = Evidence("a", (1.0, 2.0), "late")
    assert followed([OLD], [result("action", OLD)], [result("timing", other)]) == ()


def test_that_a_place_gone_to_by_hand_stays():
    assert followed([OLD], [], [result("action")]) == (OLD,)


def test_that_no_caption_outlives_its_card(window):
    wait_judged(window)
    model, view = window.model, window.view
    shown = [e for r in model.open_session.results for e in r.evidence]
    assert shown
    view.show_evidence(shown)
    model.correct(*(c for r in model.open_session.results for c in r.pending))
    assert model.open_session.stale
    wait_judged(window)
    said = {e for r in model.open_session.results for e in r.evidence}
    assert set(view.evidence) <= said
    assert set(view.evidence) != set(shown)
