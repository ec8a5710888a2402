"""The band of a residual lane is the rule that N and P walk by, drawn."""

import numpy as np
import pytest

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import pixels
from tracescope.analysis.differences import sample_rule
from tracescope.checks.observation_scaling_tolerances import LEVEL, SCALE
from tracescope.ui.plots import tolerance_band
from tracescope.ui.plots.paint_frame import legend


@pytest.fixture
def contact(desk):
    return desk(pairs.contact_session(), [["sim:force_z"]])


def band_of(desk, pane):
    frame, canvas = desk.canvas.frame(), desk.canvas
    sim = pane.couples[0].sim.channel
    return canvas.bands.shapes(sim, frame.case, frame.sim_lens, pane.residual, canvas.data)


def limits(desk, pane, at_s):
    """Return the residuals at the band's edges at an instant."""
    frame, box = desk.canvas.frame(), pane.residual
    x = frame.sim_lens.x_one(at_s)
    (polygon,) = band_of(desk, pane)
    points = np.array([(p.x(), p.y()) for p in polygon])
    half = len(points) // 2
    top = np.interp(x, points[:half, 0], points[:half, 1])
    bottom = np.interp(x, points[: half - 1 : -1, 0], points[: half - 1 : -1, 1])
    return tuple((box.at_zero_px - y) / box.px_per_unit for y in (bottom, top))


def test_that_the_band_is_what_scale_and_level_allow_at_each_sample(contact):
    (pane,) = contact.canvas.panes
    case, sim = contact.model.case, pane.couples[0].sim.channel
    rule = sample_rule(sim.as_float(), case.tolerances[SCALE], case.tolerances[LEVEL])
    for at_s in (2.0, 6.6, 8.0):
        value = float(np.interp(at_s, sim.time_s, sim.value))
        low, high = rule.allowed(np.array([value]))
        assert limits(contact, pane, at_s) == pytest.approx((low[0], high[0]), abs=0.7)


def test_that_what_n_finds_lies_outside_the_band_and_the_rest_inside(contact):
    (pane,) = contact.canvas.panes
    hands.key(contact.widget, "n")
    at_s = contact.view.cursor_a_s
    exact = contact.canvas.residuals.exact(pane.couples[0], contact.model.case)
    row = int(np.searchsorted(pane.couples[0].sim.channel.time_s, at_s))
    low, high = limits(contact, pane, at_s)
    assert not low < float(exact.value[row]) < high
    assert limits(contact, pane, 1.0)[0] < float(exact.value[50]) < limits(contact, pane, 1.0)[1]


def test_that_another_tolerance_is_another_band_and_the_picture_follows(contact):
    (pane,) = contact.canvas.panes
    before, seen = limits(contact, pane, 8.0), pixels(contact.canvas.grab().toImage())
    contact.model.set_tolerance(SCALE.key, (0.2, 1.8))
    hands.settle()
    after = limits(contact, pane, 8.0)
    assert after[1] - after[0] > before[1] - before[0]
    assert (pixels(contact.canvas.grab().toImage()) != seen).any()


def test_that_two_residuals_in_one_lane_have_no_band(desk):
    out = desk(pairs.contact_session(), [["sim:force_z", "sim:gripper_z"], ["sim:battery"]])
    assert not out.canvas.panes[0].has_band
    assert out.canvas.panes[1].has_band
    assert band_of(out, out.canvas.panes[1]) == [], "a constant signal has no scale to compare with"


def test_that_the_rule_of_a_long_channel_is_found_in_the_background(desk, monkeypatch):
    monkeypatch.setattr(tolerance_band, "MOST_AT_ONCE", 100)
    out = desk(pairs.contact_session(), [["sim:force_z"]])
    out.canvas.bands.forget()
    (pane,) = out.canvas.panes
    assert band_of(out, pane) == []
    hands.wait_for(lambda: not out.canvas.bands.is_busy, "the rule")
    assert len(band_of(out, pane)) == 1


def test_that_only_a_band_that_is_seen_is_named(contact):
    """Over a residual that is far larger, the band is no higher than the zero line."""

    def named(pane) -> bool:
        words = legend(pane, contact.canvas.frame(), contact.canvas.data)
        return any(word.text.startswith("band:") for word in words)

    (pane,) = contact.canvas.panes
    assert named(pane)
    lane = contact.canvas.panes[0].residual
    middle, half = (lane.low + lane.high) / 2, (lane.high - lane.low) / 2
    lane.span_values(middle - 300 * half, middle + 300 * half, by_hand=True)
    contact.canvas.arrange()
    hands.settle()
    assert not named(pane)
    contact.canvas.fit_values()
    hands.settle()
    assert named(contact.canvas.panes[0])
    hands.key(contact.widget, "n")
    contact.canvas.show_residual(False)
    hands.settle()
    assert not named(contact.canvas.panes[0])
