"""Keys that only the whole window has, pressed on it."""

from __future__ import annotations

from threading import Event

from PySide6.QtCore import Qt

from tests.ui import hands
from tests.ui.conftest import dialog_of, wait_judged
from tracescope.model.alignment import Alignment
from tracescope.session.catalogue import all_checks
from tracescope.ui import judge as judge_module
from tracescope.ui import pick_file
from tracescope.ui.dialogs.estimate import EstimateDialog
from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.dialogs.open_pair import OpenPairDialog
from tracescope.ui.dialogs.shortcuts import ShortcutSheet
from tracescope.ui.main_window import MainWindow
from tracescope.ui.settings import Settings

Key = Qt.Key


def test_that_ctrl_o_and_ctrl_e_open_their_dialogs(window):
    for key, kind in ((Key.Key_O, OpenPairDialog), (Key.Key_E, ExportDialog)):
        hands.key(window, key, hands.CTRL)
        dialog = dialog_of(kind)
        assert dialog.isVisible()
        dialog.reject()
        window.activateWindow()
        hands.settle()


def test_that_f11_fills_the_screen_and_back(window):
    hands.key(window, Key.Key_F11)
    assert window.windowState() & Qt.WindowState.WindowFullScreen
    hands.key(window, Key.Key_F11)
    assert not window.windowState() & Qt.WindowState.WindowFullScreen


def test_that_a_question_mark_shows_the_sheet_of_shortcuts(window):
    hands.key(window, Key.Key_Question)
    sheet = dialog_of(ShortcutSheet)
    assert sheet.isVisible()
    sheet.close()
    hands.settle()


def test_that_ctrl_y_does_again_what_was_taken_back(window):
    before = window.model.open_session.alignment
    window.parts.traces.setFocus()
    hands.key(window, Key.Key_Comma)
    moved = window.model.open_session.alignment
    assert moved != before
    hands.key(window, Key.Key_Z, hands.CTRL)
    assert window.model.open_session.alignment == before
    hands.key(window, Key.Key_Y, hands.CTRL)
    assert window.model.open_session.alignment == moved


def test_that_ctrl_shift_o_asks_for_a_session_file(window, monkeypatch):
    asked = []
    monkeypatch.setattr(pick_file, "open_file", lambda _parent, title, *_: asked.append(title))
    hands.key(window, Key.Key_O, hands.CTRL | hands.SHIFT)
    assert asked == ["Open session"]


def test_that_ctrl_n_asks_for_another_window(window, monkeypatch):
    asked = []
    monkeypatch.setattr(window, "_another", lambda: asked.append(True))
    hands.key(window, Key.Key_N, hands.CTRL)
    assert asked == [True]


def test_that_ctrl_w_closes_the_pair_and_shows_the_start_page(window):
    hands.key(window, Key.Key_W, hands.CTRL)
    assert window.model.session is None
    assert window.parts.start.isVisible()


def test_that_ctrl_q_closes_this_window(qtbot, look):
    other = MainWindow(all_checks(), look, Settings())
    gone: list[bool] = []
    other.destroyed.connect(lambda: gone.append(True))
    with qtbot.waitExposed(other):
        other.show()
    other.activateWindow()
    hands.key(other, Key.Key_Q, hands.CTRL)
    hands.wait_for(lambda: bool(gone), "the window to go")
    assert gone == [True]


def test_that_ctrl_i_estimates_and_ctrl_shift_i_applies_the_offer(window):
    hands.key(window, Key.Key_I, hands.CTRL)
    hands.wait_for(lambda: bool(window.findChildren(EstimateDialog)), "the estimate", 30)
    dialog_of(EstimateDialog).close()
    window.activateWindow()
    hands.settle()
    offered = Alignment(how="estimated", offset_s=0.25)
    window.model.propose(offered)
    hands.key(window, Key.Key_I, hands.CTRL | hands.SHIFT)
    assert window.model.open_session.alignment == offered


def test_that_after_cancel_f5_runs_the_checks_again(window, monkeypatch):
    released = Event()

    def endless(_session, _checks, task):
        assert released.wait(30)
        task.pulse()

    with monkeypatch.context() as held:
        held.setattr(judge_module, "judged_by", endless)
        window.model.align(window.model.open_session.alignment.by_hand(offset_s=0.25))
        assert window.parts.status.state.text() == "checking…"
        hands.press(window, "Cancel")
        released.set()
        hands.wait_for(lambda: window.judge.lane.task is None, "the checks to stop")
    assert window.parts.status.state.text() == "checks stopped; F5 runs them again"
    assert all(window.model.is_stale(card.check.id) for card in window.parts.checks.cards)
    hands.key(window, Qt.Key.Key_F5)
    wait_judged(window)
    assert "up to date" in window.parts.status.state.text()


def test_that_quit_ends_the_file_menu(window):
    menu = next(m for m in window.menuBar().actions() if m.text().replace("&", "") == "File").menu()
    assert menu.actions()[-1].text().replace("&", "").startswith("Quit")
