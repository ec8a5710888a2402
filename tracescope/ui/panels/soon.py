"""Redraw once for many signals: at the next turn of the event loop, or seldom while a hand drags."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from tracescope.ui.session_model import SessionModel

WHILE_DRAGGING_MS = 60


class Soon(QObject):
    """Calls ``do`` once, soon after it was asked any number of times."""

    def __init__(self, do: Callable[[], None], model: SessionModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(do)

    @Slot()
    def ask(self) -> None:
        """Ask for the call."""
        if not self._timer.isActive():
            self._timer.start(WHILE_DRAGGING_MS if self._model.previewing else 0)
