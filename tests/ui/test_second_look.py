"""Where a second new user stopped: names, cursors, keys and what a new pair begins with."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit

from tests.bundled import first_rows
from tests.ui import hands
from tests.ui.conftest import drop, wait_judged, wait_open
from tracescope.ui.main_window import MainWindow
from tracescope.ui.notices import NoticeBar
from tracescope.ui.panels.marks_panel import MarksPanel
from tracescope.ui.panels.parts import Badge
from tracescope.ui.panels.probing_panel import ProbingPanel
from tracescope.ui.plots.rebind import rebound
from tracescope.ui.tour import Tour


def words_of(window: MainWindow) -> list[str]:
    cards = window.parts.checks.cards
    return [label.text() for card in cards for label in card.findChildren(QLabel)]


def test_that_a_card_never_asks_for_a_trace_that_is_there(empty_window, pair):
    assert "needs the other trace" not in words_of(empty_window), "cards are seen before their pair"
    drop(empty_window, *pair)
    wait_open(empty_window)
    assert "needs the other trace" not in words_of(empty_window)
    wait_judged(empty_window)
    assert "needs the other trace" not in words_of(empty_window)


def test_that_the_cards_of_a_new_pair_begin_at_the_first(window, pair, tmp_path):
    bar = window.parts.checks._area.verticalScrollBar()  # noqa: SLF001 - what is seen is its business
    bar.setValue(bar.maximum())
    assert bar.value() > 0
    window.model.open(window.model.open_session)
    hands.settle()
    assert bar.value() > 0, "the same files read anew must not move what is looked at"
    other = tmp_path / "other"
    other.mkdir()
    paths = [Path(shutil.copy(path, other / path.name)) for path in pair]
    drop(window, *paths)
    hands.wait_for(
        lambda: window.model.open_session.sim.path == str(paths[0]), "the other pair", 30
    )
    wait_judged(window)
    assert bar.value() == 0


def test_that_files_called_alike_are_told_apart_by_their_folders(empty_window, pair, tmp_path):
    paths = []
    for path, folder in zip(pair, ("main", "bench"), strict=True):
        (tmp_path / folder).mkdir()
        paths.append(Path(shutil.copy(path, tmp_path / folder / "log.csv")))
    empty_window.commands.open_recent(str(paths[0]), str(paths[1]))
    wait_judged(empty_window)
    assert empty_window.windowTitle().startswith("main/log.csv and bench/log.csv")
    for side, name in (("sim", "main/log.csv"), ("target", "bench/log.csv")):
        assert empty_window.parts.header.lines[side].button.text().startswith(name)


def test_that_a_layout_of_which_little_is_found_gives_way_to_the_pairs_own(window):
    shown = (("sim:joint/a",), ("sim:joint/b",), ("sim:reward",))
    session = window.model.open_session
    assert "reward" in session.pair.sim
    assert rebound(shown, session) == ((), ())
    most = (("sim:obs[0]",), ("sim:joint/b",), ("sim:reward",))
    assert rebound(most, session) == ((("sim:obs[0]",), ("sim:reward",)), ("joint/b",))


@pytest.mark.parametrize("keys", ["AB", "BA"])
def test_that_the_two_cursors_never_hide_one_another(window, keys):
    window.parts.traces.setFocus()
    for key in keys:
        hands.key(window.parts.traces, getattr(Qt.Key, f"Key_{key}"))
    a, b = window.view.cursor_a_s, window.view.cursor_b_s
    assert a is not None
    assert b is not None
    assert a < b
    low, high = window.view.range_s
    assert low <= a
    assert b <= high


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_that_one_key_leads_on_in_the_tour(empty_window, key):
    empty_window.actions_table["tour"].trigger()
    hands.settle()
    (tour,) = empty_window.findChildren(Tour)
    hands.key(tour.callout.next, key)
    hands.wait_for(lambda: tour.step.id == "header", "the second step", 30)
    wait_judged(empty_window)
    assert tour.callout.next.hasFocus()
    hands.key(tour.callout.next, key)
    assert tour.step.id == "zoom"
    tour.close()


def test_that_the_icon_of_a_bar_stands_in_line_with_its_words(window):
    window.notices.tell("info", "One short line", offers=())
    hands.settle()
    (bar,) = (b for b in window.findChildren(NoticeBar) if b.isVisible())
    icon, words = bar.findChildren(QLabel)[:2]
    assert abs(icon.geometry().center().y() - words.geometry().center().y()) <= 2


def test_that_a_line_said_over_the_panes_takes_no_more_room_than_it_needs(window):
    window.notices.tell("info", "Note written: /somewhere/findings.pdf", key="export")
    hands.settle()
    (bar,) = (b for b in window.findChildren(NoticeBar) if b.isVisible())
    line = bar.findChildren(QLabel)[1].fontMetrics().lineSpacing()
    assert bar.height() <= line + 30


def test_that_a_closed_pair_leaves_no_alignment_behind(window):
    window.model.align(replace(window.model.open_session.alignment, offset_s=0.02))
    hands.settle()
    window.model.undo_stack.setClean()
    window.commands.close_pair()
    hands.settle()
    assert window.parts.align.offset.value() == 0
    assert window.parts.align.mode.currentIndex() == 0


def test_that_a_sample_shows_its_own_signals_after_another_one(window, tmp_path):
    sim, target = first_rows("latch", 225, tmp_path)
    drop(window, sim, target)
    hands.wait_for(lambda: window.model.open_session.sim.path == str(sim), "latch", 30)
    wait_judged(window)
    shown = {key for pane in window.view.shown for key in pane}
    assert "sim:obs/force_z" in shown


def mark_field(window: MainWindow) -> QLineEdit:
    """Return the field for a mark's words, a mark being chosen and the focus in it."""
    window.view.set_cursor_a(0.5)
    window.actions_table["mark.here"].trigger()
    window.actions_table["details-marks"].trigger()
    hands.settle()
    field = window.findChild(MarksPanel).text
    hands.wait_for(field.isEnabled, "the mark to be chosen")
    field.setFocus()
    hands.settle()
    assert field.hasFocus()
    return field


def press_in(field: QLineEdit, key: Qt.Key) -> QKeyEvent:
    """Send what Qt sends first: may the field have this key?"""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, Qt.KeyboardModifier.ControlModifier)
    QApplication.sendEvent(field, event)
    return event


class Greedy(QLineEdit):
    """A field that wants every key for itself, as one on X11 wants Ctrl+E."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)


@pytest.mark.parametrize(("key", "kept"), [(Qt.Key.Key_E, False), (Qt.Key.Key_Z, True)])
def test_that_a_field_leaves_the_key_of_the_note_to_the_window(window, key, kept):
    field = Greedy(window.centralWidget())
    field.show()
    field.setFocus()
    hands.settle()
    assert field.hasFocus()
    assert press_in(field, key).isAccepted() is kept


@pytest.mark.parametrize("key", [Qt.Key.Key_E, Qt.Key.Key_S])
def test_that_what_is_written_from_within_a_field_has_what_was_typed(window, key):
    field = mark_field(window)
    field.selectAll()
    field.insert("slips")
    assert [m.text for m in window.model.open_session.marks] == ["mark 1"]
    press_in(field, key)
    assert [m.text for m in window.model.open_session.marks] == ["slips"]


def test_that_no_button_of_probing_is_cut_off_in_large_type(window):
    window.look.choose("light", demo=True)
    window.actions_table["details-probing"].trigger()
    hands.settle()
    panel = window.findChild(ProbingPanel)
    for button in (panel.go_to, panel.delete, panel.load, panel.save):
        assert button.visibleRegion().boundingRect().width() == button.width(), button.text()


def test_that_a_card_without_notes_shows_no_empty_pill(empty_window, pair):
    card = empty_window.parts.checks.health
    assert [badge.isHidden() for badge in card.findChildren(Badge)] == [True]
    drop(empty_window, *pair)
    wait_judged(empty_window)
    assert [badge.text() for badge in card.findChildren(Badge)] == ["nothing repaired"]
    assert not card.findChild(Badge).isHidden()
