"""The bundled pairs: made by their script byte for byte, small, and true to their truth files."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.bundled import IN_ONE_PROCESS, judged
from tracescope.cli.check_command import status_of
from tracescope.model.check import Measurement, State
from tracescope.model.correction import Correction
from tracescope.readers.frames import load_frame
from tracescope.session.judge import judge
from tracescope.session.open import open_session
from tracescope.session.session import Session, SideChoices

pytestmark = IN_ONE_PROCESS

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
NAMES = sorted(home.parent.name for home in SAMPLES.glob("*/truth.toml"))
CHECKS = {
    "alignment", "observation-scaling", "action", "timing", "dynamics", "reward", "termination",
}  # fmt: skip


def make_into(folder: Path) -> dict[str, Path]:
    subprocess.run([sys.executable, str(SAMPLES / "make_samples.py"), str(folder)], check=True)
    return {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_into(tmp_path_factory.mktemp("once"))


def content(path: Path) -> dict[str, object]:
    def attribute(value: object) -> object:
        return value.tolist() if isinstance(value, np.ndarray) else value

    found: dict[str, object] = {}

    def take(name: str, data: object) -> None:
        if isinstance(data, h5py.Dataset):
            attributes = {key: attribute(data.attrs[key]) for key in data.attrs}
            found[name] = (str(data.dtype), data.shape, data[()].tobytes(), attributes)

    with h5py.File(path, "r") as file:
        file.visititems(take)
    return found


def test_script_writes_same_bytes_again(made: dict[str, Path], tmp_path: Path) -> None:
    again = make_into(tmp_path)
    assert list(again) == list(made)
    assert [
        name for name, path in made.items() if path.read_bytes() != again[name].read_bytes()
    ] == []


def test_committed_files_are_what_the_script_makes(made: dict[str, Path]) -> None:
    assert len(made) > 30
    for name, path in made.items():
        if path.suffix == ".h5":  # the container's bytes may differ between HDF5 releases
            assert content(path) == content(SAMPLES / name), name
        else:
            assert path.read_bytes() == (SAMPLES / name).read_bytes(), name


def test_total_size_is_small() -> None:
    assert sum(p.stat().st_size for p in SAMPLES.rglob("*") if p.is_file()) < 3_000_000


@pytest.mark.parametrize("name", NAMES)
def test_preview_is_what_the_card_can_draw(name: str) -> None:
    truth = tomllib.loads((SAMPLES / name / "truth.toml").read_text(encoding="utf-8"))
    sides = truth["preview"]
    assert set(sides) == {"sim", "target"}
    every = sides["sim"] + sides["target"]
    assert (min(every), max(every)) == (0, 100)
    assert max(len(line) for line in sides.values()) == 96
    assert min(len(line) for line in sides.values()) > 30


@pytest.mark.parametrize("name", NAMES)
def test_truth_names_every_check(name: str) -> None:
    truth = tomllib.loads((SAMPLES / name / "truth.toml").read_text(encoding="utf-8"))
    assert truth["schema"] == 1
    assert truth["name"] == name
    assert truth["question"].endswith("?")
    assert len(truth["title"]) > 0
    tables = [truth["expected"]]
    if "corrected" in truth:
        tables.append(truth["corrected"]["expected"])
    for table in tables:
        assert set(table) == CHECKS
        assert {state for states in table.values() for state in states} <= {
            "pass", "fail", "inconclusive",
        }  # fmt: skip


def test_each_check_fails_on_a_pair() -> None:
    failing = set()
    for name in NAMES:
        truth = tomllib.loads((SAMPLES / name / "truth.toml").read_text(encoding="utf-8"))
        failing |= {check for check, states in truth["expected"].items() if states == ["fail"]}
    assert failing == CHECKS


def opened(name: str) -> Session:
    sides = {
        path.stem: str(path)
        for path in (SAMPLES / name).iterdir()
        if path.suffix in {".csv", ".h5"}
    }
    return open_session(SideChoices(sides["sim"]), SideChoices(sides["target"]))


def wrong(session: Session, expected: dict[str, list[str]]) -> dict[str, str]:
    assert {result.id for result in session.results} >= CHECKS
    return {
        result.id: f"{result.state}: {result.reason}"
        for result in session.results
        if result.id in expected and result.state.value not in expected[result.id]
    }


@pytest.mark.parametrize("name", NAMES)
def test_checks_say_what_is_true(name: str) -> None:
    truth = tomllib.loads((SAMPLES / name / "truth.toml").read_text(encoding="utf-8"))
    session = judged(name)
    assert wrong(session, truth["expected"]) == {}
    told = {1} if ["fail"] in truth["expected"].values() else {0, 1, 3}
    assert status_of(session.results) in told
    if "corrected" in truth:
        given = tuple(
            Correction(channel, float(scale))
            for channel, scale in (text.split("=") for text in truth["corrected"]["corrections"])
        )
        assert wrong(judge(session.corrected(given)), truth["corrected"]["expected"]) == {}


def test_healthy_pair_passes_every_check() -> None:
    states = {result.id: result.state for result in judged("healthy").results}
    assert set(states.values()) == {State.PASS}, states


def measured(name: str, quantity: str, channel: str) -> Measurement:
    """Return the one measurement of a quantity of a sample's channel."""
    (found,) = [
        m
        for result in judged(name).results
        for m in result.measurements
        if m.quantity == quantity and m.channel == channel
    ]
    return found


def numbers_of(name: str) -> dict[str, float]:
    truth = tomllib.loads((SAMPLES / name / "truth.toml").read_text(encoding="utf-8"))
    return dict(truth["numbers"])


def test_range_finder_shows_its_dropout_and_its_bias() -> None:
    assert (
        measured("range-sensor", "held rows", "obs_3").estimate
        == (numbers_of("range-sensor")["longest_dropout_rows"])
    )
    level = measured("range-sensor", "level", "obs_3")
    assert level.interval is not None
    assert level.interval[0] <= numbers_of("range-sensor")["bias_m"] <= level.interval[1]


def test_slow_ticks_hide_behind_the_mean() -> None:
    truth = numbers_of("slow-ticks")
    results = {result.id: result for result in judged("slow-ticks").results}
    by_quantity = {m.quantity: m for m in results["timing"].measurements}
    assert by_quantity["mean interval ratio"].state is State.PASS
    assert by_quantity["longest interval"].state is State.FAIL
    assert by_quantity["longest interval"].estimate == pytest.approx(
        1 + truth["late_s"] / 0.02, abs=0.03
    )


def test_weak_drive_is_a_gain_and_no_delay() -> None:
    session = judged("weak-drive")
    assert session.report.hypotheses[0].family == "action"
    timing = next(result for result in session.results if result.id == "timing")
    assert timing.state is State.PASS
    gain = measured("weak-drive", "applied gain", "action_0")
    assert gain.estimate == pytest.approx(numbers_of("weak-drive")["action_gain"], abs=1e-3)


def test_periodic_pair_names_rivals_a_stride_apart() -> None:
    alignment = judged("periodic").results[0]
    assert "ambiguous" in alignment.reason
    truth = numbers_of("periodic")
    for offset_s in (-truth["phase_s"], truth["period_s"] - truth["phase_s"]):
        assert f"{offset_s:+.2f}" in alignment.reason


def test_camera_sample_has_a_picture_a_row_and_its_light_differs() -> None:
    pair = opened("camera").pair
    means = []
    for trace in (pair.sim, pair.target):
        (stack,) = trace.frames
        assert len(stack.rows) == len(trace)
        pixels = load_frame(stack, len(trace) // 2)
        assert pixels.shape == (48, 64, 3)
        means.append(pixels.mean(axis=(0, 1)))
    ratio = means[1] / means[0]
    assert ratio[2] < 0.8 < ratio[0] < 1.0
