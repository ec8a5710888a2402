"""Every command of README and guide runs as it stands, in the order shown, in an empty folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.bundled import first_rows
from tests.figures_once import DrawnOnce
from tests.guide.pages import PAGES, README, ROOT, Block, blocks, name_of, prose
from tracescope.cli.arguments import COMMANDS, command_parser, top_parser
from tracescope.cli.main import main
from tracescope.session import export

REASONS = ("opens a window", "set-up")
"""Why a block may be left out; what follows in brackets says more."""

JUDGED = {0, 1, 3}
CHECK_STATUS = {"check": JUDGED}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the logs that README and guide call the reader's own."""
    exercise = ROOT / "samples" / "exercise"
    for side in ("sim", "target"):
        for name in (side, f"{side}2"):
            shutil.copy(exercise / f"{side}.csv", tmp_path / f"{name}.csv")
    ours = tmp_path / "our-notes"
    ours.mkdir()
    (wording,) = [
        b.body for p in PAGES for b in blocks(p, "toml") if "our-notes/wording.toml" in b.body
    ]
    (ours / "wording.toml").write_text(wording, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def run(command: str, desk: Path) -> tuple[int, str]:
    """Run one line: in this process where it is a plain command of ours, else in a shell."""
    words = shlex.split(command)
    if words[0] == "tracescope" and not re.search(r"&&|[|;<>]", command):
        try:
            return main(words[1:]), ""
        except SystemExit as ended:  # --help and --version
            return int(ended.code or 0), ""
    folder = desk / "bin"
    folder.mkdir(exist_ok=True)
    ours = folder / "tracescope"
    ours.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tracescope "$@"\n', encoding="utf-8")
    ours.chmod(0o755)
    environment = {
        **os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        ["sh", "-c", command], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def allowed(command: str) -> set[int]:
    return JUDGED if re.search(r"tracescope (check|campaign)\b(?!.*--help)", command) else {0}


PAGES_RUN = [page for page in PAGES if any(not b.why for b in blocks(page, "sh"))]


@pytest.mark.xdist_group("guide's commands")  # which have figures in common
@pytest.mark.parametrize("page", PAGES_RUN, ids=name_of)
def test_that_every_command_of_a_page_runs(
    page: Path, desk: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "Drawings", DrawnOnce)
    ran = 0
    for block in blocks(page, "sh"):
        for command in () if block.why else block.lines():
            status, said = run(command, desk)
            said = said or capfd.readouterr().err
            assert status in allowed(command), f"{command}\n{status}\n{said}"
            ran += 1
    assert ran > 0


def left_out() -> list[Block]:
    return [block for page in PAGES for block in blocks(page, "sh") if block.why]


def test_that_what_is_not_run_has_a_known_reason() -> None:
    assert left_out()
    assert [b.why for b in left_out() if not b.why.startswith(REASONS)] == []


def test_that_commands_which_open_a_window_are_understood(desk: Path) -> None:
    found = [c for b in left_out() if b.why.startswith("opens") for c in b.lines()]
    assert len(found) >= 4
    for command in found:
        words = shlex.split(command)
        if words[0] == "tracescope":
            top_parser().parse_args(words[1:])
        else:
            assert os.access(ROOT / words[0], os.X_OK), command


def test_that_set_up_scripts_exist_and_may_run() -> None:
    named = set(re.findall(r"\./(packaging/\w+\.sh)", README.read_text("utf-8")))
    assert named >= {"packaging/run.sh", "packaging/test.sh"}
    assert [path for path in named if not os.access(ROOT / path, os.X_OK)] == []


def inline() -> list[tuple[str, str]]:
    """Return (page, command) of every command of ours in running text."""
    return [
        (name_of(page), command.replace("\n", " "))
        for page in PAGES
        for command in re.findall(r"`(tracescope [^`]+)`", prose(page))
    ]


@pytest.mark.parametrize(("page", "command"), inline())
def test_that_commands_in_running_text_are_understood(page: str, command: str) -> None:
    words = shlex.split(command)[1:]
    if words[0] in COMMANDS and len(words) == 1:
        return  # the command's name alone
    if words[0] in COMMANDS:
        assert command_parser(words[0]).parse_args(words[1:]), page
    elif words[0] not in {"--help", "--version"}:
        assert top_parser().parse_args(words), page


def options() -> list[tuple[str, str]]:
    return sorted(
        {(name_of(p), o) for p in PAGES for o in re.findall(r"`(--[a-z][a-z-]+)", prose(p))}
    )


@pytest.mark.parametrize(("page", "option"), options())
def test_that_every_option_named_exists(page: str, option: str) -> None:
    helps = " ".join(command_parser(name).format_help() for name in COMMANDS)
    helps += top_parser().format_help()
    assert re.search(rf"{option}\b", helps), f"{page} names {option}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_that_every_toml_block_is_toml(page: Path) -> None:
    for block in blocks(page, "toml"):
        assert tomllib.loads(block.body)


def mapped(folder: Path) -> None:
    """Write two logs with the columns that the guide's map names."""
    for side, column in (("sim", "position"), ("target", "meas_pos")):
        rows = [f"timestamp,{column},speed,goal_position"]
        rows += [f"{k * 0.02:.2f},{k % 7},{k % 5},{k % 3}" for k in range(60)]
        (folder / f"{side}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def toml_with(text: str) -> str:
    (found,) = {b.body for page in PAGES for b in blocks(page, "toml") if text in b.body}
    return found


def test_that_the_map_is_taken(desk: Path) -> None:
    (desk / "my.toml").write_text(toml_with("meas_pos"), encoding="utf-8")
    mapped(desk)
    assert main(["check", "sim.csv", "target.csv", "--map", "my.toml", "--quiet"]) in JUDGED


def test_that_the_tolerance_file_is_taken(desk: Path) -> None:
    (desk / "t.toml").write_text(toml_with("[tolerances]"), encoding="utf-8")
    command = ["check", "sim.csv", "target.csv", "--tolerances", "t.toml", "--json", "r.json"]
    assert main([*command, "--quiet"]) == 1
    assert "0.9,\n" in (desk / "r.json").read_text("utf-8")


def test_that_the_budget_file_is_taken(desk: Path) -> None:
    (desk / "b.toml").write_text(toml_with("[budgets]"), encoding="utf-8")
    latch = first_rows("latch", 225, desk)  # past the first contact
    command = ["check", *map(str, latch), "--budgets", "b.toml", "--quiet"]
    probe = "action/v_cmd,obs/force_z,0.5,4.0,contact"
    assert main([*command, "--probe", probe, "--json", "r.json"]) == 1
    assert "-5.0,\n" in (desk / "r.json").read_text("utf-8")


def test_that_the_wording_reaches_the_note(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRACESCOPE_TEMPLATES", "our-notes")
    assert main(["check", "sim.csv", "target.csv", "--note", "note.md", "--quiet"]) == 1
    assert "our torque monitor, see the drive manual" in (desk / "note.md").read_text("utf-8")
