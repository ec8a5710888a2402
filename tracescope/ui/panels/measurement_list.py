"""Measurements of a check, each drawn as estimate and interval against its tolerance band."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import is_

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from tracescope.findings.numbers import count_text, is_untold, percent, unit_of
from tracescope.model.check import Measurement, State
from tracescope.ui.look import Look
from tracescope.ui.short_names import distinct_tails, fitting_name
from tracescope.ui.words import STATE_WORDS, band_text, brief_text, measured_text

MOST_OF_WIDTH = 0.55
STRIP_PX, MOST_STRIP_PX = 40, 120
LOG_FROM = 20.0
"""A positive span whose ends differ by more than this factor is drawn on a logarithmic scale."""


def worst_first(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Order measurements: fails, then doubts, then passes, then what is only reported.

    Within a state those that decide it come before optional ones, among what passed estimates before
    counts, and then the one furthest towards its band's edge, in widths of the band.
    """
    rank = {State.FAIL: 0, State.INCONCLUSIVE: 1, State.PASS: 2}

    def place(m: Measurement) -> tuple[bool, int, bool, bool, float]:
        optional = m.state is not State.FAIL and not m.required
        counted = m.state is State.PASS and (m.interval is None or m.interval[0] == m.interval[1])
        return (not m.judged, rank[m.state] if m.judged else 3, optional, counted, -_excess(m))

    return sorted(measurements, key=place)


def _excess(measurement: Measurement) -> float:
    band = measurement.tolerance
    if band is None or not math.isfinite(measurement.estimate):
        return 0.0
    ends = [end for end in band if math.isfinite(end)]
    if not ends:
        return 0.0
    width = (band[1] - band[0]) if len(ends) == 2 else abs(ends[0])
    beyond = max(band[0] - measurement.estimate, measurement.estimate - band[1])
    return beyond / width if width > 0 else beyond


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps a measurement's values to 0…1 of the strip."""

    low: float
    high: float
    is_log: bool

    def place(self, value: float) -> float:
        """Return where a value lies, clamped to the strip."""
        if math.isnan(value):
            return 0.5
        low, high = self.low, self.high
        if self.is_log:
            value, low, high = (math.log(max(v, low)) for v in (value, low, high))
        return min(1.0, max(0.0, (value - low) / (high - low)))


def scale_of(measurement: Measurement) -> Scale:
    """Choose a strip that shows the estimate, its interval and the band's finite ends."""
    points = [measurement.estimate, *(measurement.interval or ()), *(measurement.tolerance or ())]
    points = [p for p in points if math.isfinite(p)]
    low, high = (min(points), max(points)) if points else (0.0, 1.0)
    if low > 0 and high / low > LOG_FROM:
        room = (high / low) ** 0.12
        return Scale(low / room, high * room, is_log=True)
    room = 0.18 * (high - low) or 0.5 * abs(high) or 1.0
    return Scale(low - room, high + room, is_log=False)


@dataclass(frozen=True, slots=True)
class Placed:
    """How rows stand at one width: their numbers, which names stand beside them, and where each begins.

    ``tops`` has one more: where the last row ends.
    """

    texts: list[str]
    inline: set[int]
    tops: list[int]


class MeasurementList(QWidget):
    """Rows of name, strip and numbers; the few worst, or all of them.

    A tooltip says what each row measures, its tolerance, its effective n and how it was measured.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._rows: tuple[Measurement, ...] = ()
        self._short: dict[str, str] = {}
        self._placed: dict[tuple[int, QFont], Placed] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumWidth(180)
        look.changed.connect(self.update)

    def show_measurements(self, rows: Sequence[Measurement]) -> None:
        """Draw these, in this order."""
        if rows and len(rows) == len(self._rows) and all(map(is_, rows, self._rows)):
            return
        self._rows = tuple(rows)
        self._placed.clear()
        self._short = distinct_tails(m.channel for m in self._rows if m.channel)
        self.setVisible(bool(self._rows))
        self.setAccessibleName("measurements")
        self.setAccessibleDescription("; ".join(self.row_text(m) for m in self._rows))
        self.updateGeometry()
        self.update()

    @property
    def rows(self) -> tuple[Measurement, ...]:
        """The measurements drawn."""
        return self._rows

    @staticmethod
    def row_text(measurement: Measurement) -> str:
        """Return one row in words."""
        state = STATE_WORDS[measurement.state] if measurement.judged else "reported"
        return f"{name_of(measurement)}: {measured_text(measurement)}, {state}"

    @property
    def _line(self) -> int:
        return max(20, self.fontMetrics().height() + 5)

    def sizeHint(self) -> QSize:
        """Return room for every row at the present width."""
        return QSize(240, self.heightForWidth(max(self.width(), self.minimumWidth())))

    def hasHeightForWidth(self) -> bool:  # noqa: N802  # Qt's name
        """Say that names that do not fit beside their numbers take a line of their own."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """Return room for every row."""
        return self._place(width).tops[-1]

    def _place(self, width: int) -> Placed:
        """Return how the rows stand at a width; layouts ask for it again and again."""
        key = (width, self.font())
        held = self._placed.get(key)
        if held is None:
            texts = [self._number(m, width) for m in self._rows]
            inline, tops, line = self._inline(texts, width), [0], self._line
            for place in range(len(self._rows)):
                tops.append(tops[-1] + (line if place in inline else 2 * line - 5))
            held = self._placed[key] = Placed(texts, inline, tops)
        return held

    def _inline(self, texts: list[str], width: int) -> set[int]:
        """Return the rows whose names stand beside their numbers, in columns that all of them share.

        Where names and numbers leave the strip too little, the longest number makes the first row of two.
        """
        numbers = [self._advance(text) for text in texts]
        names = [self._advance(self._shortest(m)) for m in self._rows]
        rows = set(range(len(numbers)))
        while rows:
            right, left = max(numbers[r] for r in rows), max(names[r] for r in rows)
            if left + right + STRIP_PX + 20 <= width:
                break
            rows.remove(max(rows, key=lambda r: numbers[r] + names[r]))
        return rows

    def _shortest(self, measurement: Measurement) -> str:
        channel = self._short.get(measurement.channel, measurement.channel)
        return f"{channel} {measurement.quantity}".strip()

    def _advance(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as much height as the new width needs."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def event(self, event: QEvent) -> bool:
        """Show a row's tooltip."""
        if isinstance(event, QHelpEvent):
            row = bisect_right(self._place(self.width()).tops, event.pos().y()) - 1
            if 0 <= row < len(self._rows):
                QToolTip.showText(event.globalPos(), tip_of(self._rows[row]), self)
                return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw every row: name, strip, numbers; the name above them where it would not fit."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        width, line, placed = self.width(), self._line, self._place(self.width())
        texts, inline, tops = placed.texts, placed.inline, placed.tops
        right = max([self._advance(texts[r]) for r in inline], default=0) + 2
        room = width - right - STRIP_PX - 18
        names = {r: self._fitting(self._rows[r], room) for r in inline}
        left = max([self._advance(name) + 2 for name in names.values()], default=0)
        left = max(left, width - right - 16 - MOST_STRIP_PX)
        muted, ink = self._look.theme.muted, self._look.theme.text
        for row, measurement in enumerate(self._rows):
            text, top = texts[row], tops[row]
            start, end, y = left, width - right, top
            if row in names:
                self._words(painter, QRectF(0, y, left, line), names[row], muted)
            else:
                name = self._fitting(measurement, width)
                self._words(painter, QRectF(0, y, width, line), name, muted)
                y, end = top + line - 5, width - self._advance(text) - 2
                start = max(-8, end - 16 - MOST_STRIP_PX)
            self._strip(painter, QRectF(start + 8, y, end - start - 16, line), measurement)
            self._words(painter, QRectF(end, y, width - end, line), text, ink, right=True)

    def _number(self, measurement: Measurement, width: int) -> str:
        """Return a row's numbers, with fewer digits where all of them would crowd the name out.

        What was counted has no interval worth its room; the tooltip has it.
        """
        if measurement.interval == (measurement.estimate, measurement.estimate):
            measurement = replace(measurement, interval=None)
        text = measured_text(measurement)
        if self._advance(text) <= MOST_OF_WIDTH * width:
            return text
        return min(text, brief_text(measurement), key=self._advance)  # four digits may be more

    def _fitting(self, measurement: Measurement, room: int) -> str:
        """Return a row's name, parts of the channel's path left out where the room does not suffice."""
        metrics, quantity = self.fontMetrics(), measurement.quantity
        if not measurement.channel:
            return quantity

        def fits(channel: str) -> bool:
            return metrics.horizontalAdvance(f"{channel} {quantity}") <= room

        shortest = self._short.get(measurement.channel, measurement.channel)
        channel = fitting_name(measurement.channel, shortest, fits)
        if not fits(channel):
            left = room - metrics.horizontalAdvance(f" {quantity}")
            mode = Qt.TextElideMode.ElideMiddle
            channel = metrics.elidedText(channel, mode, left) if left > 40 else ""
        return f"{channel} {quantity}".strip()

    def _words(
        self, painter: QPainter, box: QRectF, text: str, colour: str, *, right: bool = False
    ) -> None:
        painter.setPen(QColor(colour))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        elided = self.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideMiddle, int(box.width()) + 1
        )
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, elided)

    def _strip(self, painter: QPainter, box: QRectF, measurement: Measurement) -> None:
        theme, scale = self._look.theme, scale_of(measurement)
        middle = box.center().y()

        def across(value: float) -> float:
            return box.left() + scale.place(value) * box.width()

        if measurement.tolerance is not None:
            low, high = (across(end) for end in measurement.tolerance)
            painter.fillRect(QRectF(low, middle - 5, max(2.0, high - low), 10), QColor(theme.band))
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.drawLine(int(box.left()), int(middle), int(box.right()), int(middle))
        if not math.isfinite(measurement.estimate) or is_untold(measurement):
            return
        colour = QColor(theme.state(measurement.state) if measurement.judged else theme.muted)
        painter.setPen(QPen(colour, 2))
        if measurement.interval is not None:
            low, high = (across(end) for end in measurement.interval)
            painter.drawLine(
                QRectF(low, middle, 0, 0).topLeft(), QRectF(high, middle, 0, 0).topLeft()
            )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(QRectF(across(measurement.estimate) - 3, middle - 3, 6, 6))


def name_of(measurement: Measurement) -> str:
    """Return channel and quantity."""
    return f"{measurement.channel} {measurement.quantity}".strip()


def tip_of(measurement: Measurement) -> str:
    """Return everything known about a measurement, a line a fact."""
    lines = [MeasurementList.row_text(measurement)]
    unit = unit_of(measurement.quantity, measurement.unit)
    lines.append(f"tolerance: {band_text(measurement.tolerance, unit)}")
    if measurement.interval is not None:
        lines.append(f"{percent(measurement.confidence)} interval")
    if measurement.n:
        lines.append(f"effective n = {count_text(measurement.n)}")
    if measurement.blocked:
        lines.append(f"not judged: {measurement.blocked}")
    if measurement.note:
        lines.append(measurement.note)
    return "\n".join(lines)
