"""Known truths of the parts that explanations are made of: lenses, columns worth trying, changes of a plant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, trace
from tests.checks.dynamics_plants import DT, Plant, both
from tests.checks.test_observation_scaling_levels import pair
from tests.truth.faults import Fault
from tracescope.analysis.explanations import CLOSE, CLOSE_RATIO, MIN_SHARE, ranked
from tracescope.analysis.explanations_maps import upstream_candidates
from tracescope.analysis.explanations_plant import plant_changes
from tracescope.analysis.explanations_scan import MAX_ACTIONS, misfit_of, worst_columns
from tracescope.analysis.one_step import Relation, features
from tracescope.analysis.one_step_rows import steps_of
from tracescope.analysis.regression_outputs import blocks_of, outputs_of
from tracescope.analysis.regression_plant import plant_terms
from tracescope.analysis.regression_rivals import changes_of
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment
from tracescope.model.trace import Trace

STEPS = Alignment(mode="step")


def relation_of(sim: Trace, target: Trace) -> Relation:
    found = Workbench(case(sim, target, STEPS)).relation
    assert found is not None
    return found


def of_plant(*, log_applied: bool = True, **fault: float) -> Relation:
    found = Workbench(both(Plant("spring"), 300, 1, log_applied=log_applied, **fault)).relation
    assert found is not None
    return found


def test_that_a_smoothed_step_rises_by_halves_now_and_one_row_earlier():
    plain = of_plant()
    step = np.zeros_like(plain.target_rows.drive)
    step[100:] = 1.0
    rows = replace(plain.target_rows, drive=step)
    stepped = replace(plain, target_rows=rows, target=steps_of(rows))
    smoothing = next(
        c for c in upstream_candidates(stepped, ((0, 1), (0,)), DT) if c.kind == "smoothing"
    )
    seen = smoothing.lens(stepped.target, 0.5)
    at = np.flatnonzero(np.isin(seen.row, range(99, 104)))
    assert seen.row[at].tolist() == [99, 100, 101, 102, 103]
    assert seen.drive[at, 0] == pytest.approx([0, 1 / 2, 3 / 4, 7 / 8, 15 / 16])
    assert seen.drive_before[at, 0] == pytest.approx([0, 0, 1 / 2, 3 / 4, 7 / 8])


def pushed(seed: int, effect: float, reach: float) -> Trace:
    """One state under six actions, the first of which has its own effect and reach."""
    rng = np.random.default_rng(seed)
    action = rng.standard_normal((500, 6))
    action[:, 0] *= reach
    by = np.array([effect, 1, 1, 1, 1, 1])
    state = np.zeros(500)
    for i in range(499):
        state[i + 1] = 0.9 * state[i] + action[i] @ by + 0.1 * rng.standard_normal()
    return trace(DT, state, action)


def test_that_the_action_whose_effect_differs_is_tried_though_the_target_hardly_used_it():
    found = relation_of(pushed(1, 1.0, 1.0), pushed(2, 2.0, 0.05))
    assert len(found.drives) > MAX_ACTIONS
    assert 0 in worst_columns(misfit_of(found))[1]


def test_that_an_excluded_explanation_does_not_close_the_best_of_the_others():
    """A clip that no applied action shows; where the applied action is said to be logged it is ruled out."""
    unlogged = of_plant(log_applied=False, clip=0.3)
    logged = replace(unlogged, drives=tuple(replace(d, applied=True) for d in unlogged.drives))
    found = ranked(logged, DT)
    others = [e for e in found if e.family != "action"]
    assert found[0].family == "action"
    assert all(e.excluded and not e.is_open for e in found if e.family == "action")
    assert MIN_SHARE < others[0].share < max(found[0].share - CLOSE, CLOSE_RATIO * found[0].share)
    assert others[0].is_open


def dragged(seed: int, drag: float, level: float) -> Trace:
    """Two speeds under drag, each pushed by its own action about a level."""
    rng = np.random.default_rng(seed)
    action = level + rng.standard_normal((400, 2))
    speed = np.zeros((400, 2))
    for i in range(399):
        speed[i + 1] = (1 - drag) * speed[i] + action[i] + 0.01 * rng.standard_normal(2)
    return trace(DT, speed, action)


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.5, 2.0])
@pytest.mark.parametrize("level", [0.0, 0.1, 0.5])
def test_that_the_drag_of_two_speeds_is_told_with_its_factor(factor: float, level: float):
    found = relation_of(dragged(1, 0.2, 0.2), dragged(2, 0.2 * factor, level))
    told = {
        kind: (value, removed)
        for kind, names, value, removed in plant_changes(misfit_of(found))
        if len(names) == 2
    }
    assert told["damping"][0] == pytest.approx(factor, rel=0.03)


def test_that_a_bend_is_one_of_the_ways_in_which_a_cause_acts():
    found = of_plant()
    design = features("curved", found.sim, found.scaling)
    state = (found.sim.state - found.scaling.state_centre) / found.scaling.state_spread
    drive = (found.sim.drive - found.scaling.drive_centre) / found.scaling.drive_spread
    beta = np.zeros(design.shape[1])
    beta[-3:] = 2.0, 3.0, 5.0  # |z| z of both states, then of the action
    names, columns = plant_terms(replace(found, kinematic=frozenset()), "curved", 1, design, beta)
    for cause, bend in (
        ("obs[0]", 2 * state[:, 0] * abs(state[:, 0])),
        ("obs[1]", 3 * state[:, 1] * abs(state[:, 1])),
        ("action", 5 * drive[:, 0] * abs(drive[:, 0])),
    ):
        its = [i for i, name in enumerate(names) if name == f"what {cause} does to obs[1]"]
        assert len(its) == 3
        assert columns[:, its[:2]] == pytest.approx(0)
        assert columns[:, its[2]] == pytest.approx(bend)


def test_that_outputs_that_all_move_share_an_inertia_as_well():
    found = Workbench(
        pair("point", 4, Fault("mass", "dynamics", 1.4), rows=300, explore="own", noise=0.002)
    ).relation
    assert found is not None
    speeds = [j for j in found.plant_outputs if found.names[j].startswith("obs")]
    assert len(speeds) == 2
    blocks = (blocks_of(found.sim, 1), blocks_of(found.target, 1))
    parts = outputs_of(found, speeds, speeds, found.target, blocks)
    named = {name: change for change, name in changes_of(found, parts).items()}
    assert named["inertia of every output"] == ((0, 0), (1, 0))
    alone = {name: change for change, name in changes_of(found, parts[:1]).items()}
    assert "inertia of every output" not in alone
