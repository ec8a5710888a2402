import pytest
from PySide6.QtCore import Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.model.trace import Role

SHOWN = [["sim:obs[0]"], ["sim:obs[1]"], ["sim:obs[2]"]]
Key = Qt.Key


@pytest.fixture
def sines(desk):
    out = desk(pairs.sine_session(late_s=0.004), SHOWN)
    out.view.set_range(5.0, 10.0)
    hands.settle()
    return out


def test_that_arrows_walk_from_sample_to_sample(sines):
    hands.click(sines.canvas, sines.at(0, 7.0))
    hands.key(sines.canvas, Key.Key_Right)
    assert sines.view.cursor_a_s == pytest.approx(7.01)
    hands.key(sines.canvas, Key.Key_Left, hands.SHIFT)
    assert sines.view.cursor_a_s == pytest.approx(6.91)


def test_that_the_view_follows_a_cursor_that_walks_out_of_it(sines):
    hands.click(sines.canvas, sines.at(0, 9.99))
    hands.key(sines.canvas, Key.Key_Right, times=3)
    assert sines.view.range_s[0] < sines.view.cursor_a_s < sines.view.range_s[1]
    assert sines.view.range_s[1] - sines.view.range_s[0] == pytest.approx(5.0)


def test_that_ctrl_arrows_page_and_home_and_end_go_to_the_ends(sines):
    hands.key(sines.canvas, Key.Key_Right, hands.CTRL)
    assert sines.view.range_s == pytest.approx((9.5, 14.5))
    hands.key(sines.canvas, Key.Key_End)
    assert sines.view.cursor_a_s == pytest.approx(19.99)
    hands.key(sines.canvas, Key.Key_Home)
    assert sines.view.cursor_a_s == 0.0


def test_that_up_and_down_choose_the_pane_that_keys_act_on(sines):
    hands.key(sines.canvas, Key.Key_Down, times=2)
    assert sines.view.active == 2
    hands.key(sines.canvas, Key.Key_Down)
    assert sines.view.active == 2
    hands.key(sines.canvas, Key.Key_Up)
    assert sines.view.active == 1


@pytest.mark.parametrize(("pressed", "span"), [(Key.Key_Plus, 5 / 1.5), (Key.Key_Minus, 7.5)])
def test_that_plus_and_minus_zoom_about_the_cursor(sines, pressed, span):
    hands.click(sines.canvas, sines.at(0, 6.0))
    x = sines.x(6.0)
    hands.key(sines.canvas, pressed)
    assert sines.view.range_s[1] - sines.view.range_s[0] == pytest.approx(span)
    assert sines.x(6.0) == pytest.approx(x)


def test_that_h_fits_everything_and_alt_left_goes_back(sines):
    sines.view.remember()
    hands.key(sines.canvas, Key.Key_H)
    assert sines.view.range_s == pytest.approx((0.0, 19.994))
    hands.key(sines.canvas, Key.Key_Left, hands.ALT)
    assert sines.view.range_s == (5.0, 10.0)
    hands.key(sines.canvas, Key.Key_Right, hands.ALT)
    assert sines.view.range_s == pytest.approx((0.0, 19.994))


def test_that_f_fits_the_active_pane_and_shift_f_all(sines):
    for pane in (0, 1):
        hands.wheel(sines.canvas, sines.at(pane, 7.0), 6, hands.CTRL)
    narrow = sines.pane(0).box.high - sines.pane(0).box.low
    hands.key(sines.canvas, Key.Key_F)  # the wheel was last over pane 1, but pane 0 is active
    assert sines.pane(0).box.high - sines.pane(0).box.low > 3 * narrow
    assert sines.pane(1).box.high - sines.pane(1).box.low == pytest.approx(narrow, rel=0.05)
    hands.key(sines.canvas, Key.Key_F, hands.SHIFT)
    assert sines.pane(1).box.high - sines.pane(1).box.low > 3 * narrow


def test_that_r_hides_the_residual_lanes_and_shows_them_again(sines):
    assert sines.pane(0).has_residual
    tall = sines.pane(0).box.rect.height()
    hands.key(sines.canvas, Key.Key_R)
    assert not sines.pane(0).has_residual
    assert sines.pane(0).box.rect.height() > tall
    hands.key(sines.canvas, Key.Key_R)
    assert sines.pane(0).has_residual


@pytest.mark.parametrize(
    ("pressed", "modifiers", "offset_s"),
    [
        (Key.Key_Comma, hands.NO, 0.01),
        (Key.Key_Period, hands.NO, -0.01),
        (Key.Key_Less, hands.SHIFT, 0.1),
        (Key.Key_Comma, hands.SHIFT, 0.1),
        (Key.Key_Period, hands.ALT, -0.001),
    ],
)
def test_that_comma_and_full_stop_nudge_the_target(sines, pressed, modifiers, offset_s):
    hands.key(sines.canvas, pressed, modifiers)
    assert sines.model.session.alignment.offset_s == pytest.approx(offset_s)
    assert sines.model.undo_stack.count() == 1


def test_that_a_and_b_put_cursors_into_view_side_by_side_and_escape_clears_them(sines):
    hands.key(sines.canvas, Key.Key_A)
    hands.key(sines.canvas, Key.Key_B)
    assert sines.view.cursor_a_s == pytest.approx(7.5)
    assert sines.view.cursor_b_s == pytest.approx(8.75)
    hands.key(sines.canvas, Key.Key_Escape)
    assert (sines.view.cursor_a_s, sines.view.cursor_b_s) == (None, None)


def test_that_m_marks_the_cursor_and_with_two_cursors_the_span(sines):
    hands.click(sines.canvas, sines.at(0, 6.0))
    hands.key(sines.canvas, Key.Key_M)
    hands.click(sines.canvas, sines.at(0, 8.0), hands.SHIFT)
    hands.key(sines.canvas, Key.Key_M)
    assert [m.span_s for m in sines.model.session.marks] == [
        pytest.approx((6.0, 6.0)),
        pytest.approx((6.0, 8.0)),
    ]


def test_that_l_locks_and_unlocks(sines):
    hands.key(sines.canvas, Key.Key_L)
    assert sines.model.session.locked
    hands.key(sines.canvas, Key.Key_L)
    assert not sines.model.session.locked


@pytest.fixture
def bumps(desk):
    """Two signals: the target's first is 0.5 higher from 4.00 to 4.09 s, its second 0.5 lower at 12 s."""
    opened = pairs.sine_session(signals=2)
    sim, target = opened.pair.sim, opened.pair.target
    first = target["obs[0]"].value.copy()
    first[400:410] += 0.5
    second = target["obs[1]"].value.copy()
    second[1200] -= 0.5
    values = {
        "obs[0]": (Role.OBSERVATION, first, "rad"),
        "obs[1]": (Role.OBSERVATION, second, "rad"),
    }
    return desk(pairs.session(sim, pairs.trace(target.time_s, values)), SHOWN[:2])


def test_that_n_and_p_go_from_one_difference_beyond_tolerance_to_the_next(bumps):
    said = []
    bumps.widget.hinted.connect(said.append)
    bumps.view.set_cursor_a(0.0)
    hands.key(bumps.canvas, Key.Key_N)
    assert bumps.view.cursor_a_s == pytest.approx(4.0)
    assert bumps.view.active == 0
    assert [e.span_s for e in bumps.view.evidence] == [pytest.approx((4.0, 4.09))]
    assert said[-1].startswith("1 of 2: obs[0] from 4 s to 4.09 s, at most +0.5 rad")
    assert "scale 0.95…1.05 and level −0.1…+0.1 sd" in said[-1]
    hands.key(bumps.canvas, Key.Key_N)
    assert bumps.view.cursor_a_s == pytest.approx(12.0)
    assert bumps.view.active == 1
    assert "2 of 2: obs[1] at 12 s, at most −0.5 rad" in said[-1]
    hands.key(bumps.canvas, Key.Key_N)
    assert said[-1] == "no shown signal differs beyond its tolerance after here"
    assert bumps.view.cursor_a_s == pytest.approx(12.0)
    hands.key(bumps.canvas, Key.Key_P)
    assert bumps.view.cursor_a_s == pytest.approx(4.0)


def test_that_differences_follow_the_tolerance_in_force(bumps):
    said = []
    bumps.widget.hinted.connect(said.append)
    bumps.model.set_tolerance("observation-scaling.level", (-1.0, 1.0))
    bumps.view.set_cursor_a(0.0)
    hands.key(bumps.canvas, Key.Key_N)
    assert said == ["no shown signal differs beyond its tolerance after here"]


def test_that_another_pair_of_the_same_names_has_its_own_differences(bumps):
    bumps.view.set_cursor_a(0.0)
    hands.key(bumps.canvas, Key.Key_N)
    bumps.model.open(pairs.sine_session(signals=2))
    hands.settle()
    said = []
    bumps.widget.hinted.connect(said.append)
    bumps.view.set_cursor_a(0.0)
    hands.key(bumps.canvas, Key.Key_N)
    assert said == ["no shown signal differs beyond its tolerance after here"]


def test_that_k_without_a_cursor_says_what_to_do_first(sines):
    said = []
    sines.widget.hinted.connect(said.append)
    hands.key(sines.canvas, Key.Key_K)
    assert said == ["put cursor A on the event first, then press K"]


def test_that_two_presses_of_k_mark_one_event_in_both_traces(sines, monkeypatch):
    given = []
    monkeypatch.setattr(sines.model, "align_by_anchors", given.append)
    hands.click(sines.canvas, sines.at(0, 6.0))
    hands.key(sines.canvas, Key.Key_K)
    assert sines.view.pending_anchor_s == pytest.approx(6.0)
    hands.click(sines.canvas, sines.at(0, 6.3))
    hands.key(sines.canvas, Key.Key_K)
    ((anchor,),) = given
    assert (anchor.sim_s, anchor.target_s) == pytest.approx((6.0, 6.3))
    assert sines.view.pending_anchor_s is None


def test_that_an_anchor_may_begin_in_the_target(sines):
    hands.click(sines.canvas, sines.at(0, 6.3))
    hands.key(sines.canvas, Key.Key_K, hands.SHIFT)
    assert sines.view.pending_anchor_side == "target"
    hands.click(sines.canvas, sines.at(0, 6.0))
    hands.key(sines.canvas, Key.Key_K)
    (anchor,) = sines.model.session.alignment.anchors
    assert (anchor.sim_s, anchor.target_s) == pytest.approx((6.0, 6.3))
    assert sines.model.session.alignment.offset_s == pytest.approx(0.3)


def test_that_anchors_that_turn_the_clock_back_are_refused_with_a_reason(sines):
    said = []
    sines.widget.hinted.connect(said.append)
    for a, b in ((6.0, 6.5), (8.0, 5.0)):
        hands.click(sines.canvas, sines.at(0, a))
        hands.click(sines.canvas, sines.at(0, b), hands.SHIFT)
        hands.key(sines.canvas, Key.Key_K)
    assert len(sines.model.session.alignment.anchors) == 1
    assert "run backwards" in said[-1]


def test_that_space_plays_the_cursor_and_pauses_it(sines):
    hands.click(sines.canvas, sines.at(0, 6.0))
    hands.key(sines.canvas, Key.Key_Space)
    hands.wait_for(lambda: sines.view.cursor_a_s > 6.1, "the cursor to run")
    hands.key(sines.canvas, Key.Key_Space)
    stopped = sines.view.cursor_a_s
    hands.settle()
    assert sines.view.cursor_a_s == stopped


def test_that_no_two_commands_share_a_key_or_an_id(sines):
    table = sines.widget.commands
    keys = [key for command in table for key in command.keys]
    assert len(set(keys)) == len(keys)
    assert len({command.id for command in table}) == len(table)
    assert all(command.words and command.group for command in table)


def test_that_keys_do_no_harm_while_nothing_is_open(desk, qtbot):
    out = desk(pairs.sine_session(), SHOWN)
    out.model.open(None)
    for command in out.widget.commands:
        command.run()
    hands.settle()
    assert out.canvas.panes == []


def test_that_keys_do_no_harm_on_a_lone_trace(desk):
    opened = pairs.sine_session()
    nothing = pairs.trace(opened.pair.sim.time_s[:0], {})
    out = desk(pairs.session(opened.pair.sim, nothing), SHOWN)
    for command in out.widget.commands:
        command.run()
    hands.settle()
    assert len(out.canvas.panes) == 3
    assert opened.pair.sim["obs[0]"].role is Role.OBSERVATION
