"""Termination: first ends on one axis, and every way in which two ends may not be comparable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import trace, wander
from tests.checks.termination_judged import MOTION, N, flagged, judge, with_flags
from tracescope.analysis.ends import episode_end, round_length
from tracescope.analysis.ends_motion import end_motion, roughness
from tracescope.analysis.workbench import Workbench
from tracescope.checks.termination import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Role, Trace


@pytest.mark.parametrize("apart", [-3, -1, 0, 2, 3])
def test_ends_within_three_rows_pass(apart: int) -> None:
    result = judge(flagged(N, N - 5), flagged(N, N - 5 + apart, noise=2))
    assert result.state is State.PASS
    assert result.measured("end difference")[0].estimate == apart


@pytest.mark.parametrize("row", [100, 120, 140])
def test_early_end_from_same_motion_fails(row: int) -> None:
    result = judge(flagged(N, N - 1), flagged(row + 1, row, noise=2))
    assert result.state is State.FAIL
    assert result.measured("end difference")[0].estimate == row - (N - 1)
    assert result.leads[0].kind == "early-end"


def test_early_end_of_sim_has_other_sign() -> None:
    result = judge(flagged(141, 140), flagged(N, N - 1, noise=2))
    assert result.state is State.FAIL
    assert result.measured("end difference")[0].estimate == N - 1 - 140


def test_end_that_other_log_passes_without_end_fails() -> None:
    result = judge(flagged(N, None), flagged(N, 140, noise=2))
    assert result.state is State.FAIL
    assert "at least" in result.reason


def test_log_that_stops_where_other_ends_may_be_cut_off() -> None:
    result = judge(flagged(N, N - 1), flagged(N - 40, None, noise=2))
    assert result.state is State.INCONCLUSIVE
    assert "cut off" in result.reason


def test_no_flags_and_no_ends_are_inconclusive() -> None:
    bare = trace(0.02, MOTION[:N])
    assert "no end flag is logged in the target" in judge(flagged(N, N - 1), bare).reason
    assert judge(flagged(N, None), flagged(N, None)).state is State.INCONCLUSIVE


def test_different_motion_excuses_different_ends() -> None:
    other = trace(0.02, wander(400, 2, seed=9, smooth=12.0)[:141])
    flag = np.zeros(141, np.bool_)
    flag[-1] = True
    result = judge(flagged(N, N - 1), with_flags(other, {Role.TERMINATED: flag}))
    assert result.state is State.INCONCLUSIVE
    assert "different motion" in result.reason


def test_slower_motion_that_reaches_same_threshold_later_is_no_finding() -> None:
    ramp = np.linspace(0, 1, N)
    slow = np.linspace(0, 0.98, N + 10)
    level = 0.9

    def ended(value: np.ndarray, seed: int) -> Trace:
        end = int(np.flatnonzero(value > level)[0])
        seen = value[: end + 1] + np.random.default_rng(seed).normal(0, 0.001, end + 1)
        flag = np.zeros(end + 1, np.bool_)
        flag[-1] = True
        return with_flags(trace(0.02, seen), {Role.TERMINATED: flag})

    result = judge(ended(ramp, 1), ended(slow, 2))
    assert abs(result.measured("end difference")[0].estimate) > 3
    assert result.state is State.INCONCLUSIVE


def test_upstream_finding_excuses_only_where_motion_differs() -> None:
    same = judge(flagged(N, N - 1), flagged(141, 140, noise=2), timing=State.FAIL)
    assert same.state is State.FAIL


def test_done_at_round_length_is_possibly_truncated() -> None:
    result = judge(flagged(200, 199, Role.DONE), flagged(200, 199, Role.DONE, noise=2))
    assert result.state is State.INCONCLUSIVE
    assert "possibly truncated" in result.reason
    other = judge(flagged(N, N - 1, Role.DONE), flagged(N, N - 1, Role.DONE, noise=2))
    assert other.state is State.PASS


def test_done_of_shorter_side_at_round_length_may_be_time_limit() -> None:
    result = judge(flagged(N, N - 1, Role.DONE), flagged(150, 149, Role.DONE, noise=2))
    assert result.state is State.INCONCLUSIVE
    assert "time limit" in result.reason


def test_time_limits_that_differ_fail_whatever_the_motion() -> None:
    other = trace(0.02, wander(400, 2, seed=9, smooth=12.0)[:150])
    flag = np.arange(150) == 149
    target = with_flags(other, {Role.TRUNCATED: flag})
    result = judge(flagged(200, 199, Role.TRUNCATED), target)
    assert result.state is State.FAIL
    assert any("terminating condition itself" in u.text for u in result.untested) is True


def test_terminated_and_truncated_at_one_row_are_different_ends() -> None:
    sim = flagged(200, 199, Role.TERMINATED)
    target = flagged(200, 199, Role.TRUNCATED, noise=2)
    result = judge(sim, target)
    assert result.state is State.FAIL
    assert result.measured("same kind of end")[0].estimate == 0
    assert "different reasons" in result.reason


def test_alignment_must_stand() -> None:
    result = judge(flagged(N, N - 1), flagged(N, N - 1, noise=2), aligned=False)
    assert result.state is State.INCONCLUSIVE
    assert "alignment" in result.reason


def test_reset_row_belongs_to_next_episode() -> None:
    base = flagged(N, 140)
    obs = MOTION[:N].copy()
    obs[140:] = 40.0 + MOTION[: N - 140]
    jumped = replace(
        base,
        channels=tuple(
            replace(c, value=obs[:, c.index].copy()) if c.index is not None else c
            for c in base.channels
        ),
    )
    end = episode_end(jumped)
    assert (end.row, end.state_row, end.resets) == (140, 139, True)
    result = judge(flagged(141, 140), jumped)
    assert result.state is State.PASS
    assert any("next episode" in u.text for u in result.untested)


def test_log_that_goes_on_is_named() -> None:
    result = judge(flagged(141, 140), flagged(N, 140, noise=2))
    assert result.state is State.PASS
    assert any(f"goes on for {N - 141} rows" in u.text for u in result.untested)


@pytest.mark.parametrize(("apart", "passes"), [(-3, True), (3, True), (4, False)])
def test_last_digits_of_stamps_are_no_row(apart: int, *, passes: bool) -> None:
    """Three rows are three rows, though stamps and their offset hold them to a few millionths only."""
    sim, target = flagged(N, N - 5), flagged(N, N - 5 + apart, noise=2, t0=1e-7)
    upstream = {"alignment": CheckResult("alignment", State.PASS, "")}
    case = Case(pair_traces(sim, target), Alignment(offset_interval_s=(-2e-7, 2e-7)))
    result = CHECK.judge(Workbench(case), upstream)
    assert (result.state is State.PASS) == passes


def test_time_alignment_adds_its_doubt() -> None:
    sim, target = flagged(N, N - 1), flagged(N, N - 3, noise=2)
    pair = pair_traces(sim, target)
    upstream = {"alignment": CheckResult("alignment", State.PASS, "")}
    sharp = Case(pair, Alignment(offset_interval_s=(-0.002, 0.002)))
    blunt = Case(pair, Alignment(offset_interval_s=(-0.06, 0.06)))
    assert CHECK.judge(Workbench(sharp), upstream).state is State.PASS
    assert CHECK.judge(Workbench(blunt), upstream).state is State.INCONCLUSIVE


@pytest.mark.parametrize(
    ("rows", "is_round"),
    [(40, True), (500, True), (1000, True), (233, False), (41, False), (10, False)],
)
def test_round_lengths(rows: int, *, is_round: bool) -> None:
    assert round_length(rows) is is_round


@settings(max_examples=40, deadline=None)
@given(st.integers(40, 200), st.floats(1e-3, 0.3), st.integers(0, 1000))
def test_roughness_is_the_noise_of_smooth_motion(n: int, sd: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    slow = np.sin(np.linspace(0, 1, n))[:, None]
    found = roughness(slow + rng.normal(0, sd, (n, 1)))[0]
    assert found == pytest.approx(sd, rel=6 / np.sqrt(n))


def test_motions_without_common_rows_cannot_be_compared() -> None:
    empty = np.full((30, 2), np.nan)
    motion = end_motion(empty, empty, np.ones(2), 10, ("a", "b"))
    assert np.isnan(motion.gap_sd)
    assert motion.rows == 0


def test_go2_delay_falls_and_goes_on(shared_data) -> None:  # type: ignore[no-untyped-def]
    from tracescope.readers import open_trace

    folder = shared_data / "go2-observation-and-motor-delay"
    delayed = next(
        p for p in sorted(folder.iterdir()) if "delay1" in p.name and "motor" not in p.name
    )
    end = episode_end(open_trace(delayed))
    assert end.row is not None
    assert abs(end.row - 232) <= 1
    assert end.rows_after > 50


def left_by_alignment(
    interval: tuple[float, float] | None, *, quantity: str = "remaining lag", blocked: str = ""
) -> CheckResult:
    lag = Measurement(
        quantity, "", 0.0, interval, "rows", tolerance=(-0.5, 0.5), n=20.0, blocked=blocked
    )
    return CheckResult("alignment", State.INCONCLUSIVE, "", (lag,))


def judge_with(alignment: CheckResult, sim: Trace, target: Trace) -> CheckResult:
    pair = pair_traces(sim, target)
    case = Case(pair, Alignment(mode="step"))
    return CHECK.judge(Workbench(case), {"alignment": alignment})


def test_that_ends_are_compared_over_a_lag_of_a_few_rows_left_open() -> None:
    sim, target = flagged(N, N - 1), flagged(N, N - 1, noise=2)
    near = judge_with(left_by_alignment((-1.5, 2.0)), sim, target)
    assert near.state is State.PASS
    assert near.measured("end difference")[0].interval == (-2.0, 1.5)
    doubted = left_by_alignment((0.5, 2.0), blocked="the first rows do not tell")
    assert judge_with(doubted, sim, target).measured("end difference")[0].interval == (-2.0, 0.0)
    for lag in (left_by_alignment((-1.0, 4.0)), left_by_alignment(None)):
        assert judge_with(lag, sim, target).state is State.INCONCLUSIVE
    hidden = left_by_alignment((-1.0, 1.0), quantity="rows hidden by the counter at 1 s")
    assert judge_with(hidden, sim, target).state is State.INCONCLUSIVE


def test_that_a_lag_left_open_never_makes_a_failure() -> None:
    early = judge_with(
        left_by_alignment((-1.0, 1.0)), flagged(N, N - 1), flagged(141, 140, noise=2)
    )
    assert early.state is State.INCONCLUSIVE
    assert "alignment" in early.reason


def test_that_half_the_drift_left_open_counts_at_the_ends() -> None:
    drift = left_by_alignment((-2.0, 3.0), quantity="remaining drift over the trace")
    result = judge_with(drift, flagged(N, N - 1), flagged(N, N - 1, noise=2))
    assert result.measured("end difference")[0].interval == (-1.5, 1.5)
    assert result.state is State.PASS


def left_open(sim: Trace, target: Trace) -> CheckResult:
    """The check's answer where alignment could not tell which rows belong together."""
    return judge(sim, target, alignment=State.INCONCLUSIVE)


def test_that_one_time_limit_shows_whichever_rows_belong_together() -> None:
    sim, target = flagged(200, 170, Role.TRUNCATED), flagged(220, 170, Role.TRUNCATED, noise=2)
    result = left_open(sim, target)
    assert result.state is State.PASS
    assert "a time limit counts from the start" in result.measurements[0].note


@pytest.mark.parametrize(
    ("sim", "target"),
    [
        ((170, Role.TRUNCATED), (171, Role.TRUNCATED)),
        ((170, Role.TRUNCATED), (150, Role.TRUNCATED)),
        ((170, Role.TERMINATED), (170, Role.TERMINATED)),
        ((170, Role.DONE), (170, Role.DONE)),
        ((170, Role.TRUNCATED), (170, Role.TERMINATED)),
    ],
    ids=str,
)
def test_that_nothing_but_one_count_of_two_time_limits_does_without_an_alignment(
    sim: tuple[int, Role], target: tuple[int, Role]
) -> None:
    result = left_open(flagged(200, *sim), flagged(200, *target, noise=2))
    assert result.state is State.INCONCLUSIVE
    assert "alignment" in result.reason


def test_that_a_counter_known_to_start_elsewhere_is_no_time_limit() -> None:
    sim, target = flagged(200, 170, Role.TRUNCATED), flagged(200, 170, Role.TRUNCATED, noise=2)
    assert judge(sim, target, aligned=False).state is State.INCONCLUSIVE
