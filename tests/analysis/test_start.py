"""What the first rows say under counter pairing: an equal start, a start elsewhere, or nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tracescope.analysis.estimate import lag_by_step
from tracescope.analysis.start import nearest_unshifted, start_verdict
from tracescope.analysis.timebase import Lattice, step_lattice
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import State

NEAR = (-0.7, 0.6)


def run(n: int, reset: float, seed: int) -> np.ndarray:
    """A launch from near 0 that turns into wandering, its reset a little off."""
    rows = np.arange(n)[:, None]
    launch = np.array([[1.0, -0.8]]) * np.tanh(rows / 12)
    swing = 0.4 * wander(n, 2, seed=9, smooth=8.0) * np.tanh(rows / 40)
    noise = 0.004 * np.random.default_rng(seed).standard_normal((n, 2))
    return launch + swing + reset * np.exp(-rows / 10) + noise


def lattice(sim: np.ndarray, target: np.ndarray) -> Lattice:
    return step_lattice(Case(pair(trace(0.02, sim), trace(0.02, target)), Alignment("step")), 0)


def test_that_resets_a_little_apart_still_start_together() -> None:
    rows = lattice(run(200, 0.0, 1), run(200, 0.03, 2))
    assert start_verdict(rows, 0.3) == "undecided"
    assert nearest_unshifted(rows, NEAR)


def behind(n: int, late: int, reset: float, seed: int) -> np.ndarray:
    """A swing that runs ``late`` rows behind and begins ``reset`` beside where it should; noise of its own."""
    rows = np.arange(n) - late
    swing = np.column_stack((0.05 * (np.cos(rows / 9) - 1), -0.45 * np.sin(rows / 9)))
    noise = np.random.default_rng(seed).standard_normal((n, 2)) * (0.001, 0.004)
    return (1 - 0.06 * late) * swing + (reset, 0.0) + noise


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("reset", [0.012, -0.012, 0.02])
def test_that_resets_that_no_row_explains_and_a_response_a_row_later_are_no_start_elsewhere(
    seed: int, reset: float
) -> None:
    rows = lattice(behind(36, 0, 0.0, seed), behind(36, 1, reset, seed + 100))
    assert start_verdict(rows, 1.07) == "undecided"


@pytest.mark.parametrize("skipped", [1, -1])
def test_that_a_counter_one_row_late_is_seen_where_the_first_rows_say_so(skipped: int) -> None:
    whole = run(200, 0.0, 1)
    own = 0.002 * np.random.default_rng(8).standard_normal(whole.shape)
    late = (whole + own)[1:]
    sim, target = (whole, late) if skipped > 0 else (late, whole)
    assert start_verdict(lattice(sim, target), -float(skipped)) == "start"


@pytest.mark.parametrize("skipped", [1, 2, 5, 12])
@pytest.mark.parametrize("side", ["sim", "target"])
def test_that_a_start_elsewhere_is_not_nearest_unshifted(skipped: int, side: str) -> None:
    sim, target = run(200, 0.0, 1), run(200, 0.01, 2)
    if side == "sim":
        sim = sim[skipped:]
    else:
        target = target[skipped:]
    assert not nearest_unshifted(lattice(sim, target), NEAR)


@pytest.mark.parametrize(
    "interval", [(-np.inf, np.inf), (-4.0, 4.0), (0.8, 1.2), (-1.2, -0.9)], ids=str
)
def test_that_contents_that_know_nothing_or_a_whole_shift_are_not_overruled(
    interval: tuple[float, float],
) -> None:
    assert not nearest_unshifted(lattice(run(200, 0.0, 1), run(200, 0.03, 2)), interval)


def test_that_a_shifted_reference_decides_though_all_else_hides_the_shift() -> None:
    n, skipped = 240, 5
    goal = np.round(wander(n, smooth=10.0)[:, 0], 2)
    sim = np.column_stack((wander(n, seed=1)[:, 0], goal))
    target = np.column_stack((np.roll(sim[:, 0], skipped) * 1.3, goal))[skipped:]
    both = pair(trace(0.02, sim), trace(0.02, target))
    found = lag_by_step(Case(both, Alignment("step")), 0)
    assert found.identical == ("obs[1]",)
    assert found.lag == -skipped
    result = CHECK.judge(Workbench(Case(both, Alignment("step"))), {})
    assert result.state is State.FAIL
    assert result.measured("start offset")[0].estimate == -skipped
