"""Leads and advice: where the difference lies, what speaks against it, and never more."""

from __future__ import annotations

import pytest

from tests.campaign.made import episode, gap, lag, lost, measured, scale
from tracescope.campaign.actions import Facts, advice
from tracescope.campaign.clusters import table_of
from tracescope.campaign.differences import Difference
from tracescope.campaign.leads import UNDECIDED, entry_words, lead_of
from tracescope.campaign.model import LeadSeen
from tracescope.campaign.signature import signature_of


def led(results):
    table = table_of([signature_of(result) for result in results])
    return lead_of(table, range(len(results)), results)


def many(*measurements, **rest):
    return [episode(f"e{k}", measurements, **rest) for k in range(6)]


HEAVY = LeadSeen("dynamics", "dynamics", "inertia", ("v",), 1.6)


@pytest.mark.parametrize(
    ("results", "lead", "points_to"),
    [
        (many(scale("q", 1.4, 1.5)), "perception drift", "perception drift"),
        (many(gap("v", 0.6, 0.7), leads=[HEAVY]), "dynamics mismatch", "dynamics mismatch"),
        (many(lag(3.0, 3.2)), "dynamics mismatch", "dynamics mismatch"),
        (many(scope=0.4), "task-scope overflow", "task-scope overflow"),
        (many(scale("goal", 1.4, 1.5)), "task-scope overflow", "task-scope overflow"),
        (many(lost(0.08)), "deployment-system noise", "deployment-system noise"),
        (many(established=False), "deployment-system noise", "deployment-system noise"),
        (
            many(measured("action", "altered applied rows", "u", (0.3, 0.3), (0.0, 0.01))),
            UNDECIDED,
            "action path",
        ),
    ],
)
def test_that_a_group_points_where_its_signature_lies(results, lead, points_to):
    found = led(results)
    assert (found.lead, found.points_to) == (lead, points_to)


def test_that_two_close_shares_are_undecided_and_say_so():
    found = led(many(scale("q", 1.4, 1.5), lost(0.05)))
    assert found.lead == UNDECIDED
    assert "too close" in found.because
    assert sum(share for _, share in found.shares) == pytest.approx(1.0, abs=1e-4)


def test_that_the_action_path_is_named_as_such():
    found = led(many(measured("action", "altered applied rows", "u", (0.3, 0.3), (0.0, 0.01))))
    assert "action path" in found.because
    assert "none of the four" in found.because


def test_that_evidence_against_is_told_as_well_as_for():
    results = [
        *many(scale("q", 1.4, 1.5), lag(0.6, 0.7), leader="observation-scaling")[:4],
        *many(scale("q", 1.4, 1.5), lag(0.6, 0.7), leader="timing")[:2],
    ]
    found = led(results)
    assert found.lead == "perception drift"
    assert any("agrees in 4 of 6" in line for line in found.evidence_for)
    assert any("dynamics mismatch" in line for line in found.evidence_against)
    assert any("in 2 of 6 members" in line for line in found.evidence_against)


def test_that_members_which_do_not_tell_are_counted_against():
    results = [*many(scale("q", 1.4, 1.5))[:4], *many(scale("q", 1.4, 1.5, covered=False))[:2]]
    found = led(results)
    assert any("not measured in 2 of 6" in line for line in found.evidence_against)


def test_that_silence_is_no_evidence():
    [line] = led(many(scale("q", 1.4, 1.5))).evidence_against
    assert "what was not measured cannot" in line


@pytest.mark.parametrize(
    ("name", "mean", "said"),
    [
        ("observation-scaling/scale/q", -1.0, "low scale of q"),
        ("timing/response latency, target less sim", 2.0, "high response latency, target less sim"),
        ("timing/missing rows", 2.0, "missing rows"),
        ("dynamics/leading parameter, inertia/v", 1.0, "larger inertia of v"),
        ("dynamics/leading parameter, coefficient/v, u", -1.0, "smaller effect of u on v"),
        ("alignment/not established", 2.0, "alignment not established"),
    ],
)
def test_that_entries_are_said_with_their_direction(name, mean, said):
    assert entry_words(name, mean) == said


def told(results, parameter=None):
    return advice(Facts(led(results), results, [results[0].id], parameter))


MASS = Difference("param.mass", "parameter", -1.0, (-1.0, -0.8), 1e-6, 0.62, 1.0, (6, 20))
FLOOR = Difference("param.floor=mat", "parameter", 0.9, (0.5, 1.0), 1e-6, 1.0, 0.1, (6, 20))


def test_that_a_heavy_plant_asks_for_the_parameter_that_differs():
    results = many(gap("v", 0.6, 0.7), leads=[HEAVY])
    do, wrong = told(results, MASS)
    assert do.startswith("Update the simulator parameter mass: 0.62 here, 1 elsewhere")
    assert "inertia of v 1.6 times the simulator's (median of 6)" in do
    assert "with mass as in the other episodes" in wrong


def test_that_a_parameter_given_as_text_is_told_by_its_shares():
    do, _ = told(many(gap("v", 0.6, 0.7), leads=[HEAVY]), FLOOR)
    assert "100 % of this cluster have it, 10 % of the other episodes" in do


def test_that_a_late_target_asks_for_the_delay_and_no_parameter_is_invented():
    late = LeadSeen("timing", "timing", "delay", ("v",), 0.08)
    do, _ = told(many(lag(3.0, 3.2), leads=[late]))
    assert "delay of v 0.08 s" in do
    assert "parameter mass" not in do


def test_that_a_misread_channel_asks_for_its_calibration():
    do, wrong = told(many(scale("q", 1.4, 1.5)))
    assert do.startswith("Fix the calibration of q")
    assert "reads alike on both sides" in wrong


@pytest.mark.parametrize(
    ("results", "start"),
    [
        (many(lost(0.08)), "Fix the infrastructure"),
        (many(scope=0.4), "Add simulator cases"),
        (
            many(measured("action", "altered applied rows", "u", (0.3, 0.3), (0.0, 0.01))),
            "Compare emitted with applied commands",
        ),
        (many(scale("q", 1.4, 1.5), lost(0.05)), "Take e0 apart by hand"),
        (
            many(measured("reward", "slope", "reward", (1.3, 1.4), (0.95, 1.05))),
            "Compare how both sides compute it",
        ),
    ],
)
def test_that_each_lead_has_its_action_and_a_way_to_be_wrong(results, start):
    do, wrong = told(results)
    assert do.startswith(start)
    assert wrong
    assert "e0" in do
