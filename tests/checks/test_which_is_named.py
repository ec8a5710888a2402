"""Words that carry a finding name the right side, direction and band."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, pair, trace, wander
from tests.checks.test_timing import driven, with_current
from tests.checks.timing_judged import judged
from tracescope.analysis.logging_phase import AFTER, BEFORE
from tracescope.analysis.reward_model import fit_reward
from tracescope.analysis.reward_model_rivals import RewardRival
from tracescope.analysis.reward_model_rows import reward_sides
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK as ALIGNMENT
from tracescope.checks.probing_sides import Side
from tracescope.checks.reward import CHECK as REWARD
from tracescope.checks.reward_upstream import rival_blocks
from tracescope.checks.reward_words import rival
from tracescope.checks.termination import CHECK as TERMINATION
from tracescope.checks.timing_phase import phases_apart
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction
from tracescope.model.trace import Trace


@pytest.mark.parametrize(("rows", "said"), [(2.0, "2 rows late"), (-1.0, "1 row early")])
def test_that_a_rival_of_the_reward_says_which_way_the_observations_are_off(rows: float, said: str):
    found = RewardRival("", is_action=False, kind="lag", value=rows)
    assert said in rival(found, "timing")


@pytest.mark.parametrize(("sim", "target"), [(AFTER, BEFORE), (BEFORE, AFTER)])
def test_that_the_side_that_logs_after_the_action_is_named_as_that(sim: str, target: str):
    logged = [
        replace(trace(0.02, wander(30)), metadata=(("phase", phase),)) for phase in (sim, target)
    ]
    words = phases_apart(pair(*logged))
    names = ("sim", "target") if sim == AFTER else ("target", "sim")
    assert f"the {names[0]}'s rows hold the observation after the action" in words
    assert f"the {names[1]}'s the one before it" in words
    assert not phases_apart(pair(logged[0], logged[0]))


def test_that_traces_with_nothing_in_common_still_tell_their_clock():
    sim, target = trace(0.02, wander(60)), trace(0.02, wander(60), t0=500.0)
    far = Alignment(offset_s=-7.0, pivot_s=target.t_first_s)
    result = ALIGNMENT.judge(Workbench(case(sim, target, far)), {})
    assert result.state is State.INCONCLUSIVE
    (offset,) = result.measured("clock offset")
    assert offset.estimate == -7.0


def test_that_ends_rows_apart_are_held_against_the_band_named_and_shown():
    value = wander(200, 2, seed=4)
    sim, target = (trace(0.02, value, done=np.arange(200) == last) for last in (150, 170))
    result = TERMINATION.judge(Workbench(case(sim, target)), {})
    judged = [m for m in result.measurements if m.judged]
    assert judged
    assert {m.tolerance_key.partition(".")[0] for m in judged} == {"termination"}
    assert [shown.channel for shown in result.evidence] == [""]
    low, high = result.evidence[0].span_s
    assert low < 0.02 * 150
    assert high > 0.02 * 170


def test_that_an_end_that_came_early_says_by_how_much_and_what_it_leaves_open():
    value = wander(260, 2, seed=4)

    def ended(last: int, n: int) -> Trace:
        return trace(0.02, value[:n], done=np.arange(n) == last)

    aligned = {"alignment": CheckResult("alignment", State.PASS, "")}
    early = Workbench(case(ended(230, 231), ended(143, 144), Alignment(mode="step")))
    result = TERMINATION.judge(early, aligned)
    (lead,) = [lead for lead in result.leads if lead.kind == "early-end"]
    assert lead.value == result.measurements[0].estimate == -87
    cut = Workbench(case(ended(150, 180), ended(-1, 151), Alignment(mode="step")))
    undecided = TERMINATION.judge(cut, aligned)
    assert undecided.state is State.INCONCLUSIVE
    assert any("goes on for 29 rows after its end" in told.text for told in undecided.untested)


def test_that_a_change_which_upstream_checks_have_ruled_out_blocks_no_reward():
    state, action = wander(404, 2, seed=2), wander(400, seed=9)[:, 0]
    reward = 1 - state[2:-2, 0] ** 2 - 0.5 * state[2:-2, 1] - 0.3 * action**2
    sim = trace(0.02, state[2:-2], action, reward=reward)
    sides = reward_sides(case(sim, trace(0.02, state[:400], action, reward=reward)))
    model = fit_reward(sides.sim)
    assert model is not None
    names = ("observation-scaling", "action", "timing")
    passed = {name: CheckResult(name, State.PASS, "") for name in names}
    assert "observations 2 rows late would explain it" in rival_blocks({}, model, sides)
    assert not rival_blocks(passed, model, sides)


def test_that_a_side_is_laid_on_even_instants_as_it_was_commanded_and_answered():
    time_s = 0.01 * np.arange(300) + np.random.default_rng(1).uniform(0, 0.004, 300)
    command = np.where(time_s >= 1.5, 2.0, -1.0)
    side = Side(trace(time_s=time_s), time_s, 3 * time_s - 1, command, (0.0, 3.0))
    even = side.evenly()
    assert even is not None
    at_s = time_s[0] + side.interval_s * np.arange(even[0].size)
    assert at_s[-1] == pytest.approx(time_s[-1], abs=2 * side.interval_s)
    assert even[1] == pytest.approx(3 * at_s - 1)
    first = time_s[np.argmax(command > 0)]
    assert (even[0] == np.where(at_s >= first, 2.0, -1.0)).all()
    assert Side(side.trace, time_s, time_s, None, (0.0, 3.0)).evenly() is None


@pytest.mark.parametrize(("sides", "said"), [((0, 2), "older"), ((2, 0), "younger")])
def test_that_observations_of_another_age_are_said_to_be_older_or_younger(
    sides: tuple[int, int], said: str
):
    pair = [
        with_current(driven(seed=seed), observed=True, old=old)
        for seed, old in enumerate(sides, start=1)
    ]
    (lead,) = [lead for lead in judged(*pair).leads if lead.kind == "observation-age"]
    assert lead.value == pytest.approx(0.02 * (sides[1] - sides[0]), abs=0.008)
    assert f" steps {said} than the sim's" in lead.text
    assert lead.family == "timing"


def test_that_a_lead_of_alignment_says_whether_the_offset_or_the_rate_is_off():
    from scipy.interpolate import CubicSpline

    motion, rows = CubicSpline(np.arange(700), wander(700, 3, seed=5)), np.arange(500) + 100.0
    sim = trace(0.02, motion(rows), step=False)
    for lost, kind in ((0.006 * np.arange(500), "drift"), (np.full(500, 3.0), "offset")):
        target = trace(0.02, motion(rows - lost), step=False)
        both = case(sim, target, Alignment(pivot_s=target.t_first_s))
        corrected = both.with_correction(Correction("obs[0]", 1.0, 0.0))
        result = ALIGNMENT.judge(Workbench(corrected), {})
        assert result.state is State.FAIL
        assert kind in {lead.kind for lead in result.leads}
        assert (kind == "offset") == ("drift" not in {lead.kind for lead in result.leads})
        assert result.applied == ("clock", *map(str, corrected.corrections))


def test_that_an_offset_that_explains_the_reward_as_well_is_named_beside_it_as_undecided():
    """The target's first observation reads 0.4 too high, which no check of observations was asked about."""
    state = wander(600, 2, seed=3)
    reward = 1 - state[:, 0] ** 2 - 0.5 * state[:, 1]
    sim = trace(0.02, state, reward=reward)
    both = Workbench(case(sim, trace(0.02, state + np.array([0.4, 0.0]), reward=reward)))
    aligned = {"alignment": CheckResult("alignment", State.PASS, "")}
    result = REWARD.judge(both, aligned)
    assert result.state is State.INCONCLUSIVE
    (lead,) = [lead for lead in result.leads if lead.family == "observation-scaling"]
    assert lead.channels == ("obs[0]",)
    assert lead.value == pytest.approx(0.4, rel=0.15)
    assert lead.undecided.startswith("not decided, because observation scaling")
    assert lead.not_told_apart == ("reward",)
    passed = aligned | {"observation-scaling": CheckResult("observation-scaling", State.PASS, "")}
    assert not [x for x in REWARD.judge(both, passed).leads if x.family == "observation-scaling"]
