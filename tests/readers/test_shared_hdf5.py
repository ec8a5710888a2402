"""Recordings of a quadruped in HDF5, against what is known of them."""

from __future__ import annotations

import numpy as np
import pytest

from tracescope.readers import inspect_file, open_trace

FOLDER = "go2-observation-and-motor-delay"


def recording(shared_data, what):
    return open_trace(next((shared_data / FOLDER).glob(f"*_{what}_*.h5")))


@pytest.mark.parametrize("what", ["delay0", "delay1", "delay2", "motordelay0", "motordelay1"])
def test_that_a_run_opens_with_its_names_rows_roles_and_rate(shared_data, what):
    trace = recording(shared_data, what)
    assert (trace.source.layout, len(trace), trace.clock.kind) == ("hdf5", 300, "stamped")
    assert trace.interval_s == pytest.approx(0.02)
    assert len(trace.of_role("observation")) == 30
    assert len(trace.of_role("action")) == 12
    assert {c.column for c in trace.of_role("done")} == {"done"}
    assert {"obs/q_FR_hip", "action/FL_hip"} <= {c.name for c in trace}
    assert sum(c.column == "torque" for c in trace) == 12
    assert not trace.health


def test_that_the_fall_and_what_follows_it_are_there(shared_data):
    trace = recording(shared_data, "delay1")
    done = np.flatnonzero(trace["done"].value)
    assert done[0] == 232
    assert trace.time_s[232] - trace.time_s[0] == pytest.approx(4.64, abs=0.03)
    torque = max(float(np.abs(c.value).max()) for c in trace if c.column == "torque")
    assert torque > 1e21
    assert not recording(shared_data, "delay2")["done"].value.any()


def test_that_runs_without_delay_are_bit_identical(shared_data):
    one, two = recording(shared_data, "delay0"), recording(shared_data, "motordelay0")
    for a, b in zip(one, two, strict=True):
        assert (a.name, a.value.tobytes()) == (b.name, b.value.tobytes())


def test_that_hdf5_and_csv_of_one_run_agree(shared_data):
    whole = recording(shared_data, "delay0")
    table = open_trace(next((shared_data / FOLDER).glob("*.csv")))
    assert len(table) == len(whole)
    for role in ("observation", "action"):
        assert len(table.of_role(role)) == len(whole.of_role(role))


def test_that_every_recording_is_inspected_with_its_layout(shared_data):
    layouts = {
        path.name: inspect_file(path).layout
        for ending in ("h5", "hdf5", "parquet")
        for path in shared_data.rglob(f"*.{ending}")
    }
    assert {"hdf5", "d4rl", "minari", "lerobot"} == set(layouts.values())
