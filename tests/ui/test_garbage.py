import gc
import threading

import pytest
from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from tests.ui import hands
from tracescope.ui.app import Windows
from tracescope.ui.garbage import GarbageHere


class Cycle(QObject):
    """An object of Qt that only the collector can free, and that says on which thread it went."""

    def __init__(self, said):
        super().__init__()
        self.me = self
        self.timer = QTimer(self)
        self.said = said

    def __del__(self):
        self.said.append(threading.current_thread())


@pytest.fixture
def garbage(qapp):
    assert isinstance(qapp, QCoreApplication)
    out = GarbageHere()
    out.collect_all()
    yield out
    out.stop()


@pytest.fixture
def rounds(garbage):
    """Return which generations are collected from now on."""
    out = []

    def told(phase, about):
        if phase == "start":
            out.append(about["generation"])

    gc.callbacks.append(told)
    yield out
    gc.callbacks.remove(told)


def make_due(garbage):
    """Bring the collector to where it would go through everything by its thresholds alone."""
    _, middle, old = gc.get_threshold()
    for _ in range(old + 1):
        gc.collect(1)
    for _ in range(middle + 1):
        gc.collect(0)


def test_that_what_lived_long_is_gone_through_again_only_when_it_has_grown_by_a_quarter(
    garbage, rounds
):
    make_due(garbage)
    rounds.clear()
    garbage.collect()
    assert rounds == [1]
    kept = [[number] for number in range(len(gc.get_objects()) // 3)]
    make_due(garbage)
    rounds.clear()
    garbage.collect()
    assert rounds == [2]
    assert kept


def test_that_a_hand_that_holds_something_is_not_made_to_wait(garbage, rounds, monkeypatch):
    monkeypatch.setattr(
        QGuiApplication, "mouseButtons", staticmethod(lambda: Qt.MouseButton.LeftButton)
    )
    kept = [[number] for number in range(len(gc.get_objects()) // 3)]
    make_due(garbage)
    rounds.clear()
    garbage.collect()
    garbage.collect_all()
    assert rounds == [1]
    assert kept
    monkeypatch.undo()
    hands.wait_for(lambda: 2 in rounds, "everything to be collected")


def test_that_what_a_window_lets_go_with_its_pair_is_freed_soon(qapp, garbage, tmp_path):
    window = Windows(tmp_path / "log", garbage).another()
    said = []
    Cycle(said)
    window.model.pair_changed.emit()
    hands.wait_for(lambda: bool(said), "the cycle to be freed")
    assert said == [threading.main_thread()]
    window.close()


def test_that_objects_of_qt_are_freed_on_the_windows_thread_though_a_worker_allocates(qapp):
    assert isinstance(qapp, QCoreApplication)
    gc.collect()
    garbage = GarbageHere()
    said = []
    try:
        Cycle(said)
        worker = threading.Thread(target=lambda: [[] for _ in range(200_000)])
        worker.start()
        worker.join()
        assert said == []
        kept = [[number] for number in range(5000)]
        garbage.collect()
        hands.wait_for(lambda: bool(said), "the cycle to be freed")
        assert set(said) == {threading.main_thread()}
        assert len(kept) == 5000
    finally:
        garbage.stop()
    assert gc.isenabled()
