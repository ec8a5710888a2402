"""The window's widgets and where they stand; what they say to one another is in ``main_window``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QMainWindow,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from tracescope.checks.base import Check
from tracescope.ui.actions import Actions, ActionSpec, Needs
from tracescope.ui.look import Look
from tracescope.ui.notices import Notices, NoticesBar
from tracescope.ui.panels.source_header import SourceHeader
from tracescope.ui.panels.start_page import StartPage
from tracescope.ui.plots.trace_view import TraceView
from tracescope.ui.session_model import SessionModel
from tracescope.ui.status import StatusLine
from tracescope.ui.toolbar import AlignTools
from tracescope.ui.view_model import ViewModel
from tracescope.ui.window_docks import WindowDocks

if TYPE_CHECKING:
    from tracescope.ui.panels.checks_panel import ChecksPanel
    from tracescope.ui.panels.details_panel import DetailsPanel
    from tracescope.ui.panels.findings_panel import FindingsPanel
    from tracescope.ui.panels.signals_panel import SignalsPanel
    from tracescope.ui.plots.commands import Command

LOCAL_KEYS = {"Left", "Right", "Up", "Down", "Home", "End", "Space", "Esc"}
"""Keys that other widgets need as well: the panes take them only while they have the focus."""

PROBING_PX = 330

MENUS = ("File", "Edit", "View", "Align", "Checks", "Findings", "Help")


class WindowParts:
    """Every part of one window, placed."""

    def __init__(
        self,
        window: QMainWindow,
        model: SessionModel,
        view: ViewModel,
        notices: Notices,
        look: Look,
        checks: tuple[Check, ...],
    ) -> None:
        self._window, self._look = window, look
        self.start = StartPage(look)
        self.header = SourceHeader(model, look)
        self.notices = NoticesBar(notices, look)
        self.traces = TraceView(model, view, look.theme)
        self.passing = NoticesBar(notices, look, self.traces, lambda: self.traces.panes_end_px)
        self._notices = notices
        self.stack = QStackedWidget()
        self.stack.addWidget(self.start)
        self.stack.addWidget(self.traces)
        central = QWidget()
        column = QVBoxLayout(central)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.notices)
        column.addWidget(self.stack, 1)
        window.setCentralWidget(central)
        self.filled = WindowDocks(window, self.traces.canvas, model, view, look, checks)
        self.docks = self.filled.docks
        self.align = AlignTools(model, look)
        self.status = StatusLine(model, view, notices, look, window)
        window.setStatusBar(self.status)

    @property
    def signals(self) -> SignalsPanel:
        """The list of signals."""
        return self.filled.signals

    @property
    def checks(self) -> ChecksPanel:
        """The check cards."""
        return self.filled.checks

    @property
    def findings(self) -> FindingsPanel:
        """Observed, inferred, untested and the next test."""
        return self.filled.findings

    @property
    def details(self) -> DetailsPanel:
        """Marks, anchors, statistics, XY and probing."""
        return self.filled.details

    def traces_actions(self) -> tuple[ActionSpec, ...]:
        """Return the panes' own commands as entries of the window's table."""
        return tuple(spec_of(command) for command in self.traces.commands)

    def show_pair(self, *, is_open: bool) -> None:
        """Show the panes and their docks, or the start page alone."""
        self.stack.setCurrentWidget(self.traces if is_open else self.start)
        self.header.setVisible(is_open)
        self._notices.lie_over_panes(is_open)
        self.filled.show_all(shown=is_open)

    def show_details(self, tab: str) -> None:
        """Bring a tab of the dock of details to the front, by the name of its panel."""
        panel = getattr(self.details, tab)
        self.details.show_panel(panel)
        dock = self.docks["details"]
        dock.show()
        dock.raise_()
        if panel is self.details.probing and dock.height() < PROBING_PX:
            # its result stands below what was asked
            self._window.resizeDocks([dock], [PROBING_PX], Qt.Orientation.Vertical)

    def build_toolbar(self, actions: Actions) -> QToolBar:
        """Place the toolbar: open, save; alignment; undo, redo; export."""
        bar = QToolBar("Main", self._window)
        self._iconic: list[QToolButton] = []
        bar.setObjectName("main-toolbar")
        bar.setMovable(False)
        bar.setIconSize(QSize(16, 16))
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for action in ("open-pair", "save-session"):
            bar.addAction(actions[action])
        room = QWidget()
        room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(room)
        bar.addWidget(self.align)
        bar.addSeparator()
        for action in ("undo", "redo"):
            bar.addAction(actions[action])
            button = bar.widgetForAction(actions[action])
            assert isinstance(button, QToolButton)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            self._iconic.append(button)
            button.setAccessibleName(action)
            button.setMinimumSize(26, 26)
        bar.addSeparator()
        self.bar = bar
        export = self.export = QPushButton("Export note…")
        export.setProperty("strong", True)  # noqa: FBT003  # Qt's own signature
        export.setToolTip(actions["export-note"].toolTip())
        export.setAccessibleName("export note")
        export.clicked.connect(actions["export-note"].trigger)
        actions["export-note"].changed.connect(
            lambda: export.setEnabled(actions["export-note"].isEnabled())
        )
        export.setMinimumWidth(export.sizeHint().width())
        bar.addWidget(export)
        for tool in bar.findChildren(QToolButton):
            tool.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._window.addToolBar(bar)
        return bar

    def set_narrow(self, *, narrow: bool) -> None:
        """Let the toolbar do without words where the window is narrow."""
        style = Qt.ToolButtonStyle
        shown = style.ToolButtonIconOnly if narrow else style.ToolButtonTextBesideIcon
        if self.bar.toolButtonStyle() != shown:
            self.bar.setToolButtonStyle(shown)
            for button in self._iconic:
                button.setToolButtonStyle(style.ToolButtonIconOnly)
            self.align.set_narrow(narrow=narrow)

    def build_menus(self, actions: Actions) -> None:
        """Make the menus from the table; the View menu ends with the docks."""
        bar = self._window.menuBar()
        for title in MENUS:
            menu = bar.addMenu(f"&{title}")
            menu.setToolTipsVisible(True)
            within: dict[str, QMenu] = {}
            for spec in actions.specs:
                top, _, sub = spec.menu.partition("/")
                if top != title:
                    continue
                if sub and sub not in within:
                    within[sub] = menu.addMenu(sub)
                place = within[sub] if sub else menu
                if spec.separated:
                    place.addSeparator()
                place.addAction(actions[spec.id])
            borrowed = [spec for spec in actions.specs if spec.also == title]
            if borrowed:
                menu.addSeparator()
            for spec in borrowed:
                menu.addAction(actions[spec.id])
            if title == "View":
                menu.addSeparator()
                for dock in self.docks.values():
                    menu.addAction(dock.toggleViewAction())


LETTERS = {
    "cursor.copy": "what",
    "view.fit_everything": "everything",
    "view.fit_pane": "Fit",
    "view.fit_values": "values",
    "view.residual": "residuals",
}
"""Before which word of a command's its letter stands."""


def spec_of(command: Command) -> ActionSpec:
    """Return a command of the panes as an entry of the window's table."""
    menu = {"Cursor": "View/Cursor", "View": "View/Panes"}.get(command.group, "Align")
    menu, also = ("Edit", "Findings") if command.id == "mark.here" else (menu, "")
    needs: Needs = "session" if menu != "Align" else "pair"
    local = any(
        key.split("+")[-1] in LOCAL_KEYS and not key.startswith("Alt+") for key in command.keys
    )
    return ActionSpec(
        command.id,
        menu,
        _lettered(command),
        command.words,
        command.run,
        command.keys,
        needs=needs,
        local=local,
        also=also,
    )


def _lettered(command: Command) -> str:
    """Return what menus call a command; those that the panes' own menu shows have a letter as the rest there."""
    at = command.words.find(LETTERS.get(command.id, "\0"))
    return command.words if at < 0 else f"{command.words[:at]}&{command.words[at:]}"
