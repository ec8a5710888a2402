"""Cyclic garbage is collected on the window's thread only, and all of it only when that is worth a pause.

Python collects on whichever thread happens to allocate. On a worker's thread that would destroy widgets
and timers away from the thread they live on, which Qt answers with a crash now and then.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QGuiApplication

LOOK_MS = 500
SOON_MS = 1000

GROWTH = 1.25
"""Going through all that lives, the libraries' own objects most of it, holds the window for several frames.
As in Python's own collector it is not begun before a quarter more has lived through the lesser rounds."""


class GarbageHere(QObject):
    """Switches Python's own collecting off and does it here, on the thread it lives on, by Python's thresholds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._lived = 0
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.collect)
        self._look.start()
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self.collect_all)

    @Slot()
    def collect(self) -> None:
        """Collect the oldest generation that is due; all of it never while a hand holds a mouse button."""
        young, middle, old = (
            count > threshold
            for count, threshold in zip(gc.get_count(), gc.get_threshold(), strict=True)
        )
        if middle and old and self._has_grown() and not _held():
            self.collect_all()
        elif middle:
            gc.collect(1)
        elif young:
            gc.collect(0)

    @Slot()
    def soon(self) -> None:
        """Collect everything when what was just begun is over: something great may have been let go."""
        self._soon.start()

    @Slot()
    def collect_all(self) -> None:
        """Collect everything, once no hand holds a mouse button."""
        if _held():
            self._soon.start()
            return
        gc.collect()
        self._lived = len(gc.get_objects(2))

    def _has_grown(self) -> bool:
        return len(gc.get_objects(2)) > GROWTH * self._lived

    def stop(self) -> None:
        """Let Python collect where it likes again."""
        self._look.stop()
        self._soon.stop()
        gc.enable()


def _held() -> bool:
    return QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
