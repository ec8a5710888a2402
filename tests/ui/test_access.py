"""Everything can be reached, named and hit: Tab, accessible names, tooltips, sizes, one table of keys."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from tests.ui import hands
from tests.ui.conftest import dialog_of
from tests.ui.plots.test_frames import stack_file
from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.dialogs.open_pair import OpenPairDialog
from tracescope.ui.dialogs.palette import CommandPalette, ranked
from tracescope.ui.dialogs.shortcuts import ShortcutSheet

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
)


def controls(root: QWidget) -> list[QWidget]:
    """Return the visible controls a person may use; parts inside another control belong to it."""
    found = []
    for widget in root.findChildren(QWidget):
        if not (isinstance(widget, CONTROLS) and widget.isVisible()):
            continue
        inside = widget.parentWidget()
        while inside is not None and inside is not root and not isinstance(inside, CONTROLS):
            inside = inside.parentWidget()
        if inside is None or inside is root or not isinstance(inside, CONTROLS):
            found.append(widget)
    return found


def name_of(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    return widget.accessibleName() or text


def described(widget: QWidget) -> str:
    return f"{type(widget).__name__} {name_of(widget)!r} of {type(widget.parentWidget()).__name__}"


def test_that_every_control_of_the_window_has_a_name_a_tooltip_and_a_size(window):
    nameless = [described(w) for w in controls(window) if not name_of(w)]
    assert not nameless
    silent = [described(w) for w in controls(window) if not w.toolTip()]
    assert not silent
    small = [
        f"{described(w)} {w.width()}×{w.height()}"
        for w in controls(window)
        if w.isEnabled() and min(w.width(), w.height()) < 24
    ]
    assert not small


def test_that_every_control_of_the_start_page_and_of_a_dialog_has_a_name_and_a_tooltip(
    empty_window,
):
    hands.press(empty_window, "Open pair")
    dialog = dialog_of(OpenPairDialog)
    for root in (empty_window, dialog):
        wanting = [described(w) for w in controls(root) if not (name_of(w) and w.toolTip())]
        assert not wanting
    hands.press(dialog, "Cancel")


def test_that_tab_reaches_every_control(window):
    wanted = {
        w for w in controls(window) if w.isEnabled() and w.focusPolicy() & Qt.FocusPolicy.TabFocus
    }
    unreachable = [
        described(w)
        for w in controls(window)
        if w.isEnabled() and not w.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert not unreachable
    seen: set[QWidget] = set()
    window.parts.traces.setFocus()
    for _ in range(400):
        at = window.focusWidget()
        if at is not None:
            seen.add(at)
        window.focusNextChild()
    assert not [described(w) for w in wanted - seen]


@pytest.mark.parametrize(
    ("action", "kind"),
    [("open-pair", OpenPairDialog), ("export-note", ExportDialog), ("shortcuts", ShortcutSheet)],
)
def test_that_tab_reaches_every_control_of_a_dialog(window, action, kind):
    window.actions_table[action].trigger()
    dialog = dialog_of(kind)
    wanted = [w for w in controls(dialog) if w.isEnabled()]
    assert wanted
    assert not [described(w) for w in wanted if not (name_of(w) and w.toolTip())]
    seen: set[QWidget] = set()
    for _ in range(4 * len(wanted)):
        at = dialog.focusWidget()
        if at is not None:
            seen.add(at)
        dialog.focusNextChild()
    assert not [described(w) for w in wanted if w not in seen]
    dialog.close()


def test_that_no_two_actions_share_a_key(window):
    taken: dict[str, str] = {}
    for spec in window.actions_table.specs:
        for key in spec.keys:
            sequence = QKeySequence(key).toString()
            assert sequence not in taken, (
                f"{spec.id} and {taken.get(sequence)} both want {sequence}"
            )
            taken[sequence] = spec.id


def menu_texts(menu: QMenu) -> list[str]:
    texts = []
    for action in menu.actions():
        if action.menu() is not None:
            texts += menu_texts(action.menu())
        elif action.text():
            texts.append(action.text().replace("&", ""))
    return texts


def test_that_menus_and_sheet_come_from_one_table(window):
    shown = [text for a in window.menuBar().actions() for text in menu_texts(a.menu())]
    for spec in window.actions_table.specs:
        assert any(text.startswith(spec.plain_text) for text in shown), spec.id
    window.parts.traces.setFocus()
    hands.key(window, Qt.Key.Key_F1)
    sheet = dialog_of(ShortcutSheet)
    listed = {sheet.table.item(row, 2).text() for row in range(sheet.table.rowCount())}
    assert {spec.plain_text for spec in window.actions_table.specs if spec.keys} <= listed
    hands.press(sheet, "Close")


def test_that_the_palette_finds_and_does_what_is_typed(window):
    hands.key(window, Qt.Key.Key_P, hands.CTRL | hands.SHIFT)
    palette = dialog_of(CommandPalette)
    hands.type_text(palette.field, "dark theme")
    hands.key(palette, Qt.Key.Key_Return)
    assert window.look.theme.is_dark
    window.actions_table["theme-light"].trigger()


def test_that_the_palette_ranks_the_meant_entry_first(window):
    specs = window.actions_table.specs
    for typed, wanted in (
        ("estimate", "estimate"),
        ("save ses", "save-session"),
        ("lock", "align.lock"),
    ):
        assert ranked(specs, typed)[0].id == wanted


def test_that_single_letters_are_text_in_a_text_field(window):
    field = window.parts.signals.filter
    hands.key(window, Qt.Key.Key_F, hands.CTRL)
    assert window.focusWidget() is field
    hands.type_text(field, "lock")
    assert field.text() == "lock"
    assert not window.model.open_session.locked
    field.clear()
    window.parts.traces.setFocus()
    hands.key(window, Qt.Key.Key_L)
    assert window.model.open_session.locked


def test_that_numbers_go_to_the_cards(window):
    window.parts.traces.setFocus()
    hands.key(window, Qt.Key.Key_2)
    card = window.parts.checks.cards[2]
    assert card.isAncestorOf(window.focusWidget())


def test_that_controls_under_the_panes_keep_the_keys_they_need(window, tmp_path):
    opened = window.model.open_session
    film = stack_file(tmp_path / "film.h5", 10, 0)
    sides = {
        side: replace(getattr(opened.pair, side), frames=(film,)) for side in ("sim", "target")
    }
    window.model.open(replace(opened, pair=replace(opened.pair, **sides)))
    hands.settle()
    frames = window.parts.traces.frames
    frames.controls.button.setFocus()
    hands.key(window, Qt.Key.Key_Space)
    assert frames.blink.is_on
    hands.key(window, Qt.Key.Key_Space)
    assert not frames.blink.is_on
    frames.controls.speed.setFocus()
    before = frames.blink.speed
    hands.key(window, Qt.Key.Key_Up)
    assert frames.blink.speed == before - 1
