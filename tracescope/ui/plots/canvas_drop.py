"""Signals dragged from the dock: let go over a pane they overlay it, between panes they make a new one."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRectF
from PySide6.QtGui import QDragMoveEvent, QDropEvent

from tracescope.ui.panels.signals_model import CHANNELS_MIME
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.view_model import ViewModel

EDGE_SHARE = 0.22
"""Share of a pane's height, above and below, that means "between" and not "onto"."""


@dataclass(frozen=True, slots=True)
class DropPlace:
    """Onto pane ``number``, or in front of it as a new pane."""

    number: int
    onto: bool
    mark: QRectF


class CanvasDrop(QObject):
    """Takes drags of signals; everything else that is dragged (files) goes on to the window."""

    def __init__(self, canvas: PaneCanvas, view: ViewModel) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._view = view
        canvas.setAcceptDrops(True)
        canvas.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow a drag over the canvas."""
        if watched is not self._canvas:
            return False
        if event.type() == QEvent.Type.DragLeave:
            self._show(None)
            return True
        # A drag that enters is a drag that moves; a drop is neither.
        if isinstance(event, QDragMoveEvent) and event.mimeData().hasFormat(CHANNELS_MIME):
            self._show(self.place(event.position().y()))
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.mimeData().hasFormat(CHANNELS_MIME):
            self._show(None)
            self._drop(event)
            return True
        return False

    def place(self, y: float) -> DropPlace:
        """Say what letting go at a height would do, and where to show it."""
        panes = self._canvas.panes
        left, right = self._canvas.left_px, self._canvas.right_px
        for number, pane in enumerate(panes):
            rect = pane.rect
            if y > rect.bottom() and number < len(panes) - 1:
                continue
            share = (y - rect.top()) / rect.height()
            if share < EDGE_SHARE:
                mark = QRectF(left, rect.top() - 2, right - left, 3)
                return DropPlace(number, onto=False, mark=mark)
            if share <= 1 - EDGE_SHARE:
                mark = QRectF(left, rect.top(), right - left, rect.height())
                return DropPlace(number, onto=True, mark=mark)
            mark = QRectF(left, rect.bottom() - 1, right - left, 3)
            return DropPlace(number + 1, onto=False, mark=mark)
        return DropPlace(0, onto=False, mark=QRectF(left, 0, right - left, 3))

    def _drop(self, event: QDropEvent) -> None:
        text = bytes(event.mimeData().data(CHANNELS_MIME).data()).decode()
        keys = tuple(key for key in text.split("\n") if key)
        place = self.place(event.position().y())
        panes = list(self._view.shown)
        if place.onto:
            panes[place.number] = (*panes[place.number], *keys)
        else:
            panes[place.number : place.number] = [keys]
        self._view.set_shown(panes)
        self._view.set_active(place.number)
        event.acceptProposedAction()

    def _show(self, place: DropPlace | None) -> None:
        self._canvas.drop_mark = None if place is None else place.mark
        self._canvas.refresh()
