"""A mark's times are typed, exactly and undoably."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from tests.ui import hands
from tests.ui.test_details import mark, show
from tracescope.ui.panels.values import typed_s

Key = Qt.Key


def typed(field, text: str) -> None:
    field.setFocus()
    field.selectAll()
    hands.key(field, Key.Key_Delete)
    hands.type_text(field, text)
    hands.key(field, Key.Key_Return)


@pytest.fixture
def page(window):
    mark(window, 0.5)
    shown = show(window, 1)
    shown.table.setCurrentCell(0, 0)
    return shown


def span(window):
    return window.model.open_session.marks[0].span_s


def test_that_typed_times_move_a_mark_undoably(window, page):
    before = span(window)
    typed(page.ends[0], "0.25")
    assert span(window) == (0.25, 0.25), "an instant stays one"
    typed(page.ends[1], "1,75")
    assert span(window) == (0.25, 1.75)
    assert page.table.rows()[0][:2] == ["0.2500", "1.7500"]
    typed(page.ends[1], "")
    assert span(window) == (0.25, 0.25)
    for _ in range(3):
        window.model.undo_stack.undo()
    assert span(window) == before
    hands.wait_for(lambda: page.ends[0].text() == "0.5", "the field to follow")


def test_that_ends_typed_the_wrong_way_round_are_put_in_order(window, page):
    typed(page.ends[1], "0.1")
    assert span(window) == (0.1, 0.5)
    assert [field.text() for field in page.ends] == ["0.1", "0.5"]


@pytest.mark.parametrize("text", ["soon", "nan", "inf", "1e999", "1.2.3"])
@pytest.mark.parametrize("end", [0, 1])
def test_that_what_is_no_time_is_put_back(window, page, text, end):
    before, steps = span(window), window.model.undo_stack.count()
    was = page.ends[end].text()
    typed(page.ends[end], text)
    assert span(window) == before
    assert page.ends[end].text() == was
    assert window.model.undo_stack.count() == steps


def test_that_leaving_a_field_untouched_changes_nothing(window, page):
    steps = window.model.undo_stack.count()
    page.ends[0].setFocus()
    page.ends[1].setFocus()
    page.text.setFocus()
    assert window.model.undo_stack.count() == steps


@pytest.mark.parametrize(
    ("text", "value"), [("1.5", 1.5), ("−0,2 s", -0.2), (" 3s", 3.0), ("", None), ("s", None)]
)
def test_that_seconds_are_read_as_people_type_them(text, value):
    assert typed_s(text) == value


def test_that_an_end_left_alone_keeps_its_last_digit(window, page):
    exact = 1.123456789
    held = window.model.open_session.marks[0]
    window.model.set_marks([replace(held, span_s=(0.5, exact))])
    hands.wait_for(lambda: page.ends[1].text() == "1.123457", "the field to follow")
    page.table.setCurrentCell(0, 0)
    typed(page.ends[0], "0.25")
    assert span(window) == (0.25, exact)
