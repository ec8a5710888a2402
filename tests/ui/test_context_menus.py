"""The menus of a right click or the menu key, and a correction entered by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from tests.ui import hands
from tests.ui.conftest import dialog_of, drop, wait_judged, wait_open
from tests.ui.test_signals import index_of
from tracescope.findings.numbers import number
from tracescope.model.correction import Correction
from tracescope.session.export import session_document
from tracescope.ui.dialogs.correct import CorrectDialog, number_from
from tracescope.ui.main_window import MainWindow
from tracescope.ui.panels.signals_model import BADGE
from tracescope.ui.panels.signals_panel import badge_forms
from tracescope.ui.plots.canvas_mouse import Pointed

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture
def window(empty_window: MainWindow, pair: tuple[Path, Path]) -> MainWindow:
    """The window on the exercise; few of these tests wait for its results."""
    drop(empty_window, *pair)
    wait_open(empty_window)
    hands.settle()
    return empty_window


def open_menu() -> QMenu:
    menus = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]
    assert len(menus) == 1, f"{len(menus)} menus are open"
    return menus[0]


def entries(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "") for action in menu.actions() if action.text()]


def take(label: str) -> None:
    menu = open_menu()
    (action,) = [a for a in menu.actions() if a.text().replace("&", "") == label]
    assert action.isEnabled(), f"{label!r} is greyed out"
    hands.click(menu, menu.actionGeometry(action).center())


def ask_by_key(widget: QWidget, at: QPoint) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    hands.settle()


def place(window: MainWindow, pane: int, share: float = 0.5) -> tuple[QPointF, float]:
    """Return the pixel of a sample in the middle of a pane's box, and its instant."""
    canvas = window.parts.traces.canvas
    time_s = window.model.open_session.pair.sim.time_s
    at_s = float(time_s[round(share * (len(time_s) - 1))])
    return QPointF(canvas.frame().x(at_s), canvas.panes[pane].box.rect.center().y()), at_s


def right_click(window: MainWindow, pane: int = 0, share: float = 0.5) -> float:
    pos, at_s = place(window, pane, share)
    canvas = window.parts.traces.canvas
    context = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, pos.toPoint(), canvas.mapToGlobal(pos.toPoint())
    )
    QApplication.sendEvent(canvas, context)  # X11 sends it with the press
    hands.click(canvas, pos, button=hands.RIGHT)
    return at_s


def right_click_row(window: MainWindow, start: str) -> None:
    tree = window.parts.signals.tree
    at = tree.visualRect(index_of(window, start)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.RightButton, pos=at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, tree.viewport().mapToGlobal(at))
    QApplication.sendEvent(tree.viewport(), event)
    hands.settle()


# Panes


def test_that_a_right_click_on_a_pane_offers_what_can_be_done_there_with_its_keys(window):
    right_click(window)
    menu = open_menu()
    shown = entries(menu)
    assert shown[0] == "obs[0]"
    for text in (
        "Mark here\tM",
        "Anchor here\tK",
        "Fit this pane",
        "Fit everything",
        "Hide obs[0]",
    ):
        assert text in shown
    table = window.actions_table
    assert table["view.fit_pane"] in menu.actions()
    assert table["view.fit_pane"].isShortcutVisibleInContextMenu()
    assert "Correct obs[0] by hand…" in shown
    assert "Which channel belongs to which…" in shown
    menu.close()


@pytest.mark.parametrize("side", ["sim", "target"])
@pytest.mark.parametrize("by", ["mouse", "key"])
def test_that_the_view_side_by_side_has_the_menu_of_the_panes(window, side, by):
    window.parts.traces.canvas.setFocus()
    window.parts.traces.toggle_sides()
    hands.settle()
    canvas = getattr(window.parts.traces.sides, side)
    time_s = window.model.open_session.pair.sim.time_s
    at_s = float(time_s[len(time_s) // 3])
    pos = QPointF(canvas.frame().x(at_s), canvas.panes[0].box.rect.center().y())
    if by == "mouse":
        hands.click(canvas, pos, button=hands.RIGHT)
    else:
        window.view.set_cursor_a(at_s)
        ask_by_key(canvas, QPoint(1, 1))
    menu = open_menu()
    assert entries(menu)[0] == "obs[0]"
    assert "Correct obs[0] by hand…" in entries(menu)
    take("Cursor B here\tShift+Click")
    step = float(np.median(np.diff(time_s)))
    assert window.view.cursor_b_s == pytest.approx(at_s, abs=1.01 * step)


@pytest.mark.parametrize("of", ["pane", "row"])
def test_that_every_entry_has_a_letter_and_a_name_keeps_its_own_sign(window, of):
    if of == "pane":
        right_click(window)
    else:
        right_click_row(window, "obs[0]")
    menu = open_menu()
    texts = [action.text() for action in menu.actions()[1:] if action.text()]
    assert len(texts) > 4
    assert [text for text in texts if "&" not in text.replace("&&", "")] == []
    menu.close()
    odd = "sim:p&q"
    window.parts.traces.menu_wanted.emit(
        Pointed(window.mapToGlobal(QPoint(300, 300)), (odd,), window.view.range_s[0])
    )
    shown = [action.text() for action in open_menu().actions()]
    assert shown[0] == "p&&q"
    assert "&Show p&&q" in shown
    open_menu().close()


def test_that_a_right_drag_still_draws_a_box_and_opens_no_menu(window):
    canvas = window.parts.traces.canvas
    before = window.view.range_s
    start, _ = place(window, 0, 0.3)
    stop, _ = place(window, 0, 0.6)
    hands.drag(canvas, start, stop + QPointF(0, 20), button=hands.RIGHT)
    assert window.view.range_s[1] - window.view.range_s[0] < before[1] - before[0]
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]


def test_that_the_menu_hides_marks_anchors_and_puts_cursors_where_it_was_opened(window):
    at_s = right_click(window, 0, 0.25)
    take("Mark here\tM")
    assert [mark.span_s for mark in window.model.open_session.marks] == [(at_s, at_s)]
    at_s = right_click(window, 0, 0.5)
    take("Cursor B here\tShift+Click")
    assert window.view.cursor_b_s == at_s
    at_s = right_click(window, 0, 0.75)
    take("Anchor here\tK")
    assert window.view.pending_anchor_s == at_s
    assert window.view.cursor_b_s is None
    right_click(window)
    take("Hide obs[0]")
    assert all("sim:obs[0]" not in pane for pane in window.view.shown)


def test_that_show_only_leaves_one_pane(window):
    right_click(window, 1)
    take("Show only obs[1]")
    assert window.view.shown == (("sim:obs[1]",),)
    right_click(window)
    assert "Show only obs[1]" not in entries(open_menu())
    open_menu().close()


def test_that_the_values_here_are_copied_with_all_digits(window):
    at_s = right_click(window, 0, 0.5)
    take("Copy the values here")
    copied = QGuiApplication.clipboard().text()
    row = round(at_s / 0.05)
    value = window.model.open_session.pair.sim["obs[0]"].value[row]
    assert copied.splitlines()[1].split("\t")[2] == repr(float(value))
    assert len(copied.splitlines()) == 2


def test_that_the_curve_under_the_pointer_is_meant_where_a_pane_has_several(window):
    window.view.set_shown([("sim:obs[0]", "sim:action[0]")])
    hands.settle()
    canvas = window.parts.traces.canvas
    pos, at_s = place(window, 0)
    row = round(at_s / 0.05)
    value = float(window.model.open_session.pair.sim["obs[0]"].value[row])
    pos.setY(canvas.panes[0].box.y(value))
    hands.click(canvas, pos, button=hands.RIGHT)
    assert "obs[0]" in entries(open_menu())[0]
    open_menu().close()


def test_that_the_menu_key_opens_the_active_panes_menu_at_cursor_a(window):
    canvas = window.parts.traces.canvas
    window.view.set_active(1)
    window.view.set_cursor_a(0.5)
    canvas.setFocus()
    ask_by_key(canvas, QPoint(1, 1))
    assert entries(open_menu())[0] == "obs[1]"
    hands.key(open_menu(), Qt.Key.Key_Down)  # the first entry: the title cannot be taken
    hands.key(open_menu(), Qt.Key.Key_Return)
    assert window.view.cursor_a_s == pytest.approx(0.5)


def test_that_a_double_click_by_the_left_hand_opens_no_menu(window):
    canvas = window.parts.traces.canvas
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, QPoint(200, 60), QPoint(200, 60))
    QApplication.sendEvent(canvas, event)
    assert event.isAccepted()
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]


# Rows of the signals


def test_that_a_right_click_on_a_row_shows_or_hides_it(window):
    right_click_row(window, "done")
    assert entries(open_menu())[0] == "done"
    take("Show done")
    assert ("sim:done",) in window.view.shown
    right_click_row(window, "done")
    take("Hide done")
    assert ("sim:done",) not in window.view.shown


def test_that_marked_rows_are_meant_together_and_their_names_can_be_copied(window):
    tree = window.parts.signals.tree
    model = tree.selectionModel()
    for start in ("obs[0]", "obs[1]"):
        model.select(index_of(window, start), model.SelectionFlag.Select)
    at = tree.visualRect(index_of(window, "obs[1]")).center()
    tree.customContextMenuRequested.emit(at)
    assert entries(open_menu())[0] == "obs[0], obs[1]"
    take("Copy 2 names")
    assert QGuiApplication.clipboard().text() == "obs[0]\nobs[1]"


def test_that_a_right_click_beside_all_rows_offers_what_concerns_all(window):
    tree = window.parts.signals.tree
    tree.clearSelection()
    tree.customContextMenuRequested.emit(QPoint(5, tree.viewport().height() - 2))
    assert entries(open_menu())[0] == "Signals"
    assert "Filter signals" in entries(open_menu())
    open_menu().close()


def test_that_the_menu_key_opens_the_menu_of_the_current_row(window):
    tree = window.parts.signals.tree
    tree.setFocus()
    tree.setCurrentIndex(index_of(window, "reward"))
    ask_by_key(tree, tree.visualRect(tree.currentIndex()).center())
    assert entries(open_menu())[0] == "reward"
    open_menu().close()


# A correction by hand


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


def test_that_menus_take_no_event_that_is_not_theirs(window):
    canvas = window.parts.traces.canvas
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Enter))
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]
