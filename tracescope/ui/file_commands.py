"""What the window does with files when asked: open, save, export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from tracescope.model.errors import Problem, ProblemsError
from tracescope.model.words import told_apart
from tracescope.session.open import OpenOptions
from tracescope.session.session import Session, SideChoices
from tracescope.ui import pick_file
from tracescope.ui.opener import NOTE_ENDING, SESSION_ENDING, problems_of, sorted_sides
from tracescope.ui.worker import Task

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow
    from tracescope.ui.opener import SideName


class FileCommands(QObject):
    """The verbs of one window that touch files.

    Attributes:
        waiting: On the start page: the side and path that wait for their counterpart.
        path: The session file that Save writes, once there is one.
        restored: The copy of unsaved work that is open now; it goes once the work is saved.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._model = window.model
        self._notices = window.notices
        self._opener = window.opener
        self.waiting: tuple[SideName, str] | None = None
        self.path: Path | None = None
        self._noted: dict[str, Path] = {}
        """Target recording → its last note."""
        self.restored: Path | None = None

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
        """Open what was dropped: a session file, a campaign, two traces, or one trace for a side."""
        if not paths or self._window.campaigns.takes(paths):
            return
        if paths[0].endswith((SESSION_ENDING, NOTE_ENDING)):
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
        self.reopen(side, SideChoices(path))

    def reopen(self, side: SideName, new: SideChoices) -> None:
        """Read one side anew, or another file for it; the other side stays."""
        session = self._model.open_session
        old = session.sim if side == "sim" else session.target
        sim, target = (new, session.target) if side == "sim" else (session.sim, new)
        # Given correspondences name channels of these files; another file may not have them.
        given = given_pairs(session) if new.path == old.path else ()
        options = OpenOptions(pairs=given)
        self.open_sides(sim if sim.path else None, target if target.path else None, options)

    @Slot(object)
    def rematch(self, pairs: tuple[tuple[str, str], ...]) -> None:
        """Open the same two files with these correspondences."""
        session = self._model.open_session
        self.open_sides(session.sim, session.target, OpenOptions(pairs=pairs))

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
        """Go back to the start page; unsaved work is put aside."""
        self.put_aside()
        self.path = self.restored = None
        self.waiting = None
        self._notices.withdraw("open", "proposal", "episodes", "export")
        self._model.open(None)

    def restore(self, copy: Path) -> None:
        """Open a copy of unsaved work; it stays unsaved until it is saved by hand."""
        self.restored = copy
        self._notices.withdraw("journal")
        self._opener.open_session_file(copy)

    def discard(self, copy: Path) -> None:
        """Throw a copy of unsaved work away."""
        self._notices.withdraw("journal")
        copy.unlink(missing_ok=True)

    def offer_copy(self, copy: Path, text: str) -> None:
        """Offer unsaved work that was kept."""
        from tracescope.ui.notices import Offer

        offers = [
            Offer("Restore", lambda: self.restore(copy)),
            Offer("Discard", lambda: self.discard(copy)),
        ]
        self._notices.tell("info", text, offers=offers, key="journal")

    def put_aside(self) -> None:
        """Keep unsaved work before another pair takes its place."""
        session = self._model.session
        copy = self._window.journal.put_aside()
        if copy is not None and session is not None:
            self.offer_copy(copy, f"Unsaved work on {session_name(session)} was put aside")

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
        if self.restored is not None:
            self.restored.unlink(missing_ok=True)
            self.restored = None
        self._model.undo_stack.setClean()
        self._window.saved(path)

    def export_note(self) -> None:
        """Show the dialog for the note."""
        from tracescope.ui.dialogs.export_note import ExportDialog

        session, settings = self._model.open_session, self._window.settings
        last = self._noted.get(session.target.path)
        dialog = ExportDialog(session, self._window, settings.author, last)
        dialog.title.setText(self._window.campaigns.title)
        dialog.chosen.connect(self.write_note)
        dialog.show()

    @Slot(object, object)
    def write_note(self, path: Path, options: object) -> None:
        """Write the note in the background, of what the checks say about the present state."""
        from tracescope.findings.note.document import NoteOptions
        from tracescope.session.export import export_note
        from tracescope.session.judge import judge

        assert isinstance(options, NoteOptions)
        session = self._model.open_session
        self._window.settings.author = options.author
        self._noted[session.target.path] = path

        def work(task: Task) -> Path:
            judged = judge(session, task.progress) if session.stale else session
            export_note(judged, path, options=options, progress=task.progress)
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


def open_outside(path: Path) -> None:
    """Open a file with the desktop's own program for it."""
    from PySide6.QtCore import QUrl
    from PySide6.QtGui import QDesktopServices

    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def given_pairs(session: Session) -> tuple[tuple[str, str], ...]:
    """Return the correspondences that a person gave."""
    return tuple((m.sim, m.target) for m in session.pair.matches if m.how == "given")


def session_name(session: Session) -> str:
    """Name a session by its files, with their folders where both are called alike."""
    paths = [side.path for side in (session.sim, session.target) if side.path]
    return " and ".join(told_apart(*paths))
