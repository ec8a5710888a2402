"""What the keys of the plots do to the session: nudging, anchors, the lock, marks."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Signal

from tracescope.model.alignment import Anchor
from tracescope.session.session import Mark
from tracescope.ui.session_model import LOCKED, SessionModel
from tracescope.ui.view_model import ViewModel


class AlignVerbs(QObject):
    """Changes the session at the cursors. ``hinted`` says what cannot be done."""

    hinted = Signal(str)

    def __init__(self, model: SessionModel, view: ViewModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._view = view

    def nudge(self, by_s: float | None = None, *, samples: float = 0.0) -> None:
        """Move the target to the right by seconds, or by its own samples."""
        session = self._model.session
        if session is None:
            return
        if session.locked:
            self.hinted.emit(LOCKED)
            return
        interval_s = session.pair.target.interval_s
        move_s = samples * interval_s if by_s is None else by_s
        if math.isfinite(move_s):  # NaN where the target has no two rows
            self._model.align(session.alignment.moved(-move_s))

    def toggle_lock(self) -> None:
        """Lock or unlock the alignment."""
        session = self._model.session
        if session is not None:
            self._model.set_locked(not session.locked)

    def anchor(self) -> None:
        """Mark the same event in both traces.

        With both cursors: A stands on the event in the sim, B in the target. With A alone: the first
        time marks the event in the sim, the second time its counterpart in the target.
        """
        session = self._model.session
        if session is None or self._view.cursor_a_s is None:
            self.hinted.emit("put cursor A on the event first, then press K")
            return
        if session.locked:
            self.hinted.emit(LOCKED)
            return
        here, there = self._view.cursor_a_s, self._view.cursor_b_s
        pending = self._view.pending_anchor_s
        if there is None and pending is None:
            self._view.set_pending_anchor(here)
            self.hinted.emit("now put cursor A on the same event of the target and press K again")
            return
        sim_s, target_at_s = (here, there) if there is not None else (pending, here)
        assert sim_s is not None
        assert target_at_s is not None
        anchor = Anchor(sim_s, session.alignment.to_target_one(target_at_s))
        self._view.set_pending_anchor(None)
        self._view.set_cursor_b(None)
        self._model.align_by_anchors((*session.alignment.anchors, anchor))

    def mark(self) -> None:
        """Mark the instant of cursor A, or the span from A to B."""
        here, there = self._view.cursor_a_s, self._view.cursor_b_s
        session = self._model.session
        if session is None or here is None:
            self.hinted.emit("put cursor A where the mark belongs, then press M")
            return
        span_s = (here, here) if there is None else (min(here, there), max(here, there))
        self._model.add_mark(Mark(span_s, f"mark {len(session.marks) + 1}"))
