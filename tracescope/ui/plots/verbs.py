"""What the keys of the plots do to the view: cursors, panes, fits."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication

from tracescope.model.check import Evidence
from tracescope.ui.plots.copied import readout_text
from tracescope.ui.plots.differences import Difference, Differences
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.plots.plot_data import Series
from tracescope.ui.plots.readout import nearest_sample, stepped_sample
from tracescope.ui.plots.ticks import signed
from tracescope.ui.session_model import SessionModel
from tracescope.ui.view_model import ViewModel

PLAY_MS = 33
SHARE_A_PAGE = 0.9


def active_pane(canvas: PaneCanvas, view: ViewModel) -> Pane | None:
    """Return the pane that keys act on."""
    return canvas.panes[min(view.active, len(canvas.panes) - 1)] if canvas.panes else None


class CursorVerbs(QObject):
    """Moves the cursors."""

    def __init__(self, canvas: PaneCanvas, model: SessionModel, view: ViewModel) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._view = view
        self._clock = QElapsedTimer()
        self._player = QTimer(self, interval=PLAY_MS)
        self._player.timeout.connect(self._play_on)
        model.pair_changed.connect(self._player.stop)

    def step_cursor(self, by: int) -> None:
        """Move cursor A by samples of the active signal; the view follows."""
        series, frame = self._active_series(), self._canvas.frame()
        if series is None or frame is None:
            return
        at_s = self._view.cursor_a_s
        if at_s is None:
            middle = (frame.range_s[0] + frame.range_s[1]) / 2
            at_s = nearest_sample(series, frame.case.alignment, middle)
        else:
            at_s = stepped_sample(series, frame.case.alignment, at_s, by)
        self._view.set_cursor_a(at_s)
        self._view.reveal(at_s)

    def page(self, by: int) -> None:
        """Move the view by its own width."""
        low, high = self._view.range_s
        self._view.pan(by * SHARE_A_PAGE * (high - low))

    def to_end(self, *, last: bool) -> None:
        """Put cursor A on the active signal's first or last sample."""
        series, frame = self._active_series(), self._canvas.frame()
        if series is not None and frame is not None and series.channel.time_s.size:
            end_s = float(series.channel.time_s[-1 if last else 0])
            if series.side == "target":
                end_s = frame.case.alignment.to_sim_one(end_s)
            self._view.set_cursor_a(end_s)
            self._view.reveal(end_s)

    def place_cursor(self, name: str) -> None:
        """Put a cursor into the middle of the view, on a sample; A to the left of B where that one is there."""
        series, frame = self._active_series(), self._canvas.frame()
        if series is None or frame is None:
            return
        low, high = frame.range_s
        at_s = nearest_sample(series, frame.case.alignment, (low + high) / 2)
        if at_s == (self._view.cursor_b_s if name == "A" else self._view.cursor_a_s):
            beside = low + (high - low) * (0.25 if name == "A" else 0.75)
            at_s = nearest_sample(series, frame.case.alignment, beside)
        (self._view.set_cursor_a if name == "A" else self._view.set_cursor_b)(at_s)

    def clear(self) -> None:
        """Remove both cursors and stop playing."""
        self._player.stop()
        self._view.set_cursor_a(None)
        self._view.set_cursor_b(None)

    def play(self) -> None:
        """Let cursor A run in the episode's own time, or stop it."""
        frame = self._canvas.frame()
        if self._player.isActive():
            self._player.stop()
        elif frame is not None:
            if self._view.cursor_a_s is None:
                self._view.set_cursor_a(frame.range_s[0])
            self._clock.start()
            self._player.start()

    def _play_on(self) -> None:
        at_s = self._view.cursor_a_s
        if at_s is None:
            self._player.stop()
            return
        at_s += self._clock.restart() / 1e3
        last = self._view.extent_s[1]
        if at_s >= last:
            at_s = last
            self._player.stop()
        self._view.set_cursor_a(at_s)
        self._view.reveal(at_s)

    def _active_series(self) -> Series | None:
        pane = active_pane(self._canvas, self._view)
        return min(pane.series, key=lambda s: s.side) if pane is not None and pane.series else None


class PaneVerbs(QObject):
    """Moves between panes, fits and zooms. ``hinted`` says what cannot be done."""

    hinted = Signal(str)

    def __init__(self, canvas: PaneCanvas, model: SessionModel, view: ViewModel) -> None:
        super().__init__(canvas)
        self._canvas = canvas
        self._model = model
        self._view = view
        self._differences = Differences(canvas.residuals)
        self._last: Difference | None = None
        model.pair_changed.connect(self._forget)

    def step_pane(self, by: int) -> None:
        """Let keys act on the pane above or below."""
        self._view.set_active(self._view.active + by)
        pane = active_pane(self._canvas, self._view)
        if pane is not None:
            self._canvas.show_pane(pane)

    def zoom(self, factor: float) -> None:
        """Zoom about cursor A where it is in view, else about the middle."""
        at_s = self._view.cursor_a_s
        low, high = self._view.range_s
        self._view.zoom(factor, at_s if at_s is not None and low <= at_s <= high else None)

    def fit_pane(self) -> None:
        """Span what the active pane shows."""
        pane = active_pane(self._canvas, self._view)
        if pane is not None:
            self._canvas.fit_values([pane])

    def fit_values(self) -> None:
        """Span what every pane shows."""
        self._canvas.fit_values()

    def fit_everything(self) -> None:
        """Show the whole pair, and every value."""
        self._view.fit_all()
        self._canvas.fit_values()

    def toggle_residual(self) -> None:
        """Show or hide the residual lanes."""
        self._canvas.show_residual(not self._canvas.residual_shown)

    def copy_readout(self) -> None:
        """Put what the cursors read of every shown signal on the clipboard, as a table."""
        frame = self._canvas.frame()
        if frame is None or frame.cursor_a_s is None:
            self.hinted.emit("put cursor A somewhere first: there is nothing to read")
            return
        text = readout_text(self._canvas.panes, frame, self._canvas.data)
        QGuiApplication.clipboard().setText(text)
        self.hinted.emit(f"copied {text.count(chr(10))} rows")

    def next_difference(self, by: int) -> None:
        """Go to the next (previous, where negative) run of samples beyond tolerance of a shown signal."""
        case = self._model.case
        if case is None:
            return
        found, complete = self._differences.found(self._canvas.panes, case)
        low, high = self._view.range_s
        at_s = (low + high) / 2 if self._view.cursor_a_s is None else self._view.cursor_a_s
        at = self._place_of_last(found, at_s)
        if at is not None:
            place = at + by
        else:
            starts = [d.span_s[0] for d in found]
            place = bisect_right(starts, at_s) if by > 0 else bisect_left(starts, at_s) - 1
        if not 0 <= place < len(found):
            where = "after" if by > 0 else "before"
            rest = "" if complete else "; residuals of long signals are still being computed"
            self.hinted.emit(f"no shown signal differs beyond its tolerance {where} here{rest}")
            return
        self._go_to(found[place], place, len(found))

    def _forget(self) -> None:
        self._differences = Differences(self._canvas.residuals)
        self._last = None

    def _place_of_last(self, found: list[Difference], at_s: float) -> int | None:
        """Return the place of the difference gone to last, while the cursor is still on it."""
        last = self._last
        if last is None or last.span_s[0] != at_s:
            return None
        same = [n for n, d in enumerate(found) if (d.key, d.span_s) == (last.key, last.span_s)]
        return same[0] if same else None

    def _go_to(self, difference: Difference, place: int, count: int) -> None:
        self._last = difference
        caption = f"{signed(difference.worst)} {difference.unit}".rstrip()
        shown = Evidence(difference.name, difference.span_s, f"beyond tolerance: {caption}")
        self._view.show_evidence(shown)
        self._view.set_cursor_a(difference.span_s[0])
        pane = active_pane(self._canvas, self._view)
        if pane is not None:
            self._canvas.show_pane(pane)
        self.hinted.emit(difference.words(place + 1, count))
