import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.model.correction import Correction

SHOWN = [["sim:obs[0]"], ["sim:obs[1]"], ["sim:obs[2]"]]


@pytest.fixture
def sines(desk):
    out = desk(pairs.sine_session(), SHOWN)
    out.view.set_range(5.0, 10.0)
    hands.settle()
    return out


def test_that_the_wheel_zooms_time_about_the_pointer(sines):
    at = sines.at(1, 6.0)
    hands.wheel(sines.canvas, at, 3)
    low, high = sines.view.range_s
    assert high - low == pytest.approx(5 / 1.25**3)
    assert sines.x(6.0) == pytest.approx(at.x(), abs=1e-6)


def test_that_the_wheel_zooms_while_the_pointer_is_over_a_cursor(sines):
    hands.click(sines.canvas, sines.at(0, 7.0))
    hands.wheel(sines.canvas, sines.at(0, 7.0), 1)
    assert sines.view.range_s[1] - sines.view.range_s[0] == pytest.approx(4.0)


def test_that_shift_wheel_pans_and_keeps_the_span(sines):
    hands.wheel(sines.canvas, sines.at(0, 7.0), -1, hands.SHIFT)
    assert sines.view.range_s == pytest.approx((5.5, 10.5))


def test_that_a_sideways_wheel_pans(sines):
    hands.wheel(sines.canvas, sines.at(0, 7.0), 1, sideways=True)
    assert sines.view.range_s == pytest.approx((4.5, 9.5))


@pytest.mark.parametrize("over_axis", [True, False])
def test_that_a_wheel_over_the_axis_or_with_ctrl_zooms_this_panes_values_only(sines, over_axis):
    box, other = sines.pane(1).box, sines.pane(2).box
    before = (other.low, other.high)
    pos = sines.at(1, 7.0, 0.5)
    if over_axis:
        hands.wheel(sines.canvas, QPointF(10, pos.y()), 1)
    else:
        hands.wheel(sines.canvas, pos, 1, hands.CTRL)
    assert box.high - box.low == pytest.approx(2.24 / 1.25, rel=0.01)
    assert box.y(0.5) == pytest.approx(pos.y(), abs=1e-6)
    assert (other.low, other.high) == before
    assert sines.view.range_s == (5.0, 10.0)


def test_that_the_pointer_over_an_axis_says_which_way_the_wheel_goes(sines):
    hands.hover(sines.canvas, QPointF(10, sines.pane(0).box.rect.center().y()))
    assert sines.canvas.cursor().shape() == Qt.CursorShape.SizeVerCursor
    hands.hover(sines.canvas, sines.at(0, 7.0))
    assert sines.canvas.cursor().shape() == Qt.CursorShape.ArrowCursor
    assert sines.widget.axis.cursor().shape() == Qt.CursorShape.SizeHorCursor


def test_that_the_wheel_over_the_time_axis_zooms_time(sines):
    axis = sines.widget.axis
    hands.wheel(axis, QPointF(sines.x(8.0), 5), 1)
    assert sines.view.range_s == pytest.approx((5.6, 9.6))


@pytest.mark.parametrize("notches", [60, -60])
def test_that_sixty_notches_end_at_the_limits_and_not_in_a_hang(sines, notches):
    for _ in range(60):
        hands.wheel(sines.canvas, sines.at(0, sum(sines.view.range_s) / 2), notches / 60)
    span = sines.view.range_s[1] - sines.view.range_s[0]
    assert span == pytest.approx(0.02 if notches > 0 else 3 * 19.99)


def test_that_a_drag_pans_by_exactly_what_the_hand_moved_and_keeps_the_span(sines):
    with hands.Drag(sines.canvas, sines.at(0, 7.0)) as hand:
        start = hand.pos
        for step in range(200):
            hand.to(start + QPointF(60 * np.sin(step), 0), steps=1)
        assert sines.x(7.0) == pytest.approx(hand.pos.x(), abs=1e-6)
    low, high = sines.view.range_s
    assert high - low == pytest.approx(5.0, abs=1e-9)


def test_that_every_pane_the_axis_and_the_strip_share_one_range_and_one_left_edge(sines):
    hands.wheel(sines.canvas, sines.at(0, 6.0), 5)
    edges = {(p.box.rect.left(), p.box.rect.right()) for p in sines.canvas.panes}
    edges |= {(p.residual.rect.left(), p.residual.rect.right()) for p in sines.canvas.panes}
    assert len(edges) == 1
    sines.view.set_shown([*SHOWN, ["sim:obs[0]", "sim:obs[1]"]])
    hands.settle()
    edges = {(p.box.rect.left(), p.box.rect.right()) for p in sines.canvas.panes}
    assert edges == {(sines.canvas.left_px, sines.canvas.right_px)}
    sines.view.fit_all()
    overview = sines.widget.overview
    assert sines.x(12.0) == pytest.approx(overview.x_of(12.0))


def test_that_axes_stay_above_each_other_when_numbers_grow(desk):
    t = np.arange(500) * 0.01
    role = pairs.Role.OBSERVATION
    channels = {"small": (role, np.sin(t), ""), "huge": (role, -1e5 * np.sin(t), "")}
    out = desk(
        pairs.session(pairs.trace(t, channels), pairs.trace(t, channels)),
        [["sim:small"], ["sim:huge"]],
    )
    assert out.pane(0).box.rect.left() == out.pane(1).box.rect.left()
    assert out.pane(0).box.rect.left() > 48


@pytest.mark.parametrize("how", ["right button", "Z"])
def test_that_a_drawn_box_is_what_is_shown_afterwards(sines, how):
    start, stop = sines.at(1, 6.0, 0.5), sines.at(1, 8.0, -0.25)
    if how == "Z":
        hands.key(sines.canvas, Qt.Key.Key_Z)
        hands.drag(sines.canvas, start, stop)
    else:
        hands.drag(sines.canvas, start, stop, button=hands.RIGHT)
    assert sines.view.range_s == pytest.approx((6.0, 8.0))
    box = sines.pane(1).box
    assert (box.low, box.high) == pytest.approx((-0.25, 0.5))
    hands.drag(sines.canvas, sines.at(0, 7.0), sines.at(0, 7.5))
    assert sines.view.range_s == pytest.approx((5.5, 7.5))


def test_that_escape_takes_a_pan_back(sines):
    with hands.Drag(sines.canvas, sines.at(0, 7.0)) as hand:
        hand.to(sines.at(0, 9.0))
        assert sines.view.range_s[0] == pytest.approx(3.0)
        hands.key(sines.canvas, Qt.Key.Key_Escape)
        assert sines.view.range_s == (5.0, 10.0)


def test_that_a_click_puts_cursor_a_on_the_nearest_sample_and_shift_click_cursor_b(sines):
    hands.click(sines.canvas, sines.at(0, 7.0041))
    hands.click(sines.canvas, sines.at(0, 8.4962), hands.SHIFT)
    assert sines.view.cursor_a_s == pytest.approx(7.0)
    assert sines.view.cursor_b_s == pytest.approx(8.5)


def test_that_a_slip_of_the_hand_is_a_click(sines):
    hands.drag(sines.canvas, sines.at(0, 7.0), sines.at(0, 7.0) + QPointF(2, 1))
    assert sines.view.range_s == (5.0, 10.0)
    assert sines.view.cursor_a_s is not None


def test_that_a_double_click_fits_the_pane_to_what_it_shows(sines):
    hands.wheel(sines.canvas, sines.at(0, 7.0), 8, hands.CTRL)
    hands.double_click(sines.canvas, sines.at(0, 7.0))
    box = sines.pane(0).box
    seen = np.sin(np.arange(5.0, 10.0, 0.01))
    assert box.low < seen.min() < box.low + 0.2
    assert box.high - 0.2 < seen.max() < box.high


def test_that_dragging_an_axis_moves_its_values(sines):
    box = sines.pane(0).box
    before = box.low
    start = QPointF(10, box.rect.center().y())
    hands.drag(sines.canvas, start, start + QPointF(0, 20))
    assert box.low == pytest.approx(before + 20 / box.px_per_unit)
    assert sines.view.range_s == (5.0, 10.0)


def test_that_a_pane_added_later_is_born_with_range_and_cursors(sines):
    hands.click(sines.canvas, sines.at(0, 7.0))
    sines.view.set_shown([*SHOWN, ["sim:obs[0]"]])
    hands.settle()
    x = round(sines.x(7.0))
    for number in range(4):
        lit = sines.lit("#1f2933", number)
        column = lit[lit[:, 0] == x - sines.pane(number).box.rect.left()]
        assert len(column) > 10


def test_that_a_hand_that_moved_values_keeps_them_when_a_correction_is_applied(sines):
    hands.wheel(sines.canvas, sines.at(0, 7.0), 2, hands.CTRL)
    before = (sines.pane(0).box.low, sines.pane(0).box.high)
    sines.model.correct(Correction("obs[0]", scale=2.0))
    hands.settle()
    assert (sines.pane(0).box.low, sines.pane(0).box.high) == before


def test_that_fifty_queued_moves_cost_at_most_two_paints(sines):
    with hands.Drag(sines.canvas, sines.at(0, 7.0)) as hand:
        hand.to(sines.at(0, 7.2), steps=1)
        before = sines.canvas.paints
        hand.queue([sines.at(0, 7.2) + QPointF(step, 0) for step in range(50)])
        hands.settle()
        assert sines.view.range_s[0] < 4.8
        assert 1 <= sines.canvas.paints - before <= 2
