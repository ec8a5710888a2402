"""Hypotheses are ranked by what their correction alone removes; the next test changes one factor."""

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case as case_of
from tests.builders import exercise, trace, wander
from tests.findings import hand
from tracescope.analysis.explanations import Explanation
from tracescope.analysis.workbench import Workbench
from tracescope.findings.next_test import next_test
from tracescope.findings.observe import needed_by
from tracescope.findings.ranking import explained_share, ranked, residual_energy
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CHECK_IDS, CheckResult, Lead, Measurement, State, Untold, Would
from tracescope.model.correction import Correction
from tracescope.model.pair import pair_traces


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


@pytest.mark.parametrize(
    ("estimate", "interval", "tolerance", "again"),
    [
        (0.3, (0.2, 0.4), (0.0, 0.1), (0.1, 0.3 + 0.1 * (1 + 2**0.5))),  # never into the tolerance
        (0.5, (0.49, 0.51), (0.0, 0.1), (0.5 - 0.01 * (1 + 2**0.5), 0.5 + 0.01 * (1 + 2**0.5))),
        (-421.0, (-421.0, -421.0), (-3.0, 3.0), (-424.0, -418.0)),  # a count
    ],
)
def test_that_a_test_that_keeps_its_gap_predicts_where_a_repetition_lies(
    estimate, interval, tolerance, again
):
    gap = Measurement("one-step gap", "obs[0]", estimate, interval, "", 90, tolerance)
    result = CheckResult.from_measurements("dynamics", "gap", [gap])
    hypotheses = ranked(Workbench(hand.case()), [result])
    (predicted,) = next_test([result], hypotheses).predicted
    assert predicted.interval == pytest.approx(again)


def late(*measurements: Measurement) -> tuple[CheckResult, ...]:
    lead = Lead(
        "consistent with a late answer", "timing", ("obs[0]",), "it is not", (), "delay", 0.04
    )
    return (CheckResult.from_measurements("timing", "late", measurements, leads=(lead,)),)


LATENCY = Measurement("response latency", "", 2.0, (1.9, 2.1), "rows", 90, (-0.5, 0.5))
JITTER = Measurement("interval jitter", "", 5.0, (4.0, 6.0), "ms", 90, (0.0, 2.0))


def test_that_injecting_a_delay_predicts_the_latency_alone():
    results = late(LATENCY, JITTER)
    test = next_test(results, ranked(Workbench(hand.case()), results))
    assert "Inject into the simulator the delay of 40 ms" in test.do
    assert [(p.quantity, p.interval) for p in test.predicted] == [("response latency", (-0.5, 0.5))]


def test_that_uneven_rows_ask_for_no_delay():
    results = late(JITTER)
    test = next_test(results, ranked(Workbench(hand.case()), results))
    assert "Inject" not in test.do
    assert [p.quantity for p in test.predicted] == ["interval jitter"]


def test_that_a_clip_behind_the_emitted_action_has_a_share_of_its_own():
    action = np.linspace(-1, 1, 60)[:, None]
    obs = wander(60, 1, seed=2)
    sim = trace(0.02, obs, action, applied=action)
    target = trace(0.02, obs + 1e-3, action, applied=np.clip(action, -0.6, 0.6))
    lead = Lead("consistent with a clip", "action", ("action[0]",), "none", (), "clip", 0.6)
    result = CheckResult.inconclusive("action", "undecided", leads=(lead,))
    share = explained_share(Workbench(case_of(sim, target)), "action", [result])
    assert share == (pytest.approx(1.0), "emitted-to-applied difference")


def test_that_doubt_alone_asks_for_what_settles_it():
    test = next_test([hand.timing()], ())
    assert test.family == "timing"
    assert test.do.startswith(
        "What would settle timing, everything else unchanged: an action step that"
    )
    assert np.isfinite(test.predicted[0].interval).all()


def test_that_passing_checks_ask_for_what_was_not_covered_and_else_for_nothing():
    inside = [Measurement("scale", "obs[0]", 1.0, (0.99, 1.01), "", 90, (0.95, 1.05))]
    clean = CheckResult.from_measurements("observation-scaling", "inside", inside)
    assert next_test([clean], ()) is None
    open_end = replace(clean, untested=(Untold("beyond 0.3", "an episode beyond 0.3"),))
    said = next_test([open_end], ()).do
    assert "observation scaling leaves open" in said
    assert said.endswith("everything else unchanged: an episode beyond 0.3.")


def test_that_an_altered_action_that_makes_the_response_late_comes_before_the_lateness():
    obs, action = wander(200, 1, seed=4), wander(200, 1, seed=5)
    sim, target = trace(0.02, obs, action), trace(0.02, np.roll(obs, 2, axis=0), action)
    bench = Workbench(case_of(sim, target, Alignment("step")))
    lead = Lead("smoothed", "action", ("action[0]",), "it is not", (), "smoothing", 0.3)
    rows = Measurement("altered applied rows", "action[0]", 0.9, (0.9, 0.9), "", 90, (0.0, 0.01))
    altered = CheckResult.from_measurements("action", "altered", [rows], leads=(lead,))
    assert [h.family for h in ranked(bench, (altered, *late(LATENCY)))] == ["action", "timing"]
    jittering = ranked(bench, (altered, *late(LATENCY, JITTER)))
    assert [h.family for h in jittering] == ["timing", "action"]
    clipped = replace(altered, leads=(replace(lead, kind="clip", value=9.0),))
    assert ranked(bench, (clipped, *late(LATENCY)))[0].family == "timing"


def test_that_what_only_a_passing_check_suggests_comes_last():
    inside = Measurement("one-step gap", "obs[0]", 0.05, (0.04, 0.06), "", 90, (0.0, 0.1))
    lead = Lead("a scale", "observation-scaling", ("obs[0]",), "it is not", (), "scale", 1.05)
    dynamics = CheckResult.from_measurements("dynamics", "inside", [inside], leads=(lead,))
    beyond = Measurement("difference", "reward", 0.2, (0.19, 0.21), "sd", 90, (-0.05, 0.05))
    reward = CheckResult.from_measurements("reward", "paid differently", [beyond])
    pending = replace(hand.scaling(), state=dynamics.state, measurements=(), leads=())
    families = [h.family for h in ranked(Workbench(hand.case()), (pending, dynamics, reward))]
    assert families == ["reward", "observation-scaling"]


def suspected(*leads: Lead, bench: Workbench, **failing: Measurement) -> list[str]:
    """Rank what an undecided dynamics check suspects, beside checks that fail."""
    results = [
        CheckResult.from_measurements(name, "beyond", [measured])
        for name, measured in failing.items()
    ]
    dynamics = CheckResult.inconclusive("dynamics", "several would explain it", leads=leads)
    return [h.family for h in ranked(bench, (*results, dynamics))]


def one_step_shares(**shares: float) -> Workbench:
    """A workbench whose one-step misfit these families explain so far."""
    bench = Workbench(hand.case())
    bench.__dict__["explanations"] = tuple(
        Explanation(lead.family, lead.kind, lead.channels, 1.2, shares[name], is_open=True)
        for name, lead in {"observation_scaling": COMMON, "dynamics": DRIVE}.items()
        if name in shares
    )
    return bench


COMMON = Lead(
    "one scale", "observation-scaling", ("obs[0]", "obs[1]"), "none", (), "common scale", 1.2
)
DRIVE = Lead("a gain", "dynamics", ("obs[1]", "action[0]"), "none", (), "coefficient", 1.2)


def test_that_of_tied_suspects_the_plainest_comes_first():
    bench = one_step_shares(observation_scaling=0.999, dynamics=0.995)
    assert suspected(COMMON, DRIVE, bench=bench) == ["dynamics", "observation-scaling"]
    results = [CheckResult.inconclusive("dynamics", "either", leads=(COMMON, DRIVE))]
    assert [h.rank for h in ranked(bench, results)] == [1, 1]
    apart = one_step_shares(observation_scaling=0.999, dynamics=0.9)
    assert suspected(COMMON, DRIVE, bench=apart) == ["observation-scaling", "dynamics"]


def test_that_a_plant_is_suspected_after_what_failed_before_it():
    bench = one_step_shares(dynamics=0.99)
    beyond = Measurement("altered applied rows", "action[0]", 0.9, (0.9, 0.9), "", 90, (0.0, 0.01))
    assert suspected(DRIVE, bench=bench, action=beyond) == ["action", "dynamics"]


def test_that_the_next_test_names_one_correction_of_many_channels_once():
    many = tuple(Correction(f"vel[{i}]", 651.9) for i in range(6))
    scaling = replace(hand.scaling(), pending=(Correction("pos", 2.0), *many))
    hypotheses = ranked(Workbench(hand.case()), [scaling])
    test = next_test([scaling], hypotheses)
    together = "6 channels ÷ 651.9: vel[0], vel[1], vel[2], vel[3] and 2 more"
    assert f"corrected (pos ÷ 2, {together})" in test.do


def test_that_a_channel_with_two_names_is_named_once_as_the_target_calls_it():
    sim, target = exercise()
    renamed = replace(target["obs[0]"], name="pos")
    others = tuple(renamed if c.name == "obs[0]" else c for c in target)
    target = replace(target, channels=others)
    both = pair_traces(sim, target, [("obs[0]", "pos")])
    case = Case(both, Alignment(pivot_s=target.t_first_s))
    scale = Measurement("scale", "pos", 1.5, (1.4, 1.6), "", 90, (0.95, 1.05))
    lead = Lead("another scale", "observation-scaling", ("obs[0]", "obs[1]"), "", (), "scale", 1.5)
    result = CheckResult.from_measurements("observation-scaling", "", [scale], leads=(lead,))
    (hypothesis,) = hypotheses = ranked(Workbench(case), [result])
    assert hypothesis.channels == ("pos", "obs[1]")
    test = next_test([result], hypotheses)
    assert "obs[0]" not in test.do


@pytest.mark.parametrize("family", CHECK_IDS)
def test_that_a_check_without_a_word_of_its_own_says_what_it_could_see_more_by(family):
    need = needed_by(CheckResult.inconclusive(family, "too little"))
    assert "longer or richer" not in need
    others = {needed_by(CheckResult.inconclusive(other, "")) for other in CHECK_IDS}
    assert len(others) == len(CHECK_IDS)
    assert needed_by(CheckResult.inconclusive(family, "", settle="a pulse")) == "a pulse"
    would = Would(("pos ÷ 2",), State.PASS, "")
    behind = needed_by(CheckResult.inconclusive(family, "behind", would=would))
    assert behind == "pos ÷ 2 applied, and this check run again"
    assert needed_by(CheckResult.inconclusive("of_a_plugin", "")).startswith("more rows")
