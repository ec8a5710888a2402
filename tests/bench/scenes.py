"""What the plotting goals are measured on: a shown trace view, a bare painter, stock pyqtgraph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.model.trace import Role
from tracescope.session.session import Session
from tracescope.ui.plots.ink import cosmetic
from tracescope.ui.plots.trace_view import TraceView
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import LIGHT, Theme
from tracescope.ui.view_model import ViewModel

WIDTH, HEIGHT = 1280, 960
PANES = 12
SHARES = {"full": 1.0, "tenth": 0.1, "3000": None}


def robot_like(rng: np.random.Generator, rows: int, place: int) -> np.ndarray:
    """Return a smooth motion with a little noise."""
    phase = np.linspace(0, 2 * np.pi * (8 + place), rows, dtype=np.float32)
    out = np.sin(phase)
    out += 0.002 * rng.standard_normal(rows, dtype=np.float32)
    return out


def noise(rng: np.random.Generator, rows: int, place: int) -> np.ndarray:
    """Return white noise."""
    del place
    return rng.standard_normal(rows, dtype=np.float32)


@lru_cache(maxsize=2)
def session(rows: int, panes: int = PANES, kind: str = "robot") -> Session:
    """Return a pair of ``panes`` signals a side; the two sides share the samples, to spare memory."""
    rng = np.random.default_rng(1)
    make = noise if kind == "noise" else robot_like
    time_s = np.arange(rows) * 1e-3
    time_s.flags.writeable = False
    late = time_s + 0.0123
    late.flags.writeable = False
    values = [make(rng, rows, place) for place in range(panes)]
    sides = [
        pairs.trace(
            clock, {f"s{n}": (Role.OBSERVATION, value, "m") for n, value in enumerate(values)}
        )
        for clock in (time_s, late)
    ]
    return pairs.session(*sides)


class Scene:
    """A shown view of a session that pans and drags when told."""

    def __init__(
        self,
        opened: Session,
        *,
        panes: int = PANES,
        residual: bool = False,
        theme: Theme = LIGHT,
        shown: Sequence[Sequence[str]] = (),
        waits: bool = True,
    ) -> None:
        self.opened = opened
        self.model = SessionModel()
        self.model.open(opened)
        self.view = ViewModel(self.model)
        self.widget = TraceView(self.model, self.view, theme)
        self.widget.canvas.residual_shown = residual
        self.widget.resize(WIDTH, HEIGHT)
        self.view.set_shown(shown or [[f"sim:s{n % PANES}"] for n in range(panes)])
        self.widget.show()
        self.span_s = opened.pair.sim.duration_s
        self.turn = 0
        if waits:
            self.look("full")
        else:
            self.view.set_range(0.0, self.span_s)
            paint()

    def look(self, share: str) -> None:
        """Show the whole, a tenth, or three thousand samples."""
        wanted = SHARES[share] or 3000e-3 / self.span_s
        self.width_s = self.span_s * min(wanted, 1.0)
        self.pan()
        self.rest()

    def pan(self) -> None:
        """Pan by a thousandth of the view, to and fro, and paint."""
        self.turn += 1
        start = 0.3 * (self.span_s - self.width_s) + (self.turn % 20) * self.width_s * 1e-3
        self.view.set_range(start, start + self.width_s)
        paint()

    def drag(self) -> None:
        """Move the target by a step of a drag, and paint."""
        assert self.model.session is not None
        self.turn += 1
        by_s = (0.4 + self.turn % 20) * 1e-3
        alignment = self.model.session.alignment
        self.model.preview_alignment(alignment.by_hand(offset_s=by_s))
        paint()

    def release(self) -> None:
        """End the drag where it is, and paint."""
        self.model.commit_preview()
        paint()

    def rest(self) -> None:
        """Wait until no work is left in the background."""
        canvas = self.widget.canvas
        hands.wait_for(lambda: not canvas.is_busy, "pyramids and residuals", most_s=600)

    def close(self) -> None:
        self.widget.close()
        self.widget.deleteLater()
        paint()

    def floor(self) -> None:
        """Paint the very polylines of the last frame with a bare painter into an image."""
        image = QImage(WIDTH, HEIGHT, QImage.Format.Format_ARGB32_Premultiplied)
        painter = QPainter(image)
        painter.setPen(cosmetic("#0072B2"))
        for pane in self.widget.canvas.panes:
            painter.save()
            painter.setClipRect(pane.box.rect)
            painter.translate(pane.box.rect.topLeft())
            for _, polygons in pane.shapes.values():
                for polygon in polygons:
                    painter.drawPolyline(polygon)
            painter.restore()
        painter.end()


class Stock:
    """The same curves in stock pyqtgraph: stacked plots, automatic downsampling, clipped to the view."""

    def __init__(self, opened: Session) -> None:
        import pyqtgraph

        pyqtgraph.setConfigOptions(antialias=False, background="w", foreground="k")
        self.widget = pyqtgraph.GraphicsLayoutWidget()
        self.widget.resize(WIDTH, HEIGHT)
        self.plots = []
        for row in range(PANES):
            plot = self.widget.addPlot(row=row, col=0)
            for trace, colour in ((opened.pair.sim, "#0072B2"), (opened.pair.target, "#D55E00")):
                channel = trace[f"s{row}"]
                curve = plot.plot(channel.time_s, channel.value, pen=colour)
                curve.setDownsampling(auto=True, method="peak")
                curve.setClipToView(True)
            if self.plots:
                plot.setXLink(self.plots[0])
            if row < PANES - 1:
                plot.hideAxis("bottom")
            self.plots.append(plot)
        self.widget.show()
        self.span_s = opened.pair.sim.duration_s
        self.turn = 0
        self.pan()

    def pan(self) -> None:
        """Pan the whole view by a thousandth, to and fro, and paint."""
        self.turn += 1
        start = (self.turn % 20) * self.span_s * 1e-3
        self.plots[0].setXRange(start, start + self.span_s, padding=0)
        paint()

    def close(self) -> None:
        self.widget.close()
        self.widget.deleteLater()
        paint()


def turn() -> None:
    """Let the window's thread take one turn, waiting a little where nothing is due."""
    loop = QEventLoop()
    QTimer.singleShot(5, loop.quit)
    loop.exec()


def paint() -> None:
    """Process events until no paint is pending."""
    for _ in range(3):
        QApplication.sendPostedEvents()
        QApplication.processEvents()
