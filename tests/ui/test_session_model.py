"""One gesture is one undo step, a preview leaves none, stale results are dropped."""

from __future__ import annotations

import numpy as np
import pytest

from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction
from tracescope.model.finding import Report
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Channel, Clock, Role, Source, Trace
from tracescope.session.session import FindingEdit, Mark, Session, SideChoices
from tracescope.ui.opener import no_trace
from tracescope.ui.session_model import SessionModel


def trace(path: str) -> Trace:
    time_s = np.arange(40) * 0.05
    return Trace(
        Source(path), Clock(), time_s, (Channel("q", Role.OBSERVATION, time_s, np.sin(time_s)),)
    )


@pytest.fixture
def session() -> Session:
    return Session(
        pair_traces(trace("a"), trace("b")), SideChoices("a"), SideChoices("b"), Alignment()
    )


@pytest.fixture
def model(session: Session) -> SessionModel:
    made = SessionModel()
    made.open(session)
    return made


def result(reason: str) -> CheckResult:
    return CheckResult("timing", State.INCONCLUSIVE, reason)


def test_that_a_drag_is_one_step_and_undo_returns_to_its_start(model: SessionModel):
    start = model.open_session.alignment
    for place in range(1, 6):
        model.preview_alignment(start.moved(place / 100))
    assert model.undo_stack.count() == 0
    model.commit_preview()
    assert model.undo_stack.count() == 1
    model.undo_stack.undo()
    assert model.open_session.alignment == start
    model.undo_stack.redo()
    assert model.open_session.alignment.offset_s == 0.05


def test_that_a_drag_back_to_its_start_leaves_no_step(model: SessionModel):
    start = model.open_session.alignment
    model.preview_alignment(start.moved(0.1))
    model.preview_alignment(start)
    model.commit_preview()
    assert model.undo_stack.count() == 0
    assert not model.previewing


def test_that_calls_of_one_gesture_merge_and_others_do_not(model: SessionModel):
    for _ in range(3):
        model.align(model.open_session.alignment.moved(0.01), gesture=4)
    model.align(model.open_session.alignment.moved(0.01), gesture=5)
    assert model.undo_stack.count() == 2
    model.undo_stack.undo()
    assert model.open_session.alignment.offset_s == pytest.approx(0.03)


def test_that_a_locked_alignment_refuses_every_way_of_moving_it(model: SessionModel, qtbot):
    model.set_locked(True)
    before = model.open_session
    moved = before.alignment.moved(1.0)
    for move in (
        lambda: model.align(moved),
        lambda: model.preview_alignment(moved),
        lambda: model.align_by_anchors(()),
    ):
        with qtbot.waitSignal(model.refused, timeout=100) as said:
            move()
        assert "unlock" in said.args[0]
    assert model.open_session is before


def test_that_every_change_of_the_case_wants_judging_and_makes_results_stale(
    model: SessionModel, qtbot
):
    model.accept_all((result("first"),), Report(), model.open_session.revision)
    assert not model.open_session.stale
    for change in (
        lambda: model.align(Alignment(offset_s=0.2)),
        lambda: model.correct(Correction("q", scale=2.0)),
        lambda: model.set_tolerance("timing.latency", (0.0, 1.0)),
        model.undo_stack.undo,
    ):
        with qtbot.waitSignal(model.needs_judging, timeout=100):
            change()
        assert model.open_session.stale
        model.accept_all((result("again"),), Report(), model.open_session.revision)


def test_that_marks_and_edits_are_undoable_and_leave_results_as_they_are(model: SessionModel):
    model.accept_all((result("first"),), Report(), model.open_session.revision)
    model.add_mark(Mark((1.0, 1.0), "contact"))
    model.edit_finding(FindingEdit("x", "observed", "other words"))
    model.edit_finding(FindingEdit("x", "observed", "better words"))
    assert [e.text for e in model.open_session.edits] == ["better words"]
    assert not model.open_session.stale
    for _ in range(3):
        model.undo_stack.undo()
    assert model.open_session.marks == ()
    assert model.open_session.edits == ()


def test_that_a_result_of_an_earlier_state_is_dropped(model: SessionModel):
    old = model.open_session.revision
    model.align(Alignment(offset_s=0.1))
    model.accept(result("old"), old)
    model.accept_all((result("old"),), Report(), old)
    assert model.result_of("timing") is None
    assert model.open_session.results == ()


def test_that_during_a_drag_the_newest_result_is_shown_as_stale(model: SessionModel):
    start = model.open_session.alignment
    model.preview_alignment(start.moved(0.1))
    revision = model.open_session.revision
    model.preview_alignment(start.moved(0.2))
    model.accept(result("on the way"), revision)
    assert model.result_of("timing").reason == "on the way"
    assert model.is_stale("timing")
    model.accept(result("older"), revision - 1)
    assert model.result_of("timing").reason == "on the way"


def test_that_a_proposal_moves_nothing_until_it_is_taken(model: SessionModel):
    offered = Alignment(how="estimated", offset_s=0.0348)
    model.propose(offered)
    assert model.open_session.alignment.offset_s == 0
    model.take_proposal()
    assert model.open_session.alignment == offered
    assert model.open_session.proposal is None
    model.undo_stack.undo()
    assert model.open_session.alignment.offset_s == 0


def test_that_a_lone_trace_is_no_pair_and_is_never_judged(session: Session, qtbot):
    model = SessionModel()
    alone = Session(
        pair_traces(session.pair.sim, no_trace()), session.sim, SideChoices(""), Alignment()
    )
    with qtbot.assertNotEmitted(model.needs_judging, wait=20):
        model.open(alone)
    assert not model.is_pair


def test_that_opening_another_pair_begins_undo_anew(model: SessionModel, session: Session):
    model.align(Alignment(offset_s=0.1))
    model.open(session)
    assert model.undo_stack.count() == 0
    assert model.open_session.alignment.offset_s == 0
