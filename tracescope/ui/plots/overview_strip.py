"""What stands in the overview besides curves: evidence and marks, laid on the extent of the pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from tracescope.model.alignment import Alignment, Interval
from tracescope.model.check import Evidence, State
from tracescope.session.session import Mark, Session
from tracescope.ui.plots.ink import cosmetic, tinted, uprights
from tracescope.ui.theme import Theme

EVIDENCE_PX = 5
SPAN_PX = 3.0
"""Height of the bar that says how far a mark reaches."""

FARTHEST_WORDS_PX = 40.0
"""Words farther from their mark than this would seem to belong to another."""

WIDEST_WORDS_PX = 160.0


@dataclass(frozen=True, slots=True)
class Strip:
    """A rectangle that stands for all of the pair."""

    area: QRectF
    extent_s: Interval
    theme: Theme

    def x(self, at_s: float) -> float:
        """Map an instant to a pixel."""
        low, high = self.extent_s
        return self.area.left() + (at_s - low) / (high - low) * self.area.width()

    def paint_results(self, painter: QPainter, session: Session) -> None:
        """Draw where checks point, under the curves: what failed above what is merely shown."""
        top = self.area.bottom() - EVIDENCE_PX
        for state in (State.PASS, State.INCONCLUSIVE, State.FAIL):
            colour = QColor(self.theme.state(state))
            for result in session.results:
                for evidence in result.evidence if result.state is state else ():
                    painter.fillRect(self._span(evidence, top, EVIDENCE_PX - 1), colour)

    def paint_evidence(self, painter: QPainter, shown: Iterable[Evidence]) -> None:
        """Tint the evidence that is marked in the panes."""
        for evidence in shown:
            span = self._span(evidence, self.area.top(), self.area.height())
            painter.fillRect(span, tinted(self.theme.evidence))

    def paint_marks(self, painter: QPainter, words: MarkWords, font: QFont) -> None:
        """Draw marks with their words above the strip; a marked span as a bar along its top."""
        top, ink = self.area.top(), QColor(self.theme.text)
        for left, right in words.spans:
            painter.fillRect(QRectF(left, top - SPAN_PX, right - left, SPAN_PX), ink)
        painter.setFont(font)
        painter.setPen(cosmetic(self.theme.text))
        uprights(painter, words.places, self.area.top() - 3, self.area.bottom())
        painter.setPen(QColor(self.theme.muted))
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        for x, text in words.texts:
            at = QRectF(x, 0, self.area.right() - x, self.area.top())
            painter.drawText(at, side, text)

    def _span(self, evidence: Evidence, top: float, height: float) -> QRectF:
        left, right = (self.x(end) for end in evidence.span_s)
        return QRectF(left, top, max(right - left, 2.0), height).intersected(self.area)


@dataclass(frozen=True, slots=True)
class MarkWords:
    """Where marks stand in a strip, and the words that fit beside them; made once, drawn many times."""

    places: tuple[float, ...]
    texts: tuple[tuple[float, str], ...]
    spans: tuple[tuple[float, float], ...] = ()


def mark_words(strip: Strip, marks: Iterable[Mark], alignment: Alignment, font: QFont) -> MarkWords:
    """Place marks, and as many of their words as fit without touching."""
    metrics = QFontMetricsF(font)
    area = strip.area
    free_from = area.left()
    ends = [(mark.on_sim(alignment), mark.text) for mark in marks]
    placed = sorted((strip.x(span[0]), text) for span, text in ends)
    across = {(round(strip.x(span[0])), round(strip.x(span[1]))) for span, _ in ends}
    texts: list[tuple[float, str]] = []
    for x, words in placed:
        start = max(x + 3, free_from)
        room = area.right() - start
        if start - x > FARTHEST_WORDS_PX or room < 20:
            continue
        most = min(room, WIDEST_WORDS_PX)
        text = metrics.elidedText(words, Qt.TextElideMode.ElideRight, most)
        texts.append((start, text))
        free_from = start + metrics.horizontalAdvance(text) + 8
    spans = tuple(
        (max(float(left), area.left()), min(float(right), area.right()))
        for left, right in sorted(across)
        if right - left > 1
    )
    return MarkWords(tuple(sorted({float(round(x)) for x, _ in placed})), tuple(texts), spans)
