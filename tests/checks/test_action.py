"""Action: each map is this finding and no other, bounds show, and what is not logged is untested."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, exercise, trace, wander
from tracescope.analysis.action_map_kinds import FittedMap, run_map
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action import CHECK
from tracescope.checks.action_emitted import emitted_maps
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import Role, Trace

STEPS = Alignment(mode="step")


def judged(sim: Trace, target: Trace, upstream=None) -> CheckResult:
    return CHECK.judge(Workbench(case(sim, target, STEPS)), upstream or {})


def emitted(n: int = 300, seed: int = 1) -> np.ndarray:
    return 0.4 * wander(n, 2, seed)


def pair_with(change, n: int = 300, *, sim_applied: bool = True) -> tuple[Trace, Trace]:
    """The same emitted actions on both sides, the first one changed on its way to the actuator."""
    action = emitted(n)
    applied = action.copy()
    applied[:, 0] = change(action[:, 0])
    obs = wander(n, 1, 9)
    return (
        trace(0.02, obs, action, applied=action if sim_applied else None),
        trace(0.02, obs, action, applied=applied),
    )


def findings(result: CheckResult) -> set[tuple[str, str]]:
    return {
        (m.quantity, m.channel) for m in result.measurements if m.judged and m.state is State.FAIL
    }


def kinds(result: CheckResult) -> set[tuple[str, tuple[str, ...]]]:
    return {(lead.kind, lead.channels) for lead in result.leads}


MAPS = {
    "gain": FittedMap("gain", gain=1.2),
    "gain down": FittedMap("gain", gain=0.8),
    "offset": FittedMap("offset", offset=0.1),
    "clip": FittedMap("clip", low=-0.4, high=0.4),
    "dead band": FittedMap("dead band", band=0.1),
    "rate limit": FittedMap("rate limit", rate=0.05),
    "smoothing": FittedMap("smoothing", share=0.5),
    "delay": FittedMap("delay", delay=1),
}


@pytest.mark.parametrize("sim_applied", [True, False])
@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("name", MAPS)
def test_that_each_map_is_this_finding_and_no_other(name: str, n: int, sim_applied: bool) -> None:
    truth = MAPS[name]
    sim, target = pair_with(lambda x: run_map(truth, x, float(x[0])), n, sim_applied=sim_applied)
    result = judged(sim, target)
    assert result.state is State.FAIL
    expected = {("altered applied rows", "action[0]")}
    if truth.kind == "gain":
        expected.add(("applied gain", "action[0]"))
    assert findings(result) == expected
    assert kinds(result) == {(truth.kind, ("action[0]",))}
    assert result.leads[0].would_be_wrong_if
    assert result.evidence[0].channel == "action[0]"


def test_that_the_value_of_a_map_is_named() -> None:
    values = {}
    for name, truth in MAPS.items():
        sim, target = pair_with(lambda x, truth=truth: run_map(truth, x, float(x[0])))
        values[name] = judged(sim, target).leads[0].value
    assert values["gain"] == pytest.approx(1.2)
    assert values["clip"] == pytest.approx(0.4)
    assert values["rate limit"] == pytest.approx(0.05)
    assert values["smoothing"] == pytest.approx(0.5)
    assert values["delay"] == 1
    assert values["offset"] == pytest.approx(0.1)


def test_that_a_rate_limit_says_how_long_a_row_lasts_where_that_is_known() -> None:
    truth = MAPS["rate limit"]
    sim, target = pair_with(lambda x: run_map(truth, x, float(x[0])))
    said = f"0.05 a row of {sim.interval_s * 1e3:.3g} ms"
    result = judged(sim, target)
    assert said in result.leads[0].text
    assert said in result.evidence[0].caption
    rows = replace(sim, clock=replace(sim.clock, kind="rows"))
    untimed = judged(rows, target)
    assert "0.05 a row on" in untimed.leads[0].text
    assert untimed.evidence[0].caption.endswith("0.05 a row")


def test_that_a_compound_map_names_both_parts() -> None:
    both = FittedMap("gain and clip", gain=1.4, low=-0.5, high=0.5)
    result = judged(*pair_with(lambda x: run_map(both, x, float(x[0]))))
    assert kinds(result) == {("gain", ("action[0]",)), ("clip", ("action[0]",))}


def test_that_the_exercise_shows_its_hidden_bound() -> None:
    result = judged(*exercise())
    assert result.state is State.FAIL
    assert "bounded at ±0.5 (9 of 40 rows; the simulator's reaches 0.90 there)" in result.reason
    assert result.measured("altered applied rows")[0].state is State.PASS
    (upper,) = result.measured("upper bound")
    (lower,) = result.measured("lower bound")
    assert (upper.state, lower.state) == (State.FAIL, State.FAIL)
    assert lower.estimate == pytest.approx(0.5 / 0.9, rel=1e-3)
    assert kinds(result) == {("clip", ("action[0]",))}


def test_that_untouched_actions_pass_for_the_range_they_covered() -> None:
    result = judged(*pair_with(lambda x: x))
    assert result.state is State.PASS
    assert len(result.coverage) == 2
    assert all("a bound beyond would not show" in c.statement for c in result.coverage)


def test_that_the_simulators_own_map_is_no_finding() -> None:
    action, obs = emitted(), wander(300, 1, 9)
    joint = 0.25 * action + 0.9
    sim, target = (trace(0.02, obs, action, applied=joint) for _ in range(2))
    result = judged(sim, target)
    assert result.state is State.PASS
    (gain, _) = result.measured("applied gain")
    assert gain.estimate == pytest.approx(1.0)


@pytest.mark.parametrize(("gain", "times"), [(57.2958, 0), (25.0, 1)])
def test_that_a_unit_is_named_only_where_it_explains_a_difference(gain: float, times: int) -> None:
    action, obs = emitted(), wander(300, 1, 9)
    sim = trace(0.02, obs, action, applied=57.2958 * action)
    target = trace(0.02, obs, action, applied=gain * action)
    (measured, *_) = judged(sim, target).measured("applied gain")
    assert measured.note.count("180/π") == times


def test_that_another_gain_than_the_simulators_is_found() -> None:
    action, obs = emitted(), wander(300, 1, 9)
    sim = trace(0.02, obs, action, applied=57.2958 * action)
    target = trace(0.02, obs, action, applied=25.0 * action)
    result = judged(sim, target)
    assert result.state is State.FAIL
    assert result.measured("applied gain")[0].estimate == pytest.approx(25 / 57.2958, rel=1e-4)
    assert {lead.kind for lead in result.leads} == {"gain"}


@pytest.mark.parametrize("gain", [0.25, 180 / np.pi, -1.0])
def test_that_a_normalisation_the_simulator_may_share_is_undecided(gain: float) -> None:
    result = judged(*pair_with(lambda x: gain * x + 0.3, sim_applied=False))
    assert result.state is State.INCONCLUSIVE
    assert "may share" in result.measured("altered applied rows", "action[0]")[0].blocked


def test_that_an_applied_action_that_is_not_logged_is_untested_and_no_pass() -> None:
    action, obs = emitted(), wander(300, 1, 9)
    sim = trace(0.02, obs, action)
    result = judged(sim, sim)
    assert result.state is State.INCONCLUSIVE
    assert "not logged" in result.reason
    assert any("the applied action is not logged" in item.text for item in result.untested)
    assert result.settle


@pytest.mark.parametrize("reach", [0.5, 0.85])
def test_that_a_side_never_approached_is_untested(reach: float) -> None:
    action, obs = emitted(), wander(300, 1, 9)
    sim = trace(0.02, obs, action, applied=action)
    less = reach * action
    result = judged(sim, trace(0.02, obs, less, applied=less))
    assert any("never passed" in item.text for item in result.untested)
    assert result.state is not State.PASS


def test_that_a_held_command_is_no_bound() -> None:
    rng = np.random.default_rng(4)
    steps = np.repeat(np.round(rng.uniform(-1, 1, 20), 3), 20)
    quieter = np.where(steps > 0.6, 0.6 - 0.001 * np.arange(400) % 0.05, steps)
    obs = wander(400, 1, 9)
    result = judged(
        trace(0.02, obs, steps, applied=steps), trace(0.02, obs, quieter, applied=quieter)
    )
    assert not [m for m in result.measurements if m.quantity.endswith("bound")]


def test_that_a_policy_bounded_alike_on_both_sides_passes() -> None:
    action = np.clip(emitted(), -0.5, 0.5)
    obs = wander(300, 1, 9)
    both = trace(0.02, obs, action, applied=action)
    result = judged(both, both)
    assert result.state is State.PASS
    assert result.measured("rows at the upper extreme")[0].estimate >= 3


@pytest.mark.parametrize("n", [40, 300])
def test_that_healthy_loops_never_fail(n: int) -> None:
    for seed in range(40):
        action = emitted(n, seed)
        noise = 0.02 * np.random.default_rng(seed).standard_normal(action.shape)
        obs = wander(n, 1, 9)
        sim = trace(0.02, obs, action, applied=action)
        target = trace(0.02, obs, action + noise, applied=action + noise)
        assert judged(sim, target).state is not State.FAIL


@pytest.mark.parametrize(
    ("seen", "state"), [(1.0, State.FAIL), (1.3, State.INCONCLUSIVE)], ids=["same", "scaled"]
)
def test_that_an_emitted_gain_speaks_only_where_the_observations_agree(
    seen: float, state: State
) -> None:
    action, obs = emitted(), wander(300, 1, 9)
    sim = trace(0.02, obs, action, applied=action)
    target = trace(0.02, seen * obs, 1.3 * action, applied=1.3 * action)
    result = judged(sim, target)
    assert result.state is state
    assert {lead.kind for lead in result.leads} == {"gain"}


def test_that_noise_on_the_logged_actuator_alters_nothing() -> None:
    rng = np.random.default_rng(1)
    result = judged(*pair_with(lambda x: x + 0.01 * rng.standard_normal(x.size)))
    assert result.state is State.PASS


def test_that_one_altered_row_is_doubt_and_no_failure() -> None:
    def change(x):
        out = x.copy()
        out[0] = 0.0
        return out

    result = judged(*pair_with(change, 40))
    assert result.state is State.INCONCLUSIVE


def test_that_without_alignment_only_the_targets_own_path_speaks() -> None:
    upstream = {"alignment": CheckResult.inconclusive("alignment", "two offsets fit")}
    bounded = judged(*exercise(), upstream=upstream)
    assert bounded.state is State.INCONCLUSIVE
    assert bounded.leads == ()
    assert bounded.measured("upper bound")[0].blocked == (
        "alignment not established: two offsets fit"
    )
    equal = judged(*pair_with(lambda x: x), upstream=upstream)
    assert equal.state is State.INCONCLUSIVE
    assert "alignment not established" in equal.reason
    assert equal.measured("altered applied rows", "action[0]")[0].state is State.PASS
    clip = MAPS["clip"]
    altered = judged(*pair_with(lambda x: run_map(clip, x, float(x[0]))), upstream=upstream)
    assert altered.state is State.FAIL
    assert findings(altered) == {("altered applied rows", "action[0]")}


def test_that_pending_observation_corrections_are_named_as_not_applied() -> None:
    from tracescope.model.correction import Correction

    upstream = {
        "observation-scaling": replace(
            CheckResult.inconclusive("observation-scaling", ""),
            pending=(Correction("obs[0]", 1.5),),
        )
    }
    assert judged(*exercise(), upstream=upstream).not_applied == ("obs[0] ÷ 1.5",)


def test_that_a_target_without_actions_is_inconclusive_with_a_way_out() -> None:
    only = trace(0.02, wander(50, 1, 1))
    result = judged(only, only)
    assert result.state is State.INCONCLUSIVE
    assert result.settle


def test_that_an_applied_action_on_its_own_clock_is_followed() -> None:
    sim, target = pair_with(lambda x: np.clip(x, -0.4, 0.4))
    channels = tuple(
        replace(c, time_s=c.time_s + 0.004) if c.role is Role.ACTION_APPLIED else c
        for c in target.channels
    )
    early = tuple(
        replace(c, time_s=c.time_s - 0.004) if c.role is Role.ACTION_APPLIED else c
        for c in target.channels
    )
    assert judged(sim, replace(target, channels=early)).leads[0].kind == "clip"
    assert judged(sim, replace(target, channels=channels)).state is not State.PASS


def test_that_the_only_action_takes_the_last_applied_column() -> None:
    action, obs = emitted(300)[:, 0], wander(300, 1, 9)
    sim = trace(0.02, obs, action)
    target = trace(0.02, obs, action, other={"desired": action, "sent": np.clip(action, -0.3, 0.3)})
    target = replace(
        target,
        channels=tuple(
            replace(c, role=Role.ACTION_APPLIED) if c.name in ("desired", "sent") else c
            for c in target.channels
        ),
    )
    assert kinds(judged(sim, target)) == {("clip", ("action",))}


def test_that_the_same_case_gives_the_same_result() -> None:
    sim, target = exercise()
    assert str(judged(sim, target)) == str(judged(sim, target))


@pytest.mark.parametrize("fault", ["clip", "parts"])
def test_that_what_begins_late_in_a_long_pair_is_named_where_it_is(fault: str) -> None:
    """Maps are tried on the first rows; a clip that begins behind them is one, policies that part are not."""
    n, late = 60_000, 30_000
    command = wander(n, 1, seed=2)
    other = command.copy()
    if fault == "clip":
        other[late:] = np.clip(other[late:], -0.3, 0.3)
    else:
        other[late:] += 0.5 * wander(n, 1, seed=9)[late:]
    (found,) = emitted_maps(Workbench(case(trace(action=command), trace(action=other))))
    assert found.altered[:late].sum() == 0
    assert found.altered[late:].any()
    assert (found.map is not None and found.map.kind == "clip") == (fault == "clip")
