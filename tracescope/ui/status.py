"""The status bar: where the cursors are, what is being worked on, and every message there was."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QStatusBar, QWidget

from tracescope.findings.numbers import number
from tracescope.model.trace import Trace
from tracescope.ui.look import Look
from tracescope.ui.notices import Notices
from tracescope.ui.panels.parts import icon_button
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel
from tracescope.ui.worker import Lane, Running

HINT_MS = 8000

LOOKING = "looking"
"""What readers say while they sample a long recording; the task's title says at what."""


def step_text(trace: Trace, at_s: float) -> str:
    """Return the step (or row) of the sample at or before an instant."""
    if not len(trace):
        return ""
    row = int(np.searchsorted(trace.time_s, at_s, side="right")) - 1
    if row < 0:
        return ""
    return f"row {row}" if trace.step is None else f"step {int(trace.step[row])}"


def cursor_text(trace: Trace, a_s: float | None, b_s: float | None) -> str:
    """Say where cursor A is, and B, and what lies between them."""
    parts = []
    for name, at_s in (("A", a_s), ("B", b_s)):
        if at_s is not None:
            parts.append(f"{name} {number(at_s, 4)} s {step_text(trace, at_s)}".rstrip())
    if a_s is not None and b_s is not None:
        parts.append(f"Δt {number(b_s - a_s, 4)} s")
    return "   ".join(parts)


class StatusLine(QStatusBar):
    """State of the checks, cursors, progress with Cancel, and the door to the message log.

    Signals:
        log_wanted: Show the message log.
    """

    log_wanted = Signal()

    def __init__(
        self, model: SessionModel, view: ViewModel, notices: Notices, look: Look, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._model, self._view, self._notices = model, view, notices
        self.setSizeGripEnabled(False)
        self.state = QLabel()
        self.state.setAccessibleName("state of the checks")
        self.cursor_label = QLabel()
        self.cursor_label.setAccessibleName("cursors")
        self.progress = QProgressBar()
        self.progress.setFixedWidth(130)
        self.progress.setRange(0, 1000)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("progress")
        self.doing = QLabel()
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Stop this; what was there before stays")
        self.messages = icon_button(look, "messages", "message log", "Every message of this window")
        self.addWidget(self.state)
        for widget in (self.cursor_label, self.doing, self.progress, self.cancel, self.messages):
            self.addPermanentWidget(widget)
        self.messages.clicked.connect(self.log_wanted)
        self._lanes: list[Lane] = []
        self._stopped = self._in_preview = False
        self._title = ""
        self.cancel.clicked.connect(self._cancel)
        view.cursor_changed.connect(self._show_cursors)
        for changed in (model.results_changed, model.pair_changed):
            changed.connect(self._show_state)
        self._show_task(None)

    def watch(self, lane: Lane) -> None:
        """Show the progress of a lane's tasks, with a way to stop them."""
        self._lanes.append(lane)
        lane.task_changed.connect(lambda: self._show_task(lane.task))

    def set_preview(self, *, on: bool) -> None:
        """While a preview stands, say nothing of the pair behind it: neither its checks nor its cursors."""
        if on != self._in_preview:
            self._in_preview = on
            self._show_state()
            self._show_cursors()

    def hint(self, text: str) -> None:
        """Show a sentence for some seconds."""
        self.showMessage(text, HINT_MS)

    def _show_task(self, task: Running | None) -> None:
        for widget in (self.doing, self.progress, self.cancel):
            widget.setVisible(task is not None)
        if task is not None:
            self._stopped = False
            self._title = task.title
            self.doing.setText(task.title)
            self.progress.setValue(0)
            task.progressed.connect(self._progressed)

    def _progressed(self, done: float, what: str) -> None:
        self.doing.setText(self._title if what == LOOKING else what)
        self.progress.setValue(round(1000 * done))

    def _cancel(self) -> None:
        for lane in self._lanes:
            if lane.task is not None:
                self._notices.mention(f"cancelled: {lane.task.title}")
                lane.cancel()
        self._stopped = True
        self._show_state()

    def _show_cursors(self) -> None:
        session = self._model.session
        if session is None or self._in_preview:
            self.cursor_label.clear()
            return
        trace = session.pair.sim if len(session.pair.sim) else session.pair.target
        self.cursor_label.setText(cursor_text(trace, self._view.cursor_a_s, self._view.cursor_b_s))

    def _show_state(self) -> None:
        session = self._model.session
        if session is None:
            self.clearMessage()
        if self._in_preview:
            text = "preview: nothing is checked yet"
        elif session is None or not self._model.is_pair:
            text = "" if session is None else "one trace: the checks need the other"
        elif session.stale:
            text = "checks stopped; F5 runs them again" if self._stopped else "checking…"
        else:
            text = f"{len(session.results)} checks up to date"
        self.state.setText(text)
