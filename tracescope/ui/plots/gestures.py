"""What a hand does between press and release. Each gesture can be cancelled with Esc."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPointF, QRectF

from tracescope.model.alignment import Alignment
from tracescope.session.session import Session
from tracescope.ui.plots.pane import Box
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

if TYPE_CHECKING:
    from tracescope.ui.plots.snapping import SnapDrag

SLIP_PX = 4.0
"""A hand that moved less has clicked."""

FINE = 0.1
"""What a pixel counts while Shift is held."""


class Gesture(Protocol):
    """A press that became a drag."""

    def move(self, pos: QPointF, *, fine: bool = False, snap: bool = False) -> None:
        """Follow the pointer; ``snap`` says that a key asks for snapping (or against it)."""

    def finish(self) -> None:
        """Keep what was done."""

    def cancel(self) -> None:
        """Go back to where it began."""


class Pan:
    """Moves the range with the pointer, from where it was at the press, so that its span never drifts."""

    def __init__(self, view: ViewModel, start: QPointF, px_per_s: float) -> None:
        self._view = view
        self._start = start
        self._px_per_s = px_per_s
        self._range = view.range_s

    def move(self, pos: QPointF, *, fine: bool = False, snap: bool = False) -> None:  # noqa: ARG002 - a pan has one speed
        by_s = (self._start.x() - pos.x()) / self._px_per_s
        self._view.set_range(self._range[0] + by_s, self._range[1] + by_s)

    def finish(self) -> None:
        self._view.remember()

    def cancel(self) -> None:
        self._view.set_range(*self._range)


class PanValues:
    """Moves a box's values with the pointer."""

    def __init__(self, box: Box, start: QPointF) -> None:
        self._box = box
        self._start = start
        self._span = (box.low, box.high, box.by_hand)

    def move(self, pos: QPointF, *, fine: bool = False, snap: bool = False) -> None:  # noqa: ARG002 - a pan has one speed
        low, high, _ = self._span
        by = (pos.y() - self._start.y()) / self._box.px_per_unit
        self._box.span_values(low + by, high + by, by_hand=True)

    def finish(self) -> None:
        """Nothing is left to do: each move was kept."""

    def cancel(self) -> None:
        low, high, by_hand = self._span
        self._box.span_values(low, high, by_hand=by_hand)


class BoxZoom:
    """Draws a rectangle and shows what is inside it."""

    def __init__(self, view: ViewModel, box: Box, start: QPointF) -> None:
        self._view = view
        self._box = box
        self._start = start
        self.rect: QRectF | None = None

    def move(self, pos: QPointF, *, fine: bool = False, snap: bool = False) -> None:  # noqa: ARG002 - a box has one speed
        self.rect = QRectF(self._start, pos).normalized().intersected(self._box.rect)

    def finish(self) -> None:
        rect, box = self.rect, self._box
        if rect is None or rect.width() < SLIP_PX:
            return
        low, high = self._view.range_s
        per_px = (high - low) / box.rect.width()
        if rect.height() >= SLIP_PX:
            box.span_values(box.value(rect.bottom()), box.value(rect.top()), by_hand=True)
        left = low + (rect.left() - box.rect.left()) * per_px
        self._view.set_range(left, left + rect.width() * per_px)
        self._view.remember()

    def cancel(self) -> None:
        self.rect = None


class MoveTarget:
    """Moves the whole target recording: one number follows the pointer, one undo step at the end.

    Args:
        snaps: What can catch the target; ``None`` catches nothing.
    """

    def __init__(
        self,
        model: SessionModel,
        session: Session,
        start: QPointF,
        px_per_s: float,
        snaps: SnapDrag | None = None,
    ) -> None:
        self._model = model
        self._before: Alignment = session.alignment
        self._px_per_s = px_per_s
        self._x = start.x()
        self._moved_px = 0.0
        self._snaps = snaps

    def move(self, pos: QPointF, *, fine: bool = False, snap: bool = False) -> None:
        """Follow the pointer, a tenth as far while ``fine``; ``snap`` turns the toggle about."""
        self._moved_px += (pos.x() - self._x) * (FINE if fine else 1.0)
        self._x = pos.x()
        # To the right on the screen is later on the sim's clock: a smaller offset.
        wanted = self._before.moved(-self._moved_px / self._px_per_s)
        if self._snaps is not None and self._snaps.is_on != snap:
            wanted = self._snaps.caught(wanted, self._px_per_s)
        elif self._snaps is not None:
            self._snaps.free()
        self._model.preview_alignment(wanted)

    def finish(self) -> None:
        """Make it one undo step."""
        self._free()
        if self._moved_px:
            self._model.commit_preview()
        else:
            self._model.cancel_preview()

    def cancel(self) -> None:
        self._free()
        self._model.cancel_preview()

    def _free(self) -> None:
        if self._snaps is not None:
            self._snaps.free()
