"""What the keys of the plots do to the session: nudging, anchors, the lock, marks."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Signal

from tracescope.model.alignment import Anchor
from tracescope.model.errors import ProblemsError
from tracescope.session.session import Mark
from tracescope.ui.session_model import LOCKED, SessionModel
from tracescope.ui.view_model import Side, ViewModel, split_key


class AlignVerbs(QObject):
    """Changes the session at the cursors.

    Signals:
        hinted: Says what cannot be done, or what to do next.
    """

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

    def anchor(self, first: Side = "sim") -> None:
        """Mark the same event in both traces.

        With both cursors: A stands on the event in the trace ``first``, B in the other. With A alone: the
        first time marks the event in the trace ``first``, the next time its counterpart in the other one.
        """
        session = self._model.session
        if session is None or self._view.cursor_a_s is None:
            self.hinted.emit("put cursor A on the event first, then press K")
            return
        if session.locked:
            self.hinted.emit(LOCKED)
            return
        alignment = session.alignment
        here, there = self._view.cursor_a_s, self._view.cursor_b_s
        held = self._view.pending_anchor_s
        if held is None:
            held = here if first == "sim" else alignment.to_target_one(here)
            self._view.set_pending_anchor(held, first)
            if there is None:
                other = "target" if first == "sim" else "simulator"
                self.hinted.emit(
                    f"now put cursor A on the same event of the {other}, press K again"
                )
                return
            here = there
        if self._view.pending_anchor_side == "sim":
            anchor = Anchor(held, alignment.to_target_one(here))
        else:
            anchor = Anchor(here, held)
        self._view.set_pending_anchor(None)
        self._view.set_cursor_b(None)
        try:
            self._model.align_by_anchors((*alignment.anchors, anchor))
        except ProblemsError as error:
            self.hinted.emit("; ".join(p.what for p in error.problems))
            return
        count = len(alignment.anchors) + 1
        self.hinted.emit(f"anchor {count} set; what is left at each stands under Anchors (Ctrl+2)")

    def mark(self) -> None:
        """Mark the instant of cursor A, or the span from A to B."""
        here, there = self._view.cursor_a_s, self._view.cursor_b_s
        session = self._model.session
        if session is None or here is None:
            self.hinted.emit("put cursor A where the mark belongs, then press M")
            return
        span_s = (here, here) if there is None else (min(here, there), max(here, there))
        shown, active = self._view.shown, self._view.active
        channel = split_key(shown[active][0])[1] if active < len(shown) else ""
        self._model.add_mark(Mark(span_s, f"mark {len(session.marks) + 1}", channel=channel))
        self.hinted.emit("marked; put it into words under Details › Marks (Ctrl+1)")
