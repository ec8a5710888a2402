"""While a long recording is read: its preview, in place of the panes, from which nothing can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from tracescope.model.alignment import Interval
from tracescope.ui.look import Look
from tracescope.ui.plots.preview_canvas import LookingMouse, PreviewCanvas
from tracescope.ui.plots.rebind import rebound
from tracescope.ui.plots.time_axis import TimeAxis
from tracescope.ui.plots.trace_view import PaneScroll
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow
    from tracescope.ui.preview_work import PairPreview


class PreviewBar(QFrame):
    """Says what the panes are, and how far reading is; stops it."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("notice", "repair")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 8, 5)
        row.setSpacing(10)
        self.words = QLabel()
        self.words.setWordWrap(True)
        self.words.setAccessibleName("preview")
        self.reading = QLabel()
        self.reading.setAccessibleName("reading")
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Stop reading; what was there before stays")
        self.cancel.setAccessibleName("Cancel reading")
        row.addWidget(self.words, 1)
        row.addWidget(self.reading)
        row.addWidget(self.cancel)

    def show_share(self, done: float, what: str = "reading") -> None:
        """Say how much of the pair is read, and what comes after it."""
        word = "Aligning" if what == "aligning" else "Reading"
        self.reading.setText(f"{word} … {100 * done:.0f} %")


class PreviewPage(QWidget):
    """The bar, and under it panes of a session of their own, that the window's session knows nothing of.

    Signals:
        hinted: One sentence for the status bar.
    """

    hinted = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.model = SessionModel(self)
        self.view = ViewModel(self.model, self)
        self.bar = PreviewBar()
        self.canvas = PreviewCanvas(self.model, self.view, look.theme)
        self.axis = TimeAxis(self.canvas, self.view, look.theme)
        self._mouse = LookingMouse(self.canvas, self.model, self.view)
        self._mouse.hinted.connect(self.hinted)
        self._whole: Interval | None = None
        self._done = 0.0
        scroll = PaneScroll()
        scroll.setWidget(self.canvas)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.resized.connect(self.canvas.arrange)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(scroll, 1)
        column.addWidget(self.axis)
        look.changed.connect(self._look_changed)

    def put(self, preview: PairPreview, shown: tuple[tuple[str, ...], ...]) -> None:
        """Show a preview, in the panes that were shown before where it has their signals."""
        self._done = 0.0
        self.bar.words.setText(preview.words)
        self.bar.show_share(0.0)
        self.model.open(preview.shown)
        kept, _ = rebound(shown, preview.shown)
        if kept:
            self.view.set_shown(kept)
        self._whole = self.view.range_s

    def clear(self) -> None:
        """Let the preview go."""
        self.model.open(None)
        self._whole = None

    def show_share(self, done: float, what: str) -> None:
        """Say how much is read; a share never falls, though each file is gone through more than once."""
        self._done = max(self._done, done)
        self.bar.show_share(self._done, what)

    @property
    def share(self) -> Interval | None:
        """Which part of the whole was chosen to be looked at, as shares of it; ``None``: all."""
        if self._whole is None or self.view.range_s == self._whole:
            return None
        (low, high), (first, last) = self.view.range_s, self._whole
        return (low - first) / (last - first), (high - first) / (last - first)

    @Slot()
    def _look_changed(self) -> None:
        self.canvas.set_theme(self._look.theme)
        self.axis.set_theme(self._look.theme)


class PreviewDesk(QObject):
    """Puts the preview in the place of everything that could be done with a session, and takes it away.

    Attributes:
        page: The page, once there was a preview.
        is_on: Whether it stands.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.page: PreviewPage | None = None
        self.is_on = False
        self._behind: QWidget | None = None
        self._around: list[QWidget] = []
        window.opener.previewed.connect(self.show)
        window.opener.preview_over.connect(self.end)

    @Slot(object)
    def show(self, preview: PairPreview) -> None:
        """Show a preview; a session that is open meanwhile is out of reach."""
        window, parts = self._window, self._window.parts
        page = self._page()
        page.put(preview, window.view.shown)
        task = window.opener.lane.task
        if task is not None:
            task.progressed.connect(page.show_share)
        if not self.is_on:
            around = (parts.header, *parts.docks.values())
            self._behind = parts.stack.currentWidget()
            self._around = [widget for widget in around if not widget.isHidden()]
            for widget in self._around:
                widget.hide()
        self.is_on = True
        parts.stack.setCurrentWidget(page)
        self._allow()

    @Slot()
    def end(self) -> None:
        """Take the preview away and put back what was there before."""
        if not self.is_on:
            return
        self.is_on = False
        if self._behind is not None:
            self._window.parts.stack.setCurrentWidget(self._behind)
        for widget in self._around:
            widget.show()
        self._behind, self._around = None, []
        self._page().clear()
        self._allow()

    def hand_over(self) -> None:
        """Take the preview away for the recording itself, which shows what was looked at."""
        if not self.is_on:
            return
        view, share = self._window.view, self._page().share
        if share is not None:
            first, last = view.extent_s
            view.set_range(*(first + part * (last - first) for part in share))
        self._behind, self._around = self._window.parts.traces, []
        self.end()

    def _allow(self) -> None:
        parts = self._window.parts
        for widget in (parts.align, parts.notices):
            widget.setEnabled(not self.is_on)
        parts.status.set_preview(on=self.is_on)
        self._window.refresh_actions()

    def _page(self) -> PreviewPage:
        if self.page is None:
            self.page = PreviewPage(self._window.look)
            self._window.parts.stack.addWidget(self.page)
            self.page.bar.cancel.clicked.connect(self._cancel)
            self.page.hinted.connect(self._window.parts.status.hint)
        return self.page

    @Slot()
    def _cancel(self) -> None:
        lane = self._window.opener.lane
        if lane.task is not None:
            self._window.notices.mention(f"cancelled: {lane.task.title}")
        lane.cancel()
