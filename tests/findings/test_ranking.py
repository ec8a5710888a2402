"""Hypotheses are ranked by what their correction alone removes; the next test changes one factor."""

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case as case_of
from tests.builders import trace, wander
from tests.findings import hand
from tracescope.analysis.workbench import Workbench
from tracescope.findings.next_test import next_test
from tracescope.findings.ranking import explained_share, ranked, residual_energy
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Lead, Measurement, Untold


def test_that_the_scale_removes_nearly_all_and_the_clip_the_rest():
    hypotheses = ranked(Workbench(hand.case()), hand.RESULTS)
    assert [h.family for h in hypotheses] == ["observation-scaling", "action"]
    assert hypotheses[0].explains == pytest.approx(0.96, abs=0.01)
    assert hypotheses[1].explains == pytest.approx(1 - hypotheses[0].explains, abs=0.01)
    assert [h.rank for h in hypotheses] == [1, 2]


def test_that_no_lead_and_no_failure_is_no_hypothesis():
    assert ranked(Workbench(hand.case()), [hand.timing()]) == ()


def test_that_a_family_without_correction_has_no_share_and_comes_last():
    lead = Lead("consistent with another end rule", "termination", (), "the rule is the same")
    result = CheckResult.inconclusive("termination", "undecided", leads=(lead,))
    hypotheses = ranked(Workbench(hand.case()), [result, hand.scaling()])
    assert [(h.family, h.explains is None) for h in hypotheses] == [
        ("observation-scaling", False),
        ("termination", True),
    ]


def test_that_a_wrong_offset_is_what_the_alignment_explains():
    signal = wander(400, 2, seed=3)
    sim = trace(0.02, signal, step=False)
    target = trace(0.02, signal, step=False, t0=0.13)
    wrong = case_of(sim, target, Alignment(offset_s=0.13 + 0.06, pivot_s=0.13))
    failing = CheckResult.from_measurements(
        "alignment", "off", [Measurement("lag", "", 0.06, (0.05, 0.07), "s", 99, (-0.01, 0.01))]
    )
    hypotheses = ranked(Workbench(wrong), [failing])
    assert hypotheses[0].family == "alignment"
    assert hypotheses[0].explains > 0.95


def test_that_a_correction_that_worsens_explains_nothing():
    sim, target = (hand.case().pair.sim, hand.case().pair.target)
    bench = Workbench(case_of(sim, target, Alignment("step", pivot_s=0.01)))
    worse = replace(
        hand.scaling(), pending=tuple(replace(c, scale=0.2) for c in hand.scaling().pending)
    )
    assert explained_share(bench, "observation-scaling", [worse]) == (0.0, "residual")


def test_that_identical_traces_leave_no_residual_energy():
    sim, _ = hand.case().pair.sim, None
    bench = Workbench(case_of(sim, sim))
    assert residual_energy(bench) == 0.0
    assert explained_share(bench, "observation-scaling", [hand.scaling()])[0] is None


def test_that_the_next_test_is_the_leaders_with_its_outcome_predicted():
    hypotheses = ranked(Workbench(hand.case()), hand.RESULTS)
    test = next_test(hand.RESULTS, hypotheses)
    assert test.family == "observation-scaling"
    assert "everything else unchanged" in test.do
    assert "obs[0] ÷ 1.5" in test.do
    assert "from dynamics" in test.do
    assert [(p.quantity, p.channel, p.interval) for p in test.predicted] == [
        ("scale", "obs[0]", (0.95, 1.05)),
        ("scale", "obs[1]", (0.95, 1.05)),
    ]


def test_that_a_plant_test_predicts_that_the_gap_stays():
    gap = Measurement("one-step gap", "obs[0]", 0.3, (0.2, 0.4), "", 90, (0.0, 0.1))
    result = CheckResult.from_measurements("dynamics", "gap", [gap])
    hypotheses = ranked(Workbench(hand.case()), [result])
    test = next_test([result], hypotheses)
    assert [p.interval for p in test.predicted] == [(0.2, 0.4)]


def test_that_doubt_alone_asks_for_what_settles_it():
    test = next_test([hand.timing()], ())
    assert test.family == "timing"
    assert test.do.startswith("An action step that the observation answers")
    assert np.isfinite(test.predicted[0].interval).all()


def test_that_passing_checks_ask_for_what_was_not_covered_and_else_for_nothing():
    inside = [Measurement("scale", "obs[0]", 1.0, (0.99, 1.01), "", 90, (0.95, 1.05))]
    clean = CheckResult.from_measurements("observation-scaling", "inside", inside)
    assert next_test([clean], ()) is None
    open_end = replace(clean, untested=(Untold("beyond 0.3", "an episode beyond 0.3"),))
    assert "An episode beyond 0.3" in next_test([open_end], ()).do
