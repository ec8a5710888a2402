"""Camera images at cursor A, the sim's beside the target's, where the files have any."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from tracescope.model.errors import TraceReadError
from tracescope.model.trace import FrameStack
from tracescope.session.session import Session
from tracescope.ui.plots.background import Background
from tracescope.ui.plots.blink import Blink, BlinkControls
from tracescope.ui.plots.pane_canvas import PaneCanvas
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import Side, ViewModel

PICTURE_PX = 120
MOST_HELD = 64
"""Decoded images kept, so that going back and forth reads nothing."""

Load = Callable[[FrameStack, int], NDArray[np.uint8]]


@dataclass(frozen=True, slots=True)
class Shown:
    """An image that should be seen now: which camera, which of its frames, and its instant."""

    side: Side
    stack: FrameStack
    number: int
    own_s: float

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from every other image of the pair."""
        return self.side, self.stack.name, self.number


def frames_at(session: Session, at_s: float) -> tuple[Shown, ...]:
    """Return the newest image of every camera at an instant of the sim's clock, by camera, sim first."""
    out: list[Shown] = []
    for side, trace in (("sim", session.pair.sim), ("target", session.pair.target)):
        own_s = at_s if side == "sim" else session.alignment.to_target_one(at_s)
        for stack in trace.frames:
            slack = 1e-9 * max(1.0, abs(own_s))
            number = int(np.searchsorted(stack.time_s, own_s + slack, side="right")) - 1
            if number >= 0:
                here: Side = "sim" if side == "sim" else "target"
                out.append(Shown(here, stack, number, float(stack.time_s[number])))
    return tuple(sorted(out, key=lambda shown: (shown.stack.name, shown.side)))


def by_turns(shown: Iterable[Shown], side: Side) -> tuple[Shown, ...]:
    """Return one image a camera: that of a side, or the other's where only that has one.

    Where either trace has one camera, they belong together whatever they are called.
    """
    sides: dict[Side, list[Shown]] = {"sim": [], "target": []}
    for one in shown:
        sides[one.side].append(one)
    if len(sides["sim"]) == len(sides["target"]) == 1:
        return tuple(sides[side])
    cameras: dict[str, Shown] = {}
    for one in (*sides["sim" if side == "target" else "target"], *sides[side]):
        cameras[one.stack.name] = one
    return tuple(cameras[name] for name in sorted(cameras))


def beside(shown: Shown) -> tuple[Shown, ...]:
    """Return the next image of a camera and the one before, as far as there are any."""
    numbers = (shown.number + 1, shown.number - 1)
    return tuple(
        replace(shown, number=n, own_s=float(shown.stack.time_s[n]))
        for n in numbers
        if 0 <= n < shown.stack.time_s.size
    )


class FramesStrip(QWidget):
    """A row of images under the panes, hidden where neither trace has any.

    Signals:
        hinted: One sentence for the status bar.
    """

    hinted = Signal(str)

    def __init__(
        self,
        canvas: PaneCanvas,
        model: SessionModel,
        view: ViewModel,
        theme: Theme,
        parent: QWidget,
        load: Load | None = None,
    ) -> None:
        super().__init__(parent)
        self._canvas, self._model, self._view, self._theme = canvas, model, view, theme
        self._load = load or _load
        self._held: dict[tuple[str, str, int], QImage | str] = {}
        self.blink = Blink(self)
        self.controls = BlinkControls(self.blink, self)
        self.controls.button.clicked.connect(self.toggle_blink)
        self.blink.changed.connect(self.update)
        self._background = Background("frames", self._take, self)
        self._background.arrived.connect(self.update)
        self.setAccessibleName("Camera images at cursor A")
        for signal in (view.cursor_changed, model.alignment_changed):
            signal.connect(self.update)
        model.pair_changed.connect(self._take_pair)
        self._take_pair()

    def set_theme(self, theme: Theme) -> None:
        """Paint with other colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        line = QFontMetricsF(self._canvas.small_font).height()
        return QSize(400, int(PICTURE_PX + line + 8))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def shown(self) -> tuple[Shown, ...]:
        """Return what should be seen: at cursor A, or at the start of the view without one."""
        session = self._model.session
        if session is None:
            return ()
        at_s = self._view.cursor_a_s
        return frames_at(session, self._view.range_s[0] if at_s is None else at_s)

    def paintEvent(self, event: QPaintEvent) -> None:
        del event
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.background))
        wanted = self.shown()
        near = [other for shown in wanted for other in beside(shown)]
        useful = {shown.key for shown in (*wanted, *near)}
        self._background.forget(lambda key: key not in useful)
        seen = by_turns(wanted, self.blink.side) if self.blink.is_on else wanted
        left = max(self._canvas.left_px, self.controls.geometry().right() + 6)
        each = (self._canvas.right_px - left) / max(1, len(seen))
        for place, shown in enumerate(seen):
            self._paint(painter, shown, QRectF(left + place * each, 0, each - 8, self.height()))
        for shown in (*wanted, *near):  # read ahead: what is seen now was asked for first
            if shown.key not in self._held:
                self._background.ask(shown.key, partial(_read, self._load, shown))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the controls in the column of the axes."""
        super().resizeEvent(event)
        self.controls.resize(self.controls.sizeHint().width(), self.height())

    @Slot()
    def toggle_blink(self) -> None:
        """Blink or stop, and say so."""
        self.hinted.emit(self._blinked())
        self.controls.refresh()

    def _blinked(self) -> str:
        if not self.isVisible():
            return "neither trace has camera images"
        if not self.blink.is_on and len({shown.side for shown in self.shown()}) < 2:
            return "only one trace has an image here: there is nothing to blink with"
        self.blink.toggle()
        if not self.blink.is_on:
            return "sim and target beside each other again"
        if not self.blink.by_itself:
            return "your desktop wants no motion: D shows the other image, then both again"
        return "sim and target by turns; D stops it, [ and ] change the speed"

    def _paint(self, painter: QPainter, shown: Shown, area: QRectF) -> None:
        theme = self._theme
        painter.setFont(self._canvas.small_font)
        metrics = QFontMetricsF(self._canvas.small_font)
        words = f"{shown.side} · {shown.stack.name} · {shown.own_s:.3f} s"
        if self.blink.is_on:
            words = f"{shown.side.upper()} · {shown.stack.name} · {shown.own_s:.3f} s"
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, area.width())
        painter.setPen(QColor(theme.sim_text if shown.side == "sim" else theme.target_text))
        head = QRectF(area.left(), 2, area.width(), metrics.height())
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft, words)
        room = QRectF(area.left(), head.bottom() + 2, area.width(), PICTURE_PX)
        held = self._held.get(shown.key)
        if isinstance(held, QImage):
            size = held.size().scaled(room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.drawImage(QRectF(room.topLeft(), size.toSizeF()), held)
            return
        if held is None:
            self._background.ask(shown.key, partial(_read, self._load, shown))
        painter.setPen(QColor(theme.muted))
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(room, flags, held or "reading…")

    def _take(self, key: tuple[str, str, int], read: NDArray[np.uint8] | str) -> None:
        while len(self._held) >= MOST_HELD:
            del self._held[next(iter(self._held))]
        self._held[key] = read if isinstance(read, str) else image_of(read)

    def _take_pair(self) -> None:
        self._held.clear()
        self.blink.stop()
        self._background.forget(lambda _: True)
        session = self._model.session
        has_any = session is not None and bool(
            session.pair.sim.frames or session.pair.target.frames
        )
        self.setVisible(has_any)


def _load(stack: FrameStack, number: int) -> NDArray[np.uint8]:
    from tracescope.readers.frames import load_frame

    return load_frame(stack, number)


def _read(load: Load, shown: Shown) -> NDArray[np.uint8] | str:
    """Return an image's pixels, or in words why there are none; nothing of Qt is made on this thread."""
    try:
        return load(shown.stack, shown.number)
    except (TraceReadError, OSError) as error:
        return str(error)


def image_of(pixels: NDArray[np.uint8]) -> QImage:
    """Return an image of its own memory from ``(h, w)``, ``(h, w, 3)`` or ``(h, w, 4)`` pixels."""
    formats = {
        1: QImage.Format.Format_Grayscale8,
        3: QImage.Format.Format_RGB888,
        4: QImage.Format.Format_RGBA8888,
    }
    channels = 1 if pixels.ndim == 2 else pixels.shape[2]
    height, width = pixels.shape[:2]
    data = np.ascontiguousarray(pixels)
    return QImage(data.data, width, height, channels * width, formats[channels]).copy()
