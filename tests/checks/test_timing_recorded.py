"""Timing on real recordings of known truth."""

import pytest

from tests.checks.timing_judged import RESPONSE, judged, one
from tracescope.checks.timing_response import AGE_QUANTITY
from tracescope.model.check import State
from tracescope.model.trace import Trace


def go2(shared_data, name: str) -> Trace:
    from tracescope.readers.registry import open_trace

    (path,) = (shared_data / "go2-observation-and-motor-delay").glob(f"*_{name}_*.h5")
    return open_trace(path)


def test_that_go2_with_a_motor_delay_answers_one_step_later(shared_data) -> None:
    result = judged(go2(shared_data, "motordelay0"), go2(shared_data, "motordelay1"))
    latency = one(result, RESPONSE)
    assert latency.estimate == pytest.approx(1.0, abs=0.1)
    assert latency.state is State.FAIL
    assert "torque" in latency.note
    assert "+19." in latency.note or "+20." in latency.note


@pytest.mark.parametrize("name", ["delay1", "delay2"])
def test_that_go2_with_old_observations_does_not_pass_on_its_torques(
    shared_data, name: str
) -> None:
    """The policy acts on observations one and two steps old; nothing but torque answers its actions."""
    result = judged(go2(shared_data, "delay0"), go2(shared_data, name))
    assert result.state is State.INCONCLUSIVE
    assert one(result, RESPONSE).state is State.PASS
    age = one(result, AGE_QUANTITY)
    assert age.interval is None
    assert "action → torque only" in result.reason
    assert "the age of observations is untested, because" in result.reason
    assert "age of each observation" in result.settle


def test_that_go2_against_its_twin_passes(shared_data) -> None:
    assert judged(go2(shared_data, "delay0"), go2(shared_data, "motordelay0")).state is State.PASS


def test_that_the_ball_and_beam_log_is_stale_and_uneven(shared_data) -> None:
    from tracescope.readers.registry import open_trace

    folder = shared_data / "ball-and-beam"
    (sim,), (real,) = folder.glob("sim*.csv"), folder.glob("hardware*.csv")
    result = judged(open_trace(sim), open_trace(real))
    stale = one(result, "stale rows")
    assert "20 of 76" in stale.note
    assert stale.state is State.FAIL
    assert one(result, "interval jitter").state is State.FAIL
    stated = one(result, "measured over stated interval (column dt)")
    assert "10 ms always" in stated.note
    assert "0 to 30.9" in stated.note


@pytest.mark.parametrize("name", ["00_chirp", "01_step", "14_ramp", "24_triangle", "30_square"])
def test_that_servo_pairs_give_no_delay_finding(shared_data, name: str) -> None:
    from tracescope.readers.registry import open_trace

    sim, real = (
        open_trace(shared_data / "servo" / f"rollout{name}_{side}.csv") for side in ("sim", "real")
    )
    result = judged(sim, real)
    assert one(result, RESPONSE).state is not State.FAIL
    assert not any(lead.kind == "delay" for lead in result.leads)
