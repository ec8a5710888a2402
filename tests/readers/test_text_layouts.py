"""Text tables as well-known tools write them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readers.helpers import put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import open_trace

EPOCH = 1_700_000_000
N = 60


def lines(header, row, n=N):
    body = [row(i) for i in range(n)]
    return "\n".join([header, *body] if header else body) + "\n"


def test_that_rostopic_echo_is_read(tmp_path):
    head = "%time,field.header.seq,field.header.stamp,field.header.frame_id,field.position0"
    text = lines(
        head,
        lambda i: f"{EPOCH * 10**9 + i * 10**7 + 555},{i},{EPOCH * 10**9 + i * 10**7},base,{i / 3}",
    )
    trace = open_trace(put(tmp_path, text))
    assert (trace.clock.column, trace.clock.unit, trace.clock.origin_ns) == (
        "time",
        "ns",
        EPOCH * 10**9 + 555,
    )
    assert trace.clock.others == ("field.header.stamp",)
    assert trace["field.header.frame_id"].labels == ("base",)


def test_that_ros2_echo_without_any_header_is_read(tmp_path):
    text = lines("", lambda i: f"{EPOCH + i // 100},{i % 100 * 10**7},base_link,{i / 3}")
    trace = open_trace(put(tmp_path, text))
    assert trace.clock.origin_ns == EPOCH * 10**9
    assert np.diff(trace.time_s) == pytest.approx(0.01)
    assert values(trace, "column 4")[3] == 1.0


@pytest.mark.parametrize("head", ["# timestamp tx ty tz qx qy qz qw", ""])
def test_that_tum_trajectories_are_read(tmp_path, head):
    text = lines(head, lambda i: f"{EPOCH + i * 0.01:.4f} {i / 7:.4f} 1 2 0 0 0 1")
    trace = open_trace(put(tmp_path, text, "trajectory.txt"))
    assert trace.clock.is_epoch
    assert trace.interval_s == pytest.approx(0.01)
    assert len(trace.channels) == 7
    assert trace.clock.because


def test_that_euroc_trajectories_are_read_without_loss(tmp_path):
    start = 1_403_636_580_863_550_000
    text = lines(
        "#timestamp [ns],p_RS_R_x [m],q_RS_w []", lambda i: f"{start + i * 5_000_001},{i / 3},1"
    )
    trace = open_trace(put(tmp_path, text))
    assert (trace.clock.origin_ns, trace.clock.unit) == (start, "ns")
    assert np.rint(trace.time_s * 1e9).astype(int).tolist() == [i * 5_000_001 for i in range(N)]
    assert trace["p_RS_R_x [m]"].unit == "m"


def test_that_kitti_poses_have_no_clock(tmp_path):
    rng = np.random.default_rng(0)
    text = lines("", lambda _: " ".join(f"{v:.6e}" for v in rng.normal(size=12)))
    trace = open_trace(put(tmp_path, text, "poses.txt"))
    assert trace.clock.kind == "rows"
    assert len(trace.channels) == 12


def test_that_a_controller_log_with_the_same_names_twice_keeps_both(tmp_path):
    text = lines("time,q[0],q_d[0],q_d[0]", lambda i: f"{i * 0.001:.3f},{i},{2 * i},{3 * i}")
    trace = open_trace(put(tmp_path, text))
    assert values(trace, "q_d[0] (2)")[5] == 15


def test_that_plotjuggler_exports_are_read_and_its_statistics_refused(tmp_path):
    text = lines(
        "__time,/joint/position,/cmd/data[0]", lambda i: f"{EPOCH + i * 0.01:.6f},{i}.5,{i}"
    )
    trace = open_trace(put(tmp_path, text))
    assert trace.clock.column == "__time"
    statistics = "Series,Current,Min,Max,Average\n/joint/position,1,2,3,4\n"
    with pytest.raises(TraceReadError, match="statistics of signals"):
        open_trace(put(tmp_path, statistics, "statistics.csv"))


def test_that_index_columns_of_pandas_count_rows(tmp_path):
    named = lines("Unnamed: 0.1,Unnamed: 0,timestamp,obs", lambda i: f"{i},{i},{i * 0.02:.2f},{i}")
    bare = lines(",timestamp,obs", lambda i: f"{i},{i * 0.02:.2f},{i}")
    for name, text in (("named.csv", named), ("bare.csv", bare)):
        trace = open_trace(put(tmp_path, text, name))
        assert trace.step.tolist() == list(range(N))
        assert trace.clock.column == "timestamp"


def test_that_time_may_be_the_last_column_or_have_a_foreign_name(tmp_path):
    last = open_trace(
        put(tmp_path, lines("theta,torque,time", lambda i: f"{i},{i},{i * 0.01:.2f}"), "last.csv")
    )
    foreign = open_trace(
        put(
            tmp_path,
            lines(
                "Zeit [s];Winkel [rad]", lambda i: f"{i * 0.01:.2f};{i / 3:.3f}".replace(".", ",")
            ),
            "de.csv",
        )
    )
    for trace in (last, foreign):
        assert trace.interval_s == pytest.approx(0.01)
    assert foreign["Winkel [rad]"].unit == "rad"


def test_that_times_of_day_are_a_clock_also_past_midnight(tmp_path):
    def stamp(i):
        second = (86_399.9 + i * 0.02) % 86_400
        return f"{int(second // 3600):02d}:{int(second % 3600 // 60):02d}:{second % 60:06.3f},{i}"

    trace = open_trace(put(tmp_path, lines("t,q", stamp)))
    assert len(trace) == N
    assert np.diff(trace.time_s) == pytest.approx(0.02, abs=1e-6)
    assert not trace.clock.is_epoch


def test_that_dates_with_a_slash_or_a_single_digit_are_read(tmp_path):
    trace = open_trace(
        put(tmp_path, lines("date;q", lambda i: f"2024/5/1 9:00:{i % 60:02d}.5;{i}"))
    )
    assert np.diff(trace.time_s) == pytest.approx(1.0)


def test_that_a_legged_gym_table_without_clock_gets_its_roles(tmp_path):
    head = "dof_pos_target,dof_pos,dof_vel,dof_torque,base_vel_x"
    trace = open_trace(put(tmp_path, lines(head, lambda i: f"{i},{i / 3},{i / 7},{-i},{i / 9}")))
    assert [str(c.role) for c in trace] == ["action", *["observation"] * 4]
