"""Which transitions are comparable, and how their motion differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import case, exercise, pair, trace, wander
from tests.checks.dynamics_plants import Plant
from tests.checks.dynamics_plants import both as both_runs
from tracescope.analysis.logging_phase import AFTER
from tracescope.analysis.transitions import (
    comparable_transitions,
    drive_values,
    drives,
    episode_continues,
)
from tracescope.analysis.transitions_paired import paired_motion, residual_growth
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment
from tracescope.model.correction import Correction
from tracescope.model.trace import Role, Trace

STEP = Alignment(mode="step")
EXERCISE_SCALES = (Correction("obs[0]", 1.5), Correction("obs[1]", 1.5))


@pytest.mark.parametrize("alignment", [STEP, Alignment(offset_s=0.01, pivot_s=0.01)])
def test_that_the_exercise_has_33_comparable_transitions_once_corrected(alignment):
    bench = Workbench(case(*exercise(), alignment))
    assert (comparable_transitions(bench).count, comparable_transitions(bench).total) == (5, 39)
    corrected = bench.corrected(EXERCISE_SCALES)
    assert comparable_transitions(corrected).count == 33
    assert comparable_transitions(corrected, 0.05, 0.01).count == 30


def test_that_the_outcome_takes_no_part_in_the_choice():
    obs = wander(200, 2, seed=1)
    changed = obs.copy()
    changed[101] += 5.0
    bench = Workbench(
        case(trace(obs=obs, action=obs[:, 0]), trace(obs=changed, action=obs[:, 0]), STEP)
    )
    alike = comparable_transitions(bench).alike
    assert alike[100], "the step into the changed row starts from alike states"
    assert not alike[101], "the step out of it does not"


def test_that_nothing_is_comparable_across_a_missing_row():
    obs = wander(60, 1, seed=2)
    kept = np.delete(np.arange(60), 30)
    gone = trace(obs=obs[kept], action=obs[kept, 0], time_s=0.02 * kept, step=kept)
    result = comparable_transitions(Workbench(case(trace(obs=obs, action=obs[:, 0]), gone, STEP)))
    assert result.total == 57
    assert not result.alike[29]


def test_that_the_applied_action_counts_where_the_target_logs_it():
    obs, action = wander(80, 1, seed=3), wander(80, 1, seed=4)[:, 0]
    clipped = np.clip(action, -0.5, 0.5)
    both = pair(trace(obs=obs, action=action), trace(obs=obs, action=action, applied=clipped))
    (drive,) = drives(both)
    assert (drive.applied, drive.target.name) == (True, "action_applied")
    bench = Workbench(case(both.sim, both.target, STEP))
    assert np.array_equal(drive_values(bench)[1][:, 0], clipped)
    assert comparable_transitions(bench).count == int((np.abs(action[:-1]) <= 0.5).sum()) + int(
        ((np.abs(action[:-1]) > 0.5) & (np.abs(action[:-1]) - 0.5 <= 0.05 * action.std())).sum()
    )


def test_that_an_applied_torque_is_not_set_against_an_emitted_angle():
    action = wander(80, 1, seed=5)[:, 0]
    torque = 40 * wander(80, 1, seed=6)[:, 0]
    both = pair(trace(obs=action, action=action), trace(obs=action, action=action, applied=torque))
    (drive,) = drives(both)
    assert (drive.applied, drive.target.name) == (False, "action")


def test_that_a_reset_into_a_flagged_row_is_no_transition():
    state = np.concatenate((np.linspace(1, 2, 20), [0.0]))[:, None]
    flagged = np.zeros(21, dtype=bool)
    flagged[-1] = True
    assert not episode_continues(state, flagged)[-1]
    smooth = np.linspace(1, 2, 21)[:, None]
    assert episode_continues(smooth, flagged)[-1]


@pytest.mark.parametrize(("jump", "stays"), [(3.0, True), (7.0, False), (-7.0, False)])
def test_that_a_jump_into_a_flagged_row_is_left_out_from_five_usual_motions_on(jump, stays):
    motion = np.append(np.tile([1.0, -1.0], 15), jump)
    state = np.cumsum(motion)[:, None]
    flagged = np.zeros(len(state), dtype=bool)
    flagged[-1] = True
    assert episode_continues(state, flagged)[-1] == stays
    assert episode_continues(state, flagged)[:-1].all()


def test_that_a_signal_without_two_values_in_a_row_says_nothing_about_resets():
    state = np.column_stack((np.arange(20.0), np.where(np.arange(20) % 2, np.nan, 3.0)))
    state[10:, 0] += 100.0
    flagged = np.arange(20) == 10
    goes_on = episode_continues(state, flagged)
    assert not goes_on[9]
    assert not goes_on[10]
    assert goes_on[:9].all()


def test_that_nothing_follows_a_flagged_row():
    flagged = np.zeros(10, dtype=bool)
    flagged[4] = True
    goes_on = episode_continues(np.linspace(0, 1, 10)[:, None], flagged)
    assert not goes_on[4]
    assert goes_on.sum() == 8


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.5, 2.0))
def test_that_a_ratio_of_motion_is_recovered_and_covered(seed, ratio):
    steps = np.random.default_rng(seed).normal(0, 1, (120, 1))
    obs = np.cumsum(steps, axis=0)
    moved = ratio * obs + np.random.default_rng(seed + 1).normal(0, 0.01, (120, 1))
    bench = Workbench(
        case(trace(obs=obs, action=steps[:, 0]), trace(obs=moved, action=steps[:, 0]), STEP)
    )
    comparable = comparable_transitions(bench, 1e9, 1e9)
    (motion,) = paired_motion(bench, comparable, ["obs[0]"], 0.999)
    low, high = motion.ratio[1]
    assert low <= ratio <= high
    assert motion.ratio[0] == pytest.approx(ratio, rel=0.02)
    assert motion.same


def test_that_unrelated_steps_are_not_called_the_same_motion():
    draw = np.random.default_rng(7)
    obs = [np.cumsum(draw.normal(0, 0.01, 300)) + np.sin(np.arange(300) / 30) for _ in range(2)]
    bench = Workbench(case(trace(obs=obs[0]), trace(obs=obs[1]), STEP))
    (motion,) = paired_motion(bench, comparable_transitions(bench, 1e9, 1e9), ["obs"], 0.99)
    assert not motion.same


def test_that_a_growing_residual_is_measured_with_its_interval():
    obs = wander(400, 1, seed=8)[:, 0]
    time_s = 0.02 * np.arange(400)
    grown = obs + 0.1 * time_s * obs.std()
    bench = Workbench(case(trace(obs=obs), trace(obs=grown), STEP))
    found = residual_growth(bench, ["obs"])
    assert found is not None
    assert found[1][0] <= 0.1 <= found[1][1]
    assert found[0] == pytest.approx(0.1, rel=0.05)


def test_that_a_steady_residual_does_not_grow():
    obs = wander(400, 1, seed=9)[:, 0]
    noisy = obs + np.random.default_rng(1).normal(0, 0.1, 400)
    found = residual_growth(Workbench(case(trace(obs=obs), trace(obs=noisy), STEP)), ["obs"])
    assert found is not None
    assert found[1][0] <= 0.0 <= found[1][1]


def test_that_few_rows_say_nothing_of_growth():
    bench = Workbench(case(trace(obs=np.arange(20.0)), trace(obs=np.arange(20.0)), STEP))
    assert residual_growth(bench, ["obs"]) is None


def after_the_action(found: Trace, *, stated: bool) -> Trace:
    """Return the same loop with each row holding the observation that its action led to."""
    obs = np.column_stack([c.as_float() for c in found.of_role(Role.OBSERVATION)])
    action = found.of_role(Role.ACTION)[0].as_float()
    moved = trace(found.interval_s, obs[1:], action[:-1], step=np.arange(1, len(found)))
    return replace(moved, metadata=(("phase", AFTER),)) if stated else moved


@pytest.mark.parametrize("which", ["sim", "target", "both"])
def test_that_rows_that_hold_the_observation_after_the_action_make_no_gap(which):
    made = both_runs(Plant("spring"), 400, 3, log_applied=False).pair
    sim, target = made.sim, made.target
    sim = after_the_action(sim, stated=True) if which != "target" else sim
    target = after_the_action(target, stated=True) if which != "sim" else target
    bench = Workbench(case(sim, target, STEP))
    assert all(gap.interval[0] == pytest.approx(0.0, abs=0.02) for gap in bench.gaps)
    assert all(gap.interval[1] < 0.1 for gap in bench.gaps)
    drive = drive_values(bench)
    shared = min(len(drive[0]), len(drive[1])) - 2
    assert np.corrcoef(drive[0][:shared, 0], drive[1][:shared, 0])[0, 1] > 0.9


def test_that_unstated_phases_still_look_like_a_response_one_row_early():
    made = both_runs(Plant("spring"), 400, 3, log_applied=False).pair
    bench = Workbench(case(made.sim, after_the_action(made.target, stated=False), STEP))
    assert bench.explanations[0].kind == "delay"
    assert bench.explanations[0].value == pytest.approx(-0.02, abs=0.004)


def test_that_a_tightly_bounded_applied_action_is_in_the_emitted_ones_unit():
    action = 0.5 + wander(400, 1, seed=9)[:, 0]
    bounded = np.clip(action, 0.45, 0.55)
    assert 0.05 < np.mean(bounded == action) < 0.5
    (drive,) = drives(
        pair(trace(obs=action, action=action), trace(obs=action, action=action, applied=bounded))
    )
    assert drive.applied
