"""The cluster map: episodes laid out by the distances between their signatures, and nothing more."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QToolTip, QWidget

from tracescope.campaign.result_schema import CampaignFile
from tracescope.ui.campaign_marks import draw_mark
from tracescope.ui.look import Look

EDGE_PX, MARK_PX, REACH_PX = 26, 4.5, 12.0
NOT_JUDGED = "Nothing was judged yet"
NO_SPOTS = "No episode differs beyond noise"
TIP = (
    "Episodes by the distance between their differences. A picture of distances only: the axes mean "
    "nothing. Arrow keys step through the episodes, Enter opens the pair"
)


@dataclass(frozen=True, slots=True)
class Spot:
    """An episode on the map; ``place`` is that of its kind, −1 for none."""

    id: str
    at: QPointF
    place: int
    kind: str


class ClusterMap(QWidget):
    """Shows where episodes lie.

    Signals:
        chosen: The episode a person clicked or stepped to.
        opened: The episode a person wants opened.
    """

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._spots: tuple[Spot, ...] = ()
        self._names: tuple[str, ...] = ()
        self._span = QRectF()
        self._nothing = NOT_JUDGED
        self._kind = ""
        self.selected = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("cluster map")
        self.setAccessibleDescription(TIP)
        self.setToolTip(TIP)
        self.setMinimumSize(200, 160)
        look.changed.connect(self.update)

    def show_result(self, result: CampaignFile | None) -> None:
        """Show another campaign; ``None`` before it was judged."""
        clusters = () if result is None else result.clusters
        episodes = () if result is None else result.episodes
        self._nothing = NOT_JUDGED if result is None else NO_SPOTS
        place_of = {cluster.id: place for place, cluster in enumerate(clusters)}
        self._names = tuple(cluster.id for cluster in clusters)
        self._spots = tuple(
            Spot(e.id, QPointF(*e.map), place_of.get(e.cluster or "", -1), e.cluster or e.of_kind)
            for e in episodes
            if e.map is not None
        )
        self._span = QPolygonF([spot.at for spot in self._spots]).boundingRect()
        self._kind, self.selected = "", ""
        self.update()

    def keep_kind(self, kind: str) -> None:
        """Let the other kinds fade."""
        self._kind = kind
        self.update()

    def select(self, episode: str) -> None:
        """Ring an episode."""
        self.selected = episode
        self.update()

    def sizeHint(self) -> QSize:
        """Return a comfortable size."""
        return QSize(340, 280)

    def where(self, episode: str) -> QPointF:
        """Return the pixel an episode lies at.

        Raises:
            KeyError: where it is not on the map.
        """
        for spot in self._spots:
            if spot.id == episode:
                return self._pixel(spot.at)
        raise KeyError(episode)

    def _pixel(self, at: QPointF) -> QPointF:
        """Return where a point of the map lies, at one scale for both directions."""
        box = QRectF(self.rect()).adjusted(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX)
        wide, high = max(self._span.width(), 1e-9), max(self._span.height(), 1e-9)
        moved = (at - self._span.center()) * min(box.width() / wide, box.height() / high)
        return box.center() + QPointF(moved.x(), -moved.y())

    def _near(self, at: QPointF) -> Spot | None:
        """Return the nearest episode within reach; one of the kept kind before others."""
        found = [
            (self._fades(spot), (self._pixel(spot.at) - at).manhattanLength(), place)
            for place, spot in enumerate(self._spots)
        ]
        found = [one for one in found if one[1] <= REACH_PX]
        return self._spots[min(found)[2]] if found else None

    def _fades(self, spot: Spot) -> bool:
        return bool(self._kind) and spot.kind != self._kind

    # What Qt tells

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw marks, names of kinds, and the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._look.theme
        painter.fillRect(self.rect(), QColor(theme.background))
        painter.setPen(QColor(theme.focus if self.hasFocus() else theme.border))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        if not self._spots:
            painter.setPen(QColor(theme.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._nothing)
            return
        size = MARK_PX * theme.font_scale
        for spot in sorted(self._spots, key=lambda spot: not self._fades(spot)):
            at, fade = self._pixel(spot.at), self._fades(spot)
            draw_mark(painter, theme, spot.place, at, size, fade=fade)
        self._draw_names(painter)
        for spot in self._spots:
            if spot.id == self.selected:
                painter.setPen(QPen(QColor(theme.text), 2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(self._pixel(spot.at), size + 4, size + 4)

    def _draw_names(self, painter: QPainter) -> None:
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.setPen(QColor(self._look.theme.text))
        for place, name in enumerate(self._names):
            at = [self._pixel(spot.at) for spot in self._spots if spot.place == place]
            if at:
                right = max(p.x() for p in at)
                middle = sum(p.y() for p in at) / len(at)
                down = painter.fontMetrics().ascent() / 2
                painter.drawText(QPointF(right + 9, middle + down), name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the episode under the pointer."""
        spot = self._near(event.position())
        if spot is not None:
            self.select(spot.id)
            self.chosen.emit(spot.id)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the episode under the pointer."""
        spot = self._near(event.position())
        if spot is not None:
            self.opened.emit(spot.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step through the episodes of the kept kind; Enter opens."""
        ahead = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        step = ahead.get(Qt.Key(event.key()))
        spots = [spot for spot in self._spots if not self._fades(spot)]
        if step is not None and spots:
            ids = [spot.id for spot in spots]
            known = self.selected in ids
            place = (ids.index(self.selected) + step) % len(ids) if known else 0
            self.select(ids[place])
            self.chosen.emit(ids[place])
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.selected:
            self.opened.emit(self.selected)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Say which episode lies under the pointer."""
        if isinstance(event, QHelpEvent):
            spot = self._near(QPointF(event.pos()))
            if spot is not None:
                QToolTip.showText(event.globalPos(), f"{spot.id} · {spot.kind}", self)
                return True
        return super().event(event)
