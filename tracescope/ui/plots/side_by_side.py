"""Side by side: the simulator on the left, the target on the right, each on its own clock."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QWidget

from tracescope.model.case import Case
from tracescope.model.pair import TracePair
from tracescope.ui.plots.canvas_mouse import CanvasMouse
from tracescope.ui.plots.frame import Frame, time_ticks
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.time_axis import TimeAxis
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import Side, ViewModel

TITLES: dict[Side, str] = {
    "sim": "Simulator, on its own clock",
    "target": "Target, on its own clock",
}


class OneSideCanvas(PaneCanvas):
    """The same panes with one trace's curves only, and the value ranges of the main canvas.

    Recordings and pyramids are the main canvas's own; nothing is kept twice.
    """

    def __init__(
        self, side: Side, main: PaneCanvas, model: SessionModel, view: ViewModel, theme: Theme
    ) -> None:
        self.side = side
        self._main = main
        super().__init__(model, view, theme)
        self.setAccessibleName(TITLES[side])
        main.laid_out.connect(self.take_spans)
        self.take_spans()

    def frame(self) -> Frame | None:
        """Gather what a paint needs; the grid stands on the side's own clock."""
        frame = super().frame()
        if frame is None or self.side == "sim":
            return frame
        alignment = frame.case.alignment
        own = (alignment.to_target_one(frame.range_s[0]), alignment.to_target_one(frame.range_s[1]))
        ticks = time_ticks(own, frame.width_px)[1]
        at_px = tuple(float(round(frame.x(alignment.to_sim_one(at_s)))) for at_s in ticks)
        return replace(frame, ticks_px=at_px)

    def refresh(self) -> None:
        """Paint again; a value range that a hand changed here is the main canvas's as well."""
        super().refresh()
        changed = False
        for pane, twin in self._twins():
            if pane.box.by_hand and (pane.box.low, pane.box.high) != (twin.box.low, twin.box.high):
                twin.box.span_values(pane.box.low, pane.box.high, by_hand=True)
                changed = True
        if changed:
            self._main.arrange()

    def take_spans(self) -> None:
        """Take over the main canvas's value ranges."""
        for pane, twin in self._twins():
            pane.box.span_values(twin.box.low, twin.box.high, by_hand=twin.box.by_hand)
            pane.box.by_hand = twin.box.by_hand
            pane.shapes.clear()  # the main canvas also says so when a long channel has been read
        super().refresh()

    def fit_values(self, panes: list[Pane] | None = None) -> None:
        """Span the values of what both traces show."""
        wanted = [twin for pane, twin in self._twins() if panes is None or pane in panes]
        self._main.fit_values(wanted)

    def _twins(self) -> list[tuple[Pane, Pane]]:
        mains = {pane.keys: pane for pane in self._main.panes}
        return [(pane, mains[pane.keys]) for pane in self.panes if pane.keys in mains]

    def _derive_anew(self, pair: TracePair | None) -> None:
        super()._derive_anew(pair)
        self._main._derive_anew(pair)  # noqa: SLF001  # whoever hears first that there is a new pair
        self.data = self._main.data

    def _pane(self, case: Case, keys: tuple[str, ...], old: Pane | None) -> Pane:
        pane = super()._pane(case, keys, old)
        pane.series = tuple(s for s in pane.series if s.side == self.side)
        pane.is_one_side = True
        return pane


class OwnTimeAxis(TimeAxis):
    """Numbers of the target's own clock under panes that show a range of the sim's."""

    def to_own(self, frame: Frame, at_s: float) -> float:
        """Map an instant of the sim's clock to the clock written here."""
        return frame.case.alignment.to_target_one(at_s)

    def to_sim(self, frame: Frame, own_s: float) -> float:
        """Map back."""
        return frame.case.alignment.to_sim_one(own_s)

    def name(self, frame: Frame) -> str:
        """Name the axis."""
        kind = frame.case.pair.target.clock.kind
        return "row of the target trace" if kind == "rows" else "time on the target clock (s)"


class SideScroll(QScrollArea):
    """Scrolls both sides together, but leaves the keys to the cursor."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


class SideBySide(QWidget):
    """Two canvases on one range: what stands at the same place in both is the same aligned instant.

    ``hinted`` and ``menu_wanted`` are those of their mice.
    """

    hinted = Signal(str)
    menu_wanted = Signal(object)

    def __init__(
        self, main: PaneCanvas, model: SessionModel, view: ViewModel, theme: Theme
    ) -> None:
        super().__init__()
        self.sim = OneSideCanvas("sim", main, model, view, theme)
        self.target = OneSideCanvas("target", main, model, view, theme)
        self.axes = (TimeAxis(self.sim, view, theme), OwnTimeAxis(self.target, view, theme))
        self._mice = [CanvasMouse(canvas, model, view) for canvas in (self.sim, self.target)]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        both = QWidget()
        row = QHBoxLayout(both)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for column, canvas in enumerate((self.sim, self.target)):
            title = QLabel(TITLES[canvas.side])
            title.setAlignment(Qt.AlignmentFlag.AlignCenter)
            grid.addWidget(title, 0, column)
            row.addWidget(canvas, 1)
            grid.addWidget(self.axes[column], 2, column)
            grid.setColumnStretch(column, 1)
        grid.addWidget(SideScroll(both), 1, 0, 1, 2)
        grid.setRowStretch(1, 1)
        for mouse in self._mice:
            mouse.hinted.connect(self.hinted)
            mouse.menu_wanted.connect(self.menu_wanted)

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        for part in (self.sim, self.target, *self.axes):
            part.set_theme(theme)

    def cancel(self) -> bool:
        """Take back a gesture under way; return whether there was one."""
        sim, target = (mouse.cancel() for mouse in self._mice)
        return sim or target
