"""The dock of signals: filter on top, tick to show, drag onto a pane to overlay."""

from __future__ import annotations

import re

from PySide6.QtCore import QObject, QPoint, QRect, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from tracescope.ui.look import Look
from tracescope.ui.panels.signals_model import BADGE, SHORT, Index, SignalsModel
from tracescope.ui.panels.signals_model import Signal as SignalRow
from tracescope.ui.session_model import SessionModel
from tracescope.ui.short_names import fitting_name, tails
from tracescope.ui.view_model import ViewModel
from tracescope.ui.words import HAND_BADGE

MANY = 40
"""A group of more signals starts folded."""


INDICATOR_PX = 30
SIGN = "!"
"""Stands for the badge where the name leaves it no room; the tooltip has the words."""


SHORT_WORDS = {
    "saturated": "sat.",
    "constant": "const.",
    "sim only": "sim",
    "target only": "target",
}


def badge_forms(badge: str) -> tuple[str, ...]:
    """Return a badge ever shorter: whole, its first part, that with three digits, its word, one sign.

    A correction's last sign is ``÷``, so that a corrected signal never looks like an odd one.
    """
    first = badge.partition(" · ")[0]
    rounded = re.sub(r"\d+\.\d+", lambda m: f"{float(m[0]):.3g}", first)
    by_hand = (HAND_BADGE,) if first.endswith(HAND_BADGE) else ()
    if "÷" in first:
        return badge, first, rounded, *by_hand, "÷"
    return badge, first, rounded, *by_hand, *_words_alone(first), SIGN


def _words_alone(first: str) -> tuple[str, ...]:
    """Return what is odd without its number and side, then cut short: that alone says more than a sign."""
    word = re.sub(r"\b((sim|target) (?!only)|\d+( %)?( |$))", "", first).strip()
    return (word, SHORT_WORDS[word]) if word in SHORT_WORDS else (word,) * bool(word)


class BadgeDelegate(QStyledItemDelegate):
    """Draws what is odd about a signal, muted, at the right of its name."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def initStyleOption(  # noqa: N802  # Qt's name
        self, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Leave out parts of the path, from the left, where a name is too long; the tooltip has it whole."""
        super().initStyleOption(option, index)
        option.text = index.data(SHORT) or option.text
        if not index.parent().isValid():
            option.textElideMode = Qt.TextElideMode.ElideRight
            return
        room, metrics = option.rect.width() - INDICATOR_PX, option.fontMetrics
        shortest = tails(option.text)[-1]
        option.text = fitting_name(
            option.text, shortest, lambda text: metrics.horizontalAdvance(text) <= room
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row, then its badge over the end of it."""
        badge = index.data(BADGE)
        if not badge:
            super().paint(painter, option, index)
            return
        metrics, box = option.fontMetrics, QRect(option.rect)
        room = box.width() - metrics.horizontalAdvance(index.data(SHORT)) - INDICATOR_PX - 12
        forms = badge_forms(badge)
        text = next((f for f in forms if metrics.horizontalAdvance(f) <= room), forms[-1])
        width = metrics.horizontalAdvance(text) + 8
        option.rect = QRect(box.left(), box.top(), box.width() - width - 4, box.height())
        super().paint(painter, option, index)
        pill = QRect(box.right() - width - 2, box.top() + 3, width, box.height() - 6)
        painter.setPen(QColor(self._look.theme.repair))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)


class SignalsPanel(QWidget):
    """Every signal of both files; what no role fits stands under *Other*.

    Signals:
        menu_wanted: The menu of the marked signals (channel keys), at a place of the screen.
    """

    menu_wanted = Signal(QPoint, tuple)

    def __init__(
        self, model: SessionModel, view: ViewModel, look: Look, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 2, 4, 6)
        column.setSpacing(6)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter signals (Ctrl+F)")
        self.filter.setClearButtonEnabled(True)
        self.filter.setAccessibleName("filter signals")
        self.filter.setToolTip("Show only signals whose name contains this")
        column.addWidget(self.filter)
        self.model = SignalsModel(model, view, self)
        self._proxy = QSortFilterProxyModel(self)
        self._proxy.setSourceModel(self.model)
        self._proxy.setRecursiveFilteringEnabled(True)
        self._proxy.setAutoAcceptChildRows(False)
        self._proxy.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.tree = QTreeView()
        self.tree.setModel(self._proxy)
        self.tree.setHeaderHidden(True)
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(14)
        self.tree.setDragEnabled(True)
        self.tree.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.setAccessibleName("signals")
        self.tree.setToolTip(
            "Tick or Space shows a signal; drag it onto a pane to lay it over another"
        )
        self.tree.setTextElideMode(Qt.TextElideMode.ElideLeft)
        self.tree.setItemDelegate(BadgeDelegate(look, self.tree))
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._ask_menu)
        column.addWidget(self.tree, 1)
        self.filter.textChanged.connect(self._filter)
        model.pair_changed.connect(self._unfold)
        self.setMinimumWidth(140)
        self._unfold()

    def _filter(self, text: str) -> None:
        self._proxy.setFilterFixedString(text)
        if text:
            self.tree.expandAll()
        else:
            self._unfold()

    def _unfold(self) -> None:
        for row in range(self._proxy.rowCount()):
            index = self._proxy.index(row, 0)
            self.tree.setExpanded(index, self._proxy.rowCount(index) <= MANY)

    def _ask_menu(self, at: QPoint) -> None:
        """Ask for the menu of the row pointed at, or of all marked rows where it is one of them."""
        here = self.tree.indexAt(at)
        marked = self.tree.selectionModel().selectedIndexes()
        chosen = marked if here in marked else [here]
        things = [self.model.at(self._proxy.mapToSource(index)) for index in chosen]
        keys = tuple(thing.key for thing in things if isinstance(thing, SignalRow))
        self.menu_wanted.emit(self.tree.viewport().mapToGlobal(at), keys)

    def focus_filter(self) -> None:
        """Put the focus into the filter, its text selected."""
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter.selectAll()
