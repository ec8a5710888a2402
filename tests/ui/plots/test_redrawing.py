"""What is painted again and what stays, and what long curves cost."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import differing
from tests.ui.plots.pairs import one
from tracescope.model.trace import Role
from tracescope.ui.plots import paint_box, paint_frame, residuals
from tracescope.ui.theme import LIGHT

OBS = Role.OBSERVATION


def test_that_painting_only_what_changed_leaves_the_picture_of_painting_everything(desk):
    out = desk(pairs.contact_session(0.034), [["sim:gripper_z"], ["sim:force_z"], ["sim:done"]])
    hands.click(out.canvas, out.at(0, 6.4))
    for _ in range(5):
        hands.wheel(out.canvas, out.at(0, 6.0), 1, hands.SHIFT)
    start = out.widget.strip.target_bar().center()
    with hands.Drag(out.widget.strip, start) as hand:
        hand.to(start - QPointF(37, 0))
        assert differing(out.widget) == 0
    hands.wheel(out.canvas, out.at(0, 6.0), 2)
    assert differing(out.widget) == 0
    hands.key(out.canvas, Qt.Key.Key_Escape)
    assert differing(out.widget) == 0


def test_that_a_residual_that_arrives_repaints_its_lane_and_nothing_that_stays(desk, monkeypatch):
    monkeypatch.setattr(residuals, "MOST_ROWS_AT_ONCE", 10)
    out = desk(pairs.contact_session(0.034), [["sim:gripper_z"], ["sim:force_z"], ["sim:done"]])
    hands.wait_for(lambda: not out.canvas.is_busy, "the residuals")
    hands.settle()
    written, drawn = [], []
    header, curves = paint_frame.paint_header, paint_box.paint_curves
    monkeypatch.setattr(
        paint_frame, "paint_header", lambda *a: written.append(a[1].keys) or header(*a)
    )
    monkeypatch.setattr(paint_box, "paint_curves", lambda *a: drawn.append(a[1].keys) or curves(*a))
    spans = [pane.residual.high for pane in out.canvas.panes]
    out.model.align(out.model.session.alignment.by_hand(offset_s=-0.2))
    hands.settle()
    before = len(written), len(drawn)
    assert before[0] == 3
    hands.wait_for(lambda: not out.canvas.is_busy, "the residuals")
    hands.settle()
    assert (len(written), len(drawn)) == before
    assert spans != [pane.residual.high for pane in out.canvas.panes]
    assert differing(out.widget) == 0


def test_that_a_view_that_stays_is_not_worked_out_again(desk, monkeypatch):
    from tracescope.ui.plots import plot_data

    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    hands.settle()
    worked_out = []
    monkeypatch.setattr(plot_data, "cells_of", lambda *given: worked_out.append(given))
    shapes = [id(held[1]) for held in out.pane(0).shapes.values()]
    out.view.set_cursor_a(1.0)
    hands.settle()
    out.canvas.grab()
    assert worked_out == []
    assert [id(held[1]) for held in out.pane(0).shapes.values()] == shapes


def test_that_another_pair_is_read_once_and_drawn_from_its_own_samples(desk, monkeypatch):
    from tracescope.ui.plots import plot_data

    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    built = []
    pyramid = plot_data.Pyramid
    monkeypatch.setattr(plot_data, "Pyramid", lambda value: built.append(value) or pyramid(value))
    t = np.arange(50) * 0.01
    flat = {"obs[0]": (OBS, np.full(50, 7.0), "m")}
    out.model.open(pairs.session(pairs.trace(t, flat), pairs.trace(t, flat)))
    hands.settle()
    assert len(built) == 2
    box = out.pane(0).box
    assert box.low < 7.0 < box.high
    assert np.abs(out.lit(LIGHT.target, 0)[:, 1] - box.rect.height() / 2).max() <= 2


def test_that_long_channels_appear_when_their_pyramids_are_there_and_hold_nothing_up(
    desk, monkeypatch
):
    from tracescope.ui.plots import plot_data

    monkeypatch.setattr(plot_data, "MOST_ROWS_AT_ONCE", 100)
    t = np.arange(5000) * 0.01
    out = desk(
        pairs.session(
            pairs.trace(t, {"x": (OBS, 5 + np.sin(t), "m"), "a": (Role.ACTION, np.cos(t), "")}),
            pairs.trace(t[:0], {}),
        ),
        [["sim:x"], ["sim:a"]],
    )
    hands.wait_for(lambda: not out.canvas.is_busy, "the pyramids")
    for pane, (low, high) in enumerate(((4.0, 6.0), (-1.0, 1.0))):
        box = out.pane(pane).box
        assert box.low < low < high < box.high
        assert np.ptp(out.lit(LIGHT.sim, pane)[:, 0]) > 0.9 * box.rect.width()


@pytest.mark.parametrize("role", [OBS, Role.ACTION], ids=["line", "steps"])
def test_that_gaps_stay_open_and_levels_exact_under_decimation(desk, role):
    """A staircase of 200,000 rows with a gap and a dropped stretch, at 20 zooms about each."""
    rows = 200_000
    time_s = np.arange(rows) * 1e-3
    time_s[rows // 2 :] += 20.0  # a gap of 20 s
    level = np.repeat(np.arange(20) % 2, rows // 20).astype(float)
    level[150_000:160_000] = np.nan
    out = one(desk, time_s, level, role)
    box = out.pane(0).box
    middles = [box.y(value) - box.rect.top() for value in (0.0, 1.0)]
    for about_s, width_s in ((110.0, 20.0), (175.0, 10.0)):  # the gap; the dropped stretch
        for span in np.geomspace(1.5 * width_s, 12 * width_s, 10):
            out.view.set_range(about_s - span / 2, about_s + span / 2)
            lit = out.lit(LIGHT.sim, 0)
            left = out.x(about_s - width_s / 2) - box.rect.left()
            right = out.x(about_s + width_s / 2) - box.rect.left()
            curve = lit[(lit[:, 1] > 2) & (lit[:, 1] < box.rect.height() - 3)]
            inside = curve[(curve[:, 0] > left + 3) & (curve[:, 0] < right - 3)]
            on_level = np.min(np.abs(inside[:, 1:] - middles), axis=1) <= 1 if len(inside) else []
            assert not np.any(on_level), (about_s, span)
            beside = curve[(curve[:, 0] < left - 3) & (curve[:, 0] > 3)]
            off = np.min(np.abs(beside[:, 1:] - middles), axis=1) > 1
            columns = len(set(beside[off, 0].tolist()))
            assert columns <= 3 * 20, (about_s, span)  # what is off a level is a riser
            assert len(set(beside[:, 0].tolist())) > 0.9 * (left - 8)


@pytest.mark.parametrize("is_step", [False, True])
def test_that_a_dense_target_leaves_the_edges_of_the_sim_in_sight(desk, is_step):
    """Both fill the pane, the target more of it: the sim's least and greatest still stand in its colour."""
    time_s = np.arange(200_000) * 1e-3
    wave = np.sin(2 * np.pi * 7.3 * time_s)
    role = Role.ACTION if is_step else OBS
    sim = pairs.trace(time_s, {"x": (role, 0.5 * wave, "m")})
    target = pairs.trace(time_s, {"x": (role, wave, "m")})
    out = desk(pairs.session(sim, target), [["sim:x"]], (900, 400))
    box, lit = out.pane(0).box, out.lit(LIGHT.sim, 0)
    for value in (-0.5, 0.5):
        y = box.y(value) - box.rect.top()
        assert (np.abs(lit[:, 1] - y) <= 2).sum() > 0.8 * box.rect.width()
    assert len(out.lit(LIGHT.target, 0)) > 0.5 * box.rect.width() * box.rect.height()
    out.view.set_range(10.0, 10.3)  # here each curve is a line, and the target's lies on top
    assert not paint_box.covered(out.pane(0), out.canvas.frame(), out.canvas.data)


def test_that_a_smooth_pair_of_many_rows_has_the_target_on_top(desk):
    time_s = np.arange(200_000) * 1e-3
    wave = np.sin(2 * np.pi * time_s / 100.0)
    both = [pairs.trace(time_s, {"x": (OBS, wave, "m")}) for _ in range(2)]
    out = desk(pairs.session(*both), [["sim:x"]], (900, 400))
    assert len(out.lit(LIGHT.target, 0)) > 800
    assert len(out.lit(LIGHT.sim, 0)) < 20
