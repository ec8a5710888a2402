"""The guided tour, followed from start to end with real mouse and key events."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton

from tests.ui import hands
from tests.ui.conftest import dialog_of, drop, wait_judged
from tracescope.ui.dialogs.export_note import ExportDialog
from tracescope.ui.main_window import MainWindow
from tracescope.ui.tour import Tour
from tracescope.ui.tour_callout import Callout, spot_beside


def tour_of(window: MainWindow) -> Tour:
    (tour,) = window.findChildren(Tour)
    return tour


def begin(window: MainWindow) -> Tour:
    window.actions_table["tour"].trigger()
    hands.settle()
    return tour_of(window)


def words_shown(window: MainWindow) -> list[Callout]:
    return [callout for callout in window.findChildren(Callout) if callout.isVisible()]


def press(tour: Tour, button: QPushButton) -> None:
    hands.click(button, button.rect().center())


def wait_step(tour: Tour, step: str) -> None:
    hands.wait_for(lambda: tour.step.id == step, f"the step {step}", 30)


def assert_pointed_at(window: MainWindow, tour: Tour) -> None:
    """The control is there, can be seen, is ringed, and neither it nor the words are cut off."""
    target = tour.target()
    assert target.isVisible(), tour.step.id
    around = tour.around()
    assert around.width() >= 20, tour.step.id
    assert around.height() >= 14, tour.step.id
    assert window.rect().contains(around), tour.step.id
    assert window.rect().contains(tour.callout.geometry()), tour.step.id
    assert tour.ring.geometry() == window.rect()
    small = around.width() < window.width() * 0.45 or around.height() < window.height() * 0.45
    if small:
        assert not tour.callout.geometry().intersects(around), tour.step.id
    for label in tour.callout.findChildren(QLabel):
        needed = label.heightForWidth(label.width()) if label.wordWrap() else 0
        assert label.height() >= needed, f"{tour.step.id}: {label.text()} is cut"


def do_step(window: MainWindow, tour: Tour) -> None:
    """Do what the step asks for, as a person would."""
    canvas, strip = window.parts.traces.canvas, window.parts.traces.strip
    middle = QPointF(canvas.width() / 2, 60)
    step = tour.step.id
    if step == "open":
        card = tour.target()
        hands.click(card, QPoint(30, 20))
        wait_judged(window)
    elif step == "zoom":
        hands.wheel(canvas, middle, 2)
    elif step == "cursor":
        hands.click(canvas, middle)
    elif step == "drag":
        bar = QPointF(strip.width() / 2, strip.height() - 12)
        hands.drag(strip, bar, bar + QPointF(40, 0))
    elif step == "undo":
        hands.key(window, Qt.Key.Key_Z, hands.CTRL)
    elif step == "scaling":
        link = window.parts.checks.cards[1].show_evidence
        hands.click(link, link.rect().center())
    elif step in {"apply", "export"}:
        button = tour.target()
        hands.click(button, button.rect().center())
    else:
        press(tour, tour.callout.next)


def test_that_a_person_can_follow_it_to_its_end(empty_window):
    tour = begin(empty_window)
    followed = []
    for step in tour.steps:
        wait_step(tour, step.id)
        if step.id != "open":
            wait_judged(empty_window)
            hands.settle()
        assert tour.callout.title.text() == step.title
        assert_pointed_at(empty_window, tour)
        followed.append(step.id)
        do_step(empty_window, tour)
        if step.id == "export":
            asked = dialog_of(ExportDialog)
            wait_step(tour, "on")  # the tour looks a few times a second: nobody closes it sooner
            asked.close()
    hands.wait_for(lambda: not empty_window.findChildren(Tour), "the tour to end")
    hands.settle()
    assert len(followed) >= 12
    assert not words_shown(empty_window)
    empty_window.model.undo_stack.setClean()


def test_that_next_alone_leads_through_it_and_back_returns(empty_window):
    tour = begin(empty_window)
    press(tour, tour.callout.next)
    wait_step(tour, "header")
    wait_judged(empty_window)
    press(tour, tour.callout.previous)
    assert tour.step.id == "open"
    press(tour, tour.callout.next)
    for step in tour.steps[1:]:
        wait_step(tour, step.id)
        wait_judged(empty_window)
        assert_pointed_at(empty_window, tour)
        press(tour, tour.callout.next)
    hands.wait_for(lambda: not empty_window.findChildren(Tour), "the tour to end")
    assert empty_window.model.open_session.corrections  # Next did what the rest needs
    empty_window.model.undo_stack.setClean()


def test_that_what_it_says_of_the_sample_is_true(empty_window):
    tour = begin(empty_window)
    said = {step.id: step.text for step in tour.steps}
    press(tour, tour.callout.next)
    wait_judged(empty_window)
    session = empty_window.model.open_session
    results = {result.id: result for result in session.results}
    assert "10 ms late" in said["align"]
    assert session.alignment.offset_s == pytest.approx(0.010)
    assert session.alignment.mode == "step"
    assert "near 1.5" in said["scaling"]
    for found in results["observation-scaling"].measured("scale"):
        assert found.estimate == pytest.approx(1.5, abs=0.01)
        assert found.tolerance[1] < found.interval[0]
    before = results["dynamics"].count("comparable transitions")
    assert (
        f"only {before} of {results['dynamics'].count('transitions')} transitions"
        in (said["dynamics"])
    )
    assert results["dynamics"].state == "inconclusive"
    empty_window.commands.apply_pending()
    wait_judged(empty_window)
    again = empty_window.model.result_of("dynamics")
    assert (
        f"{again.count('comparable transitions')} of {again.count('transitions')}"
        in (said["again"])
    )
    assert again.state == "inconclusive"
    assert "±0.5" in said["action"]
    assert "±0.5" in results["action"].reason
    assert "0.9" in results["action"].reason
    tour.close()
    empty_window.model.undo_stack.setClean()


@pytest.mark.parametrize("focused", ["callout", "panes"])
def test_that_escape_closes_it(empty_window, focused):
    tour = begin(empty_window)
    press(tour, tour.callout.next)
    wait_step(tour, "header")
    wait_judged(empty_window)
    where = tour.callout.next if focused == "callout" else empty_window.parts.traces
    where.setFocus()
    hands.settle()
    hands.key(empty_window, Qt.Key.Key_Escape)
    assert not empty_window.findChildren(Tour)
    assert not words_shown(empty_window)


def test_that_escape_first_ends_a_drag(empty_window):
    tour = begin(empty_window)
    press(tour, tour.callout.next)
    wait_step(tour, "header")
    wait_judged(empty_window)
    strip, before = empty_window.parts.traces.strip, empty_window.model.open_session.alignment
    empty_window.parts.traces.setFocus()
    start = QPointF(strip.width() / 2, strip.height() - 12)
    with hands.Drag(strip, start) as hand:
        hand.to(start + QPointF(60, 0))
        assert empty_window.model.previewing
        hands.key(empty_window, Qt.Key.Key_Escape)
        assert not empty_window.model.previewing
    assert empty_window.model.open_session.alignment == before
    assert tour.callout.isVisible()
    hands.key(empty_window, Qt.Key.Key_Escape)
    assert not words_shown(empty_window)
    wait_judged(empty_window)


def test_that_the_cross_closes_it(empty_window):
    tour = begin(empty_window)
    press(tour, tour.callout.leave)
    assert not words_shown(empty_window)
    assert not empty_window.findChildren(Tour)


def test_that_it_begins_from_the_start_page(empty_window):
    link = empty_window.parts.start.tour
    hands.click(link, link.rect().center())
    tour = tour_of(empty_window)
    assert tour.step.id == "open"
    assert tour.target() is empty_window.parts.start.gallery.cards[0]
    assert empty_window.focusWidget() is tour.callout.next
    tour.close()


def test_that_beginning_again_leaves_one_tour(empty_window):
    begin(empty_window)
    begin(empty_window)
    hands.settle()
    assert len(empty_window.findChildren(Tour)) == 1
    assert len(words_shown(empty_window)) == 1
    tour_of(empty_window).close()


def test_that_it_begins_beside_work_and_ends_when_another_pair_opens(window, pair):
    tour = begin(window)
    assert tour.target() is window.parts.header
    press(tour, tour.callout.next)
    wait_step(tour, "header")
    wait_judged(window)
    drop(window, *pair)
    hands.wait_for(lambda: not window.findChildren(Tour), "the tour to end", 30)
    wait_judged(window)


def test_that_it_never_begins_by_itself(window):
    assert not window.findChildren(Tour)


def test_that_hidden_docks_come_back_for_it_in_a_small_window_and_large_type(empty_window):
    empty_window.resize(1100, 760)
    empty_window.look.choose("light", demo=True)
    tour = begin(empty_window)
    press(tour, tour.callout.next)
    wait_step(tour, "header")
    wait_judged(empty_window)
    for dock in empty_window.parts.docks.values():
        dock.hide()
    while tour.step.id != "on":
        assert_pointed_at(empty_window, tour)
        press(tour, tour.callout.next)
        hands.settle()
        wait_judged(empty_window)
    tour.close()
    empty_window.model.undo_stack.setClean()


ROOM = QSize(1000, 700)


@pytest.mark.parametrize(
    "around",
    [
        QRect(0, 0, 200, 40), QRect(900, 0, 100, 40), QRect(0, 600, 1000, 100),
        QRect(700, 100, 300, 600), QRect(0, 100, 240, 600), QRect(480, 340, 20, 20),
    ],
)  # fmt: skip
def test_that_the_words_stand_beside_and_inside_the_window(around):
    size = QSize(340, 180)
    place = QRect(spot_beside(around, size, ROOM), size)
    assert QRect(QPoint(), ROOM).contains(place)
    assert not place.intersects(around)


def test_that_the_words_of_a_large_control_stand_inside_it():
    around, size = QRect(200, 60, 700, 500), QSize(340, 180)
    assert around.contains(QRect(spot_beside(around, size, ROOM), size))
