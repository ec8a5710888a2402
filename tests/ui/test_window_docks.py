"""The docks: empty until somebody needs them, filled before anybody misses anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from tests.ui import hands
from tests.ui.conftest import drop, wait_judged
from tracescope.session.catalogue import all_checks
from tracescope.ui.look import Look
from tracescope.ui.plots.trace_view import TraceView
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel
from tracescope.ui.window_docks import WindowDocks


class Watch(QObject):
    """Notes every window that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[QWidget] = []

    def eventFilter(self, who: QObject, event: QEvent) -> bool:
        """Note it."""
        if event.type() is QEvent.Type.Show and isinstance(who, QWidget) and who.isWindow():
            self.shown.append(who)
        return False


@pytest.fixture
def watch(qapp: QApplication) -> Iterator[Watch]:
    """Hears of every window that is shown during a test."""
    watch = Watch()
    qapp.installEventFilter(watch)
    yield watch
    qapp.removeEventFilter(watch)


@pytest.fixture
def docks(qtbot, look: Look) -> WindowDocks:
    """Docks in a window that nobody has shown."""
    window = QMainWindow()
    qtbot.addWidget(window)
    model = SessionModel(window)
    view = ViewModel(model, window)
    traces = TraceView(model, view, look.theme)
    window.setCentralWidget(traces)
    return WindowDocks(window, traces.canvas, model, view, look, all_checks())


def filled(docks: WindowDocks) -> set[str]:
    """Return the docks that hold something."""
    return {name for name, dock in docks.docks.items() if dock.widget() is not None}


def test_that_docks_are_empty_until_they_are_asked_for(docks):
    assert filled(docks) == set()
    assert len(docks.checks.cards) == len(all_checks())
    assert filled(docks) == {"checks"}
    assert docks.checks is docks.docks["checks"].widget()
    docks.fill()
    assert filled(docks) == {"signals", "checks", "findings", "details"}


def test_that_a_dock_that_is_seen_is_filled(docks, qtbot):
    for name, dock in docks.docks.items():
        dock.setVisible(name == "signals")
    window = docks.parent()
    with qtbot.waitExposed(window):
        window.show()
    assert filled(docks) == {"signals"}


def test_that_docks_fill_by_themselves_and_show_no_window_of_their_own(empty_window, watch):
    docks = empty_window.parts.filled
    hands.wait_for(lambda: len(filled(docks)) == 4, "the docks to be filled", 10)
    assert watch.shown == []
    assert empty_window.isActiveWindow()


def test_that_a_pair_that_opens_at_once_is_in_every_dock(empty_window, pair):
    docks = empty_window.parts.filled
    opened: list[set[str]] = []
    empty_window.model.pair_changed.connect(lambda: opened.append(filled(docks)))
    drop(empty_window, *pair)
    wait_judged(empty_window)
    assert opened[0] == {"signals", "checks", "findings", "details"}
    parts = empty_window.parts
    assert parts.findings.columns["observed"].list.findings()
    assert parts.details.xy.keys is not None
    assert parts.checks.health.isVisible()
