"""The note's dialog never writes over what is there without being told twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.findings import hand
from tests.ui.conftest import bars, dialog_of
from tracescope.findings.note.document import NoteOptions
from tracescope.ui.dialogs import export_note
from tracescope.ui.dialogs.export_note import ExportDialog, free_name


@pytest.fixture
def dialog(qtbot, empty_window):
    made = ExportDialog(hand.judged_session(), empty_window)
    qtbot.addWidget(made)
    made.emitted = []
    made.chosen.connect(lambda path, _: made.emitted.append(path))
    return made


def test_that_a_note_that_exists_is_replaced_only_when_told_twice(dialog, tmp_path):
    note = tmp_path / "note.html"
    note.write_text("last week's", "utf-8")
    dialog.path.setText(str(note))
    dialog.accept()
    assert dialog.emitted == []
    dialog.accept()
    assert dialog.emitted == [note]


def test_that_telling_twice_counts_for_one_file_alone(dialog, tmp_path):
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("kept", "utf-8")
        dialog.path.setText(str(tmp_path / name))
        dialog.accept()
    assert dialog.emitted == []


def test_that_a_new_note_is_written_at_once(dialog, tmp_path):
    dialog.path.setText(str(tmp_path / "new.html"))
    dialog.accept()
    assert dialog.emitted == [tmp_path / "new.html"]


def test_that_the_name_offered_is_free_and_can_be_written(tmp_path, monkeypatch):
    recording = tmp_path / "target.csv"
    assert free_name(recording) == tmp_path / "findings.html"
    (tmp_path / "findings.html").write_text("kept", "utf-8")
    assert free_name(recording) == tmp_path / "findings-2.html"
    monkeypatch.setattr(export_note.os, "access", lambda *_: False)
    assert free_name(recording).parent == Path.home()


def test_that_the_next_note_is_offered_where_the_last_one_went(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "data").mkdir()
    last = tmp_path / "notes" / "first.pdf"
    assert free_name(tmp_path / "data" / "target.csv", last).parent == tmp_path / "notes"
    gone = tmp_path / "gone" / "first.pdf"
    assert free_name(tmp_path / "data" / "target.csv", gone).parent == tmp_path / "data"


def test_that_only_a_pdf_asks_for_paper(dialog):
    assert not dialog.paper.isEnabled()
    dialog.format.setCurrentIndex(dialog.format.findData("pdf"))
    assert dialog.paper.isEnabled()


def test_that_the_author_is_remembered(window, qtbot, tmp_path):
    window.commands.write_note(tmp_path / "note.json", NoteOptions(author="A. Engineer"))
    qtbot.waitUntil(lambda: (tmp_path / "note.json").exists() and bool(bars(window)))
    window.commands.export_note()
    again = dialog_of(ExportDialog)
    assert again.author.text() == "A. Engineer"
    assert Path(again.path.text()).parent == tmp_path
    again.reject()
    window.commands.close_pair()
    assert not any("Note written" in text for text in bars(window))


def test_that_each_format_counts_its_own_notes(qtbot, empty_window, tmp_path):
    session = hand.judged_session()
    session = replace(session, target=replace(session.target, path=str(tmp_path / "target.csv")))
    (tmp_path / "findings.html").write_text("kept", "utf-8")
    made = ExportDialog(session, empty_window)
    qtbot.addWidget(made)
    offered = {}
    for ending in ("html", "pdf", "html"):
        made.format.setCurrentIndex(made.format.findData(ending))
        offered[ending] = Path(made.path.text()).name
    assert offered == {"html": "findings-2.html", "pdf": "findings.pdf"}
    made.path.setText(str(tmp_path / "mine.html"))
    made.format.setCurrentIndex(made.format.findData("pdf"))
    assert made.path.text() == str(tmp_path / "mine.pdf")
