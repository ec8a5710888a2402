"""Real text recordings open with the right rows, clock, rate and roles."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.readers.helpers import note
from tracescope.model.errors import TraceReadError
from tracescope.readers import inspect_file, open_trace


def roles(trace):
    return Counter(str(channel.role) for channel in trace)


SERVO = {"rollout00_chirp": 150, "rollout01_step": 50, "rollout14_ramp": 100, "rollout24_triangle": 100,
         "rollout30_square": 100}  # fmt: skip


@pytest.mark.parametrize("side", ["sim", "real"])
@pytest.mark.parametrize(("name", "rows"), SERVO.items())
def test_that_servo_rollouts_open(shared_data, name, rows, side):
    trace = open_trace(shared_data / "servo" / f"{name}_{side}.csv")
    assert len(trace) == rows
    assert trace.interval_s == pytest.approx(0.02)
    assert trace.step.tolist() == list(range(rows))
    assert {c.name: str(c.role) for c in trace} == {
        "obs_angle": "observation",
        "action_target": "action",
    }
    assert not trace.health


@pytest.mark.parametrize(
    "name", ["hardware__experiment_b__RL_trial_11", "sim__experiment_b__sim_exp_b_trial_1"]
)
def test_that_ball_and_beam_opens(shared_data, name):
    trace = open_trace(shared_data / "ball-and-beam" / f"{name}.first76rows.csv")
    assert len(trace) == 76
    assert (trace.clock.column, trace.clock.unit, trace.clock.is_epoch) == ("time", "s", True)
    assert trace.clock.others == ("time_rel", "dt")
    assert [c.name for c in trace.of_role("observation")] == ["x", "xdot", "theta", "thdot"]
    assert [c.name for c in trace.of_role("action")] == ["action_raw"]
    assert [c.name for c in trace.of_role("action_applied")] == ["setpoint_sent"]
    assert any(key == "comment" for key, _ in trace.metadata)
    assert len(trace.channels) == 17


def test_that_stale_rows_and_the_nominal_interval_of_the_hardware_are_noticed(shared_data):
    path = shared_data / "ball-and-beam" / "hardware__experiment_b__RL_trial_11.first76rows.csv"
    trace = open_trace(path)
    assert note(trace, "stale-rows").count == 20
    assert "constant 10 ms" in note(trace, "nominal-interval").what
    assert trace.clock.origin_ns == 1_771_582_434_313_692_000
    assert float(np.diff(trace.time_s).max()) == pytest.approx(0.0309, abs=2e-4)


def test_that_the_quadruped_table_opens(shared_data):
    path = next((shared_data / "go2-observation-and-motor-delay").glob("*.csv"))
    trace = open_trace(path)
    assert len(trace) == 300
    assert trace.interval_s == pytest.approx(0.02)
    assert roles(trace) == {"observation": 30, "action": 12, "other": 12, "done": 1}
    assert trace["obs_vx"].role == "observation"
    assert trace["torque_FL_hip"].role == "other"


@pytest.mark.parametrize(
    ("topic", "rows", "interval_s"),
    [
        ("actuator_controls_0_0", 1812, 0.002476),
        ("vehicle_angular_velocity_0", 1812, 0.002475),
        ("vehicle_attitude_0", 1298, 0.004888),
        ("vehicle_status_0", 14, 0.505986),
    ],
)
def test_that_flight_log_topics_open(shared_data, topic, rows, interval_s):
    trace = open_trace(shared_data / "layouts" / "px4-ulog2csv" / f"sample_log_small_{topic}.csv")
    assert len(trace) == rows
    assert (trace.clock.column, trace.clock.unit) == ("timestamp", "us")
    assert trace.interval_s == pytest.approx(interval_s, rel=1e-3)


def test_that_the_gap_of_the_flight_log_is_noticed(shared_data):
    path = (
        shared_data / "layouts" / "px4-ulog2csv" / "sample_log_small_vehicle_angular_velocity_0.csv"
    )
    trace = open_trace(path)
    assert "163.7 ms" in note(trace, "gaps").what
    assert [c.name for c in trace.of_role("observation")] == ["xyz[0]", "xyz[1]", "xyz[2]"]


def test_that_the_topics_of_a_flight_log_are_one_recording(shared_data):
    trace = open_trace(shared_data / "layouts" / "px4-ulog2csv")
    assert trace.source.layout == "csv-folder"
    assert len(trace) == 1812
    assert len(trace["vehicle_attitude_0/q[0]"].time_s) == 1298
    assert trace["actuator_controls_0_0/control[0]"].role == "action"


@pytest.mark.parametrize("name", ["main", "rawunits"])
def test_that_the_arm_recordings_open(shared_data, name):
    trace = open_trace(shared_data / "so101-sage" / "step_response" / name)
    joints = ["Rotation", "Pitch", "Elbow", "Wrist_Pitch", "Wrist_Roll", "Jaw"]
    assert len(trace) == 6000
    assert (trace.clock.unit, trace.interval_s) == ("us", pytest.approx(0.02006, rel=1e-3))
    assert [c.name for c in trace.of_role("action")] == [f"control/positions/{j}" for j in joints]
    assert [c.name for c in trace.of_role("observation")] == [
        f"state_motor/{what}/{j}" for what in ("positions", "velocities", "torques") for j in joints
    ]
    assert trace["event/event"].labels == ("CONTROL_MODE_ENABLE", "MOTION_START", "DISABLE")
    assert trace.duration_s == pytest.approx(120.34, abs=0.01)
    largest = float(trace["state_motor/velocities/Rotation"].value.max())
    assert largest == pytest.approx(500.0 if name == "rawunits" else 500.0 / 651.9, rel=0.01)


def test_that_the_humanoid_recording_keeps_a_clock_a_file(shared_data):
    trace = open_trace(shared_data / "so101-sage" / "h1_2" / "0-Subject_4_F_5")
    assert roles(trace) == {"action": 23, "observation": 12, "other": 2}
    assert len(trace) == 3876
    assert len(trace["control/positions[0]"].time_s) == 388
    assert trace.interval_s == pytest.approx(0.002, rel=0.02)
    assert note(trace, "empty-channels").count == 2
    printed = trace["event/data"].labels
    assert any("object at 0x" in label for label in printed)


def test_that_every_text_recording_is_inspected_or_refused_with_a_reason(shared_data):
    for path in sorted(shared_data.rglob("*.csv")):
        found = inspect_file(path)
        assert found.layout == "csv"
        assert found.traces[0].time_s.size == found.episodes[0].steps
    for path in sorted(shared_data.rglob("*.md")):
        with pytest.raises(TraceReadError):
            open_trace(path)
