"""Go to a time or a step: a field over the time axis, there only while it is used."""

from __future__ import annotations

import re

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from tracescope.model.trace import Trace
from tracescope.session.session import Session
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

_STEP = re.compile(r"(?:step|row|#)\s*(\d+)", re.IGNORECASE)
_TIME = re.compile(r"([-−+]?[\d.,]+(?:e[-+]?\d+)?)\s*(s|ms|us|µs)?", re.IGNORECASE)
_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6}


def instant_of(text: str, session: Session) -> float | None:
    """Return the instant, on the sim's clock, that a person wrote; ``None`` where it is none.

    ``3.2``, ``3,2 s`` and ``3200 ms`` are times; ``step 160`` is the sim's own step counter where it has
    one, else its row (the target's where there is no sim).
    """
    text = text.strip()
    if match := _STEP.fullmatch(text):
        sim = session.pair.sim
        if len(sim):
            return _stamp_of(sim, int(match[1]))
        stamp = _stamp_of(session.pair.target, int(match[1]))
        return None if stamp is None else session.alignment.to_sim_one(stamp)
    if match := _TIME.fullmatch(text):
        try:
            number = float(match[1].replace("−", "-").replace(",", "."))
        except ValueError:
            return None
        return number * _SECONDS[(match[2] or "").lower()]
    return None


def _stamp_of(trace: Trace, step: int) -> float | None:
    if trace.step is None:
        return float(trace.time_s[step]) if step < len(trace) else None
    rows = np.flatnonzero(trace.step == step)
    return float(trace.time_s[rows[0]]) if rows.size else None


class GoToField(QLineEdit):
    """Takes a time or a step and puts cursor A there. Esc, or looking elsewhere, closes it."""

    hinted = Signal(str)

    def __init__(self, model: SessionModel, view: ViewModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._view = view
        self.setPlaceholderText("time in s, or step 120")
        self.setAccessibleName("Go to time or step")
        self.setMinimumHeight(26)
        self.setFixedWidth(200)
        self.returnPressed.connect(self._go)
        self.hide()

    def ask(self, bottom: int) -> None:
        """Open above a height of the parent."""
        parent = self.parentWidget()
        if self._model.session is None or parent is None:
            return
        self.clear()
        self.move((parent.width() - self.width()) // 2, bottom - self.height())
        self.show()
        self.raise_()
        self.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._close()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.hide()

    def _go(self) -> None:
        session = self._model.session
        at_s = None if session is None else instant_of(self.text(), session)
        if at_s is None:
            self.hinted.emit(
                f"{self.text()!r} is no time (3.2, 3200 ms) and no step of this pair (step 120)"
            )
            return
        self._view.set_cursor_a(at_s)
        self._view.reveal(at_s)
        self._close()

    def _close(self) -> None:
        parent = self.parentWidget()
        self.hide()
        if parent is not None:
            parent.setFocus()
