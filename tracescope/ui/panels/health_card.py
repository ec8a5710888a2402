"""Data health, always on top of the checks: what the readers noticed and repaired on either side."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tracescope.model.trace import HealthNote, Trace
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import Badge, card, link, words
from tracescope.ui.session_model import SessionModel

FOLDED = 3
_ORDER = {"warning": 0, "repaired": 1, "info": 2}


def note_text(side: str, note: HealthNote) -> str:
    """Write one health note: side, what, where, what was done."""
    done = f" → {note.done}" if note.done else ""
    return f"• {side}: {note.placed}{done}"


def notes_of(sim: Trace, target: Trace) -> list[tuple[str, HealthNote]]:
    """Return both sides' notes, what matters most first."""
    notes = [("sim", note) for note in sim.health] + [("target", note) for note in target.health]
    return sorted(notes, key=lambda item: _ORDER[item[1].severity])


class HealthCard(QWidget):
    """Counts and sentences; no verdict, for health is no check."""

    def __init__(self, model: SessionModel, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame, column = card()
        outer.addWidget(frame)
        head = QHBoxLayout()
        title = words("Data health", "title")
        title.setToolTip(
            "What the readers noticed and repaired; the files themselves stay untouched"
        )
        head.addWidget(title, 1)
        self._badge = Badge(look)
        head.addWidget(self._badge)
        column.addLayout(head)
        self._text = words()
        column.addWidget(self._text)
        self._more = link("All", "Show every note of both readers")
        self._more.setCheckable(True)
        self._more.toggled.connect(self.refresh)
        column.addWidget(self._more)
        look.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the notes of the open pair."""
        session = self._model.session
        if session is None:
            return
        notes = notes_of(session.pair.sim, session.pair.target)
        warnings = sum(note.severity == "warning" for _, note in notes)
        repaired = sum(note.severity == "repaired" for _, note in notes)
        counted = [f"{warnings} to look at"] * bool(warnings) + [f"{repaired} repaired"] * bool(
            repaired
        )
        self._badge.show_word(" · ".join(counted) or "nothing repaired")
        shown = notes if self._more.isChecked() else notes[:FOLDED]
        lines = [note_text(side, note) for side, note in shown]
        self._text.setText("\n".join(lines) or "Read as they are; nothing was noticed.")
        self._more.setVisible(len(notes) > FOLDED)
        self._more.setText("Fewer" if self._more.isChecked() else f"All {len(notes)} notes")
