import gc
import threading

from PySide6.QtCore import QCoreApplication, QObject, QTimer

from tests.ui import hands
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
