"""Random walks of gestures: whatever a person does, the picture stays one picture."""

import math
import random

import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import differing
from tracescope.model.correction import Correction

SHOWN = [["sim:gripper_z"], ["sim:force_z", "sim:v_cmd"], ["sim:done"]]
KEYS = [
    *(Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home),
    *(Qt.Key.Key_End, Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_F, Qt.Key.Key_H),
    *(Qt.Key.Key_R, Qt.Key.Key_A, Qt.Key.Key_B, Qt.Key.Key_Comma, Qt.Key.Key_Period),
    *(Qt.Key.Key_M, Qt.Key.Key_N, Qt.Key.Key_Z, Qt.Key.Key_Escape),
]
MODIFIERS = [hands.NO, hands.NO, hands.SHIFT, hands.CTRL, hands.ALT]


class Walk:
    def __init__(self, desk, seed):
        self.desk = desk
        self.dice = random.Random(seed)

    def place(self, widget):
        return QPointF(
            self.dice.uniform(0, widget.width()), self.dice.uniform(0, widget.height() - 1)
        )

    def step(self):
        widgets = (self.desk.canvas, self.desk.widget.overview, self.desk.widget.strip)
        widget = self.dice.choice((*widgets, self.desk.canvas))
        modifiers = self.dice.choice(MODIFIERS)
        what = self.dice.randrange(8)
        if what == 0:
            hands.wheel(widget, self.place(widget), self.dice.uniform(-4, 4), modifiers)
        elif what in {1, 2}:
            button = self.dice.choice([hands.LEFT, hands.LEFT, hands.RIGHT])
            far = QPointF(self.dice.gauss(0, 200), self.dice.gauss(0, 100))
            start = self.place(widget)
            with hands.Drag(widget, start, modifiers, button) as hand:
                hand.to(start + far, steps=3)
                if self.dice.random() < 0.2:
                    hands.key(self.desk.canvas, Qt.Key.Key_Escape)
        elif what == 3:
            hands.click(widget, self.place(widget), modifiers)
        elif what == 4:
            hands.double_click(widget, self.place(widget))
        elif what == 5:
            scale = self.dice.choice([1.5, -2.0, 1e-3])
            self.desk.model.correct(Correction("force_z", scale=scale))
        else:
            hands.key(self.desk.canvas, self.dice.choice(KEYS), modifiers)


@pytest.mark.parametrize("seed", range(4))
def test_that_after_a_walk_of_gestures_the_panes_agree_and_undo_returns_to_the_start(desk, seed):
    out = desk(pairs.contact_session(0.034), SHOWN, (640, 480))
    start = (out.model.session.alignment, out.model.session.corrections, out.model.session.marks)
    walk = Walk(out, seed)
    for _ in range(60):
        walk.step()
        low, high = out.view.range_s
        assert math.isfinite(low)
        assert math.isfinite(high)
        assert 0.02 * 2 * (1 - 1e-6) <= high - low <= 3.01 * 13
        assert all(pane.box.low < pane.box.high for pane in out.canvas.panes)
    out.canvas.setFocus()
    hands.key(out.canvas, Qt.Key.Key_Escape)
    edges = {(p.box.rect.left(), p.box.rect.right()) for p in out.canvas.panes}
    assert edges == {(out.canvas.left_px, out.canvas.right_px)}
    assert differing(out.widget) == 0
    while out.model.undo_stack.canUndo():
        out.model.undo_stack.undo()
    session = out.model.session
    assert (session.alignment, session.corrections, session.marks) == start
