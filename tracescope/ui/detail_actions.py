"""Entries of the action table for the dock of details and for the export of what is in view."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from tracescope.ui.actions import ActionSpec

if TYPE_CHECKING:
    from tracescope.ui.main_window import MainWindow


def export_actions(window: MainWindow) -> Iterator[ActionSpec]:
    """Yield the File menu's exports of samples."""
    do = window.range_export
    yield ActionSpec(
        "export-range",
        "File",
        "Export visible &range…",
        "Write the shown signals over the visible range as CSV, with raw and aligned time",
        do.ask,
        ("Ctrl+Shift+E",),
        needs="session",
    )
    yield ActionSpec(
        "export-active",
        "File",
        "Export the active &pane's range…",
        "Write only the active pane's signals over the visible range as CSV",
        partial(do.ask, active_only=True),
        needs="session",
    )


def detail_actions(window: MainWindow) -> Iterator[ActionSpec]:
    """Yield the View menu's ways to the tabs of the dock."""
    rows = (
        (
            "details-marks",
            "&Marks",
            "What you marked yourself, to go to, word and delete",
            "marks",
        ),
        (
            "details-anchors",
            "&Anchors and lags",
            "What the alignment leaves at each anchor, and the lag of each signal apart",
            "anchors",
        ),
        (
            "details-statistics",
            "&Statistics of the visible range",
            "Least, greatest, mean, spread of every shown signal and its residual",
            "stats",
        ),
        ("details-xy", "&XY view", "One signal against another, both traces", "xy"),
        (
            "details-probing",
            "&Probing",
            "Measure a span of a command and its response on both traces against a budget",
            "probing",
        ),
    )
    for place, (name, text, tip, tab) in enumerate(rows):
        yield ActionSpec(
            name,
            "View",
            text,
            tip,
            partial(window.parts.show_details, tab),
            (f"Ctrl+{place + 1}",),
            needs="session",
            separated=place == 0,
        )
