"""One line a trace: what is open, how it is timed, how much of it, and what was repaired."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tracescope.findings.numbers import clipped
from tracescope.model.correction import Correction
from tracescope.model.trace import HealthNote, Trace
from tracescope.model.words import counted, told_apart
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import SMALLEST_CONTROL, words
from tracescope.ui.session_model import SessionModel
from tracescope.ui.words import clock_text, duration_text, rate_text

CHIPS_SHOWN = 2
MOST_LISTED = 20
MOST_ON_CHIP = 40
LEAST_NAME = 16
SHORT = {
    "stale-rows": ("stale row",),
    "duplicate-stamps": ("repeated stamp",),
    "out-of-order": ("row out of order", "rows out of order"),
    "gaps": ("gap",),
    "nan-cells": ("NaN cell",),
    "infinite-cells": ("infinite cell",),
    "empty-channels": ("empty channel",),
    "short-rows": ("short row",),
    "long-rows": ("long row",),
    "repeated-steps": ("repeated step",),
    "dataset-left-out": ("data set left out", "data sets left out"),
    "topic-left-out": ("topic left out", "topics left out"),
    "table-left-out": ("table left out", "tables left out"),
}
"""What a chip calls a note whose words are too many for it, in the singular and, where needed, the plural."""

BETWEEN = " · "


def source_parts(trace: Trace, name: str = "") -> tuple[str, ...]:
    """Describe one trace by its name and its facts, the most dispensable marked by a leading ``~``.

    ``name`` is what the file is called beside the pair's other one, where that is more than its own name.
    """
    rows = len(trace)
    in_file = trace.source.rows_in_file
    shown = f"{rows:,} of {in_file:,} rows" if in_file not in (None, rows) else f"{rows:,} rows"
    name = name or told_apart(trace.source.path)[0]
    episode = f"episode {trace.source.episode}" if trace.source.episode else ""
    parts = [name, episode, f"~{trace.source.layout}", rate_text(trace)]
    if trace.clock.kind != "rows":
        parts.append(f"~{duration_text(trace.duration_s)}")
    parts += [shown, clock_text(trace.clock)]
    return tuple(part for part in parts if part.lstrip("~"))


def source_text(trace: Trace, name: str = "") -> str:
    """Describe one trace in a line."""
    return BETWEEN.join(part.lstrip("~") for part in source_parts(trace, name))


def fitting_text(parts: Sequence[str], room: int, metrics: QFontMetrics) -> str:
    """Return as much of a description as fits: first the file's name loses its middle, then facts go.

    A name keeps :data:`LEAST_NAME` characters; what is still too wide is cut at its end.
    """
    middle, end = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
    for facts in (parts[1:], [part for part in parts[1:] if not part.startswith("~")]):
        rest = BETWEEN.join(["", *(fact.lstrip("~") for fact in facts)])
        left = room - metrics.horizontalAdvance(rest)
        if left >= metrics.horizontalAdvance(parts[0][:LEAST_NAME] + "…"):
            return metrics.elidedText(parts[0], middle, left) + rest
    name = metrics.elidedText(
        parts[0], middle, metrics.horizontalAdvance(parts[0][:LEAST_NAME] + "…")
    )
    return metrics.elidedText(name + rest, end, room)


def repairs_of(trace: Trace) -> list[HealthNote]:
    """Return what was repaired or may matter, warnings first."""
    notes = [note for note in trace.health if note.severity != "info"]
    return sorted(notes, key=lambda note: note.severity != "warning")


def corrected_note(corrections: Sequence[Correction]) -> list[HealthNote]:
    """Return one note that values are not shown as recorded, none where they are."""
    if not corrections:
        return []
    count = len(corrections)
    what = f"{count} correction{'s' if count > 1 else ''}"
    lines = [correction.in_full for correction in corrections[:MOST_LISTED]]
    more = [f"and {count - MOST_LISTED} more"] if count > MOST_LISTED else []
    return [HealthNote(what, where="\n".join([*lines, *more]))]


def told(note: HealthNote) -> str:
    """Return what was noticed and what was done about it."""
    return f"{note.what}, {note.done}" if note.done else note.what


def chip_text(note: HealthNote) -> str:
    """Return as few words as a chip has room for; the tooltip has them all."""
    if len(told(note)) <= MOST_ON_CHIP:
        return told(note)
    if note.key in SHORT:
        return counted(note.count, *SHORT[note.key])
    return clipped(note.what, MOST_ON_CHIP)


class Swatch(QWidget):
    """A square in a trace's colour."""

    def __init__(self, side: str, look: Look) -> None:
        super().__init__()
        self._side, self._look = side, look
        self.setFixedSize(10, 10)
        look.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill the square."""
        theme = self._look.theme
        QPainter(self).fillRect(
            self.rect(), QColor(theme.sim if self._side == "sim" else theme.target)
        )


class ElidedLink(QPushButton):
    """A link that shortens its text where the width does not suffice."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: tuple[str, ...] = ("",)
        self.setProperty("link", True)  # noqa: FBT003  # Qt's own signature
        self.setProperty("plain", True)  # noqa: FBT003  # Qt's own signature
        self.setMinimumSize(40, SMALLEST_CONTROL)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_parts(self, *parts: str) -> None:
        """Show a name and its facts, as much of them as fits."""
        self._parts = parts
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten anew."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.width() - 12
        self.setText(fitting_text(self._parts, room, self.fontMetrics()))


class SourceLine(QWidget):
    """One trace's line; a click opens its properties.

    Signals:
        clicked: Show the properties of this side.
    """

    clicked = Signal()

    def __init__(self, side: str, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._side = side
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(10, 0, 8, 0)
        self._row.setSpacing(7)
        self._row.addWidget(Swatch(side, look))
        self._title = words("SIM" if side == "sim" else "TARGET", side, wrap=False)
        self._row.addWidget(self._title)
        self.button = ElidedLink()
        self.button.clicked.connect(self.clicked)
        self._row.addWidget(self.button, 1)
        self._chips: list[QToolButton] = []

    def event(self, event: QEvent) -> bool:
        """Keep both sides' lines flush, in whatever size the type has now."""
        if event.type() in (QEvent.Type.Polish, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._title.ensurePolished()
            room = self._title.fontMetrics().horizontalAdvance("TARGET") + 12
            self._title.setFixedWidth(room)
        return super().event(event)

    def show_trace(
        self, trace: Trace, look: Look, name: str = "", corrections: Sequence[Correction] = ()
    ) -> None:
        """Describe a trace with the corrections in force, or say that this side is empty."""
        for chip in self._chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        if not trace.source.path:
            self.button.show_parts("no trace open: the checks need both")
            self.button.setToolTip("Open the other trace of the pair (Ctrl+O)")
            self._chips = []
            return
        self.button.show_parts(*source_parts(trace, name))
        self.button.setToolTip(f"{trace.source.path}\nClick: properties, hash, import choices")
        self.button.setAccessibleName(f"{self._side} trace: {source_text(trace, name)}")
        notes = [*corrected_note(corrections), *repairs_of(trace)[:CHIPS_SHOWN]]
        self._chips = [self._chip(note, look) for note in notes]
        left = len(repairs_of(trace)) - CHIPS_SHOWN
        if left > 0:
            rest = repairs_of(trace)[CHIPS_SHOWN:]
            more = HealthNote(f"{left} more", where="\n".join(note.what for note in rest))
            self._chips.append(self._chip(more, look))
        for chip in self._chips:
            self._row.addWidget(chip)

    def _chip(self, note: HealthNote, look: Look) -> QToolButton:
        chip = QToolButton()
        chip.setProperty("chip", True)  # noqa: FBT003  # Qt's own signature
        chip.setIcon(look.icon("warning", look.theme.repair))
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        text = told(note)
        chip.setText(chip_text(note))
        chip.setToolTip(f"{text}\n{note.where}".strip())
        chip.setAccessibleName(f"{self._side}: {text}")
        chip.setMinimumHeight(SMALLEST_CONTROL)
        chip.clicked.connect(self.clicked)
        return chip


class SourceHeader(QWidget):
    """Both lines.

    Signals:
        properties_wanted: Of the side named ``sim`` or ``target``.
    """

    properties_wanted = Signal(str)

    def __init__(self, model: SessionModel, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model, self._look = model, look
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 3, 0, 3)
        column.setSpacing(0)
        self.lines = {side: SourceLine(side, look) for side in ("sim", "target")}
        for side, line in self.lines.items():
            column.addWidget(line)
            line.clicked.connect(lambda side=side: self.properties_wanted.emit(side))
        for changed in (model.pair_changed, model.corrections_changed):
            changed.connect(self.refresh)
        look.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Describe the open pair."""
        session = self._model.session
        if session is not None:
            sim, target = session.pair.sim, session.pair.target
            names = told_apart(sim.source.path, target.source.path)
            self.lines["sim"].show_trace(sim, self._look, names[0])
            self.lines["target"].show_trace(target, self._look, names[1], session.corrections)
