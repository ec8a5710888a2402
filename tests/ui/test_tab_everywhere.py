"""Tab walks through every control of every dialog and page, and each says what it is for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.ui import hands
from tests.ui.plots.test_frames import stack_file
from tests.ui.test_access import controls, described, name_of
from tracescope.ui import dialogs
from tracescope.ui.dialogs.base import Dialog
from tracescope.ui.dialogs.correct import CorrectDialog
from tracescope.ui.dialogs.correspondence import CorrespondenceDialog
from tracescope.ui.dialogs.episode_picker import EpisodePicker
from tracescope.ui.dialogs.estimate import EstimateDialog
from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.dialogs.import_dialog import ImportDialog
from tracescope.ui.dialogs.messages import MessageLog
from tracescope.ui.dialogs.open_pair import OpenPairDialog
from tracescope.ui.dialogs.palette import CommandPalette
from tracescope.ui.dialogs.properties import PropertiesDialog
from tracescope.ui.dialogs.shortcuts import ShortcutSheet
from tracescope.ui.guide_viewer import GuideViewer
from tracescope.ui.main_window import MainWindow

Open = Callable[[MainWindow], object]


def by_action(action: str) -> Open:
    return lambda window: window.actions_table[action].trigger()


def pick_episodes(window: MainWindow) -> None:
    from tracescope.readers.base import EpisodeInfo

    infos = tuple(EpisodeInfo(f"data/demo_{n}", 40 + n) for n in range(3))
    EpisodePicker(window.model.open_session, (("sim", infos), ("target", infos)), window).show()


DIALOGS: dict[type[QWidget], Open] = {
    OpenPairDialog: by_action("open-pair"),
    ExportDialog: by_action("export-note"),
    ShortcutSheet: by_action("shortcuts"),
    CommandPalette: by_action("palette"),
    MessageLog: by_action("messages"),
    CorrectDialog: by_action("correct-by-hand"),
    CorrespondenceDialog: by_action("match-channels"),
    ImportDialog: by_action("import-target"),
    EstimateDialog: by_action("estimate"),
    PropertiesDialog: lambda window: window.commands.show_properties("target"),
    EpisodePicker: pick_episodes,
    GuideViewer: by_action("guide"),
}


def shown(kind: type[QWidget]) -> list[QWidget]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]


def walked(root: QWidget, most: int) -> tuple[list[QWidget], list[QWidget]]:
    """Press Tab until everything was seen or ``most`` presses are over; return all stops in order."""
    stops: list[QWidget] = []
    for _ in range(most):
        at = root.window().focusWidget()
        if at is not None and (root is at or root.isAncestorOf(at)):
            stops.append(at)
        hands.key(root, Qt.Key.Key_Tab)
    return stops, list(dict.fromkeys(stops))


def assert_reached(root: QWidget) -> None:
    wanted = [w for w in controls(root) if w.isEnabled()]
    assert wanted
    mute = [described(w) for w in wanted if not (name_of(w) and w.toolTip())]
    assert not mute, "without a name or a tooltip"
    first = next(w for w in wanted if w.focusPolicy() & Qt.FocusPolicy.TabFocus)
    first.setFocus(Qt.FocusReason.TabFocusReason)
    _, seen = walked(root, 3 * len(wanted) + 40)
    seen += [w.focusProxy() for w in seen if w.focusProxy() is not None]
    lost = [described(w) for w in wanted if w not in seen and w.focusProxy() not in seen]
    assert not lost, "Tab does not reach them"


@pytest.mark.parametrize("kind", DIALOGS, ids=lambda kind: kind.__name__)
def test_that_tab_reaches_every_control_of_every_dialog(window, kind):
    DIALOGS[kind](window)
    hands.wait_for(lambda: bool(shown(kind)), "the dialog", 30)
    (dialog,) = shown(kind)
    lane = getattr(dialog, "lane", None)
    hands.wait_for(lambda: lane is None or lane.task is None, "what it reads", 30)
    dialog.activateWindow()
    assert_reached(dialog)
    dialog.close()


def test_that_no_dialog_is_left_out():
    for module in pkgutil.iter_modules(dialogs.__path__):
        importlib.import_module(f"{dialogs.__name__}.{module.name}")
    kinds = set(Dialog.__subclasses__())
    kinds |= {deeper for kind in kinds for deeper in kind.__subclasses__()}
    assert {kind for kind in kinds if kind.__module__.startswith("tracescope.")} <= set(DIALOGS)


@pytest.mark.parametrize(
    "action",
    ["details-marks", "details-anchors", "details-statistics", "details-xy", "details-probing"],
)
def test_that_tab_reaches_every_control_of_every_page_of_details(window, action):
    window.view.set_cursor_a(0.5)
    window.parts.traces.setFocus()
    hands.key(window, Qt.Key.Key_M)
    window.actions_table[action].trigger()
    hands.settle()
    assert_reached(window.parts.details.currentWidget())


def test_that_tab_reaches_every_tolerance_of_a_card(window):
    card = window.parts.checks.cards[1]
    hands.click(card.tolerances, card.tolerances.rect().center())
    assert_reached(card)


def test_that_tab_reaches_the_controls_beside_camera_images(window, tmp_path):
    film = stack_file(tmp_path / "film.h5", 10, 0)
    opened = window.model.open_session
    sides = {s: replace(getattr(opened.pair, s), frames=(film,)) for s in ("sim", "target")}
    window.model.open(replace(opened, pair=replace(opened.pair, **sides)))
    hands.settle()
    assert_reached(window.parts.traces.frames)
