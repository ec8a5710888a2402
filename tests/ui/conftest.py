"""The real main window on a real pair, and the proof that it leaves nothing behind."""

from __future__ import annotations

import gc
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui import hands, judged_before
from tracescope.resources_path import samples
from tracescope.session.catalogue import all_checks
from tracescope.ui import judge, pick_file
from tracescope.ui.look import Look
from tracescope.ui.main_window import MainWindow
from tracescope.ui.settings import Settings

SIZE = (1480, 900)


@pytest.fixture(autouse=True)
def garbage_stays_here() -> Iterator[None]:
    """Never let a worker's thread collect a widget of an earlier test: that crashes now and then."""
    gc.disable()
    yield
    gc.collect(1)
    gc.enable()


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep settings, journals and logs of a test in its own folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
        QSettings.setPath(QSettings.Format.NativeFormat, scope, str(tmp_path / "settings"))


@pytest.fixture
def quiet_log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Fail a test during which a warning was logged that it did not take (``caplog.clear()``)."""
    yield caplog
    for when in ("setup", "call"):
        loud = [r for r in caplog.get_records(when) if r.levelno >= logging.WARNING]
        assert not loud, [record.getMessage() for record in loud]


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    """The light look; the type of a demo mode that a test left on is not the next one's."""
    before = qapp.font()
    yield Look("light", demo=False)
    qapp.setFont(before)


@pytest.fixture
def empty_window(qtbot, look: Look, quiet_log: pytest.LogCaptureFixture) -> Iterator[MainWindow]:
    """The window on its start page."""
    opened = MainWindow(all_checks(), look, Settings())
    opened.resize(*SIZE)
    with qtbot.waitExposed(opened):
        opened.show()
    opened.activateWindow()
    gone: list[bool] = []
    opened.destroyed.connect(lambda: gone.append(True))
    yield opened
    lanes = (opened.judge.lane, opened.opener.lane)
    opened.close()
    assert all(lane.task is None for lane in lanes), "work went on after the window closed"
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
    assert gone, "the window outlived its closing"
    left = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
    assert not left, f"still on the screen: {left}"


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """The classic exercise, copied so that what is saved beside it lies in the test's folder."""
    for side in ("sim", "target"):
        shutil.copy(samples() / "exercise" / f"{side}.csv", tmp_path / f"{side}.csv")
    return tmp_path / "sim.csv", tmp_path / "target.csv"


@pytest.fixture
def window(empty_window: MainWindow, pair: tuple[Path, Path]) -> MainWindow:
    """The window on the exercise, its results in."""
    with pytest.MonkeyPatch.context() as until_then:
        until_then.setattr(judge, "judged_by", judged_before.judged_by)
        drop(empty_window, *pair)
        wait_judged(empty_window)
    return empty_window


@pytest.fixture
def picked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path | None], None]:
    """Say what a person picks in the next file dialogs."""

    def pick(path: Path | None) -> None:
        monkeypatch.setattr(pick_file, "open_file", lambda *_, **__: path)
        monkeypatch.setattr(pick_file, "save_file", lambda *_, **__: path)

    return pick


def drop(widget: QWidget, *paths: Path) -> None:
    """Drag files from a file manager and let them go over a widget."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    middle = QPointF(widget.rect().center())
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(middle.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(widget, enter)
    assert enter.isAccepted(), "the widget takes no files"
    event = QDropEvent(middle, Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(widget, event)


def wait_open(window: MainWindow) -> None:
    """Wait until something is open."""
    hands.wait_for(lambda: window.model.session is not None, "a pair to open", 30)


def wait_judged(window: MainWindow) -> None:
    """Wait until the checks are up to date."""
    wait_open(window)
    hands.wait_for(
        lambda: window.model.session is not None and not window.model.session.stale,
        "the checks",
        60,
    )


def dialog_of(kind: type[QWidget]) -> QWidget:
    """Return the one dialog of a kind that is on the screen."""
    found = [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]
    assert len(found) == 1, f"{len(found)} {kind.__name__} are open"
    return found[0]


def bars(window: MainWindow) -> list[str]:
    """Return the texts of the notices bars that stand."""
    return [f"{n.level}: {n.text} {n.detail}" for n in window.notices.standing]
