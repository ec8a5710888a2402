"""What a verdict on transition dynamics covers, what it shows and how it is worded."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tests.checks.dynamics_judged import (
    STEP,
    judged,
    sound_upstream,
)
from tests.checks.dynamics_plants import Plant, both
from tracescope.analysis.workbench import Workbench
from tracescope.checks.dynamics import CHECK
from tracescope.checks.dynamics_gate import read_directly
from tracescope.model.check import State


def test_that_a_target_far_outside_the_simulators_region_does_not_pass():
    obs = wander(400, 1, seed=1)[:, 0]
    u = np.diff(np.append(obs, obs[-1])) + 0.1 * obs
    sim = trace(obs=obs, action=u)
    far = 6 * wander(400, 1, seed=2)[:, 0] + 30
    target = trace(obs=far, action=np.diff(np.append(far, far[-1])) + 0.1 * far)
    result = judged(Workbench(case(sim, target, STEP)))
    assert result.state is State.INCONCLUSIVE
    assert result.untested


def test_that_noise_that_hides_a_single_step_does_not_hide_the_relation():
    bench = Workbench(both(Plant("spring", sensor=0.02), 600, 3))
    assert bench.relation.score[1] < 0.8
    result = judged(bench)
    assert result.state is State.PASS
    (gap,) = result.measured("one-step gap", "obs[1]")
    assert "summed over" in gap.note
    assert gap.interval[0] == 0.0


def test_that_noise_that_hides_a_single_step_lets_no_other_plant_pass():
    for seed in range(6):
        bench = Workbench(both(Plant("spring", sensor=0.02), 300, seed, mass=1.3))
        assert judged(bench).state is not State.PASS


def test_that_a_gap_in_directions_the_simulator_hardly_went_is_no_verdict():
    # A scaled sensor in a tight loop: the target's readings lie where the simulator's never were.
    rows, sides = 150, []
    for scale in (1.0, 0.8):
        draw = np.random.default_rng(round(10 * scale))
        kick = 0.1 * np.random.default_rng(3).normal(size=rows)
        o, u = np.full(rows, 22.0), np.zeros(rows)
        for i in range(rows):
            u[i] = np.clip(0.8 * (23.0 - scale * o[i]) + 0.4 + kick[i], 0, 1)
            if i + 1 < rows:
                o[i + 1] = o[i] + 0.1 * (3 * u[i] - 0.4 * (o[i] - 20))
        sides.append(trace(0.1, scale * o + 0.005 * draw.normal(size=rows), u, applied=u))
    result = judged(Workbench(case(*sides, STEP)), {})
    (gap,) = result.measured("one-step gap", "obs")
    assert gap.interval[0] > 0.1
    assert result.state is State.INCONCLUSIVE
    assert "hardly went" in gap.blocked


def test_that_an_observation_nothing_predicts_keeps_the_check_from_passing():
    bench = both(Plant("spring"), 400, 2)
    draw = np.random.default_rng(0)

    def with_noise(t):
        obs = np.column_stack([t["obs[0]"].value, t["obs[1]"].value, draw.normal(size=len(t))])
        return trace(obs=obs, action=t["action"].value, applied=t["action_applied"].value)

    pair = case(with_noise(bench.pair.sim), with_noise(bench.pair.target), STEP)
    result = judged(Workbench(pair))
    assert result.state is State.INCONCLUSIVE
    assert "obs[2]" in result.reason
    assert any("obs[2]" in u.text for u in result.untested)


def test_that_the_evidence_is_one_transition_of_the_worst_output():
    result = judged(Workbench(both(Plant("spring"), 300, 3, mass=1.5)))
    first = result.evidence[0]
    assert first.channel == "obs[1]"
    assert first.span_s[1] - first.span_s[0] == pytest.approx(0.02)
    assert "exemplar transition" in first.caption


def test_that_bias_scatter_and_growth_are_reported_apart_and_never_judged():
    result = judged(Workbench(both(Plant("spring"), 300, 1)))
    for quantity in ("one-step bias", "scatter ratio", "residual growth"):
        found = result.measured(quantity)
        assert found
        assert not any(m.judged for m in found)


def test_that_a_direct_reading_excludes_what_it_contradicts():
    bench = Workbench(both(Plant("spring"), 300, 1, gain=1.3))
    common = next(e for e in bench.explanations if e.kind == "common scale")
    assert read_directly(common, sound_upstream())
    assert not read_directly(common, {})


def test_that_every_tolerance_says_why_and_belongs_to_the_check():
    assert {t.key.split(".")[0] for t in CHECK.tolerances} == {"dynamics"}
    assert all(t.why and t.allowed[0] <= t.low <= t.high <= t.allowed[1] for t in CHECK.tolerances)


def test_that_no_actions_at_all_is_survived():
    obs = wander(200, 2, seed=3)
    result = judged(Workbench(case(trace(obs=obs), trace(obs=obs * 1.2), STEP)), {})
    assert result.state is not State.FAIL
    assert result.reason


@pytest.mark.parametrize("n", [0, 1, 2, 5, 19])
def test_that_short_traces_are_inconclusive(n):
    obs = wander(20, 1, seed=4)[:n]
    action = np.zeros((n, 1))
    result = judged(
        Workbench(case(trace(obs=obs, action=action), trace(obs=obs, action=action), STEP)), {}
    )
    assert result.state is State.INCONCLUSIVE


def test_that_missing_samples_are_left_out():
    pair = both(Plant("spring"), 400, 6)
    value = pair.pair.target["obs[1]"].value.copy()
    value[::17] = np.nan
    target = pair.pair.target
    holed = trace(
        obs=np.column_stack((target["obs[0]"].value, value)),
        action=target["action"].value,
        applied=target["action_applied"].value,
    )
    result = judged(Workbench(case(pair.pair.sim, holed, STEP)))
    assert result.state is not State.FAIL
    assert result.count("transitions") < 399
