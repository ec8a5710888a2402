"""What is not as it was recorded says so wherever it is named; evidence is scrolled to."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QToolButton

from tests.ui import hands
from tests.ui.test_signals import rows
from tracescope.model.check import Evidence
from tracescope.model.correction import Correction
from tracescope.ui.panels.signals_model import BADGE
from tracescope.ui.panels.signals_panel import badge_forms
from tracescope.ui.panels.source_header import corrected_note
from tracescope.ui.plots.paint_frame import legend


def target_channels(window) -> list[str]:
    pair = window.model.open_session.pair
    return [match.target for match in pair.matches]


def badges(window) -> dict[str, str]:
    model = window.parts.signals.tree.model()
    found = {str(i.data()).split("  ")[0]: i.data(BADGE) for i in rows(model)}
    return {name: badge for name, badge in found.items() if badge}


def chips(window, side: str) -> list[str]:
    hands.settle()
    line = window.parts.header.lines[side]
    return [chip.text() for chip in line.findChildren(QToolButton) if not chip.isHidden()]


@pytest.mark.parametrize("names_only", [False, True])
def test_that_a_corrected_channel_is_marked_everywhere_and_no_longer_after_undo(window, names_only):
    name = target_channels(window)[0]
    key = f"sim:{window.model.open_session.pair.sim_of(name)}"
    window.view.set_shown([(key,)])
    window.model.correct(Correction(name, 1.5), Correction(target_channels(window)[1], 2.0))
    canvas = window.parts.traces.canvas
    assert any("÷ 1.5" in badge for badge in badges(window).values())
    words = legend(canvas.panes[0], canvas.frame(), canvas.data, names_only=names_only)
    assert any("÷ 1.5" in word.text for word in words)
    assert "2 corrections" in chips(window, "target")
    assert not any("correction" in text for text in chips(window, "sim"))
    window.model.undo_stack.undo()
    assert not any("÷" in badge for badge in badges(window).values())
    assert not any("correction" in text for text in chips(window, "target"))
    words = legend(canvas.panes[0], canvas.frame(), canvas.data, names_only=names_only)
    assert not any("÷" in word.text for word in words)


@pytest.mark.parametrize(
    ("count", "said"), [(0, None), (1, "1 correction"), (12, "12 corrections")]
)
def test_that_corrections_are_counted(count, said):
    notes = corrected_note([Correction(f"obs[{i}]", 1.5) for i in range(count)])
    assert [note.what for note in notes] == ([] if said is None else [said])
    assert all("obs[0] ÷ 1.5" in note.where for note in notes)


def seen(window, key: str) -> bool:
    """Whether a pane that draws a key lies in the part of the canvas that is scrolled to."""
    canvas = window.parts.traces.canvas
    there = [pane for pane in canvas.panes if key in pane.keys]
    region = canvas.visibleRegion().boundingRect()
    return bool(there) and region.contains(there[0].box.rect.center().toPoint())


@pytest.mark.parametrize("is_shown", [False, True])
def test_that_evidence_is_scrolled_to(window, is_shown):
    keys = [f"sim:{channel.name}" for channel in window.model.open_session.pair.sim]
    many = [*keys, *keys][: max(14, len(keys))]
    panes = [(key,) for key in many[1:] if key != keys[0]]
    window.view.set_shown([*panes, (keys[0],)] if is_shown else panes)
    window.resize(1100, 760)
    hands.settle()
    assert not seen(window, keys[0])
    name = keys[0].removeprefix("sim:")
    window.view.show_evidence(Evidence(name, (0.1, 0.2), "here"))
    hands.wait_for(lambda: seen(window, keys[0]), "the pane of the evidence")
    assert keys[0] in window.view.shown[window.view.active]


@pytest.mark.parametrize(
    ("badge", "forms"),
    [
        ("÷ 651.899 · held", ("÷ 651.899", "÷ 652", "÷")),
        ("constant", ("constant", "constant", "constant", "const.", "!")),
        ("saturated 12 %", (*["saturated 12 %"] * 2, "saturated", "sat.", "!")),
        ("target 3 NaN · constant", (*["target 3 NaN"] * 2, "NaN", "!")),
        ("sim only · constant", (*["sim only"] * 3, "sim", "!")),
    ],
)
def test_that_a_badge_without_room_still_tells_a_correction_from_an_oddity(badge, forms):
    assert badge_forms(badge) == (badge, *forms)
