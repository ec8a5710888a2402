"""Known truths of what lies far along: rows lost without a count, long series, counters with holes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.ends import episode_end
from tracescope.analysis.ends_motion import motion_at
from tracescope.analysis.intervals import SERIES_BLOCKS, mean_intervals
from tracescope.analysis.response_rows import response_rows
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_rivals import reward_rivals
from tracescope.analysis.reward_model_rows import reward_sides
from tracescope.analysis.slip_content import slip_contents
from tracescope.analysis.start_rows import points_elsewhere
from tracescope.analysis.timebase import step_lattice
from tracescope.model.alignment import Alignment
from tracescope.model.trace import Role

STEPS = Alignment(mode="step")


@pytest.mark.parametrize("lost", [3, 0])
def test_that_rows_lost_without_a_count_are_told_from_a_clock_that_jumps(lost: int):
    motion, counted = wander(900, 2, seed=3), np.arange(600)
    place = counted + lost * (counted >= 300)
    sim = trace(0.02, motion[:600])
    target = trace(time_s=0.02 * (counted + 3 * (counted >= 300)), obs=motion[place], step=counted)
    (found,) = slip_contents(case(sim, target, STEPS))
    assert found.at_s == pytest.approx(0.02 * 303)
    assert found.periods == 3
    assert found.hidden_rows == pytest.approx(lost, abs=0.05)
    assert found.interval is not None
    assert found.interval[0] - 0.01 <= lost <= found.interval[1] + 0.01


@pytest.mark.parametrize(("memory", "share"), [(1, 1.0), (8, 1 / 8)])
def test_that_a_very_long_series_counts_for_as_many_samples_as_it_has_memory(
    memory: int, share: float
):
    n = 40 * SERIES_BLOCKS
    noise = np.random.default_rng(2).standard_normal((2, n + memory - 1))
    series = np.stack([np.convolve(row, np.ones(memory), "valid") for row in noise])
    mean, half, n_eff = mean_intervals(series, 0.99)
    assert mean == pytest.approx(series.mean(axis=1))
    assert n_eff == pytest.approx(share * n, rel=0.2)
    assert (n_eff <= n).all()
    assert half == pytest.approx(2.576 * memory / np.sqrt(n), rel=0.15)


def test_that_a_hole_in_a_counter_ends_a_run():
    step = np.arange(400) + 2 * (np.arange(400) >= 150)
    sides = [
        trace(0.02, wander(400, seed=seed), wander(400, seed=seed + 5), step=step)
        for seed in (1, 2)
    ]
    for side in response_rows(case(*sides, STEPS), Role.ACTION):
        assert side.run.tolist() == [0] * 150 + [1] * 250


@pytest.mark.parametrize("units", [(1.0, 1.0, 1.0), (1e-6, 1.0, 1e6), (1e-6, 1e-6, 1e-6)])
@pytest.mark.parametrize("late", [0, 5])
def test_that_first_rows_point_to_the_lag_they_have_in_any_unit(
    units: tuple[float, ...], late: int
):
    value = np.array(units) * wander(305, 3, seed=7, smooth=2.0)
    both = case(trace(0.02, value[:300]), trace(0.02, value[late : 300 + late]), STEPS)
    assert points_elsewhere(step_lattice(both, 0)) == -late


def test_that_the_motion_at_an_end_is_compared_at_that_sides_row():
    value = wander(260, 2, seed=4)
    another = np.concatenate((value[:155], value[155:200] + 1.0))
    sim = trace(0.02, another, done=np.arange(200) == 150)
    target = trace(0.02, value[20:260], t0=0.4, done=np.zeros(240))
    found = motion_at(case(sim, target), "sim", episode_end(sim))
    assert found.gap_sd == pytest.approx(0.0, abs=1e-6)
    assert found.shift_low <= 0 <= found.shift_high


@pytest.mark.parametrize(
    ("scale", "offset", "kind", "tolerated"),
    [(0.97, 0.0, "scale", True), (0.6, 0.0, "scale", False), (1.0, 0.5, "offset", False)],
)
def test_that_a_misread_input_is_a_rival_of_the_reward_by_its_kind(
    scale: float, offset: float, kind: str, tolerated: bool
):
    sides = []
    for seed, (factor, level) in enumerate(((1.0, 0.0), (scale, offset))):
        state, action = wander(400, 2, seed=seed), wander(400, seed=seed + 7)[:, 0]
        reward = 1 - (state[:, 0] - 0.4) ** 2 - 0.5 * state[:, 1] - 0.3 * action**2
        state[:, 0] = factor * state[:, 0] + level
        sides.append(trace(0.02, state, action, reward=reward))
    gathered = reward_sides(case(*sides))
    model = fit_reward(gathered.sim)
    assert model is not None
    rivals = {(one.channel, one.kind): one for one in reward_rivals(model, gathered)}
    found = rivals["obs[0]", kind]
    if kind == "scale":
        assert found.value == pytest.approx(scale, rel=0.04)
    else:
        assert found.value == pytest.approx(offset, rel=0.3)
    assert found.tolerated == tolerated
