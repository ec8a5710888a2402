"""What a check finds does not rest on the unit a signal is logged in."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_emitted import emitted_maps
from tracescope.model.alignment import Alignment


@pytest.mark.parametrize("unit", [1.0, 1e4, 1e-4])
def test_that_the_rows_an_emitted_action_differs_in_are_the_same_in_any_unit(unit: float):
    sim = 0.4 * wander(300, seed=1)[:, 0]
    target = np.clip(sim, -0.3, 0.3)
    obs = wander(300, seed=9)
    both = case(
        trace(0.02, obs, unit * sim), trace(0.02, obs, unit * target), Alignment(mode="step")
    )
    (found,) = emitted_maps(Workbench(both))
    assert found.map is not None
    assert found.map.kind == "clip"
    assert (found.altered == (np.abs(sim) > 0.3)).mean() > 0.99
    assert found.difference == pytest.approx(np.median(np.abs(target - sim)) / sim.std())
