"""A note opens again and is followed up from the File menu; it is never written over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.ui.conftest import bars, wait_judged
from tracescope.cli.main import main
from tracescope.session.ledger import read_prediction
from tracescope.ui import note_commands, pick_file


@pytest.fixture
def note(tmp_path: Path, pair: tuple[Path, Path]) -> Path:
    """The note of the pair, its prediction frozen."""
    path = tmp_path / "note.json"
    main(["check", *map(str, pair), "--note", str(path), "--quiet"])
    return path


def pick(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setattr(pick_file, "open_file", lambda *_: path)


def test_that_a_note_opens_its_session_and_is_not_the_file_to_save_to(
    empty_window, note, monkeypatch
):
    pick(monkeypatch, note)
    note_commands.ask_and_open(empty_window)
    wait_judged(empty_window)
    assert empty_window.model.is_pair
    assert empty_window.model.open_session.report.observed
    assert empty_window.commands.path is None


def test_that_a_pair_follows_a_note_undoably(window, note, monkeypatch):
    wait_judged(window)
    pick(monkeypatch, note)
    note_commands.ask_and_follow(window)
    assert window.model.open_session.prediction == read_prediction(note)
    assert any("its prediction is refuted" in text for text in bars(window))
    window.model.undo_stack.undo()
    assert window.model.open_session.prediction is None


def test_that_what_is_no_note_is_said(window, tmp_path, monkeypatch):
    other = tmp_path / "other.json"
    shutil.copy(Path(__file__), other)
    pick(monkeypatch, other)
    note_commands.ask_and_follow(window)
    assert window.model.open_session.prediction is None
    assert any("cannot be followed up" in text for text in bars(window))
