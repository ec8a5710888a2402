"""House rules that a tool can hold: sizes, cited methods, reasons of tolerances, light start."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tracescope.analysis
from tracescope.checks.registry import BUILT_IN
from tracescope.model.check import CHECK_IDS

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "tracescope").rglob("*.py"))

LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
LONGEST_CLASS = 300


def definitions(path: Path) -> Iterator[tuple[str, int, bool]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield (
                f"{path.relative_to(ROOT)}:{node.lineno} {node.name}",
                lines,
                isinstance(node, ast.ClassDef),
            )


def test_that_modules_functions_and_classes_stay_small() -> None:
    large = [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for path in MODULES
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_MODULE
    ]
    for path in MODULES:
        for name, lines, is_class in definitions(path):
            if lines > (LONGEST_CLASS if is_class else LONGEST_FUNCTION):
                large.append(f"{name}: {lines} lines")
    assert not large, "\n".join(large)


def test_that_nothing_is_left_to_do_in_the_source() -> None:
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X", "raise NotImplemented" + "Error")
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in MODULES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if any(mark in line for mark in marks)
    ]
    assert not found, "\n".join(found)


def analysis_functions() -> Iterator[tuple[str, object]]:
    for info in pkgutil.iter_modules(tracescope.analysis.__path__):
        module = importlib.import_module(f"tracescope.analysis.{info.name}")
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", "") == module.__name__:
                yield f"{info.name}.{name}", value


def test_that_every_public_thing_of_analysis_is_documented() -> None:
    bare = [name for name, value in analysis_functions() if callable(value) and not value.__doc__]
    assert not bare, bare


def test_that_the_checks_stand_in_their_order() -> None:
    assert tuple(check.id for check in BUILT_IN) == CHECK_IDS


@pytest.mark.parametrize("check", BUILT_IN, ids=lambda check: check.id)
def test_that_every_tolerance_has_a_reason_and_lies_in_its_range(check) -> None:
    assert check.question
    for tolerance in check.tolerances:
        assert tolerance.why, tolerance.key
        assert tolerance.key.startswith(f"{check.id}."), tolerance.key
        low, high = tolerance.allowed
        assert low <= tolerance.low <= tolerance.high <= high, tolerance.key


HEAVY = ("PySide6", "pyqtgraph", "pandas", "h5py", "scipy", "matplotlib", "typst", "rich")


@pytest.mark.parametrize(
    ("what", "forbidden"),
    [
        ("import tracescope.cli.main", HEAVY),
        ("import tracescope.session.session, tracescope.checks.registry", HEAVY),
        ("import tracescope.readers.registry", HEAVY),
    ],
)
def test_that_the_start_stays_light(what: str, forbidden: tuple[str, ...]) -> None:
    code = f"import sys; {what}; print([m for m in {forbidden!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_that_calls_returning_none_do_not_lose_a_reference_to_none() -> None:
    code = (
        "import sys\nfrom PySide6.QtCore import QObject\n"
        "before = sys.getrefcount(None)\n"
        "for _ in range(1000): QObject().setObjectName('a')\n"
        "assert sys.getrefcount(None) > before - 500, (before, sys.getrefcount(None))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
