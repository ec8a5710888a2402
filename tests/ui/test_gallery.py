"""The gallery of bundled pairs: every card is drawn, named, reached by Tab, and opens its pair."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from tests.ui import hands
from tests.ui.conftest import wait_open
from tracescope.ui.panels.gallery import (
    CARD_PX,
    SCALE,
    Gallery,
    PreviewStrip,
    bundled_samples,
)

SEED_PROBLEMS = {
    "exercise", "latch", "healthy", "range-sensor", "camera", "slow-ticks", "weak-drive", "periodic",
    "ended-early",
}  # fmt: skip


def test_that_the_seed_problems_stand_first_and_each_asks_a_question():
    shown = bundled_samples()
    assert {sample.name for sample in shown[: len(SEED_PROBLEMS)]} == SEED_PROBLEMS
    assert all(sample.question.endswith("?") and sample.what for sample in shown)


def test_that_every_card_has_a_picture_a_name_and_a_question(empty_window):
    cards = empty_window.parts.start.gallery.cards
    assert len(cards) == len(bundled_samples()) == 15
    for card in cards:
        (strip,) = card.findChildren(PreviewStrip)
        assert strip.height() > 30
        assert card.title.accessibleName() == f"open sample {card.sample.name}"
        assert card.sample.question in card.title.accessibleDescription()


def test_that_a_strip_shows_both_traces_in_their_colours(qtbot, look):
    strip = PreviewStrip(look)
    qtbot.addWidget(strip)
    assert strip.is_blank
    strip.draw(((0.0, 0.0, 0.0), (100.0, 100.0, 100.0)))
    strip.resize(120, 46)
    image = strip.grab().toImage()
    column = [image.pixelColor(60, y) for y in range(image.height())]

    def nearest(colour: str) -> int:
        wanted = QColor(colour)
        return min(
            range(len(column)),
            key=lambda y: sum(
                abs(a - b) for a, b in zip(column[y].getRgb()[:3], wanted.getRgb()[:3], strict=True)
            ),
        )

    assert nearest(look.theme.target) < 10 < 36 < nearest(look.theme.sim)


def test_that_every_picture_is_drawn_once_the_page_is_seen(empty_window):
    strips = [card.strip for card in empty_window.parts.start.gallery.cards]
    hands.wait_for(lambda: not any(strip.is_blank for strip in strips), "the pictures", 10)
    for sample in bundled_samples():
        for line in sample.preview():
            assert len(line) > 10
            assert min(line) >= 0
            assert max(line) <= SCALE


def test_that_a_truth_without_a_picture_or_with_a_broken_one_is_a_card_all_the_same(tmp_path):
    whole = (
        'title = "T"\n\n[preview]\nsim = [0, 50, 100]\ntarget = [1, 2]\n\n[numbers]\nplace = 1\n'
    )
    for name, text in (
        ("a", whole),
        ("b", 'title = "T"\n'),
        ("c", 'title = "T"\n[preview]\nsim = ['),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "truth.toml").write_text(text, "utf-8")
        for side in ("sim", "target"):
            (tmp_path / name / f"{side}.csv").write_text("t,x\n", "utf-8")
    shown = bundled_samples(tmp_path)
    assert [sample.title for sample in shown] == ["T", "T", "T"]
    assert shown[0].preview() == ((0.0, 50.0, 100.0), (1.0, 2.0))
    assert shown[1].preview() == shown[2].preview() == ((), ())


@pytest.mark.parametrize("width", [500, 1250])
def test_that_no_title_is_cut_and_columns_are_equal(qtbot, look, width):
    gallery = Gallery(look)
    qtbot.addWidget(gallery)
    gallery.resize(width, 900)
    gallery.show()
    hands.settle()
    assert len({card.width() for card in gallery.cards}) <= 2  # a pixel may be left over
    assert len({card.x() for card in gallery.cards}) == min(4, width // CARD_PX)
    cut = [c.sample.name for c in gallery.cards if c.title.width() < c.title.sizeHint().width()]
    assert cut == []


def test_that_a_click_anywhere_on_a_card_opens_its_pair(empty_window):
    card = empty_window.parts.start.gallery.cards[0]
    hands.click(card, QPoint(40, 20))
    wait_open(empty_window)
    assert empty_window.model.open_session.sim.path == str(card.sample.sim)


def test_that_a_card_opens_by_keyboard(empty_window):
    card = empty_window.parts.start.gallery.cards[2]
    card.title.setFocus()
    hands.key(empty_window, Qt.Key.Key_Space)
    wait_open(empty_window)
    assert empty_window.model.open_session.target.path == str(card.sample.target)


def test_that_tab_goes_through_the_cards_in_order(empty_window):
    start = empty_window.parts.start
    start.gallery.cards[0].title.setFocus()
    for card in start.gallery.cards:
        assert empty_window.focusWidget() is card.title
        empty_window.focusNextChild()
