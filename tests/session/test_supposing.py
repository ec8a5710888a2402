"""What checks would say if what stands before them were settled: asked in every way, applied in none."""

from __future__ import annotations

import logging
from dataclasses import replace

import numpy as np
import pytest

from tests.builders import pair, trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.base import Check
from tracescope.checks.registry import BUILT_IN
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Lead, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.errors import Cancelled
from tracescope.session import supposing
from tracescope.session.judge import judge
from tracescope.session.session import Session, SideChoices
from tracescope.session.supposing import supposed

ROWS = 400
BEYOND = Measurement("scale", "obs[0]", 2.0, (1.9, 2.1), "", 90, (0.95, 1.05))
LATE = Measurement("response latency, target less sim", "", 3.02, (2.9, 3.1), "rows", 9, (-1, 1))
OPEN = CheckResult.inconclusive("reward", "something stands before it")


def oscillation(*, pull: float = 4.0, sign: float = 1.0, applied: float = 0.0, noise: int = 0):
    """A pushed spring: position, whose integral relation to velocity is exact, and velocity."""
    push = wander(ROWS, 1, seed=1)[:, 0]
    state = np.zeros((ROWS, 2))
    for i in range(1, ROWS):
        x, v = state[i - 1]
        faster = v + 0.02 * (5.0 * push[i - 1] - pull * x - 0.6 * v)
        state[i] = x + 0.01 * (v + faster), faster
    state += np.random.default_rng(noise).normal(0, 1e-3, state.shape)
    state[:, 0] *= sign
    return trace(0.02, state, push[:, None], applied=(push + applied)[:, None])


def case(target) -> Case:
    return Case(pair(oscillation(), target), Alignment("step"))


def answered(results, target=None, checks=BUILT_IN):
    bench = Workbench(case(target or oscillation(noise=3)))
    return supposed(bench, results, checks)


def of(judged: Session, family: str):
    return [h for h in judged.report.hypotheses if h.family == family]


def judged(target) -> Session:
    made = case(target)
    side = SideChoices("")
    session = Session(made.pair, side, side, made.alignment)
    return judge(session, checks=BUILT_IN, sensitivity=False)


def test_that_a_plant_behind_a_reversed_sensor_is_suspected_and_not_decided():
    session = judged(oscillation(pull=8.0, sign=-1.0, noise=3))
    states = {r.id: r.state for r in session.results}
    assert states["observation-scaling"] is State.FAIL
    assert states["dynamics"] is State.INCONCLUSIVE
    (plant,) = of(session, "dynamics")
    assert plant.undecided
    assert plant.rank == len(session.report.hypotheses)
    said = [i.text for i in session.report.inferred if i.family == "dynamics"]
    assert any("obs[0] ÷ −1" in text and "not decided" in text for text in said)


def test_that_no_plant_is_suspected_behind_a_reversed_sensor_alone():
    session = judged(oscillation(sign=-1.0, noise=3))
    assert {r.id: r.state for r in session.results}["observation-scaling"] is State.FAIL
    assert of(session, "dynamics") == []


def spy(answers: list):
    """A reward check that keeps the case it is asked about."""

    def judged_there(bench: Workbench, upstream):
        answers.append(bench.case)
        answers.append(upstream)
        inside = replace(BEYOND, estimate=1.0, interval=(0.99, 1.01))
        return CheckResult.from_measurements("reward", "asked", [inside])

    return Check("reward", "Reward", "?", (), judged_there)


def test_that_a_late_answer_is_taken_out_by_actions_as_many_rows_later():
    timing = CheckResult.from_measurements("timing", "late", [LATE])
    seen: list = []
    then = answered([timing, OPEN], checks=[spy(seen)])
    assert then.said == "the target's actions 3 rows later"
    moved, kept = seen[0].pair.target["action[0]"].value, oscillation(noise=3)["action[0]"].value
    np.testing.assert_array_equal(moved[3:], kept[:-3])
    np.testing.assert_array_equal(moved[:3], kept[0])
    assert seen[1]["timing"].state is State.INCONCLUSIVE
    assert not seen[1]["timing"].measurements


def test_that_an_altered_action_is_replaced_by_what_was_applied():
    action = CheckResult.from_measurements("action", "altered", [replace(BEYOND, channel="action")])
    seen: list = []
    then = answered([action, OPEN], oscillation(noise=3, applied=0.4), [spy(seen)])
    assert then.said == "action[0] from action_applied[0]"
    assert seen[0].corrections == (Correction("action[0]", source="action_applied[0]"),)
    assert seen[1]["action"].state is State.PASS


def test_that_an_undecided_alignment_is_taken_as_it_stands_and_a_failing_one_never():
    seen: list = []
    doubtful = CheckResult.inconclusive("alignment", "the lag cannot be told")
    then = answered([doubtful, OPEN], checks=[spy(seen)])
    assert then.said == "the alignment taken as it stands"
    assert seen[1]["alignment"].state is State.PASS
    wrong = CheckResult.from_measurements("alignment", "off", [replace(BEYOND, channel="")])
    assert answered([wrong, OPEN], checks=[spy(seen)]) is None


def test_that_of_two_sensors_that_disagree_the_reading_that_leaves_least_is_supposed():
    apart = Lead(
        "obs[0] against obs[1]",
        "observation-scaling",
        ("obs[0]", "obs[1]"),
        "-",
        kind="sign",
        value=-1.0,
    )
    observed = CheckResult.from_measurements(
        "observation-scaling", "apart", [BEYOND], leads=(apart,)
    )
    seen: list = []
    checks = [next(c for c in BUILT_IN if c.id == "observation-scaling"), spy(seen)]
    then = answered([observed, OPEN], oscillation(sign=-1.0, noise=3), checks)
    assert then.said == "obs[0] ÷ -1 (of 2 ways, the one that leaves least)"
    assert seen[0].corrections == (Correction("obs[0]", -1.0),)


def test_that_rows_in_which_an_observation_holds_or_saturates_are_left_out():
    def unread(kind: str, name: str, value: float) -> Lead:
        return Lead(kind, "observation-scaling", (name,), "-", kind=kind, value=value)

    made = oscillation(noise=3)
    held = made["obs[0]"].value.copy()
    held[1::2] = held[0:-1:2]
    bounded = np.minimum(made["obs[1]"].value, 0.1)
    target = trace(
        0.02, np.column_stack((held, bounded)), made["action[0]"].value[:, None],
        applied=made["action_applied[0]"].value[:, None],
    )  # fmt: skip
    leads = (unread("hold", "obs[0]", 1.0), unread("saturation", "obs[1]", 0.1))
    observed = CheckResult.from_measurements("observation-scaling", "held", [BEYOND], leads=leads)
    inside = CheckResult.inconclusive("observation-scaling", "nothing more")
    seen: list = []
    checks = [Check("observation-scaling", "-", "?", (), lambda *_: inside), spy(seen)]
    then = answered([observed, OPEN], target, checks)
    assert then.said == "rows left out in which an observation holds or saturates"
    read = seen[0].pair.target
    assert np.isnan(read["obs[0]"].value[1::2]).all()
    np.testing.assert_array_equal(read["obs[0]"].value[0::2], held[0::2])
    np.testing.assert_array_equal(np.isnan(read["obs[1]"].value), bounded == 0.1)


@pytest.mark.parametrize(
    "results",
    [
        [CheckResult.from_measurements("timing", "late", [LATE])],
        [OPEN],
        [CheckResult.from_measurements("observation-scaling", "apart", [BEYOND]), OPEN],
    ],
    ids=["all decided", "nothing stands before it", "nothing can be corrected"],
)
def test_that_nothing_is_supposed_without_need_or_way(results):
    seen: list = []
    assert answered(results, checks=[spy(seen)]) is None
    assert seen == []


def test_that_a_gap_that_cannot_be_measured_takes_nothing_with_it(monkeypatch, caplog):
    def gaps(self):
        raise np.linalg.LinAlgError("singular")

    monkeypatch.setattr(Workbench, "gaps", property(gaps))
    doubtful = CheckResult.inconclusive("alignment", "the lag cannot be told")
    with caplog.at_level(logging.CRITICAL):
        then = answered([doubtful, OPEN], checks=[spy([])])
    assert then.said == "the alignment taken as it stands"


def test_that_cancelling_ends_it():
    def stop():
        raise Cancelled("enough")

    doubtful = CheckResult.inconclusive("alignment", "the lag cannot be told")
    bench = Workbench(case(oscillation(noise=3)), stop)
    with pytest.raises(Cancelled):
        supposed(bench, [doubtful, OPEN], [spy([])])


def test_that_nothing_is_supposed_about_long_pairs(monkeypatch):
    monkeypatch.setattr(supposing, "MOST_ROWS", ROWS - 1)
    doubtful = CheckResult.inconclusive("alignment", "the lag cannot be told")
    assert answered([doubtful, OPEN], checks=[spy([])]) is None


def test_that_supposing_leaves_the_pair_as_it_is():
    target = oscillation(pull=8.0, sign=-1.0, noise=3)
    before = {c.name: c.value.copy() for c in target}
    session = judged(target)
    assert session.corrections == ()
    assert session.pair.target is target
    for channel in target:
        np.testing.assert_array_equal(channel.value, before[channel.name])
