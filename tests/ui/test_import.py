"""How a file is read can be changed, with what comes of it shown at once, and remembered."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from tests.readers.helpers import put
from tests.ui import hands
from tests.ui.conftest import dialog_of, drop, wait_judged
from tracescope.model.trace import Role
from tracescope.readers import open_trace
from tracescope.readers.base import ImportChoices
from tracescope.ui.dialogs.correspondence import CorrespondenceDialog
from tracescope.ui.dialogs.import_dialog import ImportDialog
from tracescope.ui.dialogs.import_table import ChannelTable
from tracescope.ui.dialogs.properties import PropertiesDialog


def open_dialog(window) -> ImportDialog:
    line = window.parts.header.lines["target"]
    hands.click(line.button, line.button.rect().center())
    hands.press(dialog_of(PropertiesDialog), "Change how it is read…")
    return dialog_of(ImportDialog)


def choose(field: QComboBox, text: str) -> None:
    """Walk down to an entry with the keyboard, as one who does not open the list."""
    place = field.findText(text)
    assert place >= 0, text
    QTest.keyClick(field, Qt.Key.Key_Home)
    for _ in range(place):
        QTest.keyClick(field, Qt.Key.Key_Down)
    assert field.currentText() == text


def wait_read(dialog: ImportDialog) -> None:
    hands.wait_for(lambda: dialog.lane.task is None, "the preview", 30)


def role_of(dialog: ImportDialog, name: str) -> QComboBox:
    (field,) = [
        f for f in dialog.table.findChildren(QComboBox) if f.accessibleName() == f"role of {name}"
    ]
    return field


def test_that_a_unit_of_the_clock_is_previewed_and_taken(window):
    dialog = open_dialog(window)
    assert "timestamp (s)" in dialog.summary.text()
    choose(dialog.fields.unit, "milliseconds")
    hands.wait_for(lambda: "timestamp (ms)" in dialog.summary.text(), "the preview", 30)
    hands.press(dialog, "OK")
    hands.wait_for(
        lambda: window.model.open_session.target.choices.time_unit == "ms", "the file read anew", 30
    )
    wait_judged(window)
    assert window.model.open_session.pair.target.clock.unit == "ms"


def test_that_the_focus_stays_on_a_role_while_the_file_is_read_anew(window):
    dialog = open_dialog(window)
    field = role_of(dialog, "reward")
    field.setFocus()
    hands.key(dialog, Qt.Key.Key_Down)
    hands.wait_for(lambda: dialog.lane.task is not None, "reading to begin")
    wait_read(dialog)
    assert dialog.focusWidget() is field
    assert role_of(dialog, "reward") is field
    dialog.reject()


def test_that_a_role_is_changed_in_the_table(window):
    dialog = open_dialog(window)
    choose(role_of(dialog, "reward"), "Other")
    wait_read(dialog)
    hands.wait_for(
        lambda: dialog.lane.task is None and bool(dialog.choices().roles), "the preview", 30
    )
    hands.press(dialog, "OK")
    hands.wait_for(
        lambda: window.model.open_session.pair.target["reward"].role is Role.OTHER,
        "the new role",
        30,
    )
    wait_judged(window)
    assert window.model.open_session.pair.target["obs[0]"].role is Role.OBSERVATION


def test_that_a_written_unit_wins_over_a_pattern_and_an_emptied_one_is_none(qapp, tmp_path):
    table = ChannelTable()
    trace = open_trace(put(tmp_path, "t,q [rad],p [m]\n0,1,2\n0.1,2,3\n0.2,3,4\n", "units.csv"))
    table.show_trace(trace)
    held = (("*", "deg"), ("t", "s"))
    assert table.units(held) == held
    table.item(0, 2).setText("mrad")
    table.item(1, 2).setText("")
    choices = ImportChoices(units=table.units(held))
    again = open_trace(tmp_path / "units.csv", choices=choices)
    assert [channel.unit for channel in again] == ["mrad", ""]
    table.show_trace(again)
    assert (table.item(0, 2).text(), table.item(1, 2).text()) == ("mrad", "")
    table.deleteLater()


def test_that_what_cannot_be_read_is_said_and_cancel_changes_nothing(window):
    before = window.model.open_session
    dialog = open_dialog(window)
    hands.type_text(dialog.fields.rate, "fast")
    hands.wait_for(lambda: "number of rows a second" in dialog.wrong.text(), "the sentence")
    hands.press(dialog, "OK")
    assert dialog.isVisible()
    hands.press(dialog, "Cancel")
    assert window.model.open_session is before


@pytest.mark.parametrize("field", ["header", "rate"])
@pytest.mark.parametrize("label", ["OK", "Remember for files like this…"])
@pytest.mark.parametrize("text", ["second", "²", "-1"])
def test_that_a_field_is_judged_as_it_is_when_a_button_is_pressed(
    window, tmp_path, picked, field, label, text
):
    before = window.model.open_session
    picked(tmp_path / "robot.toml")
    dialog = open_dialog(window)
    hands.type_text(getattr(dialog.fields, field), text)
    hands.press(dialog, label)
    assert dialog.isVisible()
    assert "number" in dialog.wrong.text()
    assert not (tmp_path / "robot.toml").exists()
    hands.press(dialog, "Cancel")
    assert window.model.open_session is before


def test_that_choices_are_remembered_as_a_profile(window, tmp_path, picked):
    from tracescope.readers.mapfile import read_map

    dialog = open_dialog(window)
    choose(dialog.fields.unit, "milliseconds")
    wait_read(dialog)
    picked(tmp_path / "robot.map.toml")
    hands.press(dialog, "Remember for files like this…")
    assert read_map(tmp_path / "robot.map.toml").target.time_unit == "ms"
    hands.press(dialog, "Cancel")


def test_that_the_first_lines_stand_there_with_their_line_numbers_and_follow_the_delimiter(window):
    dialog = open_dialog(window)
    hands.wait_for(lambda: dialog.lines.rowCount() > 0, "the first lines", 30)
    names = [dialog.lines.horizontalHeaderItem(i).text() for i in range(dialog.lines.columnCount())]
    assert names[:3] == ["step", "timestamp", "obs"]
    assert dialog.lines.verticalHeaderItem(0).text() == "2"
    assert dialog.lines.item(0, 1).text() == "0.01"
    choose(dialog.fields.delimiter, "semicolon")
    hands.wait_for(
        lambda: bool(dialog.wrong.text()) or dialog.lines.columnCount() < len(names),
        "the file cut at semicolons",
        30,
    )
    hands.press(dialog, "Cancel")


def test_that_a_remembered_profile_is_offered_for_a_file_of_the_same_shape(
    window, tmp_path, picked, pair
):
    dialog = open_dialog(window)
    choose(role_of(dialog, "reward"), "Other")
    hands.wait_for(
        lambda: dialog.lane.task is None and bool(dialog.choices().roles), "the preview", 30
    )
    picked(tmp_path / "robot.toml")
    hands.press(dialog, "Remember for files like this…")
    hands.press(dialog, "Cancel")
    later = tmp_path / "later.csv"
    shutil.copy(pair[1], later)
    window.commands.replace_side("target", str(later))
    hands.wait_for(
        lambda: window.model.open_session.target.path == str(later), "the other file", 30
    )
    hands.press(window, "Read it so")
    hands.wait_for(
        lambda: window.model.open_session.pair.target["reward"].role is Role.OTHER,
        "the file read as remembered",
        30,
    )
    wait_judged(window)
    assert window.model.open_session.pair.sim["reward"].role is Role.REWARD, "the other side stays"


def test_that_a_suggested_correspondence_is_taken_and_saved(empty_window, pair, tmp_path):
    from tracescope.session.store import load_session, save_session

    window = empty_window
    time_s = np.arange(60) * 0.02
    walk = np.cumsum(np.random.default_rng(1).normal(size=(60, 2)), axis=0)
    rows = zip(time_s, walk[:, 0], walk[:, 1], strict=True)
    pair[0].write_text("t,obs_a,obs_b\n" + "".join(f"{t},{a},{b}\n" for t, a, b in rows))
    rows = zip(time_s, walk[:, 1], -walk[:, 0], np.sin(time_s), strict=True)
    pair[1].write_text(
        "t,obs_p,obs_q,obs_r\n" + "".join(f"{t},{p},{q},{r}\n" for t, p, q, r in rows)
    )
    drop(window, *pair)
    wait_judged(window)
    assert not window.model.open_session.pair.matches
    window.actions_table["match-channels"].trigger()
    dialog = dialog_of(CorrespondenceDialog)
    hands.wait_for(dialog.take.isEnabled, "the suggestions", 30)
    assert "r = -1.000" in dialog.table.item(0, 2).text()
    hands.press(dialog, "Take the 2 suggestions")
    hands.press(dialog, "OK")
    hands.wait_for(lambda: len(window.model.open_session.pair.matches) == 2, "the pairs", 30)
    wait_judged(window)
    matches = {(m.sim, m.target) for m in window.model.open_session.pair.matches}
    assert matches == {("obs_a", "obs_q"), ("obs_b", "obs_p")}
    save_session(window.model.open_session, tmp_path / "x.tracescope")
    again = load_session(tmp_path / "x.tracescope")
    assert {(m.sim, m.target) for m in again.pair.matches} == matches
    window.model.undo_stack.setClean()
