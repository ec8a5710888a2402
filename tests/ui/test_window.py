"""The window as a whole: geometry, several windows, title, sides, surprises, an orderly end."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tests.ui.conftest import drop, wait_judged, wait_open
from tracescope.model.correction import Correction
from tracescope.session.catalogue import all_checks
from tracescope.ui.app import Windows
from tracescope.ui.main_window import MainWindow
from tracescope.ui.settings import Settings


def gone(window: MainWindow) -> None:
    window.close()
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()


def test_that_geometry_and_docks_are_kept_for_the_next_window(window, look, qtbot):
    for dock in window.parts.docks.values():
        dock.close()
    window.resize(770, 690)
    hands.settle()
    window.settings.save_bytes("window/geometry", window.saveGeometry())
    window.settings.save_bytes("window/layout", window.saveState())
    other = MainWindow(all_checks(), look, Settings())
    with qtbot.waitExposed(other):
        other.show()
    size = other.size()
    gone(other)
    assert size.height() == 690


def test_that_the_window_fits_a_small_screen_at_twice_its_scale(window):
    assert window.minimumSizeHint().width() <= 960
    assert window.minimumSizeHint().height() <= 540


def test_that_a_closed_dock_stays_closed_when_the_next_pair_opens(window, pair):
    window.parts.docks["findings"].close()
    hands.settle()
    drop(window, *pair)
    wait_judged(window)
    hands.settle()
    assert not window.parts.docks["findings"].isVisible()
    window.parts.docks["findings"].toggleViewAction().trigger()
    assert window.parts.docks["findings"].isVisible()


def test_that_two_windows_show_two_pairs_and_close_apart(qapp, pair, tmp_path, quiet_log):
    windows = Windows(tmp_path / "log")
    first, second = windows.another(), windows.another()
    drop(first, *pair)
    wait_judged(first)
    assert second.model.session is None
    first.actions_table["theme-dark"].trigger()
    assert second.look.theme.is_dark
    first.actions_table["theme-light"].trigger()
    gone(first)
    assert second.isVisible()
    windows.surprises.happened.emit("ValueError: odd")
    hands.settle()
    assert "odd" in second.notices.standing[-1].detail
    assert str(tmp_path / "log") in second.notices.standing[-1].detail
    gone(second)


def test_that_the_title_names_the_pair_and_what_is_unsaved(window):
    assert window.windowTitle() == "sim.csv and target.csv — tracescope"
    window.model.correct(Correction("obs[0]", scale=1.5))
    assert "•" in window.windowTitle()
    window.actions_table["undo"].trigger()
    assert "•" not in window.windowTitle()


def test_that_the_sides_can_be_swapped(window, pair):
    window.actions_table["swap-sides"].trigger()
    hands.wait_for(
        lambda: window.model.open_session.sim.path == str(pair[1]), "the other way round", 30
    )
    wait_judged(window)
    assert window.model.open_session.target.path == str(pair[0])


def test_that_undo_and_redo_say_what_they_do_and_grey_out(window):
    undo, redo = window.actions_table["undo"], window.actions_table["redo"]
    assert not undo.isEnabled()
    assert not redo.isEnabled()
    window.model.correct(Correction("obs[0]", scale=1.5))
    assert undo.text() == "&Undo correction obs[0] ÷ 1.5"
    undo.trigger()
    assert redo.isEnabled()
    assert not undo.isEnabled()


def test_that_closing_while_a_pair_is_being_read_ends_in_order(qapp, look, pair, quiet_log):
    window = MainWindow(all_checks(), look, Settings())
    window.show()
    drop(window, *pair)
    gone(window)
    assert not [w for w in QApplication.topLevelWidgets() if w.isVisible()]


def test_that_closing_while_checks_run_ends_in_order(qapp, look, pair, quiet_log):
    window = MainWindow(all_checks(), look, Settings())
    window.show()
    drop(window, *pair)
    wait_open(window)
    gone(window)
    assert not [w for w in QApplication.topLevelWidgets() if w.isVisible()]


@pytest.mark.parametrize("times", [6])
def test_that_opening_again_and_again_shows_the_newest_pair(window, pair, tmp_path, times):
    for place in range(times):
        copy = tmp_path / f"target_{place}.csv"
        copy.write_bytes(pair[1].read_bytes())
        drop(window, pair[0], copy)
    hands.wait_for(
        lambda: window.model.open_session.target.path.endswith("target_5.csv"), "the newest", 30
    )
    wait_judged(window)
    names = [Path(r.target).name for r in window.settings.recent]
    assert names[0] == "target_5.csv"
