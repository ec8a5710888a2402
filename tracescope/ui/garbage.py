"""Cyclic garbage is collected on the window's thread only.

Python collects on whichever thread happens to allocate. On a worker's thread that would destroy widgets
and timers away from the thread they live on, which Qt answers with a crash now and then.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_MS = 500


class GarbageHere(QObject):
    """Switches Python's own collecting off and does it here, on the thread it lives on, by Python's thresholds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._look = QTimer(self, interval=LOOK_MS)
        self._look.timeout.connect(self.collect)
        self._look.start()

    def collect(self) -> None:
        """Collect the oldest generation whose threshold is passed."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Let Python collect where it likes again."""
        self._look.stop()
        gc.enable()
