"""The benchmark's own arithmetic, and the two guards against the reference that PySide6 6.12 loses."""

import json
import math
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement

from tests.bench import harness, peers, recordings
from tests.bench.__main__ import as_json, earlier
from tests.bench.harness import FULL, QUICK, SHORT, Goal, counted, judged
from tests.bench.memory import growth
from tests.bench.missed import all_missed, note_on, with_ceiling
from tests.bench.results import text
from tracescope.readers import open_trace

ROOT = Path(__file__).resolve().parents[2]


def test_that_sides_alternate_and_the_median_of_paired_ratios_counts():
    order = []
    costs = iter([2.0, 4.0, 60.0])

    def a() -> float:
        order.append("a")
        return next(costs)

    def b() -> float:
        order.append("b")
        return 2.0

    goal = judged("X", a, b, limit=9.0, rounds=3, warm_ups=0)
    assert "".join(order) == "abbaab"
    assert goal.ratio == 2.0
    assert goal.kept


def test_that_what_is_over_is_measured_again_and_the_least_counts():
    costs = iter([9.0, 5.0, 3.0, 1.0])
    goal = judged("X", lambda: next(costs), lambda: 1.0, limit=4.0, rounds=1, warm_ups=0)
    assert goal.ratio == 3.0
    assert next(costs) == 1.0


def test_that_a_known_miss_is_not_measured_again(monkeypatch):
    monkeypatch.setattr(harness, "_ceiling_of", [lambda name: 10.0 if name == "X" else 0.0])
    costs = iter([9.0, 5.0])
    assert judged("X", lambda: next(costs), lambda: 1.0, 4.0, 1, warm_ups=0).ratio == 9.0


def test_that_only_firm_goals_beyond_limit_and_ceiling_break_a_run():
    over = counted("L2 wide CSV beside read_csv", 2.0, 1.3)
    assert over.breaks
    assert not over.only_shown().breaks
    assert not with_ceiling(over).breaks
    assert "known to be missed" in with_ceiling(over).line()
    assert with_ceiling(counted("L2 wide CSV beside read_csv", 99.0, 1.3)).breaks


def test_that_every_note_says_what_was_tried_and_the_closest_name_counts():
    notes = all_missed()
    assert all(note.tried and note.ceiling > 0 for note in notes)
    assert len({note.name for note in notes}) == len(notes)
    note = note_on(counted("L1 CSV of vectors beside json.loads", 1, 1))
    assert note is not None
    assert note.name == "L1 CSV of vectors beside json.loads"
    assert note_on(counted("F9 none such", 1, 1)) is None


def test_that_the_page_of_results_names_every_goal_and_what_was_missed():
    goals = [
        counted("F1 pan", 1.0, 1.5, exact_after_s=2.5),
        counted("L2 wide CSV beside read_csv", 2.0, 1.3),
        counted("P pan beside a matplotlib script", 0.5, math.inf),
    ]
    page = text(goals, FULL)
    assert all(f"| {goal.name} |" in page for goal in goals)
    assert "2 of 3 lines are within their limit" in page
    assert page.count("**missed**") == 1
    assert "Parsing alone costs" in page
    assert "a short form" in text(goals, SHORT)


def test_that_goals_come_back_from_what_a_run_printed(tmp_path):
    goals = [counted("F1 pan", 1.0, 1.5, mib=3.0), Goal("P x", 0.5, math.inf, 1.0, 2.0, 3)]
    path = tmp_path / "out.txt"
    last = json.dumps({goal.name: as_json(goal) for goal in goals})
    path.write_text(f"F1 pan ratio=1\n{last}\n")
    assert earlier(path) == goals
    assert earlier(None) == []


@pytest.mark.parametrize(("slope", "expected"), [(0.0, 0.0), (0.5, 0.0347)])
def test_that_growth_is_judged_after_the_first_quarter(slope, expected):
    at_s = np.arange(0.0, 101.0, 10.0)
    mib = 1000 + slope * at_s
    mib[:3] -= 300  # caches fill
    assert growth(at_s.tolist(), mib.tolist()) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("write", [recordings.wide_csv, recordings.vector_csv, recordings.hdf5])
def test_that_the_recordings_hold_the_same_numbers(tmp_path, write):
    trace = open_trace(write(tmp_path, 300))
    value = np.stack([channel.value for channel in trace])
    order = np.argsort([int("".join(filter(str.isdigit, c.name))) for c in trace])
    if write is not recordings.vector_csv:
        value = value[order]
    np.testing.assert_array_equal(value.astype(np.float32), recordings.samples(300))


def test_that_a_qt_that_loses_references_is_not_installed():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needs = [Requirement(line) for line in declared["dependencies"]]
    qt = next(need for need in needs if need.name == "PySide6-Essentials")
    assert "6.11.3" in qt.specifier
    assert "6.12.0" not in qt.specifier


def test_that_a_peer_that_does_not_run_is_left_out_by_name(tmp_path, monkeypatch, capsys):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'No module named h5py' >&2\nexit 1\n", "utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("TRACESCOPE_ASAMMDF", str(broken))
    assert list(peers.asammdf_goals(QUICK, tmp_path / "none.h5")) == []
    said = capsys.readouterr().out
    assert "P asammdf skipped" in said
    assert "No module named h5py" in said
