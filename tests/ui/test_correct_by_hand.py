"""A correction that a person types: its dialog, what it lays over a channel, and how it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt

from tests.ui import hands
from tests.ui.conftest import dialog_of, wait_judged
from tests.ui.menus import (
    opened,
    right_click,
    take,
)
from tests.ui.test_signals import index_of
from tracescope.findings.numbers import number
from tracescope.model.correction import Correction
from tracescope.session.export import session_document
from tracescope.ui.dialogs.correct import CorrectDialog, number_from
from tracescope.ui.main_window import MainWindow
from tracescope.ui.panels.signals_model import BADGE
from tracescope.ui.panels.signals_panel import badge_forms

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture
def window(empty_window: MainWindow, pair: tuple[Path, Path]) -> MainWindow:
    return opened(empty_window, pair)


def correct(window: MainWindow, scale: str, offset: str = "") -> CorrectDialog:
    right_click(window)
    take("Correct obs[0] by hand…")
    dialog = dialog_of(CorrectDialog)
    dialog.scale.clear()
    hands.type_text(dialog.scale, scale)
    if offset:
        dialog.offset.clear()
        dialog.offset.insert(offset)  # no keyboard of the test has the minus sign
    return dialog


def test_that_no_field_moves_while_a_correction_is_typed_and_ranges_have_their_digits(window):
    right_click(window)
    take("Correct obs[0] by hand…")
    dialog = dialog_of(CorrectDialog)
    hands.settle()
    fields = (dialog.channel, dialog.scale, dialog.offset)
    dialog.scale.clear()
    hands.settle()
    empty = [field.geometry() for field in fields]
    assert "on the command line" not in dialog.effect.text()
    hands.type_text(dialog.scale, "1.5")
    hands.settle()
    assert "on the command line" in dialog.effect.text()
    assert [field.geometry() for field in fields] == empty
    value = window.model.open_session.pair.target["obs[0]"].value
    assert f"recorded: {number(value.min())} to {number(value.max())}" in dialog.effect.text()
    dialog.reject()


def test_that_a_correction_by_hand_is_laid_over_told_as_given_by_hand_and_undone(window):
    dialog = correct(window, "1.5", "−0,1")
    assert "--correct 'obs[0]=1.5,-0.1'" in dialog.effect.text()
    hands.key(dialog, Qt.Key.Key_Return)
    given = (Correction("obs[0]", 1.5, -0.1, by_hand=True),)
    assert window.model.open_session.corrections == given
    assert index_of(window, "obs[0]").data(BADGE).startswith("(obs[0] + 0.1) ÷ 1.5 by hand")
    assert "by hand" in index_of(window, "obs[0]").data(Qt.ItemDataRole.ToolTipRole)
    wait_judged(window)
    note = session_document(window.model.open_session, "2026-11-30T00:00:00+00:00", figures=())
    assert note.corrections == ("(obs[0] + 0.1) ÷ 1.5 (given by hand)",)
    window.activateWindow()
    hands.wait_for(window.isActiveWindow, "the window to be active")
    window.parts.traces.setFocus()
    hands.key(window, "Z", hands.CTRL)
    assert window.model.open_session.corrections == ()
    hands.key(window, "Z", hands.CTRL | hands.SHIFT)
    assert window.model.open_session.corrections == given


def test_that_what_a_check_fitted_is_not_told_as_given_by_hand(window):
    wait_judged(window)
    window.commands.apply_pending()
    assert not any(c.by_hand for c in window.model.open_session.corrections)
    assert "by hand" not in index_of(window, "obs[0]").data(BADGE)


@pytest.mark.parametrize(
    ("scale", "offset", "said"),
    [
        ("abc", "", "Not a number"),
        ("0", "", "0 cannot be divided by"),
        ("1e999", "", "Not a number"),
        ("1.02,0.1", "", "Not a number"),
        ("1.02", "x", "Not a number"),
    ],
)
def test_that_what_is_wrong_is_said_beside_its_field_and_nothing_is_changed(
    window, scale, offset, said
):
    dialog = correct(window, scale, offset)
    field = dialog.offset if offset else dialog.scale
    fault = dialog.faults[field]
    assert fault.isVisible()
    assert fault.text().startswith(said)
    assert abs(fault.mapTo(dialog, QPoint()).y() - field.mapTo(dialog, QPoint()).y()) < 60
    hands.press(dialog, "Correct")
    assert dialog.isVisible()
    assert window.model.open_session.corrections == ()
    field.clear()
    hands.type_text(field, "1.1")
    assert not fault.isVisible()
    hands.press(dialog, "Correct")
    assert len(window.model.open_session.corrections) == 1


def test_that_neither_scale_nor_offset_is_explained(window):
    dialog = correct(window, "1")
    hands.press(dialog, "Correct")
    assert dialog.wrong.text() == "Give a scale other than 1, an offset other than 0, or both."
    hands.press(dialog, "Cancel")
    assert window.model.undo_stack.count() == 0


def test_that_a_held_correction_is_shown_and_can_be_taken_away(window):
    window.model.correct(Correction("obs[0]", 1.25))
    window.actions_table["correct-by-hand"].trigger()
    dialog = dialog_of(CorrectDialog)
    dialog.channel.setCurrentIndex(dialog.channel.findData("obs[0]"))
    assert dialog.scale.text() == "1.25"
    dialog.channel.setCurrentIndex(dialog.channel.findData("obs[1]"))
    assert dialog.scale.text() == ""
    assert not dialog.remove.isEnabled()
    dialog.channel.setCurrentIndex(dialog.channel.findData("obs[0]"))
    hands.press(dialog, "Take it away")
    assert window.model.open_session.corrections == ()
    window.model.correct(Correction("obs[0]", 1.25))
    right_click(window)
    take("Take the correction of obs[0] away (÷ 1.25)")
    assert window.model.open_session.corrections == ()


def test_that_a_correction_by_hand_survives_the_session_file(window, tmp_path, picked):
    window.model.correct(Correction("obs[0]", 1.25, by_hand=True), Correction("obs[1]", 1.5))
    wait_judged(window)
    picked(tmp_path / "kept.tracescope")
    window.commands.save_as()
    held: Callable[[], tuple[Correction, ...]] = lambda: window.model.open_session.corrections  # noqa: E731
    before = held()
    window.model.set_corrections(())
    window.opener.open_session_file(tmp_path / "kept.tracescope")
    hands.wait_for(lambda: held() == before, "the session", 30)
    assert [c.by_hand for c in held()] == [True, False]


def test_that_a_crowded_badge_still_says_that_a_person_gave_it():
    assert badge_forms("÷ 1.49729 by hand · constant") == (
        "÷ 1.49729 by hand · constant",
        "÷ 1.49729 by hand",
        "÷ 1.5 by hand",
        "by hand",
        "÷",
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.5", 1.5), ("−1,5", -1.5), ("-2", -2.0), ("", 7.0), ("nan", None), ("1 2", None)],
)
def test_that_numbers_are_read_with_either_minus_and_either_mark(text, number):
    assert number_from(text, 7.0) == number
