"""A contact's stiffness never fails the check and never lets it pass against the evidence."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.test_contact_law import DT, pressed
from tests.builders import case, trace
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics_contact import RATIO, with_contacts
from tracescope.model.check import CheckResult, Measurement, State

GAP = Measurement("one-step gap", "obs[0]", 0.02, (0.01, 0.03), "", 90, (0.0, 0.1))
PASSING = CheckResult.from_measurements("dynamics", "agrees", [GAP])


def judged(one: float, two: float, result: CheckResult = PASSING) -> CheckResult:
    sim, target = trace(DT, pressed(one, 1)), trace(DT, pressed(two, 2))
    return with_contacts(result, Workbench(case(sim, target)))


def test_that_an_equal_stiffness_is_measured_and_passes():
    result = judged(3000.0, 3000.0)
    assert result.state is State.PASS
    (ratio,) = result.measured(RATIO)
    assert ratio.state is State.PASS
    assert result.leads == ()


def test_that_another_stiffness_keeps_the_check_from_passing():
    result = judged(3000.0, 9000.0)
    assert result.state is State.INCONCLUSIVE
    assert "not told apart" in result.reason
    assert "known load" in result.settle
    assert [lead.kind for lead in result.leads] == ["contact stiffness"]


@pytest.mark.parametrize("state", ["fail", "inconclusive"])
def test_that_another_verdict_stays_as_it_was(state):
    given = {
        "fail": CheckResult.from_measurements(
            "dynamics", "differs", [Measurement("gap", "", 0.5, (0.4, 0.6), "", 9, (0.0, 0.1))]
        ),
        "inconclusive": CheckResult.inconclusive("dynamics", "undecided"),
    }[state]
    result = judged(3000.0, 9000.0, given)
    assert (result.state, result.reason) == (given.state, given.reason)
    assert result.measured(RATIO)


def test_that_without_contact_nothing_is_added():
    obs = np.random.default_rng(1).normal(size=(200, 2))
    bench = Workbench(case(trace(DT, obs), trace(DT, obs)))
    assert with_contacts(PASSING, bench) is PASSING


@pytest.mark.parametrize(
    ("position", "force", "unit"),
    [("m", "N", "N/m"), ("m", "", ""), ("", "N", ""), ("", "", "")],
)
def test_that_a_stiffness_has_a_unit_where_both_channels_have_one(position, force, unit):
    units = {"obs[0]": position, "obs[1]": force}
    sim, target = (
        replace(t, channels=tuple(replace(c, unit=units[c.name]) for c in t.channels))
        for t in (trace(DT, pressed(3000.0, 1)), trace(DT, pressed(9000.0, 2)))
    )
    result = with_contacts(PASSING, Workbench(case(sim, target)))
    stiffness = {m.quantity: m for m in result.measurements if "stiffness" in m.quantity}
    ratio = stiffness.pop(RATIO)
    assert ratio.unit == ""
    assert {m.unit for m in stiffness.values()} == {unit}
    (lead,) = result.leads
    tail = f" {unit}" if unit else ""
    of_sim, of_target = (
        f"{stiffness[f'contact stiffness in the {side}'].estimate:.0f}"
        for side in ("sim", "target")
    )
    assert lead.text == (
        f"consistent with a contact {ratio.estimate:.3g} times as stiff at obs[1]"
        f" ({of_target}{tail} against {of_sim}{tail})"
    )
