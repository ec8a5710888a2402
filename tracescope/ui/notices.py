"""What the window has to say: bars under the source header, and a log that forgets nothing.

No modal box is ever shown for what can be mended.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tracescope.model.errors import Problem
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import scrolled

log = logging.getLogger(__name__)

Level = Literal["info", "repair", "error"]
ICONS = {"info": "info", "repair": "warning", "error": "error"}
BARS_SHOWN = 3
ICON_PX, BELOW_PX, BORDER_PX = 16, 2, 1
ICON_ROOM_PX = 28
"""As high as the buttons beside it, so that all stand in one line; of many lines it stands by the first."""
WORDS_PX = 260
"""Words narrower than this are read better above the buttons than beside them."""
SHARE_BESIDE_PANES, SHARE_ALONE, LEAST_PX = 0.2, 0.5, 44
"""So much of the window's height bars may take, while panes are to be seen or not; one line always fits."""
PLACING = frozenset({QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.LayoutRequest})
PASSING = frozenset({"export", "follow", "about"})
"""Subjects of what merely succeeded: said over the panes, so that nothing looked at has to move."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something a person can do about a notice, as a button in its bar."""

    label: str
    do: Callable[[], None]


@dataclass(frozen=True, slots=True, eq=False)
class Notice:
    """One message. ``key`` names its subject: a later notice of the same key replaces the bar."""

    level: Level
    text: str
    detail: str = ""
    offers: tuple[Offer, ...] = ()
    key: str = ""
    at: datetime = field(default_factory=lambda: datetime.now().astimezone())

    @property
    def passing(self) -> bool:
        """Whether it tells of what was done, and asks for nothing."""
        return self.level == "info" and self.key in PASSING


class Notices(QObject):
    """All messages so far, and those that still stand as bars.

    Signals:
        changed: A message came or a bar went.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.said: list[Notice] = []
        self.standing: list[Notice] = []
        self.over_panes = False
        """Whether there are panes that passing notices may lie over."""

    def lie_over_panes(self, there: bool) -> None:  # noqa: FBT001  # there are panes, or not
        """Let passing notices lie over the panes, or take room of their own where there are none."""
        if there != self.over_panes:
            self.over_panes = there
            self.changed.emit()

    def tell(
        self,
        level: Level,
        text: str,
        detail: str = "",
        offers: Iterable[Offer] = (),
        key: str = "",
    ) -> None:
        """Log a message and let it stand as a bar."""
        self.stand(Notice(level, text, detail, tuple(offers), key))

    def stand(self, notice: Notice) -> None:
        """Log a notice and let it stand as a bar, in place of an earlier one on its subject."""
        self.said.append(notice)
        self.standing = [n for n in self.standing if not notice.key or n.key != notice.key]
        self.standing.append(notice)
        log.info("notice: %s %s", notice.text, notice.detail)
        self.changed.emit()

    def mention(self, text: str, detail: str = "") -> None:
        """Log a message that needs no bar."""
        self.said.append(Notice("info", text, detail))
        self.changed.emit()

    def problems(
        self, text: str, problems: Iterable[Problem], key: str = "", offers: Iterable[Offer] = ()
    ) -> None:
        """Show every problem of an input in one red bar: what, where, what was found, what to do."""
        detail = "\n".join(str(problem) for problem in problems)
        self.tell("error", text, detail, offers, key)

    def dismiss(self, notice: Notice) -> None:
        """Take a bar away; the log keeps the message."""
        self.standing = [n for n in self.standing if n is not notice]
        self.changed.emit()

    def withdraw(self, *keys: str) -> None:
        """Take away the bars of these subjects."""
        left = [n for n in self.standing if n.key not in keys]
        if len(left) != len(self.standing):
            self.standing = left
            self.changed.emit()


class NoticeBar(QFrame):
    """One standing message, with what can be done about it beside it, or below it where there is little room."""

    def __init__(self, notice: Notice, notices: Notices, look: Look) -> None:
        super().__init__()
        self.setProperty("notice", notice.level)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(10)
        theme = look.theme
        colour = {"info": theme.link, "repair": theme.repair, "error": theme.danger}[notice.level]
        icon = QLabel()
        icon.setPixmap(look.icon(ICONS[notice.level], colour).pixmap(ICON_PX, ICON_PX))
        icon.setFixedHeight(ICON_ROOM_PX)
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._middle.setSpacing(row.spacing())
        self._words = _words_of(notice)
        self._middle.addWidget(self._words, 1)
        self._offers, self._has_offers = _offers_of(notice), bool(notice.offers)
        if self._has_offers:
            top_left = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
            self._middle.addWidget(self._offers, 0, top_left)
        row.addLayout(self._middle, 1)
        close = QToolButton()
        close.setProperty("flat", True)  # noqa: FBT003  # Qt's own signature
        close.setIcon(look.icon("close"))
        close.setMinimumSize(24, 24)
        close.setToolTip("Dismiss; the message log keeps it")
        close.setAccessibleName(f"Dismiss: {notice.text}")
        close.clicked.connect(lambda: notices.dismiss(notice))
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self._close = close

    def height_at(self, width: int) -> int:
        """Return the height that words and offers take at a width."""
        edges = self._row.contentsMargins()
        beside = self._room_beside(width)
        offers = self._offers.sizeHint().height() if self._has_offers else 0
        if beside >= WORDS_PX or not self._has_offers:
            tall = max(self._words.heightForWidth(beside), offers)
        else:
            words_px = beside + self._offers.sizeHint().width() + self._row.spacing()
            tall = self._words.heightForWidth(words_px) + BELOW_PX + offers
        least = max(ICON_ROOM_PX, self._close.sizeHint().height())
        return max(tall, least) + edges.top() + edges.bottom() + BORDER_PX

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take the offers below the words where the words would be narrow beside them."""
        super().resizeEvent(event)
        is_roomy = self._room_beside(event.size().width()) >= WORDS_PX
        way = QBoxLayout.Direction
        wanted = way.LeftToRight if is_roomy else way.TopToBottom
        if wanted != self._middle.direction():
            self._middle.setDirection(wanted)
            self._middle.setSpacing(self._row.spacing() if is_roomy else BELOW_PX)

    def _room_beside(self, width: int) -> int:
        """Return how wide the words would be beside the offers."""
        edges, gap = self._row.contentsMargins(), self._row.spacing()
        room = width - edges.left() - edges.right() - ICON_PX - self._close.sizeHint().width()
        offers = self._offers.sizeHint().width() + gap if self._has_offers else 0
        return room - 2 * gap - offers


def _words_of(notice: Notice) -> QLabel:
    words = QLabel(notice.text + (f"\n{notice.detail}" if notice.detail else ""))
    words.setTextFormat(Qt.TextFormat.PlainText)
    words.setWordWrap(True)
    words.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse
        | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    words.setAccessibleName(f"{notice.level}: {notice.text}")
    words.setToolTip("The message log in the status bar keeps this message")
    return words


def _offers_of(notice: Notice) -> QWidget:
    place = QWidget()
    row = QHBoxLayout(place)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(10)
    for offer in notice.offers:
        button = QPushButton(offer.label)
        button.setToolTip(f"{offer.label}: {notice.text}")
        button.setAccessibleName(f"{offer.label}: {notice.text}")
        button.clicked.connect(lambda _=False, do=offer.do: do())
        row.addWidget(button)
    return place


class NoticesBar(QWidget):
    """The bars that stand, worst first, at most three at a time, and scrolled rather than in the panes' place.

    One that lies ``over`` a widget takes the passing ones, and no room: what is below stays where it is.
    It ends where ``foot`` says, pixels from the widget's upper edge: tools stand there and below.
    """

    def __init__(
        self,
        notices: Notices,
        look: Look,
        over: QWidget | None = None,
        foot: Callable[[], int] | None = None,
    ) -> None:
        super().__init__(over)
        self._notices = notices
        self._look = look
        self._over = over
        self._foot = foot
        if over is not None:
            over.installEventFilter(self)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content, "messages"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        notices.changed.connect(self._rebuild)
        look.changed.connect(self._rebuild)
        self._rebuild()

    def _rebuild(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._bars: list[NoticeBar] = []
        self._more: QLabel | None = None
        worst_first = {"error": 0, "repair": 1, "info": 2}
        standing = [n for n in self._notices.standing if self._is_mine(n)]
        standing.sort(key=lambda n: worst_first[n.level])
        for notice in standing[:BARS_SHOWN]:
            bar = NoticeBar(notice, self._notices, self._look)
            self._bars.append(bar)
            self._column.addWidget(bar)
            bar.show()  # bars that stand already are made anew while this one is seen: it is at once, too
        left = len(standing) - BARS_SHOWN
        if left > 0:
            self._more = QLabel(f"  and {left} more in the message log")
            self._more.setProperty("muted", True)  # noqa: FBT003  # Qt's own signature
            self._column.addWidget(self._more)
        self.setVisible(bool(standing))
        self._place()

    def _is_mine(self, notice: Notice) -> bool:
        floats = notice.passing and self._notices.over_panes
        return floats == (self._over is not None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as wide as what it lies over."""
        if watched is self._over and event.type() in PLACING:
            self._place()
        return False

    def sizeHint(self) -> QSize:
        """Return room for the bars, as far as they may take it from the panes."""
        around = self.parentWidget()
        width = self.width() if around is None else around.width()
        share = SHARE_BESIDE_PANES if self._notices.over_panes else SHARE_ALONE
        most = max(int(share * self.window().height()), LEAST_PX)
        return QSize(width, min(self._height_at(width), most))

    def minimumSizeHint(self) -> QSize:
        """Return the same height: less would cut words off, more would be taken from the panes."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Be as high as the bars are at this width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def _place(self) -> None:
        if self._over is None:
            self.updateGeometry()
            return
        if not self.isVisibleTo(self._over):
            return
        width = self._over.width()
        foot = self._over.height() if self._foot is None else self._foot()
        height = min(self._height_at(width), max(foot, LEAST_PX))
        self.setGeometry(0, max(foot - height, 0), width, height)
        self.raise_()

    def _height_at(self, width: int) -> int:
        more = self._more.sizeHint().height() if self._more is not None else 0
        return sum(bar.height_at(width) for bar in self._bars) + more
