"""What the observation check gathers before it decides: known rows, lines, loops and ratios."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.kinematics import Constant, Relation
from tracescope.analysis.workbench import Workbench
from tracescope.checks.observation_scaling_facts import Facts, gather
from tracescope.checks.observation_scaling_kinematics import Kinematics, kinematic_ratios
from tracescope.model.alignment import Alignment
from tracescope.model.check import State
from tracescope.model.trace import Trace

STEPS = Alignment(mode="step")
LATE_ROWS = 5


def facts_of(sim: Trace, target: Trace, alignment: Alignment = STEPS) -> Facts:
    found = gather(Workbench(case(sim, target, alignment)))
    assert found is not None
    return found


def test_that_rows_paired_by_counter_are_read_by_counter_whatever_the_stamps_say():
    """All stamps are five rows late and no offset says so: the counter alone knows which rows belong together."""
    motion = wander(300, 2, seed=3)
    held = motion.copy()
    held[100:112, 0] = held[99, 0]
    sim = trace(0.02, motion, motion[:, 0])
    target = trace(0.02, held, motion[:, 0], t0=0.02 * LATE_ROWS)
    rows = np.flatnonzero(facts_of(sim, target).shapes["obs[0]"].held.rows)
    assert rows.tolist() == list(range(100, 112))


def test_that_a_held_value_is_seen_in_all_its_rows_where_stamps_lie_between_rows():
    """A line drawn from the last moving sample to the first held one would hide that row."""
    motion = wander(300, 2, seed=3)
    held = motion.copy()
    held[100:112, 0] = held[99, 0]
    sim = trace(0.02, motion, motion[:, 0], step=False)
    target = trace(0.02, held, motion[:, 0], t0=0.002, step=False)
    bench = Workbench(case(sim, target, Alignment(pivot_s=target.t_first_s)))
    found = gather(bench)
    assert found is not None
    at_s = bench.rows.time_s[found.shapes["obs[0]"].held.rows]
    assert at_s == pytest.approx(0.02 * np.arange(100, 112), abs=0.0025)


@pytest.mark.parametrize("size", [0.02, 0.3, 40.0])
def test_that_a_clipped_sensor_gets_the_scale_of_its_free_rows_in_any_unit(size: float):
    motion = size * wander(400, 2, seed=5)
    seen = 0.7 * motion
    top = float(np.quantile(seen[:, 0], 0.8))
    clipped = np.column_stack((np.minimum(seen[:, 0], top), seen[:, 1]))
    found = facts_of(trace(0.02, motion, motion[:, 0]), trace(0.02, clipped, motion[:, 0]))
    free = ~found.shapes["obs[0]"].rows[found.rows]
    assert free.sum() == pytest.approx(320, abs=2)
    assert found.fit.slope == pytest.approx([0.7, 0.7], rel=1e-6)


@pytest.mark.parametrize("proportional", [False, True])
def test_that_an_exact_line_lies_outside_loops_that_differ_and_are_no_line_of_each_other(
    proportional: bool,
):
    reference, sim_own, target_own = wander(300, 3, seed=7).T
    sim = trace(0.02, np.column_stack((reference, sim_own)), sim_own - reference)
    other = 1.5 * (sim_own - reference) if proportional else target_own - reference
    target = trace(0.02, np.column_stack((2 * reference + 1, target_own)), other)
    found = facts_of(sim, target)
    assert found.agreement.logged
    assert not found.agreement.equal
    assert found.agreement.proportional is proportional
    assert found.outside.tolist() == [not proportional, False]


ROOMY = (0.95, 1.05)


@pytest.mark.parametrize(
    ("half", "rows", "means", "rests"),
    [
        (0.01, 50.0, True, True),
        (0.04, 3.0, True, False),
        (9.0, 50.0, False, False),
        (np.inf, 50.0, False, False),
    ],
)
def test_that_a_ratio_speaks_only_where_it_means_something_and_rests_on_rows(
    half: float, rows: float, means: bool, rests: bool
):
    motion = wander(300, 2, seed=9)
    facts = facts_of(trace(0.02, motion, motion[:, 0]), trace(0.02, motion[::-1], motion[:, 1]))
    constant = Constant(0.0, half, rows, 1.0)
    side = (motion.T, 0.02 * np.arange(300))
    known = Kinematics(
        ("obs[0]", "obs[1]"), side, side, ((Relation(0, (1,), 1.0), constant, constant),)
    )
    ((whole, rates, found),) = kinematic_ratios(known, facts, ROOMY)
    assert (whole, rates) == ("obs[0]", ("obs[1]",))
    assert found.estimate == pytest.approx(1.0)
    assert (found.interval is not None) is means
    assert found.covered is rests
    assert not found.required
    assert (found.state is State.PASS) is (means and rests)
