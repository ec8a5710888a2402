"""How one file is read: clock, order, dialect, roles and units, with what comes of it shown at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from tracescope.model.errors import ProblemsError
from tracescope.model.trace import Trace
from tracescope.readers.base import ImportChoices
from tracescope.session.session import SideChoices
from tracescope.ui import pick_file
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.dialogs.import_fields import ImportFields
from tracescope.ui.dialogs.import_preview import FirstLines, FirstLinesTable, first_lines
from tracescope.ui.dialogs.import_table import ChannelTable
from tracescope.ui.opener import SideName
from tracescope.ui.panels.parts import words
from tracescope.ui.panels.source_header import source_text
from tracescope.ui.worker import Lane, Task

REREAD_MS = 250
MAPS = "Import profiles (*.toml)"


class ImportDialog(Dialog):
    """Every change reads the file anew in the background; OK opens it so.

    Signals:
        chosen: Carries the side's new SideChoices.
        remembered: A profile was written to this path, for files like the one that is open.
    """

    chosen = Signal(object)
    remembered = Signal(str)

    def __init__(self, side: SideName, choices: SideChoices, trace: Trace, parent: QWidget) -> None:
        super().__init__(f"How {Path(choices.path).name} is read", parent)
        self._side, self._choices, self._trace = side, choices, trace
        self._failed = ""
        self.lane = Lane(self)
        row = QHBoxLayout()
        left = QVBoxLayout()
        self.fields = ImportFields(choices.choices, trace)
        left.addWidget(self.fields)
        left.addStretch(1)
        row.addLayout(left)
        self.table = ChannelTable()
        row.addWidget(self.table, 1)
        self.lines = FirstLinesTable()
        self.lines.hide()
        self.column.addWidget(self.lines)
        self.column.addLayout(row, 1)
        self.summary = words()
        self.column.addWidget(self.summary)
        remember = QPushButton("Remember for files like this…")
        remember.setToolTip(
            "Write an import profile, for --map and for the next file of this shape"
        )
        remember.clicked.connect(self._remember)
        box = self.add_buttons("OK", "Open the file as shown here")
        box.addButton(remember, box.ButtonRole.ActionRole)
        self._due = QTimer(self, singleShot=True, interval=REREAD_MS)
        self._due.timeout.connect(self._read)
        self.fields.changed.connect(self._due.start)
        self.table.changed.connect(self._due.start)
        self._show((trace, FirstLines()))
        self._due.start()  # the first lines come from the file, in the background
        self.resize(920, 720)

    def choices(self) -> ImportChoices:
        """Return what the fields and the table say."""
        base = self.fields.choices(self._choices.choices)
        return replace(base, roles=self.table.roles(base.roles), units=self.table.units(base.units))

    @Slot()
    def _read(self) -> None:
        from tracescope.readers import open_trace

        wrong = self.fields.wrong()
        if wrong:
            self._say(wrong)
            return
        side, choices = self._choices, self.choices()

        is_text = self._trace.source.layout.startswith("csv")

        def work(task: Task) -> tuple[Trace, FirstLines]:
            lines = first_lines(Path(side.path), choices.csv) if is_text else FirstLines()
            task.give(lines)  # they help most where the rest cannot be read
            return open_trace(side.path, side.episode, choices, task.progress), lines

        task = self.lane.start("reading", work)
        task.given.connect(self.lines.show_lines)
        task.finished.connect(self._show)
        task.failed.connect(self._not_read)

    @Slot(object)
    def _show(self, read: tuple[Trace, FirstLines]) -> None:
        trace, lines = read
        self._trace = trace
        self.lines.show_lines(lines)
        self.fields.offer_columns(trace)
        self._say("")
        because = f"\n{trace.clock.because}" if trace.clock.because else ""
        self.summary.setText(f"{source_text(trace)}{because}")
        self.table.show_trace(trace)

    @Slot(object)
    def _not_read(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error
        self._say(str(error))

    def _say(self, text: str) -> None:
        self._failed = text
        self.say_wrong(text)

    def _remember(self) -> None:
        from tracescope.readers.mapfile import MapFile, write_map

        if self._wrong():
            self.say_wrong(self._wrong())
            return
        suggested = str(Path(self._choices.path).with_suffix(".map.toml"))
        path = pick_file.save_file(self, "Remember for files like this", MAPS, suggested)
        if path is None:
            return
        chosen = self.choices()
        both = MapFile(sim=chosen) if self._side == "sim" else MapFile(target=chosen)
        try:
            write_map(both, path)
        except OSError as error:
            self.say_wrong(f"{path}: {error.strerror}")
        else:
            self.remembered.emit(str(path))
            where = (
                "it is offered for files of this shape, and works in the open dialog and as --map"
            )
            self.summary.setText(f"Remembered in {path}: {where}")

    def _wrong(self) -> str:
        """Say what keeps the choices from being used: a field as it is now, or the last reading."""
        return self.fields.wrong() or self._failed

    def accept(self) -> None:
        """Hand the choices over, or say why they cannot be read."""
        if self._wrong():
            self.say_wrong(f"{self._wrong()}\nChange it, or Cancel.")
            return
        self.chosen.emit(replace(self._choices, choices=self.choices()))
        super().accept()

    def done(self, result: int) -> None:
        """Stop reading before going."""
        self._due.stop()
        self.lane.close()
        super().done(result)
