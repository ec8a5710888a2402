"""The explanations in the order that the note ranks them, each a way to its check's card."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QListView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from tracescope.findings.numbers import listed, share_text
from tracescope.findings.observe import title_of
from tracescope.model.finding import Hypothesis
from tracescope.ui.look import Look
from tracescope.ui.panels.finding_model import ROOT, Index
from tracescope.ui.panels.parts import SMALLEST_CONTROL

HYPOTHESIS = Qt.ItemDataRole.UserRole
GAP_PX = 5
END_PX = 12
MOST_LINES = 3
"""More entries than these lines hold are scrolled to, so that the findings below keep their room."""


def rank_text(one: Hypothesis) -> str:
    """Write a rank; ``1 =`` where this pair does not tell it apart from others of the same rank."""
    return f"{one.rank} =" if one.not_told_apart else str(one.rank)


def share_words(one: Hypothesis) -> str:
    """Say what correcting it alone removes, or why nothing can be said; undecided ones say so first."""
    parts = ["not decided"] if one.undecided else []
    if one.explains is not None:
        of = "" if one.explains_of == "residual" else f" of the {one.explains_of}"
        parts.append(f"removes {share_text(one.explains)}{of}")
    elif not one.undecided:
        parts.append("no correction to try")
    return ", ".join(parts)


def spoken(one: Hypothesis) -> str:
    """Write an entry for who does not see it: rank, ties, family, share, channels, sentence."""
    tied = " or ".join(map(title_of, one.not_told_apart)).lower()
    channels, more = listed(one.channels, 8)
    about = f" ({channels}{f' and {more} more' if more else ''})" if channels else ""
    shared = f", shared with {tied}, which this pair does not tell apart" if tied else ""
    return (
        f"Rank {one.rank}{shared}: {title_of(one.family)}{about}, {share_words(one)}. {one.text}."
    )


class ExplanationModel(QAbstractListModel):
    """Rows of ranked hypotheses, replaced as a whole."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.hypotheses: tuple[Hypothesis, ...] = ()

    def show(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Hold these instead."""
        self.beginResetModel()
        self.hypotheses = tuple(hypotheses)
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return how many there are."""
        return 0 if parent.isValid() else len(self.hypotheses)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return a hypothesis, its entry, or its entry in full words."""
        if not 0 <= index.row() < len(self.hypotheses):
            return None
        one = self.hypotheses[index.row()]
        if role == HYPOTHESIS:
            return one
        if role == Qt.ItemDataRole.DisplayRole:
            return "  ".join((rank_text(one), title_of(one.family), share_words(one)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return spoken(one)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{spoken(one)}\nClick or Enter goes to its check."
        return None


class _Delegate(QStyledItemDelegate):
    """Draws an entry in one line: its rank in a box, its family as a link, its share muted."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return room for one line, no wider than the list."""
        view = self.parent()
        assert isinstance(view, QListView)
        one = index.data(HYPOTHESIS)
        family, rest = _bold(option.font), option.fontMetrics
        width = (
            QFontMetrics(family).horizontalAdvance(rank_text(one) + title_of(one.family))
            + rest.horizontalAdvance(share_words(one))
            + 2 * GAP_PX  # beside the family
            + 2 * GAP_PX  # in the rank's box
            + END_PX
        )
        height = max(SMALLEST_CONTROL, rest.height() + 6)
        return QSize(min(width, max(1, view.viewport().width())), height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one entry."""
        one, theme = index.data(HYPOTHESIS), self._look.theme
        view = self.parent()
        assert isinstance(view, QListView)
        painter.save()
        font = _bold(option.font)
        painter.setFont(font)
        metrics = QFontMetrics(font)
        rank = rank_text(one)
        inside = option.rect.adjusted(1, 1, -1, -1)
        tag = QRect(inside.topLeft(), QSize(metrics.horizontalAdvance(rank) + 2 * GAP_PX, 0))
        tag.setHeight(metrics.height() + 2)
        tag.moveTop(inside.center().y() - tag.height() // 2)
        painter.setPen(QPen(QColor(theme.muted), 1))
        painter.drawRoundedRect(tag, 3, 3)
        painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, rank)
        painter.setPen(QColor(theme.link))
        left = _write(painter, metrics, inside, tag.right() + GAP_PX, title_of(one.family))
        painter.setFont(option.font)
        painter.setPen(QColor(theme.muted))
        _write(painter, option.fontMetrics, inside, left + GAP_PX, share_words(one))
        if view.hasFocus() and index.row() == view.currentIndex().row():
            painter.setPen(QPen(QColor(theme.link), 1))
            painter.drawRoundedRect(inside.adjusted(-1, 0, -END_PX // 2, 0), 3, 3)
        painter.restore()


def _bold(font: QFont) -> QFont:
    bold = QFont(font)
    bold.setBold(True)
    return bold


def _write(painter: QPainter, metrics: QFontMetrics, box: QRect, left: int, text: str) -> int:
    """Write a text from a place on, with an ellipsis where the box ends; return where the text ends."""
    room = QRect(box)
    room.setLeft(left)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
    return left + metrics.horizontalAdvance(shown)


class ExplanationList(QListView):
    """The ranked entries, side by side as far as they fit, in as many lines as they need.

    Signals:
        check_wanted: The id of the check that an entry stands for.
    """

    check_wanted = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("explanations, ranked")
        self.setProperty("frameless", True)  # noqa: FBT003  # Qt's own signature
        self.setFlow(QListView.Flow.LeftToRight)
        self.setWrapping(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(120)
        self.setItemDelegate(_Delegate(look, self))
        self.setMouseTracking(True)
        self._model = ExplanationModel(self)
        self.setModel(self._model)
        look.changed.connect(self.fit)

    def show_hypotheses(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Show these; the entry that was current stays current where its family is still there."""
        if tuple(hypotheses) != self._model.hypotheses:
            held = self.currentIndex().data(HYPOTHESIS)
            self._model.show(hypotheses)
            families = [one.family for one in hypotheses]
            if held is not None and held.family in families:
                self.setCurrentIndex(self._model.index(families.index(held.family)))
            self.fit()

    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Return what is shown, in its order."""
        return self._model.hypotheses

    def fit(self) -> None:
        """Be as high as the lines that the entries take."""
        room, line, lines, left = self.viewport().width(), 0, 1, 0
        for row in range(self._model.rowCount()):
            size = self.sizeHintForIndex(self._model.index(row))
            line = max(line, size.height())
            if left and left + size.width() > room:
                lines, left = lines + 1, 0
            left += size.width()
        height = min(lines, MOST_LINES) * (line or SMALLEST_CONTROL) + 2 * self.frameWidth()
        if height != self.height():
            self.setFixedHeight(height)
        self.scheduleDelayedItemsLayout()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Begin at the leading entry."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self._model.index(0))
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the current entry's check on Enter or Space."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._want(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point with a hand at what can be clicked."""
        super().mouseMoveEvent(event)
        over = self.indexAt(event.position().toPoint()).isValid()
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the check of the entry that is clicked."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._want(self.indexAt(event.position().toPoint()))

    def _want(self, index: QModelIndex) -> None:
        one = index.data(HYPOTHESIS)
        if one is not None:
            self.check_wanted.emit(one.family)
