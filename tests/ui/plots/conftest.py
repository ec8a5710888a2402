"""A shown trace view on a pair with known content."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.session.session import Session
from tracescope.ui.plots.pane import Pane
from tracescope.ui.plots.trace_view import TraceView
from tracescope.ui.session_model import SessionModel
from tracescope.ui.theme import LIGHT
from tracescope.ui.view_model import ViewModel


@dataclass
class Desk:
    """What a person sits in front of."""

    model: SessionModel
    view: ViewModel
    widget: TraceView

    @property
    def canvas(self):
        return self.widget.canvas

    def pane(self, number: int) -> Pane:
        return self.canvas.panes[number]

    def x(self, at_s: float) -> float:
        frame = self.canvas.frame()
        assert frame is not None
        return frame.x(at_s)

    def at(self, pane: int, at_s: float, value: float | None = None) -> QPointF:
        """Return the pixel of an instant in a pane, at a value or in the middle of its box."""
        box = self.pane(pane).box
        y = box.rect.center().y() if value is None else box.y(value)
        return QPointF(self.x(at_s), y)

    def picture(self) -> np.ndarray:
        """Return the canvas as it is painted, shape (height, width, 3)."""
        hands.settle()
        return pixels(self.canvas.grab().toImage())

    def lit(self, colour: str, pane: int, residual: bool = False) -> np.ndarray:
        """Return where a box shows exactly a colour: (x, y) from its upper left corner, shape (n, 2)."""
        box = self.pane(pane).residual if residual else self.pane(pane).box
        rect = box.rect.toRect()
        part = self.picture()[
            rect.top() : rect.top() + rect.height(), rect.left() : rect.left() + rect.width()
        ]
        c = QColor(colour)
        y, x = np.nonzero((part == (c.red(), c.green(), c.blue())).all(axis=2))
        return np.stack((x, y), axis=1)


def pixels(image: QImage) -> np.ndarray:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint8)
    bgr = raw.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width(), :3]
    return bgr[:, :, ::-1].copy()


@pytest.fixture
def desk(qtbot) -> Callable[..., Desk]:
    def sit(
        opened: Session, shown: list[list[str]] | None = None, size: tuple[int, int] = (900, 700)
    ) -> Desk:
        model = pairs.model_of(opened)
        view = ViewModel(model)
        widget = TraceView(model, view, LIGHT)
        qtbot.addWidget(widget)
        for part in (model, view):
            part.setParent(widget)
        widget.resize(*size)
        if shown is not None:
            view.set_shown(shown)
        with qtbot.waitExposed(widget):
            widget.show()
        widget.canvas.setFocus()
        hands.settle()
        return Desk(model, view, widget)

    return sit


def differing(widget):
    """Return how many pixels on the screen are not what painting the widget anew would give."""
    hands.settle()
    screen = pixels(widget.screen().grabWindow(widget.winId()).toImage())
    return int((screen != pixels(widget.grab().toImage())).any(axis=2).sum())
