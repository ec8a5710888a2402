"""Trajectories of poses: TUM, EuRoC and KITTI."""

from __future__ import annotations

import numpy as np
import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import open_trace

T0 = 1_403_636_579_758_555_392


def quaternion(i):
    angle = 0.01 * i
    return np.cos(angle), 0.0, 0.0, np.sin(angle)


def tum(n=30, start="1305031102.1753"):
    lines = ["# timestamp tx ty tz qx qy qz qw"]
    for i in range(n):
        w, x, y, z = quaternion(i)
        lines.append(f"{start}{i:02d} {i} {-i} 0.5 {x} {y} {z} {w}")
    return "\n".join(lines) + "\n"


def euroc(n=30, width=17, step=5_000_000):
    lines = ["#timestamp [ns], p_RS_R_x [m], p_RS_R_y [m], p_RS_R_z [m], q_RS_w [], …"]
    for i in range(n):
        more = [0.1 * i, 0, 0] + [0.001] * 6 if width == 17 else []
        cells = [T0 + step * i + 1, i, -i, 0.5, *quaternion(i), *more]
        lines.append(",".join(map(str, cells)))
    return "\n".join(lines) + "\n"


def kitti(n=30):
    lines = []
    for i in range(n):
        c, s = np.cos(0.1 * i), np.sin(0.1 * i)
        lines.append(" ".join(f"{v:.6e}" for v in (c, 0, s, i, 0, 1, 0, 2 * i, -s, 0, c, 0)))
    return "\n".join(lines)


def test_that_tum_keeps_every_digit_of_its_stamps(tmp_path):
    trace = open_trace(put(tmp_path, tum(), "groundtruth.txt"))
    assert trace.source.layout == "poses"
    assert (trace.clock.unit, trace.clock.is_epoch, trace.clock.origin_ns) == (
        "s",
        True,
        1305031102175300000,
    )
    assert np.rint(trace.time_s * 1e9).astype(int).tolist() == [1000 * i for i in range(30)]
    assert [c.name for c in trace] == ["tx", "ty", "tz", "qx", "qy", "qz", "qw"]
    assert values(trace, "qw")[:2] == [1.0, pytest.approx(np.cos(0.01))]
    assert "x y z w" in note(trace, "quaternion-order").what
    assert dict(trace.metadata)["comment"] == "timestamp tx ty tz qx qy qz qw"


@pytest.mark.parametrize("width", [8, 17])
def test_that_euroc_nanoseconds_are_not_rounded(tmp_path, width):
    trace = open_trace(put(tmp_path, euroc(width=width, step=4_999_999), "data.csv"))
    assert (trace.source.layout, trace.clock.unit) == ("poses", "ns")
    assert trace.clock.origin_ns == T0 + 1
    assert np.rint(trace.time_s * 1e9).astype(int).tolist() == [4_999_999 * i for i in range(30)]
    assert values(trace, "qw")[1] == pytest.approx(np.cos(0.01))
    assert "w x y z" in note(trace, "quaternion-order").what
    assert len(trace.of_role("observation")) == (7 if width == 8 else 10)


def test_that_kitti_has_no_clock(tmp_path):
    trace = open_trace(put(tmp_path, kitti(), "00.txt"))
    assert (trace.source.layout, trace.clock.kind) == ("poses", "rows")
    assert values(trace, "T[1][3]") == [2.0 * i for i in range(30)]
    assert "quaternion-order" not in keys(trace)


def test_that_eight_or_twelve_numbers_alone_are_no_poses(tmp_path):
    eight = "\n".join(" ".join(str(0.3 * i + k) for k in range(8)) for i in range(20))
    twelve = "\n".join(" ".join(str(0.3 * i + k) for k in range(12)) for i in range(20))
    for text in (eight, twelve):
        assert open_trace(put(tmp_path, text, "log.txt")).source.layout == "csv"


def test_that_a_cut_last_line_is_said_and_a_broken_one_refused(tmp_path):
    text = tum(60)
    cut = open_trace(put(tmp_path, text[:-30], "a.txt"))
    assert len(cut) == 59
    assert note(cut, "truncated-line").count == 1
    for broken in ("1305031102.5 1 2 x 0 0 0 1", "1305031102.5 1 2"):
        lines = text.splitlines()
        lines[50] = broken
        with pytest.raises(TraceReadError, match=r"a.txt:51: expected 8 numbers"):
            open_trace(put(tmp_path, "\n".join(lines), "a.txt"))
