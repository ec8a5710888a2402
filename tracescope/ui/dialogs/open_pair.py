"""The dialog for a pair: two files, their episodes, and how to align them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)

from tracescope.model.errors import TracescopeError
from tracescope.readers.base import EpisodeInfo
from tracescope.readers.mapfile import MapFile, read_map
from tracescope.session.open import OpenOptions, is_there, side_of
from tracescope.session.session import Session, SideChoices
from tracescope.ui import pick_file
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.opener import episodes_of
from tracescope.ui.panels.parts import words
from tracescope.ui.worker import Lane

FIRST = "first episode"
WAYS = (
    ("auto", "automatically: step counters where they agree, else by time"),
    ("time", "time"),
    ("step", "step counters"),
    ("first-sample", "first samples together"),
)


class SideFields:
    """One side's row: path, chooser, episode, and what is wrong with them."""

    def __init__(self, side: str, title: str, grid: QGridLayout, row: int, dialog: Dialog) -> None:
        self._dialog = dialog
        self._title = title
        self.path = QLineEdit()
        self.path.setMinimumWidth(360)
        self.path.setAccessibleName(f"{side} file")
        self.path.setToolTip(f"{title}: a file, a folder, or file.h5::episode")
        self.browse = QPushButton("Choose…")
        self.browse.setToolTip(f"Choose the {title.lower()}")
        self.browse.setAccessibleName(f"choose {side} file")
        self.episode = QComboBox()
        self.episode.setMinimumWidth(150)
        self.episode.setAccessibleName(f"{side} episode")
        self.episode.setToolTip("Which episode of the file; the list fills once the file is known")
        self.wrong = words("", "danger")
        self.wrong.hide()
        self.lane = Lane(dialog)
        grid.addWidget(QLabel(title), row, 0)
        grid.addWidget(self.path, row, 1)
        grid.addWidget(self.browse, row, 2)
        grid.addWidget(self.episode, row, 3)
        grid.addWidget(self.wrong, row + 1, 1, 1, 3)
        self.browse.clicked.connect(self._choose)
        self.path.editingFinished.connect(self.list_episodes)
        self._listed = ""
        self.other: Callable[[], str] = str
        """The other side's path, as typed."""
        self._fill(())

    def _choose(self) -> None:
        path = pick_file.open_file(self._dialog, self._title, folder=self._folder())
        if path is not None:
            self.path.setText(str(path))
            self.list_episodes()

    def _folder(self) -> str:
        """Where to look first: beside this side's file, else beside the other's."""
        beside = (
            Path(side_of(text).path).parent for text in (self.path.text(), self.other()) if text
        )
        return next(
            (str(folder) for folder in beside if is_there(str(folder)) and folder.is_dir()), ""
        )

    def list_episodes(self) -> None:
        """Ask the file, in the background, which episodes it holds."""
        path = self.path.text().strip()
        if path == self._listed:
            return
        self._listed = path
        self.say("")
        self._fill(())
        choices = side_of(path)
        if not path or not is_there(choices.path):
            return
        task = self.lane.start("listing episodes", lambda _: episodes_of(choices))
        task.finished.connect(self._fill)
        task.failed.connect(self._failed)

    def _fill(self, episodes: tuple[EpisodeInfo, ...]) -> None:
        self.episode.clear()
        self.episode.addItem(FIRST, None)
        for one in episodes:
            note = f", {one.note}" if one.note else ""
            if one.key:
                self.episode.addItem(f"{one.key} ({one.steps} steps{note})", one.key)
        self.episode.setEnabled(self.episode.count() > 1)

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, (TracescopeError, OSError)):
            raise error
        self.say(str(error))

    def say(self, text: str) -> None:
        """Say what is wrong beside the field."""
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))

    def choices(self) -> SideChoices | None:
        """Return what was chosen; ``None`` for nothing, or after saying what is wrong."""
        text = self.path.text().strip()
        if not text:
            return None
        chosen = side_of(text, self.episode.currentData())
        if not is_there(chosen.path):
            self.say(f"There is no file {chosen.path}")
            return None
        return chosen


def _row(
    grid: QGridLayout, row: int, text: str, field: QWidget, chooser: QWidget | None = None
) -> None:
    """Put a labelled field under the sides' own, as wide as they are."""
    label = QLabel(text)
    label.setBuddy(field)
    grid.addWidget(label, row, 0)
    grid.addWidget(field, row, 1, 1, 3 if chooser is None else 1)
    if chooser is not None:
        grid.addWidget(chooser, row, 2)


class OpenPairDialog(Dialog):
    """Signals what was chosen: (sim side, target side, options); one side may be ``None``."""

    chosen = Signal(object, object, object)

    def __init__(self, session: Session | None, parent: QWidget) -> None:
        super().__init__("Open pair", parent)
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        self.sides = {
            "sim": SideFields("sim", "Simulator trace", grid, 0, self),
            "target": SideFields("target", "Target trace", grid, 2, self),
        }
        self.column.addLayout(grid)
        for name, other in (("sim", "target"), ("target", "sim")):
            self.sides[name].other = self.sides[other].path.text
            self.sides[name].path.textChanged.connect(lambda _: self.say_wrong(""))
        swap = QPushButton("Swap")
        swap.setToolTip("Exchange the two files")
        swap.clicked.connect(self._swap)
        grid.addWidget(swap, 4, 2)
        self.align = QComboBox()
        for key, text in WAYS:
            self.align.addItem(text, key)
        self.align.setAccessibleName("align by")
        self.align.setToolTip("A clear estimate is only offered; nothing moves until you take it")
        _row(grid, 5, "Align", self.align)
        self.profile = QLineEdit()
        self.profile.setPlaceholderText("none: roles, units and clocks as detected")
        self.profile.setAccessibleName("map file")
        self.profile.setToolTip(
            "A map file or a remembered profile (.toml): it says what each column is"
        )
        choose = QPushButton("Choose…")
        choose.setToolTip("Choose a map file")
        choose.setAccessibleName("choose map file")
        choose.clicked.connect(self._choose_profile)
        _row(grid, 6, "Map file", self.profile, choose)
        note = "One trace alone can be looked at; the checks need both. The files are only read."
        self.column.addWidget(words(note, "muted"))
        self.add_buttons("Open", "Read both files in the background")
        if session is not None:
            self.sides["sim"].path.setText(session.sim.path)
            self.sides["target"].path.setText(session.target.path)
            for side in self.sides.values():
                side.list_episodes()
        self.sides["sim"].path.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _swap(self) -> None:
        sim, target = (self.sides[name].path for name in ("sim", "target"))
        first, second = sim.text(), target.text()
        sim.setText(second)
        target.setText(first)
        for side in self.sides.values():
            side.list_episodes()

    @Slot()
    def _choose_profile(self) -> None:
        path = pick_file.open_file(self, "Map file", pick_file.PROFILES)
        if path is not None:
            self.profile.setText(str(path))

    def _mapped(self) -> MapFile:
        """Read the profile; an empty one changes nothing.

        Raises:
            UsageError: with every fault of the file.
        """
        path = self.profile.text().strip()
        return read_map(path) if path else MapFile()

    def accept(self) -> None:
        """Hand over what was chosen, or say what is missing."""
        for side in self.sides.values():
            side.say("")
        sim, target = self.sides["sim"].choices(), self.sides["target"].choices()
        if any(side.wrong.text() for side in self.sides.values()):
            return
        if sim is None and target is None:
            self.say_wrong("Choose at least one file")
            return
        try:
            mapped = self._mapped()
        except TracescopeError as error:
            self.say_wrong(str(error))
            return
        if self.profile.text().strip():
            sim = sim and replace(sim, choices=mapped.sim)
            target = target and replace(target, choices=mapped.target)
        options = OpenOptions(align=self.align.currentData(), pairs=mapped.pairs)
        self.chosen.emit(sim, target, options)
        super().accept()

    def done(self, result: int) -> None:
        """Stop what runs in the background before going."""
        for side in self.sides.values():
            side.lane.close()
        super().done(result)
