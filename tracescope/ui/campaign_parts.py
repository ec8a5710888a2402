"""The widgets that a campaign's window is made of."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QWidget,
)

from tracescope.ui.campaign_rows import EpisodeFilter
from tracescope.ui.campaign_strip import StripDelegate
from tracescope.ui.look import Look

ROW_PX = 26
STATES_COLUMN = 3
SEARCH_PX = 280


def episode_table(episodes: EpisodeFilter, look: Look) -> QTableView:
    """Return the table of episodes."""
    table = QTableView()
    table.setModel(episodes)
    table.setAccessibleName("episodes")
    table.setToolTip("Double click or Enter opens the pair; click a header to sort")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSortingEnabled(True)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setStretchLastSection(True)
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.setItemDelegateForColumn(STATES_COLUMN, StripDelegate(look, table))
    return table


def search_field(look: Look) -> QLineEdit:
    """Return the field that filters episodes."""
    field = QLineEdit()
    field.setPlaceholderText("Filter episodes")
    field.setClearButtonEnabled(True)
    field.setAccessibleName("filter episodes")
    field.setToolTip("Keep episodes in whose row every word stands, “timing: fail” too (Ctrl+F)")
    field.setFixedWidth(round(SEARCH_PX * look.theme.font_scale))
    return field


def button(text: str, tip: str) -> QPushButton:
    """Return a button with its name and what it is for."""
    made = QPushButton(text)
    made.setToolTip(tip)
    made.setAccessibleName(text.replace("&", "").removesuffix("…"))
    made.setAccessibleDescription(tip)
    return made


def split(direction: Qt.Orientation, *widgets: QWidget) -> QSplitter:
    """Return widgets beside one another, with handles that never hide one."""
    made = QSplitter(direction)
    made.setChildrenCollapsible(False)
    for widget in widgets:
        made.addWidget(widget)
    return made
