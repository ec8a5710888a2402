"""What the window shows before a pair is open: two drop targets, recent pairs, the sample gallery."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tracescope.ui.look import Look
from tracescope.ui.panels.gallery import Gallery
from tracescope.ui.panels.parts import ElidedLink, link, scrolled, words
from tracescope.ui.panels.source_header import Swatch
from tracescope.ui.settings import RecentPair

TITLES = {"sim": "Simulator trace", "target": "Target trace"}
RECENT_SHOWN = 5


class DropTarget(QFrame):
    """One side's place: drop a file, or choose one.

    Signals:
        dropped: A local path for this side.
        choose: The person wants the file dialog.
    """

    dropped = Signal(str)
    choose = Signal()

    def __init__(self, side: str, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        self.setProperty("drop", True)  # noqa: FBT003  # Qt's own signature
        self.setAcceptDrops(True)
        self.setMinimumHeight(118)
        column = QVBoxLayout(self)
        column.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addStretch(1)
        head.addWidget(Swatch(side, look))
        head.addWidget(words(TITLES[side], "title", wrap=False))
        head.addStretch(1)
        column.addLayout(head)
        self.text = words("Drop a file here", "muted", wrap=False)
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.text)
        self.button = QPushButton("Choose…")
        self.button.setToolTip(f"Choose the {TITLES[side].lower()} (CSV, HDF5 and others)")
        self.button.setAccessibleName(f"choose {TITLES[side].lower()}")
        self.button.clicked.connect(self.choose)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignCenter)

    def show_path(self, path: str) -> None:
        """Say which file waits here for its counterpart."""
        self.text.setText(Path(path).name if path else "Drop a file here")
        self.text.setToolTip(path)

    def _light(self, *, on: bool) -> None:
        self.setProperty("over", on)
        self.style().unpolish(self)
        self.style().polish(self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept one file (two go to the window, which takes both)."""
        if len(local_paths(event)) == 1:
            self._light(on=True)
            event.acceptProposedAction()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Light off."""
        self._light(on=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the file for this side."""
        self._light(on=False)
        event.acceptProposedAction()
        self.dropped.emit(local_paths(event)[0])


def local_paths(event: QDropEvent) -> list[str]:
    """Return the local files of a drag, in the order they were picked."""
    return [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]


class StartPage(QWidget):
    """Signals say what the person wants; the window opens it.

    Signals:
        side_chosen: (side, path): a file for one side.
        choose_side: The file dialog for a side.
        pair_chosen: (sim path, target path).
    """

    side_chosen = Signal(str, str)
    choose_side = Signal(str)
    pair_chosen = Signal(str, str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        page = QWidget()
        centred = QHBoxLayout(page)
        column = QVBoxLayout()
        column.setSpacing(12)
        centred.addStretch(1)
        centred.addLayout(column, 12)
        centred.addStretch(1)
        column.addSpacing(22)
        column.addWidget(words("Take a pair of traces apart", "big"))
        column.addWidget(
            words(
                "Drop the simulator's log and the target's log of the same episode. Curves come first; "
                "nothing has to be set up. The files are only read.",
                "muted",
            )
        )
        self.targets = {side: DropTarget(side, look) for side in ("sim", "target")}
        row = QHBoxLayout()
        row.setSpacing(14)
        for side, target in self.targets.items():
            row.addWidget(target)
            target.dropped.connect(lambda path, side=side: self.side_chosen.emit(side, path))
            target.choose.connect(lambda side=side: self.choose_side.emit(side))
        column.addLayout(row)
        self.alone = link(
            "Look at this trace alone",
            "Plots and data health work; the checks need the other trace",
        )
        self.alone.hide()
        column.addWidget(self.alone, 0, Qt.AlignmentFlag.AlignLeft)
        self.campaign = link(
            "Many pairs? Open a campaign…",
            "A manifest of pairs (CSV, TOML) or a campaign's result: which kinds of failure there are",
        )
        column.addWidget(self.campaign, 0, Qt.AlignmentFlag.AlignLeft)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        column.addLayout(self._recent)
        column.addLayout(self._head_of_gallery())
        self.gallery = Gallery(look)
        self.gallery.chosen.connect(self.pair_chosen)
        column.addWidget(self.gallery)
        column.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(page, "start page"))

    def _head_of_gallery(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(words("What went wrong here? Open a sample pair", "heading"), 1)
        self.tour = link(
            "Guided tour", "Walk through a sample pair, step by step, in this window: ten minutes"
        )
        self.guide = link("User guide", "What each check can and cannot tell, formats, scripting …")
        self.loop = link(
            "Demo loop", "Show one sample after another in large type until a key is pressed"
        )
        for button in (self.tour, self.guide, self.loop):
            row.addWidget(button)
        return row

    def show_recent(self, pairs: tuple[RecentPair, ...]) -> None:
        """List the pairs lately open that still exist."""
        while (item := self._recent.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        there = [pair for pair in pairs if Path(pair.sim.partition("::")[0]).exists()][
            :RECENT_SHOWN
        ]
        if there:
            self._recent.addWidget(words("Recent", "heading"))
        for pair in there:
            button = ElidedLink(
                recent_text(pair), f"Open again:\n{pair.sim}\n{pair.target}".rstrip()
            )
            button.clicked.connect(lambda _=False, p=pair: self.pair_chosen.emit(p.sim, p.target))
            self._recent.addWidget(button)

    def show_waiting(self, side: str, path: str) -> None:
        """Say which side waits for its counterpart."""
        for name, target in self.targets.items():
            target.show_path(path if name == side else "")
        self.alone.setVisible(bool(path))


def recent_text(pair: RecentPair) -> str:
    """Name a recent pair by what tells it apart: folder and file names."""
    sim = Path(pair.sim)
    if not pair.target:
        return f"{sim.parent.name}/{sim.name}"
    target = Path(pair.target)
    if sim.parent == target.parent:
        return f"{sim.parent.name}: {sim.name} and {target.name}"
    return f"{sim.parent.name}/{sim.name} and {target.parent.name}/{target.name}"
