"""The timeline: how many episodes of each kind came, week by week, before all that were run."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from tracescope.campaign.result_schema import CampaignFile, WeekEntry
from tracescope.ui.campaign_map import NOT_JUDGED
from tracescope.ui.campaign_marks import colour_of, draw_mark
from tracescope.ui.look import Look

LEFT_PX, RIGHT_PX, TOP_PX, BOTTOM_PX = 44, 10, 8, 24
NO_WEEKS = "No dates: nothing can be laid over time"
NO_KINDS = "No kind of failure came back often enough"
TIP = "Episodes of each kind by calendar week; in grey all episodes run that week"


class Timeline(QWidget):
    """Shows weeks as bars, a lane a kind."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._weeks: tuple[WeekEntry, ...] = ()
        self._kinds: tuple[str, ...] = ()
        self._split = ""
        self._nothing = NOT_JUDGED
        self._kind = ""
        self.setToolTip(TIP)
        self.setAccessibleName("timeline of kinds")
        self.setMinimumSize(200, 120)
        look.changed.connect(self.update)

    def show_result(self, result: CampaignFile | None) -> None:
        """Show another campaign; ``None`` before it was judged."""
        clusters = () if result is None else result.clusters
        self._weeks = () if result is None else tuple(result.timeline)
        self._kinds = tuple(cluster.id for cluster in clusters)
        windows = None if result is None else result.windows
        self._split = "" if windows is None else windows.split[:10]
        self._nothing = NO_KINDS if self._weeks else NO_WEEKS
        if result is None:
            self._nothing = NOT_JUDGED
        self._kind = ""
        lines = [f"{c.id}: {c.growth.because}" for c in clusters]
        self.setAccessibleDescription("; ".join(lines) or self._nothing)
        self.update()

    def keep_kind(self, kind: str) -> None:
        """Let the other kinds fade."""
        self._kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        """Return a comfortable size."""
        return QSize(340, 280)

    def lane(self, kind: str) -> QRectF:
        """Return where the bars of a kind stand, pixels.

        Raises:
            ValueError: where there is no such kind.
        """
        box = self._box()
        high = box.height() / len(self._kinds)
        top = box.top() + self._kinds.index(kind) * high
        return QRectF(box.left(), top + 3, box.width(), high - 6)

    def _box(self) -> QRectF:
        scale = self._look.theme.font_scale
        return QRectF(self.rect()).adjusted(LEFT_PX * scale, TOP_PX, -RIGHT_PX, -BOTTOM_PX * scale)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw lanes, bars and weeks."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        painter.fillRect(self.rect(), QColor(theme.background))
        painter.setPen(QColor(theme.border))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if not (self._weeks and self._kinds):
            painter.setPen(QColor(theme.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._nothing)
            return
        most = max(1, *(week.episodes for week in self._weeks))
        for place, kind in enumerate(self._kinds):
            painter.setOpacity(0.25 if self._kind and kind != self._kind else 1.0)
            self._draw_lane(painter, place, kind, most)
        painter.setOpacity(1.0)
        self._draw_weeks(painter)

    def _bar(self, lane: QRectF, place: int, share: float, width: float) -> QRectF:
        step = lane.width() / len(self._weeks)
        left = lane.left() + (place + (1 - width) / 2) * step
        return QRectF(
            left, lane.bottom() - share * lane.height(), width * step, share * lane.height()
        )

    def _draw_lane(self, painter: QPainter, place: int, kind: str, most: int) -> None:
        theme, lane = self._look.theme, self.lane(kind)
        for at, week in enumerate(self._weeks):
            painter.fillRect(self._bar(lane, at, week.episodes / most, 0.86), QColor(theme.grid))
            count = week.clusters.get(kind, 0)
            colour = QColor(colour_of(theme, place))
            painter.fillRect(self._bar(lane, at, count / most, 0.62), colour)
        painter.setPen(QColor(theme.axis))
        painter.drawLine(lane.bottomLeft(), lane.bottomRight())
        center = QPointF(14, lane.center().y())
        draw_mark(painter, theme, place, center, 4.5 * theme.font_scale)
        painter.setPen(QColor(theme.axis_text))
        painter.drawText(QPointF(24, center.y() + painter.fontMetrics().ascent() / 2 - 1), kind)

    def _draw_weeks(self, painter: QPainter) -> None:
        box, metrics = self._box(), painter.fontMetrics()
        step = box.width() / len(self._weeks)
        one_year = self._weeks[0].week[:4] == self._weeks[-1].week[:4]
        room = metrics.horizontalAdvance("00-00  " if one_year else "0000-00-00  ")
        every = max(1, -int(-room // step))
        painter.setPen(QColor(self._look.theme.axis_text))
        for at in range(0, len(self._weeks), every):
            text = self._weeks[at].week[5:] if one_year else self._weeks[at].week
            left = box.left() + (at + 0.5) * step - metrics.horizontalAdvance(text) / 2
            left = min(left, self.width() - metrics.horizontalAdvance(text) - 4.0)
            painter.drawText(QPointF(left, box.bottom() + metrics.ascent() + 4), text)
        painter.setPen(QPen(QColor(self._look.theme.muted), 1, Qt.PenStyle.DotLine))
        for at, week in enumerate(self._weeks):
            if week.empty_before:
                across = box.left() + at * step
                painter.drawLine(QPointF(across, box.top()), QPointF(across, box.bottom()))
        split = sum(week.week <= self._split for week in self._weeks) - 1
        if self._split and split > 0:
            painter.setPen(QPen(QColor(self._look.theme.cursor), 1, Qt.PenStyle.DashLine))
            across = box.left() + split * step
            painter.drawLine(QPointF(across, box.top()), QPointF(across, box.bottom()))

    def words_at(self, at: QPointF) -> str:
        """Return what stands under a pixel, in words."""
        box = self._box()
        if not (self._weeks and self._kinds and box.contains(at)):
            return ""
        week = self._weeks[
            min(len(self._weeks) - 1, int((at.x() - box.left()) / box.width() * len(self._weeks)))
        ]
        lane = int((at.y() - box.top()) / box.height() * len(self._kinds))
        kind = self._kinds[min(len(self._kinds) - 1, lane)]
        said = f"week of {week.week}: {week.clusters.get(kind, 0)} of {week.episodes} episodes are {kind}"
        left_out = week.empty_before
        return (
            f"{said}; {left_out} weeks without episodes are left out before it"
            if left_out
            else said
        )

    def event(self, event: QEvent) -> bool:
        """Say what stands under the pointer."""
        if isinstance(event, QHelpEvent) and (words := self.words_at(QPointF(event.pos()))):
            QToolTip.showText(event.globalPos(), words, self)
            return True
        return super().event(event)
