"""Which episodes of two files make the pair."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from tracescope.readers.base import EpisodeInfo
from tracescope.session.session import Session
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.opener import SideName
from tracescope.ui.panels.parts import words

KEY = Qt.ItemDataRole.UserRole
TITLES: dict[SideName, str] = {"sim": "Simulator", "target": "Target"}


class EpisodePicker(Dialog):
    """Two lists side by side; signals (sim side, target side)."""

    chosen = Signal(object, object)

    def __init__(
        self,
        session: Session,
        episodes: tuple[tuple[SideName, tuple[EpisodeInfo, ...]], ...],
        parent: QWidget,
    ) -> None:
        super().__init__("Choose episodes", parent)
        self._session = session
        self.lists: dict[SideName, QListWidget] = {}
        row = QHBoxLayout()
        shown = {
            "sim": session.pair.sim.source.episode,
            "target": session.pair.target.source.episode,
        }
        for side, infos in episodes:
            column = QVBoxLayout()
            column.addWidget(words(f"{TITLES[side]}: {len(infos)} episodes", "title"))
            column.addWidget(self._list(side, infos, shown[side]))
            row.addLayout(column)
        self.column.addLayout(row)
        self.add_buttons("Open", "Open these episodes as the pair")
        self.resize(520, 380)

    def _list(
        self, side: SideName, infos: tuple[EpisodeInfo, ...], shown: str | None
    ) -> QListWidget:
        box = QListWidget(self)
        box.ensurePolished()  # else rows keep the height they have without the window's style
        box.setAccessibleName(f"{side} episodes")
        box.setToolTip("Double click opens")
        for info in infos:
            note = f", {info.note}" if info.note else ""
            item = QListWidgetItem(f"{info.key}   {info.steps} steps{note}")
            item.setData(KEY, info.key)
            box.addItem(item)
            if info.key == shown:
                box.setCurrentItem(item)
        box.itemDoubleClicked.connect(self.accept)
        self.lists[side] = box
        return box

    def accept(self) -> None:
        """Hand over the chosen episodes; a side without a list stays as it is."""
        sides = {"sim": self._session.sim, "target": self._session.target}
        for side, box in self.lists.items():
            item = box.currentItem()
            if item is not None:
                sides[side] = replace(sides[side], episode=item.data(KEY))
        chosen = [sides[name] if sides[name].path else None for name in ("sim", "target")]
        self.chosen.emit(*chosen)
        super().accept()
