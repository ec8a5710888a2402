"""A newer run ends the older, a cancelled one says nothing more, closing waits."""

from __future__ import annotations

import threading

import pytest

from tests.ui import hands
from tracescope.ui.worker import Lane, Task


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
