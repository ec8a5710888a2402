"""Vectors in cells, rows of several types, and recordings that span several files."""

from __future__ import annotations

import json
import math
from functools import partial

import numpy as np
import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.errors import TraceReadError
from tracescope.readers import open_trace
from tracescope.readers.base import ImportChoices
from tracescope.readers.csv_text import text_blocks


def exercise(rows=12, dims=2):
    rng = np.random.default_rng(1)
    lines = ["step,timestamp,obs,action,reward,done"]
    for i in range(rows):
        obs, action = rng.normal(size=dims).tolist(), [float(rng.normal())]
        lines.append(
            f'{i},{i * 0.05:.2f},"{json.dumps(obs)}","{json.dumps(action)}",{-0.5 * i},{i == rows - 1}'
        )
    return "\n".join(lines) + "\n"


def test_that_the_plain_episode_log_opens_with_its_roles(tmp_path):
    trace = open_trace(put(tmp_path, exercise()))
    assert [c.name for c in trace] == ["obs[0]", "obs[1]", "action[0]", "reward", "done"]
    assert [str(c.role) for c in trace] == [
        "observation",
        "observation",
        "action",
        "reward",
        "done",
    ]
    assert trace.step.tolist() == list(range(12))
    assert trace["done"].value.dtype == bool
    assert all(c.role_because for c in trace)
    assert trace["obs[1]"].time_s is trace.time_s
    assert (trace["obs[1]"].column, trace["obs[1]"].index) == ("obs", 1)


def test_that_vector_cells_are_exact_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.normal(size=(50, 3)) * 10.0 ** rng.integers(-12, 12, size=(50, 3))
    rows = "".join(f'{i},"{json.dumps(v.tolist())}"\n' for i, v in enumerate(truth))
    trace = open_trace(put(tmp_path, f"t,obs\n{rows}"))
    assert np.array_equal(np.stack([c.value for c in trace], axis=1), truth)


@pytest.mark.parametrize(
    "spell",
    [
        lambda v: f'"{json.dumps(v)}"',
        lambda v: '"[' + " ".join(map(str, v)) + ']"',
        lambda v: '"[ ' + "\n  ".join(map(str, v)) + ']"',
        lambda v: f'"{tuple(v)}"',
        lambda v: f'"array({v})"',
        lambda v: f"\"tensor({v}, device='cpu')\"",
        lambda v: '"[[' + "], [".join(map(str, v)) + ']]"',
    ],
    ids=["json", "numpy", "wrapped", "tuple", "array", "tensor", "nested"],
)
def test_that_vectors_are_read_in_any_spelling(tmp_path, spell):
    truth = [[0.1 * i, -1.5, float(i)] for i in range(9)]
    rows = "".join(f"{i * 0.1:.1f},{spell(v)},{i}\n" for i, v in enumerate(truth))
    trace = open_trace(put(tmp_path, f"t,obs,u\n{rows}"))
    assert [values(trace, f"obs[{k}]") for k in range(3)] == [
        list(c) for c in zip(*truth, strict=True)
    ]
    assert values(trace, "u") == list(range(9))


def test_that_unquoted_vectors_are_read_where_the_delimiter_allows(tmp_path):
    rows = "".join(f"{i};[{i}, {i + 0.5}];{i}\n" for i in range(6))
    trace = open_trace(put(tmp_path, f"t;obs;u\n{rows}"))
    assert values(trace, "obs[1]") == [i + 0.5 for i in range(6)]


def test_that_a_vector_of_another_length_is_missing_and_said(tmp_path):
    rows = ['0,"[1, 2]"', '1,"[1, 2, 3]"', '2,"[3, 4]"', "3,not_valid", '4,"[5, x]"', '5,"[7, 8]"']
    trace = open_trace(put(tmp_path, "t,obs\n" + "\n".join(rows) + "\n"))
    assert [math.isnan(v) for v in values(trace, "obs[0]")] == [
        False,
        True,
        False,
        True,
        True,
        False,
    ]
    said = note(trace, "odd-vectors")
    assert said.count == 2
    assert "line 3 obs: 3 elements, not 2" in said.where


def test_that_shortened_numpy_cells_are_missing_and_never_invented(tmp_path):
    rows = "".join(f'{i},"[{i} 1 2]"\n' for i in range(8))
    trace = open_trace(put(tmp_path, f't,obs\n{rows}8,"[0 1 ... 8 9]"\n'))
    assert math.isnan(values(trace, "obs[0]")[-1])
    assert "..." in note(trace, "odd-vectors").where


def test_that_vector_lengths_that_cancel_within_a_row_are_not_mixed_up(tmp_path):
    rows = "".join(f'{i},"[1, 2]","[3, 4]"\n' for i in range(8))
    trace = open_trace(
        put(tmp_path, f't,obs,action\n{rows}8,"[1, 2, 3]","[4]"\n9,"[5, 6]","[7, 8]"\n')
    )
    assert values(trace, "obs[0]")[-1] == 5
    assert math.isnan(values(trace, "action[0]")[8])


def test_that_regular_blocks_take_the_quick_way_and_all_ways_agree(tmp_path, monkeypatch):
    path = put(tmp_path, exercise(200, 7))
    quick = open_trace(path)
    for way in ("Lanes.pieces", "quick_pieces"):
        calls = []
        instead = lambda *_, calls=calls: calls.append(1)  # noqa: E731
        monkeypatch.setattr(f"tracescope.readers.csv_blocks.{way}", instead)
        slow = open_trace(path)
        assert calls
        for a, b in zip(quick, slow, strict=True):
            assert np.array_equal(a.value, b.value)
            assert a.value.dtype == b.value.dtype


@pytest.mark.parametrize("size", [64, 300, 4096])
def test_that_block_borders_do_not_matter(tmp_path, monkeypatch, size):
    path = put(tmp_path, exercise(120, 3))
    whole = open_trace(path)
    in_blocks = partial(text_blocks, block_bytes=size)
    monkeypatch.setattr("tracescope.readers.csv_blocks.text_blocks", in_blocks)
    cut = open_trace(path)
    for a, b in zip(whole, cut, strict=True):
        assert np.array_equal(a.value, b.value)


def test_that_obs_raw_and_applied_action_and_latency_get_their_roles(tmp_path):
    rows = "".join(f"{i},{i * 0.02},{i},{i + 1},{i * 2},{i * 3},0.5,0,12\n" for i in range(5))
    names = "step,timestamp,obs,obs_raw,action,action_applied,reward,done,latency_ms"
    trace = open_trace(put(tmp_path, f"{names}\n{rows}"))
    assert [str(c.role) for c in trace] == [
        "observation", "observation_raw", "action", "action_applied", "reward", "done", "latency",
    ]  # fmt: skip


@pytest.mark.parametrize("names", [["obs_0", "obs_1"], ["obs[0]", "obs[1]"], ["obs.x", "obs.y"]])
def test_that_wide_columns_keep_their_names(tmp_path, names):
    trace = open_trace(put(tmp_path, f"t,{','.join(names)}\n0,1,2\n1,2,3\n"))
    assert [c.name for c in trace] == names
    assert {str(c.role) for c in trace} == {"observation"}


def test_that_extra_columns_are_listed_as_other(tmp_path):
    trace = open_trace(put(tmp_path, "t,obs,action,q_value,intervention\n0,1,2,3,0\n1,2,3,4,1\n"))
    assert [c.name for c in trace.of_role("other")] == ["q_value", "intervention"]


def recording(folder, *, unit=1, state="STATE_MOTOR", control="CONTROL"):
    period = 0.005 if unit == 1 else 5000
    rng = np.random.default_rng(3)
    position = rng.normal(size=(80, 2)).round(6)
    control_rows = "".join(
        f'{control},{i * 4 * period},"{json.dumps(position[i * 4].tolist())}"\n' for i in range(20)
    )
    state_rows = "".join(
        f'{state},{i * period},"{json.dumps(p.tolist())}","[0.5, -0.5]",not_valid\n'
        for i, p in enumerate(position)
    )
    folder.mkdir()
    put(folder, f"type,timestamp,positions\n{control_rows}", "control.csv")
    put(folder, f"type,timestamp,positions,velocities,torques\n{state_rows}", "state_motor.csv")
    put(folder, "type,timestamp,event\nEVENT,0,START\nEVENT,10,STOP\n", "event.csv")
    put(folder, "hip\nknee\n", "joint_list.txt")
    return position


def test_that_command_and_measurement_in_two_files_are_one_recording(tmp_path):
    position = recording(tmp_path / "sim")
    trace = open_trace(tmp_path / "sim")
    assert trace.source.layout == "csv-folder"
    assert [c.name for c in trace.of_role("action")] == [
        "control/positions/hip",
        "control/positions/knee",
    ]
    assert trace["control/positions/hip"].value.tolist() == position[::4, 0].tolist()
    assert trace["state_motor/positions/knee"].value.tolist() == position[:, 1].tolist()
    assert {str(c.role) for c in trace if c.name.startswith("state_motor/v")} == {"observation"}
    assert len(trace) == 80
    assert len(trace["control/positions/hip"].time_s) == 20
    assert trace["event/event"].labels == ("START", "STOP")
    assert np.isnan(trace["state_motor/torques"].value).all()
    assert ("control.csv: type", "CONTROL") in trace.metadata


def test_that_seconds_in_one_recording_and_microseconds_in_the_other_agree(tmp_path):
    recording(tmp_path / "sim", unit=1)
    recording(tmp_path / "real", unit=1_000_000, state="StateMotor", control="Control")
    sim, real = open_trace(tmp_path / "sim"), open_trace(tmp_path / "real")
    assert (sim.clock.unit, real.clock.unit) == ("s", "us")
    assert real.interval_s == pytest.approx(sim.interval_s)
    assert real["event/event"].time_s[1] == pytest.approx(10e-6)


def test_that_a_broken_file_of_a_recording_is_left_out_and_said(tmp_path):
    recording(tmp_path / "sim")
    put(tmp_path / "sim", "", "state_imu.csv")
    trace = open_trace(tmp_path / "sim")
    assert "state_motor/positions/hip" in trace
    assert "state_imu.csv" in note(trace, "table-left-out").where


def test_that_a_folder_of_one_table_is_that_table(tmp_path):
    (tmp_path / "run").mkdir()
    put(tmp_path / "run", exercise(), "log.csv")
    trace = open_trace(tmp_path / "run")
    assert [str(c.role) for c in trace][:2] == ["observation", "observation"]
    assert len(trace) == 12


def test_that_rows_of_several_types_in_one_file_are_told_apart(tmp_path):
    rows = ["type,timestamp,positions"]
    for i in range(30):
        rows.append(f'STATE_MOTOR,{i * 0.01:.2f},"[{i}, {-i}]"')
        if i % 5 == 0:
            rows.append(f'CONTROL,{i * 0.01:.2f},"[{i * 10}, 0]"')
    path = put(tmp_path, "\n".join(rows) + "\n")
    trace = open_trace(path)
    assert len(trace) == 30
    assert values(trace, "STATE_MOTOR/positions[1]") == [-i for i in range(30)]
    assert values(trace, "CONTROL/positions[0]") == [i * 10 for i in range(0, 30, 5)]
    assert trace["CONTROL/positions[0]"].role == "action"
    only = open_trace(path, choices=ImportChoices(row_type="StateMotor"))
    assert values(only, "positions[0]") == list(range(30))
    with pytest.raises(TraceReadError, match="no rows of type 'IMU'"):
        open_trace(path, choices=ImportChoices(row_type="IMU"))


def test_that_an_object_printed_into_a_cell_is_text(tmp_path):
    printed = "<control.Mode object at 0x78331e88eb50>"
    text = f"type,timestamp,event,data\nEvent,0,ENABLE,{printed}\nEvent,5,STOP,not_valid\n"
    trace = open_trace(put(tmp_path, text))
    assert printed in trace["data"].labels


def test_that_nothing_of_a_good_file_is_called_repaired(tmp_path):
    trace = open_trace(put(tmp_path, exercise()))
    assert not keys(trace)


def test_that_texts_beside_vectors_keep_their_blanks(tmp_path):
    rows = "".join(f'{i},"[{i}, 0.5]",pick up the cup\n' for i in range(20))
    trace = open_trace(put(tmp_path, f"t,obs,task\n{rows}"))
    assert trace["task"].labels == ("pick up the cup",)
    assert values(trace, "obs[0]") == list(range(20))


def test_that_a_row_type_without_stamps_is_left_out_and_said(tmp_path):
    rows = "".join(f"STATE,{i * 0.02:.2f},{i}\n" for i in range(5)) + "NOTE,nan,7\n" * 8
    trace = open_trace(put(tmp_path, f"type,timestamp,q\n{rows}"))
    assert values(trace, "STATE/q") == list(range(5))
    assert note(trace, "table-left-out").where == "NOTE"
