"""Cells that are words where a name promises numbers: never judged by their codes, and said."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from tests.readers.helpers import keys, note, put, values
from tracescope.model.trace import Role
from tracescope.readers import open_trace
from tracescope.readers.base import ImportChoices

NUMBERS = np.random.default_rng(4).normal(size=40)

SPELT = {
    "hexadecimal float": lambda v: float(v).hex(),
    "thousands": lambda v: f'"{1e5 * v:,.3f}"',
    "apostrophes": lambda v: f"{1e5 * abs(v) + 1e3:,.3f}".replace(",", "'"),
    "unit in the cell": lambda v: f"{v:.4f} m",
    "percent": lambda v: f"{v:.4f}%",
    "minus of a typesetter": lambda v: f"\u2212{abs(v):.4f}",
    "full-width digits": lambda v: f"{abs(v):.4f}".translate(
        str.maketrans("0123456789.", "０１２３４５６７８９．")
    ),
    "digits with underscores": lambda v: f"1_000.{abs(int(1e4 * v))}",
    "formula": lambda v: f'="{v}"',
    "complex": lambda v: f"({v:.4f}+0j)",
    "bookkeeper's minus": lambda v: f"({abs(v):.4f})",
}


def table(name, cells):
    rows = (f"{0.02 * k:.2f},{cell},{k % 7}" for k, cell in enumerate(cells))
    return f"timestamp,{name},other_c\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("name", ["obs_x", "action_u", "applied_action", "reward", "latency"])
@pytest.mark.parametrize("way", SPELT)
def test_that_words_never_get_a_role_whose_numbers_are_compared(tmp_path, way, name):
    trace = open_trace(put(tmp_path, table(name, map(SPELT[way], NUMBERS))))
    assert trace[name].role is Role.OTHER
    assert trace[name].labels
    said = note(trace, "words-for-numbers")
    assert (said.severity, said.count) == ("warning", 1)
    assert name in said.where
    assert "never judged" in said.done


def test_that_a_person_cannot_make_numbers_of_words_either(tmp_path):
    path = put(tmp_path, table("position", map(SPELT["unit in the cell"], NUMBERS)))
    given = ImportChoices(roles=((Role.OBSERVATION, ("position",)),))
    assert open_trace(path, choices=given)["position"].role is Role.OTHER


def test_that_words_that_end_an_episode_still_do(tmp_path):
    path = put(tmp_path, table("done", ["running"] * 39 + ["timeout"]))
    trace = open_trace(path)
    assert trace["done"].role is Role.DONE
    assert values(trace, "done") == [0] * 39 + [1]
    assert "words-for-numbers" not in keys(trace)


def test_that_texts_of_hdf5_are_no_numbers_and_their_dates_are_stamps(tmp_path):
    path = tmp_path / "log.h5"
    stamps = [f"2026-10-09T12:00:{0.02 * k:06.3f}Z" for k in range(40)]
    with h5py.File(path, "w") as file:
        file.create_dataset("timestamp", data=stamps, dtype=h5py.string_dtype())
        file["obs_x"] = np.array([repr(float(v)) for v in NUMBERS], "S30")
        file["obs_v"] = NUMBERS
    trace = open_trace(path)
    assert (trace["obs_x"].role, trace["obs_v"].role) == (Role.OTHER, Role.OBSERVATION)
    assert "words-for-numbers" in keys(trace)
    assert trace.clock.is_epoch
    np.testing.assert_allclose(trace.time_s, 0.02 * np.arange(40), atol=1e-9)


def test_that_codes_of_an_enumeration_are_numbers_that_the_file_gives(tmp_path):
    path = tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        file["t"] = 0.02 * np.arange(40)
        kind = h5py.enum_dtype({"LEFT": 0, "RIGHT": 1}, "i1")
        file.create_dataset("action", data=np.arange(40) % 2, dtype=kind)
    assert open_trace(path)["action"].role is Role.ACTION


@pytest.mark.parametrize(
    "stamp",
    [
        "09.10.2026 11:59:{:05.2f}",
        "10/09/2026 11:59:{:05.2f} AM",
        "2026-02-30T12:00:{:05.2f}Z",
        "PT{:.2f}S",
        "0001-01-01T00:00:{:05.2f}Z",
        "9999-12-31T23:59:{:05.2f}Z",
        "1800-01-01T00:00:{:05.2f}Z",
    ],
)
def test_that_stamps_that_cannot_be_read_are_shown_as_the_file_spells_them(tmp_path, stamp):
    rows = (f"{stamp.format(0.02 * k)},{v}" for k, v in enumerate(NUMBERS))
    trace = open_trace(put(tmp_path, "timestamp,obs_x\n" + "\n".join(rows) + "\n"))
    said = note(trace, "clock-unusable")
    assert stamp.format(0.0) in said.what
    assert trace.clock.kind == "rows"
    assert trace["timestamp"].labels[1] == stamp.format(0.02)


@pytest.mark.parametrize("start", [2**63 - 100, 2**64 - 100, -(2**63)])
def test_that_stamps_of_no_century_are_told_as_such(tmp_path, start):
    rows = (f"{start + k},{k % 5}" for k in range(40))
    trace = open_trace(put(tmp_path, "time_ns,obs_x\n" + "\n".join(rows) + "\n"))
    assert "146 years" in note(trace, "clock-unusable").what


@pytest.mark.parametrize("name", ["time", "Time", "timestamp"])
def test_that_days_of_a_spreadsheet_are_not_taken_for_seconds(tmp_path, name):
    rows = (f"{45950.5 + 0.02 * k / 86400:.10f},{v}" for k, v in enumerate(NUMBERS))
    trace = open_trace(put(tmp_path, f"{name},obs_x\n" + "\n".join(rows) + "\n"))
    assert "days" in note(trace, "clock-unusable").what
    assert trace.clock.kind == "rows"


@pytest.mark.parametrize(("name", "step"), [("time", 0.02), ("time_s", 2e-7), ("time [s]", 2e-7)])
def test_that_seconds_of_the_same_size_stay_seconds(tmp_path, name, step):
    rows = (f"{45950.5 + step * k:.10f},{v}" for k, v in enumerate(NUMBERS))
    trace = open_trace(put(tmp_path, f"{name},obs_x\n" + "\n".join(rows) + "\n"))
    assert trace.clock.kind == "stamped"
    assert trace.interval_s == pytest.approx(step, rel=0.01)
