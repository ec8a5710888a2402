"""One law of commands in both traces tells a lag that no response can hide."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.builders import pair, trace, wander
from tracescope.analysis.command_law import around, command_lag, settled_by_commands
from tracescope.analysis.content import content_lag
from tracescope.analysis.content_found import ContentLag
from tracescope.analysis.estimate import estimate_alignment, lag_by_time
from tracescope.analysis.timebase import Lattice, step_lattice, time_lattice
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import State
from tracescope.model.trace import Trace

GAINS = np.array([2.0, 0.6])


def loop(
    n: int, seed: int, goal: np.ndarray, explored: np.ndarray, delay: int = 0, mass: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """A mass on a spring under a policy that sees it with noise: states (n, 2) and commands (n,)."""
    rng = np.random.default_rng(seed)
    state = np.array([0.05, 0.0]) + 0.01 * rng.standard_normal(2)
    waiting = [0.0] * delay
    states, commands = np.zeros((n, 2)), np.zeros(n)
    for i in range(n):
        seen = state + 0.01 * rng.standard_normal(2)
        command = float(2.5 * goal[i] - GAINS @ seen + explored[i])
        states[i], commands[i] = seen, command
        waiting.append(command)
        force = 6.0 * waiting.pop(0) - 0.8 * state[1] - 4.0 * state[0]
        speed = state[1] + 0.05 * force / mass
        state = np.array([state[0] + 0.05 * speed, speed]) + 0.01 * rng.standard_normal(2)
    return states, commands


def traces(
    n: int, seed: int, skipped: int, *, shared: float = 0.3, goal: float = 0.0, delay: int = 0,
    counter: bool = True,
) -> tuple[Trace, Trace]:  # fmt: skip
    """Two runs of one policy; the target's log begins ``skipped`` rows late and counts from there."""
    rng = np.random.default_rng([seed, 1])
    explored = shared * rng.standard_normal(n + skipped)
    moving = goal * wander(n + skipped, 1, seed=seed, smooth=8.0)[:, 0]
    states, commands = loop(n, 2 * seed, moving, explored)
    later, later_commands = loop(n + skipped, 2 * seed + 1, moving, explored, delay, 1.2)
    return (
        trace(0.05, states, commands, step=counter),
        trace(0.05, later[skipped:], later_commands[skipped:], step=counter),
    )


def lattice(sim: Trace, target: Trace) -> Lattice:
    return step_lattice(Case(pair(sim, target), Alignment("step")), 0)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 500), st.integers(0, 6), st.sampled_from([0, 2, 5]), st.sampled_from([0.0, 0.3])
)
def test_that_the_law_holds_at_the_true_lag_alone(
    seed: int, skipped: int, delay: int, shared: float
) -> None:
    """Whatever the response: by shared exploration, or by a goal that is not logged."""
    goal = 0.0 if shared else 0.5
    both = lattice(*traces(60, seed, skipped, shared=shared, goal=goal, delay=delay))
    found = command_lag(both, around(both, 0.0), 0.99)
    assert found is not None
    assert found.best == -skipped
    assert -skipped in found.kept
    assert found.aside_rows < 0.3
    again = command_lag(both, around(both, 0.0), 0.99)
    assert again == found


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 500), st.floats(0.01, 100.0), st.floats(-20.0, 20.0))
def test_that_units_and_levels_do_not_matter(seed: int, unit: float, level: float) -> None:
    sim, target = traces(60, seed, 2)
    bare = lattice(sim, target)
    moved = lattice(
        trace(0.05, stacked(sim)[:, :2], stacked(sim)[:, 2]),
        trace(0.05, unit * stacked(target)[:, :2] + level, unit * stacked(target)[:, 2] - level),
    )
    lags = around(bare, 0.0)
    one, other = command_lag(bare, lags, 0.99), command_lag(moved, lags, 0.99)
    assert one is not None
    assert other is not None
    assert one.kept == other.kept
    assert one.aside_rows == pytest.approx(other.aside_rows, abs=1e-3)


def stacked(one: Trace) -> np.ndarray:
    return np.column_stack([c.as_float() for c in one.channels])


def test_that_exploration_of_its_own_or_none_tells_nothing() -> None:
    kept = []
    for seed in range(30):
        sim, _ = traces(60, seed, 0)
        _, target = traces(60, seed + 100, 0)
        both = lattice(sim, target)
        found = command_lag(both, around(both, 0.0), 0.99)
        assert found is not None
        kept.append(found.only)
        still = lattice(*traces(60, seed, 0, shared=0.0))
        alike = command_lag(still, around(still, 0.0), 0.99)
        assert alike is not None
        assert alike.only is None
    assert np.mean([only is not None for only in kept]) <= 0.05


@pytest.mark.parametrize("skipped", [16, 21, 40])
@pytest.mark.parametrize("period", [16, 40.4])
def test_that_a_goal_with_a_period_tells_no_lag(period: float, skipped: int) -> None:
    """One law holds a period further on as well, beyond the lags that are tried."""
    only = []
    for seed in range(4):
        rng = np.random.default_rng([seed, 1])
        turn = 2 * np.pi * np.arange(200 + skipped) / period
        goal = 0.3 * np.sin(turn) + 0.15 * np.sin(2 * turn + 1)
        runs = [loop(200 + skipped, 2 * seed + k, goal, 0.0 * goal) for k in (0, 1)]
        sim = trace(0.05, runs[0][0][:200], runs[0][1][:200])
        target = trace(0.05, runs[1][0][skipped:], runs[1][1][skipped:])
        both = lattice(sim, target)
        found = command_lag(both, around(both, float(rng.integers(-3, 4))), 0.99)
        assert found is not None
        only.append(found.only)
    assert only == [None] * 4


def test_that_commands_at_their_bound_do_not_count() -> None:
    sim, target = traces(80, 3, 0)
    held = [np.clip(stacked(side)[:, 2], -0.2, 0.2) for side in (sim, target)]
    both = lattice(
        *(trace(0.05, stacked(s)[:, :2], h) for s, h in zip((sim, target), held, strict=True))
    )
    free = np.all([np.abs(h) < 0.2 for h in held], axis=0).sum()
    found = command_lag(both, (-1, 0, 1), 0.99)
    assert (found is None) == bool(free < 16)
    assert found is None or found.rows == free
    assert found is None or found.best == 0


@pytest.mark.parametrize("reason", ["short", "no command", "many states", "far"])
def test_that_there_is_no_law_without_rows_commands_or_freedom(reason: str) -> None:
    sim, target = traces(18 if reason == "short" else 60, 1, 0)
    if reason == "no command":
        sim, target = trace(0.05, stacked(sim)[:, :2]), trace(0.05, stacked(target)[:, :2])
    if reason == "many states":
        many = wander(60, 30, seed=1)
        sim, target = (trace(0.05, many, stacked(side)[:, 2]) for side in (sim, target))
    both = lattice(sim, target)
    lags = (50,) if reason == "far" else around(both, 0.0)
    assert command_lag(both, lags, 0.99) is None


def test_that_lags_are_tried_around_each_place_once() -> None:
    both = lattice(*traces(60, 1, 0))
    assert around(both, 0.2, float("nan"), reach=2) == (-2, -1, 0, 1, 2)
    assert around(both, 0.0, 3.0, reach=2) == (-2, -1, 0, 1, 2, 3, 4, 5)
    short = lattice(*traces(21, 1, 0))
    assert around(short, 0.0) == tuple(range(-7, 8))


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 300), st.floats(-5.0, 5.0), st.integers(0, 4))
@example(199, 0.0, 4)
def test_that_clock_offsets_are_read_off_the_commands(
    seed: int, offset_s: float, skipped: int
) -> None:
    """Row by row: to a fraction of what the parting motions alone would leave."""
    sim, target = traces(60, seed, skipped, counter=False)
    late = trace(
        0.05,
        stacked(target)[:, :2],
        stacked(target)[:, 2],
        step=False,
        t0=offset_s + 0.05 * skipped,
    )
    estimate = estimate_alignment(pair(sim, late))
    assert estimate.alignment is not None
    if (
        estimate.verdict == "ambiguous"
    ):  # half a trace away few rows are left, and those may agree by chance
        assert estimate.alignment.offset_s == pytest.approx(offset_s, abs=0.05)
        return
    assert estimate.verdict == "clear"
    assert estimate.alignment.offset_s == pytest.approx(offset_s, abs=0.05 * 0.05)
    low, high = estimate.alignment.offset_interval_s or (0.0, 0.0)
    assert low - 1e-9 <= offset_s <= high + 1e-9


def test_that_chance_hardly_ever_leaves_another_lag_open() -> None:
    verdicts = [
        estimate_alignment(pair(*traces(60, seed, seed % 5, counter=False))).verdict
        for seed in range(40)
    ]
    assert verdicts.count("clear") >= 39


def test_that_a_drift_that_the_law_does_not_deny_is_kept() -> None:
    rng = np.random.default_rng(5)
    moving = wander(700, 3, seed=5, smooth=6.0)
    drifted = np.column_stack(
        [np.interp(np.arange(600) * 1.005, np.arange(700), column) for column in moving.T]
    ) + 0.002 * rng.standard_normal((600, 3))
    sim = trace(0.02, moving[:600, :2], moving[:600, 2], step=False)
    found = lag_by_time(
        Case(pair(sim, trace(0.02, drifted[:, :2], drifted[:, 2], step=False)), Alignment())
    )
    assert found.drifts
    assert found.affine is not None
    assert found.affine.over_trace == pytest.approx(-3.0, abs=0.1)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 300))
def test_that_what_contents_settle_is_left_alone(seed: int) -> None:
    sim, target = traces(60, seed, 0, counter=False)
    base = time_lattice(Case(pair(sim, target), Alignment()), Alignment())
    tight = ContentLag("clear", "", base, lag=0.1, interval=(0.07, 0.13))
    assert settled_by_commands(tight, 0.99) is tight
    same = ContentLag("clear", "", base, lag=0.1, interval=(-0.9, 1.1), identical=("obs[0]",))
    assert settled_by_commands(same, 0.99) is same
    wide = ContentLag("clear", "", base, lag=0.1, interval=(-0.9, 1.1))
    assert settled_by_commands(wide, 0.99).lag == 0
    open_ = ContentLag("ambiguous", "", base, lag=9.1, interval=(8.0, 10.0), rivals=((3.0, 0.9),))
    settled = settled_by_commands(open_, 0.99)
    assert (settled.verdict, settled.rivals, settled.lag) == ("clear", (), 0)
    assert "one law" in settled.because
    assert content_lag(base).lattice.names == base.names


@pytest.mark.parametrize("delay", [0, 3])
def test_that_one_law_says_that_counters_started_together(delay: int) -> None:
    for seed in range(4):
        both = pair(*traces(60, seed, 0, delay=delay))
        result = CHECK.judge(Workbench(Case(both, Alignment("step"))), {})
        assert result.state is State.PASS


@pytest.mark.parametrize("skipped", [2, 3, 5])
def test_that_a_late_answer_does_not_hide_a_start_elsewhere(skipped: int) -> None:
    """The machine stands still for as many rows as the log left out: its first rows agree all the same."""
    for seed in range(4):
        both = pair(*traces(60, seed, skipped, delay=skipped))
        result = CHECK.judge(Workbench(Case(both, Alignment("step"))), {})
        assert result.state is not State.PASS
