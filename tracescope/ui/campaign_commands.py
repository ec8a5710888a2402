"""What a window on one pair has to do with campaigns: open their windows, take pairs from them, lead back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from tracescope.ui import pick_file
from tracescope.ui.actions import ActionSpec
from tracescope.ui.notices import Offer

if TYPE_CHECKING:
    from tracescope.ui.campaign_window import CampaignWindow
    from tracescope.ui.main_window import MainWindow
    from tracescope.ui.opener import Opened

KEY = "campaign"
ENDINGS = {".json", ".csv", ".toml"}


def campaign_actions(window: MainWindow) -> Iterator[ActionSpec]:
    """Yield the way in."""
    yield ActionSpec(
        "open-campaign",
        "File",
        "Open c&ampaign…",
        "Many pairs at once: a manifest (CSV, TOML) or a campaign's result",
        window.campaigns.choose,
        ("Ctrl+Shift+M",),
    )


class CampaignCommands(QObject):
    """Opens campaign windows and brings their pairs here.

    Attributes:
        title: Heading for a note of the open pair where it came from a campaign, else ``""``.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._views: list[CampaignWindow] = []
        self._expected: tuple[str, str] | None = None
        self.title = ""
        window.opener.opened.connect(self._opened)
        window.parts.start.campaign.clicked.connect(self.choose)
        window.destroyed.connect(self._close_all)

    @Slot()
    def choose(self) -> None:
        """Ask for a campaign."""
        from tracescope.ui.campaign_work import KINDS

        path = pick_file.open_file(self._window, "Open campaign", KINDS)
        if path is not None:
            self.open_path(path)

    def takes(self, paths: list[str]) -> bool:
        """Open what was dropped where it is a campaign; say whether it was."""
        if len(paths) != 1:
            return False
        path = Path(paths[0])
        if path.suffix.lower() not in ENDINGS and not path.is_dir():
            return False
        from tracescope.ui.campaign_work import is_campaign

        if not is_campaign(path):
            return False
        self.open_path(path)
        return True

    def open_path(self, path: Path) -> CampaignWindow:
        """Show a campaign in a window of its own."""
        from tracescope.ui.campaign_window import CampaignWindow

        view = CampaignWindow(self._window.look)
        view.pair_wanted.connect(
            lambda sim, target, name, kind: self._take(view, sim, target, name, kind)
        )
        self._views.append(view)
        view.destroyed.connect(lambda: self._gone(view))
        view.show()
        view.desk.open_path(path)
        return view

    def _take(self, view: CampaignWindow, sim: str, target: str, name: str, kind: str) -> None:
        """Open an episode's pair here, with the way back in a bar."""
        assert view.source is not None
        campaign = view.source.path.name
        self._expected = (sim, target)
        self.title = f"{name} of campaign {campaign} ({_kind_words(kind)})"
        self._window.commands.open_recent(sim, target)
        offer = Offer("Back to the campaign", lambda: self._back(view, name))
        self._window.notices.tell("info", f"Episode {self.title}", offers=[offer], key=KEY)
        self._window.raise_()
        self._window.activateWindow()

    def _back(self, view: CampaignWindow, name: str) -> None:
        if view not in self._views:
            self._window.notices.withdraw(KEY)
            self._window.parts.status.hint("the campaign's window was closed")
            return
        view.showNormal() if view.isMinimized() else view.show()
        view.raise_()
        view.activateWindow()
        view.select(name)

    @Slot(object)
    def _opened(self, opened: Opened) -> None:
        """Forget the campaign where another pair was opened."""
        if self._expected is None:
            return
        sides = (opened.session.sim, opened.session.target)
        paths = tuple(f"{s.path}::{s.episode}" if s.episode else s.path for s in sides)
        if paths != self._expected and tuple(s.path for s in sides) != self._expected:
            self._expected, self.title = None, ""
            self._window.notices.withdraw(KEY)

    def _gone(self, view: CampaignWindow) -> None:
        self._views = [kept for kept in self._views if kept is not view]

    @Slot()
    def _close_all(self) -> None:
        for view in list(self._views):
            view.close()


def _kind_words(kind: str) -> str:
    return f"kind {kind}" if kind.isupper() else kind
