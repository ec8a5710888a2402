from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, exercise, trace, wander
from tests.checks.timing_judged import RESPONSE, judged, one
from tracescope.analysis.response import Path
from tracescope.checks.timing_response import AGE_QUANTITY
from tracescope.checks.timing_words import _late
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import Clock, Trace


def driven(
    n: int = 400, delay: int = 0, seed: int = 0, dt: float = 0.02, noise: float = 0.002, **clock
) -> Trace:
    """A damped velocity driven by random commands that act ``delay`` rows late."""
    rng = np.random.default_rng(seed)
    action = rng.normal(0, 1, n)
    velocity = np.zeros(n)
    for i in range(n - 1):
        acting = action[i - delay] if i >= delay else 0.0
        velocity[i + 1] = velocity[i] + dt * (5 * acting - 2 * velocity[i])
    seen = velocity + noise * rng.standard_normal(n)
    return trace(dt, np.column_stack((seen, wander(n, seed=seed)[:, 0])), action, **clock)


def stamped(stamps: np.ndarray, step: object = True) -> CheckResult:
    n = stamps.size
    value = wander(n, 2, seed=1)
    return judged(trace(0.02, value, step=step), trace(time_s=stamps, obs=value, step=step))


@pytest.mark.parametrize("n", [60, 301])
def test_that_identical_runs_pass(n: int) -> None:
    both = driven(n)
    assert judged(both, both).state is State.PASS


def test_that_the_exercise_keeps_time_and_leaves_latency_untested() -> None:
    result = judged(*exercise())
    assert result.state is State.INCONCLUSIVE
    assert "untested" in result.reason
    assert "no channel is seen to respond" in result.reason
    for m in result.measurements:
        assert m.state is (State.INCONCLUSIVE if m.quantity == RESPONSE else State.PASS)
    assert any("latency" in item.text for item in result.untested)
    assert result.settle


def test_that_even_intervals_are_said_once_and_others_as_a_range() -> None:
    even = stamped(np.arange(60) * 0.02).coverage[0].statement
    assert even == "59 intervals of the target, 20 ms each"
    uneven = stamped(np.append(np.arange(59) * 0.02, 1.19)).coverage[0].statement
    assert uneven == "59 intervals of the target, 20 to 30 ms"


@pytest.mark.parametrize("delay", [0, 1, 2, 4])
def test_that_a_later_response_is_measured_in_rows_and_milliseconds(delay: int) -> None:
    result = judged(driven(seed=1), driven(delay=delay, seed=2))
    latency = one(result, RESPONSE)
    assert latency.estimate == pytest.approx(delay, abs=0.2)
    assert latency.state is (State.FAIL if delay else State.PASS)
    in_target = one(result, "action → response latency in the target")
    assert in_target.estimate == pytest.approx(20 * delay, abs=4)
    assert in_target.unit == "ms"
    if delay:
        assert result.leads[0].kind == "delay"
        assert result.leads[0].value == pytest.approx(0.02 * delay, abs=0.004)


@pytest.mark.parametrize("delay", [0, 2, 4])
def test_that_a_late_response_is_shown_where_the_action_changes_most(delay: int) -> None:
    sim = driven(seed=1)
    evidence = judged(sim, driven(delay=delay, seed=2)).evidence
    if not delay:
        assert evidence == ()
        return
    (shown,) = evidence
    assert shown.channels == ("obs[0]", "action")
    row = int(np.abs(np.diff(sim["action"].value)).argmax())
    first_s, last_s = shown.span_s
    assert first_s <= sim.time_s[row]
    assert last_s >= sim.time_s[row + 1 + delay]


def test_that_an_earlier_response_fails_with_the_other_sign() -> None:
    latency = one(judged(driven(delay=2, seed=1), driven(seed=2)), RESPONSE)
    assert latency.estimate == pytest.approx(-2, abs=0.2)
    assert latency.state is State.FAIL


def test_that_a_clock_offset_is_no_latency() -> None:
    result = judged(driven(seed=1), driven(seed=2, t0=7.31))
    assert one(result, RESPONSE).state is State.PASS


def test_that_an_observation_that_ignores_the_action_leaves_latency_open() -> None:
    def still(seed: int) -> Trace:
        rng = np.random.default_rng(seed)
        return trace(0.02, np.cumsum(rng.normal(0, 0.1, (300, 2)), axis=0), rng.normal(0, 1, 300))

    latency = one(judged(still(1), still(2)), RESPONSE)
    assert latency.state is State.INCONCLUSIVE
    assert "answers the action clearly enough" in latency.note


def test_that_a_held_observation_is_not_taken_for_a_late_one() -> None:
    sim, target = driven(seed=1), driven(seed=2)
    held = np.stack([c.as_float()[(np.arange(400) // 4) * 4] for c in target.channels[:2]], axis=1)
    action = target["action"].as_float()
    latency = one(judged(sim, trace(0.02, held, action)), RESPONSE)
    assert latency.state is State.INCONCLUSIVE


def test_that_another_measured_channel_may_show_the_latency() -> None:
    def logged(seed: int, delay: int) -> Trace:
        rng = np.random.default_rng(seed)
        action = rng.normal(0, 1, 300)
        torque = np.concatenate((np.zeros(delay), 5 * action[: 300 - delay]))
        return trace(
            0.02,
            np.cumsum(rng.normal(0, 0.1, 300)),
            action,
            other={"torque": torque + 0.1 * rng.standard_normal(300)},
        )

    latency = one(judged(logged(1, 0), logged(2, 1)), RESPONSE)
    assert latency.estimate == pytest.approx(1, abs=0.05)
    assert "torque" in latency.note


def test_that_even_stamps_pass_and_are_called_computed() -> None:
    result = stamped(0.02 * np.arange(200))
    assert one(result, "interval jitter").estimate < 1e-9
    assert any("computed" in item.text for item in result.untested)


@pytest.mark.parametrize(("factor", "state"), [(1.0, State.PASS), (1.03, State.FAIL)])
def test_that_the_rates_are_compared(factor: float, state: State) -> None:
    jitter = np.random.default_rng(0).normal(0, 0.0002, 300)
    ratio = one(stamped(factor * 0.02 * np.arange(300) + jitter), "mean interval ratio")
    assert ratio.estimate == pytest.approx(factor, abs=2e-4)
    assert ratio.state is state


@pytest.mark.parametrize(("sd_ms", "state"), [(0.5, State.PASS), (4.0, State.FAIL)])
def test_that_jitter_is_the_spread_of_intervals(sd_ms: float, state: State) -> None:
    late = np.random.default_rng(0).normal(0, sd_ms * 1e-3 / np.sqrt(2), 400)
    jitter = one(stamped(np.sort(0.02 * np.arange(400) + late)), "interval jitter")
    assert jitter.estimate == pytest.approx(sd_ms, rel=0.1)
    assert jitter.state is state


def test_that_one_stall_is_a_longest_interval_and_no_jitter() -> None:
    stamps = 0.02 * np.arange(300)
    stamps[200:] += 0.1
    result = stamped(stamps)
    assert one(result, "longest interval").estimate == pytest.approx(6.0)
    assert one(result, "longest interval").state is State.FAIL
    assert one(result, "interval jitter").state is State.PASS
    assert one(result, "missing rows").estimate == 0.0
    assert result.evidence[0].span_s == pytest.approx((3.98, 4.1), abs=0.011)


def test_that_a_stall_is_shown_on_an_observation_that_moves() -> None:
    stamps = 0.02 * np.arange(300)
    stamps[200:] += 0.1
    obs = np.column_stack((np.zeros(300), wander(300, 1)[:, 0]))
    other = {"time_rel": 0.02 * np.arange(300)}
    sim, target = (
        trace(time_s=t, obs=obs, other=other, step=False) for t in (0.02 * np.arange(300), stamps)
    )
    names = [c.name for c in sim.channels]
    clock_first = [
        replace(t, channels=tuple(sorted(t.channels, key=lambda c: c.name != "time_rel")))
        for t in (sim, target)
    ]
    assert names[0] == "obs[0]"
    assert clock_first[0].channels[0].name == "time_rel"
    result = judged(*clock_first)
    assert {e.channel for e in result.evidence} == {"obs[1]"}


@pytest.mark.parametrize("counted", [True, False])
def test_that_missing_rows_are_counted_by_counter_or_by_clock(counted: bool) -> None:
    kept = np.delete(np.arange(300), [50, 51, 52, 120, 200])
    value = wander(300, 2)
    sim = trace(0.02, value, step=counted)
    target = trace(time_s=0.02 * kept, obs=value[kept], step=kept if counted else False)
    missing = one(judged(sim, target), "missing rows")
    assert missing.estimate == pytest.approx(5 / 300)
    assert missing.state is State.FAIL
    assert one(judged(sim, target), "mean interval ratio").state is State.PASS


def test_that_rows_caught_up_with_are_not_missing() -> None:
    stamps = 0.02 * np.arange(300)
    stamps[100:103] += [0.03, 0.02, 0.01]
    assert one(stamped(stamps, step=False), "missing rows").estimate == 0.0


def test_that_stale_rows_repeat_stamp_and_observation() -> None:
    rows = np.arange(100)
    rows[10::5] -= 1
    value = wander(100, 2)
    sim = trace(0.02, value)
    stale = one(judged(sim, trace(time_s=0.02 * rows, obs=value[rows])), "stale rows")
    assert stale.estimate == pytest.approx(0.18)
    assert stale.state is State.FAIL
    fresh = judged(sim, trace(time_s=0.02 * rows, obs=value))
    assert one(fresh, "stale rows").estimate == 0.0
    assert one(fresh, "repeated stamps").estimate == pytest.approx(0.18)


@pytest.mark.parametrize(("column", "value"), [("dt", 0.01), ("dt_ms", 10.0)])
def test_that_a_constant_dt_column_is_held_against_the_stamps(column: str, value: float) -> None:
    stamps = 0.012 * np.arange(200) + np.random.default_rng(0).uniform(0, 0.004, 200)
    target = trace(time_s=stamps, obs=wander(200, 2), other={column: np.full(200, value)})
    result = judged(trace(0.012, wander(200, 2)), target)
    stated = one(result, f"measured over stated interval (column {column})")
    assert stated.estimate == pytest.approx(1.2, abs=0.01)
    assert stated.state is State.FAIL
    assert "10 ms always" in stated.note


def test_that_a_stated_rate_is_held_against_the_stamps() -> None:
    target = trace(0.02, wander(200, 2), clock=Clock(column="t", rate_hz=25.0))
    stated = one(
        judged(trace(0.02, wander(200, 2)), target), "measured over stated interval (stated rate)"
    )
    assert stated.estimate == pytest.approx(0.5)


@pytest.mark.parametrize(("scale", "unit"), [(1e-3, "s"), (1.0, "ms")])
def test_that_logged_latencies_are_judged_in_milliseconds(scale: float, unit: str) -> None:
    late = 9 + 0.5 * np.random.default_rng(0).standard_normal(300)
    late[200] = 40
    target = trace(0.02, wander(300, 2), latency=late * scale)
    result = judged(trace(0.02, wander(300, 2)), target)
    largest = one(result, "logged latency, largest")
    assert largest.estimate == pytest.approx(40)
    assert largest.state is State.FAIL
    assert unit in largest.note


STAMPED = Clock(column="t")
ROWS = Clock(kind="rows", unit="step")
NOMINAL = Clock(kind="nominal", rate_hz=50.0)


@pytest.mark.parametrize(
    ("sim_clock", "target_clock", "why"),
    [
        (ROWS, ROWS, "no clock in the sim and the target"),
        (ROWS, STAMPED, "no clock in the sim"),
        (STAMPED, ROWS, "no clock in the target"),
        (NOMINAL, NOMINAL, "computed stamps in the sim and the target"),
        (STAMPED, NOMINAL, "computed stamps in the target"),
        (NOMINAL, ROWS, "computed stamps in the sim, no clock in the target"),
    ],
)
def test_that_intervals_are_not_measured_without_two_clocks(
    sim_clock: Clock, target_clock: Clock, why: str
) -> None:
    """The response is the same and would pass: the clock alone must keep the check from it."""
    result = judged(driven(clock=sim_clock), driven(clock=target_clock))
    ratio = one(result, "mean interval ratio")
    assert ratio.interval is None
    assert not ratio.covered
    assert why in ratio.note
    assert one(result, RESPONSE).state is State.PASS
    assert result.state is State.INCONCLUSIVE
    assert why in result.reason
    assert "stamps" in result.settle
    assert any(why in item.text for item in result.untested)


def test_that_stamps_that_stand_still_are_no_clock() -> None:
    value, action = wander(200, 2), wander(200, seed=5)
    still = trace(time_s=np.full(200, 3.0), obs=value, action=action)
    result = judged(trace(0.02, value, action), still)
    assert "stamps that stand still in the target" in one(result, "mean interval ratio").note
    assert result.state is not State.PASS


def test_that_the_targets_own_clock_is_judged_beside_a_sim_without_one() -> None:
    stamps = np.arange(400) * 0.02 + np.random.default_rng(0).uniform(0, 0.012, 400)
    target = trace(time_s=stamps, obs=wander(400, 2), clock=STAMPED)
    result = judged(trace(1.0, wander(400, 2), clock=ROWS), target)
    assert one(result, "interval jitter").state is State.FAIL


def with_current(
    whole: Trace, latency: float | None = None, *, observed: bool, old: int = 0
) -> Trace:
    """A drive that logs a current set by the action's own row, beside observations that do or do not answer."""
    n = len(whole)
    action = whole["action"].value
    current = 3 * action + 0.01 * np.random.default_rng(n).standard_normal(n)
    seen = whole["obs[0]"].value if observed else wander(n, seed=int(1e4 * abs(action[0])))[:, 0]
    seen = np.concatenate((np.full(old, seen[0]), seen[: n - old]))
    logged = None if latency is None else np.full(n, latency)
    return trace(0.02, seen, action, other={"current": current}, latency=logged)


def test_that_a_response_in_currents_alone_leaves_the_age_of_observations_open() -> None:
    sim, target = (with_current(driven(seed=k), observed=False) for k in (1, 2))
    result = judged(sim, target)
    assert one(result, RESPONSE).state is State.PASS
    assert result.state is State.INCONCLUSIVE
    assert "action → current only" in result.reason
    assert judged(sim, sim).state is State.PASS


@pytest.mark.parametrize(("old", "state"), [(0, State.PASS), (1, State.FAIL), (2, State.FAIL)])
def test_that_observations_older_than_the_actuators_answer_fail(old: int, state: State) -> None:
    """Current answers at once on both sides; the target's observations are ``old`` rows behind it."""
    result = judged(
        with_current(driven(seed=1), observed=True),
        with_current(driven(seed=2), observed=True, old=old),
    )
    assert one(result, RESPONSE).state is State.PASS
    assert one(result, AGE_QUANTITY).estimate == pytest.approx(old, abs=0.3)
    assert result.state is state
    kinds = [lead.kind for lead in result.leads]
    assert kinds == (["observation-age"] if old else [])


def test_that_a_logged_latency_covers_the_age_of_observations() -> None:
    sim, target = (with_current(driven(seed=k), 0.004, observed=False) for k in (1, 2))
    result = judged(sim, target)
    assert not result.measured(AGE_QUANTITY)
    assert result.state is State.PASS


def test_that_a_response_seen_in_an_observation_says_so() -> None:
    result = judged(driven(seed=1), driven(seed=2))
    assert result.state is State.PASS
    assert not result.measured(AGE_QUANTITY)
    assert "action → obs only" in result.reason


def test_that_nothing_speaks_before_alignment_passes() -> None:
    upstream = {"alignment": CheckResult.inconclusive("alignment", "ambiguous")}
    result = judged(driven(seed=1), driven(delay=2, seed=2), upstream)
    assert result.state is State.INCONCLUSIVE
    assert "ambiguous" in result.reason
    assert result.leads == ()


@pytest.mark.parametrize("every", [1, 0.25])
def test_that_a_late_response_to_an_action_on_a_clock_of_its_own_is_shown_where_it_changes(
    every: float,
) -> None:
    sim = driven(seed=1)
    time_s = np.arange(sim.time_s[0], sim.time_s[-1], 0.02 * every)
    value = np.where(time_s < 5.0, 0.0, 1.0)
    own = replace(sim["action"], time_s=time_s, value=value)
    channels = tuple(own if c.name == "action" else c for c in sim.channels)
    both = case(replace(sim, channels=channels), sim)
    (shown,) = _late(both, Path("action", "obs[0]", 0.0, 0.1, 2.0, 0.1, 50.0))
    assert shown.span_s[0] <= 5.0 - 0.02
    assert 5.0 + 2 * 0.02 <= shown.span_s[1] <= 6.0
