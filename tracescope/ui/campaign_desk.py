"""The verbs of a campaign's window that touch files: open, run, stop, save the report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from tracescope.campaign.pool import Pool
from tracescope.model.errors import ProblemsError
from tracescope.ui import pick_file
from tracescope.ui.campaign_work import KINDS, REPORTS, Source, judged, read_source, write_report
from tracescope.ui.notices import Notices, Offer
from tracescope.ui.opener import problems_of
from tracescope.ui.worker import Lane, Running


class CampaignDesk(QObject):
    """Holds the campaign that is open and works on it off the screen's thread.

    Attributes:
        source: What is open, ``None`` at first.
        lane: Where pairs are judged and reports written.
        reader: Where manifests and results are read.

    Signals:
        source_changed: Another campaign is open, or its result came in.
        task_changed: Another task is under way, or none.
    """

    source_changed = Signal()
    task_changed = Signal()

    def __init__(self, notices: Notices, pool: Callable[[], Pool | None], parent: QWidget) -> None:
        super().__init__(parent)
        self._notices, self._pool, self._window = notices, pool, parent
        self.source: Source | None = None
        self.lane, self.reader = Lane(self), Lane(self)
        for lane in (self.lane, self.reader):
            lane.task_changed.connect(self.task_changed)

    @Slot()
    def choose(self) -> None:
        """Ask for a campaign."""
        path = pick_file.open_file(self._window, "Open campaign", KINDS)
        if path is not None:
            self.open_path(path)

    def open_path(self, path: Path) -> None:
        """Show a campaign; a manifest is run at once, from the cache where it was run before.

        It is read in a lane of its own: what is open stays, and goes on, until the other one is read.
        """
        self._notices.withdraw("open", "run", "report")
        task = self.reader.start(f"reading {path.name}", lambda _task: read_source(path))
        task.finished.connect(self._opened)
        task.failed.connect(self._open_failed)

    @Slot(object)
    def _opened(self, source: Source) -> None:
        self.lane.cancel()  # what it did was for the campaign before
        self._take(source)
        if source.result is None:
            self.run()

    @Slot(object)
    def _open_failed(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error  # our own bug: the exception hook logs and shows it
        self._notices.problems("This campaign could not be opened", problems_of(error), key="open")

    @property
    def task(self) -> Running | None:
        """What is under way: reading another campaign first, else work on the one that is open."""
        return self.reader.task or self.lane.task

    def close(self) -> None:
        """Cancel, and leave threads behind where they do not end at once."""
        self.reader.close()
        self.lane.close()

    @Slot()
    def run(self) -> None:
        """Judge every pair in processes, and group what comes out."""
        source = self.source
        if source is None or source.campaign is None:
            return
        self._notices.withdraw("run")
        task = self.lane.start("judging pairs", lambda task: judged(source, task, self._pool))
        task.finished.connect(self._ran)
        task.failed.connect(self._run_failed)

    @Slot(object)
    def _ran(self, source: Source) -> None:
        self._take(source)

    @Slot(object)
    def _run_failed(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error  # our own bug: the exception hook logs and shows it
        self._notices.problems("The campaign could not be run", problems_of(error), key="run")

    @Slot()
    def stop(self) -> None:
        """Stop what is under way."""
        if self.reader.task is not None:
            self.reader.cancel()
            return
        self.lane.cancel()
        self._notices.tell(
            "info",
            "Stopped; the pairs judged so far are kept, and Run goes on from there",
            key="run",
        )

    @Slot()
    def save_report(self) -> None:
        """Ask where to write the report, and write it in the background."""
        source = self.source
        if source is None or source.result is None:
            return
        suggested = str(source.path.with_name(f"{source.path.stem}-report.html"))
        path = pick_file.save_file(self._window, "Save report", REPORTS, suggested)
        if path is None:
            return
        if not path.suffix:
            path = path.with_suffix(".html")
        self._notices.withdraw("report")
        task = self.lane.start(f"writing {path.name}", lambda _task: write_report(source, path))
        task.finished.connect(self._report_written)
        task.failed.connect(self._report_failed)

    @Slot(object)
    def _report_written(self, path: Path) -> None:
        from tracescope.ui.file_commands import open_outside

        offer = Offer("Open", lambda: open_outside(path))
        self._notices.tell("info", f"Report written: {path}", offers=[offer], key="report")

    @Slot(object)
    def _report_failed(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error  # our own bug: the exception hook logs and shows it
        self._notices.problems("The report was not written", problems_of(error), key="report")

    def _take(self, source: Source) -> None:
        self.source = source
        self.source_changed.emit()
