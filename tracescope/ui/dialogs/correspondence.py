"""Which channel belongs to which: by name, by place, as given, or as suggested and accepted by a person."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from tracescope.analysis.correspondence import Suggestion, suggested_matches
from tracescope.findings.numbers import number
from tracescope.model.trace import Channel, Role
from tracescope.session.session import Session
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.dialogs.import_table import fit_large_type
from tracescope.ui.panels.parts import words
from tracescope.ui.worker import Lane

NONE = "no counterpart"
HOW = {"name": "same name", "index": "same role and place", "given": "given"}
ROWS_SHOWN = 400


class CorrespondenceDialog(Dialog):
    """One row a simulator channel, with its target channel to choose.

    Signals:
        chosen: Carries all (sim, target) pairs that a person gave or accepted.
    """

    chosen = Signal(object)

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__("Which channel belongs to which", parent)
        self._session = session
        self._suggestions: tuple[Suggestion, ...] = ()
        self._fields: dict[str, QComboBox] = {}
        self.lane = Lane(self)
        tip = "Every simulator channel and the target channel that it is compared with"
        self.column.addWidget(words(f"{tip}. What you change here counts as given.", "muted"))
        self.table = QTableWidget(0, 3)
        self.table.setHorizontalHeaderLabels(["Simulator", "Target", "because"])
        self.table.setAccessibleName("correspondences")
        self.table.setToolTip(tip)
        self.table.verticalHeader().hide()
        self.table.setTabKeyNavigation(False)
        fit_large_type(self.table)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.column.addWidget(self.table, 1)
        self.take = QPushButton("Take the suggestions")
        self.take.setToolTip(
            "Pair the unmatched channels that move alike; nothing is taken unasked"
        )
        self.take.setEnabled(False)
        self.take.clicked.connect(self._take_suggestions)
        self.column.addWidget(self.take)
        self._fill()
        self.add_buttons("OK", "Open the pair with these correspondences")
        self.resize(760, 520)
        task = self.lane.start(
            "comparing channels", lambda _: suggested_matches(session.pair, session.alignment)
        )
        task.finished.connect(self._suggested)

    def _fill(self) -> None:
        pair = self._session.pair
        how = {match.sim: match.how for match in pair.matches}
        rows = [c for c in pair.sim.channels if c.name in how or c.role is not Role.OTHER]
        self.table.setRowCount(min(len(rows), ROWS_SHOWN))
        for row, channel in enumerate(rows[:ROWS_SHOWN]):
            self._put(row, 0, channel.name)
            field = self._field(channel, pair.target_of(channel.name))
            self._fields[channel.name] = field
            self.table.setCellWidget(row, 1, field)
            self._put(row, 2, HOW.get(how.get(channel.name, ""), ""))

    def _put(self, row: int, column: int, text: str) -> None:
        item = QTableWidgetItem(text)
        item.setFlags(item.flags() & ~item.flags().ItemIsEditable)
        item.setToolTip(text)
        self.table.setItem(row, column, item)

    def _field(self, channel: Channel, partner: str | None) -> QComboBox:
        field = QComboBox()
        if partner is None:
            field.addItem(NONE, None)
        for other in self._session.pair.target.channels:
            field.addItem(other.name, other.name)
        field.setCurrentIndex(max(0, field.findData(partner)))
        field.setAccessibleName(f"target channel of {channel.name}")
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

        def tell(name: str) -> None:
            field.setToolTip(f"{name}\nThe target channel that {channel.name} is compared with")

        field.currentTextChanged.connect(tell)
        tell(field.currentText())
        return field

    @Slot(object)
    def _suggested(self, found: tuple[Suggestion, ...]) -> None:
        self._suggestions = found
        rows = {name: row for row, name in enumerate(self._fields)}
        for one in found:
            if one.sim in rows:
                self._put(rows[one.sim], 2, said(one))
        self.take.setEnabled(bool(found))
        count = len(found)
        self.take.setText(f"Take the {count} suggestions" if count > 1 else "Take the suggestion")
        if not found:
            self.take.setText("No unmatched channels move alike")

    @Slot()
    def _take_suggestions(self) -> None:
        for one in self._suggestions:
            if one.sim in self._fields:
                field = self._fields[one.sim]
                field.setCurrentIndex(field.findData(one.target))

    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return what was given before and is unchanged, with what was chosen now."""
        pair = self._session.pair
        given = {m.sim for m in pair.matches if m.how == "given"}
        return tuple(
            (name, field.currentData())
            for name, field in self._fields.items()
            if field.currentData() is not None
            and (name in given or field.currentData() != pair.target_of(name))
        )

    def accept(self) -> None:
        """Hand the pairs over, or say which target channel stands twice."""
        pairs = self.pairs()
        targets = [target for _, target in pairs]
        twice = sorted({name for name in targets if targets.count(name) > 1})
        if twice:
            self.say_wrong(f"chosen for more than one channel: {', '.join(twice)}")
            return
        self.chosen.emit(pairs)
        super().accept()

    def done(self, result: int) -> None:
        """Stop comparing before going."""
        self.lane.close()
        super().done(result)


def said(one: Suggestion) -> str:
    """Put a suggestion into words."""
    text = f"suggested: {one.target}, r = {one.correlation:+.3f}, × {number(one.scale)}"
    return f"{text} ({one.unit})" if one.unit else text
