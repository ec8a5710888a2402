"""Data health, always on top of the checks: what the readers noticed and repaired on either side."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tracescope.model.trace import HealthNote, Trace
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import Badge, card, link, words
from tracescope.ui.session_model import SessionModel

FOLDED = 3
_ORDER = {"warning": 0, "repaired": 1, "info": 2}


MOST_PLACES = 2
"""A card names so many places of a note; its tooltip has all that the reader named."""

DONE = {"kept": "left as recorded"}


def notes_of(sim: Trace, target: Trace) -> list[tuple[str, HealthNote]]:
    """Return both sides' notes, what matters most first; what both say alike once."""
    both = [note for note in sim.health if note in target.health]
    notes = [("sim and target" if note in both else "sim", note) for note in sim.health]
    notes += [("target", note) for note in target.health if note not in both]
    return sorted(notes, key=lambda item: _ORDER[item[1].severity])


def note_text(side: str, note: HealthNote, *, whole: bool = False) -> str:
    """Write one health note: side, what, where, what was done."""
    places = note.where.split("), ")
    if len(places) > MOST_PLACES and not whole:
        note = replace(note, where="), ".join(places[:MOST_PLACES]) + "), …")
    done = f": {DONE.get(note.done, note.done)}" if note.done else ""
    return f"• {side}: {note.placed}{done}"


def health_lines(sim: Trace, target: Trace, *, whole: bool = False) -> list[str]:
    """Write the notes of a pair, one a line."""
    return [note_text(side, note, whole=whole) for side, note in notes_of(sim, target)]


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
        self._badge.setVisible(session is not None)
        if session is None:  # seen for a moment before a pair's first notes are
            self._more.hide()
            return
        notes = notes_of(session.pair.sim, session.pair.target)
        warnings = sum(note.severity == "warning" for _, note in notes)
        repaired = sum(note.severity == "repaired" for _, note in notes)
        counted = [f"{warnings} to look at"] * bool(warnings) + [f"{repaired} repaired"] * bool(
            repaired
        )
        self._badge.show_word(" · ".join(counted) or "nothing repaired")
        shown = len(notes) if self._more.isChecked() else FOLDED
        lines = health_lines(session.pair.sim, session.pair.target)[:shown]
        self._text.setText("\n".join(lines) or "Read as they are; nothing was noticed.")
        whole = health_lines(session.pair.sim, session.pair.target, whole=True)[:shown]
        self._text.setToolTip("\n".join(whole))
        self._more.setVisible(len(notes) > FOLDED)
        self._more.setText("Fewer" if self._more.isChecked() else f"All {len(notes)} notes")
