"""The import contracts hold, and each of them can fail: a planted violation is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PLANTED = {
    "imports point inwards": ("model/trace.py", "import tracescope.session.session"),
    "only ui knows Qt": ("analysis/rows.py", "import PySide6.QtCore"),
    "only readers know file formats": ("checks/base.py", "import h5py"),
    "a check never imports its sibling": (
        "checks/reward.py",
        "import tracescope.checks.termination",
    ),
}


def lint(folder: Path) -> tuple[int, str]:
    linter = Path(sys.executable).with_name("lint-imports")
    run = subprocess.run(
        [linter, "--config", "pyproject.toml", "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode, run.stdout + run.stderr


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(
        ROOT / "tracescope", tmp_path / "tracescope", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path


def test_that_every_contract_is_kept(copy: Path) -> None:
    status, output = lint(copy)
    assert status == 0, output
    for name in PLANTED:
        assert f"{name} KEPT" in output


@pytest.mark.parametrize("name", PLANTED)
def test_that_a_planted_violation_breaks_its_contract(copy: Path, name: str) -> None:
    place, line = PLANTED[name]
    module = copy / "tracescope" / place
    module.write_text(module.read_text() + f"\n{line}\n")
    status, output = lint(copy)
    assert status != 0
    assert f"{name} BROKEN" in output
