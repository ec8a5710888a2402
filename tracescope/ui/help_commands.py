"""The Help menu's ways in: user guide, guided tour, demo loop; the start page has them too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tracescope.ui.actions import ActionSpec

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow


def help_actions(window: MainWindow) -> Iterator[ActionSpec]:
    """Yield the entries that lead to explanations and demonstrations."""
    yield ActionSpec(
        "guide",
        "Help",
        "&User guide",
        "What each check can and cannot tell, formats, tolerances, the note, scripting",
        lambda: show_guide(window),
        ("Ctrl+F1",),
    )
    yield ActionSpec(
        "tour",
        "Help",
        "Guided &tour",
        "Walk through a sample pair, step by step, in this window",
        lambda: start_tour(window),
    )
    yield ActionSpec(
        "demo-loop",
        "Help",
        "&Demo loop",
        "Show one sample after another in large type until a key or mouse button is pressed",
        lambda: start_loop(window),
        separated=True,
    )


def connect_start_page(window: MainWindow) -> None:
    """Let the start page's links do what the menu does."""
    start, table = window.parts.start, window.actions_table
    for button, action in (
        (start.tour, "tour"),
        (start.guide, "guide"),
        (start.loop, "demo-loop"),
    ):
        button.clicked.connect(table[action].trigger)


def show_guide(window: MainWindow, file: str = "") -> None:
    """Show the user guide, at one of its pages where named."""
    from tracescope.ui.guide_viewer import GuideViewer

    GuideViewer(window.look, window, file).show()


def start_tour(window: MainWindow) -> None:
    """Begin the guided tour; one under way begins anew."""
    from tracescope.ui.tour import Tour

    Tour.begin(window)


def start_loop(window: MainWindow) -> None:
    """Begin the demo loop."""
    from tracescope.ui.kiosk import Kiosk

    Kiosk.begin(window)
