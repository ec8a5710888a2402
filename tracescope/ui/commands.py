"""What the window does when asked: files, alignment, corrections, dialogs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

from tracescope.model.alignment import Alignment
from tracescope.model.errors import Problem, ProblemsError
from tracescope.session.judge import pending_corrections
from tracescope.session.session import Session, SideChoices
from tracescope.ui import pick_file
from tracescope.ui.opener import SESSION_ENDING, problems_of, sorted_sides
from tracescope.ui.worker import Task

if TYPE_CHECKING:
    from tracescope.analysis.estimate import AlignmentEstimate
    from tracescope.session.open import OpenOptions
    from tracescope.ui.main_window import MainWindow
    from tracescope.ui.opener import SideName
    from tracescope.ui.theme import ThemeChoice


class Commands(QObject):
    """The verbs of one window."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._model = window.model
        self._notices = window.notices
        self._opener = window.opener
        self.waiting: tuple[SideName, str] | None = None
        self.path: Path | None = None

    # Opening

    def open_pair(self) -> None:
        """Show the dialog for a pair."""
        from tracescope.ui.dialogs.open_pair import OpenPairDialog

        dialog = OpenPairDialog(self._model.session, self._window)
        dialog.chosen.connect(self.open_sides)
        dialog.show()

    @Slot(object, object, object)
    def open_sides(
        self,
        sim: SideChoices | None,
        target: SideChoices | None,
        options: OpenOptions | None = None,
    ) -> None:
        """Open a pair, or one trace alone."""
        if sim is not None and target is not None:
            self._opener.open_pair(sim, target, options)
        elif sim is not None:
            self._opener.open_alone("sim", sim)
        elif target is not None:
            self._opener.open_alone("target", target)

    def open_paths(self, paths: list[str]) -> None:
        """Open what was dropped: a session file, two traces, or one trace for a side."""
        if not paths:
            return
        if paths[0].endswith(SESSION_ENDING):
            self._opener.open_session_file(Path(paths[0]))
        elif len(paths) == 1:
            self._one_dropped(paths[0])
        elif len(paths) == 2:
            sim, target = sorted_sides(*paths)
            self._opener.open_pair(SideChoices(sim), SideChoices(target))
        else:
            problem = Problem(
                "a pair is two files", "dropped files", f"{len(paths)} files", "drop two"
            )
            self._notices.problems("These could not be opened", [problem], key="open")

    def _one_dropped(self, path: str) -> None:
        from tracescope.ui.notices import Offer
        from tracescope.ui.opener import side_by_name

        session = self._model.session
        if session is None:
            guess = side_by_name(path) or "sim"
            taken = self.waiting[0] if self.waiting else None
            self.take_side(
                "target" if taken == "sim" else "sim" if taken == "target" else guess, path
            )
            return
        name = Path(path).name
        offers = [
            Offer(f"As {word} trace", lambda side=side: self.replace_side(side, path))  # type: ignore[misc]
            for side, word in (("sim", "simulator"), ("target", "target"))
        ]
        self._notices.tell("info", f"Which side is {name}?", offers=offers, key="open")

    def take_side(self, side: SideName, path: str) -> None:
        """Take a file for one side; with its counterpart waiting, open the pair."""
        if self.waiting is not None and self.waiting[0] != side:
            other = self.waiting[1]
            self.waiting = None
            sim, target = (path, other) if side == "sim" else (other, path)
            self._opener.open_pair(SideChoices(sim), SideChoices(target))
        else:
            self.waiting = (side, path)
        shown = self.waiting or (side, "")
        self._window.parts.start.show_waiting(*shown)

    def open_waiting_alone(self) -> None:
        """Open the one file that waits for its counterpart."""
        if self.waiting is not None:
            side, path = self.waiting
            self._opener.open_alone(side, SideChoices(path))

    def choose_side(self, side: SideName) -> None:
        """Ask for a file for one side."""
        title = "Simulator trace" if side == "sim" else "Target trace"
        path = pick_file.open_file(self._window, title)
        if path is not None:
            self.take_side(side, str(path))

    def replace_side(self, side: SideName, path: str) -> None:
        """Open another trace in place of one side of the open pair."""
        self._notices.withdraw("open")
        session = self._model.open_session
        new, other = SideChoices(path), session.target if side == "sim" else session.sim
        if not other.path:
            self._opener.open_alone(side, new)
        elif side == "sim":
            self._opener.open_pair(new, other)
        else:
            self._opener.open_pair(other, new)

    def open_recent(self, sim: str, target: str) -> None:
        """Open a pair (or a session file) by its paths."""
        if sim.endswith(SESSION_ENDING):
            self._opener.open_session_file(Path(sim))
        elif target:
            self._opener.open_pair(SideChoices(sim), SideChoices(target))
        else:
            self._opener.open_alone("sim", SideChoices(sim))

    def open_session_file(self) -> None:
        """Ask for a session file."""
        path = pick_file.open_file(self._window, "Open session", pick_file.SESSIONS)
        if path is not None:
            self._opener.open_session_file(path)

    def swap_sides(self) -> None:
        """Open the pair the other way round."""
        session = self._model.open_session
        self.open_sides(
            session.target if session.target.path else None,
            session.sim if session.sim.path else None,
        )

    def close_pair(self) -> None:
        """Go back to the start page."""
        self.path = None
        self.waiting = None
        self._notices.withdraw("open", "proposal", "episodes")
        self._model.open(None)

    def restore(self, journal: Path) -> None:
        """Open what an earlier window left behind; it stays unsaved until saved by hand."""
        self._opener.open_session_file(journal)

    # Saving

    def save(self) -> None:
        """Save to the session's own file, asking for one the first time."""
        if self.path is None:
            self.save_as()
        else:
            self._save_to(self.path)

    def save_as(self) -> None:
        """Ask for a file and save to it."""
        session = self._model.open_session
        suggested = str(Path(session.target.path or session.sim.path).with_suffix(SESSION_ENDING))
        path = pick_file.save_file(
            self._window, "Save session", pick_file.SESSIONS, str(self.path or suggested)
        )
        if path is not None:
            if path.suffix != SESSION_ENDING:
                path = path.with_name(path.name + SESSION_ENDING)
            self._save_to(path)

    def _save_to(self, path: Path) -> None:
        from tracescope.session.store import save_session

        self._window.remember_view()
        try:
            save_session(self._model.open_session, path)
        except (ProblemsError, OSError) as error:
            self._notices.problems("The session was not saved", problems_of(error), key="save")
            return
        self._notices.withdraw("save")
        self.path = path
        self._model.undo_stack.setClean()
        self._window.saved(path)

    def export_note(self) -> None:
        """Show the dialog for the note."""
        from tracescope.ui.dialogs.export_note import ExportDialog

        dialog = ExportDialog(self._model.open_session, self._window)
        dialog.chosen.connect(self.write_note)
        dialog.show()

    @Slot(object, object)
    def write_note(self, path: Path, options: object) -> None:
        """Write the note in the background."""
        from tracescope.findings.note.document import NoteOptions
        from tracescope.session.export import export_note

        assert isinstance(options, NoteOptions)
        session = self._model.open_session

        def work(task: Task) -> Path:
            export_note(session, path, options=options, progress=task.progress)
            return path

        task = self._opener.run(f"exporting {path.name}", work)
        task.finished.connect(self._note_written)
        task.failed.connect(self._note_failed)

    @Slot(object)
    def _note_written(self, path: Path) -> None:
        from tracescope.ui.notices import Offer

        offer = Offer("Open", lambda: open_outside(path))
        self._notices.tell("info", f"Note written: {path}", offers=[offer], key="export")

    @Slot(object)
    def _note_failed(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error  # our own bug: the window's exception hook logs and shows it
        self._notices.problems("The note was not written", problems_of(error), key="export")

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
            PropertiesDialog(side, session, self._window).show()

    def show_about(self) -> None:
        """Say which release this is."""
        from tracescope import __version__

        self._notices.tell(
            "info",
            f"tracescope {__version__}",
            "Disagreement is evidence, not a verdict; a clean check speaks only for the range it covered.",
            key="about",
        )


def open_outside(path: Path) -> None:
    """Open a file with the desktop's own program for it."""
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QDesktopServices

    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def session_name(session: Session) -> str:
    """Name a session by its files."""
    names = [Path(side.path).name for side in (session.sim, session.target) if side.path]
    return " and ".join(names)
