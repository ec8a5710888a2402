"""A family that only undecided numbers point to is named as such, last, and never changes a state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case as case_of
from tests.builders import trace
from tests.findings import hand
from tracescope.analysis.explanations import Explanation
from tracescope.analysis.workbench import Workbench
from tracescope.findings.build import build_report
from tracescope.findings.ranking import ranked
from tracescope.findings.suspects import Supposed, is_suspect, outside, with_suspects
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Lead, Measurement, State

WHY = "observation-scaling failed and is not corrected: the reward may follow from it"
DIFFERENCE = Measurement(
    "difference", "reward", -0.2, (-0.25, -0.15), "sd", 90, (-0.05, 0.05), blocked=WHY
)
LOWER = Measurement("one-step gap", "obs[0]", 0.4, (0.3, 0.5), "", 90, (0.0, 0.1), blocked="so")


def bench() -> Workbench:
    """A workbench whose one-step misfit nothing explains."""
    made = Workbench(hand.case())
    made.__dict__["explanations"] = ()
    return made


def open_result(family: str, *measurements: Measurement, leads: tuple[Lead, ...] = ()):
    return CheckResult.from_measurements(
        family, f"{family} says nothing yet", measurements, settle="one more log", leads=leads
    )


def of(results, supposed=None, at: Workbench | None = None) -> dict[str, Lead]:
    """Return the leads that were added, by family."""
    before = {lead.text for r in results for lead in r.leads}
    after = with_suspects(at or bench(), results, supposed)
    assert [r.state for r in after] == [r.state for r in results]
    return {lead.family: lead for r in after for lead in r.leads if lead.text not in before}


def failing(family: str, quantity: str = "scale", channel: str = "obs[0]") -> CheckResult:
    beyond = Measurement(quantity, channel, 2.0, (1.9, 2.1), "", 90, (0.95, 1.05))
    return CheckResult.from_measurements(family, f"{quantity} is beyond", [beyond])


def lead(family: str, text: str = "consistent with a thing") -> Lead:
    return Lead(text, family, ("obs[0]",), "it is not")


def test_that_what_lies_outside_and_may_not_count_names_its_family_as_undecided():
    found = of([hand.scaling(), open_result("reward", DIFFERENCE)])
    assert set(found) == {"reward"}
    assert "not decided, because observation-scaling failed" in found["reward"].text
    assert "difference of reward" in found["reward"].text
    assert found["reward"].undecided.endswith("to settle it: one more log")
    assert found["reward"].channels == ("reward",)
    assert found["reward"].would_be_wrong_if.startswith("the simulator's reward function gives")


@pytest.mark.parametrize(
    "silent",
    [
        replace(DIFFERENCE, interval=(-0.25, -0.04)),
        replace(DIFFERENCE, covered=False),
        replace(DIFFERENCE, interval=(float("-inf"), -0.15)),
        replace(DIFFERENCE, interval=None),
        replace(DIFFERENCE, tolerance=None),
    ],
)
def test_that_what_reaches_into_the_tolerance_or_is_not_covered_names_nothing(silent):
    assert not outside(silent)
    assert of([hand.scaling(), open_result("reward", silent)]) == {}


def test_that_nothing_is_read_off_an_alignment_that_is_not_established():
    alignment = CheckResult.inconclusive("alignment", "the lag cannot be told")
    assert of([alignment, open_result("reward", DIFFERENCE)]) == {}


def test_that_a_family_that_failed_or_is_named_already_gets_no_second_lead():
    known = open_result("reward", DIFFERENCE, leads=(lead("reward"),))
    assert of([hand.scaling(), known]) == {}
    assert of([hand.scaling(), failing("reward", "difference", "reward")]) == {}


def test_that_what_would_fail_is_named_and_what_would_pass_is_not():
    results = [hand.scaling(), open_result("dynamics", LOWER), open_result("reward", DIFFERENCE)]
    within = replace(DIFFERENCE, estimate=0.0, interval=(-0.01, 0.01), blocked="")
    then = Supposed("obs[0] ÷ 1.5", (failing("dynamics"), open_result("reward", within)))
    found = of(results, then)
    assert set(found) == {"dynamics"}
    assert "with obs[0] ÷ 1.5 the check would say: scale is beyond" in found["dynamics"].text
    assert found["dynamics"].undecided


def test_that_what_explains_what_is_left_is_named_with_the_plant_beside_it_and_a_tie():
    results = [hand.scaling(), open_result("action"), open_result("dynamics", LOWER)]
    gain, drive = (
        lead("action", "consistent with a gain"),
        lead("dynamics", "consistent with drive"),
    )
    gain, drive = replace(gain, not_told_apart=("drive",)), replace(drive, not_told_apart=("gain",))
    left = replace(open_result("dynamics", LOWER), leads=(gain, drive))
    then = Supposed("obs[0] ÷ 1.5", (left,))
    assert set(of(results, then)) == {"action", "dynamics"}
    hypotheses = ranked(bench(), with_suspects(bench(), results, then))
    assert [(h.family, h.rank) for h in hypotheses] == [
        ("observation-scaling", 1),
        ("action", 2),
        ("dynamics", 2),
    ]
    assert hypotheses[1].not_told_apart == ("dynamics",)


def test_that_what_explains_a_gap_read_through_a_finding_gives_way_to_what_explains_the_rest():
    doubtful = open_result("dynamics", LOWER, leads=(lead("action"), lead("observation-scaling")))
    rest = replace(LOWER, blocked="how late the response is has not been established")
    left = replace(open_result("dynamics", rest), leads=(lead("timing"),))
    then = Supposed("obs[0] ÷ 1.5", (left,))
    after = with_suspects(bench(), [hand.scaling(), open_result("timing"), doubtful], then)
    assert {found.family for found in after[-1].leads} == {"observation-scaling"}
    assert {found.family for found in after[1].leads} == {"timing"}
    unread = Supposed("obs[0] ÷ 1.5", (open_result("dynamics"),))
    after = with_suspects(bench(), [hand.scaling(), doubtful], unread)
    assert {found.family for found in after[-1].leads} == {"action", "observation-scaling"}


def test_that_a_family_that_fails_anyway_does_not_stand_beside_the_plant():
    results = [hand.scaling(), open_result("dynamics", LOWER)]
    common = lead("observation-scaling", "consistent with one scale")
    left = replace(open_result("dynamics", LOWER), leads=(common, lead("dynamics")))
    found = of(results, Supposed("obs[0] ÷ 1.5", (left,)))
    assert set(found) == {"dynamics"}
    inside = replace(LOWER, interval=(0.05, 0.5))
    left = replace(open_result("dynamics", inside), leads=(common, lead("dynamics")))
    assert of(results, Supposed("obs[0] ÷ 1.5", (left,))) == {}


def test_that_a_plant_that_the_correction_clears_is_no_suspect():
    suspected = open_result("dynamics", LOWER, leads=(lead("dynamics"), lead("action")))
    inside = replace(LOWER, estimate=0.01, interval=(0.0, 0.02), blocked="")
    passing = open_result("dynamics", inside)
    assert passing.state is State.PASS
    after = with_suspects(bench(), [suspected], Supposed("obs[0] ÷ 1.5", (passing,)))
    assert after[0].leads == ()
    assert with_suspects(bench(), [suspected]) == (suspected,)


def test_that_a_level_is_suspected_only_where_no_other_family_explains_the_motion():
    level = Measurement("level", "obs[0]", 3.0, (2.8, 3.2), "", 90, (-0.1, 0.1), blocked="loop")
    results = [open_result("observation-scaling", level)]
    assert set(of(results)) == {"observation-scaling"}
    pushed = bench()
    pushed.__dict__["explanations"] = (
        Explanation("dynamics", "damping", ("obs[0]",), 2.6, 0.95, is_open=True),
    )
    assert of(results, at=pushed) == {}
    assert of([*results, failing("action", "gain")]) == {}
    assert set(of([*results, failing("termination", "end difference")])) == {"observation-scaling"}


def test_that_suspects_stand_last_and_say_why():
    doubt = open_result("observation-scaling", LOWER)
    after = with_suspects(bench(), [failing("termination", "end difference"), doubt])
    families = ranked(bench(), after)
    assert [h.family for h in families] == ["termination", "observation-scaling"]
    assert "not decided, because so; to settle it: one more log" in families[1].text
    assert families[1].undecided
    assert not families[0].undecided
    assert is_suspect("observation-scaling", after)
    assert not is_suspect("termination", after)


def test_that_a_check_that_passed_does_not_name_what_it_found_in_order():
    inside = replace(LOWER, estimate=0.01, interval=(0.0, 0.02), blocked="")
    passing = open_result("dynamics", inside, leads=(lead("dynamics"),))
    assert ranked(bench(), [passing]) == ()


def test_that_the_note_infers_it_with_what_it_rests_on_and_tests_what_settles_it():
    report = build_report(hand.case(), [open_result("reward", DIFFERENCE)], bench())
    (inferred,) = report.inferred
    assert inferred.family == "reward"
    assert "not decided" in inferred.text
    assert inferred.rests_on == ("difference of reward −0.20 sd (−0.25 to −0.15 sd)",)
    assert report.next_test.do.startswith(
        "What would settle reward, everything else unchanged: one more log"
    )
    assert any("Reward could not be decided" in u.text for u in report.untested)


def ending(shorter: int, beyond: float, apart: float = 0.0):
    """Two ramps with an end flag each; the target's comes earlier, the sim goes on to ``beyond``."""
    rows, at = 200, np.arange(200)
    noise = np.random.default_rng(4).normal(0, 0.001, (2, rows))
    motion = np.minimum(at / 100.0, beyond)
    done = np.zeros(rows)
    done[-1] = 1
    early = np.zeros(shorter + 1)
    early[-1] = 1
    sim = trace(0.02, motion + noise[0], done=done)
    target = trace(0.02, (motion + noise[1])[: shorter + 1] + apart, done=early)
    bench = Workbench(case_of(sim, target, Alignment("step")))
    bench.__dict__["explanations"] = ()
    difference = Measurement(
        "end difference", "", shorter - rows + 1.0, (shorter - rows + 1.0,) * 2, "rows", 1,
        (-3.0, 3.0), blocked="different ends may follow from different motion",
    )  # fmt: skip
    return bench, [open_result("termination", difference)]


def test_that_an_end_where_the_other_goes_clearly_further_is_suspected():
    made, results = ending(120, beyond=1.9)
    found = of(results, at=made)
    assert set(found) == {"termination"}
    assert "the target's episode ends 79 rows earlier" in found["termination"].text


def test_that_an_end_is_suspected_over_an_undecided_alignment_and_not_over_a_failing_one():
    made, results = ending(120, beyond=1.9)
    doubtful = CheckResult.inconclusive("alignment", "the lag cannot be told")
    assert set(of([doubtful, *results], at=made)) == {"termination"}
    assert of([failing("alignment", "lag"), *results], at=made) == {}


@pytest.mark.parametrize(("beyond", "apart"), [(1.2, 0.0), (1.9, 0.5)])
def test_that_an_end_where_a_threshold_may_lie_or_the_motion_is_another_is_not(beyond, apart):
    made, results = ending(120, beyond=beyond, apart=apart)
    assert of(results, at=made) == {}


def spread(channel: str, low: float, high: float) -> Measurement:
    return Measurement(
        "scale", channel, (low + high) / 2, (low, high), "", 90, (0.95, 1.05), blocked="motion"
    )


def ratio(channel: str, interval: tuple[float, float]) -> Measurement:
    return Measurement("kinematic scale ratio", channel, 1.0, interval, "", 90, (0.95, 1.05))


def test_that_a_scale_that_a_position_shares_with_its_rate_is_a_larger_motion():
    both = (spread("y", 1.06, 1.12), spread("vy", 1.055, 1.10))
    tied = open_result("observation-scaling", *both, ratio("y", (0.99, 1.01)))
    assert of([tied]) == {}
    apart = open_result("observation-scaling", *both, ratio("y", (0.9, 1.2)))
    assert set(of([apart])) == {"observation-scaling"}
    other = open_result(
        "observation-scaling", *both, spread("z", 1.3, 1.4), ratio("y", (0.99, 1.01))
    )
    assert of([other])["observation-scaling"].channels == ("z",)


def test_that_the_plant_is_not_read_through_a_finding_that_leaves_nothing_without_it():
    doubtful = open_result("dynamics", LOWER, leads=(lead("dynamics"), lead("action")))
    then = Supposed("rows left out", (open_result("dynamics"),))
    after = with_suspects(bench(), [hand.scaling(), doubtful], then)
    assert [found.family for found in after[-1].leads] == ["action"]


def test_that_suspects_of_different_checks_tie_with_nothing():
    why = "observation-scaling failed, and action and dynamics are not settled"
    gap, difference = replace(LOWER, blocked=why), replace(DIFFERENCE, blocked=why)
    results = [hand.scaling(), open_result("dynamics", gap), open_result("reward", difference)]
    then = Supposed(
        "obs[0] ÷ 1.5", (failing("dynamics"), failing("reward", "difference", "reward"))
    )
    hypotheses = ranked(bench(), with_suspects(bench(), results, then))
    assert [(h.family, h.rank) for h in hypotheses] == [
        ("observation-scaling", 1),
        ("reward", 2),
        ("dynamics", 3),
    ]
    assert not any(h.not_told_apart for h in hypotheses)


def thin(estimate: float, low: float, high: float, **changed: object) -> Measurement:
    few = Measurement("scale", "obs[0]", estimate, (low, high), "", 1, (0.95, 1.05), covered=False)
    return replace(few, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reading", "named"),
    [
        (thin(57.3, 56.0, 58.0), True),
        (thin(9.2, 6.0, 12.4), True),
        (thin(0.02, 0.01, 0.03), True),
        (thin(-1.0, -1.2, -0.8), True),
        (thin(1.5, 1.4, 1.6), False),
        (thin(3.0, 2.2, 3.8), False),
        (thin(57.3, -200.0, 300.0), False),
        (thin(57.3, 56.0, 58.0, blocked="the motion may differ"), True),
        (thin(-1.1, -1.2, -1.0, blocked="the motion may differ"), True),
        (thin(57.3, 56.0, 58.0, blocked="not aligned", covered=True), True),
        (thin(3.0, 2.9, 3.1, blocked="the motion may differ"), False),
        (thin(0.02, 0.01, 0.03, blocked="the motion may differ"), False),
        (thin(57.3, 56.0, 58.0, covered=True), False),
        (thin(57.3, 56.0, 58.0, interval=None), False),
        (thin(57.3, 56.0, 58.0, quantity="resolution"), False),
    ],
)
@pytest.mark.parametrize("others", [(), (failing("action", "altered rows", "action"),)])
def test_that_a_scale_far_off_on_few_samples_is_named_whatever_else_is_found(
    reading, named, others
):
    found = of([open_result("observation-scaling", reading), *others])
    assert set(found) == ({"observation-scaling"} if named else set())
    if named:
        assert "scale of obs[0]" in found["observation-scaling"].text
        assert found["observation-scaling"].undecided


@pytest.mark.parametrize("blocked", ["", "alignment not established"])
@pytest.mark.parametrize(
    ("low", "high", "named"),
    [(31.0, 33.0, True), (-34.0, -31.0, True), (4.0, 33.0, False), (-33.0, 33.0, False)],
)
def test_that_a_level_far_beyond_what_its_channel_moves_is_named_whatever_blocks_it(
    low, high, named, blocked
):
    level = thin(
        (low + high) / 2, low, high, quantity="level", tolerance=(-1.0, 1.0), blocked=blocked
    )
    open_alignment = CheckResult.inconclusive("alignment", "two offsets fit")
    found = of([open_alignment, open_result("observation-scaling", level)])
    assert set(found) == ({"observation-scaling"} if named else set())


@pytest.mark.parametrize(
    ("n", "low", "why", "named"),
    [
        (6.0, 0.7, "", True),
        (4.0, 0.06, "", True),
        (3.0, 0.7, "", True),
        (3.0, 0.1, "", False),
        (9.0, 0.7, "", True),
        (6.0, 0.03, "", False),
        (6.0, 0.7, "an offset explains it as well", False),
    ],
)
def test_that_a_reward_wholly_outside_on_thin_coverage_is_named_as_undecided(n, low, why, named):
    few = replace(DIFFERENCE, estimate=0.8, interval=(low, 0.9), n=n, covered=False, blocked=why)
    found = of([open_result("reward", few)])
    assert set(found) == ({"reward"} if named else set())


def test_that_an_observation_on_a_few_samples_is_named_only_where_it_is_far_off():
    few = thin(1.5, 1.4, 1.6, n=6)
    assert not of([open_result("observation-scaling", few)])
