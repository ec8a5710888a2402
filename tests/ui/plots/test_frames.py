from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import pixels
from tracescope.model.alignment import Alignment
from tracescope.model.trace import FrameStack
from tracescope.ui.plots import blink as blink_module
from tracescope.ui.plots.frames_strip import beside, by_turns, frames_at, image_of


def stack_file(path, rate_hz, shade):
    """Write a file of grey images that grow lighter by one each, and return its stack."""
    import h5py

    images = np.zeros((20, 30, 40, 3), np.uint8)
    images[..., shade] = (np.arange(20) + 100)[:, None, None]
    with h5py.File(path, "w") as file:
        file["cam"] = images
    times = np.arange(20) / rate_hz
    return FrameStack("cam", str(path), "cam", times, "raw", np.arange(20, dtype=np.int64))


@pytest.fixture
def filmed(desk, tmp_path):
    opened = pairs.sine_session(rows=200, rate_hz=100, late_s=0.5)
    sim = replace(opened.pair.sim, frames=(stack_file(tmp_path / "a.h5", 10, 0),))
    film = stack_file(tmp_path / "b.h5", 10, 2)
    target = replace(opened.pair.target, frames=(replace(film, time_s=film.time_s + 0.5),))
    return desk(pairs.session(sim, target, Alignment(offset_s=0.5)), [["sim:obs[0]"]])


def colours(desk):
    hands.wait_for(lambda: not desk.widget.frames._background.is_busy, "the images")  # noqa: SLF001
    picture = pixels(desk.widget.frames.grab().toImage()).reshape(-1, 3)
    return {tuple(colour) for colour in np.unique(picture, axis=0)}


def test_that_both_cameras_show_the_image_of_the_cursors_instant(filmed):
    hands.click(filmed.canvas, filmed.at(0, 1.25))
    hands.settle()
    seen = colours(filmed)
    assert (112, 0, 0) in seen
    assert (0, 0, 112) in seen


def test_that_the_newest_image_not_after_the_instant_is_chosen_through_the_alignment(filmed):
    shown = frames_at(filmed.model.session, 0.3)
    assert [(s.side, s.number) for s in shown] == [("sim", 3), ("target", 3)]
    assert [(s.side, s.number) for s in frames_at(filmed.model.session, -0.05)] == []


def test_that_an_image_that_cannot_be_read_says_so_in_its_place(filmed, tmp_path):
    (tmp_path / "a.h5").unlink()
    hands.click(filmed.canvas, filmed.at(0, 1.95))
    hands.settle()
    assert (119, 0, 0) not in colours(filmed)
    assert (0, 0, 119) in colours(filmed)


def test_that_no_room_is_lost_where_there_are_no_cameras(desk):
    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    assert not out.widget.frames.isVisible()


@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 3), (3, 5, 4)])
def test_that_an_image_has_its_pixels_in_place(qapp, shape):
    data = np.full(shape, 200, np.uint8)
    data[1, 4] = 10
    image = image_of(data)
    assert (image.width(), image.height()) == (5, 3)
    assert image.pixelColor(4, 1).green() == 10
    assert image.pixelColor(3, 1).green() == 200


# The difference blink

RED, BLUE = (112, 0, 0), (0, 0, 112)


@pytest.fixture
def swift(monkeypatch):
    """Let every speed be swift, so that nobody waits."""
    monkeypatch.setattr(blink_module, "PERIODS_S", (0.05, 0.04, 0.03, 0.02))


def at_the_cursor(filmed):
    hands.click(filmed.canvas, filmed.at(0, 1.25))
    hands.settle()
    return filmed.widget.frames


def test_that_d_shows_both_cameras_by_turns_in_one_place_and_stops(filmed, swift):
    frames = at_the_cursor(filmed)
    hands.key(filmed.widget, Qt.Key.Key_D)
    seen: set[bool] = set()

    def both_were_seen() -> bool:
        picture = colours(filmed)
        assert (RED in picture) != (BLUE in picture), "one image at a time"
        seen.add(RED in picture)
        return seen == {True, False}

    hands.wait_for(both_were_seen, "either image")
    hands.key(filmed.widget, Qt.Key.Key_D)
    assert not frames.blink.is_on
    assert {RED, BLUE} <= colours(filmed)


def test_that_escape_stops_the_blink_and_keeps_the_cursor(filmed, swift):
    frames = at_the_cursor(filmed)
    hands.click(frames.controls.button, frames.controls.button.rect().center())
    assert frames.blink.by_itself
    filmed.widget.setFocus()
    hands.key(filmed.widget, Qt.Key.Key_Escape)
    assert not frames.blink.is_on
    assert not frames.controls.button.isChecked()
    assert filmed.view.cursor_a_s is not None


def test_that_brackets_and_the_list_change_the_speed(filmed):
    frames = at_the_cursor(filmed)
    before_s = frames.blink.period_s
    hands.key(filmed.widget, Qt.Key.Key_BracketRight)
    assert frames.blink.period_s < before_s
    for _ in range(9):
        hands.key(filmed.widget, Qt.Key.Key_BracketLeft)
    assert frames.blink.period_s == max(blink_module.PERIODS_S)
    assert frames.controls.speed.currentIndex() == 0
    frames.controls.speed.setFocus()
    hands.key(filmed.widget, Qt.Key.Key_Down)
    assert frames.blink.period_s == blink_module.PERIODS_S[1]


def test_that_no_speed_flashes_more_than_three_times_a_second():
    assert min(blink_module.PERIODS_S) > 1 / 3


def test_that_without_motion_a_key_shows_the_other_image(filmed, monkeypatch):
    monkeypatch.setattr(blink_module, "motion_is_reduced", lambda: True)
    frames, hints = at_the_cursor(filmed), []
    filmed.widget.hinted.connect(hints.append)
    hands.key(filmed.widget, Qt.Key.Key_D)
    assert not frames.blink.by_itself
    assert "no motion" in hints[-1]
    assert RED in colours(filmed)
    assert BLUE not in colours(filmed)
    hands.key(filmed.widget, Qt.Key.Key_D)
    assert BLUE in colours(filmed)
    assert RED not in colours(filmed)
    hands.key(filmed.widget, Qt.Key.Key_D)
    assert {RED, BLUE} <= colours(filmed)


def test_that_there_is_nothing_to_blink_with_where_only_one_trace_has_an_image(filmed, desk):
    frames, hints = filmed.widget.frames, []
    filmed.widget.hinted.connect(hints.append)
    filmed.view.set_cursor_a(-0.05)
    hands.key(filmed.widget, Qt.Key.Key_D)
    assert not frames.blink.is_on
    assert "nothing to blink with" in hints[-1]
    blind = desk(pairs.sine_session(), [["sim:obs[0]"]])
    blind.widget.hinted.connect(hints.append)
    hands.key(blind.widget, Qt.Key.Key_D)
    assert hints[-1] == "neither trace has camera images"


def test_that_cameras_are_matched_by_name_and_one_each_whatever_they_are_called(filmed):
    sim, target = frames_at(filmed.model.session, 0.3)
    assert by_turns((sim, target), "target") == (target,)
    other = replace(target, stack=replace(target.stack, name="wrist"))
    assert by_turns((sim, other), "sim") == (sim,)
    assert by_turns((sim, target, other), "sim") == (sim, other), "what one side lacks stays"


def test_that_the_images_beside_the_shown_ones_are_read_ahead(filmed):
    frames = at_the_cursor(filmed)
    hands.wait_for(lambda: not frames._background.is_busy, "the images")  # noqa: SLF001
    held = {key[2] for key in frames._held}  # noqa: SLF001
    assert {11, 12, 13} <= held
    last = replace(frames.shown()[0], number=19)
    assert [other.number for other in beside(last)] == [18]
