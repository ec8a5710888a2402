"""Clocks: which column, which unit, exact origins, repairs, resets, rates."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.model.pair import pair_traces
from tracescope.readers import inspect_file, open_trace
from tracescope.readers.base import ImportChoices


def table(times, name="timestamp", extra="q"):
    rows = "".join(f"{t},{i * 1.5}\n" for i, t in enumerate(times))
    return f"{name},{extra}\n{rows}"


@pytest.mark.parametrize(
    ("times", "name", "unit", "interval_s"),
    [
        ([f"{i * 0.02:.2f}" for i in range(20)], "timestamp", "s", 0.02),
        ([i * 20 for i in range(20)], "timestamp", "ms", 0.02),
        ([f"{i * 20.0}" for i in range(20)], "time", "ms", 0.02),
        ([i * 5000 for i in range(20)], "timestamp", "us", 0.005),
        ([20_327_115 + i * 2475 for i in range(20)], "timestamp", "us", 0.002475),
        ([i * 20_000_000 for i in range(20)], "timestamp", "ns", 0.02),
        ([i * 1000 for i in range(20)], "time_ms", "ms", 1.0),
        ([f"{i * 0.5}" for i in range(20)], "t [ms]", "ms", 0.0005),
        ([1_700_000_000_000 + i * 20 for i in range(20)], "timestamp", "ms", 0.02),
        ([1_700_000_000_000_000 + i * 20_000 for i in range(20)], "timestamp", "us", 0.02),
        ([f"{1_700_000_000 + i * 0.02:.6f}" for i in range(20)], "timestamp", "s", 0.02),
    ],
)
def test_that_the_unit_is_inferred_and_the_reason_said(tmp_path, times, name, unit, interval_s):
    trace = open_trace(put(tmp_path, table(times, name)))
    assert trace.clock.unit == unit
    assert trace.interval_s == pytest.approx(interval_s, rel=1e-9)
    assert trace.clock.because
    assert np.diff(trace.time_s) == pytest.approx(interval_s, rel=1e-6)


def test_that_the_unit_can_be_given(tmp_path):
    path = put(tmp_path, table([i * 20 for i in range(20)]))
    assert open_trace(path, choices=ImportChoices(time_unit="us")).interval_s == pytest.approx(
        20e-6
    )


def test_that_integer_nanoseconds_are_kept_without_loss(tmp_path):
    start = 1_637_700_000_000_000_000
    ns = [start + 500 * i for i in range(2000)]
    text = open_trace(put(tmp_path, table(ns)))
    with h5py.File(tmp_path / "ns.h5", "w") as file:
        file["timestamp"] = np.array(ns, dtype=np.int64)
        file["q"] = np.arange(2000.0)
    binary = open_trace(tmp_path / "ns.h5")
    for trace in (text, binary):
        assert trace.clock.origin_ns == start
        assert trace.clock.is_epoch
        assert np.rint(trace.time_s * 1e9).astype(int).tolist() == [500 * i for i in range(2000)]


def test_that_nanoseconds_with_missing_stamps_are_kept_without_loss(tmp_path):
    start = 1_637_700_000_000_000_001
    cells = [str(start + 500 * i) for i in range(40)]
    cells[7] = "nan"
    trace = open_trace(put(tmp_path, table(cells)))
    assert trace.clock.origin_ns == start
    assert note(trace, "missing-stamps").where == "line 9"
    assert np.rint(trace.time_s[-1] * 1e9) == 500 * 39


def test_that_epoch_seconds_with_nine_decimals_are_kept_to_the_nanosecond(tmp_path):
    cells = [f"1700000000.{i * 1_000_003:09d}" for i in range(50)]
    trace = open_trace(put(tmp_path, table(cells)))
    assert trace.clock.origin_ns == 1_700_000_000_000_000_000
    assert np.rint(trace.time_s * 1e9).astype(int).tolist() == [i * 1_000_003 for i in range(50)]


def test_that_epoch_seconds_are_drawn_relative_with_even_steps(tmp_path):
    trace = open_trace(put(tmp_path, table([f"{1.7e9 + i * 1e-3:.3f}" for i in range(500)])))
    assert trace.time_s[0] == 0.0
    assert np.diff(trace.time_s) == pytest.approx(1e-3, abs=1e-12)


def test_that_small_stamps_stay_as_the_file_has_them(tmp_path):
    trace = open_trace(put(tmp_path, table(["12.25", "12.75", "13.25"])))
    assert trace.clock.origin_ns == 0
    assert not trace.clock.is_epoch
    assert trace.time_s.tolist() == [12.25, 12.75, 13.25]


def test_that_dates_are_stamps_and_only_those_with_a_zone_are_comparable(tmp_path):
    zoned = table(["2026-02-20T17:13:54.250+09:00", "2026-02-20T17:13:54.750+09:00"], "time")
    naive = table(["2026-02-20 08:13:54.25", "2026-02-20 08:13:54.75"], "time")
    a = open_trace(put(tmp_path, zoned, "a.csv"))
    b = open_trace(put(tmp_path, naive, "b.csv"))
    assert a.clock.origin_ns == b.clock.origin_ns == 1_771_575_234_250_000_000
    assert (a.clock.is_epoch, b.clock.is_epoch) == (True, False)
    assert a.time_s.tolist() == b.time_s.tolist() == [0.0, 0.5]
    assert "UTC" in b.clock.because


def test_that_an_epoch_and_a_clock_from_zero_are_not_put_on_one_origin(tmp_path):
    sim = open_trace(put(tmp_path, table([f"{i * 0.02:.2f}" for i in range(50)]), "sim.csv"))
    real = open_trace(
        put(tmp_path, table([f"{1.7e9 + i * 0.02:.2f}" for i in range(50)]), "real.csv")
    )
    pair = pair_traces(sim, real)
    assert not pair.same_epoch
    assert pair.sim.time_s[0] == pair.target.time_s[0] == 0.0


def test_that_overlapping_epochs_are_put_on_one_origin(tmp_path):
    a = open_trace(
        put(
            tmp_path,
            table([1_700_000_000_000_000_000 + i * 20_000_000 for i in range(50)]),
            "a.csv",
        )
    )
    b = open_trace(
        put(
            tmp_path,
            table([1_700_000_000_100_000_000 + i * 20_000_000 for i in range(50)]),
            "b.csv",
        )
    )
    pair = pair_traces(a, b)
    assert pair.same_epoch
    assert pair.target.time_s[0] == pytest.approx(0.1)


def test_that_rows_out_of_order_are_sorted_counted_and_located(tmp_path):
    path = put(tmp_path, table(["0", "0.1", "0.05", "0.2", "0.3", "0.4"]))
    trace = open_trace(path)
    assert trace.time_s.tolist() == [0, 0.05, 0.1, 0.2, 0.3, 0.4]
    assert values(trace, "q") == [0.0, 3.0, 1.5, 4.5, 6.0, 7.5]
    said = note(trace, "out-of-order")
    assert (said.count, said.where, said.done) == (1, "line 4", "sorted by time")


def test_that_row_order_and_splitting_can_be_chosen(tmp_path):
    path = put(tmp_path, table(["0", "0.1", "0.05", "0.2", "0.3", "0.4"]))
    kept = open_trace(path, choices=ImportChoices(order="rows"))
    assert values(kept, "q") == [0.0, 1.5, 3.0, 4.5, 6.0, 7.5]
    assert (np.diff(kept.time_s) > 0).all()
    assert note(kept, "out-of-order").done == "row order kept"
    split = inspect_file(path, ImportChoices(order="split"))
    assert [episode.steps for episode in split.episodes] == [2, 4]


def test_that_a_restart_of_the_clock_begins_a_new_episode(tmp_path):
    once = [f"{i * 0.05:.2f}" for i in range(30)]
    path = put(tmp_path, table([*once, *once, *once[:12]]))
    found = inspect_file(path)
    assert [(e.key, e.steps) for e in found.episodes] == [("0", 30), ("1", 30), ("2", 12)]
    second = open_trace(f"{path}::1")
    assert second["q"].value[0] == 45.0
    assert note(second, "resets").count == 2
    assert open_trace(path, "2").duration_s == pytest.approx(0.55)
    assert "several-episodes" in keys(open_trace(path))
    with pytest.raises(TraceReadError, match="no episode '7'"):
        open_trace(path, "7")


def test_that_a_restart_of_the_step_counter_splits_rows_without_a_clock(tmp_path):
    rows = "".join(f"{i % 20},{i}\n" for i in range(50))
    found = inspect_file(put(tmp_path, f"step,obs\n{rows}"))
    assert [e.steps for e in found.episodes] == [20, 20, 10]


def test_that_an_episode_column_names_the_episodes(tmp_path):
    rows = "".join(f"{4 + i // 10},{i},{i * 0.1:.1f},{i}\n" for i in range(30))
    path = put(tmp_path, f"episode_index,frame_index,timestamp,obs\n{rows}")
    assert [e.key for e in inspect_file(path).episodes] == ["4", "5", "6"]
    assert open_trace(path, "5")["obs"].value[0] == 10


def test_that_two_time_columns_are_compared_and_the_clock_in_use_is_named(tmp_path):
    rows = "".join(f"{i * 0.1:.3f},{i * 0.1 + 0.5 + i * 0.035:.4f},{i}\n" for i in range(101))
    trace = open_trace(put(tmp_path, f"timestamp,receive_time,q\n{rows}"))
    assert trace.clock.column == "timestamp"
    assert trace.clock.others == ("receive_time",)
    said = note(trace, "second-clock")
    assert "+0.5 s from timestamp at the start, +4 s at the end" in said.what
    assert said.severity == "warning"
    assert trace["receive_time"].role == "other"
    other = open_trace(tmp_path / "log.csv", choices=ImportChoices(time_column="receive_time"))
    assert other.time_s[0] == pytest.approx(0.5)


def test_that_a_column_that_counts_from_another_origin_is_said_to(tmp_path):
    rows = "".join(f"{i * 0.02:.2f},{1.7e9 + i * 0.02:.2f},{i}\n" for i in range(50))
    trace = open_trace(put(tmp_path, f"time_rel,time,q\n{rows}"))
    assert trace.clock.column == "time"
    assert "another origin" in note(trace, "second-clock").what


def test_that_a_constant_dt_column_that_does_not_fit_the_stamps_is_said(tmp_path):
    rows = "".join(f"{i * 0.02:.2f},0.04,{i}\n" for i in range(50))
    trace = open_trace(put(tmp_path, f"timestamp,dt,q\n{rows}"))
    assert "constant 40 ms; the median interval is 20 ms" in note(trace, "nominal-interval").what


def test_that_a_nominal_rate_and_a_measured_rate_stand_side_by_side(tmp_path):
    with h5py.File(tmp_path / "log.h5", "w") as file:
        file.attrs["control_hz"] = 25.0
        file["timestamp"] = np.arange(100) * 0.02
        file["obs"] = np.zeros(100)
    trace = open_trace(tmp_path / "log.h5")
    assert trace.clock.rate_hz == 25.0
    assert trace.interval_s == pytest.approx(0.02)
    assert "says 25 Hz, its stamps say 50 Hz" in note(trace, "nominal-rate").what


def test_that_without_stamps_a_rate_is_taken_from_where_it_stands(tmp_path):
    with h5py.File(tmp_path / "rate.h5", "w") as file:
        file.attrs["fps"] = 20
        file["obs"] = np.zeros((40, 2))
    said = open_trace(tmp_path / "rate.h5")
    assert (said.clock.kind, said.clock.rate_hz) == ("nominal", 20.0)
    assert said.time_s[:3].tolist() == [0.0, 0.05, 0.1]
    constant = open_trace(put(tmp_path, "dt,obs\n" + "0.01,1\n" * 20))
    assert (constant.clock.kind, constant.clock.rate_hz) == ("nominal", 100.0)


def test_that_a_rate_is_never_invented(tmp_path):
    path = put(tmp_path, "obs,action\n" + "".join(f"{i * 0.3},{i % 7}\n" for i in range(20)))
    trace = open_trace(path)
    assert (trace.clock.kind, trace.clock.unit, trace.clock.rate_hz) == ("rows", "step", None)
    assert trace.time_s.tolist() == list(range(20))
    assert note(trace, "no-clock").severity == "warning"
    rated = open_trace(path, choices=ImportChoices(rate_hz=50.0))
    assert (rated.clock.kind, rated.interval_s) == ("nominal", pytest.approx(0.02))


def test_that_leading_placeholders_are_left_out(tmp_path):
    real = [f"{1.7e9 + i * 0.02:.2f}" for i in range(40)]
    trace = open_trace(put(tmp_path, table(["0", "0", "0", *real])))
    assert len(trace) == 40
    assert note(trace, "sentinel-stamps").count == 3
    minus = open_trace(
        put(tmp_path, table(["-1", "-1", *[f"{i * 0.02:.2f}" for i in range(40)]]), "minus.csv")
    )
    assert len(minus) == 40


def test_that_float32_epochs_that_collapse_are_no_clock(tmp_path):
    stamps = (1.7e9 + np.arange(300) * 0.02).astype(np.float32)
    with h5py.File(tmp_path / "flat.h5", "w") as file:
        file["timestamp"] = stamps
        file["step"] = np.arange(368, 668)
        file["obs"] = np.random.default_rng(0).normal(size=(300, 3))
    trace = open_trace(tmp_path / "flat.h5")
    assert trace.clock.kind == "rows"
    assert "collapse" in note(trace, "clock-unusable").what
    assert trace.step[0] == 368
    assert "timestamp" in trace


def test_that_stale_rows_are_told_from_duplicate_stamps(tmp_path):
    rows = ["0,1,5", "0.1,2,6", "0.1,2,7", "0.2,3,8", "0.2,4,9", "0.3,5,1"]
    trace = open_trace(put(tmp_path, "t,obs,action\n" + "\n".join(rows) + "\n"))
    assert (note(trace, "stale-rows").count, note(trace, "duplicate-stamps").count) == (1, 1)
    assert "row 2" in note(trace, "stale-rows").where


def test_that_gaps_are_counted_and_the_longest_said(tmp_path):
    times = [0, 0.02, 0.04, *(0.2037 + 0.02 * i for i in range(6))]
    trace = open_trace(put(tmp_path, table(times)))
    assert "163.7 ms" in note(trace, "gaps").what


def test_that_jitter_is_no_ground_to_refuse(tmp_path):
    rng = np.random.default_rng(0)
    stamps = (np.arange(90) / 30 + rng.normal(0, 0.002, 90)).astype(np.float32)
    trace = open_trace(put(tmp_path, table([repr(float(t)) for t in stamps])))
    assert len(trace) == 90
    assert not {"out-of-order", "clock-unusable"} & keys(trace)


@pytest.mark.parametrize(
    "names", ["time_s,time_us", "header.stamp.sec,header.stamp.nanosec", "t_sec,t_usec"]
)
def test_that_a_time_split_over_two_columns_is_joined_exactly(tmp_path, names):
    per = 10**9 if "nanosec" in names else 10**6
    ticks = [1_700_000_000 * per + i * per // 50 for i in range(120)]
    rows = "".join(f"{t // per},{t % per},{i}\n" for i, t in enumerate(ticks))
    trace = open_trace(put(tmp_path, f"{names},q\n{rows}"))
    assert trace.clock.origin_ns == 1_700_000_000_000_000_000
    assert np.diff(trace.time_s) == pytest.approx(0.02, abs=1e-12)
    assert [c.name for c in trace] == ["q"]


def test_that_a_union_of_rates_gives_each_signal_its_own_clock(tmp_path):
    events = sorted(
        {(round(i * 0.01, 4), "a") for i in range(100)}
        | {(round(i / 30 + 0.001, 4), "b") for i in range(30)}
    )
    rows = "".join(
        f"{t},{t * 2 if k == 'a' else ''},{t * 3 if k == 'b' else ''}\n" for t, k in events
    )
    trace = open_trace(put(tmp_path, f"__time,/joint/pos,/camera/x\n{rows}"))
    assert len(trace["/joint/pos"].time_s) == 100
    assert len(trace["/camera/x"].time_s) == 30
    assert np.isfinite(trace["/camera/x"].value).all()
    assert trace["/camera/x"].time_s[0] == pytest.approx(0.001)
    assert note(trace, "own-clocks").count == 2


def test_that_a_few_empty_cells_are_dropped_samples_on_the_common_clock(tmp_path):
    rows = "".join(f"{i * 0.1:.1f},{'' if i == 5 else i},{i}\n" for i in range(30))
    trace = open_trace(put(tmp_path, f"t,obs_0,obs_1\n{rows}"))
    assert trace["obs_0"].time_s is trace["obs_1"].time_s
    assert np.isnan(trace["obs_0"].value[5])


def test_that_the_step_counter_is_found_and_given_up_where_it_runs_back(tmp_path):
    good = open_trace(put(tmp_path, "step,t,q\n3,0.0,1\n4,0.1,2\n6,0.2,3\n"))
    assert good.step.tolist() == [3, 4, 6]
    bad = open_trace(
        put(tmp_path, "step,t,q\n0,0,1\n1,0.1,2\n2,0.2,3\n1,0.3,4\n2,0.4,5\n3,0.5,6\n", "bad.csv")
    )
    assert bad.step is None
    assert "step-runs-back" in keys(bad)


def test_that_columns_that_do_not_exist_are_refused_with_the_closest_names(tmp_path):
    path = put(tmp_path, table(["0", "1", "2"]))
    for choices in (
        ImportChoices(time_column="timestmp"),
        ImportChoices(step_column="timestmp"),
        ImportChoices(roles=(("observation", ("timestmp",)),)),
    ):
        with pytest.raises(TraceReadError, match="closest names: timestamp"):
            open_trace(path, choices=choices)


def test_that_loaders_keep_no_state_between_files(tmp_path):
    a = put(tmp_path, table(["0", "0.1", "0.2"]), "a.csv")
    b = put(tmp_path, table(["100", "100.1", "100.2"]), "b.csv")
    first = [open_trace(p).time_s.tolist() for p in (a, b)]
    assert first == [open_trace(p).time_s.tolist() for p in (b, a)][::-1]
