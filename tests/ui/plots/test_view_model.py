import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.plots import pairs
from tracescope.model.check import Evidence
from tracescope.ui.plots.view_range import Limits, clamped, zoomed
from tracescope.ui.view_model import ViewModel

LIMITS = Limits((10.0, 30.0), 0.02)
instants = st.floats(-1e6, 1e6)


@given(low=instants, high=instants)
def test_that_any_range_asked_for_is_brought_inside_the_limits(low, high):
    a, b = clamped((low, high), LIMITS)
    assert LIMITS.least_s * (1 - 1e-6) <= b - a <= LIMITS.most_s * (1 + 1e-9)
    assert a >= 10 - 20 - 1e-6
    assert b <= 30 + 20 + 1e-6


@given(factor=st.floats(1e-9, 1e9), about=st.floats(10, 30))
@settings(max_examples=60)
def test_that_zooming_keeps_the_instant_under_the_pointer_in_place(factor, about):
    low, high = zoomed((12.0, 20.0), LIMITS, factor, about)
    assert LIMITS.least_s * (1 - 1e-6) <= high - low <= LIMITS.most_s * (1 + 1e-9)
    assert (about - low) / (high - low) == pytest.approx((about - 12) / 8, abs=1e-6)


@pytest.mark.parametrize("wish", [(math.nan, 1.0), (0.0, math.inf), (-math.inf, math.inf)])
def test_that_a_range_that_is_not_finite_is_refused(qapp, wish):
    view = ViewModel(pairs.model_of(pairs.sine_session()))
    before = view.range_s
    view.set_range(*wish)
    assert view.range_s == before


def test_that_a_new_pair_is_shown_whole(qapp):
    view = ViewModel(pairs.model_of(pairs.sine_session(rows=2000, rate_hz=100, late_s=3.0)))
    assert view.range_s == pytest.approx((0.0, 22.99))


def test_that_panning_many_times_keeps_the_span_to_the_last_digits(qapp):
    view = ViewModel(pairs.model_of(pairs.sine_session()))
    view.set_range(3.3, 9.6)
    for step in range(200):
        view.pan(0.01 * (-1) ** step * step)
    assert view.range_s[1] - view.range_s[0] == pytest.approx(6.3, abs=1e-9)


def test_that_back_and_forward_walk_through_settled_views(qapp):
    view = ViewModel(pairs.model_of(pairs.sine_session()))
    whole = view.range_s
    view.set_range(2, 4)
    view.remember()
    view.set_shown([["sim:obs[2]"]])
    view.remember()
    view.back()
    assert view.shown != (("sim:obs[2]",),)
    assert view.range_s == (2, 4)
    view.back()
    assert view.range_s == whole
    view.forward()
    view.forward()
    assert view.shown == (("sim:obs[2]",),)
    view.forward()
    assert view.shown == (("sim:obs[2]",),)


def test_that_showing_evidence_goes_there_and_shows_its_channel(qapp):
    view = ViewModel(pairs.model_of(pairs.sine_session()))
    view.set_shown([["sim:obs[0]"]])
    view.show_evidence(Evidence("obs[1]", (5.0, 6.0), "here"))
    assert view.shown == (("sim:obs[0]",), ("sim:obs[1]",))
    assert view.active == 1
    assert view.range_s[0] < 5.0 < 6.0 < view.range_s[1]
    assert view.range_s[1] - view.range_s[0] < 5


@pytest.mark.parametrize("share", [(0.0, 1.0), (0.5, 1.0), (0.0, 0.2)])
def test_that_evidence_shows_nothing_beyond_the_recordings(qapp, share):
    view = ViewModel(pairs.model_of(pairs.sine_session()))
    first, last = view.extent_s
    span_s = tuple(first + s * (last - first) for s in share)
    view.show_evidence(Evidence("obs[1]", span_s, "here"))
    low, high = view.range_s
    assert first <= low <= span_s[0]
    assert span_s[1] <= high <= last


def test_that_empty_panes_and_repeated_channels_are_dropped(qapp):
    view = ViewModel(pairs.model_of(pairs.sine_session()))
    view.set_shown([[], ["sim:obs[0]", "sim:obs[0]"]])
    assert view.shown == (("sim:obs[0]",),)
