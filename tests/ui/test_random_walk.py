"""Many gestures in no sensible order: undo returns to the start, a saved session reloads to the same."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.conftest import wait_judged
from tracescope.model.correction import Correction
from tracescope.session.result_file import result_json

KEYS = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End,
    Qt.Key.Key_F, Qt.Key.Key_H, Qt.Key.Key_R, Qt.Key.Key_A, Qt.Key.Key_B, Qt.Key.Key_N, Qt.Key.Key_P,
    Qt.Key.Key_Comma, Qt.Key.Key_Period, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_M, Qt.Key.Key_Escape,
)  # fmt: skip


class Walker:
    """A person who tries everything."""

    def __init__(self, window, seed: int) -> None:
        self.window = window
        self.dice = random.Random(seed)
        self.gestures = (
            self.drag, self.drag_back, self.key, self.key, self.undo, self.redo, self.correct,
            self.tolerance, self.tick, self.wheel, self.card, self.theme, self.lock, self.type_offset,
        )  # fmt: skip

    def step(self) -> None:
        self.dice.choice(self.gestures)()

    def drag(self) -> None:
        bar = self.window.parts.traces.strip.target_bar()
        if bar.width() < 10:
            return
        start = QPointF(bar.center())
        by = QPointF(self.dice.randint(-80, 80), 0)
        hands.drag(self.window.parts.traces.strip, start, start + by)

    def drag_back(self) -> None:
        strip = self.window.parts.traces.strip
        if strip.target_bar().width() < 10:
            return
        start = QPointF(strip.target_bar().center())
        with hands.Drag(strip, start) as hand:
            hand.to(start + QPointF(30, 0))
            hands.key(strip, Qt.Key.Key_Escape)

    def key(self) -> None:
        self.window.parts.traces.setFocus()
        hands.key(self.window, self.dice.choice(KEYS))

    def undo(self) -> None:
        self.window.actions_table["undo"].trigger()

    def redo(self) -> None:
        self.window.actions_table["redo"].trigger()

    def correct(self) -> None:
        name = self.dice.choice(["obs[0]", "obs[1]"])
        self.window.model.correct(Correction(name, scale=self.dice.choice([1.5, 2.0, -1.0])))

    def tolerance(self) -> None:
        band = self.dice.choice([(0.5, 2.0), (0.9, 1.1), None])
        self.window.model.set_tolerance("observation-scaling.scale", band)

    def tick(self) -> None:
        shown = self.window.view.shown
        if shown and self.dice.random() < 0.5:
            self.window.view.set_shown(shown[1:])
        else:
            self.window.view.set_shown((*shown, (self.dice.choice(["sim:done", "sim:obs[0]"]),)))

    def wheel(self) -> None:
        low, high = self.window.view.range_s
        self.window.view.zoom(self.dice.choice([0.5, 2.0]), low + self.dice.random() * (high - low))

    def card(self) -> None:
        one = self.dice.choice(self.window.parts.checks.cards)
        for button in (one.details, one.tolerances, one.unfold):
            if button.isVisible() and self.dice.random() < 0.5:
                hands.click(button, button.rect().center())

    def theme(self) -> None:
        self.window.actions_table[f"theme-{self.dice.choice(['light', 'dark'])}"].trigger()

    def lock(self) -> None:
        self.window.model.set_locked(self.dice.random() < 0.2)

    def type_offset(self) -> None:
        field = self.window.parts.align.offset
        if field.isEnabled():
            field.setFocus()
            field.selectAll()
            hands.type_text(field, f"{self.dice.uniform(-0.3, 0.3):.3f}")
            hands.key(field, Qt.Key.Key_Return)


@pytest.mark.parametrize("seed", [1, 2])
def test_that_a_random_walk_can_be_undone_to_the_start_and_saved_to_the_same(
    window, tmp_path, picked, seed
):
    start = window.model.open_session
    walker = Walker(window, seed)
    for _ in range(70):
        walker.step()
    window.actions_table["theme-light"].trigger()
    wait_judged(window)
    end = window.model.open_session
    kept = tmp_path / "walk.tracescope"
    picked(kept)
    window.actions_table["save-session"].trigger()
    window.model.set_locked(False)
    window.model.undo_stack.setIndex(0)
    now = window.model.open_session
    for facet in ("alignment", "corrections", "tolerances", "marks", "edits"):
        assert getattr(now, facet) == getattr(start, facet), facet
    wait_judged(window)
    assert [r.reason for r in window.model.open_session.results] == [
        r.reason for r in start.results
    ]
    window.actions_table["close-pair"].trigger()
    picked(kept)
    window.actions_table["open-session"].trigger()
    wait_judged(window)
    back = window.model.open_session
    for facet in ("alignment", "corrections", "tolerances", "marks", "edits", "locked"):
        assert getattr(back, facet) == getattr(end, facet), facet
    date = "2026-11-30T12:00:00+00:00"
    assert result_json(back, date) == result_json(end, date)
    low, high = window.view.range_s
    assert high > low
