"""The bundled pairs: made by their script byte for byte, small, and true to their truth files."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import h5py
import numpy as np
import pytest

from tracescope.model.check import State
from tracescope.model.correction import Correction
from tracescope.session.judge import judge
from tracescope.session.open import open_session
from tracescope.session.session import Session, SideChoices

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

    with h5py.File(path, "r") as file:
        return {
            name: (
                str(data.dtype),
                data[()].tolist(),
                {key: attribute(data.attrs[key]) for key in data.attrs},
            )
            for name, data in file.items()
        }


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
    session = judge(opened(name))
    assert wrong(session, truth["expected"]) == {}
    if "corrected" in truth:
        given = tuple(
            Correction(channel, float(scale))
            for channel, scale in (text.split("=") for text in truth["corrected"]["corrections"])
        )
        assert wrong(judge(session.corrected(given)), truth["corrected"]["expected"]) == {}


def test_healthy_pair_passes_every_check() -> None:
    states = {result.id: result.state for result in judge(opened("healthy")).results}
    assert set(states.values()) == {State.PASS}, states
