"""Every command and every file that the README shows works as it stands there."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import h5py
import pytest

from tracescope.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DONE = {0, 1, 3}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    lines = [
        line.partition(" #")[0].strip() for block in blocks("sh") for line in block.split("\n")
    ]
    inline = re.findall(r"`(tracescope [^`\n]+)`", README)
    found = [line for line in lines + inline if " " in line and "tracescope " in line]
    return [c for c in found if re.search(r"tracescope (check|inspect|sample|plugins)\b", c)]


def sh_paths() -> list[str]:
    return sorted(set(re.findall(r"\./(packaging/\w+\.sh)", README)))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README's commands name."""
    exercise = ROOT / "samples" / "exercise"
    for side in ("sim", "target"):
        shutil.copy(exercise / f"{side}.csv", tmp_path / f"{side}.csv")
        shutil.copy(exercise / f"{side}.csv", tmp_path / f"{side}2.csv")
    shutil.copy(exercise / "target.csv", tmp_path / "FILE")
    with h5py.File(tmp_path / "sim.h5", "w") as file:
        lines = (exercise / "sim.csv").read_text("utf-8").split("\n")[1:-1]
        demo = file.create_group("data/demo_3")
        demo.attrs["num_samples"] = len(lines)
        values = [[float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", row)] for row in lines]
        demo.create_dataset("obs/state", data=[row[2:4] for row in values])
        demo.create_dataset("actions", data=[row[4:5] for row in values])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ours(folder: Path) -> Path:
    home = folder / "our-notes"
    home.mkdir()
    (block,) = [b for b in blocks("toml") if "wording.toml" in b]
    (home / "wording.toml").write_text(block, encoding="utf-8")
    return home


def mapped(folder: Path) -> None:
    """Write the README's map, and two logs with the columns that it names."""
    (block,) = [b for b in blocks("toml") if "schema = 1" in b]
    (folder / "my.toml").write_text(block, encoding="utf-8")
    for side, column in (("sim", "position"), ("target", "meas_pos")):
        rows = [f"timestamp,{column},speed,goal_position"]
        rows += [f"{k * 0.02:.2f},{k % 7},{k % 5},{k % 3}" for k in range(60)]
        (folder / f"{side}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def test_that_the_readme_shows_commands() -> None:
    assert len(commands()) >= 7
    assert len(sh_paths()) == 2


@pytest.mark.parametrize("path", sh_paths())
def test_that_scripts_exist_and_may_run(path: str) -> None:
    assert os.access(ROOT / path, os.X_OK)


def test_that_every_command_runs_in_the_order_shown(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRACESCOPE_TEMPLATES", str(ours(desk)))
    for command in commands():
        if "--map" in command:
            continue  # has a test of its own: its files have other columns
        words = shlex.split(command)
        arguments = words[words.index("tracescope") + 1 :]
        assert main(arguments) in DONE, f"{command}\n{capsys.readouterr().err}"
    assert {"note.pdf", "result.json", "first.json", "second.pdf"} <= {
        p.name for p in desk.iterdir()
    }


def test_that_the_readmes_own_wording_reaches_the_note(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACESCOPE_TEMPLATES", str(ours(desk)))
    assert main(["check", "sim.csv", "target.csv", "--note", "note.md", "--quiet"]) == 1
    assert "our torque monitor, see the drive manual" in (desk / "note.md").read_text("utf-8")


def test_that_the_readmes_map_is_taken(desk: Path) -> None:
    mapped(desk)
    (command,) = [c for c in commands() if "--map" in c]
    assert main([*shlex.split(command)[1:], "--quiet"]) in DONE


def test_that_every_file_linked_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(links) >= 4
    assert [link for link in links if not (ROOT / link).exists()] == []
