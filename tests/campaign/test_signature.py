"""Signatures: named effects in tolerances, missing kept apart from none."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.campaign.made import episode, gap, lag, measured, scale
from tracescope.campaign import signature
from tracescope.campaign.goals import is_goal
from tracescope.campaign.model import LeadSeen
from tracescope.campaign.signature import Part, family_of, signature_of


def entry(measurement, name):
    return signature_of(episode("e", [measurement]))[name]


def test_that_a_scale_counts_by_its_near_end_in_logarithms_of_its_tolerance():
    value = entry(scale("q", 1.2, 1.4), "observation-scaling/scale/q")
    assert value == pytest.approx(math.asinh(math.log(1.2) / math.log(1.05)))
    value = entry(scale("q", 0.5, 0.8), "observation-scaling/scale/q")
    assert value == pytest.approx(-math.asinh(math.log(0.8) / math.log(0.95) * 1))


@given(st.floats(0.5, 1.0), st.floats(1.0, 2.0))
@settings(max_examples=50)
def test_that_an_interval_which_reaches_the_nominal_value_is_no_effect(low, high):
    assert entry(scale("q", low, high), "observation-scaling/scale/q") == 0.0


@given(st.floats(1.01, 50.0), st.floats(0.0, 5.0))
@settings(max_examples=50)
def test_that_a_wider_interval_never_shows_more(near, wider):
    name = "observation-scaling/scale/q"
    narrow = entry(scale("q", near, near + 0.1), name)
    wide = entry(scale("q", max(near - wider, 0.01), near + 0.1 + wider), name)
    assert narrow is not None
    assert wide is not None
    assert wide <= narrow or wide <= 0


def test_that_a_reversed_channel_has_an_entry_of_its_own_beside_its_size():
    found = signature_of(episode("e", [scale("q", -1.02, -0.99)]))
    assert found["observation-scaling/sign/q"] == signature.SHAPE
    assert found["observation-scaling/scale/q"] == pytest.approx(0.0, abs=0.3)


def test_that_a_difference_counts_from_the_middle_of_its_band():
    assert entry(lag(3.0, 4.0), "timing/response latency, target less sim") == pytest.approx(
        math.asinh(6.0)
    )
    assert entry(lag(-4.0, -3.0), "timing/response latency, target less sim") == pytest.approx(
        -math.asinh(6.0)
    )


def test_that_a_shape_finding_counts_the_same_whatever_its_size():
    for share in (0.02, 0.9):
        m = measured("action", "altered applied rows", "u", (share, share), (0.0, 0.01))
        assert entry(m, "action/altered applied rows/u") == signature.SHAPE
    sound = measured("action", "altered applied rows", "u", (0.0, 0.0), (0.0, 0.01))
    assert entry(sound, "action/altered applied rows/u") == 0.0


def test_that_gaps_count_half_with_the_sign_of_the_leading_plant_parameter():
    found = signature_of(
        episode(
            "e",
            [gap("v", 0.5, 0.6)],
            leads=[LeadSeen("dynamics", "dynamics", "inertia", ("v",), 0.6)],
        )
    )
    assert found["dynamics/one-step gap/v"] == pytest.approx(math.asinh(5.0) / 2)
    assert found["dynamics/leading parameter, inertia/v"] == -1.0


def test_that_a_lead_outside_the_plant_gives_no_sign():
    found = signature_of(
        episode(
            "e",
            [gap("v", 0.5, 0.6)],
            leads=[LeadSeen("dynamics", "timing", "delay", ("u",), 0.1)],
        )
    )
    assert not [name for name in found if "leading parameter" in name]


def test_that_half_of_a_budget_is_no_effect_and_one_period_is_nominal():
    def latency(value):
        m = measured("timing", "logged latency, largest", "l", (value, value), (0.0, 25.0))
        return entry(m, "timing/logged latency, largest/l")

    assert latency(9.6) == 0.0
    assert latency(37.5) == pytest.approx(math.asinh(2.0))
    longest = measured("timing", "longest interval", "", (1.0, 1.0), (0.0, 1.5))
    assert entry(longest, "timing/longest interval") == 0.0


@pytest.mark.parametrize("why", [{"blocked": "alignment not established"}, {"covered": False}])
def test_that_what_may_not_speak_is_missing_and_not_nothing(why):
    assert entry(scale("q", 1.4, 1.5, **why), "observation-scaling/scale/q") is None


def test_that_a_measurement_without_an_interval_is_missing():
    m = replace(scale("q", 1.4, 1.5), low=None, high=None)
    assert entry(m, "observation-scaling/scale/q") is None


def test_that_an_interval_open_on_one_side_counts_by_the_end_it_has():
    m = replace(scale("q", 1.2, 1.5), high=None)
    assert entry(m, "observation-scaling/scale/q") == pytest.approx(
        math.asinh(math.log(1.2) / math.log(1.05))
    )


def test_that_an_alignment_that_is_not_established_is_an_entry_of_its_own():
    assert signature_of(episode("e"))[signature.NOT_ESTABLISHED] == 0.0
    lost = signature_of(episode("e", established=False))
    assert lost[signature.NOT_ESTABLISHED] == signature.SHAPE


def test_that_rows_outside_the_support_count_from_the_share_that_lies_there_anyway():
    assert signature_of(episode("e", scope=0.01))[signature.OUTSIDE] == 0.0
    assert signature_of(episode("e", scope=0.16))[signature.OUTSIDE] == pytest.approx(
        math.asinh(3.0)
    )
    assert signature_of(episode("e", scope=None))[signature.OUTSIDE] is None


def test_that_a_difference_which_may_not_speak_is_told_from_none():
    why = "a scale would explain the gap as well"
    blocked = measured("dynamics", "one-step gap", "v", (0.4, 0.5), (0.0, 0.1), blocked=why)
    inside = measured("dynamics", "one-step gap", "v", (0.0, 0.05), (0.0, 0.1), blocked=why)
    assert signature.is_untold(episode("e", [blocked]))
    assert not signature.is_untold(episode("e", [inside]))
    assert not signature.is_untold(episode("e", [gap("v", 0.4, 0.5)])), "it speaks"


def test_that_what_says_how_much_was_compared_is_no_difference():
    rows = measured("alignment", "common rows", "", (25.0, 25.0), (20.0, None))
    assert "alignment/common rows" not in signature_of(episode("e", [rows]))


def test_that_names_come_apart_again_whatever_a_channel_is_called():
    part = Part.of("observation-scaling/scale/obs/arm/q[0]")
    assert part == Part("observation-scaling", "scale", "obs/arm/q[0]")
    assert part.words == "scale of obs/arm/q[0]"


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("observation-scaling/scale/obs/position", signature.PERCEPTION),
        ("observation-scaling/level/goal_position", signature.TASK),
        ("observation-scaling/scale/reference", signature.TASK),
        (signature.OUTSIDE, signature.TASK),
        ("dynamics/one-step gap/v", signature.DYNAMICS),
        ("timing/response latency, target less sim", signature.DYNAMICS),
        ("timing/logged latency, largest/latency", signature.DYNAMICS),
        ("timing/missing rows", signature.DEPLOYMENT),
        ("timing/mean interval ratio", signature.DEPLOYMENT),
        ("alignment/start offset", signature.DEPLOYMENT),
        (signature.NOT_ESTABLISHED, signature.DEPLOYMENT),
        ("action/altered applied rows/u", signature.ACTION),
        ("reward/slope/reward", signature.REWARD),
        ("termination/end difference", signature.END),
    ],
)
def test_that_every_entry_belongs_to_one_family(name, family):
    assert family_of(name) == family


@pytest.mark.parametrize(
    ("channel", "goal"),
    [
        ("desired_goal[0]", True),
        ("obs/cmd_vel", True),
        ("reference", True),
        ("achieved_goal[0]", False),
        ("distance_to_goal", False),
        ("position", False),
        ("goal_error", False),
    ],
)
def test_that_goals_are_told_from_what_was_reached(channel, goal):
    assert is_goal(channel) is goal
