"""Small widgets that several panels are made of."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tracescope.model.check import State
from tracescope.ui.look import Look
from tracescope.ui.words import STATE_WORDS

SMALLEST_CONTROL = 24
"""Pixels: no control is smaller."""


def words(text: str = "", style: str = "", *, wrap: bool = True) -> QLabel:
    """Return a label for plain text; ``style`` is a property of the style sheet (``muted`` …)."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(wrap)
    if style:
        label.setProperty(style, True)  # noqa: FBT003  # Qt's own signature
    if wrap:
        label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        label.setMinimumWidth(60)
    return label


def widest_word_px(label: QLabel) -> int:
    """Return the width below which a wrapped label cuts a word off."""
    metrics = label.fontMetrics()
    return max((metrics.horizontalAdvance(word) for word in label.text().split(" ")), default=0)


def link(text: str, tip: str) -> QPushButton:
    """Return a button that reads like a link."""
    button = QPushButton(text)
    button.setProperty("link", True)  # noqa: FBT003  # Qt's own signature
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.setMinimumHeight(SMALLEST_CONTROL)
    button.setToolTip(tip)
    button.setAccessibleName(text)
    button.setAccessibleDescription(tip)
    return button


class ElidedLink(QPushButton):
    """A link that takes no more room than there is; the tip holds what does not fit."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self._whole = text
        self.setProperty("link", True)  # noqa: FBT003  # Qt's own signature
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMinimumSize(SMALLEST_CONTROL, SMALLEST_CONTROL)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setToolTip(tip)
        self.setAccessibleName(text)
        self.setAccessibleDescription(tip)
        self.setText(text)

    def sizeHint(self) -> QSize:
        """Return room for the whole text."""
        room = super().sizeHint()
        metrics = self.fontMetrics()
        more = metrics.horizontalAdvance(self._whole) - metrics.horizontalAdvance(self.text())
        return QSize(room.width() + more, room.height())

    def minimumSizeHint(self) -> QSize:
        """Return that it may be narrow."""
        return QSize(SMALLEST_CONTROL, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much as fits."""
        super().resizeEvent(event)
        edge = super().sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
        room = self.width() - edge
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, room))


class IconButton(QToolButton):
    """A flat button with an icon that follows the theme."""

    def __init__(self, look: Look, icon: str) -> None:
        super().__init__()
        self._look, self._icon = look, icon
        self.setProperty("flat", True)  # noqa: FBT003  # Qt's own signature
        self.setMinimumSize(SMALLEST_CONTROL, SMALLEST_CONTROL)
        self.setIconSize(QSize(16, 16))
        look.changed.connect(self._paint)
        self._paint()

    def _paint(self) -> None:
        self.setIcon(self._look.icon(self._icon))


def icon_button(look: Look, icon: str, name: str, tip: str) -> IconButton:
    """Return a flat button with an icon, a name for who cannot see it, and a tooltip."""
    button = IconButton(look, icon)
    button.setToolTip(tip)
    button.setAccessibleName(name)
    return button


def card() -> tuple[QFrame, QVBoxLayout]:
    """Return a card and the column inside it."""
    frame = QFrame()
    frame.setProperty("card", True)  # noqa: FBT003  # Qt's own signature
    column = QVBoxLayout(frame)
    column.setContentsMargins(11, 9, 11, 9)
    column.setSpacing(4)
    return frame, column


def scrolled(content: QWidget, name: str) -> QScrollArea:
    """Put a widget into a scroll area that scrolls only up and down and swallows the wheel."""
    content.setObjectName("scrolled")
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(content)
    area.setAccessibleName(name)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def scrolled_both(content: QWidget, name: str) -> QScrollArea:
    """Put a widget into a scroll area that scrolls either way, and only where it must."""
    area = scrolled(content, name)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    return area


class Badge(QWidget):
    """A state as icon and word on its colour; never by colour alone."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._text = ""
        self._icon = ""
        self._colour = ""
        self._hollow = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_state(self, state: State, *, stale: bool = False) -> None:
        """Show a check's state; stale and provisional ones are hollow."""
        self._show(STATE_WORDS[state].upper(), state.value, self._look.theme.state(state), stale)

    def show_word(self, word: str) -> None:
        """Show a word that is no state, hollow and without a colour of its own."""
        self._show(word, "", self._look.theme.muted, hollow=True)

    def _show(self, text: str, icon: str, colour: str, hollow: bool) -> None:  # noqa: FBT001
        self._text, self._icon, self._colour, self._hollow = text, icon, colour, hollow
        self.setAccessibleName(text.lower())
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """Return the word shown."""
        return self._text

    def sizeHint(self) -> QSize:
        """Return room for icon and word."""
        metrics = self.fontMetrics()
        icon = metrics.height() if self._icon else 0
        return QSize(metrics.horizontalAdvance(self._text) + icon + 16, metrics.height() + 6)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the pill."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, colour = self._look.theme, QColor(self._colour)
        box = self.rect().adjusted(1, 1, -1, -1)
        painter.setPen(QPen(colour, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush if self._hollow else colour)
        painter.drawRoundedRect(box, 4, 4)
        ink = self._colour if self._hollow else theme.on_state
        left = 8
        if self._icon:
            side = self.fontMetrics().height() - 4
            pixmap = self._look.icon(self._icon, ink).pixmap(
                QSize(side, side), self.devicePixelRatioF()
            )
            painter.drawPixmap(left - 1, (self.height() - side) // 2, side, side, pixmap)
            left += side + 4
        painter.setPen(QColor(ink))
        painter.drawText(
            box.adjusted(left - 1, 0, 0, 0),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self._text,
        )
