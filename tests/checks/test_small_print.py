"""What results say beside their numbers: notes, evidence and leads that a reader acts on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, pair, trace, wander
from tracescope.analysis.estimate import initial_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action_words import _joined
from tracescope.checks.dynamics import CHECK as DYNAMICS
from tracescope.checks.observation_scaling import CHECK as OBSERVATION
from tracescope.checks.probing_sides import _held
from tracescope.checks.timing import CHECK as TIMING
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case

STEPS = Alignment(mode="step")


@pytest.mark.parametrize(("counted", "by"), [(True, "step counter"), (False, "intervals")])
def test_that_missing_rows_say_what_counted_them(counted: bool, by: str) -> None:
    kept = np.delete(np.arange(300), [50, 51, 52, 120, 200])
    value = wander(300, 2)
    sim = trace(0.02, value, step=counted)
    target = trace(time_s=0.02 * kept, obs=value[kept], step=kept if counted else False)
    both = pair(sim, target)
    result = TIMING.judge(Workbench(Case(both, initial_alignment(both)[0])), {})
    (missing,) = result.measured("missing rows")
    assert missing.note == f"5 of 300, by {by}"
    assert not [e for e in result.evidence if "stale" in e.caption]
    (longest,) = result.measured("longest interval")
    assert "of 20 ms (median)" in longest.note


def test_that_a_held_value_is_counted_in_rows() -> None:
    sim = wander(300, 2, seed=3)
    held = sim.copy()
    held[100:121, 0] = held[100, 0]
    action = np.random.default_rng(1).standard_normal((300, 1))
    both = case(trace(0.02, sim, action), trace(0.02, held, action), STEPS)
    result = OBSERVATION.judge(Workbench(both), {})
    (lead,) = [lead for lead in result.leads if lead.kind == "hold"]
    assert "obs[0] holding its last value (20 rows)" in lead.text


def test_that_the_exemplar_of_comparable_transitions_names_its_channel_and_both_steps() -> None:
    rng = np.random.default_rng(2)
    action = rng.standard_normal((120, 1))
    sim = np.cumsum(rng.normal(0, 0.2, (120, 1)), axis=0)
    target = sim.copy()
    target[60] += 0.1
    both = case(trace(0.02, sim, action), trace(0.02, target, action), STEPS)
    result = DYNAMICS.judge(Workbench(both), {})
    exemplars = [e for e in result.evidence if "exemplar transition" in e.caption]
    assert exemplars
    assert all(e.channel == "obs[0]" for e in exemplars)
    assert all(e.span_s[1] - e.span_s[0] == pytest.approx(0.02) for e in exemplars)


def test_that_three_things_are_said_and_the_rest_counted() -> None:
    assert _joined(["a"]) == "a"
    assert _joined(["a", "b", "c"]) == "a; b; c"
    assert _joined(["a", "b", "c", "d", "e"]) == "a; b; c; and 2 more"


@pytest.mark.parametrize("of", ["obs", "action"])
def test_that_a_command_holds_until_the_next_one_whatever_channel_it_is(of: str) -> None:
    made = trace(0.1, np.array([3.0, 5.0, 4.0]), np.array([3.0, 5.0, 4.0]), t0=1.0)
    found = _held(made[of], made[of].as_float(), np.array([0.9, 1.0, 1.06, 1.1, 1.19, 1.2]))
    assert found == pytest.approx([np.nan, 3.0, 3.0, 5.0, 5.0, 4.0], nan_ok=True)
