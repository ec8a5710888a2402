"""The check of the plug-in page, copied out of it and installed beside tracescope, is found, judged and set."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.guide.pages import GUIDE, ROOT, blocks

ENTRY = 'effort = "effort:CHECK"'


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The page's file and the entry point that the page names, as an installer would lay them down."""
    page = GUIDE / "plugins.md"
    (code,) = [b.body for b in blocks(page, "python") if b.body.startswith("# effort.py")]
    assert ENTRY in page.read_text("utf-8")
    (tmp_path / "effort.py").write_text(code, encoding="utf-8")
    info = tmp_path / "effort-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: effort\nVersion: 1.0\n")
    name, _, value = ENTRY.partition(" = ")
    (info / "entry_points.txt").write_text(
        f"[tracescope.checks]\n{name} = {value.strip(chr(34))}\n", encoding="utf-8"
    )
    return tmp_path


def tracescope(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
    command = [sys.executable, "-m", "tracescope", *words]
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


def test_that_the_pages_check_is_in_use(installed: Path) -> None:
    said = tracescope(installed, "plugins").stdout
    assert "effort from effort 1.0 (effort:CHECK): in use" in said
    assert "effort.mean: −0.1 to 0.1; a tenth more effort heats the motors" in said


def test_that_the_pages_check_judges_by_its_tolerance(installed: Path) -> None:
    exercise = ROOT / "samples" / "exercise"
    pair = (str(exercise / "sim.csv"), str(exercise / "target.csv"))
    states = {}
    for band in ("-0.5,0.5", "0.3,0.5"):
        option = ("--tolerance", f"effort.mean={band}", "--json", "r.json", "--quiet")
        assert tracescope(installed, "check", *pair, *option).returncode == 1
        result = json.loads((installed / "r.json").read_text("utf-8"))
        (check,) = [c for c in result["checks"] if c["id"] == "effort"]
        states[band] = check["state"]
    assert states == {"-0.5,0.5": "pass", "0.3,0.5": "fail"}
