"""Which test proves which promise of the window: every gesture, every key, every reported fault.

A promise without a test, a test that has gone, and a shortcut that nobody promised fail here.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from PySide6.QtGui import QKeySequence

from tests.ui.interface_rows import (
    FAULTS_OF_ALIGNMENT,
    FAULTS_OF_APPLICATIONS,
    FAULTS_OF_PLOTS,
    GESTURES,
    PROMISES,
    SHORTCUTS,
)

TESTS = Path(__file__).parents[1]

TABLES = (
    GESTURES, SHORTCUTS, PROMISES, FAULTS_OF_ALIGNMENT, FAULTS_OF_PLOTS, FAULTS_OF_APPLICATIONS,
)  # fmt: skip


@lru_cache
def names_of(module: str) -> frozenset[str]:
    """Return the names of a module's tests that assert something."""
    tree = ast.parse((TESTS / f"{module}.py").read_text(encoding="utf-8"))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return frozenset(node.name for node in found if node.name.startswith("test_"))


def test_that_every_promise_is_proven_by_a_test_that_exists():
    lost = [
        f"{promise}: {module}::{name}"
        for table in TABLES
        for promise, proofs in table.items()
        for module, name in proofs
        if name not in names_of(module)
    ]
    assert not lost, "\n".join(lost)
    assert all(proofs for table in TABLES for proofs in table.values())


def test_that_every_shortcut_of_the_window_is_proven_by_a_test(empty_window):
    proven = {QKeySequence(key).toString() for key in SHORTCUTS}
    shown = {
        QKeySequence(key).toString(): spec.id
        for spec in empty_window.actions_table.specs
        for key in spec.keys
    }
    assert {name for key, name in shown.items() if key not in proven} == set()
    assert proven - set(shown) == set(), "keys that nothing has"
