"""Work for one pair that must not hold up a paint: done by one thread, collected by a timer."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

LOOK_MS = 30


class Background(QObject):
    """Does what is asked, one after the other, and hands each result over on the window's own thread.

    Results are looked for by a timer and not sent by the worker, so that a widget that has gone in the
    meantime is never called. An exception of the work is raised where its result is collected.
    """

    arrived = Signal()

    def __init__(
        self, name: str, take: Callable[[Any, Any], None], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._take = take
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._asked: dict[Hashable, Future[Any]] = {}
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self._collect)

    @property
    def is_busy(self) -> bool:
        """Whether something asked for has not arrived."""
        return bool(self._asked)

    def ask(self, key: Hashable, work: Callable[[], Any]) -> None:
        """Do something once, unless it was already asked for under this key."""
        if key not in self._asked:
            self._asked[key] = self._worker.submit(work)
            self._look.start()

    def forget(self, unwanted: Callable[[Any], bool]) -> None:
        """Drop what was asked for under these keys."""
        for key in [key for key in self._asked if unwanted(key)]:
            self._asked.pop(key).cancel()

    def _collect(self) -> None:
        done = {key: future for key, future in self._asked.items() if future.done()}
        for key in done:
            del self._asked[key]
        if not self._asked:
            self._look.stop()
        for key, future in done.items():
            self._take(key, future.result())
        if done:
            self.arrived.emit()
