"""The demo loop: it goes through the gallery by itself, and the first touch stops it. No test sleeps."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt

from tests.ui import hands
from tests.ui.conftest import bars, wait_judged
from tracescope.model.check import CheckResult, State
from tracescope.ui.kiosk import Banner, Kiosk, Pace, found_text
from tracescope.ui.main_window import MainWindow
from tracescope.ui.panels.gallery import Sample, bundled_samples
from tracescope.ui.tour import Tour

STILL = Pace(10_000_000, 10_000_000, 10_000_000)
"""Nothing goes on by itself."""

HASTE = Pace(1, 1, 10_000_000)


@pytest.fixture
def quick_pairs(monkeypatch) -> tuple[Sample, ...]:
    """Three bundled pairs whose checks take a moment, in place of all of them."""
    every = {sample.name: sample for sample in bundled_samples()}
    few = tuple(every[name] for name in ("exercise", "slow-ticks", "ended-early"))
    monkeypatch.setattr("tracescope.ui.kiosk.bundled_samples", lambda: few)
    return few


def begin(window: MainWindow, pace: Pace = STILL) -> Kiosk:
    kiosk = Kiosk.begin(window, pace)
    assert kiosk is not None
    return kiosk


def wait_phase(kiosk: Kiosk, phase: str) -> None:
    hands.wait_for(lambda: kiosk.phase == phase, f"the {phase}", 30)


def stopped(window: MainWindow) -> bool:
    return not window.findChildren(Kiosk)


def test_that_it_opens_asks_plays_and_answers(empty_window, quick_pairs):
    kiosk = begin(empty_window)
    first, second = quick_pairs[:2]
    assert first.title == kiosk.banner.title.text()
    wait_phase(kiosk, "question")
    assert kiosk.banner.text.text() == first.question
    assert "fail: observation scaling, action" in kiosk.banner.found.text()
    began_s = empty_window.view.cursor_a_s
    hands.wait_for(lambda: empty_window.view.cursor_a_s != began_s, "the cursor to run")
    kiosk.go_on()
    assert kiosk.phase == "answer"
    assert kiosk.banner.text.text() == first.what
    assert empty_window.view.evidence
    assert empty_window.view.cursor_a_s is None
    kiosk.go_on()
    assert kiosk.banner.title.text() == second.title
    hands.wait_for(
        lambda: empty_window.model.open_session.sim.path == str(second.sim), "the next pair", 30
    )
    wait_phase(kiosk, "question")
    kiosk.stop()


def test_that_nothing_moves_once_the_checks_are_in(empty_window, quick_pairs):
    docks = empty_window.parts.docks
    kiosk = begin(empty_window)
    moved: list[str] = []
    empty_window.model.pair_changed.connect(
        lambda: moved.extend(n for n in ("signals", "findings", "details") if docks[n].isVisible())
    )
    wait_phase(kiosk, "question")
    kiosk.go_on()
    kiosk.go_on()
    wait_phase(kiosk, "question")
    assert kiosk.shown == 2
    assert moved == []
    kiosk.stop()


def test_that_it_goes_on_by_itself(empty_window, quick_pairs):
    kiosk = begin(empty_window, HASTE)
    hands.wait_for(lambda: kiosk.shown >= 3, "three pairs", 60)
    assert empty_window.model.session is not None  # a pair is on show, not the start page
    kiosk.stop()
    wait_judged(empty_window)


def test_that_it_begins_again_after_the_last(empty_window, monkeypatch):
    few = bundled_samples()[:1]
    monkeypatch.setattr("tracescope.ui.kiosk.bundled_samples", lambda: few)
    kiosk = begin(empty_window)
    wait_phase(kiosk, "question")
    kiosk.go_on()
    kiosk.go_on()
    assert kiosk.shown == 2
    assert "1 of 1" in kiosk.banner.count.text()
    wait_phase(kiosk, "question")
    kiosk.stop()


def test_that_a_pair_whose_checks_do_not_come_is_left_out(empty_window):
    kiosk = begin(empty_window, Pace(10_000_000, 10_000_000, 0))
    hands.wait_for(lambda: kiosk.shown >= 2, "the next pair")
    assert kiosk.phase == "opening"  # none was judged, so nothing was asked or answered
    kiosk.stop()


def test_that_a_touch_stops_it_and_does_nothing_else(empty_window):
    canvas = empty_window.parts.traces.canvas
    touches = {
        "key": lambda: hands.key(empty_window, Qt.Key.Key_Space),
        "shortcut": lambda: hands.key(empty_window, Qt.Key.Key_L),
        "click": lambda: hands.click(canvas, QPointF(canvas.width() / 2, 40)),
        "wheel": lambda: hands.wheel(canvas, QPointF(canvas.width() / 2, 40), 3),
    }
    for name, touch in touches.items():
        kiosk = begin(empty_window)
        wait_phase(kiosk, "question")
        canvas.setFocus()
        range_s, locked = empty_window.view.range_s, empty_window.model.open_session.locked
        touch()
        assert stopped(empty_window), name
        assert empty_window.view.range_s == range_s, name
        assert empty_window.view.cursor_a_s is None, name
        assert empty_window.model.open_session.locked == locked, name
        assert empty_window.model.open_session.sim.path == str(bundled_samples()[0].sim), name
        assert not [b for b in empty_window.findChildren(Banner) if b.isVisible()], name
    assert empty_window.settings.recent == ()  # the gallery holds these pairs already


def test_that_what_stood_before_comes_back_and_unsaved_work_is_offered(window):
    window.parts.docks["signals"].hide()
    window.commands.apply_pending()
    wait_judged(window)
    kiosk = begin(window)
    assert window.look.demo
    assert window.isFullScreen()
    wait_phase(kiosk, "question")
    assert window.parts.docks["checks"].isVisible()
    assert window.parts.docks["findings"].isHidden()
    kiosk.stop()
    hands.settle()
    assert not window.look.demo
    assert not window.isFullScreen()
    assert window.parts.docks["signals"].isHidden()
    assert not window.parts.docks["findings"].isHidden()
    assert any("Unsaved work" in bar for bar in bars(window))


def test_that_the_menu_begins_it_once_and_ends_a_tour(empty_window):
    Tour.begin(empty_window)
    for _ in range(2):
        empty_window.actions_table["demo-loop"].trigger()
    assert not empty_window.findChildren(Tour)
    (kiosk,) = empty_window.findChildren(Kiosk)
    wait_phase(kiosk, "question")
    kiosk.stop()


def test_that_it_begins_from_the_start_page(empty_window):
    link = empty_window.parts.start.loop
    hands.click(link, link.rect().center())
    (kiosk,) = empty_window.findChildren(Kiosk)
    wait_phase(kiosk, "question")
    assert not empty_window.parts.start.isVisible()
    kiosk.stop()


def test_that_checks_are_told_worst_first():
    results = (
        CheckResult("alignment", State.PASS, ""),
        CheckResult("observation-scaling", State.FAIL, ""),
        CheckResult("timing", State.INCONCLUSIVE, ""),
    )
    told = "fail: observation scaling · inconclusive: timing · pass: alignment"
    assert found_text(results) == told
