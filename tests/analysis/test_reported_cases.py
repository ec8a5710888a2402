"""What people reported of other tools about clocks, residuals and the meaning of rows, case by case.

``CASES`` names for each the tests that hold it off; those that put the report's own input through the
analysis live here.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from tests.builders import case, pair, trace, wander
from tracescope.analysis.anchors import alignment_from_anchors
from tracescope.analysis.estimate import (
    assumed_alignment,
    best_alignment,
    estimate_alignment,
    initial_alignment,
)
from tracescope.analysis.residual import residual, signal_lags
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK as ALIGNMENT
from tracescope.checks.registry import BUILT_IN
from tracescope.checks.termination import CHECK as TERMINATION
from tracescope.checks.timing import CHECK as TIMING
from tracescope.model.alignment import Alignment, Anchor
from tracescope.model.case import Case
from tracescope.model.check import State
from tracescope.model.trace import Role, Trace
from tracescope.session.run import run_checks

STEPS = Alignment(mode="step")
HERE = "tests.analysis.test_reported_cases"
KNOWN = "tests.analysis.test_known_faults"
ESTIMATE = "tests.analysis.test_estimate"
FAULTS = "tests.checks.test_known_faults"

CASES: dict[str, tuple[str, ...]] = {
    "C3 lag of the wrong sign": (
        f"{KNOWN}:both_signs_of_a_lag_are_told",
        f"{ESTIMATE}:a_late_target_has_a_positive_offset_and_an_early_one_a_negative",
    ),
    "C4 a periodic signal": (f"{ESTIMATE}:a_sine_is_ambiguous_and_names_the_periods_beside",),
    "C5 the pick is the maximum shown, rates differ": (
        f"{HERE}:the_pick_is_the_maximum_of_the_curve_that_is_shown",
    ),
    "C6 nothing moves": (
        f"{KNOWN}:where_nothing_moves_nothing_is_estimated",
        f"{HERE}:a_still_section_neither_helps_nor_hurts",
    ),
    "C7 one transform": (f"{KNOWN}:residual_and_checks_use_one_transform",),
    "C8 a second anchor": (
        "tests.analysis.test_anchors:two_anchors_give_offset_and_drift",
        f"{HERE}:two_anchors_on_a_clock_one_per_cent_off_align_everything_between",
    ),
    "C9 an offset in steps": (
        "tests.analysis.test_anchors:steps_of_the_clock_are_called_not_linear",
        f"{HERE}:an_offset_that_grows_in_steps_never_passes_for_a_line",
    ),
    "C11 one common sample": ("tests.checks.test_alignment:a_few_common_rows_give_no_number",),
    "C12 disjoint ranges": (f"{KNOWN}:disjoint_ranges_are_both_named_with_a_guess_at_the_unit",),
    "C15 raw and aligned time": (
        "tests.session.test_export_range:raw_and_aligned_time_and_the_parameters_are_written",
    ),
    "C16 files in sync": (f"{KNOWN}:a_trace_against_itself_is_off_by_exactly_nothing",),
    "C17 another clock at the cursor": (
        f"{HERE}:a_residual_read_anywhere_goes_through_the_alignment_in_force",
    ),
    "C19 sign of the residual, held or between": (
        "tests.analysis.test_residual:the_residual_is_target_less_sim",
        "tests.analysis.test_residual:a_sparse_target_is_read_between_its_samples_and_a_held_action_is_not",
    ),
    "C20 unequal starts and lengths": (
        f"{HERE}:a_residual_lives_on_the_intersection_whatever_the_lengths",
    ),
    "C22 nothing moves by a slip": (f"{HERE}:an_alignment_in_force_is_left_as_it_is",),
    "C23 the whole recording slides": (f"{HERE}:an_offset_moves_every_signal_of_the_target_alike",),
    "F1 sizes of state and action differ": (
        f"{HERE}:fourteen_states_and_seven_actions_are_judged_by_name",
    ),
    "F2 extra scalars": (f"{HERE}:extra_columns_are_listed_and_take_part_in_no_verdict",),
    "F4 actions beyond their limits": (
        f"{FAULTS}:an_action_of_unknown_stage_is_shown_and_asked_for",
    ),
    "F5 joint order, sign, offset": (
        f"{FAULTS}:joint_order_sign_and_offset_are_inferred_with_a_score",
    ),
    "F6 auto-reset at done": (f"{HERE}:a_reset_at_done_is_another_episode_and_no_transition",),
    "F7 one done for failure and time limit": (
        f"{HERE}:a_done_at_a_round_length_in_both_may_be_a_time_limit",
    ),
    "F10 an action acts two rows late": (
        f"{HERE}:an_action_two_rows_late_is_a_latency_of_two_rows",
    ),
    "F11 a delay of a fraction of a row": (
        f"{HERE}:seven_milliseconds_at_50_hz_are_told_in_seconds_and_rows",
    ),
    "F12 following gain": (f"{FAULTS}:each_joint_is_fitted_to_its_command_in_each_trace",),
    "F13 seconds and microseconds": (
        f"{KNOWN}:disjoint_ranges_are_both_named_with_a_guess_at_the_unit",
        "tests.readers.test_vectors_and_parts:seconds_in_one_recording_and_microseconds_in_the_other_agree",
    ),
}

ALL = {f"C{n}" for n in (3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 19, 20, 22, 23)} | {
    f"F{n}" for n in (1, 2, 4, 5, 6, 7, 10, 11, 12, 13)
}


def test_that_no_case_is_left_out() -> None:
    assert {name.split()[0] for name in CASES} == ALL


@pytest.mark.parametrize("name", CASES)
def test_that_each_case_has_tests_that_exist(name: str) -> None:
    for place in CASES[name]:
        module, test = place.split(":")
        assert callable(getattr(importlib.import_module(module), f"test_that_{test}")), place


def motion(seed: int, channels: int = 2) -> CubicSpline:
    """Smooth motion over −10 … 30 s that can be read at any instant."""
    at_s = np.arange(-10.0, 30.0, 0.02)
    return CubicSpline(at_s, wander(at_s.size, channels, seed=seed, smooth=6))


@pytest.mark.parametrize("late_s", [-0.72, 0.72])
def test_that_the_pick_is_the_maximum_of_the_curve_that_is_shown(late_s: float) -> None:
    moves = motion(1)
    fast_s, slow_s = np.arange(0, 8, 1 / 50), np.arange(0, 8, 1 / 33)
    sim = trace(1 / 50, moves(fast_s), step=False)
    target = trace(1 / 33, moves(slow_s - late_s), step=False)
    found = estimate_alignment(pair(sim, target))
    assert found.verdict == "clear"
    assert found.alignment is not None
    assert found.alignment.offset_s == pytest.approx(late_s, abs=0.1 / 33)
    shown_s = found.lag_s[int(np.nanargmax(found.score))]
    assert abs(shown_s - found.alignment.offset_s) <= 0.5 / 33 + 1e-9


def test_that_a_still_section_neither_helps_nor_hurts() -> None:
    moves = motion(2)
    at_s = np.arange(0, 12, 0.02)
    still = np.clip(at_s - 4.0, 0.0, None)  # nothing moves for the first 4 s
    sim = trace(0.02, moves(still), step=False)
    target = trace(0.02, moves(np.clip(at_s - 0.3 - 4.0, 0.0, None)), step=False)
    found = estimate_alignment(pair(sim, target))
    assert found.alignment is not None
    assert found.alignment.offset_s == pytest.approx(0.3, abs=0.002)


def test_that_two_anchors_on_a_clock_one_per_cent_off_align_everything_between() -> None:
    moves = motion(3)
    true_s = np.arange(0, 10, 0.02)
    sim = trace(0.02, moves(true_s), step=False)
    target = trace(time_s=1.01 * true_s + 5.0, obs=moves(true_s), step=False)
    both = pair(sim, target)
    one, _, _ = alignment_from_anchors(both, [Anchor(1.0, 6.01)])
    two, residual_s, linear = alignment_from_anchors(both, [Anchor(1.0, 6.01), Anchor(9.0, 14.09)])
    assert linear
    assert np.abs(residual_s).max() < 1e-9
    assert np.abs(two.to_sim(target.time_s) - true_s).max() < 1e-9
    assert np.abs(one.to_sim(target.time_s) - true_s).max() > 0.05
    found = best_alignment(both)
    assert found.to_sim(target.time_s) == pytest.approx(true_s, abs=0.002)


def test_that_an_offset_that_grows_in_steps_never_passes_for_a_line() -> None:
    moves = motion(4, 3)
    at_s = np.arange(0, 18, 0.02)
    target_s = at_s + 0.3 * np.floor(at_s / 6)  # 0.3 s are lost at the end of each segment
    sim = trace(0.02, moves(at_s), step=False)
    target = trace(time_s=target_s, obs=moves(at_s), step=False)
    both = pair(sim, target)
    result = ALIGNMENT.judge(Workbench(Case(both, initial_alignment(both)[0])), {})
    assert result.state is not State.PASS
    assert result.reason


def test_that_a_residual_read_anywhere_goes_through_the_alignment_in_force() -> None:
    moves = motion(5)
    at_s = np.arange(0, 8, 0.02)
    laid = Alignment(offset_s=2.4, drift=2e-3, pivot_s=2.0)
    clock_s = at_s + 2.0
    target = trace(time_s=clock_s, obs=moves(laid.to_sim(clock_s)), step=False)
    both = case(trace(0.02, moves(at_s), step=False), target, laid)
    read_s = np.linspace(1.0, 6.0, 41)
    _, left = residual(both, "obs[0]", read_s)
    assert np.nanmax(np.abs(left)) < 0.01
    moved = case(both.pair.sim, target, Alignment(offset_s=2.0, pivot_s=2.0))
    _, left = residual(moved, "obs[0]", read_s)
    assert np.nanmax(np.abs(left)) > 0.1


@pytest.mark.parametrize("start_s", [-0.2, 0.33, 3.0])
@pytest.mark.parametrize("rows", [50, 731])
def test_that_a_residual_lives_on_the_intersection_whatever_the_lengths(
    start_s: float, rows: int
) -> None:
    moves = motion(6)
    at_s, there_s = np.arange(0, 6, 0.02), start_s + 0.01 * np.arange(rows)
    both = case(
        trace(0.02, moves(at_s), step=False),
        trace(time_s=there_s, obs=moves(there_s) + 0.25, step=False),
        Alignment(),
    )
    time_s, left = residual(both, "obs[1]")
    assert time_s.shape == left.shape
    known = time_s[np.isfinite(left)]
    assert known.size > 10
    assert known.min() >= max(0.0, start_s) - 1e-9
    assert known.max() <= min(at_s[-1], there_s[-1]) + 1e-9
    assert left[np.isfinite(left)] == pytest.approx(0.25, abs=5e-3)


def test_that_an_alignment_in_force_is_left_as_it_is() -> None:
    both = pair(trace(0.02, wander(200), step=False), trace(0.02, wander(200), step=False))
    by_hand = Alignment(how="manual", offset_s=0.0125, drift=1e-4, pivot_s=0.0)
    made = Case(both, by_hand)
    list(run_checks(made, BUILT_IN))
    assert made.alignment == by_hand


def test_that_an_offset_moves_every_signal_of_the_target_alike() -> None:
    value, action = wander(300, 3, seed=8), wander(300, 2, seed=9)
    both = case(
        trace(0.02, value, action, step=False), trace(0.02, value, action, step=False, t0=4.0)
    )
    lags = signal_lags(Case(both.pair, assumed_alignment(both.pair)))
    assert {lag.channel for lag in lags} >= {f"obs[{k}]" for k in range(3)}
    assert all(lag.lag_s == pytest.approx(0.0, abs=1e-3) for lag in lags)


def linear(n: int, states: int, actions: int, seed: int) -> Trace:
    """A stable linear plant driven by random actions, with two columns that are neither."""
    rng = np.random.default_rng(seed)
    into = np.random.default_rng(1).normal(0, 0.2, (actions, states))
    action = rng.standard_normal((n, actions))
    state = np.zeros((n, states))
    for i in range(n - 1):
        state[i + 1] = 0.9 * state[i] + action[i] @ into + 1e-3 * rng.standard_normal(states)
    extra = {"q_value": np.cumsum(rng.normal(size=n)), "intervention": rng.integers(0, 2, n)}
    return trace(0.02, state, action, other=extra)


def test_that_fourteen_states_and_seven_actions_are_judged_by_name() -> None:
    both = case(linear(400, 14, 7, 1), linear(400, 14, 7, 2), STEPS)
    results = {r.id: r for r in run_checks(both, BUILT_IN)}
    assert all(r.state is not State.FAIL for r in results.values()), results
    said = {m.channel for m in results["observation-scaling"].measurements if m.channel}
    assert said <= {f"obs[{k}]" for k in range(14)}
    said = {m.channel for m in results["action"].measurements if m.channel}
    assert said == {f"action[{k}]" for k in range(7)}


def test_that_extra_columns_are_listed_and_take_part_in_no_verdict() -> None:
    sim, target = linear(400, 3, 2, 3), linear(400, 3, 2, 4)
    both = case(sim, target, STEPS)
    extra = {c.name for c in target.of_role(Role.OTHER)}
    assert extra == {"q_value", "intervention"}
    assert extra <= {match.sim for match in both.pair.matches}
    for result in run_checks(both, BUILT_IN):
        judged = {m.channel for m in result.measurements if m.judged}
        assert not judged & extra, result.id


def episode(seed: int, ends: tuple[int, ...], n: int = 301) -> Trace:
    """One recording in which the row flagged done already holds the reset state of the next episode."""
    rng = np.random.default_rng(seed)
    action = rng.standard_normal(n)
    state, done = np.zeros(n), np.zeros(n, dtype=bool)
    state[0] = 5.0
    for i in range(n - 1):
        state[i + 1] = 0.9 * state[i] + 0.1 * action[i]
        if i + 1 in ends:
            state[i + 1], done[i + 1] = 25.0, True
    return trace(0.02, state, action, done=done)


def test_that_a_reset_at_done_is_another_episode_and_no_transition() -> None:
    both = case(episode(1, (140,)), episode(1, (140,)), STEPS)
    bench = Workbench(both)
    result = TERMINATION.judge(bench, {})
    assert [told.text for told in result.untested if "no transition" in told.text]
    results = {r.id: r for r in run_checks(both, BUILT_IN)}
    assert results["dynamics"].state is not State.FAIL
    worst = max((abs(float(gap.estimate)) for gap in bench.gaps), default=0.0)
    assert worst < 0.01


def test_that_a_done_at_a_round_length_in_both_may_be_a_time_limit() -> None:
    def run(seed: int) -> Trace:
        state, done = wander(500, 2, seed=7), np.zeros(500, dtype=bool)
        done[-1] = True
        noise = 1e-3 * np.random.default_rng(seed).standard_normal(state.shape)
        return trace(0.02, state + noise, wander(500, 1, seed=3), done=done)

    result = TERMINATION.judge(Workbench(case(run(1), run(2), STEPS)), {})
    assert result.state is State.INCONCLUSIVE
    assert "possibly truncated" in result.reason
    assert result.settle


def driven(delay: int, seed: int, n: int = 500) -> Trace:
    rng = np.random.default_rng(seed)
    action = rng.standard_normal(n)
    state = np.zeros(n)
    for i in range(n - 1):
        state[i + 1] = 0.95 * state[i] + (0.1 * action[i - delay] if i >= delay else 0.0)
    return trace(0.02, state + 1e-3 * rng.standard_normal(n), action)


@pytest.mark.parametrize("delays", [(0, 2), (2, 0)])
def test_that_an_action_two_rows_late_is_a_latency_of_two_rows(delays: tuple[int, int]) -> None:
    both = case(driven(delays[0], 1), driven(delays[1], 2), STEPS)
    found = TIMING.judge(Workbench(both), {}).measured("response latency, target less sim")[0]
    assert found.state is State.FAIL
    assert found.interval is not None
    low, high = found.interval
    assert low <= delays[1] - delays[0] <= high
    assert high - low < 0.5


def test_that_seven_milliseconds_at_50_hz_are_told_in_seconds_and_rows() -> None:
    moves = motion(11, 3)
    at_s = np.arange(0, 10, 0.02)
    noise = 0.01 * np.random.default_rng(4).standard_normal((at_s.size, 3))
    sim = trace(0.02, moves(at_s), step=False)
    target = trace(0.02, moves(at_s - 0.007) + noise, step=False)
    found = estimate_alignment(pair(sim, target)).alignment
    assert found is not None
    assert found.offset_s == pytest.approx(0.007, abs=1e-3)
    low, high = found.offset_interval_s
    assert 0.005 < low < 0.007 < high < 0.009
    result = ALIGNMENT.judge(Workbench(Case(pair(sim, target), found)), {})
    left = result.measured("remaining lag")[0]
    assert left.unit == "rows"
    assert left.state is State.PASS
