"""Rows paired by counter: the offset follows the shift, and one dragged beside the counters fails."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.conftest import wait_judged
from tracescope.checks.alignment_clock import AGAINST_COUNTER
from tracescope.model.check import State


def against_counter(window) -> tuple[State, float]:
    (found,) = window.model.result_of("alignment").measured(AGAINST_COUNTER)
    return found.state, found.estimate


def test_that_dragging_the_bar_beside_the_counters_fails_and_back_passes(window):
    session = window.model.open_session
    assert session.alignment.mode == "step"
    assert window.model.result_of("alignment").state is State.PASS
    strip = window.parts.traces.strip
    start = QPointF(strip.target_bar().center())
    hands.drag(strip, start, start + QPointF(-60, 0))
    wait_judged(window)
    state, rows = against_counter(window)
    moved_s = window.model.open_session.alignment.offset_s - session.alignment.offset_s
    assert rows == pytest.approx(-moved_s / session.pair.sim.interval_s, abs=1e-6)
    assert state is State.FAIL
    assert window.model.result_of("alignment").state is State.FAIL
    window.actions_table["undo"].trigger()
    wait_judged(window)
    assert window.model.result_of("alignment").state is State.PASS


def test_that_the_offset_follows_a_step_shift_entered_in_the_toolbar(window):
    session = window.model.open_session
    field = window.parts.align.shift
    field.setFocus()
    field.selectAll()
    hands.type_text(field, "2")
    hands.key(field, Qt.Key.Key_Return)
    alignment = window.model.open_session.alignment
    assert alignment.step_shift == 2
    expected = session.alignment.offset_s + 2 * session.pair.target.interval_s
    assert alignment.offset_s == pytest.approx(expected, abs=1e-6)
    wait_judged(window)
    assert against_counter(window)[0] is State.PASS
