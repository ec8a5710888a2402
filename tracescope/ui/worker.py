"""Work off the screen's thread: one thread a lane, one task at a time, cancel by asking.

A task's function runs on the lane's thread and speaks to the window only through queued signals of an
object that lives on the window's thread.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from threading import Event

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal, Slot

from tracescope.model.errors import Cancelled

log = logging.getLogger(__name__)

PROGRESS_EVERY_S = 0.05


class Task(QObject):
    """One piece of work under way.

    Signals:
        progressed: Share done (0 to 1) and what is being done.
        given: Something the work handed over before its end.
        finished, failed: Its value, or the exception it ended with.
        ended: Always the last. A cancelled task says nothing else.
    """

    progressed = Signal(float, str)
    given = Signal(object)
    finished = Signal(object)
    failed = Signal(object)
    ended = Signal()
    _said = Signal(str, object)

    def __init__(self, title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self._cancelled = Event()
        self._told_s = 0.0
        self._said.connect(self._hear, Qt.ConnectionType.QueuedConnection)

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._cancelled.is_set()

    @Slot()
    def cancel(self) -> None:
        """Ask it to stop; it says nothing more."""
        self._cancelled.set()

    def progress(self, done: float, what: str) -> None:
        """Report progress from the work's thread; the ``Progress`` that long work is given.

        Raises:
            Cancelled: where somebody asked it to stop.
        """
        if self.is_cancelled:
            raise Cancelled(self.title)
        now_s = time.monotonic()
        if now_s - self._told_s >= PROGRESS_EVERY_S or done >= 1:
            self._told_s = now_s
            self._said.emit("progressed", (done, what))

    def give(self, item: object) -> None:
        """Hand something over before the end, from the work's thread."""
        self._said.emit("given", item)

    def run(self, work: Callable[[Task], object]) -> None:
        """Do the work, on the lane's thread, and say how it ended."""
        try:
            if not self.is_cancelled:
                self._said.emit("finished", work(self))
        except Cancelled:
            self.cancel()
        except Exception as error:  # noqa: BLE001  # told to the window, which logs and shows it
            self._said.emit("failed", error)
        finally:
            self._said.emit("ended", None)

    @Slot(str, object)
    def _hear(self, what: str, item: object) -> None:
        """Pass on, on the window's thread, what the work said, unless it was cancelled meanwhile."""
        if what == "ended":
            self.ended.emit()
        elif self.is_cancelled:
            return
        elif what == "progressed":
            self.progressed.emit(*item)  # type: ignore[misc]
        else:
            {"given": self.given, "finished": self.finished, "failed": self.failed}[what].emit(item)


Work = Callable[[Task], object]


class Lane(QObject):
    """One background thread. A newer task ends the older ones; they finish silently.

    Signals:
        task_changed: Another task is current, or none.
    """

    task_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._task: Task | None = None

    @property
    def task(self) -> Task | None:
        """The task under way, or ``None``."""
        return self._task

    def start(self, title: str, work: Work) -> Task:
        """Start work. What it says arrives through the event loop, so nothing is missed by connecting now."""
        self.cancel()
        task = Task(title, self)
        task.ended.connect(self._ended)
        self._task = task
        self._pool.start(QRunnable.create(lambda: task.run(work)))
        self.task_changed.emit()
        return task

    @Slot()
    def cancel(self) -> None:
        """Ask the current task to stop."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.task_changed.emit()

    def close(self) -> None:
        """Cancel and wait until the thread is idle: after this the lane may be destroyed."""
        self.cancel()
        self._pool.clear()
        self._pool.waitForDone()

    @Slot()
    def _ended(self) -> None:
        task = self.sender()
        if task is self._task:
            self._task = None
            self.task_changed.emit()
        if isinstance(task, Task):
            task.deleteLater()
