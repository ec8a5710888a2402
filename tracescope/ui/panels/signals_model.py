"""The signals of the open pair as an item model: by role, tickable, with what is odd about each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import (
    QAbstractItemModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel, Role
from tracescope.ui.panels.oddities import Odd, Oddities
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel, channel_key
from tracescope.ui.words import correction_text

CHANNELS_MIME = "application/x-tracescope-channels"
"""What a dragged signal carries: channel keys of the view model, one a line."""

BADGE = Qt.ItemDataRole.UserRole + 1
"""The role of the text that says what is odd about a signal."""

SHORT = Qt.ItemDataRole.UserRole + 2
"""The role of what is drawn: without the path that the group's title already has."""

LONG_NAME = 20
"""Where a group has a name of this many letters, the path that all share stands in the title only."""

TITLES = {
    Role.OBSERVATION: "Observation",
    Role.OBSERVATION_RAW: "Raw observation",
    Role.ACTION: "Action",
    Role.ACTION_APPLIED: "Applied action",
    Role.REWARD: "Reward",
    Role.DONE: "Done",
    Role.TERMINATED: "Terminated",
    Role.TRUNCATED: "Truncated",
    Role.LATENCY: "Latency",
    Role.FRAME: "Frames",
    Role.OTHER: "Other",
}
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


@dataclass(slots=True, eq=False)
class Signal:
    """One row: a matched pair of channels, or a channel that only one side has."""

    key: str
    name: str
    sim: Channel | None
    target: Channel | None
    group: Group

    @property
    def unit(self) -> str:
        """The unit as the files gave it; both where they differ."""
        units = [c.unit for c in (self.sim, self.target) if c is not None and c.unit]
        return " | ".join(dict.fromkeys(units))


@dataclass(slots=True, eq=False)
class Group:
    """The signals of one role."""

    role: Role
    signals: list[Signal] = field(default_factory=list)

    @property
    def folder(self) -> str:
        """The path that all its signals share where names are long, e.g. ``state_motor/``; else empty."""
        names = [signal.name for signal in self.signals]
        if len(names) < 2 or max(map(len, names)) < LONG_NAME:
            return ""
        first, last = min(names), max(names)  # what these two share, all share
        count = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
        return first[: first.rfind("/", 0, count) + 1]


def badge_text(signal: Signal, oddities: Callable[[Channel], Odd]) -> str:
    """Write in short what is odd about a signal: on both sides, or on which one."""
    if signal.sim is None or signal.target is None:
        channel, side = (signal.sim, "sim") if signal.sim is not None else (signal.target, "target")
        odd = oddities(channel) if channel is not None else ()
        return " · ".join((f"{side} only", *odd))
    sim, target = oddities(signal.sim), oddities(signal.target)
    both = [odd for odd in sim if odd in target]
    alone = [f"sim {odd}" for odd in sim if odd not in both]
    alone += [f"target {odd}" for odd in target if odd not in both]
    return " · ".join([*both, *alone])


def groups_of(pair: TracePair) -> list[Group]:
    """Group a pair's signals by role; *other* is there even when it is empty."""
    groups = {role: Group(role) for role in Role}
    for sim in pair.sim:
        group = groups[sim.role]
        twin = pair.target_of(sim.name)
        target = None if twin is None else pair.target[twin]
        group.signals.append(Signal(channel_key("sim", sim.name), sim.name, sim, target, group))
    for target in pair.target:
        if pair.sim_of(target.name) is None:
            group = groups[target.role]
            key = channel_key("target", target.name)
            group.signals.append(Signal(key, target.name, None, target, group))
    return [g for g in groups.values() if g.signals or g.role is Role.OTHER]


class SignalsModel(QAbstractItemModel):
    """Two levels: roles, and the signals under them; ``BADGE`` says what is odd about one."""

    def __init__(self, model: SessionModel, view: ViewModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._view = view
        self._groups: list[Group] = []
        self.oddities = Oddities(self)
        self.oddities.arrived.connect(self._tell)
        model.pair_changed.connect(self._reload)
        for changed in (view.shown_changed, model.corrections_changed):
            changed.connect(self._tell)
        self._reload()

    def _reload(self) -> None:
        self.beginResetModel()
        self.oddities.forget()
        session = self._model.session
        self._groups = [] if session is None else groups_of(session.pair)
        self.endResetModel()

    def _tell(self) -> None:
        for row, group in enumerate(self._groups):
            parent = self.index(row, 0)
            if group.signals:
                last = self.index(len(group.signals) - 1, 0, parent)
                roles = [Qt.ItemDataRole.CheckStateRole, BADGE]
                self.dataChanged.emit(self.index(0, 0, parent), last, roles)

    # Structure: an index carries 0 for a group, and its group's row + 1 for a signal

    def index(self, row: int, column: int, parent: Index = ROOT) -> QModelIndex:
        """Return the index of a group or of a signal in one."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = ROOT) -> QModelIndex:  # type: ignore[override]
        """Return the group of a signal."""
        group = int(index.internalId()) - 1 if index.isValid() else -1
        return self.createIndex(group, 0, 0) if group >= 0 else QModelIndex()

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return how many groups there are, or signals in one."""
        if not parent.isValid():
            return len(self._groups)
        thing = self.at(parent)
        return len(thing.signals) if isinstance(thing, Group) and parent.column() == 0 else 0

    def columnCount(self, _parent: Index = ROOT) -> int:
        """Return the one column."""
        return 1

    def at(self, index: Index) -> Group | Signal | None:
        """Return what stands at an index."""
        if not index.isValid():
            return None
        group = int(index.internalId()) - 1
        if group < 0:
            return self._groups[index.row()] if index.row() < len(self._groups) else None
        signals = self._groups[group].signals if group < len(self._groups) else []
        return signals[index.row()] if index.row() < len(signals) else None

    # Content

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return what is shown of a group or signal."""
        thing = self.at(index)
        if isinstance(thing, Group):
            if role not in (Qt.ItemDataRole.DisplayRole, SHORT):
                return None
            folder = f" in {thing.folder}" if thing.folder else ""
            return f"{TITLES[thing.role]} ({len(thing.signals)}){folder}"
        return self._of_signal(thing, role) if isinstance(thing, Signal) else None

    def _of_signal(self, signal: Signal, role: int) -> object:
        if role == BADGE:
            return self._badge(signal)
        if role == Qt.ItemDataRole.CheckStateRole:
            ticked = any(signal.key in pane for pane in self._view.shown)
            return Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{signal.name}  {signal.unit}".rstrip()
        if role == SHORT:
            short = signal.name.removeprefix(signal.group.folder)
            return f"{short}  {signal.unit}".rstrip()
        if role == Qt.ItemDataRole.ToolTipRole:
            correction = correction_text(self._model.case, signal.target)
            return tip_of(signal, self.oddities.of) + (
                f"\n    corrected: {correction}" if correction else ""
            )
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{signal.name} {signal.unit} {self._badge(signal)}".strip()
        return None

    def _badge(self, signal: Signal) -> str:
        correction = correction_text(self._model.case, signal.target)
        return " · ".join(filter(None, (correction, badge_text(signal, self.oddities.of))))

    def setData(self, index: Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Show a signal in a pane of its own, or take it out of every pane."""
        thing = self.at(index)
        if role != Qt.ItemDataRole.CheckStateRole or not isinstance(thing, Signal):
            return False
        shown = self._view.shown
        if Qt.CheckState(value) == Qt.CheckState.Checked:
            self._view.set_shown((*shown, (thing.key,)))
        else:
            self._view.set_shown(tuple(k for k in pane if k != thing.key) for pane in shown)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let signals be ticked and dragged."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        base = Qt.ItemFlag.ItemIsEnabled
        if isinstance(self.at(index), Signal):
            base |= Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
            base |= Qt.ItemFlag.ItemIsUserCheckable
        return base

    def mimeTypes(self) -> list[str]:  # noqa: N802  # Qt's name
        """Return what a drag carries."""
        return [CHANNELS_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:  # noqa: N802  # Qt's name
        """Return the keys of the dragged signals."""
        things = [self.at(index) for index in indexes]
        keys = [thing.key for thing in things if isinstance(thing, Signal)]
        data = QMimeData()
        data.setData(CHANNELS_MIME, "\n".join(keys).encode())
        return data


def tip_of(signal: Signal, oddities: Callable[[Channel], Odd]) -> str:
    """Return what is odd about a signal, where it comes from on either side, and why it has its role."""
    odd = badge_text(signal, oddities)
    lines = [odd] if odd else []
    for side, channel in (("sim", signal.sim), ("target", signal.target)):
        if channel is None:
            lines.append(f"{side}: not there")
            continue
        place = channel.column if channel.index is None else f"{channel.column}[{channel.index}]"
        unit = channel.unit or "no unit given"
        lines.append(f"{side}: {channel.name} from {place}, {channel.dtype}, {unit}")
        if channel.role_because:
            lines.append(f"    {channel.role.value}: {channel.role_because}")
    return "\n".join(lines)
