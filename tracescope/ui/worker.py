"""Work off the screen's thread: one thread a lane, one task at a time, cancel by asking.

The work's thread touches no QObject and emits no signal: what it says waits in a queue that the window's
own thread empties, so no reference is ever counted by two threads at once. A window that closes does not
wait for work that is slow to notice: its thread goes on alone until the work ends.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from tracescope.model.errors import Cancelled
from tracescope.ui.courtesy import give_way

LISTEN_MS = 8
"""How often a lane at work looks for what the work said."""

PROGRESS_EVERY_S = 0.05
PATIENCE_MS = 100
"""A closing window waits this long for cancelled work to notice."""

Say = Callable[[str, object], None]


class Task:
    """What work is given on its own thread: a way to report, and to learn that it was cancelled."""

    def __init__(self, title: str, say: Say) -> None:
        self.title = title
        self._say = say
        self._cancelled = Event()
        self._told_s = 0.0

    @property
    def is_cancelled(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask it to stop; it says nothing more."""
        self._cancelled.set()

    def pulse(self) -> None:
        """Let the work go on, or end it.

        Raises:
            Cancelled: where somebody asked it to stop.
        """
        give_way()
        if self.is_cancelled:
            raise Cancelled(self.title)

    def progress(self, done: float, what: str) -> None:
        """Report progress; the ``Progress`` that long work is given.

        Raises:
            Cancelled: where somebody asked it to stop.
        """
        self.pulse()
        now_s = time.monotonic()
        if now_s - self._told_s >= PROGRESS_EVERY_S or done >= 1:
            self._told_s = now_s
            self._say("progressed", (done, what))

    def give(self, item: object) -> None:
        """Hand something over before the end."""
        self._say("given", item)

    def run(self, work: Callable[[Task], object]) -> None:
        """Do the work and say how it ended."""
        try:
            if not self.is_cancelled:
                self._say("finished", work(self))
        except Cancelled:
            self.cancel()
        except Exception as error:  # noqa: BLE001  # told to the window, which logs and shows it
            self._say("failed", error)
        finally:
            self._say("ended", None)


Work = Callable[[Task], object]


class Running(QObject):
    """A task as the window sees it; lives and speaks on the window's thread.

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

    def __init__(self, task: Task, parent: QObject) -> None:
        super().__init__(parent)
        self._task = task

    @property
    def title(self) -> str:
        """What it does, for a person."""
        return self._task.title

    @Slot()
    def cancel(self) -> None:
        """Ask it to stop; it says nothing more."""
        self._task.cancel()

    def hear(self, what: str, item: object) -> None:
        """Pass on what the work said, unless it was cancelled meanwhile."""
        if what == "ended":
            self.ended.emit()
        elif self._task.is_cancelled:
            return
        elif what == "progressed":
            self.progressed.emit(*item)  # type: ignore[misc]
        else:
            {"given": self.given, "finished": self.finished, "failed": self.failed}[what].emit(item)


class Lane(QObject):
    """One background thread. A newer task ends the older ones; they finish silently.

    Signals:
        task_changed: Another task is current, or none.
    """

    task_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lane")
        self._said: SimpleQueue[tuple[int, str, object]] = SimpleQueue()
        self._listen = QTimer(self, interval=LISTEN_MS)
        self._listen.timeout.connect(self._hear_all)
        self._tickets = count(1)
        self._running: dict[int, Running] = {}
        self._begun: set[Future[None]] = set()
        self._task: Running | None = None

    @property
    def task(self) -> Running | None:
        """The task under way, or ``None``."""
        return self._task

    def start(self, title: str, work: Work) -> Running:
        """Start work. What it says arrives through the event loop, so nothing is missed by connecting now."""
        self.cancel()
        ticket, said = next(self._tickets), self._said
        task = Task(title, lambda what, item: said.put((ticket, what, item)))
        self._task = self._running[ticket] = Running(task, self)
        self._begun = {begun for begun in self._begun if not begun.done()}
        self._begun.add(self._worker.submit(task.run, work))
        self._listen.start()
        self.task_changed.emit()
        return self._task

    @Slot()
    def cancel(self) -> None:
        """Ask the current task to stop."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.task_changed.emit()

    def close(self) -> None:
        """Cancel, and leave the thread behind where it does not end at once.

        After this the parent may be destroyed.
        """
        self.cancel()
        self._listen.stop()
        for ticket in list(self._running):  # what they still say is heard by nobody
            self._end(ticket)
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._begun = {begun for begun in self._begun if not begun.cancelled()}
        _left_at_work.difference_update([left for left in _left_at_work if left.done()])
        if not self.wait(PATIENCE_MS):
            _left_at_work.update(self._begun)

    def wait(self, most_ms: int = -1) -> bool:
        """Wait until the thread is idle, for ever by default; return whether it is."""
        return not wait(self._begun, None if most_ms < 0 else most_ms / 1e3).not_done

    @Slot()
    def _hear_all(self) -> None:
        while True:
            try:
                ticket, what, item = self._said.get_nowait()
            except Empty:
                break
            self._hear(ticket, what, item)
        if not self._running:
            self._listen.stop()

    def _hear(self, ticket: int, what: str, item: object) -> None:
        running = self._running.get(ticket)
        if running is None:
            return
        running.hear(what, item)
        if what == "ended":
            self._end(ticket)
            if running is self._task:
                self._task = None
                self.task_changed.emit()

    def _end(self, ticket: int) -> None:
        self._running.pop(ticket).deleteLater()


_left_at_work: set[Future[None]] = set()


def wait_for_the_last() -> None:
    """Wait for work that outlived its window; to be called before the process ends."""
    wait(_left_at_work)
    _left_at_work.clear()
