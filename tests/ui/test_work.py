"""The main job on the real window: align by hand, correct, edit findings, export, save, undo."""

from __future__ import annotations

import json
import re

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from tests.ui import hands
from tests.ui.conftest import dialog_of, wait_judged
from tracescope.findings.numbers import number
from tracescope.model.check import State
from tracescope.session.result_file import result_json
from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.words import measured_text


def card(window, check_id):
    found = window.parts.checks.card_of(check_id)
    assert found is not None
    return found


def card_words(window, check_id) -> str:
    return "\n".join(
        label.text()
        for label in card(window, check_id).findChildren(QLabel)
        if label.isVisibleTo(window)
    )


def drag_bar(window, by_px: float) -> None:
    strip = window.parts.traces.strip
    start = QPointF(strip.target_bar().center())
    hands.drag(strip, start, start + QPointF(by_px, 0))


def test_that_dragging_the_bar_moves_number_residual_and_cards_and_is_one_undo_step(window):
    before = window.model.open_session
    offset = window.parts.align.offset
    shown_before = offset.value()
    reason_before = window.model.result_of("alignment").reason
    strip = window.parts.traces.strip
    start = QPointF(strip.target_bar().center())
    with hands.Drag(strip, start) as hand:
        hand.to(start + QPointF(-60, 0))
        assert window.model.previewing
        assert offset.value() > shown_before, "the number follows the hand"
        hands.wait_for(
            lambda: window.model.result_of("alignment").reason != reason_before,
            "cards during the drag",
        )
    wait_judged(window)
    moved_s = window.model.open_session.alignment.offset_s - before.alignment.offset_s
    assert moved_s > 0.01
    assert window.parts.align.offset.value() == pytest.approx(
        window.model.open_session.alignment.offset_s, abs=1e-6
    )
    assert window.model.undo_stack.count() == 1
    hands.key(window, Qt.Key.Key_Z, hands.CTRL)
    assert window.model.open_session.alignment == before.alignment
    assert offset.value() == shown_before
    wait_judged(window)
    assert window.model.result_of("alignment").reason == reason_before
    hands.key(window, Qt.Key.Key_Z, hands.CTRL | hands.SHIFT)
    assert window.model.open_session.alignment.offset_s == pytest.approx(
        before.alignment.offset_s + moved_s
    )


def test_that_escape_takes_a_drag_back_and_leaves_no_undo_step(window):
    before = window.model.open_session.alignment
    strip = window.parts.traces.strip
    start = QPointF(strip.target_bar().center())
    with hands.Drag(strip, start) as hand:
        hand.to(start + QPointF(40, 0))
        assert window.model.open_session.alignment != before
        hands.key(strip, Qt.Key.Key_Escape)
    assert window.model.open_session.alignment == before
    assert window.model.undo_stack.count() == 0


def test_that_a_locked_alignment_says_so_and_stays(window):
    before = window.model.open_session.alignment
    hands.click(window.parts.align.lock, window.parts.align.lock.rect().center())
    drag_bar(window, -50)
    assert window.model.open_session.alignment == before
    assert not window.parts.align.offset.isEnabled()
    assert "locked" in window.parts.status.currentMessage()


def test_that_an_offset_typed_into_the_toolbar_realigns_undoably(window):
    field = window.parts.align.offset
    field.setFocus()
    field.selectAll()
    hands.type_text(field, "0.05")
    hands.key(field, Qt.Key.Key_Return)
    assert window.model.open_session.alignment.offset_s == 0.05
    assert window.model.open_session.alignment.how == "hand"
    window.actions_table["undo"].trigger()
    assert window.model.open_session.alignment.offset_s == pytest.approx(0.01, abs=1e-3)


def test_that_applying_a_correction_from_its_card_turns_the_failure_into_a_pass(window):
    assert window.model.result_of("observation-scaling").state is State.FAIL
    apply = card(window, "observation-scaling").apply
    assert apply.text() == "Apply 2 corrections"
    hands.click(apply, apply.rect().center())
    wait_judged(window)
    assert len(window.model.open_session.corrections) == 2
    assert window.model.result_of("observation-scaling").state is State.PASS
    assert "Uses:" in card_words(window, "dynamics") or card(window, "dynamics").details.isVisible()
    hands.key(window, Qt.Key.Key_Z, hands.CTRL)
    wait_judged(window)
    assert window.model.open_session.corrections == ()
    assert window.model.result_of("observation-scaling").state is State.FAIL


def test_that_every_card_shows_state_sentence_and_measurements_of_its_result(window):
    for one in window.parts.checks.cards:
        result = window.model.result_of(one.check.id)
        assert result.reason in card_words(window, one.check.id)


def test_that_a_tolerance_is_edited_in_place_and_reset(window):
    one = card(window, "observation-scaling")
    hands.click(one.tolerances, one.tolerances.rect().center())
    from PySide6.QtWidgets import QLineEdit

    (high,) = [
        field
        for field in one.findChildren(QLineEdit)
        if field.accessibleName() == "observation-scaling.scale high"
    ]
    high.selectAll()
    hands.type_text(high, "2.5")
    hands.key(high, Qt.Key.Key_Return)
    wait_judged(window)
    assert dict(window.model.open_session.tolerances.chosen)["observation-scaling.scale"][1] == 2.5
    high.selectAll()
    hands.type_text(high, "many")
    hands.key(high, Qt.Key.Key_Return)
    assert "Not a number" in card_words(window, "observation-scaling")
    high.selectAll()
    hands.type_text(high, "")
    window.model.undo_stack.undo()
    assert window.model.open_session.tolerances.chosen == ()


def test_that_evidence_is_gone_to_and_marked(window):
    one = card(window, "action")
    hands.click(one.show_evidence, one.show_evidence.rect().center())
    (evidence,) = window.view.evidence
    low, high = window.view.range_s
    assert low <= evidence.span_s[0] <= evidence.span_s[1] <= high


def edit_first(window, kind, text) -> None:
    column = window.parts.findings.columns[kind].list
    column.setCurrentRow(0)
    column.setFocus()
    hands.key(column, Qt.Key.Key_F2)
    (editor,) = column.findChildren(QPlainTextEdit)
    hands.type_text(editor, text)
    hands.key(editor, Qt.Key.Key_Return, hands.CTRL)


def test_that_a_finding_is_edited_in_place_and_undo_brings_the_words_back(window):
    column = window.parts.findings.columns["observed"].list
    original = column.findings()[0].text
    edit_first(window, "observed", "The force sensor reads too much")
    assert column.findings()[0].text == "The force sensor reads too much"
    assert column.findings()[0].by_hand
    window.actions_table["undo"].trigger()
    assert column.findings()[0].text == original


def test_that_an_inference_is_demoted_and_never_promoted(window):
    columns = window.parts.findings.columns
    inferred = columns["inferred"]
    text = inferred.list.findings()[0].text
    inferred.list.setCurrentRow(0)
    hands.click(inferred.demote, inferred.demote.rect().center())
    assert text in [f.text for f in columns["untested"].list.findings()]
    assert text not in [f.text for f in inferred.list.findings()]
    assert not columns["untested"].demote.isVisible()
    assert not columns["observed"].demote.isVisible()


def test_that_findings_are_moved_and_hidden_from_the_keyboard(window):
    column = window.parts.findings.columns["observed"].list
    first, second = column.findings()[:2]
    column.setCurrentRow(0)
    column.setFocus()
    hands.key(column, Qt.Key.Key_Down, hands.ALT)
    assert [f.id for f in column.findings()[:2]] == [second.id, first.id]
    column.setCurrentRow(0)
    hands.key(column, Qt.Key.Key_Delete)
    assert second.id not in [f.id for f in column.findings()]


def test_that_the_note_and_the_json_hold_the_numbers_on_the_screen(window, tmp_path):
    edit_first(window, "observed", "Seen by hand: the plate <b>rings</b>")
    hands.press(window, "Export note…")
    dialog = dialog_of(ExportDialog)
    dialog.path.selectAll()
    hands.type_text(dialog.path, str(tmp_path / "note.html"))
    hands.press(dialog, "Export")
    hands.wait_for((tmp_path / "note.html").exists, "the note", 60)
    hands.wait_for(lambda: any(n.key == "export" for n in window.notices.standing), "the notice")
    note = (tmp_path / "note.html").read_text("utf-8")
    assert "Seen by hand: the plate" in note
    assert "<b>rings</b>" not in note, "typed text is never markup"
    told = {
        check["id"]: check for check in json.loads(result_json(window.model.open_session))["checks"]
    }
    for one in window.parts.checks.cards:
        shown = one.findChildren(QLabel)
        assert told[one.check.id]["reason"] in [label.text() for label in shown]
    scale = told["observation-scaling"]["measurements"][0]
    on_screen = [
        measured_text(m) for m in window.model.result_of("observation-scaling").measurements
    ]
    assert any(number(scale["estimate"], 3).rstrip("0") in text for text in on_screen)
    assert number(scale["estimate"], 3).rstrip("0") in re.sub(r"<[^>]+>", " ", note)


def test_that_save_reopen_and_save_again_gives_the_same_bytes(window, tmp_path, picked):
    hands.click(
        card(window, "observation-scaling").apply,
        card(window, "observation-scaling").apply.rect().center(),
    )
    wait_judged(window)
    edit_first(window, "observed", "Edited")
    first, second = tmp_path / "one.tracescope", tmp_path / "two.tracescope"
    picked(first)
    hands.key(window, Qt.Key.Key_S, hands.CTRL)
    assert "one.tracescope" in window.windowTitle()
    picked(first)
    window.actions_table["close-pair"].trigger()
    assert window.parts.start.isVisible()
    window.actions_table["open-session"].trigger()
    wait_judged(window)
    assert window.parts.findings.columns["observed"].list.findings()[0].text == "Edited"
    assert len(window.model.open_session.corrections) == 2
    picked(second)
    hands.key(window, Qt.Key.Key_S, hands.CTRL | hands.SHIFT)
    assert second.read_bytes() == first.read_bytes()


def test_that_a_note_asked_for_while_checks_run_tells_of_the_present_state(window, tmp_path):
    window.model.align(window.model.open_session.alignment.by_hand(offset_s=0.5, step_shift=10))
    assert window.model.open_session.stale
    window.commands.write_note(tmp_path / "note.json", _options())
    hands.wait_for((tmp_path / "note.json").exists, "the note", 60)
    hands.wait_for(
        lambda: any(n.key == "export" for n in window.notices.standing), "the notice", 60
    )
    wait_judged(window)
    text = (tmp_path / "note.json").read_text("utf-8")
    assert window.model.result_of("alignment").reason in json.dumps(
        json.loads(text), ensure_ascii=False
    )


def test_that_a_note_is_never_written_onto_a_recording(window, pair):
    before = pair[1].read_bytes()
    window.commands.write_note(pair[1].with_suffix(".csv"), _options())
    hands.wait_for(lambda: bool(window.notices.standing), "the bar")
    assert window.notices.standing[-1].level == "error"
    assert pair[1].read_bytes() == before


def _options():
    from tracescope.findings.note.document import NoteOptions

    return NoteOptions()
