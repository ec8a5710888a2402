import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.model.alignment import Alignment
from tracescope.session.session import Mark
from tracescope.ui.plots.overview_strip import Strip, mark_words
from tracescope.ui.theme import LIGHT


@pytest.fixture
def sines(desk):
    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    out.view.set_range(5.0, 10.0)
    hands.settle()
    return out


def test_that_the_box_stands_where_the_panes_look(sines):
    overview = sines.widget.overview
    box = overview.visible_box()
    assert overview.time_of(box.left()) == pytest.approx(5.0)
    assert overview.time_of(box.right()) == pytest.approx(10.0)
    assert overview.x_of(0.0) == pytest.approx(sines.canvas.left_px)
    assert overview.x_of(19.99) == pytest.approx(sines.canvas.right_px)


def test_that_dragging_the_box_pans_and_dragging_an_edge_zooms(sines):
    overview = sines.widget.overview
    box = overview.visible_box()
    second = overview.x_of(1.0) - overview.x_of(0.0)
    hands.drag(overview, box.center(), box.center() + QPointF(2 * second, 0))
    assert sines.view.range_s == pytest.approx((7.0, 12.0))
    box = overview.visible_box()
    right = QPointF(box.right(), box.center().y())
    hands.drag(overview, right, right + QPointF(3 * second, 0))
    assert sines.view.range_s == pytest.approx((7.0, 15.0))
    left = QPointF(overview.visible_box().left(), box.center().y())
    hands.drag(overview, left, left - QPointF(2 * second, 0))
    assert sines.view.range_s == pytest.approx((5.0, 15.0))


@pytest.mark.parametrize(("far", "expected"), [(-5000, (0.0, 5.0)), (5000, (14.99, 19.99))])
def test_that_a_box_dragged_out_of_the_window_stops_at_the_end(sines, far, expected):
    overview = sines.widget.overview
    start = overview.visible_box().center()
    hands.drag(overview, start, start + QPointF(far, 400))
    assert sines.view.range_s == pytest.approx(expected)


def test_that_an_edge_dragged_over_the_other_leaves_two_samples(sines):
    overview = sines.widget.overview
    box = overview.visible_box()
    left = QPointF(box.left(), box.center().y())
    hands.drag(overview, left, left + QPointF(600, 0))
    low, high = sines.view.range_s
    assert high - low == pytest.approx(0.02)
    assert high == pytest.approx(10.0)


def test_that_a_click_jumps_there_and_keeps_the_span(sines):
    overview = sines.widget.overview
    hands.click(overview, QPointF(overview.x_of(15.0), overview.visible_box().center().y()))
    assert sines.view.range_s == pytest.approx((12.5, 17.5))


def test_that_two_drags_in_a_row_both_move_the_box(sines):
    overview = sines.widget.overview
    for _ in range(2):
        start = overview.visible_box().center()
        hands.drag(overview, start, start + QPointF(30, 0))
    moved = 60 / (overview.x_of(1.0) - overview.x_of(0.0))
    assert sines.view.range_s[0] == pytest.approx(5.0 + moved)


@pytest.mark.usefixtures("qapp")
def test_that_a_marked_span_shows_how_far_it_reaches():
    strip = Strip(QRectF(0, 20, 200, 40), (0.0, 20.0), LIGHT)
    marks = [Mark((5.0, 10.0), "span"), Mark((12.0, 12.0), "instant"), Mark((18.0, 90.0), "beyond")]
    words = mark_words(strip, marks, Alignment(), QFont())
    assert words.spans == ((50.0, 100.0), (180.0, 200.0))
    assert words.places == (50.0, 120.0, 180.0)
