"""One window on one pair: its parts, and who hears whom."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QStyle

from tracescope.checks.base import Check
from tracescope.model.check import Evidence
from tracescope.resources_path import samples
from tracescope.session.session import View
from tracescope.ui.actions import Actions
from tracescope.ui.campaign_commands import CampaignCommands
from tracescope.ui.commands import Commands
from tracescope.ui.context_menus import ContextMenus
from tracescope.ui.file_commands import session_name
from tracescope.ui.help_commands import connect_start_page
from tracescope.ui.journal import Journal
from tracescope.ui.judge import Judge
from tracescope.ui.look import Look
from tracescope.ui.notices import Notices, Offer
from tracescope.ui.opener import Opened, Opener
from tracescope.ui.overlap import OverlapWatch
from tracescope.ui.panels.start_page import local_paths
from tracescope.ui.preview import PreviewDesk
from tracescope.ui.prober import Prober
from tracescope.ui.profiles import offer_profiles
from tracescope.ui.proposal import proposal_text
from tracescope.ui.range_export import RangeExport
from tracescope.ui.repairs import repair_key, repair_notices
from tracescope.ui.session_model import SessionModel
from tracescope.ui.settings import RecentPair, Settings
from tracescope.ui.text_keys import TextKeys
from tracescope.ui.view_model import ViewModel
from tracescope.ui.window_actions import window_actions
from tracescope.ui.window_parts import WindowParts

NARROW_PX = 1080
"""A window narrower than this shows its toolbar without words."""

FIRST_SIZE = QSize(1480, 900)
GEOMETRY, LAYOUT = "window/geometry", "window/layout"


class MainWindow(QMainWindow):
    """Holds the models, the workers and the parts of one window, and connects them."""

    def __init__(
        self,
        checks: tuple[Check, ...],
        look: Look,
        settings: Settings,
        another: Callable[[], object] = lambda: None,
    ) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self.setWindowTitle("tracescope")
        self.look, self.settings, self._another = look, settings, another
        self.checks = checks
        self.log_path = Path()
        self.model = SessionModel(self)
        self.view = ViewModel(self.model, self)
        self.notices = Notices(self)
        self.opener = Opener(self.notices, self)
        self.judge = Judge(self.model, checks, self)
        self.prober = Prober(self.model, self)
        self.journal = Journal(self.model, self.remember_view, self)
        self.parts = WindowParts(self, self.model, self.view, self.notices, look, checks)
        self.commands = Commands(self)
        self.range_export = RangeExport(self)
        self.campaigns = CampaignCommands(self)
        self.overlap = OverlapWatch(self.model, self.notices, self.commands.assume, self)
        specs = (*window_actions(self), *self.parts.traces_actions())
        self.actions_table = Actions(specs, self, self.parts.traces, look)
        self.parts.build_menus(self.actions_table)
        self.parts.build_toolbar(self.actions_table)
        self.menus = ContextMenus(self)
        self.preview = PreviewDesk(self)
        TextKeys(self)
        self._connect()
        self._restore_geometry()
        self.parts.start.show_recent(settings.recent)
        self._pair_changed()

    def _connect(self) -> None:
        model, parts, commands = self.model, self.parts, self.commands
        model.pair_changed.connect(self._pair_changed)
        model.proposal_changed.connect(self._show_proposal)
        model.refused.connect(parts.status.hint)
        for changed in (model.lock_changed, model.proposal_changed):
            changed.connect(self.refresh_actions)
        model.undo_stack.indexChanged.connect(self.refresh_actions)
        model.undo_stack.cleanChanged.connect(self._title)
        self.look.changed.connect(self._look_changed)
        self.opener.opened.connect(self._opened)
        self.opener.read_otherwise_wanted.connect(commands.read_otherwise)
        self.opener.other_files_wanted.connect(commands.open_pair)
        parts.start.side_chosen.connect(commands.take_side)
        parts.start.choose_side.connect(commands.choose_side)
        parts.start.pair_chosen.connect(commands.open_recent)
        parts.start.alone.clicked.connect(commands.open_waiting_alone)
        connect_start_page(self)
        parts.header.properties_wanted.connect(commands.show_properties)
        parts.align.estimate_wanted.connect(commands.estimate)
        parts.filled.evidence_wanted.connect(self._show_evidence)
        parts.filled.instant_wanted.connect(self._show_instant)
        parts.filled.hinted.connect(parts.status.hint)
        parts.status.log_wanted.connect(commands.show_messages)
        parts.traces.hinted.connect(parts.status.hint)
        parts.status.watch(self.opener.lane)
        parts.status.watch(self.judge.lane)

    # What the models tell

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        commands = self.commands
        is_copy = opened.path is not None and opened.path == commands.restored
        commands.put_aside()
        commands.path = None if is_copy else opened.path
        commands.restored = commands.restored if is_copy else None
        commands.waiting = None
        self.parts.start.show_waiting("sim", "")
        self.notices.withdraw("export")
        self.model.open(opened.session)
        self.preview.hand_over()
        session = opened.session
        recent = RecentPair(str(commands.path)) if commands.path else _recent_of(opened)
        if recent is not None and not is_copy:
            self.settings.remember(recent)
            self.parts.start.show_recent(self.settings.recent)
        self._show_episodes(opened)
        self._show_repairs()
        offer_profiles(self)
        self.notices.mention(f"opened {session_name(session)}")
        if self.view.unmatched:
            missing = ", ".join(self.view.unmatched)
            self.notices.mention(f"the layout was kept; not in this pair: {missing}")
            self.parts.status.hint(f"the layout was kept; not in this pair: {missing}")
        self.parts.traces.setFocus()

    def _show_episodes(self, opened: Opened) -> None:
        def picker() -> None:
            from tracescope.ui.dialogs.episode_picker import EpisodePicker

            dialog = EpisodePicker(opened.session, opened.episodes, self)
            dialog.chosen.connect(self.commands.open_sides)
            dialog.show()

        named = opened.session.sim.episode or opened.session.target.episode
        if not opened.episodes or named:
            self.notices.withdraw("episodes")
            return
        counts = [f"{len(episodes)} in the {side} file" for side, episodes in opened.episodes]
        shown = " and ".join(
            trace.source.episode or ""
            for trace in (opened.session.pair.sim, opened.session.pair.target)
            if trace.source.episode
        )
        text = f"Several episodes: {', '.join(counts)}. Shown: {shown}."
        self.notices.tell("info", text, offers=[Offer("Choose…", picker)], key="episodes")

    def _show_repairs(self) -> None:
        self.notices.withdraw(repair_key("sim"), repair_key("target"))
        for notice in repair_notices(self.model.open_session, self.commands):
            self.notices.stand(notice)

    @Slot()
    def _pair_changed(self) -> None:
        is_open = self.model.session is not None
        self.parts.show_pair(is_open=is_open)
        self._show_proposal()
        self.refresh_actions()
        self._title()

    @Slot()
    def _show_proposal(self) -> None:
        session = self.model.session
        text = "" if session is None else proposal_text(session)
        if not text:
            self.notices.withdraw("proposal")
            return
        offers = [
            Offer("Apply", self.model.take_proposal),
            Offer("Why?", self.commands.estimate),
            Offer("Keep as it is", lambda: self.model.propose(None)),
        ]
        self.notices.tell("info", text, offers=offers, key="proposal")

    @Slot(object)
    def _show_evidence(self, evidence: Evidence) -> None:
        self.view.show_evidence(evidence)
        self.parts.status.hint(evidence.caption)

    @Slot(float)
    def _show_instant(self, at_s: float) -> None:
        self.view.set_cursor_a(at_s)
        self.view.reveal(at_s)

    @Slot()
    def _look_changed(self) -> None:
        self.parts.traces.set_theme(self.look.theme)
        self._fit_toolbar()

    @Slot()
    def refresh_actions(self) -> None:
        """Enable what can be done now."""
        table, stack = self.actions_table, self.model.undo_stack
        free = not self.preview.is_on
        has_session = free and self.model.session is not None
        table.refresh(has_session=has_session, is_pair=free and self.model.is_pair)
        for name, able, words in (
            ("undo", stack.canUndo(), stack.undoText()),
            ("redo", stack.canRedo(), stack.redoText()),
        ):
            table[name].setEnabled(able and free)
            table[name].setText(f"&{name.capitalize()} {words}".rstrip())
        session = self.model.session
        offered = session is not None and session.proposal is not None
        table["take-proposal"].setEnabled(offered and free)

    @Slot()
    def _title(self) -> None:
        session, path = self.model.session, self.commands.path
        if session is None:
            self.setWindowTitle("tracescope")
            return
        name = path.name if path is not None else session_name(session)
        changed = "" if self.model.undo_stack.isClean() else " •"
        self.setWindowTitle(f"{name}{changed} — tracescope")

    # What the commands ask

    def remember_view(self) -> None:
        """Store how the pair is shown with the session."""
        self.model.remember_view(View(self.view.shown, self.view.range_s))

    def saved(self, path: Path) -> None:
        """Say that the session lies in a file now."""
        self.settings.remember(RecentPair(str(path)))
        self.parts.start.show_recent(self.settings.recent)
        self.parts.status.hint(f"saved {path}")
        self.notices.mention(f"saved {path}")
        self.journal.forget()
        self._title()

    @Slot(str)
    def surprised(self, text: str) -> None:
        """Say that something unexpected happened, and where its details are; nothing is lost."""
        title = "Something unexpected happened; your work is kept"
        detail = f"{text}\nThe log file holds the details: {self.log_path}"
        if not any(n.key == "surprise" and n.detail == detail for n in self.notices.standing):
            self.notices.tell("error", title, detail, key="surprise")

    def new_window(self) -> None:
        """Open another window on the start page."""
        self._another()

    # What Qt tells

    def showEvent(self, event: QShowEvent) -> None:
        """Fill the docks once the window has been seen."""
        super().showEvent(event)
        self.parts.filled.fill_soon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Do without words in the toolbar where they do not fit."""
        super().resizeEvent(event)
        self._fit_toolbar()

    def _fit_toolbar(self) -> None:
        narrow_px = NARROW_PX * self.look.theme.font_scale
        self.parts.set_narrow(narrow=self.width() < narrow_px)
        self.parts.filled.fit(self.size(), self.look.theme.font_scale)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if local_paths(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        event.acceptProposedAction()
        self.commands.open_paths(local_paths(event))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Cancel, then let go; the journal keeps unsaved work for the next start."""
        self.settings.save_bytes(GEOMETRY, self.saveGeometry())
        if self.model.session is not None:
            self.settings.save_bytes(LAYOUT, self.parts.filled.layout_state())
        self.settings.sync()
        self.hide()  # what is written below needs no picture
        self.journal.close()
        self.judge.close()
        self.opener.close()
        super().closeEvent(event)

    def _restore_geometry(self) -> None:
        title_px = self.style().pixelMetric(QStyle.PixelMetric.PM_TitleBarHeight)
        room = self.screen().availableSize() - QSize(0, title_px)
        self.resize(FIRST_SIZE.boundedTo(room))
        geometry = self.settings.load_bytes(GEOMETRY)
        if geometry is not None:
            self.restoreGeometry(geometry)
        layout = self.settings.load_bytes(LAYOUT)
        if layout is not None:
            self.restoreState(layout)


def _recent_of(opened: Opened) -> RecentPair | None:
    """Return the pair for the list of recent ones; bundled pairs stand in the gallery already."""
    session = opened.session
    if all(Path(side.path).is_relative_to(samples()) for side in (session.sim, session.target)):
        return None
    names = [
        f"{side.path}::{side.episode}" if side.episode else side.path
        for side in (session.sim, session.target)
    ]
    return RecentPair(names[0], names[1]) if all(names) else None
