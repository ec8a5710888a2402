"""Anchors with what is left at each, and beside them, apart, the lag each signal keeps to itself."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tracescope.analysis.residual import SignalLag, signal_lags
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.trace import Samples
from tracescope.session.session import Session
from tracescope.ui.panels.fact_table import FactTable
from tracescope.ui.panels.page import Page
from tracescope.ui.panels.parts import words
from tracescope.ui.plots.background import Background
from tracescope.ui.session_model import LOCKED, SessionModel

MOST_OFF_ROWS = 2.0
"""An anchor that a line through all of them misses by more samples is flagged."""

HOW = (
    "No anchor yet: cursor A on an event of the simulator, K; on the same event of the target, K again. "
    "One gives the offset, two offset and drift, more a fitted line."
)
NOT_LINEAR = (
    "Where an anchor is far off the line, delete it if it marks another event; if all are right, a clock "
    "jumped: split the recording there"
)
LATENCY = "How late each target signal is as aligned: latency, which is never folded into the clock offset"


def left_over_s(alignment: Alignment) -> Samples:
    """Return what is left at each anchor, target on the sim's clock less sim, seconds, shape ``(n,)``."""
    sim_s = np.array([anchor.sim_s for anchor in alignment.anchors])
    target_s = np.array([anchor.target_s for anchor in alignment.anchors])
    return np.asarray(alignment.to_sim(target_s) - sim_s)


def row_s(session: Session) -> float:
    """Return the longer of the two traces' intervals, seconds; NaN where neither has one."""
    known = [
        interval
        for interval in (session.pair.sim.interval_s, session.pair.target.interval_s)
        if np.isfinite(interval)
    ]
    return max(known, default=float("nan"))


def summary(session: Session) -> str:
    """Say what the anchors amount to, and whether one line describes both clocks."""
    count = len(session.alignment.anchors)
    if not count:
        return HOW
    kind = {1: "gives the offset", 2: "give offset and drift"}.get(count, "make a fitted line")
    text = f"{count} anchor{'s' if count > 1 else ''} {kind}."
    off = np.abs(left_over_s(session.alignment)) / row_s(session)
    flagged = [str(place + 1) for place in np.flatnonzero(off > MOST_OFF_ROWS)]
    if not flagged:
        return text
    which = "anchor " + flagged[0] if len(flagged) == 1 else "anchors " + ", ".join(flagged)
    return f"{text} Clocks not linear: {which} off by more than {MOST_OFF_ROWS:.0f} samples."


def anchor_rows(session: Session) -> list[list[str]]:
    """Write the anchors as rows of a table."""
    left_s, interval_s = left_over_s(session.alignment), row_s(session)
    rows = []
    for place, (anchor, left) in enumerate(zip(session.alignment.anchors, left_s, strict=True)):
        off = left / interval_s
        flag = "⚠ " if abs(off) > MOST_OFF_ROWS else ""
        cells = [
            f"{anchor.sim_s:.4f}",
            f"{anchor.target_s:.4f}",
            f"{left * 1e3:+.2f}",
            f"{flag}{off:+.2f}",
        ]
        rows.append([str(place + 1), *(cell.replace("-", "−") for cell in cells)])
    return rows


def lag_rows(lags: tuple[SignalLag, ...], interval_s: float) -> list[list[str]]:
    """Write lags as rows of a table, the longest first."""
    rows = []
    for lag in sorted(lags, key=lambda lag: -abs(lag.lag_s)):
        low, high = (end * 1e3 for end in lag.interval_s)
        cells = [f"{lag.lag_s * 1e3:+.2f}", f"{low:+.2f} … {high:+.2f}"]
        cells.append(f"{lag.lag_s / interval_s:+.2f}")
        rows.append([lag.channel, *(cell.replace("-", "−") for cell in cells)])
    return rows


class AnchorsPanel(Page):
    """Two tables side by side: what belongs to the clock, and what belongs to the signals.

    Signals:
        go_to_wanted: Seconds on the sim's clock that the panes should show.
        hinted: Why something was not done.
    """

    go_to_wanted = Signal(float)
    hinted = Signal(str)

    def __init__(self, model: SessionModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._background = Background("lags", self._take_lags, self)
        self._asked: tuple[Alignment, object] | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 6)
        row.setSpacing(14)
        row.addLayout(self._build_anchors(), 1)
        row.addLayout(self._build_lags(), 1)
        for changed in (model.pair_changed, model.alignment_changed, model.corrections_changed):
            changed.connect(self.ask)
        model.undo_stack.indexChanged.connect(self.ask)  # also tells that a drag has ended

    def _build_anchors(self) -> QVBoxLayout:
        column = QVBoxLayout()
        line = QHBoxLayout()
        self.summary = words(HOW)
        self.summary.setToolTip(NOT_LINEAR)
        line.addWidget(self.summary, 1)
        self.go_to = QPushButton("Go to")
        self.go_to.setToolTip("Show the chosen anchor in the panes")
        self.delete = QPushButton("Delete")
        self.delete.setToolTip("Take the chosen anchor away; the others are fitted anew (undoable)")
        for button, do in ((self.go_to, self._go_to), (self.delete, self._delete)):
            button.setAccessibleName(f"{button.text().lower()} anchor")
            button.setMinimumHeight(24)
            button.clicked.connect(do)
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(line)
        self.anchors = FactTable(
            ("", "sim (s)", "target (s)", "left (ms)", "samples"),
            "anchors",
            "Events marked in both traces, each on its own clock, and what the alignment leaves there",
            words=(0,),
            stretch=4,
        )
        column.addWidget(self.anchors, 1)
        return column

    def _build_lags(self) -> QVBoxLayout:
        column = QVBoxLayout()
        self.lag_words = words(LATENCY, "muted")
        column.addWidget(self.lag_words)
        self.lags = FactTable(
            ("signal", "lag (ms)", "interval (ms)", "samples"),
            "lags of the signals",
            LATENCY,
            least_px=64,
        )
        column.addWidget(self.lags, 1)
        return column

    def refresh(self) -> None:
        """Show the anchors; ask for the lags once the target lies still."""
        session = self._model.session
        if session is None:
            self.anchors.show_rows([])
            self.lags.show_rows([])
            return
        self.summary.setText(summary(session))
        self.anchors.show_rows(anchor_rows(session))
        for button in (self.go_to, self.delete):
            button.setEnabled(bool(session.alignment.anchors))
        if self._model.is_pair and not self._model.previewing:
            key = (session.alignment, (id(session.pair), session.corrections))
            if key != self._asked:
                self._asked = key
                self._background.forget(lambda _: True)
                self._background.ask(key, partial(_lags, session.case))

    def _take_lags(self, key: object, lags: tuple[SignalLag, ...]) -> None:
        session = self._model.session
        if session is None or key != self._asked:
            return
        self.lags.show_rows(lag_rows(lags, session.pair.target.interval_s))
        none = "" if lags else "No signal moves enough for its lag to be measured. "
        self.lag_words.setText(none + LATENCY)

    def _go_to(self) -> None:
        row, anchors = self.anchors.currentRow(), self._model.open_session.alignment.anchors
        if 0 <= row < len(anchors):
            self.go_to_wanted.emit(anchors[row].sim_s)

    def _delete(self) -> None:
        session, row = self._model.open_session, self.anchors.currentRow()
        if session.locked:
            self.hinted.emit(LOCKED)
            return
        kept = tuple(a for place, a in enumerate(session.alignment.anchors) if place != row)
        self._model.align_by_anchors(kept)
        self.refresh()  # at once: a quick second Delete means the row that is shown then


def _lags(case: Case) -> tuple[SignalLag, ...]:
    return signal_lags(case)
