"""The target snaps to events and to the grid of samples while a hand drags it with Alt, or always."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.model.trace import Role
from tracescope.session.session import Mark
from tracescope.ui.plots.snapping import first_motion_s, first_true_s
from tracescope.ui.theme import LIGHT

LATE_S = 0.304


@pytest.fixture
def late(desk):
    """A ramp that begins at 5 s in the sim and 0.304 s later on the target's stamps, and a done flag."""
    t = np.arange(1000) * 0.01

    def channels(begin_s: float, end_s: float) -> dict:
        ramp = np.clip(t - begin_s, 0, 2)
        return {"x": (Role.OBSERVATION, ramp, "m"), "done": (Role.DONE, t >= end_s, "")}

    target = pairs.trace(t + LATE_S, channels(5.0, 9.0))
    out = desk(pairs.session(pairs.trace(t, channels(5.0, 9.0)), target), [["sim:x"]])
    out.view.set_range(4.0, 8.0)
    hands.settle()
    hands.key(out.canvas, Qt.Key.Key_R)  # so that no number of a residual changes the width
    return out


def motion_s(desk) -> float:
    """Return the first stamp at which the sim's ramp is a tenth of its 2 m up."""
    sim = desk.model.session.pair.sim["x"]
    return float(sim.time_s[np.argmax(sim.value > 0.2)])


def drag_by(desk, by_s: float, modifiers=hands.NO) -> hands.Drag:
    px = desk.canvas.frame().sim_lens.px_per_s
    start = desk.widget.strip.target_bar().center()
    hand = hands.Drag(desk.widget.strip, start, modifiers)
    hand.to(start + QPointF(by_s * px, 0))
    return hand


@pytest.mark.parametrize("modifiers", [hands.ALT, hands.CTRL])
def test_that_first_motion_catches_the_target_and_is_shown(late, modifiers):
    hand = drag_by(late, -0.29, modifiers)
    assert late.model.session.alignment.offset_s == pytest.approx(LATE_S)
    assert "snapped to first motion of x" in late.widget.strip.words()
    assert late.widget.snapping.caught.at_s == pytest.approx(motion_s(late))
    line = round(late.x(motion_s(late)) - late.pane(0).box.rect.left())
    assert line in set(late.lit(LIGHT.focus, 0)[:, 0].tolist()), "a line shows where it caught"
    hand.release()
    assert late.model.session.alignment.offset_s == pytest.approx(LATE_S)
    assert late.model.undo_stack.count() == 1
    assert "snapped" not in late.widget.strip.words()
    assert line not in set(late.lit(LIGHT.focus, 0)[:, 0].tolist())


def test_that_letting_go_of_alt_frees_the_target_in_the_middle_of_a_drag(late):
    hand = drag_by(late, -0.29, hands.ALT)
    assert late.model.session.alignment.offset_s == pytest.approx(LATE_S)
    hand.modifiers = hands.NO
    hand.to(hand.pos)
    assert late.model.session.alignment.offset_s == pytest.approx(0.29)
    assert late.widget.snapping.caught is None
    hand.release()


def test_that_away_from_events_a_sample_of_the_target_lies_on_one_of_the_sim(late):
    hand = drag_by(late, 1.234, hands.ALT)
    hand.release()
    moved = late.model.session.alignment
    off = (moved.to_sim(late.model.session.pair.target.time_s[:1]) / 0.01)[0]
    assert off == pytest.approx(round(off), abs=1e-6)
    assert moved.offset_s == pytest.approx(-1.234, abs=0.0051)


def test_that_without_a_key_nothing_snaps_and_the_toggle_turns_that_about(late):
    drag_by(late, -0.29).release()
    assert late.model.session.alignment.offset_s == pytest.approx(0.29)
    late.model.undo_stack.undo()
    hands.key(late.canvas, Qt.Key.Key_S)
    assert late.widget.snapping.is_on
    assert "snapping" in late.widget.strip.words()
    drag_by(late, -0.29).release()
    assert late.model.session.alignment.offset_s == pytest.approx(LATE_S)
    late.model.undo_stack.undo()
    drag_by(late, -0.29, hands.ALT).release()
    assert late.model.session.alignment.offset_s == pytest.approx(0.29)


def test_that_done_catches_the_target(late):
    late.view.set_range(8.5, 9.8)
    hands.settle()
    late.view.set_shown([["sim:done"]])  # no motion is shown, so none catches
    hands.settle()
    hand = drag_by(late, -0.302, hands.ALT)
    assert late.widget.snapping.caught.words == "done"
    hand.release()
    assert late.model.session.alignment.offset_s == pytest.approx(LATE_S)


def test_that_a_mark_catches_an_event_of_the_other_trace(late):
    late.model.add_mark(Mark((6.0, 6.0), "here"))
    hands.settle()
    hand = drag_by(late, 0.487, hands.ALT)  # the target's motion, now at 5.514 s, on to the mark
    assert late.widget.snapping.caught.words == "mark “here”"
    hand.release()
    moved_s = late.model.session.alignment.to_sim_one(motion_s(late) + LATE_S)
    assert moved_s == pytest.approx(6.0)


def test_that_ctrl_drag_on_a_curve_snaps_only_with_alt_as_well(late):
    px = late.canvas.frame().sim_lens.px_per_s
    at = late.at(0, 6.304, 1.0)
    hands.drag(late.canvas, at, at - QPointF(0.29 * px, 0), hands.CTRL)
    assert late.model.session.alignment.offset_s == pytest.approx(0.29)
    late.model.undo_stack.undo()
    hands.settle()
    hands.drag(late.canvas, at, at - QPointF(0.29 * px, 0), hands.CTRL | hands.ALT)
    assert late.model.session.alignment.offset_s == pytest.approx(LATE_S)


def test_that_escape_frees_and_puts_back(late):
    hand = drag_by(late, -0.29, hands.ALT)
    hands.key(late.widget.strip, Qt.Key.Key_Escape)
    assert late.model.session.alignment.offset_s == 0.0
    assert late.widget.snapping.caught is None
    hand.release()


def test_that_a_signal_that_never_moves_has_no_first_motion():
    t = np.arange(10.0)
    for value, span in ((np.zeros(10), 0.0), (np.full(10, np.nan), np.nan)):
        channel = pairs.trace(t, {"x": (Role.OBSERVATION, value, "")})["x"]
        assert np.isnan(first_motion_s(channel, span))
        assert np.isnan(first_true_s(channel))


def test_that_motion_in_a_later_block_is_found():
    t = np.arange(200_000.0)
    value = np.where(t >= 150_000, 1.0, 0.0)
    value[0] = np.nan
    channel = pairs.trace(t, {"x": (Role.OBSERVATION, value, "")})["x"]
    assert first_motion_s(channel, 1.0) == 150_000.0
