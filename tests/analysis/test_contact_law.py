"""A contact's stiffness is read back from the force and position it made, and from nothing else."""

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tests.bundled import IN_ONE_PROCESS, judged
from tracescope.analysis.contact_law import contacts, touching
from tracescope.analysis.workbench import Workbench
from tracescope.model.check import State

ROWS = 400
DT = 0.02


def pressed(stiffness: float, seed: int, *, side: float = 1.0, damping: float = 0.0):
    """Observations (position, force) of a tip that meets a spring at 0 several times."""
    noise = np.random.default_rng(seed)
    time_s = np.arange(ROWS) * DT
    depth = 0.01 * np.sin(2 * np.pi * 0.6 * time_s) - 0.004
    speed = np.gradient(depth, DT)
    touches = depth > 0
    force = np.where(touches, np.maximum(stiffness * depth + damping * speed, 0), 0.0)
    position = side * depth + noise.normal(0, 2e-5, ROWS)
    return np.column_stack((position, force + noise.normal(0, 0.05, ROWS)))


def bench(sim, target):
    return Workbench(case(trace(DT, sim), trace(DT, target)))


@pytest.mark.parametrize(("one", "two"), [(2000.0, 2000.0), (2000.0, 9000.0), (5000.0, 1200.0)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_that_both_stiffnesses_and_their_ratio_are_covered(one, two, side):
    made = bench(pressed(one, 1, side=side), pressed(two, 2, side=side, damping=3.0))
    (contact,) = contacts(made, 0.999)
    assert (contact.force, contact.position) == ("obs[1]", "obs[0]")
    for found, truth in (
        (contact.sim, one),
        (contact.target, two),
        (contact.ratio, two / one),
    ):
        assert found.interval[0] <= truth <= found.interval[1]
        assert found.interval[1] / found.interval[0] < 1.2


def test_that_wandering_channels_are_no_contact():
    for seed in range(20):
        made = bench(wander(ROWS, 3, seed=seed), wander(ROWS, 3, seed=seed + 100))
        assert contacts(made, 0.99) == ()


def test_that_a_switched_signal_is_no_contact():
    """A command that rests at 0 and jumps to 1 follows no position."""
    rng = np.random.default_rng(3)
    switched = (np.arange(ROWS) % 100 > 60).astype(float) + rng.normal(0, 0.001, ROWS)
    made = np.column_stack((wander(ROWS, 1, seed=4)[:, 0], switched))
    assert contacts(bench(made, made + 0.0001), 0.99) == ()


def test_that_a_force_that_never_rests_touches_nothing():
    assert touching(np.sin(np.arange(200) / 10)) is None
    assert touching(np.full(200, np.nan)) is None


@IN_ONE_PROCESS
def test_that_the_latch_names_both_stiffnesses_without_failing_for_them():
    session = judged("latch")
    dynamics = next(r for r in session.results if r.id == "dynamics")
    (of_sim,) = dynamics.measured("contact stiffness in the sim")
    (of_target,) = dynamics.measured("contact stiffness in the target")
    (ratio,) = dynamics.measured("contact stiffness ratio")
    assert of_sim.interval[0] <= 3000 <= of_sim.interval[1]
    assert of_target.interval[0] <= 18000 <= of_target.interval[1]
    assert of_sim.unit == "N/m"
    assert ratio.interval[0] <= 6 <= ratio.interval[1]
    assert ratio.state is State.INCONCLUSIVE
    assert "not told apart" in ratio.note
    assert dynamics.state is not State.PASS
    (lead,) = [lead for lead in dynamics.leads if lead.kind == "contact stiffness"]
    assert lead.not_told_apart == ("observation-scaling",)
