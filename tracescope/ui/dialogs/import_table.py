"""The import dialog's table: each channel's role and unit, with its first values."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from tracescope.findings.numbers import number
from tracescope.model.trace import Channel, Role, Trace
from tracescope.ui.panels.signals_model import TITLES

VALUES_SHOWN = 3
ROWS_SHOWN = 300
"""More channels than this keep their guessed role here; an import profile's globs reach them all."""

LONGEST_CELL = 32
"""Letters; a longer name is shortened in its middle and has its tooltip."""

Named = tuple[tuple[str, tuple[str, ...]], ...]
Units = tuple[tuple[str, str], ...]


def fit_large_type(table: QTableWidget) -> None:
    """Let rows be as high as their fields in any size of type, and shorten names in their middle."""
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.setHorizontalScrollMode(QTableWidget.ScrollMode.ScrollPerPixel)


class ChannelTable(QTableWidget):
    """Roles and units stay as they were until a person changes one.

    Signals:
        changed: A role or a unit was changed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 3 + VALUES_SHOWN, parent)
        self.setHorizontalHeaderLabels(["Channel", "Role", "Unit", "first values", "", ""])
        self.setAccessibleName("channels")
        self.setToolTip("What each column is: change a role or a unit and the file is read anew")
        self.verticalHeader().hide()
        self.setTabKeyNavigation(False)
        fit_large_type(self)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setMaximumSectionSize(LONGEST_CELL * self.fontMetrics().averageCharWidth())
        header.setStretchLastSection(True)
        self._trace: Trace | None = None
        self._roles: dict[str, Role] = {}
        self._units: dict[str, str] = {}
        self._touched = False
        self.cellChanged.connect(self._cell_changed)

    def show_trace(self, trace: Trace) -> None:
        """List the channels of what was read."""
        self._trace = None  # what follows is no person's change
        self.setRowCount(min(len(trace.channels), ROWS_SHOWN))
        for row, channel in enumerate(trace.channels[:ROWS_SHOWN]):
            name = QTableWidgetItem(channel.name)
            because = f"{channel.column}, {channel.dtype}. {channel.role_because}"
            name.setToolTip(f"{channel.name}\n{because}")
            name.setFlags(name.flags() & ~name.flags().ItemIsEditable)
            self.setItem(row, 0, name)
            self._show_role(row, channel)
            self.setItem(row, 2, QTableWidgetItem(self._units.get(channel.name, channel.unit)))
            for place, text in enumerate(first_values(channel)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                item.setFlags(item.flags() & ~item.flags().ItemIsEditable)
                self.setItem(row, 3 + place, item)
        self._trace = trace

    def _show_role(self, row: int, channel: Channel) -> None:
        """Show a channel's role; a field that is there already stays, and with it the focus."""
        field, name = self.cellWidget(row, 1), f"role of {channel.name}"
        if not isinstance(field, QComboBox) or field.accessibleName() != name:
            field = self._role_field(channel)
            field.setAccessibleName(name)
            self.setCellWidget(row, 1, field)
        field.setCurrentIndex(field.findData(self._roles.get(channel.name, channel.role)))
        field.setToolTip(channel.role_because or "What this channel is in the episode")

    def _role_field(self, channel: Channel) -> QComboBox:
        field = QComboBox()
        for role, title in TITLES.items():
            field.addItem(title, role)
        field.activated.connect(
            lambda _, name=channel.name, field=field: self._set_role(name, field.currentData())
        )
        return field

    def _set_role(self, name: str, role: Role) -> None:
        self._roles[name] = Role(role)
        self._touched = True
        self.changed.emit()

    def _cell_changed(self, row: int, column: int) -> None:
        item = self.item(row, column)
        if self._trace is None or column != 2 or item is None:
            return
        self._units[self._trace.channels[row].name] = item.text().strip()
        self.changed.emit()

    def roles(self, held: Named) -> Named:
        """Return every channel's role once a person changed one, else what held before."""
        if not self._touched or self._trace is None:
            return held
        named: dict[str, list[str]] = {}
        for channel in self._trace.channels:
            role = self._roles.get(channel.name, channel.role)
            if role is not Role.OTHER:
                named.setdefault(role.value, []).append(channel.name)
        return tuple((role, tuple(names)) for role, names in named.items())

    def units(self, held: Units) -> Units:
        """Return the units a person wrote (none is one too), then those held before: the first fit counts."""
        return (*self._units.items(), *(one for one in held if one[0] not in self._units))


def first_values(channel: Channel) -> list[str]:
    """Return a channel's first values as text."""
    if channel.labels:
        return [channel.labels[int(code)] for code in channel.value[:VALUES_SHOWN] if code >= 0]
    return [number(float(value)) for value in channel.as_float()[:VALUES_SHOWN]]
