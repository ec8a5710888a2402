"""A page of the dock of details: refreshed only while it is seen, and scrolled only where it must be."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

SETTLED_MS = 120


class Page(QWidget):
    """Calls :meth:`refresh` once things have settled, and only while somebody can see the result."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_due = True
        self._timer = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._timer.timeout.connect(self._refresh_seen)

    @Slot()
    def ask(self) -> None:
        """Ask for a refresh; asked again before it came, it comes once."""
        self._is_due = True
        self._timer.start()

    @property
    def is_due(self) -> bool:
        """Whether what is shown is older than what was asked for."""
        return self._is_due

    def refresh(self) -> None:
        """Show the present state."""
        raise TypeError(f"{type(self).__name__} shows nothing: refresh is not defined")

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what changed while nobody looked."""
        super().showEvent(event)
        self._refresh_seen()

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """Return the least height: it, and not the wanted one, decides whether the page is scrolled."""
        layout = self.layout()
        return -1 if layout is None else layout.totalMinimumHeightForWidth(width)

    @Slot()
    def _refresh_seen(self) -> None:
        if self._is_due and self.isVisible():
            self._is_due = False
            self.refresh()
