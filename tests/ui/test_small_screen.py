"""A small screen (800 by 500 logical pixels, as 1600 by 1000 at twice the scale is): nothing is out of reach."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QScrollBar, QWidget

from tests.ui import hands
from tests.ui.conftest import drop, wait_judged
from tracescope.resources_path import samples
from tracescope.session.catalogue import all_checks
from tracescope.ui.look import Look
from tracescope.ui.main_window import MainWindow
from tracescope.ui.notices import Offer
from tracescope.ui.panels.parts import Badge
from tracescope.ui.settings import RecentPair, Settings

SMALL = QSize(800, 470)
"""What a title bar leaves."""

ROOMY = QSize(1480, 900)


def open_small(window: MainWindow, name: str, tmp_path: Path) -> None:
    window.resize(SMALL)
    hands.settle()
    found = [p for p in (samples() / name).iterdir() if p.stem in ("sim", "target")]
    drop(window, *sorted(Path(shutil.copy(path, tmp_path)) for path in found))
    wait_judged(window)
    hands.settle()


def place(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def in_front(panel: QWidget) -> bool:
    """Say whether a dock's panel can be seen; one that lies behind a tab stands beyond the window's edge."""
    window = panel.window()
    return panel.isVisible() and window.rect().contains(place(panel, window))


def beyond_sideways(area: QScrollArea) -> list[str]:
    """Name what a scroll area shows only in part and does not scroll to."""
    content, bar = area.widget(), area.horizontalScrollBar()
    if content is None or bar.maximum() > 0:
        return []
    return [
        f"{type(w).__name__} {w.accessibleName() or w.objectName()}"
        for w in content.findChildren(QWidget)
        if w.isVisible()
        and not isinstance(w, QScrollBar)
        and place(w, content).right() > area.viewport().width()
    ]


@pytest.mark.parametrize("name", ["exercise", "latch"])
def test_that_a_small_screen_holds_the_window_and_each_of_its_docks(empty_window, tmp_path, name):
    open_small(empty_window, name, tmp_path)
    parts, reach = empty_window.parts, empty_window.rect()
    for dock in parts.docks:
        parts.filled.bring(dock)
        hands.settle()
        assert empty_window.size() == SMALL, dock
        shown = parts.docks[dock]
        assert in_front(shown.widget()), dock
        assert reach.contains(place(shown, empty_window)), dock
        for area in shown.findChildren(QScrollArea):
            if area.isVisible():
                assert beyond_sideways(area) == [], dock
    assert reach.contains(place(parts.status, empty_window))
    canvas = parts.traces.canvas
    assert canvas.visibleRegion().boundingRect().height() >= 100
    assert canvas.visibleRegion().boundingRect().width() >= 300


def test_that_the_checks_are_in_front_on_a_small_screen_and_keys_raise_them(empty_window, tmp_path):
    open_small(empty_window, "exercise", tmp_path)
    parts = empty_window.parts
    assert in_front(parts.checks)
    parts.filled.bring("findings")
    hands.settle()
    assert not in_front(parts.checks)
    shown = parts.findings.explanations
    hands.click(
        shown.viewport(), shown.visualRect(shown.model().index(0, 0)).center()
    )  # a tab behind
    assert in_front(parts.checks)
    parts.filled.bring("details")
    empty_window.actions_table["filter-signals"].trigger()
    hands.settle()
    assert parts.signals.filter.hasFocus()


def test_that_no_title_of_a_card_is_cut(empty_window, tmp_path):
    open_small(empty_window, "exercise", tmp_path)
    checks = empty_window.parts.docks["checks"]
    for demo in (False, True):
        empty_window.look.choose("light", demo=demo)
        hands.settle()
        empty_window.resizeDocks([checks], [10], Qt.Orientation.Horizontal)
        hands.settle()
        for card in empty_window.parts.checks.cards:
            title = next(x for x in card.findChildren(QLabel) if card.check.title in x.text())
            words = title.text().split(" ")
            longest = max(title.fontMetrics().horizontalAdvance(word) for word in words)
            assert title.width() >= longest, card.check.title
            badge = card.findChild(Badge)
            assert place(badge, card).right() < card.width()


def test_that_many_messages_leave_the_panes_their_room_and_can_all_be_read(empty_window, tmp_path):
    open_small(empty_window, "exercise", tmp_path)
    notices, bar = empty_window.notices, empty_window.parts.notices
    detail = "\n".join(
        f"row {row}: a sentence of some length, as a reader writes it" for row in range(12)
    )
    notices.tell("error", "It could not be read", detail, key="a")
    kept = "Unsaved work on sim.csv and target.csv (in exercise) of an earlier window was kept"
    notices.tell(
        "info", kept, offers=[Offer(name, lambda: None) for name in ("Restore", "Discard")], key="b"
    )
    hands.settle()
    assert empty_window.size() == SMALL
    assert bar.height() <= 0.2 * SMALL.height()
    area = bar.findChild(QScrollArea)
    assert area.verticalScrollBar().maximum() + area.viewport().height() == area.widget().height()
    notices.withdraw("a")
    hands.settle()
    words = next(x for x in bar.findChildren(QLabel) if x.isVisible() and kept in x.text())
    button = next(x for x in bar.findChildren(QPushButton) if x.isVisible())
    assert words.height() >= words.heightForWidth(words.width())
    assert words.width() >= 250
    assert place(button, bar).top() >= place(words, bar).bottom()
    empty_window.resize(ROOMY)
    hands.settle()
    assert place(button, bar).left() >= place(words, bar).right(), "beside the words again"
    assert bar.height() < 50


def test_that_docks_go_back_where_they_were_once_there_is_room(window):
    parts = window.parts
    parts.docks["signals"].close()
    hands.settle()
    before = {name: place(dock, window) for name, dock in parts.docks.items() if in_front(dock)}
    window.setMinimumSize(0, 0)
    window.resize(SMALL)
    hands.settle()
    assert not in_front(parts.findings)
    window.resize(ROOMY)
    hands.settle()
    after = {name: place(dock, window) for name, dock in parts.docks.items() if in_front(dock)}
    assert after.keys() == before.keys()
    for name, was in before.items():
        assert abs(after[name].left() - was.left()) <= 2, name
        assert abs(after[name].width() - was.width()) <= 4, name
        assert after[name].height() >= min(200, was.height()), name
    assert not parts.docks["signals"].isVisible()


def test_that_a_window_that_begins_small_has_full_docks_once_it_grows(empty_window, tmp_path):
    open_small(empty_window, "exercise", tmp_path)
    empty_window.resize(ROOMY)
    hands.settle()
    docks = empty_window.parts.docks
    assert docks["signals"].width() >= 200
    assert docks["checks"].width() >= 340
    assert docks["findings"].isVisible()


def test_that_a_small_window_keeps_the_roomy_layout_for_the_next_one(window, look: Look, qtbot):
    window.resize(SMALL)
    hands.settle()
    window.settings.save_bytes("window/layout", window.parts.filled.layout_state())
    other = MainWindow(all_checks(), look, Settings())
    other.resize(ROOMY)
    with qtbot.waitExposed(other):
        other.show()
    area = {name: other.dockWidgetArea(dock).name for name, dock in other.parts.docks.items()}
    other.close()
    assert area["signals"] == "LeftDockWidgetArea"
    assert area["findings"] == "BottomDockWidgetArea"


def test_that_long_names_of_recent_pairs_do_not_widen_the_start_page(empty_window, tmp_path):
    long = tmp_path / ("a-rather-long-name-of-a-recording-" * 4 + ".csv")
    long.write_text("t\n")
    empty_window.parts.start.show_recent((RecentPair(str(long), str(long)),))
    empty_window.resize(SMALL)
    hands.settle()
    link = next(
        b
        for b in empty_window.parts.start.findChildren(QPushButton)
        if long.name in b.accessibleName()
    )
    assert "…" in link.text()
    assert place(link, empty_window).right() <= SMALL.width()
    assert place(empty_window.parts.start.loop, empty_window).right() <= SMALL.width()
    empty_window.parts.start.show_recent((RecentPair(str(tmp_path / "gone.csv")),))
