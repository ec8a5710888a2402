"""The checks behind the window: they follow a hand, mark what hangs on the offset, and stop when told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from threading import Event

import pytest

from tests.builders import wander
from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.checks.base import Check
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.trace import Role
from tracescope.ui import judge as judge_module
from tracescope.ui.judge import Judge
from tracescope.ui.session_model import SessionModel

NEAR_S = 0.001


def near(check_id: str = "alignment") -> Check:
    """A check that passes within a millisecond of offset 0."""

    def judge(bench, upstream):
        offset_s = bench.case.alignment.offset_s
        m = Measurement("offset", "", offset_s, (offset_s, offset_s), "s", 9, (-NEAR_S, NEAR_S))
        return CheckResult.from_measurements(check_id, f"offset {offset_s:.6f}", [m])

    return Check(check_id, check_id.title(), "?", (), judge)


class Slow:
    """A check that takes until it is let go, or until its pulse ends it."""

    def __init__(self) -> None:
        self.go = Event()
        self.go.set()
        self.begun = Event()
        self.check = Check("slow", "Slow", "?", (), self._judge)

    def _judge(self, bench, _upstream):
        self.begun.set()
        while not self.go.wait(0.005):
            bench.pulse()
        return CheckResult.inconclusive("slow", f"offset {bench.case.alignment.offset_s:.6f}")


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def model(qapp) -> SessionModel:
    return SessionModel()


@pytest.fixture
def judge(model, slow, monkeypatch) -> Iterator[Judge]:
    monkeypatch.setattr(judge_module, "QUICK_S", 0.0)
    judge = Judge(model, (near(), slow.check))
    yield judge
    slow.go.set()
    judge.close()
    judge.lane.wait()
    hands.settle()


def opened(interval_s=None):
    t = pairs.np.arange(200) * 0.02
    trace = pairs.trace(t, {"q": (Role.OBSERVATION, wander(200, 1, seed=1)[:, 0], "m")})
    return pairs.session(trace, trace, Alignment("time", offset_interval_s=interval_s))


def wait_judged(model) -> None:
    hands.wait_for(lambda: not model.open_session.stale, "the checks")


def drag_to(model, offset_s: float) -> None:
    model.preview_alignment(model.open_session.alignment.by_hand(offset_s=offset_s))


def test_that_a_verdict_that_flips_within_the_offset_is_marked(model, judge):
    model.open(opened((-0.01, 0.01)))
    wait_judged(model)
    assert model.result_of("alignment").depends_on_alignment
    assert not model.result_of("slow").depends_on_alignment
    told = {r.id: r.depends_on_alignment for r in model.open_session.results}
    assert told == {"alignment": True, "slow": False}


def test_that_the_answer_is_shown_before_other_offsets_are_tried(model, judge, slow):
    held, second = Event(), Event()

    class Twice:
        """Let the first run pass and hold the second."""

        runs = 0

        def wait(self, most_s: float) -> bool:
            if self.runs == 0:
                self.runs = 1
                return True
            second.set()
            return held.wait(most_s)

        def set(self) -> None:
            held.set()

    slow.go = Twice()
    model.open(opened((-0.01, 0.01)))
    hands.wait_for(lambda: model.result_of("slow") is not None, "the answer")
    hands.wait_for(second.is_set, "the second run")
    hands.wait_for(lambda: not model.report_is_stale, "the findings")
    assert not model.is_stale("slow")
    assert model.open_session.stale, "what is saved or exported now is judged to the end first"
    held.set()
    wait_judged(model)
    assert model.result_of("alignment").depends_on_alignment


def test_that_an_offset_without_an_interval_is_judged_once(model, judge):
    model.open(opened())
    wait_judged(model)
    assert not model.result_of("alignment").depends_on_alignment


def test_that_a_quick_look_follows_the_hand_and_the_full_answer_follows_its_rest(
    model, judge, slow
):
    model.open(opened())
    wait_judged(model)
    slow.go.clear()
    drag_to(model, 0.5)
    hands.wait_for(lambda: "0.5" in model.result_of("alignment").reason, "the quick look")
    shown = model.result_of("alignment")
    assert shown.tier == "interactive"
    assert shown.state is State.FAIL
    assert model.is_stale("slow"), "what the quick look leaves out is visibly old"
    assert model.report_is_stale
    slow.go.set()
    wait_judged(model)
    assert model.previewing, "the hand only rested"
    assert model.result_of("alignment").tier == "full"
    assert "0.5" in model.result_of("slow").reason


def test_that_moving_on_ends_a_full_run_and_looks_again(model, judge, slow):
    model.open(opened())
    wait_judged(model)
    slow.go.clear()
    slow.begun.clear()
    drag_to(model, 0.1)
    hands.wait_for(slow.begun.is_set, "the full run of a resting hand")
    drag_to(model, 0.2)
    hands.wait_for(
        lambda: model.result_of("alignment").reason == "offset 0.200000", "the next quick look"
    )
    assert model.result_of("alignment").tier == "interactive"
    slow.go.set()
    model.commit_preview()
    wait_judged(model)
    assert model.result_of("slow").reason == "offset 0.200000"


def test_that_escape_judges_the_place_where_the_drag_began(model, judge):
    model.open(opened())
    wait_judged(model)
    drag_to(model, 0.3)
    model.cancel_preview()
    wait_judged(model)
    assert model.result_of("alignment").reason == "offset 0.000000"
    assert model.result_of("alignment").tier == "full"


def test_that_where_all_checks_are_quick_all_of_them_follow(model, judge, slow, monkeypatch):
    monkeypatch.setattr(judge_module, "QUICK_S", 60.0)
    model.open(opened())
    wait_judged(model)
    drag_to(model, 0.4)
    hands.wait_for(lambda: "0.4" in model.result_of("slow").reason, "the last check")
    assert {model.result_of(name).tier for name in ("alignment", "slow")} == {"full"}


def test_that_cancel_inside_a_check_is_felt_and_begins_nothing_anew(model, judge, slow):
    slow.go.clear()
    model.open(opened())
    hands.wait_for(slow.begun.is_set, "the slow check")
    began_s = time.monotonic()
    judge.lane.cancel()
    assert judge.lane.wait(1000)
    assert time.monotonic() - began_s < 0.2
    hands.settle()
    assert judge.lane.task is None
    assert model.result_of("slow") is None
    slow.go.set()
    judge.run()
    wait_judged(model)
