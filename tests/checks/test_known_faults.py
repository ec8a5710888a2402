"""Faults that people met with other tools, as they were met there.

| fault | test |
|---|---|
| logged action outside its limits: before or after scale and clip? | ``…an_action_of_unknown_stage_…`` |
| joint order, sign, offset differ between simulator and interface | ``…joint_order_sign_and_offset_…`` |
| joint position over action shows a gap in one trace only | ``…each_joint_is_fitted_to_its_command_…`` |
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action import CHECK as ACTION
from tracescope.checks.observation_scaling import CHECK as OBSERVATION
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State

STEPS = Alignment(mode="step")
ROWS = 300


def judged(check, sim, target) -> CheckResult:
    return check.judge(Workbench(case(sim, target, STEPS)), {})


def test_that_an_action_of_unknown_stage_is_shown_and_asked_for() -> None:
    action = np.clip(0.5 * wander(ROWS, 1, 3), -1, 1)
    logged = action.copy()
    logged[[20, 90, 200], 0] = 1.5, -2.0, 1.79
    obs = wander(ROWS, 2, 4)
    result = judged(ACTION, trace(0.02, obs, action), trace(0.02, obs, logged))
    assert result.state is State.INCONCLUSIVE
    assert "not logged" in result.reason
    assert "before or after scale and clip" in result.settle
    beyond = {m.quantity: m for m in result.measurements if m.quantity.startswith("share beyond")}
    upper = beyond["share beyond the simulator's upper extreme"]
    lower = beyond["share beyond the simulator's lower extreme"]
    assert upper.estimate == pytest.approx(2 / ROWS)
    assert "1.79" in upper.note
    assert lower.estimate == pytest.approx(1 / ROWS)
    assert "-2" in lower.note
    assert not upper.judged


@pytest.mark.parametrize("order", [p for p in permutations(range(3)) if p != (0, 1, 2)])
def test_that_joint_order_sign_and_offset_are_inferred_with_a_score(order: tuple[int, ...]) -> None:
    sim = wander(ROWS, 3, 7)
    action = np.random.default_rng(8).standard_normal((ROWS, 2))
    sign, offset = np.array([1.0, -1.0, 1.0]), np.array([0.0, 0.0, 0.5])
    noise = 0.01 * np.random.default_rng(9).standard_normal(sim.shape)
    real = (sign * sim + offset + noise)[:, list(order)]
    result = judged(OBSERVATION, trace(0.02, sim, action), trace(0.02, real, action))
    assert result.state is State.FAIL
    table = {lead.channels[0]: lead for lead in result.leads if lead.kind == "swap"}
    moved = {f"obs[{k}]": source for k, source in enumerate(order) if source != k}
    assert set(table) == set(moved)
    for name, source in moved.items():
        assert f"in the place of obs[{source}]" in table[name].text
        assert table[name].value == pytest.approx(sign[source], abs=0.02)
        assert "r 1.000" in table[name].text or "r -1.000" in table[name].text
    assert {c.channel: c.source for c in result.pending if c.source} == {
        f"obs[{k}]": f"obs[{order.index(k)}]" for k in range(3) if order[k] != k
    }


def test_that_each_joint_is_fitted_to_its_command_in_each_trace() -> None:
    action = 0.4 * wander(ROWS, 2, 11)

    def followed(gain: float, lag: int, seed: int) -> np.ndarray:
        late = np.concatenate((np.repeat(action[:1], lag, axis=0), action[: ROWS - lag]))
        noise = 1e-3 * np.random.default_rng(seed).standard_normal(late.shape)
        return late * np.array([gain, 1.0]) + noise

    sim = trace(0.02, followed(0.9, 2, 1), action)
    target = trace(0.02, followed(1.0, 2, 2), action)
    result = judged(ACTION, sim, target)
    first, second = (result.measured("following gain", f"action[{k}]")[0] for k in (0, 1))
    assert first.estimate == pytest.approx(1 / 0.9, abs=0.01)
    assert "× 0.9" in first.note
    assert "after 2 rows" in first.note
    assert first.note.endswith("gain differ")
    assert second.note.endswith("the same")
    assert not first.judged
