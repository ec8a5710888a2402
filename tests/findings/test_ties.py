"""What a pair does not tell apart shares a rank, and the next test separates it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.findings import hand
from tests.findings.test_ranking import COMMON, DRIVE
from tracescope.analysis.explanations import Explanation, told_apart
from tracescope.analysis.workbench import Workbench
from tracescope.findings.next_test import next_test
from tracescope.findings.ranking import ranked
from tracescope.findings.ties import explained_by, leaders, tie_groups, tied_words
from tracescope.model.check import CheckResult, Lead, Measurement
from tracescope.model.finding import Hypothesis

GAIN = Lead("a gain", "action", ("action[0]",), "it is not", (), "gain", 1.2)
SMOOTH = Lead("smoothing", "action", ("action[0]",), "it is not", (), "smoothing", 0.5)
ROWS = 100
SCALE = Measurement("scale", "obs[0]", 1.2, None, "", 90, (0.95, 1.05), covered=False)


def explains(lead: Lead, share: float, deviance: float = float("nan")) -> Explanation:
    """One explanation that a lead names."""
    return Explanation(
        lead.family, lead.kind, lead.channels, lead.value or 0.0, share, True, "", deviance, ROWS
    )


def bench_of(*explanations: Explanation) -> Workbench:
    made = Workbench(hand.case())
    made.__dict__["explanations"] = explanations
    return made


def dynamics(*leads: Lead) -> CheckResult:
    return CheckResult.inconclusive("dynamics", "several would explain it", leads=leads)


@pytest.mark.parametrize(
    ("share", "deviance", "apart"),
    [
        (0.99, 104.0, False),  # as likely
        (0.96, 109.0, False),  # the rows say little
        (0.99, 130.0, True),  # likelier by far
        (0.9985, 130.0, False),  # the same but for how the step is integrated
        (0.94, 101.0, True),  # no explanation within 0.05 of the best
        (0.99, float("nan"), False),
        (0.975, float("nan"), True),
    ],
)
def test_that_the_likelier_explanation_is_told_apart_and_its_like_is_not(share, deviance, apart):
    best, other = explains(GAIN, 1.0, 100.0), explains(DRIVE, share, deviance)
    assert told_apart(best, other) is apart
    assert told_apart(other, best) is apart


def test_that_no_likelihood_tells_apart_what_fits_none():
    best, other = explains(GAIN, 1.0, 300.0), explains(DRIVE, 0.99, 900.0)
    assert not told_apart(best, other)
    assert told_apart(best, replace(other, share=0.975))


def test_that_the_plant_never_leads_alone_what_would_explain_the_gap_as_well():
    bench = bench_of(explains(DRIVE, 0.99, 100.0), explains(GAIN, 0.95, 900.0))
    hypotheses = ranked(bench, [dynamics(DRIVE, GAIN)])
    assert [(h.family, h.rank) for h in hypotheses] == [("dynamics", 1), ("action", 1)]
    bench = bench_of(explains(GAIN, 0.99, 100.0), explains(DRIVE, 0.95, 900.0))
    assert [h.rank for h in ranked(bench, [dynamics(DRIVE, GAIN)])] == [1, 2]


def test_that_a_plant_that_is_decided_comes_before_what_only_explains_it_better():
    gap = Measurement("one-step gap", "obs[1]", 0.5, (0.4, 0.6), "", 90, (0.0, 0.1))
    failing = CheckResult.from_measurements("dynamics", "gap", [gap], leads=(COMMON,))
    bench = bench_of(explains(COMMON, 0.99, 100.0), explains(DRIVE, 0.95, 900.0))
    families = [(h.family, h.rank) for h in ranked(bench, [failing])]
    assert families == [("dynamics", 1), ("observation-scaling", 2)]


def test_that_what_explains_less_than_half_ties_with_nothing():
    assert told_apart(explains(GAIN, 0.49, 100.0), explains(DRIVE, 0.48, 100.0))


def test_that_the_best_explanation_that_a_lead_names_speaks_for_an_undecided_family():
    found = (explains(COMMON, 0.99), explains(SMOOTH, 0.98), explains(GAIN, 0.9))
    beyond = Measurement("scale", "obs[0]", 2.0, (1.9, 2.1), "", 90, (0.95, 1.05))
    failing = CheckResult.from_measurements("observation-scaling", "beyond", [beyond])
    assert explained_by(found, [dynamics(GAIN, COMMON)])["action"].kind == "gain"
    assert set(explained_by(found, [failing, dynamics(GAIN, COMMON)])) == {"action"}


def test_that_groups_hold_what_is_not_told_apart_from_the_first():
    shares = {"a": 0.99, "b": 0.975, "c": 0.96, "d": 0.99}
    explained = {name: explains(GAIN, share) for name, share in shares.items()}
    assert tie_groups(["a", "b", "c"], explained, {}) == [["a", "b"], ["c"]]
    assert tie_groups(["a", "other", "d"], explained, {}) == [["a", "d"], ["other"]]
    assert tie_groups([], explained, {}) == []


def test_that_of_a_gain_that_no_log_tells_apart_three_families_share_the_first_rank():
    found = [explains(lead, 0.998, 50.0) for lead in (GAIN, COMMON)]
    bench = bench_of(*found, explains(DRIVE, 0.997, 51.0))
    reading = CheckResult.inconclusive("observation-scaling", "not read", measurements=(SCALE,))
    results = [reading, dynamics(GAIN, COMMON, DRIVE)]
    hypotheses = ranked(bench, results)
    assert {h.family for h in hypotheses} == {"action", "dynamics", "observation-scaling"}
    assert [h.rank for h in hypotheses] == [1, 1, 1]
    for h in hypotheses:
        assert {h.family, *h.not_told_apart} == {"action", "dynamics", "observation-scaling"}
        assert "not told apart from" in h.text
    assert tied_words(hypotheses).count(" or ") == 2
    test = next_test(results, hypotheses)
    assert test.family == "action"
    assert test.do.startswith("Log the action that reached the actuator")
    assert "separates action from dynamics or observation scaling" in test.do
    assert [(p.quantity, p.interval) for p in test.predicted] == [
        ("altered applied rows", (0.01, 1.0))
    ]


def test_that_sensors_and_plant_are_told_apart_by_reading_known_states():
    bench = bench_of(explains(COMMON, 0.998), explains(DRIVE, 0.99))
    reading = CheckResult.inconclusive("observation-scaling", "not read", measurements=(SCALE,))
    results = [reading, dynamics(COMMON, DRIVE)]
    test = next_test(results, ranked(bench, results))
    assert test.family == "observation-scaling"
    assert "two known states" in test.do
    assert "dynamics is left" in test.falsifies
    (scale,) = test.predicted
    assert (scale.quantity, scale.channel) == ("scale", "obs[0]")
    assert scale.interval == pytest.approx((1.15, 1.25))


def test_that_the_next_of_two_that_are_told_apart_ranks_second_and_leaves_the_leaders_test():
    bench = bench_of(explains(GAIN, 0.998, 50.0), explains(DRIVE, 0.97, 500.0))
    results = [dynamics(GAIN, DRIVE)]
    hypotheses = ranked(bench, results)
    assert [(h.family, h.rank, h.not_told_apart) for h in hypotheses] == [
        ("action", 1, ()),
        ("dynamics", 2, ()),
    ]
    assert tied_words(hypotheses) == ""
    assert len(leaders(hypotheses)) == 1
    assert "bounds and scaling of both sides made equal" in next_test(results, hypotheses).do


def test_that_what_ties_stands_together_and_ranks_count_on_after_it():
    beyond = Measurement("altered applied rows", "action[0]", 0.9, (0.9, 0.9), "", 90, (0.0, 0.01))
    failing = CheckResult.from_measurements("action", "altered", [beyond])
    bench = bench_of(explains(COMMON, 0.998, 50.0), explains(DRIVE, 0.997, 51.0))
    hypotheses = ranked(bench, [failing, dynamics(COMMON, DRIVE)])
    assert [(h.family, h.rank) for h in hypotheses] == [
        ("dynamics", 1),
        ("observation-scaling", 1),
        ("action", 3),
    ]


def test_that_the_leaders_of_given_ranks_are_named():
    ranks = (1, 1, 3)
    three = tuple(
        Hypothesis(f, (), 0.9, r)
        for f, r in zip(("action", "dynamics", "reward"), ranks, strict=True)
    )
    assert tied_words(three) == "action or dynamics"
    assert tied_words(()) == ""


def test_that_what_is_predicted_goes_by_the_names_under_which_it_will_be_measured():
    """A hypothesis names the target's channels, a measurement the simulator's: the next pair is held to those."""
    made = hand.case()
    called = tuple(replace(c, name=f"real_{c.name}") for c in made.pair.target.channels)
    matches = tuple(replace(m, target=f"real_{m.target}") for m in made.pair.matches)
    target = replace(made.pair.target, channels=called)
    bench = Workbench(replace(made, pair=replace(made.pair, target=target, matches=matches)))
    bench.__dict__["explanations"] = (explains(GAIN, 0.998, 50.0), explains(DRIVE, 0.997, 51.0))
    reading = CheckResult.inconclusive("observation-scaling", "not read", measurements=(SCALE,))
    results = [reading, dynamics(GAIN, DRIVE)]
    hypotheses = ranked(bench, results)
    assert {c for h in hypotheses for c in h.channels} >= {"real_action[0]"}
    assert [p.channel for p in next_test(results, hypotheses).predicted] == ["action[0]"]
    bench.__dict__["explanations"] = (explains(COMMON, 0.998), explains(DRIVE, 0.99))
    results = [reading, dynamics(COMMON, DRIVE)]
    assert [p.channel for p in next_test(results, ranked(bench, results)).predicted] == ["obs[0]"]
