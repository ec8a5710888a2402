"""The dynamics check against pairs whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, exercise, trace, wander
from tests.checks.dynamics_judged import (
    EXERCISE_SCALES,
    PLANTS,
    STEP,
    judged,
    sound_upstream,
)
from tests.checks.dynamics_plants import Plant, both
from tracescope.analysis.workbench import Workbench
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.trace import Role

# The exercise


def test_that_the_exercise_is_residual_disagreement_and_says_what_a_correction_would_change():
    bench = Workbench(case(*exercise(), STEP))
    upstream = sound_upstream() | {
        "observation-scaling": CheckResult(
            "observation-scaling", State.FAIL, "", pending=EXERCISE_SCALES
        )
    }
    result = judged(bench, upstream)
    assert result.state is State.INCONCLUSIVE
    assert result.counts == (("comparable transitions", 5), ("transitions", 39))
    assert "residual trajectory disagreement, not dynamics mismatch" in result.reason
    assert "replay" in result.settle
    assert result.would is not None
    assert (
        "with obs[0] ÷ 1.50, obs[1] ÷ 1.50: 33 of 39 transitions comparable" in result.would.reason
    )
    assert result.not_applied == ("obs[0] ÷ 1.4973", "obs[1] ÷ 1.4986")


def test_that_the_corrected_exercise_counts_33_or_with_its_own_norms_30():
    from dataclasses import replace

    corrected = Workbench(case(*exercise(), STEP)).corrected(
        (Correction("obs[0]", 1.5), Correction("obs[1]", 1.5))
    )
    result = judged(corrected)
    assert result.count("comparable transitions") == 33
    assert result.state is not State.FAIL
    tolerances = corrected.case.tolerances.with_band(
        "dynamics.match_observation_norm", (0.0, 0.05)
    ).with_band("dynamics.match_action_norm", (0.0, 0.01))
    own = Workbench(replace(corrected.case, tolerances=tolerances))
    assert judged(own).count("comparable transitions") == 30


# Sound pairs


@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.parametrize("n", [60, 300])
def test_that_the_same_plant_with_other_noise_never_fails(name, n):
    for seed in range(12):
        noise = {"sensor": 0.004 if seed % 2 else 0.002}
        result = judged(Workbench(both(Plant(name), n, seed, **noise)), {})
        assert result.state is not State.FAIL, (seed, result.reason)


@pytest.mark.parametrize("name", PLANTS)
def test_that_the_same_plant_passes_given_rows_enough(name):
    for seed in range(4):
        result = judged(Workbench(both(Plant(name), 600, seed)))
        assert result.state is State.PASS, result.reason


def test_that_a_slow_disturbance_is_not_a_plant():
    for seed in range(6):
        result = judged(Workbench(both(Plant("thruster"), 200, seed, disturbance=0.02)))
        assert result.state is not State.FAIL, result.reason


def test_that_bit_identical_traces_pass():
    obs, action = wander(200, 6, seed=1), wander(200, 2, seed=2)
    result = judged(
        Workbench(case(trace(obs=obs, action=action), trace(obs=obs, action=action), STEP))
    )
    assert result.state is State.PASS
    assert result.count("comparable transitions") == 199


# Faults of the plant


@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.parametrize("fault", [{"mass": 1.5}, {"friction": 1.6}, {"gain": 1.3}])
@pytest.mark.parametrize("n", [300, 1000])
def test_that_a_changed_plant_fails_and_is_named(name, fault, n):
    result = judged(Workbench(both(Plant(name), n, 3, **fault)))
    assert result.state is State.FAIL, result.reason
    assert result.leads[0].family == "dynamics"
    assert result.leads[0].would_be_wrong_if
    assert "consistent with" in result.reason


def test_that_the_heavier_machine_is_measured():
    result = judged(Workbench(both(Plant("spring"), 300, 3, mass=1.5)))
    lead = result.leads[0]
    assert (lead.kind, lead.channels) == ("inertia", ("obs[1]",))
    assert lead.value == pytest.approx(1.5, rel=0.05)


# Faults before the plant


@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.parametrize(
    "fault", [{"scale": 1.3}, {"offset": 0.15}, {"clip": 0.35}, {"delay": 1}, {"delay": 2}]
)
@pytest.mark.parametrize("applied", [True, False])
def test_that_a_fault_before_the_plant_is_never_called_dynamics(name, fault, applied):
    for n in (80, 300):
        bench = Workbench(both(Plant(name), n, n, log_applied=applied, **fault))
        result = judged(bench, {})
        assert result.state is not State.FAIL, result.reason


@pytest.mark.parametrize(
    ("empty", "sides"),
    [
        ((True, True), "the simulator and the target"),
        ((True, False), "the simulator"),
        ((False, True), "the target"),
    ],
)
@pytest.mark.parametrize("identical", [True, False])
def test_that_an_observation_without_values_keeps_dynamics_from_passing(empty, sides, identical):
    made = both(Plant("spring"), 600, 1)
    pair = made.pair
    traces = []
    for one, nothing in zip((pair.sim, pair.sim if identical else pair.target), empty, strict=True):
        n = len(one)
        lost = np.full(n, np.nan) if nothing else np.zeros(n)
        values = np.column_stack([*(c.as_float() for c in one.of_role(Role.OBSERVATION)), lost])
        action = np.column_stack([c.as_float() for c in one.of_role(Role.ACTION)])
        traces.append(trace(one.interval_s, values, action))
    result = judged(Workbench(case(*traces, STEP)))
    name = f"obs[{values.shape[1] - 1}]"
    (gap,) = result.measured("one-step gap", name)
    assert gap.interval is None
    assert gap.note == f"it holds no value in {sides}"
    assert result.state is State.INCONCLUSIVE
    assert name in result.settle


def test_that_an_uncorrected_finding_blocks_a_failing_gap_with_that_reason():
    bench = Workbench(both(Plant("spring"), 300, 3, log_applied=False, mass=1.5))
    for check in ("observation-scaling", "action", "timing"):
        upstream = sound_upstream() | {check: CheckResult(check, State.FAIL, "")}
        result = judged(bench, upstream)
        assert result.state is State.INCONCLUSIVE
        assert f"the {check.replace('-', ' ')} finding is not corrected" in result.reason
        assert result.settle


def failed(check: str, quantity: str) -> CheckResult:
    beyond = Measurement(quantity, "", 9.0, (8.0, 10.0), tolerance=(0.0, 2.0))
    return CheckResult(check, State.FAIL, "", (beyond,))


def test_that_an_altered_action_does_not_stand_in_the_way_where_the_applied_one_is_compared():
    bench = Workbench(both(Plant("spring"), 600, 3, mass=1.5, clip=0.5))
    upstream = sound_upstream() | {"action": failed("action", "altered applied rows")}
    assert judged(bench, upstream).state is State.FAIL


@pytest.mark.parametrize("clip", [0.3, 0.5])
def test_that_a_clip_alone_is_no_gap_where_the_applied_action_is_compared(clip):
    bench = Workbench(both(Plant("spring"), 600, 3, clip=clip))
    upstream = sound_upstream() | {"action": failed("action", "altered applied rows")}
    assert judged(bench, upstream).state is not State.FAIL


def test_that_an_applied_column_that_may_be_wrong_itself_still_stands_in_the_way():
    bench = both(Plant("spring"), 600, 3)
    target = bench.pair.target
    counted = {c.name: c.as_float() * 1.3 for c in target.of_role(Role.ACTION_APPLIED)}
    obs = np.column_stack([c.as_float() for c in target.of_role(Role.OBSERVATION)])
    emitted = target.of_role(Role.ACTION)[0].as_float()
    wrong = trace(target.interval_s, obs, emitted, applied=counted["action_applied"])
    upstream = sound_upstream() | {"action": failed("action", "applied gain")}
    result = judged(Workbench(case(bench.pair.sim, wrong, STEP)), upstream)
    assert result.state is State.INCONCLUSIVE
    assert "a gain of" in result.reason


@pytest.mark.parametrize(
    ("quantity", "blocks"),
    [
        ("missing rows", False),
        ("logged latency, jitter", False),
        ("interval jitter", True),
        ("mean interval ratio", True),
    ],
)
def test_that_only_a_timing_finding_that_transitions_show_stands_in_the_way(quantity, blocks):
    late = sound_upstream()["timing"].measurements
    timing = failed("timing", quantity)
    upstream = sound_upstream() | {
        "timing": CheckResult("timing", State.FAIL, "", (*timing.measurements, *late))
    }
    result = judged(Workbench(both(Plant("spring"), 600, 3, mass=1.5)), upstream)
    assert result.state is (State.INCONCLUSIVE if blocks else State.FAIL)


def test_that_a_logged_latency_stands_in_the_way_where_the_response_is_not_established():
    upstream = sound_upstream() | {"timing": failed("timing", "logged latency, largest")}
    result = judged(Workbench(both(Plant("spring"), 600, 3, mass=1.5)), upstream)
    assert result.state is State.INCONCLUSIVE


def test_that_no_plant_is_suspected_before_the_alignment_stands():
    upstream = {"alignment": CheckResult("alignment", State.INCONCLUSIVE, "")}
    result = judged(Workbench(both(Plant("spring"), 600, 3, friction=2.5)), upstream)
    assert not [lead for lead in result.leads if lead.family == "dynamics"]


def test_that_an_uncorrected_finding_does_not_block_a_pass():
    upstream = sound_upstream() | {"action": CheckResult("action", State.FAIL, "")}
    assert judged(Workbench(both(Plant("spring"), 600, 1)), upstream).state is State.PASS


@pytest.mark.parametrize("state", [State.FAIL, State.INCONCLUSIVE])
def test_that_nothing_speaks_before_the_alignment(state):
    upstream = {"alignment": CheckResult("alignment", state, "")}
    result = judged(Workbench(both(Plant("spring"), 300, 1)), upstream)
    assert result.state is State.INCONCLUSIVE
    assert "alignment" in result.reason
    assert not [m for m in result.measurements if m.judged and m.state is not State.INCONCLUSIVE]


def test_that_an_unestablished_latency_blocks_unless_the_plant_explains_clearly_more():
    upstream = sound_upstream() | {"timing": CheckResult("timing", State.INCONCLUSIVE, "")}
    clear = judged(Workbench(both(Plant("spring"), 300, 3, friction=1.6)), upstream)
    assert clear.state is State.FAIL
    unclear = judged(Workbench(both(Plant("spring"), 300, 3, delay=2)), upstream)
    assert unclear.state is State.INCONCLUSIVE


def test_that_a_correction_turns_a_blocked_gap_into_what_it_would_be():
    bench = Workbench(both(Plant("spring"), 600, 4, scale=1.3))
    fitted = (Correction("obs[0]", 1.3),)
    upstream = sound_upstream() | {
        "observation-scaling": CheckResult("observation-scaling", State.FAIL, "", pending=fitted)
    }
    result = judged(bench, upstream)
    assert result.state is State.INCONCLUSIVE
    assert result.would is not None
    assert result.would.state is State.PASS
    assert result.would.corrections == ("obs[0] ÷ 1.3",)


def test_that_a_gap_in_a_kinematic_row_casts_doubt_on_the_sensors_not_the_plant():
    bench = Workbench(both(Plant("thruster", sensor=0.0005), 300, 5, scale=1.3))
    (row,) = judged(bench, {}).measured("one-step gap", "obs[0]")
    assert row.state is State.INCONCLUSIVE
    assert "no plant parameter" in row.blocked


@pytest.mark.parametrize("gain", [1.3, 1.8])
def test_that_a_motion_predicted_by_its_own_past_alone_passes_nothing(gain):
    # What drives it is logged too coarsely to predict; a slow motion goes on by itself on either plant.
    time_s = 0.02 * np.arange(300)
    drive = np.sin(2 * np.pi * 0.5 * time_s) + np.sin(2 * np.pi * 0.23 * time_s + 1)
    logged = np.random.default_rng(1).normal(size=300)
    sides = [trace(obs=factor * np.cumsum(drive), action=logged) for factor in (1.0, gain)]
    bench = Workbench(case(*sides, STEP))
    assert bench.relation.kind == ("lagged",)
    result = judged(bench, {})
    assert result.state is State.INCONCLUSIVE
    (gap,) = result.measured("one-step gap", "obs")
    assert gap.interval[1] <= 0.1
    assert "its own past predicts it" in gap.note
