"""Probing a pair: differences of known truth against budgets, and what a span does not hold."""

from dataclasses import replace

import numpy as np
import pytest

from tests.analysis.test_probe_events import half_sine, second_order
from tests.builders import case, trace, wander
from tracescope.checks.probing import BUDGETS, DEFAULTS, KINDS, Probe, probe
from tracescope.checks.probing_budgets import LATENCY
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult, State
from tracescope.model.correction import Correction
from tracescope.model.errors import UsageError
from tracescope.model.trace import Clock, Trace
from tracescope.session.open import open_session, side_of

DT = 0.002


def unit(recording: Trace, units: str) -> Trace:
    channels = tuple(
        replace(c, unit=units) if c.name.startswith("obs") else c for c in recording.channels
    )
    return replace(recording, channels=channels)


def force_pair(peak: float = 20.0, late: float = 0.0, offset: float = 0.3, units: str = "N"):
    t = np.arange(0, 3, DT)
    noise = 0.01 * np.random.default_rng(0).standard_normal((2, t.size))
    sim = trace(DT, half_sine(t, 1.0, 0.2, 20.0) + noise[0], np.zeros(t.size))
    target = trace(DT, half_sine(t, 1.0 + late, 0.2, peak) + noise[1], np.zeros(t.size), t0=offset)
    at = Alignment(
        offset_s=offset, pivot_s=offset, offset_interval_s=(offset - 1e-4, offset + 1e-4)
    )
    return case(unit(sim, units), unit(target, units), at)


def step_pair(omega: float = 12.0, damping: float = 0.4):
    t = np.arange(0, 4, DT)
    command = np.where(t >= 1, 1.0, 0.0)
    sim = trace(DT, second_order(t - 1), command)
    return case(sim, trace(DT, second_order(t - 1, damping, omega), command))


def states(result: CheckResult) -> dict[str, State]:
    return {m.quantity: m.state for m in result.measurements}


def test_that_equal_contacts_keep_the_budget():
    result = probe(force_pair(), Probe("", "obs", (0, 3), ("contact",)))
    assert result.state is State.PASS
    assert result.id == "probe"
    assert "inside the budget: peak force, contact impulse" in result.reason


@pytest.mark.parametrize(("peak", "said"), [(45.0, State.FAIL), (5.0, State.INCONCLUSIVE)])
def test_that_a_harder_contact_differs_in_peak_and_impulse(peak, said):
    result = probe(force_pair(peak, late=0.05), Probe("", "obs", (0, 3), ("contact",)))
    (force,) = result.measured("peak force")
    assert force.interval[0] <= peak - 20 <= force.interval[1]
    assert force.state in (said, State.FAIL)
    (impulse,) = result.measured("contact impulse")
    assert impulse.interval[0] <= (peak - 20) * 0.4 / np.pi <= impulse.interval[1]
    assert impulse.state is State.FAIL
    (onset,) = result.measured("contact onset")
    # One threshold for both, 5 % of the softer contact, is passed sooner by the harder one.
    threshold = 0.05 * min(20.0, peak)
    passed = (np.arcsin(threshold / peak) - np.arcsin(threshold / 20)) * 200 / np.pi
    assert onset.interval[0] <= 50 + passed <= onset.interval[1]
    assert not onset.judged
    assert result.state is State.FAIL


def test_that_an_onset_waits_for_the_alignment_and_a_peak_does_not():
    undecided = {"alignment": CheckResult.inconclusive("alignment", "rivals")}
    marked = Probe("", "obs", (0, 3), ("contact", "distribution"))
    result = probe(force_pair(), marked, DEFAULTS, undecided)
    assert result.measured("contact onset")[0].blocked == "the alignment is not established"
    assert states(result)["peak force"] is State.PASS
    assert states(result)["distribution distance"] is State.INCONCLUSIVE


def test_that_a_span_without_contact_is_inconclusive_and_says_so():
    result = probe(force_pair(), Probe("", "obs", (0, 0.9), ("contact",)))
    assert result.state is State.INCONCLUSIVE
    assert "holds no contact" in result.reason
    assert result.settle


def test_that_without_a_kind_a_span_without_event_is_inconclusive():
    result = probe(force_pair(), Probe("action", "obs", (0, 0.9)))
    assert result.state is State.INCONCLUSIVE
    assert "no event with a budget: no step of the command" in result.reason


def test_that_a_contact_on_one_side_alone_is_named():
    t = np.arange(0, 3, DT)
    one = trace(DT, half_sine(t, 1.0, 0.2, 20.0))
    two = trace(DT, half_sine(t, 1.0, 0.2, 20.0) + half_sine(t, 2.0, 0.2, 20.0))
    result = probe(case(unit(one, "N"), unit(two, "N")), Probe("", "obs", (0, 3), ("contact",)))
    assert result.state is State.INCONCLUSIVE
    assert "the sim shows 1 and the target 2" in result.reason


def test_that_a_budget_in_newtons_does_not_judge_another_unit():
    result = probe(force_pair(45.0, units="Nm"), Probe("", "obs", (0, 3), ("contact",)))
    (peak,) = result.measured("peak force")
    assert not peak.judged
    assert "the unit is Nm" in peak.note
    own = DEFAULTS.with_band("probe.peak-force", (-1.0, 1.0))
    judged = probe(force_pair(45.0, units="Nm"), Probe("", "obs", (0, 3), ("contact",)), own)
    assert states(judged)["peak force"] is State.FAIL


def test_that_equal_steps_keep_the_budget_and_others_do_not():
    marked = Probe("action", "obs", (0, 4), ("step",))
    same = probe(step_pair(), marked)
    assert same.state is State.PASS
    assert states(same)["settling"] is State.PASS
    slow = probe(step_pair(omega=6.0), marked)
    assert states(slow)["settling"] is State.FAIL
    assert states(slow)["overshoot"] is State.PASS
    loose = probe(step_pair(damping=0.2), marked)
    assert states(loose)["overshoot"] is State.FAIL


def test_that_a_budget_that_is_set_judges_what_was_only_reported():
    marked = Probe("action", "obs", (0, 4), ("step",))
    budgets = DEFAULTS.with_band(LATENCY.key, (-5.0, 5.0))
    assert not probe(step_pair(omega=6.0), marked).measured("delay of the step response")[0].judged
    late = probe(step_pair(omega=6.0), marked, budgets).measured("delay of the step response")[0]
    assert late.state is State.FAIL


@pytest.mark.parametrize(("rows", "said"), [(0, State.PASS), (10, State.FAIL)])
def test_that_a_delay_shows_as_phase_and_latency(rows, said):
    command = np.random.default_rng(0).standard_normal(12000)
    command = np.convolve(command, np.hanning(8) / 4, "same")

    def answered(late: int, seed: int) -> Trace:
        response = np.concatenate((np.zeros(5 + late), command[: command.size - 5 - late]))
        return trace(
            DT, response + 0.05 * np.random.default_rng(seed).standard_normal(12000), command
        )

    result = probe(
        case(answered(0, 1), answered(rows, 2)),
        Probe("action", "obs", (0, 24), ("phase", "latency")),
    )
    (phase,) = result.measured("phase lag at 10 Hz")
    assert phase.interval[0] <= 360 * 10 * rows * DT <= phase.interval[1]
    assert phase.state is said
    (late,) = result.measured("end-to-end latency")
    assert late.interval[0] - 0.2 <= rows * DT * 1e3 <= late.interval[1] + 0.2


def test_that_an_incoherent_phase_is_inconclusive():
    noise = np.random.default_rng(0).standard_normal((3, 4000))
    result = probe(
        case(trace(DT, noise[0], noise[1]), trace(DT, noise[2], noise[1])),
        Probe("action", "obs", (0, 8), ("phase",)),
    )
    assert result.state is State.INCONCLUSIVE
    assert "coherence" in result.reason


def test_that_a_centroid_is_told_in_millimetres():
    place = wander(400, 2, seed=0) * 0.01
    shifted = place + np.array([0.003, 0.004])
    sim, target = (unit(trace(0.02, p), "m") for p in (place, shifted))
    result = probe(case(sim, target), Probe("", "obs[0]+obs[1]", (0, 8), ("centroid",)))
    (distance,) = result.measured("centroid distance")
    assert distance.estimate == pytest.approx(5.0, abs=1e-6)
    assert distance.unit == "mm"
    assert result.state is State.FAIL
    pixels = probe(
        case(unit(sim, "px"), unit(target, "px")), Probe("", "obs[0]+obs[1]", (0, 8), ("centroid",))
    )
    assert not pixels.measurements[0].judged


def test_that_a_sustained_dropout_fails_and_a_short_one_does_not():
    value = wander(300, seed=0)[:, 0]
    for rows, said in ((2, State.PASS), (5, State.FAIL)):
        held = value.copy()
        held[100 : 100 + rows] = held[99]
        result = probe(
            case(trace(0.02, value), trace(0.02, held)), Probe("", "obs", (0, 6), ("dropout",))
        )
        assert result.state is said


def test_that_a_sensor_at_rest_is_not_called_a_dropout():
    creeping = 1 - np.exp(-np.arange(300) / 20.0)
    pair = case(trace(0.02, creeping), trace(0.02, np.round(creeping, 2)))
    result = probe(pair, Probe("", "obs", (0, 6), ("dropout",)))
    assert result.state is State.INCONCLUSIVE
    assert "may be a sensor at rest" in result.measurements[0].note


def test_that_overruns_jitter_and_age_are_the_targets():
    value = wander(400, seed=0)[:, 0]
    late = 0.02 * np.arange(400.0)
    late[200:] += 0.015
    rng = np.random.default_rng(0)
    sim = trace(0.02, value)
    target = trace(time_s=late, obs=value, latency=0.01 + 0.001 * rng.standard_normal(400))
    target = replace(
        target,
        channels=tuple(replace(c, unit="s") if c.name == "latency" else c for c in target.channels),
    )
    result = probe(case(sim, target), Probe("", "obs", (0, 8), ("timing",)))
    found = states(result)
    assert found["deadline overruns at 50 Hz"] is State.FAIL
    assert found["observation age (latency)"] is State.PASS
    assert found["interval jitter"] is State.PASS
    early = probe(case(sim, target), Probe("", "obs", (0, 3.5), ("timing",)))
    assert early.state is State.PASS
    slow = probe(case(sim, target), Probe("", "obs", (0, 8), ("timing",), rate_hz=200.0))
    assert "not at 200 Hz" in slow.reason


def test_that_computed_stamps_say_nothing_about_a_loop():
    value = wander(400, seed=0)[:, 0]
    nominal = trace(0.02, value, clock=Clock("nominal", rate_hz=50.0))
    result = probe(case(trace(0.02, value), nominal), Probe("", "obs", (0, 8), ("timing",)))
    assert result.state is State.INCONCLUSIVE


def test_that_a_correction_is_applied_and_named():
    pair = force_pair(40.0)
    corrected = pair.with_correction(Correction("obs", 2.0))
    result = probe(corrected, Probe("", "obs", (0, 3), ("contact",)))
    assert states(result)["peak force"] is State.PASS
    assert result.applied == ("clock", "obs ÷ 2")


def test_that_a_span_outside_the_recording_is_inconclusive():
    result = probe(force_pair(), Probe("", "obs", (10, 12)))
    assert result.state is State.INCONCLUSIVE
    assert "fewer than 8 samples of the sim and the target" in result.reason


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("action", "obs", (2, 1)), "begins before it ends"),
        (("action", "obs", (0, float("nan"))), "begins before it ends"),
        (("action", "obs", (0, 1), ("dance",)), "no such probe"),
        (("action", "obs", (0, 1), ("phase",), -1.0), "positive"),
    ],
)
def test_that_a_probe_that_is_none_is_refused(arguments, said):
    with pytest.raises(UsageError, match=said):
        Probe(*arguments)


def test_that_unknown_channels_are_named_with_close_ones():
    with pytest.raises(UsageError, match="'obz'") as error:
        probe(force_pair(), Probe("act", "obz", (0, 3)))
    assert "'act'" in str(error.value)
    with pytest.raises(UsageError, match="needs a command"):
        probe(force_pair(), Probe("", "obs", (0, 3), ("step",)))


def test_that_every_budget_has_a_reason_and_lies_in_its_range():
    for budget in BUDGETS:
        assert budget.why
        assert budget.key.startswith("probe.")
        assert budget.allowed[0] <= budget.low <= budget.high <= budget.allowed[1]


@pytest.mark.parametrize("kind", KINDS)
def test_that_a_pair_with_itself_never_fails(kind):
    pair = force_pair()
    same = case(pair.pair.sim, pair.pair.sim)
    assert probe(same, Probe("action", "obs", (0, 3), (kind,))).state is not State.FAIL


@pytest.mark.parametrize("name", ["rollout01_step", "rollout14_ramp", "rollout24_triangle"])
def test_that_a_servo_at_rest_is_never_failed_for_it(shared_data, name):
    sides = [side_of(str(shared_data / "servo" / f"{name}_{end}.csv")) for end in ("sim", "real")]
    session = open_session(*sides)
    result = probe(session.case, Probe("action_target", "obs_angle", (0, 3)))
    assert result.state is State.INCONCLUSIVE


def test_that_the_servos_square_keeps_its_overshoot(shared_data):
    folder = shared_data / "servo"
    sides = [side_of(str(folder / f"rollout30_square_{end}.csv")) for end in ("sim", "real")]
    session = open_session(*sides)
    result = probe(session.case, Probe("action_target", "obs_angle", (0, 3), ("step",)))
    assert result.state is State.INCONCLUSIVE  # it has not settled when the next step comes
    assert states(result)["overshoot, step 2 of 3"] is State.PASS
    assert not any(state is State.FAIL for state in states(result).values())
