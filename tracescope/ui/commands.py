"""What the window does when asked: files, alignment, corrections, dialogs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot

from tracescope.model.alignment import Alignment
from tracescope.session.judge import pending_corrections
from tracescope.ui.file_commands import FileCommands
from tracescope.ui.profiles import shape_of

if TYPE_CHECKING:
    from tracescope.analysis.estimate import AlignmentEstimate
    from tracescope.session.session import SideChoices
    from tracescope.ui.opener import SideName
    from tracescope.ui.theme import ThemeChoice


class Commands(FileCommands):
    """All the verbs of one window."""

    # Alignment and corrections

    def estimate(self) -> None:
        """Estimate the alignment in the background and show the score over the lag."""
        from tracescope.analysis.estimate import estimate_alignment

        session = self._model.open_session
        task = self._opener.run(
            "estimating the alignment",
            lambda _: estimate_alignment(session.pair, session.confidence),
        )
        task.finished.connect(self._estimated)

    @Slot(object)
    def _estimated(self, estimate: AlignmentEstimate) -> None:
        from tracescope.ui.dialogs.estimate import EstimateDialog

        self._model.propose(estimate.alignment if estimate.verdict == "clear" else None)
        dialog = EstimateDialog(estimate, self._model, self._window.look, self._window)
        dialog.show()

    def assume(self) -> None:
        """Align as when the pair was opened: by first samples, or by a common absolute clock."""
        from tracescope.analysis.estimate import assumed_alignment

        self._model.align(assumed_alignment(self._model.open_session.pair))

    def as_recorded(self) -> None:
        """Take the target's stamps as they are."""
        self._model.align(replace(Alignment(how="hand", note="stamps as recorded"), mode="time"))

    def apply_pending(self) -> None:
        """Apply every correction that a check fitted and failed on."""
        pending = pending_corrections(self._model.open_session)
        if pending:
            self._model.correct(*pending)
        else:
            self._window.parts.status.hint("no check has a correction to apply")

    def correct_by_hand(self, channel: str = "") -> None:
        """Ask for scale and offset of a target channel."""
        from tracescope.ui.dialogs.correct import CorrectDialog

        if self._model.is_pair:
            dialog = CorrectDialog(self._model.open_session.case, channel, self._window)
            dialog.chosen.connect(self._model.correct)
            dialog.removed.connect(self._model.uncorrect)
            dialog.show()

    def remove_corrections(self) -> None:
        """Show the target as it was recorded."""
        self._model.set_corrections(())

    def undo(self) -> None:
        """Take the last change back; during a drag, the drag."""
        if self._model.previewing:
            self._model.cancel_preview()
        else:
            self._model.undo_stack.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        self._model.undo_stack.redo()

    # The window itself

    def choose_theme(self, choice: ThemeChoice) -> None:
        """Change the theme for every window."""
        self._window.settings.theme = choice
        self._window.look.choose(choice, demo=self._window.look.demo)
        self._window.refresh_actions()

    def toggle_demo(self) -> None:
        """Larger type and thicker lines, for a projector."""
        look = self._window.look
        look.choose(look.choice, demo=not look.demo)
        self._window.refresh_actions()

    def toggle_full_screen(self) -> None:
        """Full screen, or back."""
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_shortcuts(self) -> None:
        """Show every shortcut."""
        from tracescope.ui.dialogs.shortcuts import ShortcutSheet

        ShortcutSheet(self._window.actions_table, self._window).show()

    def show_palette(self) -> None:
        """Find anything by typing a part of its name."""
        from tracescope.ui.dialogs.palette import CommandPalette

        CommandPalette(self._window.actions_table, self._window).show()

    def show_messages(self) -> None:
        """Show every message there was."""
        from tracescope.ui.dialogs.messages import MessageLog

        MessageLog(self._notices, self._window).show()

    def show_properties(self, side: SideName) -> None:
        """Show everything known about one trace."""
        from tracescope.ui.dialogs.properties import PropertiesDialog

        session = self._model.session
        if session is not None:
            dialog = PropertiesDialog(side, session, self._window)
            dialog.import_wanted.connect(self.change_import)
            dialog.show()

    @Slot(str)
    def change_import(self, side: SideName) -> None:
        """Show the dialog on how one side is read."""
        from tracescope.ui.dialogs.import_dialog import ImportDialog

        session = self._model.open_session
        is_sim = side == "sim"
        choices = session.sim if is_sim else session.target
        trace = session.pair.sim if is_sim else session.pair.target
        if not choices.path:
            return
        dialog = ImportDialog(side, choices, trace, self._window)
        dialog.chosen.connect(lambda new: self.reopen(side, new))
        shape = shape_of(trace)
        remember = self._window.settings.remember_profile
        dialog.remembered.connect(lambda path: remember(shape, path))
        dialog.show()

    @Slot(str)
    def read_otherwise(self, side: SideName) -> None:
        """Show the dialog on how a file is read that could not be; OK tries the same files again."""
        from tracescope.ui.dialogs.import_dialog import ImportDialog
        from tracescope.ui.mending import unread

        asked = dict(self._opener.asked)
        dialog = ImportDialog(side, asked[side], unread(asked[side].path), self._window)

        def again(new: SideChoices) -> None:
            sides = asked | {side: new}
            self.open_sides(sides.get("sim"), sides.get("target"))

        dialog.chosen.connect(again)
        dialog.show()

    def change_matches(self) -> None:
        """Show the dialog on which channel belongs to which."""
        from tracescope.ui.dialogs.correspondence import CorrespondenceDialog

        dialog = CorrespondenceDialog(self._model.open_session, self._window)
        dialog.chosen.connect(self.rematch)
        dialog.show()

    def show_about(self) -> None:
        """Say which release this is."""
        from tracescope import __version__

        self._notices.tell(
            "info",
            f"tracescope {__version__}",
            "Disagreement is evidence, not a verdict; a clean check speaks only for the range it covered.",
            key="about",
        )
