"""Panes of a recording of which only some rows were read: to be looked at, and nothing else."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QMouseEvent

from tracescope.model.pair import TracePair
from tracescope.model.trace import Channel
from tracescope.ui.plots.canvas_mouse import CanvasMouse, Spot
from tracescope.ui.plots.cells import Lens, cells_of
from tracescope.ui.plots.clock import Place, place_of
from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.gestures import Gesture
from tracescope.ui.plots.outline import Outline, line_outline
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.plot_data import PlotData
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import ViewModel

LONG = 3
"""So many times the usual distance between blocks is a gap of the recording itself."""

ONLY_LOOKING = "this is a preview: cursors, marks and alignment wait for the recording itself"


class SampledData(PlotData):
    """What is drawn of blocks of rows."""

    is_sample = True

    def __init__(self) -> None:
        super().__init__()
        self._apart: dict[Place, float] = {}

    def joints(self, channel: Channel, lens: Lens) -> Outline | None:
        """Return the curve without breaks between blocks; a gap of the recording itself stays open."""
        time_s = channel.time_s
        usual_s, place = self.clock(time_s).gap_s, place_of(time_s)
        if place not in self._apart:
            steps = np.diff(time_s)
            holes = steps[steps > usual_s]
            self._apart[place] = float(np.median(holes)) if holes.size else 0.0
        cells = cells_of(time_s, lens, max(usual_s, LONG * self._apart[place]))
        return None if cells is None else line_outline(cells, self.pyramid(channel))


class PreviewCanvas(PaneCanvas):
    """The panes, without residuals."""

    def __init__(self, model: SessionModel, view: ViewModel, theme: Theme) -> None:
        super().__init__(model, view, theme.faded())
        self.residual_shown = False
        self.setAccessibleName("Preview of the signals over time")

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        super().set_theme(theme.faded())

    def _derive_anew(self, pair: TracePair | None) -> None:
        before = self._pair
        super()._derive_anew(pair)
        if pair is not before:
            self.data = SampledData()
            self.residuals.start(self.data)


class LookingMouse(CanvasMouse):
    """Pans and zooms; a click or a grasp for the target says that they have to wait."""

    def _click(self, event: QMouseEvent, spot: Spot) -> None:
        del event, spot
        self.hinted.emit(ONLY_LOOKING)

    def _move_target(self, spot: Spot, start: object, frame: Frame) -> Gesture | None:
        del spot, start, frame
        self.hinted.emit(ONLY_LOOKING)
        return None
