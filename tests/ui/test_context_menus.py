"""The menus of a right click or the menu key, and a correction entered by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from tests.ui import hands
from tests.ui.menus import (
    ask_by_key,
    entries,
    open_menu,
    opened,
    place,
    right_click,
    right_click_row,
    take,
)
from tests.ui.test_signals import index_of
from tracescope.ui.main_window import MainWindow
from tracescope.ui.plots.canvas_mouse import Pointed

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture
def window(empty_window: MainWindow, pair: tuple[Path, Path]) -> MainWindow:
    return opened(empty_window, pair)


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


def test_that_menus_take_no_event_that_is_not_theirs(window):
    canvas = window.parts.traces.canvas
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Enter))
    assert not [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]
