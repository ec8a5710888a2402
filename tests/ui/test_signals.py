"""The signals dock: by role, filtered, ticked, with what is odd about each."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.ui import hands
from tracescope.model.trace import Channel, Role
from tracescope.ui.panels import oddities as odd_channels
from tracescope.ui.panels.oddities import oddities
from tracescope.ui.panels.signals_model import BADGE, CHANNELS_MIME

TIME_S = np.arange(100) * 0.02


def channel(value) -> Channel:
    return Channel("q", Role.OBSERVATION, TIME_S, np.asarray(value, dtype=float))


@pytest.mark.parametrize(
    ("value", "odd"),
    [
        (np.sin(TIME_S), ()),
        (np.full(100, 4.6e15), ("constant",)),
        (np.where(TIME_S < 0.1, np.nan, np.sin(TIME_S)), ("5 NaN",)),
        (np.full(100, np.nan), ("all NaN",)),
        (np.clip(np.sin(3 * TIME_S), -0.5, 0.5), ("saturated 36 %",)),
    ],
)
def test_that_oddities_of_a_channel_are_named(value, odd):
    found = oddities(channel(value))
    if odd and odd[0].startswith("saturated"):
        assert found[0].startswith("saturated")
    else:
        assert found == odd


def test_that_long_channels_are_looked_through_beside_the_window(window, monkeypatch):
    model = window.parts.signals.model
    short = [index.data(BADGE) for index in rows(model)]
    assert any(short)
    monkeypatch.setattr(odd_channels, "MOST_ROWS_AT_ONCE", 1)
    window.model.open(window.model.session)
    first = [index.data(BADGE) for index in rows(model)]
    assert first != short
    hands.wait_for(lambda: not model.oddities.is_busy, "the oddities")
    assert [index.data(BADGE) for index in rows(model)] == short


ROOT = QModelIndex()


def rows(model, parent=ROOT):
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        yield from rows(model, index)


def index_of(window, start: str) -> QModelIndex:
    model = window.parts.signals.tree.model()
    found = [i for i in rows(model) if str(i.data()).startswith(start)]
    assert found, start
    return found[0]


def test_that_the_model_is_sound(window, qtbot):
    tester = QAbstractItemModelTester(
        window.parts.signals.model, QAbstractItemModelTester.FailureReportingMode.Warning
    )
    window.view.set_shown(())
    window.model.open(window.model.open_session)
    assert tester.model() is window.parts.signals.model


def test_that_other_is_visible_even_when_empty(window):
    assert index_of(window, "Other (0)").isValid()


def test_that_a_tick_shows_a_signal_and_another_hides_it(window):
    tree = window.parts.signals.tree
    index = index_of(window, "done")
    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Unchecked
    tree.setCurrentIndex(index)
    tree.setFocus()
    hands.key(tree, Qt.Key.Key_Space)
    assert ("sim:done",) in window.view.shown
    hands.key(tree, Qt.Key.Key_Space)
    assert ("sim:done",) not in window.view.shown


def test_that_the_filter_leaves_only_what_fits(window):
    signals = window.parts.signals
    hands.type_text(signals.filter, "obs")
    left = [str(i.data()) for i in rows(signals.tree.model())]
    assert any(text.startswith("obs[0]") for text in left)
    assert not any(text.startswith("reward") for text in left)
    signals.filter.clear()


def test_that_a_signal_of_one_side_says_so(window):
    index = index_of(window, "action_applied")
    assert index.data(BADGE).startswith("target only")
    assert "sim: not there" in index.data(Qt.ItemDataRole.ToolTipRole)


def test_that_a_drag_carries_the_keys_of_the_panes(window):
    model = window.parts.signals.tree.model()
    data = model.mimeData([index_of(window, "obs[0]"), index_of(window, "obs[1]")])
    assert bytes(data.data(CHANNELS_MIME)).decode() == "sim:obs[0]\nsim:obs[1]"
