"""A pass holds whatever an uncorrected finding about the sensors turns out to be, or it is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.builders import case, trace, wander
from tests.checks.dynamics_judged import judged, sound_upstream
from tests.checks.dynamics_plants import Plant, both
from tests.truth.pairs import make_pair
from tracescope.analysis.workbench import Workbench
from tracescope.checks.open_readings import holding, open_readings, unconfirmed
from tracescope.checks.registry import BUILT_IN
from tracescope.checks.reward import CHECK as REWARD
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, Lead, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.trace import Role
from tracescope.session.run import run_checks


def finding(*leads: Lead, pending: tuple[Correction, ...] = ()) -> dict[str, CheckResult]:
    result = CheckResult("observation-scaling", State.FAIL, "", leads=leads, pending=pending)
    return sound_upstream() | {"observation-scaling": result}


def apart(whole: str, rate: str, ratio: float) -> Lead:
    return Lead("", "observation-scaling", (whole, rate), "", kind="scale", value=ratio)


def bench_of_two() -> Workbench:
    value = wander(120, 2, seed=1)
    return Workbench(case(trace(0.02, value), trace(0.02, value), Alignment(mode="step")))


def test_that_a_finding_leaves_open_what_it_fitted_and_each_sensor_of_a_pair_that_disagrees():
    bench = bench_of_two()
    assert open_readings(bench, sound_upstream()) == ()
    fitted = (Correction("obs[0]", 1.5),)
    assert open_readings(bench, finding(pending=fitted)) == (fitted,)
    either = open_readings(bench, finding(apart("obs[0]", "obs[1]", 0.8)))
    assert either == ((Correction("obs[0]", 0.8),), (Correction("obs[1]", 1.25),))
    settled = open_readings(bench, finding(apart("obs[0]", "obs[1]", 0.8), pending=fitted))
    assert settled == (fitted,)


def test_that_a_reading_goes_on_top_of_the_correction_in_force():
    bench = bench_of_two().corrected([Correction("obs[1]", 2.0, 0.5)])
    _, rate = open_readings(bench, finding(apart("obs[0]", "obs[1]", 0.8)))
    assert rate == (Correction("obs[1]", 2.5, 0.5),)


def measured(channel: str, high: float, *, required: bool = True) -> Measurement:
    interval, band = (0.0, high), (0.0, 0.1)
    return Measurement("gap", channel, high / 2, interval, n=50, tolerance=band, required=required)


@pytest.mark.parametrize(
    ("again", "states"),
    [
        ((measured("a", 0.05), measured("b", 0.05)), ("pass", "pass")),
        ((measured("a", 0.05), measured("b", 0.3)), ("pass", "inconclusive")),
        ((measured("a", 0.05),), ("pass", "inconclusive")),
        ((), ("inconclusive", "inconclusive")),
    ],
)
def test_that_only_what_passes_under_every_reading_passes(again, states):
    first = [measured("a", 0.05), measured("b", 0.05)]
    readings = [(Correction("x", 1.0),), (Correction("rate", 1.25),)]
    left = holding(first, readings, lambda reading: first if reading[0].channel == "x" else again)
    assert tuple(m.state.value for m in left) == states
    doubted = [m for m in left if m.blocked]
    assert all("rate ÷ 1.25" in m.blocked and "leaves open" in m.blocked for m in doubted)


def test_that_what_fails_and_what_is_not_required_is_left_as_it_is():
    failing = replace(measured("a", 0.05), interval=(0.2, 0.3))
    for first in ([failing, measured("b", 0.05)], [measured("b", 0.05, required=False)]):
        assert holding(first, [(Correction("x", 2.0),)], lambda _: ()) == first


@pytest.mark.parametrize("rows", [300, 1000])
def test_that_a_plant_hidden_behind_a_scaled_sensor_never_passes(rows):
    """Seeds whose rate sensor is scaled while the plant answers weaker: as read, the one-step motion may agree."""
    hidden = 0
    for seed in range(226_200_441, 226_200_447):
        pair = make_pair(seed, rows, ("obs-scale-up", "plant-gain-down"))
        if pair.truth["dynamics"] != "bad":
            continue
        hidden += 1
        result = next(r for r in run_checks(pair.case, BUILT_IN) if r.id == "dynamics")
        assert result.state is not State.PASS, str(pair)
    assert hidden


def test_that_an_agreement_of_rewards_is_none_where_the_sensor_they_follow_from_is_scaled():
    """The reward is paid at 0.8, its only input reads a quarter too high: together they look alike."""
    state = wander(400, 2, seed=3)
    sim = trace(0.02, state, reward=state[:, 0])
    target = trace(0.02, state * [0.8, 1.0], reward=0.8 * state[:, 0])
    bench = Workbench(case(sim, target, Alignment(mode="step")))
    assert REWARD.judge(bench, sound_upstream()).state is State.PASS
    upstream = finding(pending=(Correction("obs[0]", 0.8),))
    result = REWARD.judge(bench, upstream)
    assert result.state is State.INCONCLUSIVE
    assert "obs[0] ÷ 0.8" in result.reason


def test_that_an_agreement_that_holds_with_the_correction_too_stays_a_pass():
    state = wander(400, 2, seed=3)
    sim = trace(0.02, state, reward=state[:, 1])
    target = trace(0.02, state * [1.25, 1.0], reward=state[:, 1])
    bench = Workbench(case(sim, target, Alignment(mode="step")))
    upstream = finding(pending=(Correction("obs[0]", 1.25),))
    assert REWARD.judge(bench, upstream).state is State.PASS


def read(quantity: str, high: float) -> Measurement:
    band = (0.95, 1.05) if quantity == "scale" else (-0.1, 0.1)
    low = 0.96 if quantity == "scale" else -0.05
    return Measurement(quantity, "obs[0]", high, (low, high), n=50, tolerance=band)


def undecided(*measurements: Measurement) -> dict[str, CheckResult]:
    result = CheckResult("observation-scaling", State.INCONCLUSIVE, "", measurements=measurements)
    return sound_upstream() | {"observation-scaling": result}


@pytest.mark.parametrize(
    ("corrected", "measurements", "said"),
    [
        ("obs[0]", (read("scale", 1.3), read("level", 0.05)), "scale of obs[0]"),
        ("obs[0]", (read("scale", 1.04), read("level", 0.4)), "level of obs[0]"),
        ("obs[0]", (read("scale", 1.04), read("level", 0.05)), ""),
        ("obs[1]", (read("scale", 1.3), read("level", 0.4)), ""),
    ],
)
def test_that_a_correction_is_confirmed_by_the_check_that_fitted_it(corrected, measurements, said):
    bench = bench_of_two()
    assert unconfirmed(bench, undecided(*measurements)) == ""
    bench = bench.corrected([Correction(corrected, 1.2)])
    assert unconfirmed(bench, sound_upstream()) == ""
    found = unconfirmed(bench, undecided(*measurements))
    assert (said in found) if said else not found


def test_that_nothing_fails_through_a_correction_that_is_not_confirmed():
    """Dynamics of half the drive and a reward at 1.3 fail; not through a sensor corrected by the wrong number."""
    made = both(Plant("pendulum"), 800, 4, log_applied=True, gain=0.5)
    state = made.pair.sim.of_role(Role.OBSERVATION)[0].name
    plain = Workbench(case(made.pair.sim, made.pair.target, Alignment(mode="step")))
    assert judged(plain, sound_upstream()).state is State.FAIL
    bench = plain.corrected([Correction(plain.case.pair.target_of(state) or state, 1.0, 1e-6)])
    open_scale = replace(read("scale", 1.3), channel=state)
    result = judged(bench, undecided(open_scale))
    assert result.state is State.INCONCLUSIVE
    assert "not settled with the correction in force" in result.reason
    assert "known state" in result.settle

    value = wander(400, 2, seed=3)
    sim = trace(0.02, value, reward=value[:, 0])
    target = trace(0.02, value, reward=1.3 * value[:, 0])
    paid = Workbench(case(sim, target, Alignment(mode="step")))
    assert REWARD.judge(paid, sound_upstream()).state is State.FAIL
    paid = paid.corrected([Correction("obs[0]", 1.0, 1e-9)])
    assert REWARD.judge(paid, undecided(read("scale", 1.3))).state is State.INCONCLUSIVE
