"""A newer run ends the older, a cancelled one says nothing more, closing never waits long."""

from __future__ import annotations

import threading
import time

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject

from tests.ui import hands
from tests.ui.conftest import drop, wait_open
from tracescope.resources_path import samples
from tracescope.session.catalogue import all_checks
from tracescope.ui.main_window import MainWindow
from tracescope.ui.settings import Settings
from tracescope.ui.worker import Lane, Task, wait_for_the_last


@pytest.fixture
def lane(qapp):
    made = Lane()
    yield made
    made.close()
    assert made.task is None


def test_that_what_the_work_says_arrives_on_the_windows_thread_in_order(lane: Lane):
    heard: list[object] = []
    threads: set[int] = set()

    def work(task: Task) -> str:
        for place in range(3):
            task.give(place)
        threads.add(threading.get_ident())
        return "end"

    task = lane.start("counting", work)
    task.given.connect(lambda item: heard.append((item, threading.get_ident())))
    task.finished.connect(lambda item: heard.append((item, threading.get_ident())))
    hands.wait_for(lambda: lane.task is None, "the end")
    assert [item for item, _ in heard] == [0, 1, 2, "end"]
    assert {thread for _, thread in heard} == {threading.get_ident()}
    assert threads != {threading.get_ident()}


def test_that_a_newer_run_ends_the_older_which_says_nothing_more(lane: Lane):
    go, heard = threading.Event(), []

    def slow(task: Task) -> str:
        go.wait(10)
        task.progress(0.5, "half")
        return "old"

    old = lane.start("old", slow)
    old.finished.connect(heard.append)
    old.progressed.connect(lambda *_: heard.append("progress"))
    new = lane.start("new", lambda _: "new")
    new.finished.connect(heard.append)
    go.set()
    hands.wait_for(lambda: bool(heard), "the new result")
    hands.wait_for(lambda: lane.task is None, "the end")
    assert heard == ["new"]


def test_that_an_exception_reaches_the_window_with_its_type(lane: Lane):
    heard: list[Exception] = []

    def wrong(_: Task) -> None:
        raise ValueError("no such thing")

    lane.start("wrong", wrong).failed.connect(heard.append)
    hands.wait_for(lambda: bool(heard), "the failure")
    assert isinstance(heard[0], ValueError)


def test_that_closing_waits_for_the_work_to_stop(qapp):
    lane, ended = Lane(), threading.Event()
    begun = threading.Event()

    def work(task: Task) -> None:
        begun.set()
        try:
            while True:
                task.progress(0.1, "going on")
        finally:
            ended.set()

    lane.start("endless", work)
    assert begun.wait(10)
    lane.close()
    assert ended.is_set()


def test_that_closing_leaves_work_behind_that_is_slow_to_notice_and_the_end_waits_for_it(qapp):
    parent = QObject()
    lane, begun, go, ended = Lane(parent), threading.Event(), threading.Event(), threading.Event()

    def deaf(task: Task) -> None:
        begun.set()
        go.wait(10)
        task.give("never heard")
        ended.set()

    heard: list[object] = []
    lane.start("deaf", deaf).given.connect(heard.append)
    assert begun.wait(10)
    before_s = time.monotonic()
    lane.close()
    assert time.monotonic() - before_s < 0.5
    del lane
    shiboken6.delete(parent)
    go.set()
    wait_for_the_last()
    assert ended.is_set()
    hands.settle()
    assert heard == []


def test_that_a_window_closes_at_once_while_the_checks_run(qtbot, look, quiet_log):
    latch = samples() / "latch"  # takes the checks a second or more
    window, gone = MainWindow(all_checks(), look, Settings()), []
    window.show()
    window.destroyed.connect(lambda: gone.append(True))
    drop(window, latch / "sim.h5", latch / "target.h5")
    wait_open(window)
    hands.wait_for(lambda: window.judge.lane.task is not None, "the checks to begin")
    before_s = time.monotonic()
    window.close()
    assert time.monotonic() - before_s < 0.5
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert gone
    wait_for_the_last()
    hands.settle()


def test_that_progress_is_told_seldom_but_the_end_always(lane: Lane):
    told: list[float] = []

    def work(task: Task) -> None:
        for place in range(2000):
            task.progress(place / 2000, "counting")
        task.progress(1.0, "done")

    lane.start("counting", work).progressed.connect(lambda done, _: told.append(done))
    hands.wait_for(lambda: lane.task is None, "the end")
    assert told[-1] == 1.0
    assert len(told) < 200


def test_that_a_lane_closed_at_work_says_nothing_more(qapp):
    lane, heard = Lane(), []
    for _ in range(3):
        lane.start("idle", lambda _: "value").finished.connect(heard.append)
    lane.close()
    hands.settle()
    assert heard == []
    assert lane.task is None


def test_that_the_works_thread_is_given_nothing_of_qt(lane: Lane):
    """Reference counts of Qt's objects that two threads touch are what crashed now and then."""
    found: list[object] = []

    def work(task: Task) -> list[type]:
        return [type(cell.cell_contents) for cell in task._say.__closure__ or ()]  # noqa: SLF001

    lane.start("looking", work).finished.connect(found.append)
    hands.wait_for(lambda: bool(found), "the end")
    (kinds,) = found
    assert kinds
    assert not [kind for kind in kinds if issubclass(kind, QObject)]
