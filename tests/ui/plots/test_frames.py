from dataclasses import replace

import numpy as np
import pytest

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import pixels
from tracescope.model.alignment import Alignment
from tracescope.model.trace import FrameStack
from tracescope.ui.plots.frames_strip import frames_at, image_of


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
