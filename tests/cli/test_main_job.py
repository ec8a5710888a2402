"""The bundled exercise by command line: every number that its truth fixes, and what each exit status means."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tracescope.cli.main import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
EXERCISE = SAMPLES / "exercise"
BOTH = ("--correct", "obs[0]=1.5", "--correct", "obs[1]=1.5")
Result = dict[str, Any]


def checked(
    capsysbinary: pytest.CaptureFixture[bytes], sim: Path, target: Path, *options: str
) -> tuple[int, Result]:
    capsysbinary.readouterr()
    status = main(["check", str(sim), str(target), *options, "--json", "-"])
    return status, json.loads(capsysbinary.readouterr().out)


def check_of(result: Result, check: str) -> Result:
    return next(entry for entry in result["checks"] if entry["id"] == check)


def measured(result: Result, check: str, quantity: str, channel: str = "") -> Result:
    (found,) = [
        m
        for m in check_of(result, check)["measurements"]
        if m["quantity"] == quantity and m["channel"] == channel
    ]
    return found


@pytest.fixture
def exercise(capsysbinary: pytest.CaptureFixture[bytes]) -> Result:
    status, result = checked(capsysbinary, EXERCISE / "sim.csv", EXERCISE / "target.csv")
    assert status == 1
    return result


def test_that_the_exercise_is_ten_milliseconds_late(exercise: Result) -> None:
    alignment = exercise["alignment"]
    assert alignment["offset_s"] == pytest.approx(0.01, abs=5e-5)
    assert alignment["offset_interval_s"][0] <= 0.01 + 1e-9
    assert alignment["offset_interval_s"][1] >= 0.01 - 1e-9
    assert check_of(exercise, "alignment")["state"] == "pass"


@pytest.mark.parametrize("channel", ["obs[0]", "obs[1]"])
def test_that_both_scales_of_the_exercise_hold_the_truth(exercise: Result, channel: str) -> None:
    scale = measured(exercise, "observation-scaling", "scale", channel)
    low, high = scale["interval"]
    assert 1.4 <= low <= 1.5 <= high <= 1.6
    assert scale["state"] == "fail"
    assert check_of(exercise, "observation-scaling")["state"] == "fail"


def test_that_the_exercises_bound_is_told_with_its_rows_and_reach(exercise: Result) -> None:
    action = check_of(exercise, "action")
    assert action["state"] == "fail"
    assert action["reason"] == (
        "the target's emitted action[0] is bounded at ±0.5 "
        "(9 of 40 rows; the simulator's reaches 0.90 there)"
    )
    path = measured(exercise, "action", "altered applied rows", "action[0]")
    assert (path["estimate"], path["state"]) == (0.0, "pass")
    emitted = measured(exercise, "action", "altered emitted rows", "action[0]")
    assert (emitted["estimate"], emitted["state"]) == (9 / 40, "fail")


def test_that_the_exercises_intervals_pass_and_its_latency_is_untested(exercise: Result) -> None:
    timing = check_of(exercise, "timing")
    assert timing["state"] == "inconclusive"
    assert "response latency is untested" in timing["reason"]
    assert "no channel is seen to respond to the action" in timing["reason"]
    judged = {m["quantity"]: m["state"] for m in timing["measurements"] if m["tolerance"]}
    assert judged.pop("response latency, target less sim") == "inconclusive"
    assert {"mean interval ratio", "interval jitter", "longest interval"} <= set(judged)
    assert set(judged.values()) == {"pass"}
    assert any("latency" in item["text"] for item in exercise["findings"]["untested"])


def test_that_the_exercises_dynamics_says_what_it_would_be(exercise: Result) -> None:
    dynamics = check_of(exercise, "dynamics")
    assert dynamics["state"] == "inconclusive"
    assert "5 of 39 transitions comparable" in dynamics["reason"]
    would = dynamics["would"]
    assert [name.partition(" ÷ ")[0] for name in would["corrections"]] == ["obs[0]", "obs[1]"]
    assert "33 of 39 transitions comparable" in would["reason"]
    assert would["state"] not in would["reason"]


@pytest.mark.parametrize(
    ("options", "comparable"),
    [((), 33), (("--tolerances", str(EXERCISE / "tolerances.toml")), 30)],
)
def test_that_corrected_observations_make_transitions_comparable(
    capsysbinary: pytest.CaptureFixture[bytes], options: tuple[str, ...], comparable: int
) -> None:
    sides = (EXERCISE / "sim.csv", EXERCISE / "target.csv")
    status, result = checked(capsysbinary, *sides, *BOTH, *options)
    assert status == 1  # the bound is still there
    assert check_of(result, "observation-scaling")["state"] == "pass"
    assert f"{comparable} of 39 transitions comparable" in check_of(result, "dynamics")["reason"]
    assert [c["scale"] for c in result["corrections"]] == [1.5, 1.5]


def test_that_the_exit_status_tells_the_worst_state(
    capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    healthy = SAMPLES / "healthy"
    found = {path.stem: path for path in healthy.iterdir()}
    status, result = checked(capsysbinary, found["sim"], found["target"])
    assert (status, {c["state"] for c in result["checks"]}) == (0, {"pass"})
    sim = EXERCISE / "sim.csv"
    status, result = checked(capsysbinary, sim, sim)
    assert (status, {c["state"] for c in result["checks"]}) == (3, {"pass", "inconclusive"})
    assert main(["check", str(sim), str(tmp_path / "none.csv")]) == 2
    assert b"none.csv" in capsysbinary.readouterr().err


def test_that_text_named_h5_is_told_by_its_name_and_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "text.h5"
    path.write_text("hello text\n", encoding="utf-8")
    assert main(["check", str(EXERCISE / "sim.csv"), str(path)]) == 2
    told = capsys.readouterr().err
    assert f"{path}: the name says HDF5, the content is text" in told
    assert "→ export the recording again" in told
    path.write_bytes((EXERCISE / "target.csv").read_bytes())  # a table reads, whatever its name
    assert main(["check", str(EXERCISE / "sim.csv"), str(path), "--quiet"]) == 1


def test_that_no_run_changes_a_source(tmp_path: Path) -> None:
    sources = [p for p in SAMPLES.rglob("*") if p.is_file()]

    def state() -> dict[Path, tuple[int, str]]:
        return {
            p: (p.stat().st_mtime_ns, hashlib.sha256(p.read_bytes()).hexdigest()) for p in sources
        }

    before = state()
    for name, note in (("exercise", "md"), ("slow-ticks", "json")):  # a table and an HDF5 file
        side = {p.stem: str(p) for p in (SAMPLES / name).iterdir()}
        out = str(tmp_path / name)
        outputs = ("--session", f"{out}.tracescope", "--note", f"{out}.{note}", "--quiet")
        assert main(["check", side["sim"], side["target"], *outputs]) == 1, name
    assert state() == before


def test_that_a_clock_that_starts_late_lets_nothing_pass(
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    side = {p.stem: p for p in (SAMPLES / "clock").iterdir()}
    status, result = checked(capsysbinary, side["sim"], side["target"])
    assert status == 1
    states = {c["id"]: c["state"] for c in result["checks"]}
    assert states.pop("alignment") == "fail"
    assert set(states.values()) == {"inconclusive"}
    path = measured(result, "action", "altered applied rows", "action_0")
    assert path["state"] == "pass"  # inside one trace, where no alignment is needed
