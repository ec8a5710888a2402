"""What alignment says about a start offset where the contents give no estimate of a lag."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tracescope.analysis.estimate import lag_by_step
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import Channel, Role, Trace


def judged(sim: Trace, target: Trace) -> CheckResult:
    return CHECK.judge(Workbench(Case(pair(sim, target), Alignment("step"))), {})


def parting(n: int, seed: int, leaves: float = 1.0) -> np.ndarray:
    """From one start, and at once in one way; then wherever each run likes, so that no lag correlates."""
    rows = np.arange(n)[:, None]
    gone = leaves * np.array([[0.6, -0.4]]) * np.tanh(rows / 3) * np.exp(-rows / 12)
    own = wander(n, 2, seed=seed, smooth=7.0)
    return gone + (own - own[0]) * np.tanh(rows / 20) + 0.001 * wander(n, 2, seed=seed + 9)


def truncated(motion: np.ndarray, end: int) -> Trace:
    base = trace(0.02, motion)
    flag = Channel("truncated", Role.TRUNCATED, base.time_s, np.arange(len(motion)) == end)
    return Trace(base.source, base.clock, base.time_s, (*base.channels, flag), base.step)


def lags(result: CheckResult) -> list[str]:
    return [m.quantity for m in result.measurements if "lag" in m.quantity or "start" in m.quantity]


def test_that_first_rows_alone_say_that_counters_started_together() -> None:
    """No lag is estimated: equal starts pass, and no lag of a response is told that nobody measured."""
    result = judged(trace(0.02, parting(160, 1)), trace(0.02, parting(160, 5)))
    assert result.state is State.PASS
    assert lags(result) == ["start offset"]
    (start,) = result.measured("start offset")
    assert (start.estimate, start.interval, start.covered) == (0.0, (0.0, 0.0), True)
    assert start.state is State.PASS
    assert "first rows agree" in start.note
    assert "the first rows agree, later the motions part" in result.reason


def test_that_a_common_limit_alone_says_so_too() -> None:
    """Each starts somewhere else, and both are truncated at one count."""
    runs = [parting(160, 1), 0.3 + parting(160, 5, leaves=0.0)]
    result = judged(*(truncated(run, 159) for run in runs))
    assert result.state is State.PASS
    assert lags(result) == ["start offset"]
    assert "time limit" in result.measured("start offset")[0].note
    assert "later the motions part" in result.reason
    assert "first rows" not in result.reason


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_that_without_an_estimate_and_without_equal_starts_nothing_is_told(seed: int) -> None:
    """The measurement says why the contents gave none, and no interval is made of nothing."""
    runs = [wander(160, 2, seed=10 * seed + k, smooth=7.0) for k in (1, 5)]
    result = judged(*(trace(0.02, run) for run in runs))
    assert result.state is State.INCONCLUSIVE
    assert lags(result) == ["remaining lag"]
    (left,) = result.measured("remaining lag")
    assert np.isnan(left.estimate)
    assert (left.interval, left.covered, left.blocked) == (None, False, "")
    assert "the same motion" in left.note or "no channel resolves a lag" in left.note
    assert all(part in result.reason for part in left.note.split(": "))
    assert result.settle


def test_that_an_estimate_without_equal_starts_names_the_doubt_and_all_it_leaves_open() -> None:
    """Whole shifts that cannot be excluded are held open beside the lag's own interval."""
    motion, rng = wander(300, 2, seed=35, smooth=5.0), np.random.default_rng(35)
    sim, target = (
        motion[k : k + 120]
        + 0.1 * wander(120, 2, seed=246 + k, smooth=5.0)
        + 0.01 * rng.standard_normal((120, 2))
        for k in (1, 0)
    )
    both = Case(pair(trace(0.02, sim), trace(0.02, target)), Alignment("step"))
    result = CHECK.judge(Workbench(both), {})
    alone = lag_by_step(both, 0).interval
    assert result.state is State.INCONCLUSIVE
    (left,) = result.measured("remaining lag")
    assert left.interval is not None
    assert left.interval[0] < alone[0] < 1 < alone[1] < left.interval[1]
    assert float(left.interval[0]).is_integer()
    assert float(left.interval[1]).is_integer()
    assert "do not tell a counter that started elsewhere" in left.blocked
    assert left.note == left.blocked


def pushed(seed: int, skipped: int, period: int, *, own: bool = False, n: int = 200) -> Trace:
    """A mass that follows a goal of some period, under pushes that no log holds; both counted from its start."""
    noise = 1e-3 * np.random.default_rng([seed, skipped]).standard_normal((n + skipped, 2))
    rng = np.random.default_rng([seed, 1, skipped] if own else seed)
    push = (50.0 if own else 6.0) * rng.standard_normal((n + skipped) // 10 + 1)
    turn = 2 * np.pi * np.arange(n + skipped) / period
    goal = np.sin(turn) + 0.5 * np.sin(2 * turn + 1)
    state, rows, commands = np.zeros(2), [], []
    for i in range(n + skipped):
        seen = state + noise[i]
        command = 6.0 * (goal[i] - seen[0]) - 1.5 * seen[1]
        rows.append(seen)
        commands.append(command)
        speed = state[1] + 0.02 * (command + push[i // 10] - 0.4 * state[1])
        state = np.array([state[0] + 0.02 * speed, speed])
    return trace(0.02, np.array(rows)[skipped:], np.array(commands)[skipped:])


@pytest.mark.parametrize("seed", range(4))
def test_that_a_goal_that_comes_back_does_not_hide_a_start_a_period_apart(seed: int) -> None:
    """One law gives the commands without shift as well: the goal a period later is the same goal."""
    result = judged(pushed(seed, 0, 16), pushed(seed, 16, 16))
    assert result.state is not State.PASS
    assert not any("one law" in m.note for m in result.measurements)


@pytest.mark.parametrize("seed", range(4))
def test_that_it_hides_none_either_where_the_motions_have_nothing_else_in_common(seed: int) -> None:
    """No lag of the motions is found then, and the period is longer than the lags that the law is asked at."""
    result = judged(pushed(seed, 0, 40, own=True), pushed(seed, 40, 40, own=True))
    assert result.state is not State.PASS
    assert not any("one law" in m.note for m in result.measurements)
