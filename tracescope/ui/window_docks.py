"""The window's four docks, and what they hold: made when somebody needs it, not before the window shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QObject, QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QDockWidget, QHBoxLayout, QMainWindow, QWidget

from tracescope.checks.base import Check
from tracescope.model.check import Evidence
from tracescope.ui.look import Look
from tracescope.ui.panels.parts import icon_button, words
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

if TYPE_CHECKING:
    from tracescope.ui.panels.checks_panel import ChecksPanel
    from tracescope.ui.panels.details_panel import DetailsPanel
    from tracescope.ui.panels.findings_panel import FindingsPanel
    from tracescope.ui.panels.signals_panel import SignalsPanel

FIRST_FILL_MS = 200
"""So long after the window is shown, its docks begin to be filled while nobody waits for them."""

NEXT_FILL_MS = 20
"""Room for what a hand does, between one dock and the next."""

NARROW_PX, LOW_PX = 1000, 640
"""A narrower or lower window has no room for docks on three sides: they lie behind the checks, as tabs."""

SMALL_CHECKS_PX = 330


class DockTitle(QWidget):
    """A dock's title with buttons that take it out of the window or put it away."""

    def __init__(self, dock: QDockWidget, look: Look) -> None:
        super().__init__(dock)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 2, 6, 2)
        row.setSpacing(0)
        name = dock.windowTitle()
        row.addWidget(words(name, "heading"), 1)
        float_it = icon_button(
            look, "float", f"take {name} out of the window", "Own window, or back into this one"
        )
        float_it.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        close = icon_button(
            look, "close", f"put {name} away", f"Put {name} away; the View menu brings it back"
        )
        close.clicked.connect(dock.close)
        for button in (float_it, close):
            button.setIconSize(QSize(12, 12))
            row.addWidget(button)


class WindowDocks(QObject):
    """Signals, checks, findings and details.

    A dock is filled when its panel is asked for, when it is seen, before a pair opens, or when the window has
    been there for a moment: whichever comes first.

    Signals:
        evidence_wanted: The panes should show an Evidence.
        instant_wanted: The panes should show an instant of the sim's clock, seconds.
        hinted: One sentence for the status line.
        menu_wanted: The menu of some signals (channel keys), at a place of the screen.
    """

    evidence_wanted = Signal(object)
    instant_wanted = Signal(float)
    hinted = Signal(str)
    menu_wanted = Signal(QPoint, tuple)

    def __init__(
        self,
        window: QMainWindow,
        canvas: PaneCanvas,
        model: SessionModel,
        view: ViewModel,
        look: Look,
        checks: tuple[Check, ...],
    ) -> None:
        super().__init__(window)
        self._window, self._canvas, self._checks = window, canvas, checks
        self._model, self._view, self._look = model, view, look
        self._panels: dict[str, QWidget] = {}
        self._makers: dict[str, Callable[[], QWidget]] = {
            "checks": self._make_checks,
            "signals": self._make_signals,
            "findings": self._make_findings,
            "details": self._make_details,
        }
        area = Qt.DockWidgetArea
        self.docks = {
            name: self._dock(name, area)
            for name, area in (
                ("signals", area.LeftDockWidgetArea),
                ("checks", area.RightDockWidgetArea),
                ("findings", area.BottomDockWidgetArea),
                ("details", area.BottomDockWidgetArea),
            )
        }
        self._is_narrow = self._is_low = False
        self._roomy: QByteArray | None = None
        self._place()
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._fill_next)
        model.opening.connect(self.fill)

    def _dock(self, name: str, area: Qt.DockWidgetArea) -> QDockWidget:
        title = name.capitalize()
        dock = QDockWidget(title, self._window)
        dock.setObjectName(name)
        dock.setAccessibleName(title)
        dock.setTitleBarWidget(DockTitle(dock, self._look))
        dock.visibilityChanged.connect(lambda seen: self._panel(name) if seen else None)
        self._window.addDockWidget(area, dock)
        return dock

    def _place(self) -> None:
        window, docks, area = self._window, self.docks, Qt.DockWidgetArea
        window.tabifyDockWidget(docks["findings"], docks["details"])
        docks["findings"].raise_()
        for corner in (Qt.Corner.BottomLeftCorner, Qt.Corner.TopLeftCorner):
            window.setCorner(corner, area.LeftDockWidgetArea)
        for corner in (Qt.Corner.BottomRightCorner, Qt.Corner.TopRightCorner):
            window.setCorner(corner, area.RightDockWidgetArea)
        self._share_out()

    def _share_out(self) -> None:
        docks, way = self.docks, Qt.Orientation
        self._window.resizeDocks([docks["signals"], docks["checks"]], [235, 380], way.Horizontal)
        self._window.resizeDocks([docks["findings"]], [230], way.Vertical)

    def show_all(self, *, shown: bool) -> None:
        """Show the docks, the checks in front where others lie behind them, or none."""
        for dock in self.docks.values():
            dock.setVisible(shown)
        if shown and self._roomy is not None:
            self.docks["checks"].raise_()

    # Small windows

    def fit(self, size: QSize, font_scale: float) -> None:
        """Lay docks over one another where the window is small; once there is room they go back."""
        narrow, low = size.width() < NARROW_PX * font_scale, size.height() < LOW_PX * font_scale
        if (narrow, low) == (self._is_narrow, self._is_low):
            return
        was_hidden = {name: dock.isHidden() for name, dock in self.docks.items()}
        if self._roomy is None:
            self._roomy = self._window.saveState()
        else:
            self._window.restoreState(self._roomy)
        self._is_narrow, self._is_low = narrow, low
        checks = self.docks["checks"]
        for name, is_behind in (("findings", low), ("details", low), ("signals", narrow)):
            if is_behind:
                self._window.tabifyDockWidget(checks, self.docks[name])
        for name, dock in self.docks.items():
            dock.setHidden(was_hidden[name])
        if narrow or low:
            QTimer.singleShot(0, checks, checks.raise_)  # the tabs are made by then
            self._window.resizeDocks([checks], [SMALL_CHECKS_PX], Qt.Orientation.Horizontal)
            return
        self._roomy = None
        self._share_out()  # the sizes that came back are those of a window already made small

    def layout_state(self) -> QByteArray:
        """Return where the docks stand in a window that has room for them."""
        return self._window.saveState() if self._roomy is None else self._roomy

    # Filling

    def fill_soon(self) -> None:
        """Fill the docks one after another, once the window has been seen."""
        if len(self._panels) < len(self._makers):
            self._later.start(FIRST_FILL_MS)

    def fill(self) -> None:
        """Fill what is not filled yet."""
        for name in self._makers:
            self._panel(name)

    def _fill_next(self) -> None:
        missing = [name for name in self._makers if name not in self._panels]
        for name in missing[:1]:
            self._panel(name)
        if len(missing) > 1:
            self._later.start(NEXT_FILL_MS)

    def _panel(self, name: str) -> QWidget:
        if name not in self._panels:
            panel = self._panels[name] = self._makers[name]()
            self.docks[name].setWidget(panel)
        return self._panels[name]

    def _make_signals(self) -> QWidget:
        from tracescope.ui.panels.signals_panel import SignalsPanel

        self._signals = SignalsPanel(self._model, self._view, self._look)
        self._signals.menu_wanted.connect(self.menu_wanted)
        return self._signals

    def _make_checks(self) -> QWidget:
        from tracescope.ui.panels.checks_panel import ChecksPanel

        self._cards = ChecksPanel(self._checks, self._model, self._look)
        self._cards.evidence_wanted.connect(self.evidence_wanted)
        self._cards.evidence_wanted.connect(self._draw_against)
        self._cards.guide_wanted.connect(self._show_check)
        return self._cards

    def _draw_against(self, evidence: Evidence) -> None:
        """Draw one signal over another where evidence is about both; a dock that was put away stays away."""
        if self.details.xy.take(evidence) and self.docks["details"].toggleViewAction().isChecked():
            self.details.show_panel(self.details.xy)
            self.docks["details"].raise_()

    def _show_check(self, number: int) -> None:
        from tracescope.ui.guide_viewer import show_check

        show_check(number, self._look, self._window)

    def _make_findings(self) -> QWidget:
        from tracescope.ui.panels.findings_panel import FindingsPanel

        self._findings = FindingsPanel(self._model, self._look)
        self._findings.evidence_wanted.connect(self.evidence_wanted)
        self._findings.check_wanted.connect(self._show_card_of)
        return self._findings

    def _make_details(self) -> QWidget:
        from tracescope.ui.panels.details_panel import DetailsPanel

        details = DetailsPanel(self._canvas, self._model, self._view, self._look)
        self._details = details
        details.marks.evidence_wanted.connect(self.evidence_wanted)
        details.anchors.go_to_wanted.connect(self.instant_wanted)
        details.probing.evidence_wanted.connect(self.evidence_wanted)
        details.anchors.hinted.connect(self.hinted)
        details.probing.hinted.connect(self.hinted)
        return details

    # Bringing to the front

    def show_card(self, number: int) -> None:
        """Scroll to a card by its number and give it the focus, wherever its dock was."""
        self.bring("checks")
        self.checks.go_to(number)

    def bring(self, name: str) -> None:
        """Show a dock that was put away, and raise it where it lies behind another one."""
        self.docks[name].show()
        self.docks[name].raise_()

    @Slot(str)
    def _show_card_of(self, check_id: str) -> None:
        card = self.checks.card_of(check_id)
        if card is not None:
            self.show_card(self.checks.cards.index(card))

    # What they hold

    @property
    def signals(self) -> SignalsPanel:
        """The list of signals."""
        self._panel("signals")
        return self._signals

    @property
    def checks(self) -> ChecksPanel:
        """The check cards."""
        self._panel("checks")
        return self._cards

    @property
    def findings(self) -> FindingsPanel:
        """Observed, inferred, untested and the next test."""
        self._panel("findings")
        return self._findings

    @property
    def details(self) -> DetailsPanel:
        """Marks, anchors, statistics, XY and probing."""
        self._panel("details")
        return self._details
