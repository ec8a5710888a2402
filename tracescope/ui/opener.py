"""Opens traces, pairs and sessions off the screen's thread, and saves; tells in notices what went wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from tracescope.model.alignment import Alignment
from tracescope.model.errors import Problem, ProblemsError, TraceReadError
from tracescope.model.pair import pair_traces
from tracescope.model.progress import Progress
from tracescope.model.trace import Clock, Source, Trace
from tracescope.readers.base import EpisodeInfo
from tracescope.session.open import OpenOptions, open_session
from tracescope.session.session import Session, SideChoices
from tracescope.session.store import load_session
from tracescope.ui.mending import offers_for
from tracescope.ui.notices import Notices
from tracescope.ui.worker import Lane, Running, Task

log = logging.getLogger(__name__)

SESSION_ENDING = ".tracescope"
NOTE_ENDING = ".json"
SIM_WORDS = ("sim", "mujoco", "isaac", "gazebo", "model")
TARGET_WORDS = ("target", "real", "robot", "hardware", "hw", "machine", "plant")
SideName = Literal["sim", "target"]


@dataclass(frozen=True, slots=True)
class Opened:
    """A session read from its sources or from a session file.

    ``episodes`` lists, for each side whose file holds several, what else could be opened.
    """

    session: Session
    path: Path | None = None
    episodes: tuple[tuple[SideName, tuple[EpisodeInfo, ...]], ...] = ()


def no_trace() -> Trace:
    """Return the empty side of a lone trace: no rows, no channels, no path."""
    return Trace(Source(""), Clock(kind="rows"), np.zeros(0), ())


def side_by_name(path: str) -> SideName | None:
    """Guess from a file's name (then its folder's) which side it is, or ``None``."""
    for part in (Path(path).stem.lower(), Path(path).parent.name.lower()):
        is_sim = any(word in part for word in SIM_WORDS)
        is_target = any(word in part for word in TARGET_WORDS)
        if is_sim != is_target:
            return "sim" if is_sim else "target"
    return None


def sorted_sides(first: str, second: str) -> tuple[str, str]:
    """Return (sim, target) of two dropped files: by their names, else in the order they came."""
    sides = side_by_name(first), side_by_name(second)
    return (
        (second, first)
        if sides in (("target", "sim"), ("target", None), (None, "sim"))
        else (first, second)
    )


def open_alone(side: SideName, choices: SideChoices, progress: Progress) -> Session:
    """Read one trace; the other side is empty and nothing can be judged.

    Raises:
        TraceReadError: with every problem.
        Cancelled: from ``progress``.
    """
    from tracescope.readers import open_trace

    trace = open_trace(choices.path, choices.episode, choices.choices, progress)
    nothing = SideChoices("")
    if side == "sim":
        pair = pair_traces(trace, no_trace())
        return Session(pair, choices, nothing, Alignment())
    return Session(pair_traces(no_trace(), trace), nothing, choices, Alignment())


def episodes_of(choices: SideChoices) -> tuple[EpisodeInfo, ...]:
    """Return the episodes of a file, without reading them whole."""
    from tracescope.readers.files import file_head
    from tracescope.readers.registry import reader_for, split_episode

    path, _ = split_episode(choices.path)
    return reader_for(file_head(path))[0].episodes(path, choices.choices)


def with_episodes(session: Session, path: Path | None = None) -> Opened:
    """Say beside a session which of its files hold several episodes."""
    found: list[tuple[SideName, tuple[EpisodeInfo, ...]]] = []
    sides: tuple[tuple[SideName, Trace, SideChoices], ...] = (
        ("sim", session.pair.sim, session.sim),
        ("target", session.pair.target, session.target),
    )
    for side, trace, choices in sides:
        _ = trace.interval_s  # kept by the trace: the window's own thread need not look for it
        if trace.source.episode:
            episodes = episodes_of(choices)
            if len(episodes) > 1:
                found.append((side, episodes))
    return Opened(session, path, tuple(found))


class Opener(QObject):
    """One lane for every file: HDF5 is read on one thread at a time.

    Signals:
        opened: Carries :class:`Opened`.
        previewed: Carries a :class:`~tracescope.ui.preview_work.PairPreview` of what is still being read.
        preview_over: That reading has ended, or was stopped.
        read_otherwise_wanted: A person wants to say how the file of a side is read that could not be.
        other_files_wanted: A person wants to choose other files.

    Attributes:
        asked: The sides that were asked for last.
    """

    opened = Signal(object)
    previewed = Signal(object)
    preview_over = Signal()
    read_otherwise_wanted = Signal(str)
    other_files_wanted = Signal()

    def __init__(self, notices: Notices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._notices = notices
        self.lane = Lane(self)
        self.lane.task_changed.connect(self._task_changed)
        self._previewing: Running | None = None
        self.asked: dict[SideName, SideChoices] = {}

    def open_pair(
        self, sim: SideChoices, target: SideChoices, options: OpenOptions | None = None
    ) -> None:
        """Read and align a pair; a clear estimate stays a proposal."""
        chosen = replace(options or OpenOptions(), propose=True)
        names = f"{Path(sim.path).name} and {Path(target.path).name}"
        self.asked = {"sim": sim, "target": target}
        self._start(
            f"opening {names}",
            lambda task: with_episodes(open_session(sim, target, chosen, task.progress)),
            {"sim": sim, "target": target},
        )

    def open_alone(self, side: SideName, choices: SideChoices) -> None:
        """Read one trace without its counterpart."""
        self.asked = {side: choices}
        self._start(
            f"opening {Path(choices.path).name}",
            lambda task: with_episodes(open_alone(side, choices, task.progress)),
            {side: choices},
        )

    def open_session_file(self, path: Path) -> None:
        """Read a saved session, or the one a JSON note holds, and its sources.

        A note is never saved over: what it predicted stays as it was.
        """
        own = path if path.suffix == SESSION_ENDING else None
        self.asked = {}
        self._start(
            f"opening {path.name}",
            lambda task: with_episodes(load_session(path, task.progress), own),
        )

    def run(self, title: str, work: Callable[[Task], object]) -> Running:
        """Do other work with files on the same lane."""
        return self.lane.start(title, work)

    def _start(
        self,
        title: str,
        work: Callable[[Task], Opened],
        sides: dict[str, SideChoices] | None = None,
    ) -> None:
        def previewed(task: Task) -> Opened:
            from tracescope.ui.preview_work import preview_of

            preview = preview_of(sides or {}, task.progress)
            if preview is not None:
                task.give(preview)
            return work(task)

        self._notices.withdraw("open")
        task = self.lane.start(title, previewed)
        task.given.connect(self._given)
        task.finished.connect(self._finished)
        task.failed.connect(self._failed)

    @Slot(object)
    def _given(self, preview: object) -> None:
        self._previewing = self.lane.task
        self.previewed.emit(preview)

    @Slot()
    def _task_changed(self) -> None:
        if self._previewing is not None and self.lane.task is not self._previewing:
            self._previewing = None
            self.preview_over.emit()

    @Slot(object)
    def _finished(self, opened: Opened) -> None:
        self.opened.emit(opened)

    @Slot(object)
    def _failed(self, error: Exception) -> None:
        if not isinstance(error, (ProblemsError, OSError)):
            raise error  # our own bug: the window's exception hook logs and shows it
        title = (
            "This could not be read"
            if isinstance(error, TraceReadError)
            else "This could not be opened"
        )
        offers = offers_for(
            problems_of(error),
            self.asked.items(),
            self.read_otherwise_wanted.emit,
            self.other_files_wanted.emit,
        )
        self._notices.problems(title, problems_of(error), key="open", offers=offers)

    def close(self) -> None:
        """Cancel."""
        self.lane.close()


def problems_of(error: Exception) -> tuple[Problem, ...]:
    """Return an error's problems; the operating system's word counts as one."""
    if isinstance(error, ProblemsError):
        return error.problems
    if isinstance(error, OSError):
        return (Problem(error.strerror or str(error), str(error.filename or "")),)
    return (Problem(str(error), ""),)
