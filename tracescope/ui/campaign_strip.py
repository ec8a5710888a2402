"""Paints what every check said of an episode: an icon and a colour a state, small enough for a row."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from tracescope.model.check import State
from tracescope.ui.campaign_rows import STATES_ROLE
from tracescope.ui.look import Look

ICON_PX, GAP_PX, EDGE_PX = 14, 3, 6


class StripDelegate(QStyledItemDelegate):
    """A row of state icons."""

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look

    @property
    def _side(self) -> int:
        return round(ICON_PX * self._look.theme.font_scale)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Draw the cell's ground as the style does, then the icons."""
        self.initStyleOption(option, index)
        widget = option.widget
        style = widget.style() if widget is not None else QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        box: QRect = option.rect
        side, left = self._side, box.left() + EDGE_PX
        for _, state in index.data(STATES_ROLE) or ():
            at = QRect(left, box.center().y() - side // 2 + 1, side, side)
            colour = self._look.theme.state(State(state))
            self._look.icon(state, colour).paint(painter, at, Qt.AlignmentFlag.AlignCenter)
            left += side + GAP_PX

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """Return room for the icons."""
        many = len(index.data(STATES_ROLE) or ())
        height = super().sizeHint(option, index).height()
        return QSize(2 * EDGE_PX + many * (self._side + GAP_PX), height)
