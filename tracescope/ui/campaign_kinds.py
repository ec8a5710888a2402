"""The list of kinds in the order of priority; choosing one keeps its episodes everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from tracescope.campaign.report_page import lead_text
from tracescope.campaign.result_schema import (
    NO_DIFFERENCE,
    UNCLUSTERED,
    UNTOLD,
    CampaignFile,
)
from tracescope.ui.campaign_marks import mark_icon
from tracescope.ui.campaign_parts import ROW_PX
from tracescope.ui.campaign_rows import EVERYTHING, UNUSABLE, Row
from tracescope.ui.look import Look

HEADERS = ("Kind", "Lead", "Episodes", "Growing")
TIPS = (
    "What distinguishes it; the order is what to look at first",
    "What the differences point to; no verdict",
    "How many episodes belong to it",
    "Whether its rate grew, told apart from a constant rate (95 % interval)",
)
LEAST_NAME_PX = 210
OTHERS = (UNCLUSTERED, UNTOLD, NO_DIFFERENCE, UNUSABLE)
KIND_ROLE = Qt.ItemDataRole.UserRole


class KindList(QTreeWidget):
    """Every kind, and what is of none.

    Signals:
        kept: The kind whose episodes shall be kept, ``""`` for every episode.
    """

    kept = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setColumnCount(len(HEADERS))
        self.setHeaderLabels(HEADERS)
        for column, tip in enumerate(TIPS):
            self.headerItem().setToolTip(column, tip)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setAccessibleName("kinds of failure")
        self.setToolTip("Choose a kind to keep its episodes in table, map and timeline")
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(False)
        self.currentItemChanged.connect(self._chosen)
        look.changed.connect(self._paint)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give names what the other columns leave, and never less than they need to be told apart."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        others = sum(self.columnWidth(column) for column in range(1, len(HEADERS)))
        least = round(LEAST_NAME_PX * self._look.theme.font_scale)
        self.setColumnWidth(0, max(least, self.viewport().width() - others))

    def show_kinds(self, rows: Sequence[Row], result: CampaignFile | None) -> None:
        """List the kinds of a campaign, every episode first."""
        counts = [row.kind for row in rows]
        self.clear()
        self._add(EVERYTHING, ("Every episode", "", str(len(rows)), ""))
        for cluster in () if result is None else result.clusters:
            name = f"{cluster.id} · {cluster.name}"
            values = (name, lead_text(cluster), str(cluster.size), cluster.growth.growing)
            self._add(cluster.id, values, f"{name}\n{cluster.growth.because}")
        for kind in OTHERS:
            if kind in counts:
                self._add(kind, (kind.capitalize(), "", str(counts.count(kind)), ""))
        self._paint()
        self.setCurrentItem(self._items()[0])

    def keep(self, kind: str) -> None:
        """Choose a kind."""
        for item in self._items():
            if item.data(0, KIND_ROLE) == kind:
                self.setCurrentItem(item)

    def _add(self, kind: str, values: Sequence[str], tip: str = "") -> None:
        item = QTreeWidgetItem(list(values))
        item.setData(0, KIND_ROLE, kind)
        item.setToolTip(0, tip or values[0])
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addTopLevelItem(item)

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        return [item for item in found if item is not None]

    @Slot()
    def _paint(self) -> None:
        place, high = 0, round(ROW_PX * self._look.theme.font_scale)
        for item in self._items():
            item.setSizeHint(0, QSize(0, high))
            kind = item.data(0, KIND_ROLE)
            if kind == EVERYTHING or kind in OTHERS:
                alone = kind == UNCLUSTERED
                item.setIcon(0, mark_icon(self._look, -1) if alone else QIcon())
            else:
                item.setIcon(0, mark_icon(self._look, place))
                place += 1
        self._share_room()

    @Slot(QTreeWidgetItem)
    def _chosen(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.kept.emit(item.data(0, KIND_ROLE))
