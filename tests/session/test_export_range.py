"""The visible range as CSV: raw and aligned time, recorded and corrected values, and how they came about."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.ui.plots import pairs
from tracescope.analysis.residual import residual
from tracescope.model.alignment import Alignment
from tracescope.model.correction import Correction
from tracescope.model.errors import Cancelled, UsageError
from tracescope.model.trace import Clock, Role
from tracescope.session import export_range as module
from tracescope.session.export_range import Wanted, export_range
from tracescope.session.session import SideChoices

DATE = "2026-05-01T12:00:00+00:00"
BOTH = Wanted(("obs[0]",), ("obs[0]",), (2.0, 3.0))


def rows_of(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    notes = [line for line in lines if line.startswith("# ")]
    return notes, list(csv.DictReader(line for line in lines if not line.startswith("# ")))


@pytest.fixture
def opened():
    made = pairs.sine_session(late_s=0.3)
    alignment = Alignment(how="hand", offset_s=0.28, drift=1e-3, pivot_s=0.3)
    return replace(made, alignment=alignment, corrections=(Correction("obs[0]", 2.0, 0.5),))


def test_that_raw_and_aligned_time_and_the_parameters_are_written(opened, tmp_path):
    path = tmp_path / "range.csv"
    count = export_range(opened, path, BOTH, DATE)
    notes, rows = rows_of(path)
    assert count == len(rows)
    target = [row for row in rows if row["trace"] == "target"]
    raw = np.array([float(row["raw_time_s"]) for row in target])
    aligned = np.array([float(row["aligned_time_s"]) for row in target])
    assert set(raw) <= set(opened.pair.target.time_s.tolist())
    np.testing.assert_array_equal(aligned, opened.alignment.to_sim(raw))
    assert 2.0 <= aligned.min() <= 2.01
    assert 2.99 <= aligned.max() <= 3.0
    sim = [row for row in rows if row["trace"] == "sim"]
    assert all(row["raw_time_s"] == row["aligned_time_s"] for row in sim)
    text = "\n".join(notes)
    assert "offset_s 0.28, drift 0.001, pivot_s 0.3" in text
    assert "correction: (obs[0] − 0.5) ÷ 2" in text
    assert DATE in text
    assert "sha256" in text


def test_that_values_stand_as_recorded_as_corrected_and_as_residual(opened, tmp_path):
    path = tmp_path / "range.csv"
    export_range(opened, path, BOTH, DATE)
    _, rows = rows_of(path)
    target = [row for row in rows if row["trace"] == "target"]
    recorded = np.array([float(row["obs[0]"]) for row in target])
    corrected = np.array([float(row["obs[0] corrected"]) for row in target])
    np.testing.assert_allclose(corrected, (recorded - 0.5) / 2.0, rtol=0, atol=0)
    assert {row["obs[0] residual"] for row in target} == {""}
    sim = [row for row in rows if row["trace"] == "sim"]
    at_s = np.array([float(row["raw_time_s"]) for row in sim])
    written = np.array([float(row["obs[0] residual"]) for row in sim])
    np.testing.assert_array_equal(written, residual(opened.case, "obs[0]", at_s)[1])


def test_that_nanoseconds_of_an_epoch_survive(tmp_path):
    t = np.arange(5) * 1e-3
    made = pairs.trace(t, {"x": (Role.OBSERVATION, np.arange(5.0), "m")})
    made = replace(made, clock=Clock(origin_ns=1_637_700_000_000_000_123, is_epoch=True))
    opened = pairs.session(made, pairs.trace(t[:0], {}))
    export_range(opened, tmp_path / "x.csv", Wanted(("x",), (), (0.0, 1.0)), DATE)
    _, rows = rows_of(tmp_path / "x.csv")
    assert [row["raw_time_s"] for row in rows][:2] == [
        "1637700000.000000123",
        "1637700000.001000123",
    ]


def test_that_flags_and_missing_samples_are_written_plainly(tmp_path):
    t = np.arange(3.0)
    value = np.array([1.0, np.nan, np.inf])
    channels = {
        "a, b": (Role.OBSERVATION, value, ""),
        "done": (Role.DONE, np.array([False, False, True]), ""),
    }
    opened = pairs.session(pairs.trace(t, channels), pairs.trace(t, channels))
    wanted = Wanted(("a, b", "done"), (), (0.0, 5.0))
    export_range(opened, tmp_path / "x.csv", wanted, DATE)
    _, rows = rows_of(tmp_path / "x.csv")
    assert [row["a, b"] for row in rows] == ["1.0", "", "inf"]
    assert [row["done"] for row in rows] == ["0", "0", "1"]


def test_that_cancelling_leaves_nothing_behind(opened, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 10)
    asked = []

    def progress(done: float, what: str) -> None:
        asked.append((done, what))
        if len(asked) == 3:
            raise Cancelled("export")

    with pytest.raises(Cancelled):
        export_range(opened, tmp_path / "x.csv", BOTH, DATE, progress)
    assert list(tmp_path.iterdir()) == []
    assert [round(done, 3) for done, _ in asked] == sorted(round(done, 3) for done, _ in asked)


def test_that_blocks_join_to_the_same_file(opened, tmp_path, monkeypatch):
    export_range(opened, tmp_path / "one.csv", BOTH, DATE)
    monkeypatch.setattr(module, "BLOCK", 7)
    monkeypatch.setattr(module, "COMPUTED", 30)
    export_range(opened, tmp_path / "many.csv", BOTH, DATE)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "many.csv").read_bytes()


def test_that_a_recording_is_never_written_and_an_unknown_signal_is_refused(opened, tmp_path):
    source = tmp_path / "sim.csv"
    source.write_text("t,x\n0,1\n")
    mine = replace(opened, sim=SideChoices(str(source)))
    with pytest.raises(UsageError, match="recording"):
        export_range(mine, source, BOTH, DATE)
    assert source.read_text() == "t,x\n0,1\n"
    with pytest.raises(UsageError, match="no such signal"):
        export_range(opened, tmp_path / "x.csv", Wanted(("nothing",), (), (0, 1)), DATE)
