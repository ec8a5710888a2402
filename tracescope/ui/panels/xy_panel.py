"""The XY view: which two signals, equal axes or not, and the plane."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from tracescope.model.check import Evidence
from tracescope.model.pair import TracePair
from tracescope.model.trace import END_ROLES, Role
from tracescope.ui.look import Look
from tracescope.ui.panels.page import Page
from tracescope.ui.panels.parts import words
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.xy_plot import XYPlot
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel, channel_key, key_of

WIDEST_BOX_PX = 220


def choices(pair: TracePair) -> list[tuple[str, str]]:
    """Return the signals of a pair to choose from, observations first: words and key."""
    out: list[tuple[int, str, str]] = []
    order = list(Role)
    for channel in pair.sim:
        if channel.role not in END_ROLES and not channel.labels:
            key = channel_key("sim", channel.name)
            out.append((order.index(channel.role), channel.name, key))
    for channel in pair.target:
        alone = pair.sim_of(channel.name) is None
        if alone and channel.role not in END_ROLES and not channel.labels:
            key = channel_key("target", channel.name)
            out.append((order.index(channel.role), f"{channel.name} (target)", key))
    out.sort(key=lambda choice: choice[0])
    return [(text, key) for _, text, key in out]


class XYPanel(Page):
    """Follows range, alignment, corrections and cursors while it is seen."""

    def __init__(
        self,
        canvas: PaneCanvas,
        model: SessionModel,
        view: ViewModel,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._canvas, self._model = canvas, model
        self.plot = XYPlot(model, view, canvas.data, look)
        self.x_box, self.y_box = self._box("x signal"), self._box("y signal")
        self.equal = QCheckBox("Equal axes")
        self.equal.setToolTip("The same units a pixel on both axes, as for a path on the floor")
        self.equal.setMinimumHeight(24)
        self.equal.toggled.connect(self.plot.set_equal)
        self.said = words("", "muted")
        line = QHBoxLayout()
        for label, box in (("x", self.x_box), ("y", self.y_box)):
            line.addWidget(QLabel(label))
            line.addWidget(box)
        line.addWidget(self.equal)
        line.addWidget(self.said, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 6)
        column.setSpacing(5)
        column.addLayout(line)
        column.addWidget(self.plot, 1)
        for changed in (model.alignment_changed, model.corrections_changed, view.range_changed):
            changed.connect(self.ask)
        model.pair_changed.connect(self._take_pair)
        self._take_pair()

    def _box(self, name: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setToolTip(f"The {name}; both traces draw it where both have it")
        box.setMinimumHeight(24)
        box.setMaximumWidth(WIDEST_BOX_PX)
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        box.setSizeAdjustPolicy(policy)
        box.setMinimumContentsLength(12)
        box.currentIndexChanged.connect(lambda _: self.refresh())
        return box

    @property
    def keys(self) -> tuple[str, str] | None:
        """The chosen signals."""
        if self.x_box.currentIndex() < 0 or self.y_box.currentIndex() < 0:
            return None
        return str(self.x_box.currentData()), str(self.y_box.currentData())

    def choose(self, x_key: str, y_key: str) -> None:
        """Choose two signals."""
        for box, key in ((self.x_box, x_key), (self.y_box, y_key)):
            box.setCurrentIndex(box.findData(key, Qt.ItemDataRole.UserRole))

    def take(self, evidence: Evidence) -> bool:
        """Draw what stands beside the evidence's channel over that channel; return whether there is such.

        An applied action over the emitted one shows their relation, a gain or a bound, as a line.
        """
        session = self._model.session
        if session is None or not evidence.beside:
            return False
        keys = [key_of(session.pair, name) for name in evidence.channels[:2]]
        known = [self.x_box.findData(key, Qt.ItemDataRole.UserRole) >= 0 for key in keys]
        if len(keys) < 2 or not all(known):
            return False
        self.choose(*keys)
        return True

    def refresh(self) -> None:
        """Draw the chosen signals over the visible range."""
        self.plot.take(self._canvas.data, self.keys)
        every = max((path.every for path in self.plot.paths), default=1)
        sides = " and ".join(path.side for path in self.plot.paths)
        thinned = f", every {every}th sample" if every > 1 else ""
        self.said.setText(f"{sides} over the visible range{thinned}" if sides else "")

    def _take_pair(self) -> None:
        """Keep the chosen signals by name where the next pair has them."""
        session, held = self._model.session, self.keys
        found = [] if session is None else choices(session.pair)
        for place, box in enumerate((self.x_box, self.y_box)):
            box.blockSignals(True)  # noqa: FBT003  # Qt's own signature
            box.clear()
            for text, key in found:
                box.addItem(text, key)
            kept = box.findData(held[place]) if held is not None else -1
            box.setCurrentIndex(kept if kept >= 0 else min(place, len(found) - 1))
            box.blockSignals(False)  # noqa: FBT003  # Qt's own signature
        self.ask()
