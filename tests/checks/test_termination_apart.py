"""Ends that lie apart: what noise, thresholds, open lags and resets may have made of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import trace
from tests.checks.termination_judged import N, flagged, judge, with_flags
from tracescope.analysis.ends import episode_end
from tracescope.analysis.workbench import Workbench
from tracescope.checks.termination import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Role, Trace


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
