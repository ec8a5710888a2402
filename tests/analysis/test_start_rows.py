"""What near first rows and common time limits say about where counters start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chndtr

from tests.builders import pair, trace, wander
from tracescope.analysis.start_rows import (
    SPREADS,
    chance_of_coincidence,
    limits_apart,
    points_elsewhere,
    within,
)
from tracescope.analysis.timebase import Lattice, step_lattice
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import State
from tracescope.model.trace import Channel, Role, Trace


def lattice(sim: np.ndarray, target: np.ndarray) -> Lattice:
    return step_lattice(Case(pair(trace(0.02, sim), trace(0.02, target)), Alignment("step")), 0)


def launch(n: int, reset: np.ndarray, seed: int) -> np.ndarray:
    """Leave the start at once and wander on."""
    rows = np.arange(n)[:, None]
    gone = np.array([[2.0, -1.5]]) * np.tanh(rows / 6)
    swing = 0.3 * wander(n, 2, seed=9, smooth=8.0) * np.tanh(rows / 40)
    return gone + swing + reset + 0.002 * np.random.default_rng(seed).standard_normal((n, 2))


def flagged(motion: np.ndarray, end: int | None, kind: str = "truncated", first: int = 0) -> Trace:
    base = trace(0.02, motion, step=np.arange(first, first + len(motion)))
    on = np.zeros(len(motion), dtype=np.bool_)
    if end is not None:
        on[end] = True
    flag = Channel(kind, Role(kind), base.time_s, on)
    return Trace(base.source, base.clock, base.time_s, (*base.channels, flag), base.step)


def test_that_near_first_rows_are_no_coincidence_where_the_motion_leaves_at_once() -> None:
    near = lattice(launch(120, np.zeros(2), 1), launch(120, np.array([0.01, -0.01]), 2))
    far = lattice(launch(120, np.zeros(2), 1), launch(120, np.array([0.2, 0.2]), 2))
    assert chance_of_coincidence(near) < 0.01
    assert chance_of_coincidence(near) < chance_of_coincidence(far)


@pytest.mark.parametrize("skipped", [1, 2, 5, 12])
@pytest.mark.parametrize("side", ["sim", "target"])
def test_that_a_start_elsewhere_may_be_one(skipped: int, side: str) -> None:
    sim, target = launch(120, np.zeros(2), 1), launch(120, np.array([0.01, -0.01]), 2)
    both = (sim[skipped:], target) if side == "sim" else (sim, target[skipped:])
    assert chance_of_coincidence(lattice(*both)) > 0.1


def test_that_standing_still_or_a_common_reference_says_nothing() -> None:
    still = np.vstack((np.zeros((30, 2)), wander(90, 2, seed=3) - wander(90, 2, seed=3)[0]))
    assert chance_of_coincidence(lattice(still, still + 1e-3)) == 1.0
    goal = wander(120, 2, seed=5)
    assert chance_of_coincidence(lattice(goal, goal)) == 1.0


@settings(max_examples=30, deadline=None)
@given(st.floats(0.05, 0.8), st.integers(1, 6), st.floats(0.01, 1.0))
def test_that_no_spread_of_resets_makes_a_coincidence_much_likelier_than_said(
    away: float, states: int, spread: float
) -> None:
    """At the radius that is called no coincidence (1 %), counted on the spread that suits one best."""
    radii = np.geomspace(1e-4 * away, away, 200)
    said = np.array([within(float(r), away, states) for r in radii])
    radius = float(radii[said <= 0.01].max())
    assert chndtr((radius / spread) ** 2, states, (away / spread) ** 2) <= 0.055
    near = away / (5 * np.sqrt(states))  # all numbers together a fifth of the motion
    assert chndtr((radius / near) ** 2, states, (away / near) ** 2) <= 0.01


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.03, 1.0), st.floats(0.05, 1.0), st.integers(1, 6))
def test_that_chances_are_those_of_draws_of_any_spread(
    seed: int, away: float, share: float, states: int
) -> None:
    rng = np.random.default_rng(seed)
    moved = rng.standard_normal(states)
    moved *= away / np.sqrt((moved**2).sum())
    spread = np.exp(rng.uniform(*np.log(SPREADS), (8000, 1)))
    apart = np.sqrt(((moved + spread * rng.standard_normal((8000, states))) ** 2).sum(axis=1))
    chance = within(share * away, away, states)
    assert np.mean(apart <= share * away) == pytest.approx(chance, abs=0.03)
    assert within(0.9 * share * away, away, states) <= chance
    assert within(share * away, 1.1 * away, states) <= chance


def test_that_explored_commands_say_nothing_about_the_state() -> None:
    sim, target = launch(120, np.zeros(2), 1), launch(120, np.array([0.01, -0.01]), 2)
    explored = np.random.default_rng(3).standard_normal((2, 120))
    answered = [np.tanh(value[:, 0] - value[:, 1]) for value in (sim, target)]
    bare = chance_of_coincidence(lattice(sim, target))

    def with_commands(a: np.ndarray, b: np.ndarray) -> float:
        both = pair(trace(0.02, sim, a), trace(0.02, target, b))
        return chance_of_coincidence(step_lattice(Case(both, Alignment("step")), 0))

    assert with_commands(*explored) == bare
    assert with_commands(*answered) != bare


@pytest.mark.parametrize("unit", [1e-3, 57.3, 1000.0])
def test_that_another_unit_does_not_hide_equal_starts(unit: float) -> None:
    sim, target = launch(120, np.zeros(2), 1), launch(120, np.array([0.01, -0.01]), 2)
    bare = chance_of_coincidence(lattice(sim, target))
    assert bare < 0.01
    assert chance_of_coincidence(lattice(sim, target * [1.0, unit])) == pytest.approx(bare, rel=0.3)


def test_that_actions_at_their_bound_say_nothing() -> None:
    """Both saturated from the start: equal, whatever the counters."""
    rng = np.random.default_rng(0)
    sim, target = launch(120, np.zeros(2), 1), launch(120, np.array([0.2, 0.2]), 2)
    full = np.where(np.arange(120) < 40, 1.0, rng.standard_normal(120))
    bare = chance_of_coincidence(lattice(sim, target))
    both = pair(trace(0.02, sim, full), trace(0.02, target, full + 1e-6 * (np.arange(120) > 50)))
    assert chance_of_coincidence(step_lattice(Case(both, Alignment("step")), 0)) == bare


def test_that_first_rows_that_agree_with_a_shift_point_there() -> None:
    sim, target = launch(120, np.zeros(2), 1), launch(120, np.zeros(2), 2)
    assert points_elsewhere(lattice(sim, target)) == 0
    assert points_elsewhere(lattice(sim, target[4:])) == -4
    assert points_elsewhere(lattice(sim[4:], target)) == 4


def test_that_limits_are_compared_by_count_and_only_where_both_truncate() -> None:
    motion = launch(60, np.zeros(2), 1)

    def apart(sim: Trace, target: Trace, shift: int = 0) -> int | None:
        return limits_apart(Case(pair(sim, target), Alignment("step", step_shift=shift)))

    assert apart(flagged(motion, 59), flagged(motion, 59)) == 0
    assert apart(flagged(motion, 59), flagged(motion, 54)) == -5
    assert apart(flagged(motion, 59), flagged(motion, 59, first=7)) == 7
    assert apart(flagged(motion, 59), flagged(motion, 59, first=7), shift=7) == 0
    assert apart(flagged(motion, 59), flagged(motion, None)) is None
    assert apart(flagged(motion, 59), flagged(motion, 59, "terminated")) is None
    assert apart(flagged(motion, 59, "done"), flagged(motion, 59, "done")) == 0
    assert apart(flagged(motion, 59, "done"), flagged(motion, 49, "done")) is None
    assert apart(flagged(motion, 52, "done"), flagged(motion, 52, "done")) is None


def hidden_motion(n: int, seed: int) -> np.ndarray:
    """Motion that each run has for itself, from a start that scatters: contents tell no lag."""
    own = wander(n, 2, seed=seed, smooth=6.0)
    reset = 0.2 * np.random.default_rng(seed).standard_normal(2)
    return own - own[0] + reset + 0.3 * wander(n, 2, seed=77, smooth=6.0)


def state_of(sim: Trace, target: Trace) -> State:
    return CHECK.judge(Workbench(Case(pair(sim, target), Alignment("step"))), {}).state


def test_that_a_common_limit_says_that_counters_started_together() -> None:
    sim, target = hidden_motion(120, 1), hidden_motion(120, 2)
    assert state_of(flagged(sim, None), flagged(target, None)) is State.INCONCLUSIVE
    assert state_of(flagged(sim, 119), flagged(target, 119)) is State.PASS
    assert state_of(flagged(sim, 119, "terminated"), flagged(target, 119, "terminated")) is (
        State.INCONCLUSIVE
    )


@pytest.mark.parametrize("skipped", [2, 5, 11])
def test_that_a_limit_set_by_the_recorder_does_not_hide_a_start_elsewhere(skipped: int) -> None:
    sim, target = launch(160, np.zeros(2), 1), launch(160 + skipped, np.zeros(2), 2)[skipped:]
    assert state_of(flagged(sim, 159), flagged(target, 159)) is not State.PASS


@pytest.mark.parametrize("skipped", [2, 5])
def test_that_limits_as_far_apart_as_the_first_rows_show_a_start_elsewhere(skipped: int) -> None:
    rng = np.random.default_rng(skipped)
    sim = launch(60, np.zeros(2), 1)
    target = launch(60, np.zeros(2), 2) + 0.3 * wander(60, 2, seed=skipped) * np.tanh(
        np.arange(60)[:, None] / 30
    )
    target += 0.01 * rng.standard_normal(target.shape)
    cut = target[skipped:]
    both = pair(flagged(sim, 59), flagged(cut, len(cut) - 1))
    result = CHECK.judge(Workbench(Case(both, Alignment("step"))), {})
    assert result.state is State.FAIL
    (start,) = result.measured("start offset")
    assert start.estimate == pytest.approx(-skipped, abs=0.5)


@pytest.mark.parametrize("skipped", [2, 4])
def test_that_standing_still_does_not_hide_a_start_elsewhere_where_limits_tell(
    skipped: int,
) -> None:
    """A machine that answers late stands still at first: its first rows agree from any of them."""
    rng = np.random.default_rng(skipped)
    sim = launch(40, np.zeros(2), 1)
    late = np.vstack((np.zeros((skipped, 2)), launch(40, np.zeros(2), 2)))[:40]
    late += 0.1 * wander(40, 2, seed=skipped) * np.tanh(np.arange(40)[:, None] / 10)
    late += 0.002 * rng.standard_normal(late.shape)
    cut = late[skipped:]
    both = pair(flagged(sim, 39), flagged(cut, len(cut) - 1))
    assert chance_of_coincidence(step_lattice(Case(both, Alignment("step")), 0)) < 0.01
    assert limits_apart(Case(both, Alignment("step"))) == -skipped
    bare = pair(flagged(sim, None), flagged(cut, None))
    judged = [CHECK.judge(Workbench(Case(p, Alignment("step"))), {}) for p in (both, bare)]
    assert judged[0].state is not State.PASS


@pytest.mark.parametrize(
    ("earlier", "state"), [(2, State.INCONCLUSIVE), (5, State.INCONCLUSIVE), (12, State.PASS)]
)
def test_that_an_end_far_earlier_is_no_start_elsewhere(earlier: int, state: State) -> None:
    """No machine stands still for so long: near first rows of a motion that leaves at once still tell."""
    sim, target = launch(60, np.zeros(2), 1), launch(60, np.array([0.01, -0.01]), 2)
    parts = 0.5 * wander(60, 2, seed=2) * np.tanh(np.arange(60)[:, None] / 25)
    target += parts + 0.002 * np.random.default_rng(2).standard_normal((60, 2))
    assert chance_of_coincidence(lattice(sim, target)) < 0.01
    cut = target[: 60 - earlier]
    assert state_of(flagged(sim, 59), flagged(cut, 59 - earlier)) is state
