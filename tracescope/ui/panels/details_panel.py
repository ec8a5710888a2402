"""The dock of details: marks, anchors and lags, statistics of what is in view, XY, probing."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QTabWidget, QWidget

from tracescope.ui.look import Look
from tracescope.ui.panels.anchors_panel import AnchorsPanel
from tracescope.ui.panels.marks_panel import MarksPanel
from tracescope.ui.panels.parts import scrolled_both
from tracescope.ui.panels.probing_panel import ProbingPanel
from tracescope.ui.panels.stats_panel import StatsPanel
from tracescope.ui.panels.xy_panel import XYPanel
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

LEAST_PX = 50


class DetailsPanel(QTabWidget):
    """One tab for each."""

    def __init__(
        self,
        canvas: PaneCanvas,
        model: SessionModel,
        view: ViewModel,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.marks = MarksPanel(model, view)
        self.anchors = AnchorsPanel(model)
        self.stats = StatsPanel(model, view)
        self.xy = XYPanel(canvas, model, view, look)
        self.probing = ProbingPanel(model, view, look)
        self.setDocumentMode(True)
        self.tabBar().setUsesScrollButtons(False)
        self.tabBar().setElideMode(Qt.TextElideMode.ElideRight)
        self.setAccessibleName("details")
        for panel, title, tip in (
            (self.marks, "Marks", "What you marked yourself"),
            (
                self.anchors,
                "Anchors and lags",
                "Clock by anchors, and the lag of each signal apart",
            ),
            (self.stats, "Statistics", "Of the visible range, from raw samples"),
            (self.xy, "XY", "One signal against another"),
            (self.probing, "Probing", "One place, measured on both traces against a budget"),
        ):
            self.setTabToolTip(self.addTab(scrolled_both(panel, title.lower()), title), tip)

    def show_panel(self, panel: QWidget) -> None:
        """Bring one of the five to the front."""
        areas = [self.widget(place) for place in range(self.count())]
        for area in areas:
            if area is not None and area.isAncestorOf(panel):
                self.setCurrentWidget(area)

    def sizeHint(self) -> QSize:
        """Ask for little as well: the panes need their room more."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Return little: what does not fit is scrolled."""
        return QSize(160, self.tabBar().sizeHint().height() + LEAST_PX)
