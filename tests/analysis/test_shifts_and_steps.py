"""Known truths of places: where stretches lie, where a clock ends, which jump and which delay is whose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.blocks import blocks_of
from tracescope.analysis.bridging import Clocks
from tracescope.analysis.ends import episode_end
from tracescope.analysis.ends_motion import motion_at
from tracescope.analysis.impulse import impulses
from tracescope.analysis.probe_step import steps
from tracescope.analysis.response_rows import ResponseRows
from tracescope.model.alignment import Alignment


@pytest.mark.parametrize("late", [-3000, 0, 3000])
def test_that_stretches_reach_from_the_first_to_the_last_common_row(late: int):
    n_sim, n_target = 60_000, 60_000
    found = blocks_of(n_sim, n_target, -late)
    assert found is not None
    assert found.centre == late
    rows = found.target[found.target >= 0]
    assert rows.min() == max(0, late)
    assert rows.max() == min(n_target, n_sim + late) - 1
    both = (found.target >= 0) & (found.sim >= 0)
    assert (found.target[both] - found.sim[both] == late).all()


@pytest.mark.parametrize("period_s", [1e-3, 0.1, 60.0])
def test_that_a_clock_ends_within_a_thousandth_of_its_period(period_s: float):
    time_s = period_s * np.arange(50)
    at_s = time_s[-1] + period_s * np.array([-0.5, 5e-4, 2e-3, 0.5])
    read = Clocks(Alignment()).bridged(time_s, time_s, at_s, mapped=False)
    assert read[:2] == pytest.approx([time_s[-1] - 0.5 * period_s, time_s[-1]])
    assert np.isnan(read[2:]).all()


@pytest.mark.parametrize("side", ["sim", "target"])
def test_that_a_channel_on_stamps_of_its_own_does_not_speak_of_the_ends_motion(side: str):
    value = wander(200, 2, seed=4)
    both = [trace(0.02, value, done=np.arange(200) == 150) for _ in range(2)]
    sparse = tuple(
        replace(c, time_s=c.time_s[::2], value=c.value[::2]) if c.name == "obs[1]" else c
        for c in both[0].channels
    )
    odd = replace(both[0], channels=sparse)
    pair = (odd, both[1]) if side == "sim" else (both[0], odd)
    alone = [
        replace(one, channels=tuple(c for c in one.channels if c.name != "obs[1]")) for one in both
    ]
    found = motion_at(case(*pair), "target", episode_end(both[1]))
    assert repr(found) == repr(motion_at(case(*alone), "target", episode_end(both[1])))
    assert found.rows > 0


def test_that_a_jump_is_as_high_as_from_the_sample_before_it():
    command = np.concatenate((np.zeros(20), [1.0], np.full(40, 3.0), np.full(40, 1.5)))
    found = steps(0.1 * np.arange(command.size), command)
    assert [step.height for step in found] == [2.0, -1.5]
    assert [step.at_s for step in found] == pytest.approx([2.1, 6.1])
    assert found[0].since_s == pytest.approx(2.0)
    assert found[0].until_s == pytest.approx(6.0)


@pytest.mark.parametrize("alone", [True, False])
def test_that_each_of_two_actions_has_its_own_delay(alone: bool):
    rng, n = np.random.default_rng(5), 800
    action, state = rng.standard_normal((2, n)), rng.standard_normal((1, n))
    output = 0.5 * state + np.roll(action[0], 1) - 2 * np.roll(action[1], 4)
    side = ResponseRows(
        ("a", "b"), ("x",), ("x",), action, state, output + 0.01 * state**2, np.zeros(n, int)
    )
    found = impulses(side, 8, alone=alone)
    assert found.delay[:, 0] == pytest.approx([1, 4], abs=0.2)
    assert found.resolved.all()
