"""The truth table of what stands between a gap and a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.checks.dynamics_plants import Plant, both
from tracescope.analysis.explanations import MIN_SHARE, Explanation
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics_gate import (
    RESTLESS,
    RESTLESS_SETTLE,
    SENSORS,
    SENSORS_SETTLE,
    Failing,
    Gate,
    gate,
)
from tracescope.checks.dynamics_words import leads
from tracescope.model.check import CheckResult, Measurement, State

NEVER, AT_ONCE = (0.0, -1.0), (0.0, 100.0)
"""Tolerances under which a gap is never gone, and gone whatever is taken out."""


@pytest.fixture(scope="module")
def failing() -> Failing:
    """A gap that no explanation removes, with nothing else said against it."""
    bench = Workbench(both(Plant("spring"), 100, 1))
    return Failing(bench.relation, (1,), NEVER, 0.02, 0.99)


def plant(share: float, kind: str = "inertia", value: float = 1.3) -> Explanation:
    return Explanation("dynamics", kind, ("obs[1]",), value, share, is_open=True)


def scale(share: float, excluded: str = "") -> Explanation:
    return Explanation("observation-scaling", "scale", ("obs[1]",), 1.2, share, True, excluded)


def delay(share: float) -> Explanation:
    return Explanation("timing", "delay", ("action",), 0.02, share, is_open=True)


def stands(state: State, settle: str = "") -> dict[str, CheckResult]:
    return {"alignment": CheckResult("alignment", state, "", settle=settle)}


@pytest.mark.parametrize("state", [State.FAIL, State.INCONCLUSIVE])
@pytest.mark.parametrize("settle", ["", "log a step counter"])
def test_that_everything_is_shut_before_the_alignment(failing, state, settle):
    for what in (None, failing):
        found = gate(stands(state, settle), (plant(0.9),), what)
        assert found.shut == found.blocked == f"the alignment is not established ({state.value})"
        assert found.settle == (settle or "settle the alignment first")


@pytest.mark.parametrize("upstream", [{}, stands(State.PASS)])
def test_that_a_gap_that_only_the_plant_explains_counts(failing, upstream):
    found = gate(upstream, (plant(0.9),), failing)
    assert (found.shut, found.blocked, found.settle) == ("", "", "")
    assert [e.kind for e in found.open] == ["inertia"]


def test_that_nothing_blocks_where_nothing_fails():
    found = gate(stands(State.PASS), (scale(1.0), plant(0.2)), None)
    assert (found.shut, found.blocked, found.settle) == ("", "", "")
    assert [e.kind for e in found.open] == ["scale"]


@pytest.mark.parametrize("fails", [True, False])
def test_that_an_uncorrected_finding_comes_before_all_that_a_gap_itself_says(failing, fails):
    upstream = stands(State.PASS) | {
        "observation-scaling": CheckResult("observation-scaling", State.FAIL, "")
    }
    doubtful = replace(failing, sensors=True, restless=True) if fails else None
    found = gate(upstream, (), doubtful)
    assert found.shut == ""
    assert found.blocked == "the observation scaling finding is not corrected"
    assert "observation scaling" in found.settle


def reading(
    interval: tuple[float, float] | None,
    quantity: str = "scale",
    *,
    blocked: str = "",
) -> dict[str, CheckResult]:
    found = Measurement(
        quantity, "obs[1]", 57.2, interval, n=4, tolerance=(0.95, 1.05),
        covered=False, blocked=blocked,
    )  # fmt: skip
    return {
        "observation-scaling": CheckResult("observation-scaling", State.INCONCLUSIVE, "", (found,))
    }


@pytest.mark.parametrize(
    ("upstream", "blocks"),
    [
        (reading((54.0, 60.0)), True),
        (reading((0.5, 0.9)), True),
        (reading((54.0, 60.0), "level"), True),
        (reading((0.5, 0.96)), False),
        (reading((1.04, 60.0)), False),
        (reading((0.96, 1.04)), False),
        (reading(None), False),
        (reading((54.0, 60.0), "mean ratio"), False),
        (reading((54.0, 60.0), blocked="the motion may differ"), False),
        ({}, False),
    ],
)
def test_that_a_reading_far_off_on_few_samples_leaves_no_gap_to_the_plant(
    failing, upstream, blocks
):
    found = gate(stands(State.PASS) | upstream, (plant(0.9),), failing)
    assert ("too few samples" in found.blocked) is blocks
    assert bool(found.blocked) is blocks
    assert ("obs[1] first" in found.settle) is blocks
    assert gate(upstream, (plant(0.9),), None).blocked == ""


@pytest.mark.parametrize("restless", [True, False])
def test_that_sensors_that_disagree_come_before_rivals_and_disturbances(failing, restless):
    found = gate({}, (scale(1.0),), replace(failing, sensors=True, restless=restless))
    assert (found.shut, found.blocked, found.settle) == ("", SENSORS, SENSORS_SETTLE)


@pytest.mark.parametrize("restless", [True, False])
@pytest.mark.parametrize(
    ("shares", "explained"),
    [((), False), ((0.3,), False), ((0.3, 0.49), False), ((MIN_SHARE,), True), ((0.9, 0.1), True)],
)
def test_that_a_disturbance_is_suspected_only_where_both_signs_of_one_are_there(
    failing, restless, shares, explained
):
    found = gate({}, tuple(map(plant, shares)), replace(failing, restless=restless))
    if restless and not explained:
        assert (found.blocked, found.settle) == (RESTLESS, RESTLESS_SETTLE)
    else:
        assert (found.blocked, found.settle) == ("", "")
    assert found.shut == ""


@pytest.mark.parametrize("restless", [True, False])
@pytest.mark.parametrize(
    ("rival", "tolerance", "blocks"),
    [
        (scale(0.9), AT_ONCE, True),
        (scale(0.9), NEVER, False),
        (scale(0.49), AT_ONCE, False),
        (scale(0.9, "read otherwise"), AT_ONCE, False),
        (plant(0.9), AT_ONCE, False),
    ],
)
def test_that_an_upstream_rival_blocks_what_it_removes(failing, restless, rival, tolerance, blocks):
    among = (rival, plant(0.9))  # a plant that explains nearly all leaves no room for two together
    found = gate({}, among, replace(failing, tolerance=tolerance, restless=restless))
    assert ("would explain the gap as well" in found.blocked) is blocks
    assert bool(found.blocked) is blocks
    assert bool(found.settle) is blocks


@pytest.mark.parametrize("state", [State.PASS, State.INCONCLUSIVE])
@pytest.mark.parametrize(
    ("share", "rival", "clear"),
    [(0.9, 0.6, True), (0.9, 0.75, False), (0.7, 0.3, True), (0.6, 0.55, False)],
)
def test_that_an_unknown_latency_blocks_unless_the_plant_leads(failing, state, share, rival, clear):
    late = Measurement("response latency", "", 0.0, (-0.1, 0.1), tolerance=(-0.5, 0.5))
    known = state is State.PASS
    upstream = stands(State.PASS) | {
        "timing": CheckResult("timing", state, "", (late,) if known else ())
    }
    found = gate(upstream, (plant(share), delay(rival)), failing)
    assert (found.blocked == "") is (known or clear)
    assert ("response latency" in found.settle) is not (known or clear)


@pytest.mark.parametrize("kind", ["inertia", "drive", "damping"])
@pytest.mark.parametrize("value", [-1.3, 0.0, 1.3])
def test_that_no_plant_is_credited_with_turning_a_machine_round(failing, kind, value):
    upstream = stands(State.PASS) | {"timing": CheckResult("timing", State.INCONCLUSIVE, "")}
    found = gate(upstream, (plant(0.95, kind, value), delay(0.3)), failing)
    assert ("how late the response is" in found.blocked) is (value <= 0)
    assert bool(found.blocked) is (value <= 0)


def test_that_a_latency_blocks_where_the_best_delay_removes_what_the_plant_explains_in_part(
    failing,
):
    upstream = stands(State.PASS) | {"timing": CheckResult("timing", State.INCONCLUSIVE, "")}
    held = replace(delay(0.3), excluded="read otherwise")  # so that it blocks as a latency alone
    among = (plant(0.7), held)
    assert gate(upstream, among, failing).blocked == ""
    easy = replace(failing, tolerance=AT_ONCE)
    assert "how late the response is" in gate(upstream, among, easy).blocked
    nearly_all = (plant(0.9), held)
    assert gate(upstream, nearly_all, easy).blocked == ""


def open_to(*found: Explanation) -> Gate:
    return Gate("", "", "", found)


def test_that_the_plant_is_not_named_where_what_lies_upstream_is_likelier_by_far():
    offset = Explanation("observation-scaling", "offset", ("x",), 0.2, 0.99, True, "", 100.0, 100)
    force = Explanation("dynamics", "constant force", ("v",), 1.0, 0.96, True, "", 180.0, 100)
    assert {lead.family for lead in leads(open_to(offset, force))} == {"observation-scaling"}
    (only,) = leads(open_to(offset, force))
    assert only.not_told_apart == ()
    alike = replace(force, deviance=105.0)
    assert len(leads(open_to(offset, alike))) == 2
    assert len(leads(open_to(offset, force), decided=True)) == 2


def test_that_the_plant_is_not_named_alone_where_nothing_upstream_could_be_tried():
    assert leads(open_to(plant(0.9)), untried=True) == ()
    assert len(leads(open_to(plant(0.9), scale(0.88)), untried=True)) == 2


def test_that_every_family_that_is_open_is_named():
    several = [plant(0.99), plant(0.98, "drive"), plant(0.97, "damping"), scale(0.96)]
    named = leads(open_to(*several))
    assert [lead.kind for lead in named] == ["inertia", "drive", "scale"]
