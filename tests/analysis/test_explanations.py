"""A fault of known kind and size is the explanation with the largest share, and its number is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import case, trace
from tests.checks.dynamics_plants import DT, Plant, both
from tracescope.analysis.explanations import (
    CLOSE,
    FITS,
    MIN_SHARE,
    SLACK,
    TELLING,
    TIED,
    Explanation,
    explanations,
    ranked,
    told_apart,
    without,
)
from tracescope.analysis.one_step_gap import gaps
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.check import State
from tracescope.model.trace import Trace

PLANTS = ("spring", "pendulum", "thruster")


def best(bench: Workbench) -> Explanation:
    return bench.explanations[0]


@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.parametrize(
    ("fault", "kind", "value", "applied"),
    [
        ({"scale": 1.3}, "scale", 1.3, True),
        ({"clip": 0.3}, "clip", 0.3, False),
        ({"delay": 1}, "delay", DT, False),
        ({"delay": 2}, "delay", 2 * DT, True),
        ({"friction": 1.2}, "coefficient", 3.0, True),
    ],
)
def test_that_a_single_fault_explains_the_gap_best(name, fault, kind, value, applied):
    bench = Workbench(both(Plant(name), 300, 1, log_applied=applied, **fault))
    found = best(bench)
    assert (found.kind, found.is_open) == (kind, True)
    assert found.share > 0.95
    assert found.value == pytest.approx(value, rel=0.12)


def test_that_a_heavier_machine_is_told_from_an_actuator_gain_by_its_spring():
    bench = Workbench(both(Plant("spring"), 300, 1, mass=1.5))
    found = best(bench)
    assert (found.family, found.kind, found.channels) == ("dynamics", "inertia", ("obs[1]",))
    assert found.value == pytest.approx(1.5, rel=0.03)
    assert not any(e.is_open for e in bench.explanations if e.family == "action")


def test_that_an_unlogged_gain_is_not_told_from_the_plants_own():
    bench = Workbench(both(Plant("spring"), 300, 1, log_applied=False, gain=1.3))
    open_ones = {(e.family, e.kind) for e in bench.explanations if e.is_open}
    assert {("action", "gain"), ("dynamics", "coefficient")} <= open_ones


def best_of(bench: Workbench, family: str) -> Explanation:
    return next(e for e in bench.explanations if e.family == family)


@pytest.mark.parametrize("name", ["spring", "pendulum", "thruster"])
@pytest.mark.parametrize("rows", [100, 400])
def test_that_changes_that_move_all_alike_explain_alike(name, rows):
    """An actuator's gain acts within the row on the position too, as an action's gain does."""
    bench = Workbench(both(Plant(name, sensor=2e-4), rows, 1, log_applied=False, gain=1.3))
    action, plant = best_of(bench, "action"), best_of(bench, "dynamics")
    assert (action.kind, plant.kind) == ("gain", "coefficient")
    assert action.share > 0.9
    assert plant.share == pytest.approx(action.share, abs=0.005)
    assert abs(plant.deviance - action.deviance) < 10


def test_that_what_moves_otherwise_is_less_likely_by_far():
    bench = Workbench(both(Plant("spring", sensor=2e-4), 300, 1, log_applied=False, mass=1.4))
    plant, action = best_of(bench, "dynamics"), best_of(bench, "action")
    assert plant.kind == "inertia"
    assert action.deviance - plant.deviance > 100
    for e in bench.explanations:  # by rising deviance as by falling share
        assert (e.deviance - plant.deviance) * (plant.share - e.share) >= 0


SHARES, DEVIANCES, ROWS = st.floats(0, 1), st.floats(0, 1e4), st.integers(20, 800)


@given(SHARES, SHARES, DEVIANCES, DEVIANCES, ROWS)
def test_that_two_explanations_are_told_apart_whichever_comes_first(a, b, at_a, at_b, rows):
    one = Explanation("action", "gain", ("u",), 1.2, a, True, "", at_a, rows)
    other = Explanation("dynamics", "drive", ("x",), 1.2, b, True, "", at_b, rows)
    assert told_apart(one, other) is told_apart(other, one)
    assert told_apart(one, one) is (a < MIN_SHARE)
    if not told_apart(one, other):
        lesser, better = sorted((one, other), key=lambda e: e.share)
        assert lesser.share >= MIN_SHARE
        assert better.share - lesser.share < CLOSE
        likelier = lesser.deviance - better.deviance
        behind = better.share - lesser.share
        fits = better.deviance <= FITS * rows
        assert (likelier < TELLING or behind < SLACK) if fits else behind < TIED


def test_that_a_logged_applied_action_excludes_the_action_path():
    bench = Workbench(both(Plant("spring"), 300, 1, gain=1.3))
    of_action = [e for e in bench.explanations if e.family == "action"]
    assert of_action
    assert all(e.excluded and not e.is_open for e in of_action)


@pytest.mark.parametrize("name", PLANTS)
def test_that_the_same_plant_needs_no_explanation(name):
    assert explanations(Workbench(both(Plant(name), 300, 2))) == ()


def test_that_shares_are_shares_and_ordered():
    found = Workbench(both(Plant("spring"), 300, 3, delay=2)).explanations
    shares = np.array([e.share for e in found])
    assert (np.diff(shares) <= 0).all()
    assert shares[0] <= 1.0 + 1e-12


def test_that_taking_an_explanation_out_removes_the_gap():
    bench = Workbench(both(Plant("pendulum"), 300, 4, delay=2))
    relation, found = bench.relation, best(bench)
    before = gaps(relation, 0.99)[1].estimate
    after = gaps(without(relation, found, bench.rows.interval_s), 0.99)[1].estimate
    assert after < 0.1 * before


def test_that_an_identity_leaves_nothing_to_rank():
    bench = Workbench(both(Plant("spring"), 300, 5))
    same = bench.relation
    from dataclasses import replace

    assert ranked(replace(same, target=same.sim, target_rows=same.sim_rows), DT) == ()


def test_that_no_plant_parameter_is_blamed_for_a_kinematic_row():
    bench = Workbench(both(Plant("spring", sensor=0.0005), 300, 6, scale=1.4))
    assert not any(e.family == "dynamics" and e.channels[0] == "obs[0]" for e in bench.explanations)


def point(n: int, seed: int, *, gain: float = 1.0, drag: float = 0.9, mass: float = 1.0) -> Trace:
    """Two axes, each with its own speed and action, driven by noise; one body."""
    rng = np.random.default_rng(seed)
    at, speed = np.zeros(2), np.zeros(2)
    obs, action = np.zeros((n, 4)), rng.normal(0, 0.5, (n, 2))
    for i in range(n):
        obs[i] = np.concatenate((at, speed)) + rng.normal(0, 1e-4, 4)
        action[i] -= 2 * at + 0.5 * speed
        at = at + DT * speed
        speed = speed + DT * (3 * gain * action[i] - drag * speed) / mass
    return trace(DT, obs, action, applied=action)


@pytest.mark.parametrize(
    ("fault", "kind", "value"),
    [
        ({"gain": 1.3}, "drive", 1.3),
        ({"drag": 2.7}, "damping", 3.0),
        ({"mass": 1.5}, "inertia", 1.5),
    ],
)
def test_that_one_parameter_of_a_body_is_told_over_all_its_axes(fault, kind, value):
    bench = Workbench(case(point(600, 1), point(600, 2, **fault), Alignment(mode="step")))
    found = next(e for e in bench.explanations if not e.upstream)
    assert (found.kind, found.channels) == (kind, ("obs[2]", "obs[3]"))
    assert found.value == pytest.approx(value, rel=0.05)
    assert found.share > 0.95


def test_that_observations_in_each_others_place_are_told_as_that_and_not_as_the_plant():
    found = point(200, 2)
    places = {"obs[2]": "obs[3]", "obs[3]": "obs[2]"}
    channels = tuple(
        replace(c, value=found[places[c.name]].value) if c.name in places else c
        for c in found.channels
    )
    bench = Workbench(
        case(point(200, 1), replace(found, channels=channels), Alignment(mode="step"))
    )
    assert (best(bench).kind, best(bench).channels) == ("swap", ("obs[2]", "obs[3]"))
    assert best(bench).share > 0.95
    assert CHECK.judge(bench, {}).state is State.INCONCLUSIVE


def _heated(reaching: slice | None, seed: int, sign: float) -> Trace:
    """A heater (or cooler) at duty cycles, of which all or only those within ``reaching`` arrive."""
    rng = np.random.default_rng(seed)
    duty = sign * rng.uniform(0, 1, 400)
    arriving = duty if reaching is None else np.clip(duty, reaching.start, reaching.stop)
    heat = np.zeros(400)
    for k in range(399):
        heat[k + 1] = heat[k] + 0.1 * (2 * arriving[k] - 0.3 * heat[k])
    return trace(0.1, heat + 1e-3 * rng.standard_normal(400), duty)


@pytest.mark.parametrize(("sign", "low", "high"), [(1, 0.3, 0.7), (-1, -0.8, -0.2)])
def test_that_a_one_signed_action_bound_on_both_sides_is_no_plant(sign, low, high):
    made = case(_heated(None, 1, sign), _heated(slice(low, high), 2, sign), Alignment("step"))
    found = best(Workbench(made))
    assert (found.family, found.kind, found.is_open) == ("action", "narrow range", True)
    assert found.share > 0.97
    assert found.value == pytest.approx((high - low) / 2, rel=0.1)
    assert CHECK.judge(Workbench(made), {}).state is not State.FAIL


def test_that_an_action_of_both_signs_is_bound_about_zero_alone():
    bench = Workbench(both(Plant("spring"), 300, 1, log_applied=False, clip=0.3))
    assert "narrow range" not in {e.kind for e in bench.explanations}
