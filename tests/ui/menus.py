"""Menus of panes and signals: opened by mouse and by key, read, and chosen from."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from tests.ui import hands
from tests.ui.conftest import drop, wait_open
from tests.ui.test_signals import index_of
from tracescope.ui.main_window import MainWindow


def opened(window: MainWindow, pair: tuple[Path, Path]) -> MainWindow:
    """Open the exercise in the window; few of these tests wait for its results."""
    drop(window, *pair)
    wait_open(window)
    hands.settle()
    return window


def open_menu() -> QMenu:
    menus = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMenu) and w.isVisible()]
    assert len(menus) == 1, f"{len(menus)} menus are open"
    return menus[0]


def entries(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "") for action in menu.actions() if action.text()]


def take(label: str) -> None:
    menu = open_menu()
    (action,) = [a for a in menu.actions() if a.text().replace("&", "") == label]
    assert action.isEnabled(), f"{label!r} is greyed out"
    hands.click(menu, menu.actionGeometry(action).center())


def ask_by_key(widget: QWidget, at: QPoint) -> None:
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, widget.mapToGlobal(at))
    QApplication.sendEvent(widget, event)
    hands.settle()


def place(window: MainWindow, pane: int, share: float = 0.5) -> tuple[QPointF, float]:
    """Return the pixel of a sample in the middle of a pane's box, and its instant."""
    canvas = window.parts.traces.canvas
    time_s = window.model.open_session.pair.sim.time_s
    at_s = float(time_s[round(share * (len(time_s) - 1))])
    return QPointF(canvas.frame().x(at_s), canvas.panes[pane].box.rect.center().y()), at_s


def right_click(window: MainWindow, pane: int = 0, share: float = 0.5) -> float:
    pos, at_s = place(window, pane, share)
    canvas = window.parts.traces.canvas
    context = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, pos.toPoint(), canvas.mapToGlobal(pos.toPoint())
    )
    QApplication.sendEvent(canvas, context)  # X11 sends it with the press
    hands.click(canvas, pos, button=hands.RIGHT)
    return at_s


def right_click_row(window: MainWindow, start: str) -> None:
    tree = window.parts.signals.tree
    at = tree.visualRect(index_of(window, start)).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.RightButton, pos=at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, tree.viewport().mapToGlobal(at))
    QApplication.sendEvent(tree.viewport(), event)
    hands.settle()
