"""Termination: first ends on one axis, and every way in which two ends may not be comparable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import trace, wander
from tracescope.analysis.ends import episode_end, round_length
from tracescope.analysis.ends_motion import end_motion, roughness
from tracescope.analysis.workbench import Workbench
from tracescope.checks.termination import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Channel, Role, Trace

N = 233
MOTION = wander(400, 2, seed=3, smooth=12.0)


def flagged(
    n: int, row: int | None, role: Role = Role.TERMINATED, noise: int = 1, t0: float = 0.0
) -> Trace:
    """A log of n rows of one motion whose flag is set from ``row`` on."""
    own = np.random.default_rng(noise).normal(0, 0.002, (n, 2))
    base = trace(0.02, MOTION[:n] + own, t0=t0)
    flag = np.zeros(n, np.bool_)
    if row is not None:
        flag[row:] = True
    return with_flags(base, {role: flag})


def with_flags(base: Trace, flags: dict[Role, np.ndarray]) -> Trace:
    extra = tuple(Channel(role.value, role, base.time_s, flag) for role, flag in flags.items())
    return replace(base, channels=(*base.channels, *extra))


def judge(sim: Trace, target: Trace, *, aligned: bool = True, **more: State) -> CheckResult:
    pair = pair_traces(sim, target)
    case = Case(pair, Alignment(mode="step", offset_s=target.t_first_s - sim.t_first_s))
    upstream = {
        name.replace("_", "-"): CheckResult(name, state, "") for name, state in more.items()
    }
    upstream["alignment"] = CheckResult("alignment", State.PASS if aligned else State.FAIL, "")
    return CHECK.judge(Workbench(case), upstream)


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


def slow_end(end: int, seed: int, slope: float) -> Trace:
    value = slope * np.arange(end + 1) + np.random.default_rng(seed).normal(0, 0.01, end + 1)
    flag = np.arange(end + 1) == end
    return with_flags(trace(0.02, value), {Role.TERMINATED: flag})


def test_that_noise_alone_ends_a_slow_motion_rows_apart() -> None:
    slow = judge(slow_end(233, 1, 0.0005), slow_end(239, 2, 0.0005))
    assert slow.state is State.INCONCLUSIVE
    fast = judge(slow_end(233, 1, 0.02), slow_end(239, 2, 0.02))
    assert fast.state is State.FAIL


def test_that_observations_that_are_off_show_no_same_motion() -> None:
    sim, target = flagged(N, N - 1), flagged(141, 140, noise=2)
    assert judge(sim, target, observation_scaling=State.PASS).state is State.FAIL
    off = judge(sim, target, observation_scaling=State.FAIL)
    assert off.state is State.INCONCLUSIVE
    assert "observations are off" in off.reason


def approaching(end: int, peaks: tuple[float, ...], seed: int, cut: int | None = None) -> Trace:
    """One wave that nears a level again and again, as high as told each time; ended where it is over 1."""
    rng = np.random.default_rng(seed)
    wave = np.concatenate([p * np.sin(np.linspace(0, np.pi, 60)) for p in peaks])
    seen = wave[: end + 1] + rng.normal(0, 0.003, end + 1)
    other = np.cos(np.arange(end + 1) / 17) + rng.normal(0, 0.003, end + 1)
    flag = np.arange(end + 1) == (end if cut is None else cut)
    return with_flags(trace(0.02, np.column_stack((seen, other))), {Role.TERMINATED: flag})


def test_that_noise_decides_which_approach_to_one_threshold_ends_an_episode() -> None:
    """The peak of the first wave touches the level, once just over it and once just not."""
    first = approaching(30, (1.001, 1.0, 1.0), 1)
    third = approaching(150, (0.999, 0.98, 1.001), 2)
    result = judge(first, third)
    assert result.state is State.INCONCLUSIVE
    assert "one threshold in obs[0] would explain both ends" in result.reason
    assert judge(third, first).state is State.INCONCLUSIVE


def test_that_an_end_at_another_level_is_not_explained_by_one_threshold() -> None:
    sooner = approaching(20, (1.0, 1.0, 1.0), 1)
    assert judge(approaching(150, (1.0, 1.0, 1.0), 2), sooner).state is State.FAIL


def test_that_a_level_passed_before_is_no_threshold() -> None:
    """The wave falls again where the early end comes: nothing goes further later, but it was higher before."""
    falls = approaching(50, (1.0,), 1)
    rests = approaching(179, (1.0, -0.2, -0.2), 2)
    assert judge(rests, falls).state is State.FAIL


def test_that_rows_after_the_other_end_say_nothing_of_a_threshold() -> None:
    """What a log holds behind its end may be a fall, or another episode."""
    row = np.arange(180)
    rise = np.minimum(row, 104) / 120 + 0.02 * np.maximum(row - 135, 0)

    def ended(end: int, rows: int, seed: int, role: Role) -> Trace:
        seen = rise[:rows] + np.random.default_rng(seed).normal(0, 0.003, rows)
        return with_flags(trace(0.02, seen), {role: np.arange(rows) == end})

    target = ended(104, 105, 2, Role.TERMINATED)
    result = judge(ended(130, 180, 1, Role.TRUNCATED), target)
    assert result.state is State.INCONCLUSIVE
    assert "a threshold may lie just beyond" in result.reason
    assert judge(ended(170, 180, 1, Role.TRUNCATED), target).state is State.FAIL


@pytest.mark.parametrize(("low", "state"), [(0.02, State.INCONCLUSIVE), (0.0, State.FAIL)])
def test_that_steps_that_differ_may_have_moved_an_end(low: float, state: State) -> None:
    """A gap inside its tolerance, or with more than one explanation, still lets the motions part."""
    gap = Measurement(
        "one-step gap", "obs[0]", 0.05, (low, 0.09), tolerance=(0.0, 0.1), n=50.0, blocked="rival"
    )
    dynamics = CheckResult("dynamics", State.INCONCLUSIVE, "", (gap,))
    sim, target = flagged(N, N - 1), flagged(141, 140, noise=2)
    shifted = tuple(
        replace(c, value=c.value + 0.04) if c.role is Role.OBSERVATION else c
        for c in target.channels
    )
    case = Case(pair_traces(sim, replace(target, channels=shifted)), Alignment(mode="step"))
    upstream = {"alignment": CheckResult("alignment", State.PASS, ""), "dynamics": dynamics}
    assert CHECK.judge(Workbench(case), upstream).state is state


@pytest.mark.parametrize(
    ("level", "state"),
    [((-0.05, 0.05), State.FAIL), ((-0.4, 0.1), State.INCONCLUSIVE), (None, State.INCONCLUSIVE)],
)
def test_that_ends_may_be_read_apart_by_what_observations_leave_open(
    level: tuple[float, float] | None, state: State
) -> None:
    """Both are ended on their way up, the target 0.25 lower by its own reading: at one height, or at another."""
    rise = np.linspace(-1, 1, 200)

    def ended(end: int, seed: int) -> Trace:
        seen = rise[: end + 1] + np.random.default_rng(seed).normal(0, 0.003, end + 1)
        flag = np.arange(end + 1) == end
        return with_flags(trace(0.02, seen), {Role.TERMINATED: flag})

    found = Measurement("level", "obs", 0.0, level, tolerance=(-0.06, 0.06), n=30.0)
    seen = CheckResult("observation-scaling", State.INCONCLUSIVE, "", (found,))
    case = Case(pair_traces(ended(150, 1), ended(125, 2)), Alignment(mode="step"))
    upstream = {
        "alignment": CheckResult("alignment", State.PASS, ""),
        "observation-scaling": seen,
    }
    assert CHECK.judge(Workbench(case), upstream).state is state


@pytest.mark.parametrize("resets", [False, True])
def test_that_the_row_of_a_reset_is_not_taken_for_where_the_other_episode_ended(
    resets: bool,
) -> None:
    """Both go through the same ramps and the target goes on for 60 rows, to a reset back to its start."""
    sides = []
    for seed, end in ((1, 131), (2, 191)):
        rng = np.random.default_rng(seed)
        rows = np.arange(end + 20)
        value = np.column_stack((0.02 * rows, -0.03 * rows)) + rng.normal(0, 0.002, (rows.size, 2))
        if resets:
            value[end:] = value[: rows.size - end]
        sides.append(with_flags(trace(0.02, value), {Role.TERMINATED: rows >= end}))
    result = judge(*sides)
    assert episode_end(sides[1]).resets is resets
    assert result.state is State.FAIL, result.measurements[0].blocked
