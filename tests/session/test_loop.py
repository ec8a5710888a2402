"""The loop from the command line: a sample's prediction, held against the pairs that test it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.session.files import write_csv
from tracescope.cli.main import main
from tracescope.cli.sample_command import sample_pair
from tracescope.model.trace import Trace
from tracescope.readers import open_trace
from tracescope.resources_path import samples
from tracescope.session.ledger import read_prediction

DATE = "2026-11-30T09:12:44+01:00"
LATER = "2026-12-01T09:12:44+01:00"


def check(sim: Path, target: Path, note: Path, *options: str) -> dict:
    main(["check", str(sim), str(target), "--note", str(note), "--quiet", *options])
    return json.loads(note.read_text("utf-8"))


@pytest.fixture(scope="module")
def exercise() -> tuple[Path, Path]:
    return sample_pair(samples() / "exercise")


@pytest.fixture(scope="module")
def first(tmp_path_factory, exercise) -> Path:
    """The note of the exercise, its prediction frozen."""
    path = tmp_path_factory.mktemp("first") / "first.json"
    note = check(*exercise, path, "--date", DATE)
    predicted = {(p["quantity"], p["channel"]) for p in note["next_test"]["predicted"]}
    assert predicted == {("scale", "obs[0]"), ("scale", "obs[1]")}
    return path


def replayed(folder: Path, target: Path, scale: float, rows: int | None = None) -> Path:
    """Write the target as a replay reads it: its observations divided by ``scale``, nothing else changed."""
    recorded = open_trace(target)
    return write_csv(folder / "replay.csv", divided(recorded, scale, rows))


def divided(trace: Trace, scale: float, rows: int | None) -> Trace:
    from dataclasses import replace

    time_s = trace.time_s[:rows]
    channels = tuple(
        replace(
            channel,
            time_s=time_s,
            value=(channel.as_float() / (scale if channel.name.startswith("obs") else 1.0))[:rows],
        )
        for channel in trace
    )
    step = None if trace.step is None else trace.step[:rows]
    return replace(trace, time_s=time_s, channels=channels, step=step)


def same_names(folder: Path, sim: Path, rows: int | None = None) -> Path:
    return write_csv(folder / "sim.csv", divided(open_trace(sim), 1.0, rows))


def followed(tmp_path: Path, exercise, first: Path, scale: float, rows: int | None = None) -> dict:
    """Follow the first note up with the exercise replayed; both files in one spelling of the names."""
    sim = same_names(tmp_path, exercise[0], rows)
    target = replayed(tmp_path, exercise[1], scale, rows)
    out = tmp_path / "second.json"
    return check(sim, target, out, "--follow-up", str(first), "--date", LATER)["note"]["follow_up"]


@pytest.fixture(scope="module")
def spelt(tmp_path_factory, exercise) -> Path:
    """The first note again, of the exercise in the spelling that the replays are written in."""
    folder = tmp_path_factory.mktemp("spelt")
    sim = same_names(folder, exercise[0])
    target = replayed(folder, exercise[1], 1.0)
    check(sim, target, folder / "first.json", "--date", DATE)
    return folder / "first.json"


def test_that_the_corrected_pair_holds_the_prediction(tmp_path, exercise, spelt):
    follow = followed(tmp_path, exercise, spelt, 1.5)
    assert follow["outcome"] == "held"
    assert [o["outcome"] for o in follow["outcomes"]] == ["held", "held"]
    assert follow["surviving"][0] == "observation-scaling"
    assert follow["changed"] == []


def test_that_a_correction_that_is_wrong_refutes_it(tmp_path, exercise, spelt):
    follow = followed(tmp_path, exercise, spelt, 1.2)
    assert follow["outcome"] == "refuted"
    assert "observation-scaling" not in follow["surviving"]
    assert all(not 0.95 <= o["estimate"] <= 1.05 for o in follow["outcomes"])


def test_that_five_rows_decide_nothing(tmp_path, exercise, spelt):
    follow = followed(tmp_path, exercise, spelt, 1.5, rows=5)
    assert follow["outcome"] == "not decided"
    assert "observation-scaling" in follow["surviving"]


def test_that_an_untouched_pair_refutes_what_a_replay_should_have_mended(tmp_path, exercise, first):
    note = check(*exercise, tmp_path / "again.json", "--follow-up", str(first), "--date", LATER)
    assert note["note"]["follow_up"]["outcome"] == "refuted"


def test_that_a_correction_laid_over_the_log_is_one_factor_and_two_are_said(
    tmp_path, exercise, first
):
    corrections = ("--correct", "obs[0]=1.5", "--correct", "obs[1]=1.5")
    options = (*corrections, "--follow-up", str(first), "--date", LATER)
    once = check(*exercise, tmp_path / "once.json", *options)["note"]["follow_up"]
    assert once["outcome"] == "held"
    assert len(once["changed"]) == 1

    faster = tmp_path / "faster.csv"
    lines = exercise[1].read_text("utf-8").splitlines()
    faster.write_text("\n".join(halved(lines)) + "\n", encoding="utf-8")
    path = tmp_path / "twice.md"
    main(["check", str(exercise[0]), str(faster), "--note", str(path), "--quiet", *options])
    told = path.read_text("utf-8")
    assert "More than one factor changed between the two pairs" in told
    assert "target rate" in told


def halved(lines: list[str]) -> list[str]:
    """Return CSV lines with every stamp at half its time."""
    at = lines[0].split(",").index("timestamp")
    out = [lines[0]]
    for line in lines[1:]:
        head = line.split(",", at + 1)
        head[at] = repr(float(head[at]) / 2)
        out.append(",".join(head))
    return out


def test_that_the_chain_keeps_every_note_and_its_outcome(tmp_path, exercise, first):
    second = tmp_path / "second.json"
    check(*exercise, second, "--follow-up", str(first), "--date", LATER)
    third = tmp_path / "third.json"
    note = check(*exercise, third, "--follow-up", str(second), "--date", LATER)
    (link,) = note["note"]["follow_up"]["prediction"]["chain"]
    assert link["outcome"] == "refuted"
    assert link["sha256"] == read_prediction(first).sha256
    assert link["date"] == DATE
    path = tmp_path / "third.md"
    main(["check", *map(str, exercise), "--follow-up", str(second), "--note", str(path), "--quiet"])
    assert f"of {DATE}, refuted." in path.read_text("utf-8")


def test_that_a_prediction_is_the_notes_and_changing_the_note_shows(tmp_path, first):
    frozen = read_prediction(first)
    assert frozen.date == DATE
    edited = tmp_path / "edited.json"
    edited.write_text(first.read_text("utf-8").replace("0.95", "0.5"), encoding="utf-8")
    assert read_prediction(edited).sha256 != frozen.sha256


def test_that_late_is_told_apart_by_injecting_its_delay(tmp_path):
    """The delay predicted for the sample ``late`` is held where the simulator's answer is as late."""
    sim, target = sample_pair(samples() / "late")
    note = check(sim, target, tmp_path / "late.json", "--date", DATE)
    predicted = note["next_test"]["predicted"]
    assert [p["quantity"] for p in predicted] == ["response latency, target less sim"]
    assert np.allclose(predicted[0]["interval"], (-0.5, 0.5))
    again = check(
        target, target, tmp_path / "again.json", "--follow-up", str(tmp_path / "late.json")
    )
    assert again["note"]["follow_up"]["outcome"] == "held"
