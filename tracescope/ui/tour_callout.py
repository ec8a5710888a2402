"""What the guided tour lays over the window: a ring around a control, and words beside it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tracescope.ui.look import Look
from tracescope.ui.panels.parts import icon_button, words

WIDTH_PX = 340
GAP_PX = 18
MARGIN_PX = 8
RING_PX = 3
LARGE = 0.45
"""A control that takes more than this share of both sides of the window has the words inside it."""

TOP = 0.12
"""Controls that end above this share of the window's height are its menus and toolbar."""


class Ring(QWidget):
    """Lies over the whole window, takes no click, and draws around one rectangle."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._around, self._from = QRect(), QPoint()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        look.changed.connect(self.update)

    def show_around(self, around: QRect, words_at: QRect) -> None:
        """Draw around a rectangle of the window, with a line to where the words stand."""
        if (around, words_at.center()) != (self._around, self._from):
            self._around, self._from = around, words_at.center()
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the line, then the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._look.theme.focus), RING_PX))
        box = QRectF(self._around).adjusted(-2, -2, 2, 2)
        end = _nearest(box, QPointF(self._from))
        if not box.contains(QPointF(self._from)):
            painter.drawLine(QPointF(self._from), end)
        painter.drawRoundedRect(box, 5, 5)


def _nearest(box: QRectF, point: QPointF) -> QPointF:
    return QPointF(
        min(max(point.x(), box.left()), box.right()), min(max(point.y(), box.top()), box.bottom())
    )


class Callout(QFrame):
    """The words of one step.

    Signals:
        back, forward, closed: The buttons.
    """

    back = Signal()
    forward = Signal()
    closed = Signal()

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look, self._window = look, window
        self.setProperty("callout", True)  # noqa: FBT003  # Qt's own signature
        self.setAccessibleName("guided tour")
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 10, 10)
        column.setSpacing(7)
        head = QHBoxLayout()
        self.title = words("", "title")
        head.addWidget(self.title, 1)
        self.leave = icon_button(look, "close", "close the tour", "Close the tour (Esc)")
        self.leave.clicked.connect(self.closed)
        head.addWidget(self.leave)
        column.addLayout(head)
        self.text = words()
        column.addWidget(self.text)
        column.addLayout(self._foot())

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self.count = words("", "muted", wrap=False)
        self.previous = QPushButton("Back")
        self.previous.setToolTip("The step before")
        self.previous.clicked.connect(self.back)
        self.next = QPushButton("Next")
        self.next.setProperty("strong", True)  # noqa: FBT003  # Qt's own signature
        self.next.setToolTip("Go on, with or without doing it")
        self.next.clicked.connect(self.forward)
        row.addWidget(self.count, 1)
        row.addWidget(self.previous)
        row.addWidget(self.next)
        return row

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Return press the button that has the focus, as Space does."""
        has_focus = (b for b in (self.next, self.previous, self.leave) if b.hasFocus())
        button = next(has_focus, None)
        if button is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            button.click()
        else:
            super().keyPressEvent(event)

    def say(self, title: str, text: str, place: int, count: int) -> None:
        """Show a step's words; ``place`` counts from 0."""
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(f"{place + 1} of {count}")
        self.previous.setEnabled(place > 0)
        self.next.setText("Done" if place + 1 == count else "Next")
        self.setAccessibleDescription(f"{title}. {text}")

    def stand_beside(self, around: QRect) -> QRect:
        """Take a place beside a rectangle of the window (inside a large one); return that place."""
        room = self._window.size()
        width = min(round(WIDTH_PX * self._look.theme.font_scale), room.width() - 2 * MARGIN_PX)
        size = QSize(width, self._column.totalHeightForWidth(width))
        place = QRect(spot_beside(around, size, room), size)
        if self.geometry() != place:
            self.setGeometry(place)
        return place


def spot_beside(around: QRect, size: QSize, room: QSize) -> QPoint:
    """Return where a box of ``size`` stands beside ``around`` inside a window of size ``room``.

    Right, left, below or above (below first for what stands at the window's top), the first that fits
    without covering it; inside, at the lower right, where the rectangle is large or nothing fits.
    """
    large = around.width() > LARGE * room.width() and around.height() > LARGE * room.height()
    middle_x = around.center().x() - size.width() // 2
    middle_y = around.center().y() - size.height() // 2
    right_left_below_above = (
        QPoint(around.right() + GAP_PX, middle_y),
        QPoint(around.left() - GAP_PX - size.width(), middle_y),
        QPoint(middle_x, around.bottom() + GAP_PX),
        QPoint(middle_x, around.top() - GAP_PX - size.height()),
    )
    wanted = right_left_below_above
    if around.bottom() < TOP * room.height():
        wanted = (wanted[2], wanted[0], wanted[1], wanted[3])
    for spot in () if large else wanted:
        at = _inside(spot, size, room)
        if not QRect(at, size).intersects(around.adjusted(-4, -4, 4, 4)):
            return at
    corner = around.bottomRight() - QPoint(size.width() + GAP_PX, size.height() + GAP_PX)
    return _inside(corner, size, room)


def _inside(spot: QPoint, size: QSize, room: QSize) -> QPoint:
    return QPoint(
        max(MARGIN_PX, min(spot.x(), room.width() - size.width() - MARGIN_PX)),
        max(MARGIN_PX, min(spot.y(), room.height() - size.height() - MARGIN_PX)),
    )
