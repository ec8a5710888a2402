"""The bundled pairs as cards: a picture of one signal, what the pair is, and the question it puts."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from tracescope.resources_path import samples
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import card, link, words

CARD_PX = 296
"""A card this wide reads well; as many stand in a row as there is room for."""

MOST_COLUMNS = 4
STRIP_PX = 46
PICTURES_MS = 100
"""So long after the page is first seen, its pictures are drawn."""

SCALE = 100.0
"""Preview values run from 0 to this."""

Line = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A bundled pair.

    Attributes:
        name: Its folder's name.
        title, question: What it is, and what it asks.
        sim, target: Its two files.
        drawn: The table of its picture, TOML; ``""`` where it has none.
        what: What is wrong with it.
    """

    name: str
    title: str
    question: str
    sim: Path
    target: Path
    drawn: str = ""
    what: str = ""

    def preview(self) -> tuple[Line, Line]:
        """Return one signal of the simulator and of the target, 0 to 100, equally spaced in time.

        The longer one spans the card. Hundreds of numbers to parse: not before the page is seen.
        """
        known = _known(self.drawn)
        return _line(known, "sim"), _line(known, "target")


def bundled_samples(folder: Path | None = None) -> tuple[Sample, ...]:
    """Return the bundled pairs: by the place they ask for, then by name; a broken one is left out."""
    found: list[tuple[float, Sample]] = []
    for truth in sorted((folder or samples()).glob("*/truth.toml")):
        sim, target = (_side(truth.parent, side) for side in ("sim", "target"))
        if sim is not None and target is not None:
            text, drawn = _parted(truth.read_text(encoding="utf-8"))
            known = _known(text)
            place = known.get("place")
            found.append(
                (
                    float(place) if isinstance(place, (int, float)) else math.inf,
                    Sample(
                        truth.parent.name,
                        str(known.get("title", truth.parent.name)),
                        str(known.get("question", "")),
                        sim,
                        target,
                        drawn,
                        str(known.get("what", "")),
                    ),
                )
            )
    return tuple(sample for _, sample in sorted(found, key=itemgetter(0)))


def _side(folder: Path, side: str) -> Path | None:
    return next((p for p in sorted(folder.glob(f"{side}.*")) if p.suffix in (".csv", ".h5")), None)


def _parted(text: str) -> tuple[str, str]:
    """Part a truth into what a card says and what it draws."""
    before, head, after = text.partition("\n[preview]\n")
    drawn, next_table, rest = after.partition("\n[")
    return (before + next_table + rest, drawn) if head else (text, "")


def _known(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _line(known: dict[str, object], side: str) -> Line:
    values = known.get(side)
    return tuple(float(v) for v in values) if isinstance(values, list) else ()


class PreviewStrip(QWidget):
    """A small picture of one signal of both traces, in the colours of the panes."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._preview: tuple[Line, Line] = ((), ())
        self._look = look
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedHeight(STRIP_PX)
        look.changed.connect(self.update)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is drawn yet."""
        return not any(self._preview)

    def draw(self, preview: tuple[Line, Line]) -> None:
        """Show these two curves."""
        self._preview = preview
        self.update()

    def sizeHint(self) -> QSize:
        """Return room for a curve."""
        return QSize(120, STRIP_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the simulator, and the target over it."""
        theme, painter = self._look.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.background))
        painter.drawRoundedRect(box, 3, 3)
        inside = box.adjusted(4, 5, -4, -5)
        longest = max(len(line) for line in self._preview)
        for line, colour in zip(self._preview, (theme.sim, theme.target), strict=True):
            if len(line) > 1:
                painter.setPen(QPen(QColor(colour), theme.line_width + 0.4))
                painter.drawPolyline(_points(line, longest, inside))


def _points(line: Sequence[float], longest: int, box: QRectF) -> QPolygonF:
    across = box.width() / (longest - 1)
    points = QPolygonF()
    for k, value in enumerate(line):
        down = box.bottom() - box.height() * value / SCALE
        points.append(QPointF(box.left() + k * across, down))
    return points


class SampleCard(QWidget):
    """One pair. The whole card takes a click; the keyboard has its title.

    Signals:
        chosen: The person wants it open.
    """

    chosen = Signal()

    def __init__(self, sample: Sample, look: Look) -> None:
        super().__init__()
        self.sample = sample
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(f"Open the sample pair {sample.name!r}")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        frame, inside = card()
        outer = QGridLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(frame)
        self.strip = PreviewStrip(look)
        if sample.drawn:
            inside.addWidget(self.strip)
        self.title = link(sample.title, f"Open the sample pair {sample.name!r}. {sample.question}")
        self.title.setAccessibleName(f"open sample {sample.name}")
        self.title.clicked.connect(self.chosen)
        inside.addWidget(self.title, 0, Qt.AlignmentFlag.AlignLeft)
        inside.addWidget(words(sample.question, "muted"))
        inside.addStretch(1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take a click anywhere on the card."""
        if event.button() is Qt.MouseButton.LeftButton and self.rect().contains(
            event.position().toPoint()
        ):
            self.chosen.emit()


class Gallery(QWidget):
    """All bundled pairs, as many in a row as there is room for.

    Signals:
        chosen: (simulator's path, target's path).
    """

    chosen = Signal(str, str)

    def __init__(self, look: Look, shown: tuple[Sample, ...] | None = None) -> None:
        super().__init__()
        self._look = look
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(9)
        self._columns = 0
        self.cards = [
            SampleCard(sample, look) for sample in (bundled_samples() if shown is None else shown)
        ]
        for each in self.cards:
            each.chosen.connect(lambda s=each.sample: self.chosen.emit(str(s.sim), str(s.target)))
        look.changed.connect(self._arrange)
        self._arrange()
        self._later = QTimer(self, singleShot=True, interval=PICTURES_MS)
        self._later.timeout.connect(self.draw)

    def draw(self) -> None:
        """Draw the pictures that are not drawn yet."""
        for each in self.cards:
            if each.strip.is_blank:
                each.strip.draw(each.sample.preview())

    def showEvent(self, event: QShowEvent) -> None:
        """Draw the pictures once the page has been seen."""
        super().showEvent(event)
        self._later.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the width there is."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        room = CARD_PX * self._look.theme.font_scale
        columns = max(1, min(MOST_COLUMNS, int(self.width() // room)))
        if columns == self._columns:
            return
        self._columns = columns
        for place, each in enumerate(self.cards):
            self._grid.addWidget(each, place // columns, place % columns)
        for column in range(MOST_COLUMNS):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
