"""One line a trace: what is dispensable goes first, what matters stays readable."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetrics

from tests.builders import trace, wander
from tests.ui import hands
from tracescope.ui.panels.source_header import LEAST_NAME, fitting_text, source_parts, source_text

NAME = "hardware__experiment_b__RL_trial_11.first76rows.csv"


@pytest.fixture
def metrics(qapp) -> QFontMetrics:
    return QFontMetrics(QFont(qapp.font()))


@pytest.fixture
def parts():
    return source_parts(trace(0.02, wander(76, 1, seed=1), path=f"/somewhere/{NAME}"))


def test_that_everything_is_said_where_there_is_room(parts, metrics):
    text = fitting_text(parts, 5000, metrics)
    assert text == " · ".join(part.lstrip("~") for part in parts)
    assert NAME in text
    assert "50 Hz" in text


def test_that_large_numbers_are_read_at_a_glance():
    text = source_text(trace(0.001, wander(12_345, 1, seed=1), path="/somewhere/long.h5"))
    assert "1000 Hz" in text
    assert "12,345 rows" in text


def test_that_a_long_name_loses_its_middle_before_any_fact_goes(parts, metrics):
    room = metrics.horizontalAdvance(" · ".join(p.lstrip("~") for p in parts)) - 60
    text = fitting_text(parts, room, metrics)
    assert metrics.horizontalAdvance(text) <= room
    for fact in parts[1:]:
        assert fact.lstrip("~") in text


def test_that_rate_rows_and_clock_outlive_layout_and_duration(parts, metrics):
    wanted = [part for part in parts[1:] if not part.startswith("~")]
    room = metrics.horizontalAdvance(" · ".join([NAME[:LEAST_NAME] + "…", *wanted])) + 4
    text = fitting_text(parts, room, metrics)
    assert metrics.horizontalAdvance(text) <= room
    for fact in wanted:
        assert fact in text
    assert all(part.lstrip("~") not in text for part in parts if part.startswith("~"))


@pytest.mark.parametrize("room", [40, 120, 200])
def test_that_what_is_shown_never_is_wider_than_its_room(parts, metrics, room):
    assert metrics.horizontalAdvance(fitting_text(parts, room, metrics)) <= room


def test_that_the_window_shows_the_line_and_a_narrow_one_no_more_than_fits(window):
    button = window.parts.header.lines["sim"].button
    assert button.text() == source_text(window.model.open_session.pair.sim)
    window.resize(1000, 700)
    hands.settle()
    assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width()


def test_that_panes_that_must_scroll_are_seen_whole(window):
    window.resize(1100, 700)
    hands.settle()
    canvas = window.parts.traces.canvas
    seen = canvas.parentWidget().height()
    assert canvas.height() > seen, "all of them do not fit"
    cut = [p for p in canvas.panes if p.rect.top() < seen - 4 and p.rect.bottom() > seen + 1]
    assert not cut
    first = canvas.panes[0].box.rect
    hands.click(canvas, QPointF(first.center()))
    assert window.view.cursor_a_s is not None
