import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tests.ui.plots import pairs
from tracescope.ui.panels.signals_model import CHANNELS_MIME

SHOWN = [["sim:obs[0]"], ["sim:obs[1]"]]


@pytest.fixture
def sines(desk):
    return desk(pairs.sine_session(), SHOWN)


def let_go(canvas, pos, data):
    how = (Qt.DropAction.CopyAction, data, hands.LEFT, hands.NO)
    enter = QDragEnterEvent(pos.toPoint(), *how)
    QApplication.sendEvent(canvas, enter)
    if enter.isAccepted():
        QApplication.sendEvent(canvas, QDragMoveEvent(pos.toPoint(), *how))
        hands.settle()
        QApplication.sendEvent(canvas, QDropEvent(pos, *how))
    hands.settle()
    return enter.isAccepted()


def signal(*keys):
    data = QMimeData()
    data.setData(CHANNELS_MIME, "\n".join(keys).encode())
    return data


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (0.5, (("sim:obs[0]", "sim:obs[2]"), ("sim:obs[1]",))),
        (0.05, (("sim:obs[2]",), ("sim:obs[0]",), ("sim:obs[1]",))),
        (0.97, (("sim:obs[0]",), ("sim:obs[2]",), ("sim:obs[1]",))),
    ],
)
def test_that_a_signal_let_go_over_a_pane_overlays_it_and_between_panes_makes_one(
    sines, share, expected
):
    rect = sines.pane(0).rect
    pos = QPointF(rect.center().x(), rect.top() + share * rect.height())
    assert let_go(sines.canvas, pos, signal("sim:obs[2]"))
    assert sines.view.shown == expected


def test_that_a_signal_let_go_below_everything_makes_the_last_pane(sines):
    pos = QPointF(300, sines.canvas.height() - 1)
    assert let_go(sines.canvas, pos, signal("sim:obs[2]"))
    assert sines.view.shown[-1] == ("sim:obs[2]",)


def test_that_files_are_left_to_the_window(sines):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/a.csv")])
    assert not let_go(sines.canvas, sines.pane(0).rect.center(), data)
    assert len(sines.view.shown) == 2
