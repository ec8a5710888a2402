"""Delays of responses spread over rows, under another contact: the interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import pair, trace
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.response import ResponseLatency, response_latency
from tracescope.analysis.workbench import Workbench
from tracescope.model.case import Case
from tracescope.model.trace import Trace

ROW_S = 0.02


def approach(
    seed: int, delay: int, stiffness: float = 3000.0, lag_s: float = 0.03, n: int = 600
) -> Trace:
    """A gripper with a slow drive that meets a plate again and again; its speed is not logged."""
    rng = np.random.default_rng(seed)
    asked = np.zeros(n + delay)
    rows = np.zeros((n, 3))
    place, speed, force = 0.06, 0.0, 0.0
    for i in range(n):
        down = i % 200 < 130
        seen, felt = place + rng.normal(0, 6e-5), force + rng.normal(0, 0.25)
        command = (-0.03 + 0.0016 * felt) if down else min(0.05, 4 * (0.06 - seen))
        asked[i + delay] = np.clip(command + rng.normal(0, 0.004), -0.06, 0.08)
        rows[i] = seen, felt, asked[i + delay]
        for _ in range(8):
            speed += (asked[i] - speed) * ROW_S / 8 / lag_s
            place += speed * ROW_S / 8
        force = max(stiffness * (0.02 - place) - 40 * speed, 0.0) if place < 0.02 else 0.0
    return trace(ROW_S, rows[:, :2], rows[:, 2])


def latency(sim: Trace, target: Trace) -> ResponseLatency:
    both = pair(sim, target)
    return response_latency(Workbench(Case(both, initial_alignment(both)[0])))


@pytest.mark.parametrize("stiffness", [3000.0, 9000.0, 18000.0])
@pytest.mark.parametrize("delay", [0, 1, 2, 3, 4])
def test_that_a_delay_under_a_stiffer_plate_lies_in_its_interval(
    delay: int, stiffness: float
) -> None:
    for seed in range(3):
        found = latency(approach(seed, 0), approach(seed + 50, delay, stiffness)).difference
        assert found is not None
        low, high = found.interval
        assert low <= delay <= high
        if delay >= 3:
            assert low > 0.5


def test_that_the_whole_shape_is_taken_where_single_steps_miss_it() -> None:
    found = latency(approach(1, 0), approach(51, 3, 18000.0))
    (path,) = found.paths
    assert path.by_shape is not None
    assert path.by_shape == pytest.approx(3.0, abs=0.3)
    # Each side's own centroid is then uncertain by as much as the two readings lie apart.
    assert path.target_se > 0.1
