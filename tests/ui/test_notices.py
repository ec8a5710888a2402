"""Offers, repairs and episodes stand in bars; messages never vanish; nothing is ever a modal box."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from tests.ui import hands, logs
from tests.ui.conftest import bars, dialog_of, drop, wait_judged, wait_open
from tracescope.ui.dialogs.episode_picker import EpisodePicker
from tracescope.ui.dialogs.estimate import EstimateDialog
from tracescope.ui.dialogs.messages import MessageLog
from tracescope.ui.dialogs.properties import PropertiesDialog


def bar_of(window, key: str) -> str:
    return next((n.text for n in window.notices.standing if n.key == key), "")


def test_that_a_clear_estimate_is_offered_and_moves_nothing_until_applied(empty_window, tmp_path):
    drop(empty_window, *logs.shifted_pair(tmp_path, 0.4))
    wait_judged(empty_window)
    assert "ms early" in bar_of(empty_window, "proposal")
    assert empty_window.model.open_session.alignment.offset_s == 0
    hands.press(empty_window, "Apply")
    assert empty_window.model.open_session.alignment.offset_s == pytest.approx(-0.4, abs=2e-3)
    assert bar_of(empty_window, "proposal") == ""
    empty_window.actions_table["undo"].trigger()
    assert empty_window.model.open_session.alignment.offset_s == 0
    wait_judged(empty_window)


def test_that_an_offer_may_be_declined(empty_window, tmp_path):
    drop(empty_window, *logs.shifted_pair(tmp_path, 0.4))
    wait_judged(empty_window)
    hands.press(empty_window, "Keep as it is")
    assert bar_of(empty_window, "proposal") == ""
    assert empty_window.model.undo_stack.count() == 0


def test_that_an_ambiguous_estimate_names_its_rivals_and_a_click_takes_another(
    empty_window, tmp_path
):
    drop(empty_window, *logs.periodic_pair(tmp_path, 0.2))
    wait_judged(empty_window)
    assert bar_of(empty_window, "proposal") == "", "nothing is offered that cannot be defended"
    hands.press(empty_window, "Estimate")
    hands.wait_for(lambda: empty_window.opener.lane.task is None, "the estimate", 30)
    dialog = dialog_of(EstimateDialog)
    rivals = dialog.plot.peaks_s
    assert len(rivals) >= 2
    other = rivals[1]
    hands.click(dialog.plot, dialog.plot.spot(other))
    hands.press(dialog, "Apply")
    assert empty_window.model.open_session.alignment.offset_s == other
    assert empty_window.model.open_session.alignment.how == "hand"
    wait_judged(empty_window)


def test_that_rows_out_of_order_get_a_bar_that_offers_the_other_orders(empty_window, tmp_path):
    drop(empty_window, *logs.unordered_pair(tmp_path))
    wait_judged(empty_window)
    bar = bar_of(empty_window, "repair-target")
    assert "sorted" in bar
    assert "target:" in bar
    hands.press(empty_window, "Keep row order")
    hands.wait_for(lambda: "kept" in bar_of(empty_window, "repair-target"), "the other order", 30)
    assert empty_window.model.open_session.target.choices.order == "rows"
    wait_judged(empty_window)


def test_that_several_episodes_are_said_and_another_pair_of_them_can_be_picked(
    empty_window, tmp_path
):
    sim = logs.episodes_file(tmp_path / "sim.csv", 12)
    target = logs.episodes_file(tmp_path / "target.csv", 3)
    drop(empty_window, sim, target)
    wait_judged(empty_window)
    bar = bar_of(empty_window, "episodes")
    assert "12 in the sim file" in bar
    assert "3 in the target file" in bar
    hands.press(empty_window, "Choose…")
    picker = dialog_of(EpisodePicker)
    texts = [picker.lists["sim"].item(row).text() for row in range(12)]
    assert [text.split()[0] for text in texts] == [str(place) for place in range(12)]
    boxes = [picker.lists["sim"].visualItemRect(picker.lists["sim"].item(row)) for row in (0, 1)]
    assert boxes[0].height() >= 24
    assert boxes[1].top() >= boxes[0].bottom()
    picker.lists["sim"].setCurrentRow(10)
    picker.lists["target"].setCurrentRow(2)
    hands.press(picker, "Open")
    hands.wait_for(lambda: empty_window.model.open_session.sim.episode == "10", "episode 10", 30)
    wait_judged(empty_window)
    assert empty_window.model.open_session.pair.target.source.episode == "2"
    assert "episode 2" in empty_window.parts.header.lines["target"].button.text().split(" · ")


def test_that_the_log_keeps_messages_that_were_dismissed(window, tmp_path):
    drop(window, tmp_path / "gone.csv", tmp_path / "gone2.csv")
    hands.wait_for(lambda: bool(window.notices.standing), "the bar")
    window.notices.dismiss(window.notices.standing[0])
    assert bars(window) == []
    hands.click(window.parts.status.messages, window.parts.status.messages.rect().center())
    log = dialog_of(MessageLog)
    assert "gone.csv" in log.text.toPlainText()
    hands.press(log, "Close")


def test_that_a_later_notice_on_a_subject_takes_the_place_of_the_earlier(window):
    window.notices.tell("info", "first", key="x")
    window.notices.tell("error", "second", key="x")
    assert [n.text for n in window.notices.standing] == ["second"]
    assert [n.text for n in window.notices.said][-2:] == ["first", "second"]
    window.notices.withdraw("x")


def test_that_the_source_line_opens_properties_with_hash_and_clock(window):
    line = window.parts.header.lines["target"]
    hands.click(line.button, line.button.rect().center())
    dialog = dialog_of(PropertiesDialog)
    text = dialog.text.toPlainText()
    assert window.model.open_session.pair.target.source.sha256 in text
    assert "timestamp" in text
    hands.press(dialog, "Close")


def test_that_work_under_way_shows_progress_and_can_be_cancelled(window, pair):
    import threading

    from tracescope.ui.worker import Task

    go = threading.Event()

    def endless(task: Task) -> None:
        while not go.wait(0.005):
            task.progress(0.5, "half way")

    before = window.model.open_session
    window.opener.run("something long", endless)
    hands.wait_for(lambda: window.parts.status.progress.value() == 500, "the progress")
    assert window.parts.status.doing.text() == "half way"
    hands.press(window, "Cancel")
    hands.wait_for(lambda: window.opener.lane.task is None, "the end")
    assert window.model.open_session is before
    assert not window.parts.status.progress.isVisible()
    assert "cancelled: something long" in [n.text for n in window.notices.said]
    go.set()


def test_that_recent_pairs_stand_on_the_start_page_newest_first(empty_window, pair, tmp_path):
    drop(empty_window, *pair)
    wait_judged(empty_window)
    empty_window.actions_table["close-pair"].trigger()
    recent = empty_window.settings.recent
    assert [r.sim for r in recent] == [str(pair[0])]
    hands.press(empty_window, f"{tmp_path.name}: sim.csv and target.csv")
    wait_open(empty_window)
    wait_judged(empty_window)


def test_that_the_status_bar_names_the_step_under_the_cursor(window):
    window.parts.traces.setFocus()
    hands.key(window, Qt.Key.Key_Home)
    assert window.parts.status.cursor_label.text().startswith("A 0 s step 0")
    hands.key(window, Qt.Key.Key_Right, times=3)
    assert "step 3" in window.parts.status.cursor_label.text()
