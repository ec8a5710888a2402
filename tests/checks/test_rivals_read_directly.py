"""A rival of the plant is out where an upstream check measured what it claims and found otherwise."""

from __future__ import annotations

import pytest

from tests.builders import case, trace, wander
from tests.checks.test_reward import judge, run
from tracescope.analysis.explanations import Explanation
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics_findings import reopened
from tracescope.checks.dynamics_gate import read_directly
from tracescope.checks.observation_scaling_facts import gather
from tracescope.checks.observation_scaling_words import evidence
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Measurement, State


def rival(family: str, kind: str, value: float, channel: str = "obs") -> Explanation:
    return Explanation(family, kind, (channel,), value, 0.9, is_open=True)


def measured(quantity: str, low: float, high: float, blocked: str = "") -> CheckResult:
    middle, band = (low + high) / 2, (-10.0, 10.0)
    found = Measurement(
        quantity, "obs", middle, (low, high), n=100.0, tolerance=band, blocked=blocked
    )
    return CheckResult("observation-scaling", State.INCONCLUSIVE, "", measurements=(found,))


@pytest.mark.parametrize("kind", ["scale", "common scale"])
def test_that_a_scale_is_out_where_another_was_measured(kind: str):
    upstream = {"observation-scaling": measured("scale", 0.98, 1.02)}
    assert read_directly(rival("observation-scaling", kind, 1.3), upstream)
    assert not read_directly(rival("observation-scaling", kind, 1.01), upstream)
    assert not read_directly(rival("observation-scaling", kind, 1.3, "other"), upstream)
    assert not read_directly(rival("observation-scaling", kind, 1.3), {})
    doubted = {"observation-scaling": measured("scale", 0.98, 1.02, "not established")}
    assert not read_directly(rival("observation-scaling", kind, 1.3), doubted)


def test_that_an_offset_is_held_against_the_level():
    upstream = {"observation-scaling": measured("level", -0.1, 0.1)}
    assert read_directly(rival("observation-scaling", "offset", 0.5), upstream)
    assert not read_directly(rival("observation-scaling", "offset", 0.05), upstream)


def test_that_the_plant_itself_is_never_read_directly():
    passed = {name: CheckResult(name, State.PASS, "") for name in ("dynamics", "action")}
    assert not read_directly(rival("dynamics", "scale", 1.3), passed)
    assert read_directly(rival("action", "clip", 0.5), passed)


def test_that_a_failed_action_reopens_its_own_rivals_alone():
    rivals = tuple(
        Explanation(family, kind, ("x",), 1.2, 0.5, is_open=False, excluded="why")
        for family, kind in (("action", "gain"), ("timing", "delay"))
    )
    failed = {"action": CheckResult("action", State.FAIL, "")}
    assert [one.excluded for one in reopened(rivals, failed)] == ["", "why"]
    assert reopened(rivals, {"action": CheckResult("action", State.PASS, "")}) == rivals
    assert reopened(rivals, {}) == rivals


def test_that_a_reward_that_is_the_same_passes_whatever_observations_fail():
    failed = CheckResult("observation-scaling", State.FAIL, "")
    same = judge(run("squared", 1), run("squared", 2), observation_scaling=failed)
    assert same.state is State.PASS
    more = judge(run("squared", 1), run("squared", 2, scale=1.5), observation_scaling=failed)
    assert more.state is State.INCONCLUSIVE


def test_that_every_failing_channel_is_shown_though_one_before_it_is_not_compared():
    value = wander(200, 2, seed=4)
    both = case(trace(0.02, value), trace(0.02, value * [1.0, 1.5]), Alignment(mode="step"))
    bench = Workbench(both)
    failing = [Measurement("scale", name, 1.5, (1.4, 1.6)) for name in ("gone", "obs[1]")]
    shown = evidence(bench, bench, gather(bench), failing)
    assert [one.channel for one in shown] == ["obs[1]"]
