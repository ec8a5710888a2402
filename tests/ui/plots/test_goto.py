import numpy as np
import pytest
from PySide6.QtCore import QElapsedTimer, QPointF, Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.session.session import Mark
from tracescope.ui.plots.goto_field import instant_of


@pytest.fixture
def sines(desk):
    return desk(pairs.sine_session(), [["sim:obs[0]"]])


@pytest.mark.parametrize(
    ("text", "at_s"),
    [
        ("3.2", 3.2),
        ("3,2 s", 3.2),
        ("3200 ms", 3.2),
        ("−0.5", -0.5),
        ("step 160", 1.6),
        ("#0", 0.0),
        ("step 99999", None),
        ("soon", None),
        ("1.2.3", None),
        ("", None),
    ],
)
def test_that_what_a_person_writes_is_a_time_or_a_step(text, at_s):
    found = instant_of(text, pairs.sine_session())
    assert found == (None if at_s is None else pytest.approx(at_s))


def test_that_ctrl_g_goes_to_a_step_and_gives_the_keys_back(sines):
    sines.view.set_range(10, 12)
    hands.key(sines.canvas, Qt.Key.Key_G, hands.CTRL)
    field = sines.widget.go_to
    hands.type_text(field, "step 160")
    hands.key(field, Qt.Key.Key_Return)
    assert sines.view.cursor_a_s == pytest.approx(1.6)
    assert sines.view.range_s == pytest.approx((0.6, 2.6))
    assert not field.isVisible()
    hands.key(sines.canvas, Qt.Key.Key_Right)
    assert sines.view.cursor_a_s == pytest.approx(1.61)


def test_that_letters_typed_into_the_field_are_no_commands(sines):
    hands.key(sines.canvas, Qt.Key.Key_G, hands.CTRL)
    hands.type_text(sines.widget.go_to, "rlh")
    assert sines.canvas.residual_shown
    assert not sines.model.session.locked
    hands.key(sines.widget.go_to, Qt.Key.Key_Escape)
    assert not sines.widget.go_to.isVisible()


def test_that_ten_thousand_marks_are_drawn_as_few_lines(sines):
    times = np.linspace(0, 19.9, 10_000)
    sines.view.set_range(5.0, 10.0)
    sines.model.set_marks(Mark((t, t), "m") for t in times.tolist())
    hands.settle()
    frame = sines.canvas.frame()
    inside = times[(times >= 5.0) & (times <= 10.0)]
    drawn = {left for left, _ in frame.marks_px}
    assert len(drawn) <= frame.width_px + 4
    for at_s in inside[::97].tolist():
        assert round(frame.x(at_s)) in drawn
    took_ms = []
    for _ in range(12):
        clock = QElapsedTimer()
        clock.start()
        sines.view.pan(0.01)
        sines.canvas.grab()
        sines.widget.overview.grab()
        took_ms.append(clock.elapsed())
    assert float(np.median(took_ms)) < 150, took_ms  # on one busy core; two clean ones take a tenth


def test_that_a_mark_on_the_target_is_drawn_where_the_target_lies_now(sines):
    sines.model.set_marks((Mark((7.0, 7.0), "bump", "target"),))
    hands.settle()
    assert sines.canvas.frame().marks_px == ((round(sines.x(7.0)),) * 2,)
    sines.model.align(sines.model.session.alignment.moved(0.5))
    hands.settle()
    assert sines.canvas.frame().marks_px == ((round(sines.x(6.5)),) * 2,)


def test_that_a_lone_target_is_shown_read_and_stepped_through(desk):
    opened = pairs.sine_session()
    nothing = pairs.trace(np.zeros(0), {})
    out = desk(pairs.session(nothing, opened.pair.target))
    assert len(out.canvas.panes) == 3
    hands.click(out.canvas, out.at(0, 5.0))
    hands.key(out.canvas, Qt.Key.Key_Right)
    assert out.view.cursor_a_s == pytest.approx(5.01)
    assert out.widget.strip.words() == "one trace alone: nothing to align"
    start = out.widget.strip.target_bar().center()
    hands.drag(out.widget.strip, start, start + QPointF(40, 0))
    assert out.model.session.alignment.offset_s == 0.0
