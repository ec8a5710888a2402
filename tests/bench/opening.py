"""The window as it opens a recording: what the first picture took, and that of all rows."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer

from tests.bench import recordings
from tracescope.session.session import SideChoices
from tracescope.ui.app import Windows, make_application
from tracescope.ui.garbage import GarbageHere
from tracescope.ui.worker import Task

WARM_UP_ROWS = 1000


class Desk:
    """A window on its start page, everything imported and painted once.

    CPU seconds of the window's own thread, and those that the lane's thread had spent when it handed over
    what the picture shows: what it reads on meanwhile is no part of the picture.
    """

    def __init__(self) -> None:
        self._app = make_application(["tracescope"])
        GarbageHere(self._app)
        self.window = Windows(Path(os.devnull)).another()
        self.window.resize(1280, 960)
        self._given_s = self._finished_s = 0.0
        self._tell_apart()
        with tempfile.TemporaryDirectory(prefix="bench-") as own:
            self.open(str(recordings.hdf5(Path(own), WARM_UP_ROWS)), exact=True)
        self.window.model.open(None)
        self._turn(0.3)

    def open(self, path: str, *, exact: bool) -> dict[str, float]:
        """Open a recording; return ``cpu_s`` up to its first picture, or up to that of all its rows."""
        window, began_s = self.window, time.thread_time()
        canvas = window.parts.traces.canvas
        self._given_s = self._finished_s = 0.0
        before = canvas.paints
        window.opener.open_alone("sim", SideChoices(path))
        while window.model.session is None and (exact or not window.preview.is_on):
            self._turn(0.002)
        previewed = window.model.session is None
        if previewed:
            page = window.preview.page
            assert page is not None
            canvas, before = page.canvas, 0
        while canvas.paints == before:
            self._turn(0.002)
        on_lane_s = self._given_s if previewed else self._finished_s
        return {"cpu_s": time.thread_time() - began_s + on_lane_s, "peak_mib": 0.0}

    def _tell_apart(self) -> None:
        """Note when the lane's thread hands something over, in CPU seconds of its own since it began."""
        run, give = Task.run, Task.give
        began_s = 0.0

        def timed_run(task: Task, work: object) -> None:
            nonlocal began_s
            began_s = time.thread_time()

            def timed(task: Task) -> object:
                try:
                    return work(task)  # type: ignore[operator]
                finally:
                    self._finished_s = time.thread_time() - began_s

            run(task, timed)

        def timed_give(task: Task, item: object) -> None:
            self._given_s = time.thread_time() - began_s
            give(task, item)

        Task.run, Task.give = timed_run, timed_give  # type: ignore[method-assign,assignment]

    def _turn(self, most_s: float) -> None:
        loop = QEventLoop()
        QTimer.singleShot(round(1000 * most_s), loop.quit)
        loop.exec()
