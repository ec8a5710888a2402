"""A campaign's episodes as rows of text, and as the table model the view shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QIcon

from tracescope.campaign.report_page import largest_entries
from tracescope.campaign.result_schema import CampaignFile
from tracescope.findings.numbers import number

Index = QModelIndex | QPersistentModelIndex

EVERYTHING = ""
UNUSABLE = "not usable"
STATE_ORDER = ("fail", "inconclusive", "pass")

SORT_ROLE = Qt.ItemDataRole.UserRole
STATES_ROLE = Qt.ItemDataRole.UserRole + 1
EPISODE_ROLE = Qt.ItemDataRole.UserRole + 2

_BEFORE = ("Episode", "Date", "Kind", "States", "Outcome", "Label")
_BEHIND = ("Largest differences",)
_KIND, _STATES = _BEFORE.index("Kind"), _BEFORE.index("States")
_TIPS = {
    "Episode": "Double click or Enter opens the pair in the usual window",
    "Date": "When the target ran (UTC)",
    "Kind": "The kind of failure it belongs to; unclustered: differs in a way that did not come back",
    "States": "What every check said, in their order",
    "Outcome": "How it ended, in the manifest's words",
    "Label": "The task, in the manifest's words",
    "Largest differences": "The largest entries of its signature: differences in tolerances",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One episode as the table shows it. ``kind`` is a cluster's id or what the episode is instead."""

    id: str
    date: str
    kind: str
    states: tuple[tuple[str, str], ...]
    outcome: str
    label: str
    params: tuple[tuple[str, float | str], ...]
    words: str
    sim: str = ""
    target: str = ""

    @property
    def states_text(self) -> str:
        """Every state in words: for tooltips and for who cannot see the strip."""
        return ", ".join(f"{check}: {state}" for check, state in self.states)


def rows_of(result: CampaignFile) -> tuple[Row, ...]:
    """Return every episode of a result, those that could not be used at the end."""
    judged = [
        Row(
            e.id,
            "" if e.date is None else e.date[:16].replace("T", " "),
            e.cluster or e.of_kind,
            tuple(e.states.items()),
            e.outcome,
            e.label,
            tuple(e.params.items()),
            ", ".join(largest_entries(e)),
            e.sim,
            e.target,
        )
        for e in result.episodes
    ]
    failed = [
        Row(one.id, "", UNUSABLE, (), "", "", (), " ".join(one.problem.split()))
        for one in result.failed
    ]
    return (*judged, *failed)


class EpisodeModel(QAbstractTableModel):
    """The table of episodes; columns follow what the manifest has.

    Attributes:
        rows: What is shown.
        marks: The marks of kinds, as icons.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        self.marks: dict[str, QIcon] = {}
        self._params: tuple[str, ...] = ()

    def show(self, rows: Sequence[Row]) -> None:
        """Show other episodes."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self._params = tuple(dict.fromkeys(name for row in self.rows for name, _ in row.params))
        self.endResetModel()

    @property
    def columns(self) -> tuple[str, ...]:
        """Headers, in order."""
        return (*_BEFORE, *self._params, *_BEHIND)

    def row_of(self, episode: str) -> int:
        """Return the row of an episode, −1 where there is none."""
        return next((place for place, row in enumerate(self.rows) if row.id == episode), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own signature
        """Return how many episodes there are."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own signature
        """Return how many columns there are."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's name and what it means."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        name = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.ToolTipRole:
            is_param = 0 <= section - len(_BEFORE) < len(self._params)
            return f"Simulation parameter {name}" if is_param else _TIPS[name]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a cell shows, sorts by, or says."""
        if not index.isValid():
            return None
        row, column = self.rows[index.row()], index.column()
        if role == EPISODE_ROLE:
            return row.id
        if role == SORT_ROLE:
            return self._sort_value(row, column)
        if column == _STATES:
            return _states(row, role)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._text(row, column) or None
        if role == Qt.ItemDataRole.DecorationRole and column == _KIND:
            return self.marks.get(row.kind)
        return None

    def _text(self, row: Row, column: int) -> str:
        value = self._value(row, column)
        return number(value) if isinstance(value, float) else value

    def _value(self, row: Row, column: int) -> float | str:
        """Return a cell's value; by the column's place, as a parameter may bear any name."""
        if column < len(_BEFORE):
            return (row.id, row.date, row.kind, row.states_text, row.outcome, row.label)[column]
        param = column - len(_BEFORE)
        if param < len(self._params):
            return dict(row.params).get(self._params[param], "")
        return row.words

    def _sort_value(self, row: Row, column: int) -> tuple[Any, ...]:
        """Return what sorts a cell: numbers before texts, both before nothing."""
        if column == _STATES:
            return tuple(STATE_ORDER.index(state) for _, state in row.states) or (9,)
        if column == _KIND:
            return (len(row.kind) > 3, row.kind)
        value = self._value(row, column)
        if isinstance(value, float):
            return (0, value, "")
        return (1, 0.0, value) if value else (2, 0.0, "")


def _states(row: Row, role: int) -> Any:
    if role == STATES_ROLE:
        return row.states
    if role in {Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole}:
        return row.states_text
    return None


class EpisodeFilter(QSortFilterProxyModel):
    """Sorts by value, and keeps the episodes of one kind that hold every word typed."""

    def __init__(self, model: EpisodeModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._episodes = model
        self._words: tuple[str, ...] = ()
        self._kind = EVERYTHING
        self.setSourceModel(model)

    @property
    def kind(self) -> str:
        """The kind kept, ``""`` for every one."""
        return self._kind

    def keep_text(self, text: str) -> None:
        """Keep episodes in whose row every word stands."""
        self._words = tuple(text.lower().split())
        self.invalidate()

    def keep_kind(self, kind: str) -> None:
        """Keep episodes of one kind, or of every one."""
        self._kind = kind
        self.invalidate()

    def filterAcceptsRow(self, row: int, _parent: Index) -> bool:  # noqa: N802  # Qt's own name
        """Say whether an episode is kept."""
        shown = self._episodes.rows[row]
        if self._kind not in {EVERYTHING, shown.kind}:
            return False
        params = " ".join(f"{name}={value}" for name, value in shown.params)
        parts = (shown.id, shown.date, shown.kind, shown.outcome, shown.label, shown.words)
        text = " ".join((*parts, shown.states_text, params)).lower()
        return all(word in text for word in self._words)

    def lessThan(self, left: Index, right: Index) -> bool:  # noqa: N802  # Qt's own name
        """Compare by value."""
        return bool(left.data(SORT_ROLE) < right.data(SORT_ROLE))
