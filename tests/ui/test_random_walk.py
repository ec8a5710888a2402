"""Many gestures in no sensible order: the panes agree, undo returns to the start, what is saved reloads."""

from __future__ import annotations

import gc
import math
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.conftest import wait_judged
from tracescope.checks.probing import Probe
from tracescope.model.correction import Correction
from tracescope.session.result_file import result_json
from tracescope.ui.main_window import MainWindow

KEYS = (
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End,
    Qt.Key.Key_F, Qt.Key.Key_H, Qt.Key.Key_R, Qt.Key.Key_A, Qt.Key.Key_B, Qt.Key.Key_N, Qt.Key.Key_P,
    Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_Escape,
)  # fmt: skip
FACETS = ("alignment", "corrections", "tolerances", "marks", "edits", "probes", "budgets")
DATE = "2026-11-30T12:00:00+00:00"
MOST_GROWTH_MB = 60.0
SEEDS = st.integers(0, 2**16 - 1)
OFTEN = 25
"""Garbage is collected every so many gestures, as the program's own timer does."""


def memory_mb() -> float:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class Walk(RuleBasedStateMachine):
    """A person who tries everything; each gesture draws its details from one number."""

    def __init__(self, window: MainWindow, folder: Path, picked: Callable[[Path], None]) -> None:
        super().__init__()
        self.window, self.folder, self.picked = window, folder, picked
        self.steps = self.saves = 0
        self.warm_mb = 0.0
        window.model.set_locked(False)
        window.model.undo_stack.setIndex(0)
        wait_judged(window)
        self.begin()

    def begin(self) -> None:
        """Take the present state for the start that undo must return to."""
        self.start = self.window.model.open_session

    # Gestures

    @rule(seed=SEEDS)
    def drag_target(self, seed: int) -> None:
        dice, strip = random.Random(seed), self.window.parts.traces.strip
        if strip.target_bar().width() < 10:
            return
        start = QPointF(strip.target_bar().center())
        with hands.Drag(strip, start) as hand:
            hand.to(start + QPointF(dice.randint(-80, 80), 0), steps=3)
            if dice.random() < 0.3:
                hands.key(strip, Qt.Key.Key_Escape)

    @rule(back=st.booleans(), modifiers=st.sampled_from([hands.NO, hands.SHIFT, hands.ALT]))
    def nudge(self, back, modifiers) -> None:
        self.press(Qt.Key.Key_Comma if back else Qt.Key.Key_Period, modifiers)

    @rule(key=st.sampled_from(KEYS))
    def look_by_key(self, key) -> None:
        self.press(key)

    def press(self, key, modifiers=hands.NO) -> None:
        self.window.parts.traces.setFocus()
        hands.key(self.window, key, modifiers)

    @rule(seed=SEEDS)
    def zoom(self, seed: int) -> None:
        dice, canvas = random.Random(seed), self.window.parts.traces.canvas
        at = QPointF(dice.uniform(0, canvas.width() - 1), dice.uniform(0, canvas.height() - 1))
        hands.wheel(canvas, at, dice.choice([-2, -1, 1, 2]), dice.choice([hands.NO, hands.SHIFT]))

    @rule(seed=SEEDS)
    def pan(self, seed: int) -> None:
        dice, canvas = random.Random(seed), self.window.parts.traces.canvas
        start = QPointF(dice.uniform(80, canvas.width() - 80), dice.uniform(20, 200))
        hands.drag(canvas, start, start + QPointF(dice.randint(-150, 150), 0), steps=3)

    @rule(redo=st.booleans())
    def undo_or_redo(self, redo: bool) -> None:
        self.window.actions_table["redo" if redo else "undo"].trigger()

    @rule(name=st.sampled_from(["obs[0]", "obs[1]"]), scale=st.sampled_from([1.5, 2.0, -1.0]))
    def correct(self, name: str, scale: float) -> None:
        self.window.model.correct(Correction(name, scale=scale))

    @rule(band=st.sampled_from([(0.5, 2.0), (0.9, 1.1), None]))
    def tolerance(self, band) -> None:
        self.window.model.set_tolerance("observation-scaling.scale", band)

    @rule()
    def mark(self) -> None:
        self.press(Qt.Key.Key_M)
        hands.key(self.window, Qt.Key.Key_Escape)

    @rule(seed=SEEDS)
    def probe(self, seed: int) -> None:
        dice = random.Random(seed)
        low, high = self.window.view.extent_s
        span_s = (low + 0.1 * dice.random() * (high - low), high)
        model = self.window.model
        if len(model.open_session.probes) < 3:
            model.add_probe(Probe("action[0]", dice.choice(["obs[0]", "obs[1]"]), span_s))
        else:
            model.remove_probe(0)

    @rule(seed=SEEDS)
    def anchor(self, seed: int) -> None:
        low, high = self.window.view.range_s
        self.window.view.set_cursor_a(low + random.Random(seed).random() * (high - low))
        self.press(Qt.Key.Key_K)
        self.press(Qt.Key.Key_K)

    @rule(seed=SEEDS)
    def tick(self, seed: int) -> None:
        dice, shown = random.Random(seed), self.window.view.shown
        if shown and dice.random() < 0.5:
            self.window.view.set_shown(shown[1:])
        else:
            self.window.view.set_shown((*shown, (dice.choice(["sim:done", "sim:obs[0]"]),)))

    @rule(seed=SEEDS)
    def card(self, seed: int) -> None:
        dice = random.Random(seed)
        one = dice.choice(self.window.parts.checks.cards)
        for button in (one.details, one.tolerances, one.unfold):
            if button.isVisible() and dice.random() < 0.5:
                hands.click(button, button.rect().center())

    @rule(name=st.sampled_from(["light", "dark"]))
    def theme(self, name: str) -> None:
        self.window.actions_table[f"theme-{name}"].trigger()

    @rule(on=st.sampled_from([True, False, False]))
    def lock(self, on: bool) -> None:
        self.window.model.set_locked(on)

    @rule(seed=SEEDS)
    def type_offset(self, seed: int) -> None:
        field = self.window.parts.align.offset
        if field.isEnabled():
            field.setFocus()
            field.selectAll()
            hands.type_text(field, f"{random.Random(seed).uniform(-0.3, 0.3):.3f}")
            hands.key(field, Qt.Key.Key_Return)

    @rule()
    def save(self) -> None:
        self.save_to(self.next_file())

    def next_file(self) -> Path:
        self.saves += 1
        return self.folder / f"walk-{self.saves}.tracescope"

    def save_to(self, path: Path) -> None:
        wait_judged(self.window)
        self.picked(path)
        self.window.actions_table["save-session-as"].trigger()
        assert path.exists()

    @precondition(lambda self: self.steps % 20 == 19)
    @rule()
    def swap_sides(self) -> None:
        before = self.window.model.open_session.pair
        self.window.actions_table["swap-sides"].trigger()
        hands.wait_for(lambda: self.window.model.open_session.pair is not before, "the swap", 30)
        wait_judged(self.window)
        self.begin()

    @precondition(lambda self: self.steps % 20 == 10)
    @rule()
    def reopen(self) -> None:
        self.come_back_to_the_same()

    def come_back_to_the_same(self) -> None:
        path = self.next_file()
        self.save_to(path)
        end = self.window.model.open_session
        self.window.actions_table["close-pair"].trigger()
        self.picked(path)
        self.window.actions_table["open-session"].trigger()
        wait_judged(self.window)
        back = self.window.model.open_session
        for facet in (*FACETS, "locked"):
            assert getattr(back, facet) == getattr(end, facet), facet
        assert result_json(back, DATE) == result_json(end, DATE)
        self.begin()

    # What always holds

    @invariant()
    def panes_agree_on_one_range(self) -> None:
        self.steps += 1
        low, high = self.window.view.range_s
        assert math.isfinite(low)
        assert math.isfinite(high)
        assert low < high
        canvas = self.window.parts.traces.canvas
        edges = {(p.box.rect.left(), p.box.rect.right()) for p in canvas.panes}
        assert edges <= {(canvas.left_px, canvas.right_px)}
        if self.steps % OFTEN == 0:
            gc.collect()
        if self.steps == 4 * OFTEN:
            self.warm_mb = memory_mb()

    def teardown(self) -> None:
        """Undo everything: nothing is left; memory has stayed flat."""
        window = self.window
        window.actions_table["theme-light"].trigger()
        window.model.set_locked(False)
        self.come_back_to_the_same_after_undo()
        gc.collect()
        if self.warm_mb:
            assert memory_mb() - self.warm_mb < MOST_GROWTH_MB

    def come_back_to_the_same_after_undo(self) -> None:
        window = self.window
        window.model.undo_stack.setIndex(0)
        now = window.model.open_session
        for facet in FACETS:
            assert getattr(now, facet) == getattr(self.start, facet), facet
        wait_judged(window)
        after = window.model.open_session.results
        assert [r.reason for r in after] == [r.reason for r in self.start.results]


def walk(window: MainWindow, folder: Path, picked: Callable[[Path], None], steps: int, walks: int):
    """Let the machine walk; a failing walk is told as it was, not shortened: each step costs a paint."""
    run_state_machine_as_test(
        lambda: Walk(window, folder, picked),
        settings=settings(
            max_examples=walks,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_that_a_short_walk_leaves_everything_in_order(window, tmp_path, picked):
    walk(window, tmp_path, picked, steps=60, walks=2)


@pytest.mark.slow
def test_that_a_walk_of_500_gestures_leaves_everything_in_order(window, tmp_path, picked):
    walk(window, tmp_path, picked, steps=500, walks=2)
