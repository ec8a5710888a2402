import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.model.alignment import Alignment
from tracescope.ui.theme import LIGHT

SHOWN = [["sim:obs[0]"], ["sim:obs[1]"]]


@pytest.fixture
def late(desk):
    """A pair whose target's stamps are 0.3 s late and not corrected."""
    out = desk(pairs.sine_session(late_s=0.3), SHOWN)
    out.view.set_range(5.0, 10.0)
    hands.settle()
    return out


def curve(desk, pane, side):
    """Return the points of the curve as they are painted, pixels from the box's corner."""
    desk.picture()
    shape = desk.pane(pane).shapes[SHOWN[pane][0], side, ""][1][0]
    return np.array([(p.x(), p.y()) for p in shape])


def bar_middle(desk):
    return desk.widget.strip.target_bar().center()


def test_that_dragging_the_bar_moves_every_target_curve_and_is_one_undo_step(late):
    hands.key(late.canvas, Qt.Key.Key_R)  # so that no number of a residual changes the width
    px = late.canvas.frame().sim_lens.px_per_s
    before = [curve(late, pane, "target") for pane in (0, 1)]
    sim = curve(late, 0, "sim")
    start = bar_middle(late)
    hands.drag(late.widget.strip, start, start - QPointF(0.3 * px, 0))
    assert late.model.session.alignment.offset_s == pytest.approx(0.3)
    for pane in (0, 1):
        moved = curve(late, pane, "target")
        assert np.interp(200, moved[:, 0], moved[:, 1]) == pytest.approx(
            np.interp(200 + 0.3 * px, before[pane][:, 0], before[pane][:, 1]), abs=0.6
        )
    np.testing.assert_array_equal(curve(late, 0, "sim"), sim)
    assert late.model.undo_stack.count() == 1
    late.model.undo_stack.undo()
    assert late.model.session.alignment.offset_s == 0.0
    np.testing.assert_allclose(curve(late, 0, "target"), before[0])


def test_that_after_the_right_drag_the_residual_lies_on_its_zero_line(late):
    assert np.ptp(late.lit(LIGHT.residual, 0, residual=True)[:, 1]) > 20
    late.model.align(Alignment(offset_s=0.3))
    late.canvas.fit_values()
    box = late.pane(0).residual
    assert box.high < 0.02
    late.model.align(Alignment(offset_s=0.2))
    hands.settle()
    sim, target = late.pane(0).series
    assert late.pane(0).residual.high > 0.05
    assert sim.channel is late.model.session.pair.sim["obs[0]"]
    assert target.channel is late.model.session.pair.target["obs[0]"]


def test_that_the_strip_says_in_words_which_way_and_how_far(late):
    assert "not moved" in late.widget.strip.words()
    late.model.align(Alignment(offset_s=0.0348))
    assert "moved left 34.8 ms, 3.48 samples" in late.widget.strip.words()
    late.model.align(Alignment(offset_s=-0.02))
    assert "moved right 20 ms, 2 samples" in late.widget.strip.words()


def test_that_ctrl_drag_on_a_target_curve_moves_the_whole_target(late):
    px = late.canvas.frame().sim_lens.px_per_s
    on_curve = late.at(0, 7.3, float(np.sin(7.0)))
    hands.drag(late.canvas, on_curve, on_curve - QPointF(0.1 * px, 0), hands.CTRL)
    assert late.model.session.alignment.offset_s == pytest.approx(0.1)
    assert late.view.range_s == (5.0, 10.0)
    assert late.model.undo_stack.count() == 1


def test_that_ctrl_drag_beside_every_target_curve_moves_nothing_and_says_why(late):
    said = []
    late.widget.hinted.connect(said.append)
    beside = late.at(0, 7.3, 0.0)
    hands.drag(late.canvas, beside, beside - QPointF(50, 0), hands.CTRL)
    assert late.model.session.alignment.offset_s == 0.0
    assert late.view.range_s == (5.0, 10.0)
    assert said == ["Ctrl+drag moves the target: begin on one of its curves"]


def test_that_with_shift_the_target_moves_a_tenth(late):
    px = late.canvas.frame().sim_lens.px_per_s
    start = bar_middle(late)
    hands.drag(late.widget.strip, start, start - QPointF(0.3 * px, 0), hands.SHIFT)
    assert late.model.session.alignment.offset_s == pytest.approx(0.03)


def test_that_escape_puts_the_target_back_and_leaves_no_undo_step(late):
    start = bar_middle(late)
    with hands.Drag(late.widget.strip, start) as hand:
        hand.to(start - QPointF(60, 0))
        assert late.model.session.alignment.offset_s > 0
        hands.key(late.widget.strip, Qt.Key.Key_Escape)
        assert late.model.session.alignment.offset_s == 0.0
        hand.to(start - QPointF(90, 0))
    assert late.model.session.alignment.offset_s == 0.0
    assert late.model.undo_stack.count() == 0


def test_that_a_slip_on_the_bar_moves_nothing(late):
    start = bar_middle(late)
    hands.drag(late.widget.strip, start, start + QPointF(3, 0))
    assert late.model.session.alignment.offset_s == 0.0
    assert late.model.undo_stack.count() == 0


def test_that_a_locked_target_does_not_move_and_says_so(late):
    said = []
    late.widget.hinted.connect(said.append)
    late.model.set_locked(True)
    start = bar_middle(late)
    hands.drag(late.widget.strip, start, start - QPointF(60, 0))
    on_curve = late.at(0, 7.3, float(np.sin(7.0)))
    hands.drag(late.canvas, on_curve, on_curve - QPointF(60, 0), hands.CTRL)
    hands.key(late.canvas, Qt.Key.Key_Period)
    assert late.model.session.alignment.offset_s == 0.0
    assert len(said) == 3
    assert all("locked" in words for words in said)
    assert "locked" in late.widget.strip.words()


def test_that_the_bar_moves_with_the_hand_to_the_pixel(desk):
    out = desk(pairs.sine_session(late_s=0.3), SHOWN)
    before = out.widget.strip.target_bar()
    start = before.center()
    with hands.Drag(out.widget.strip, start) as hand:
        hand.to(start - QPointF(20, 0))
        assert out.widget.strip.target_bar().right() == pytest.approx(before.right() - 20, abs=1e-6)


def test_that_while_dragging_the_residual_is_sampled_and_exact_after(late):
    start = bar_middle(late)
    couple = late.pane(0).couples[0]
    with hands.Drag(late.widget.strip, start) as hand:
        hand.to(start - QPointF(40, 0))
        frame = late.canvas.frame()
        assert frame.dragging
        _, exact = late.canvas.residuals.outline(
            couple, frame.case, frame.sim_lens, dragging=frame.dragging
        )
        assert not exact
    frame = late.canvas.frame()
    _, exact = late.canvas.residuals.outline(
        couple, frame.case, frame.sim_lens, dragging=frame.dragging
    )
    assert exact


def test_that_a_drifting_target_is_drawn_where_the_alignment_maps_it(desk):
    opened = pairs.sine_session(rows=2000)
    out = desk(
        pairs.session(opened.pair.sim, opened.pair.target, Alignment(offset_s=0.1, drift=0.01)),
        SHOWN,
    )
    hands.settle()
    points = curve(out, 0, "target")
    stamps = out.model.session.alignment.to_sim(opened.pair.target.time_s)
    x = [out.x(t) - out.pane(0).box.rect.left() for t in (stamps[0], stamps[-1])]
    assert points[0, 0] == pytest.approx(x[0], abs=1.0)
    assert points[-1, 0] == pytest.approx(x[1], abs=1.0)
