"""The region a simulator has seen ends where it is said to, and a period needs three intervals."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import trace, wander
from tracescope.analysis.supported import LEVERAGE_SLACK, directions
from tracescope.analysis.timebase_rows import mean_period


def test_that_rows_inside_half_as_much_again_as_the_simulators_reach_are_supported():
    rng = np.random.default_rng(1)
    sim, way = rng.standard_normal((2000, 3)), np.array([3.0, -1.0, 0.5])
    found = directions(sim.T @ sim / 2000, np.eye(3))
    seen, toward = sim @ found.basis, way @ found.basis
    reach = np.sqrt(np.quantile(found.leverage(seen), 0.99) / found.leverage(toward[None])[0])
    shares = np.array([0.0, 0.9, 0.98, 1.02, 1.3, 5.0])
    rows = np.sqrt(shares * LEVERAGE_SLACK)[:, None] * reach * toward
    assert found.inside(seen, rows).tolist() == [True, True, True, False, False, False]
    assert not found.inside(seen[:0], rows).any()


@pytest.mark.parametrize(("rows", "known"), [(3, False), (4, True), (40, True)])
def test_that_three_intervals_give_a_period(rows: int, known: bool):
    found = mean_period(trace(0.02, wander(40)[:rows]), 0.99)
    assert np.isfinite(found.estimate) == known
    if known:
        assert found.estimate == pytest.approx(0.02)
    assert found.n_eff <= rows
