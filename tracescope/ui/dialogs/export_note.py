"""What goes on the note, in which format, and where it is written."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from tracescope.findings.note.document import NoteOptions
from tracescope.session.session import Session
from tracescope.ui import pick_file
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.panels.parts import words

FORMATS = (
    ("html", "Web page, everything in one file (.html)"),
    ("pdf", "PDF (.pdf)"),
    ("md", "Markdown, figures beside it (.md)"),
    ("json", "JSON, for programs (.json)"),
)


def free_name(recording: Path, last: Path | None = None, ending: str = "html") -> Path:
    """Return where a note is offered: where the last one went, or beside the recording, else at home."""
    beside = [last] if last is not None else []
    folders = (path.absolute().parent for path in (*beside, recording))
    folder = next((f for f in folders if f.is_dir() and os.access(f, os.W_OK)), Path.home())
    names = (f"findings.{ending}", *(f"findings-{n}.{ending}" for n in range(2, 100)))
    return next(
        (folder / name for name in names if not (folder / name).exists()), folder / names[0]
    )


class ExportDialog(Dialog):
    """Signals (path, NoteOptions)."""

    chosen = Signal(object, object)

    def __init__(
        self, session: Session, parent: QWidget, author: str = "", last: Path | None = None
    ) -> None:
        super().__init__("Export note", parent)
        form = QFormLayout()
        self.format = QComboBox()
        for key, text in FORMATS:
            self.format.addItem(text, key)
        self.format.setAccessibleName("format")
        self.format.setToolTip("The format of the note; the file's ending follows")
        self._recording, self._last = Path(session.target.path), last
        self.path = QLineEdit(self._offered())
        self._untouched = self.path.text()
        self.path.setMinimumWidth(400)
        self._to_replace: Path | None = None
        self.path.setAccessibleName("note file")
        self.path.setToolTip("Where the note is written; a recording is never overwritten")
        browse = QPushButton("Choose…")
        browse.setToolTip("Choose where the note is written")
        row = QHBoxLayout()
        row.addWidget(self.path, 1)
        row.addWidget(browse)
        self.title = self._line("title", "Findings of this pair", "Heading of the note")
        self.author = self._line("author", "", "Who answers for the note")
        self.author.setText(author)
        self.policy = self._line("policy checkpoint", "", "Which policy drove the episode")
        self.paper = QComboBox()
        self.paper.addItem("A4", "a4")
        self.paper.addItem("Letter", "us-letter")
        self.paper.setAccessibleName("paper")
        self.paper.setToolTip("Paper of the PDF; the other formats have none")
        self.paper.setEnabled(False)  # Qt's own signature
        form.addRow("Format", self.format)
        form.addRow("File", row)
        form.addRow("Title", self.title)
        form.addRow("Author", self.author)
        form.addRow("Policy", self.policy)
        form.addRow("Paper", self.paper)
        self.column.addLayout(form)
        if session.stale:
            self.column.addWidget(
                words("The checks are still running; the note waits for them.", "muted")
            )
        self.add_buttons("Export", "Write the note in the background")
        self.format.currentIndexChanged.connect(self._ending)
        browse.clicked.connect(self._browse)

    @staticmethod
    def _line(name: str, shown: str, tip: str) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(shown)
        field.setAccessibleName(name)
        field.setToolTip(tip)
        return field

    def _ending(self) -> None:
        self.paper.setEnabled(self.format.currentData() == "pdf")
        if self.path.text() in ("", self._untouched):  # each format counts its own notes
            self._untouched = self._offered()
            self.path.setText(self._untouched)
        else:
            path = Path(self.path.text())
            self.path.setText(str(path.with_suffix(f".{self.format.currentData()}")))

    def _offered(self) -> str:
        return str(free_name(self._recording, self._last, self.format.currentData()))

    def _browse(self) -> None:
        path = pick_file.save_file(self, "Export note", pick_file.NOTES, self.path.text())
        if path is not None:
            self.path.setText(str(path))
            self._to_replace = path  # the file dialog has asked
            place = self.format.findData(path.suffix.lstrip("."))
            if place >= 0:
                self.format.setCurrentIndex(place)

    def accept(self) -> None:
        """Hand over what was chosen, or say why not."""
        text = self.path.text().strip()
        if not text:
            self.say_wrong("Say where the note shall be written")
            return
        path = Path(text)
        if not path.suffix:
            path = path.with_suffix(f".{self.format.currentData()}")
        if not path.absolute().parent.is_dir():
            self.say_wrong(f"There is no folder {path.absolute().parent}")
            return
        if path.exists() and path != self._to_replace:
            self._to_replace = path
            self.say_wrong(f"{path.name} exists already. Export once more to replace it.")
            return
        options = NoteOptions(
            title=self.title.text().strip(),
            author=self.author.text().strip(),
            policy=self.policy.text().strip(),
            paper=self.paper.currentData(),
        )
        self.chosen.emit(path, options)
        super().accept()
