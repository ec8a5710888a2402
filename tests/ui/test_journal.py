"""Unsaved work survives a crash; saved work leaves no copy behind."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, current_thread, main_thread

import pytest

from tests.ui import hands
from tests.ui.conftest import drop, wait_judged
from tracescope.model.correction import Correction
from tracescope.ui import journal
from tracescope.ui.app import Surprises
from tracescope.ui.journal import kept_text, left_behind, state_folder


def test_that_a_change_is_in_the_journal_within_two_seconds(window):
    window.model.correct(Correction("obs[0]", scale=1.5))
    hands.wait_for(window.journal.path.exists, "the journal", 2.0)
    assert '"scale": 1.5' in window.journal.path.read_text("utf-8")


def test_that_the_window_does_not_write_the_journal_on_its_own_thread(window, monkeypatch):
    threads, save = [], journal.save_session
    monkeypatch.setattr(
        journal, "save_session", lambda *a: threads.append(current_thread()) or save(*a)
    )
    window.model.correct(Correction("obs[0]", scale=1.5))
    hands.wait_for(window.journal.path.exists, "the journal", 2.0)
    window.model.correct(Correction("obs[0]", scale=1.25))
    window.journal.write()
    assert '"scale": 1.25' in window.journal.path.read_text("utf-8")
    assert threads
    assert main_thread() not in threads


def test_that_the_window_does_not_wait_for_a_disk_that_is_slow(window, monkeypatch):
    writing, disk, save = Event(), Event(), journal.save_session

    def slow(*given):
        writing.set()
        disk.wait(20)
        save(*given)

    monkeypatch.setattr(journal, "save_session", slow)
    window.model.correct(Correction("obs[0]", scale=1.5))
    hands.wait_for(writing.is_set, "the first copy", 2.0)
    window.model.correct(Correction("obs[0]", scale=1.25))
    try:
        window.journal.write_when_free()  # what the timer calls; it would not come back before the disk
        assert not window.journal.path.exists()
    finally:
        disk.set()
    hands.wait_for(
        lambda: (
            window.journal.path.exists()
            and '"scale": 1.25' in window.journal.path.read_text("utf-8")
        ),
        "the copy of the last change",
        4.0,
    )


def test_that_undoing_everything_takes_the_copy_away(window):
    window.model.correct(Correction("obs[0]", scale=1.5))
    window.journal.write()
    assert window.journal.path.exists()
    window.model.undo_stack.undo()
    window.journal.write()
    assert not window.journal.path.exists()


def test_that_saving_takes_the_copy_away(window, tmp_path, picked):
    window.model.correct(Correction("obs[0]", scale=1.5))
    window.journal.write()
    picked(tmp_path / "kept.tracescope")
    window.actions_table["save-session"].trigger()
    assert not window.journal.path.exists()
    assert not list(state_folder().glob("journal-*"))


def dead_pid() -> int:
    run = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(run.stdout)


def test_that_what_a_killed_window_left_is_found_and_restored(window, tmp_path, picked):
    window.model.correct(Correction("obs[0]", scale=1.5))
    window.journal.write()
    orphan = window.journal.path.with_name(f"journal-{dead_pid()}-0000.tracescope")
    window.journal.path.rename(orphan)
    assert left_behind() == (orphan,)
    window.model.undo_stack.undo()
    window.commands.offer_copy(orphan, "kept")
    hands.press(window, "Restore")
    hands.wait_for(lambda: len(window.model.open_session.corrections) == 1, "the restored work")
    wait_judged(window)
    assert window.commands.path is None, "restored work has to be saved by hand"
    assert left_behind() == (orphan,), "kept until it is saved"
    picked(tmp_path / "saved.tracescope")
    window.actions_table["save-session"].trigger()
    assert left_behind() == ()


def test_that_the_journal_of_a_living_window_is_nobodys_business(window):
    window.model.correct(Correction("obs[0]", scale=1.5))
    window.journal.write()
    assert left_behind() == ()


def test_that_an_unexpected_exception_keeps_the_work_and_says_where_the_log_is(window, quiet_log):
    surprises = Surprises()
    heard: list[str] = []
    surprises.happened.connect(heard.append)
    before = window.model.open_session
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as error:
        surprises.hear(type(error), error, error.__traceback__)
    assert heard == ["ZeroDivisionError: by zero"]
    assert window.model.open_session is before
    assert "unexpected" in quiet_log.text
    quiet_log.clear()


def test_that_opening_something_else_puts_unsaved_work_aside_to_go_back_to(window, pair):
    window.model.correct(Correction("obs[0]", scale=1.5))
    drop(window, *pair)
    hands.wait_for(lambda: window.model.open_session.corrections == (), "the fresh pair", 30)
    wait_judged(window)
    assert "put aside" in window.notices.standing[-1].text
    hands.press(window, "Restore")
    hands.wait_for(lambda: len(window.model.open_session.corrections) == 1, "the work", 30)
    wait_judged(window)
    (copy,) = state_folder().glob("journal-*")
    assert copy == window.commands.restored


def test_that_unsaved_work_is_thrown_away_only_on_purpose(window):
    window.model.correct(Correction("obs[0]", scale=1.5))
    window.actions_table["close-pair"].trigger()
    assert len(list(state_folder().glob("journal-*"))) == 1
    hands.press(window, "Discard")
    assert not list(state_folder().glob("journal-*"))


CRASHING = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from tracescope.model.correction import Correction
from tracescope.session.session import SideChoices
from tracescope.ui import app
made = app.make_application
def watched(arguments):
    application = made(arguments)
    timer = QTimer(application, interval=20)
    def look():
        for window in QApplication.topLevelWidgets():
            session = getattr(getattr(window, "model", None), "session", None)
            if session is not None and not session.corrections:
                window.model.correct(Correction("obs[0]", scale=1.5))
                print("changed", flush=True)
    timer.timeout.connect(look)
    timer.start()
    return application
app.make_application = watched
app.run(SideChoices(sys.argv[1]), SideChoices(sys.argv[2]))
"""


def test_that_kill_nine_loses_nothing_older_than_two_seconds(pair, tmp_path, qapp):
    env = {
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "HOME": str(tmp_path),
    }
    command = [sys.executable, "-c", CRASHING, *map(str, pair)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "changed\n"
        hands.wait_for(lambda: bool(list(state_folder().glob("journal-*"))), "the journal", 2.0)
        process.kill()
    (orphan,) = left_behind()
    assert '"scale": 1.5' in orphan.read_text("utf-8")


@pytest.mark.parametrize("whole", [True, False])
def test_that_kept_work_names_its_pair(window, tmp_path, caplog, whole):
    window.model.correct(Correction("obs[0]", scale=1.5))
    window.journal.write()
    copy = tmp_path / "copy.tracescope"
    copy.write_bytes(window.journal.path.read_bytes()[: None if whole else 40])
    said = kept_text(copy)
    assert ("sim.csv and target.csv" in said) == whole
    assert said.startswith("Unsaved work")
    caplog.clear()
