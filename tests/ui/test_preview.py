"""A long recording is seen before it is read: marked as a preview, out of every command's reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import h5py
import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage

from tests.ui import hands
from tests.ui.conftest import bars, drop, wait_judged, wait_open
from tracescope.model.progress import Progress
from tracescope.readers import preview as reading
from tracescope.session.session import SideChoices
from tracescope.ui import opener
from tracescope.ui.main_window import MainWindow
from tracescope.ui.theme import mixed

ROWS = 60_000
WAIT_S = 0.01


@pytest.fixture
def long_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two recordings that count as long here."""
    monkeypatch.setattr(reading, "LEAST_VALUES", 10_000)
    paths = (tmp_path / "sim.h5", tmp_path / "target.h5")
    time_s = np.arange(ROWS) * 1e-3
    for path, late_s in zip(paths, (0.0, 0.02), strict=True):
        with h5py.File(path, "w") as file:
            file["time_s"] = time_s
            file["obs"] = np.stack([np.sin(0.4 * (time_s - late_s)), np.cos(time_s)], axis=1)
    return paths


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Hold reading up until the gate is opened; it can be cancelled meanwhile."""
    through = Event()
    really = opener.open_session

    def held(
        sim: SideChoices, target: SideChoices, options: opener.OpenOptions, progress: Progress
    ) -> object:
        while not through.wait(WAIT_S):
            progress(0.3, "simulator: reading obs")
        return really(sim, target, options, progress)

    monkeypatch.setattr(opener, "open_session", held)
    yield through
    through.set()


@pytest.fixture
def previewed(empty_window: MainWindow, long_pair: tuple[Path, Path], gate: Event) -> MainWindow:
    """The window while the long pair is still being read."""
    del gate
    drop(empty_window, *long_pair)
    hands.wait_for(lambda: empty_window.preview.is_on, "the preview", 30)
    page = empty_window.preview.page
    assert page is not None
    hands.wait_for(lambda: "30 %" in page.bar.reading.text(), "the share read")
    return empty_window


def colours(picture: QImage) -> set[str]:
    return {
        picture.pixelColor(x, y).name()
        for x in range(0, picture.width(), 2)
        for y in range(0, picture.height(), 2)
    }


def test_that_a_long_pair_is_drawn_and_marked_before_it_is_read_and_then_replaced(
    previewed: MainWindow, gate: Event
):
    page = previewed.preview.page
    assert previewed.parts.stack.currentWidget() is page
    assert previewed.model.session is None
    assert "Preview of sim.h5 and target.h5: 1 row in 7" in page.bar.words.text()
    assert "spikes may be missing" in page.bar.words.text()
    faded, plain = previewed.look.theme.faded(), previewed.look.theme
    seen = colours(page.canvas.grab().toImage())
    assert {faded.sim.lower(), faded.target.lower()} & seen
    assert plain.target.lower() not in seen
    pale = {mixed(faded.sim, faded.background), mixed(faded.target, faded.background)}
    assert pale & seen, "what joins the blocks is drawn as if it had been read"
    gate.set()
    wait_open(previewed)
    hands.wait_for(lambda: previewed.opener.lane.task is None, "the end of reading")
    assert not previewed.preview.is_on
    assert page.model.session is None
    assert previewed.parts.stack.currentWidget() is previewed.parts.traces
    assert previewed.model.open_session.pair.sim.source.sha256
    assert len(previewed.model.open_session.pair.sim) == ROWS
    assert previewed.parts.notices.isEnabled()
    assert previewed.actions_table["export-note"].isEnabled()


def test_that_the_range_looked_at_is_kept(previewed: MainWindow, gate: Event):
    view = previewed.preview.page.view
    low, high = view.range_s
    view.set_range(low + 0.25 * (high - low), low + 0.5 * (high - low))
    gate.set()
    wait_open(previewed)
    first, last = previewed.view.extent_s
    share = [(end - first) / (last - first) for end in previewed.view.range_s]
    assert share == pytest.approx([0.25, 0.5], abs=0.01)


def test_that_nothing_can_be_judged_saved_or_realigned_while_it_stands(previewed: MainWindow):
    needing = [s.id for s in previewed.actions_table.specs if s.needs]
    able = [name for name in needing if previewed.actions_table[name].isEnabled()]
    assert able == []
    for name in ("undo", "redo", "take-proposal"):
        assert not previewed.actions_table[name].isEnabled()
    assert not previewed.parts.align.isEnabled()
    assert not any(dock.isVisible() for dock in previewed.parts.docks.values())
    assert previewed.judge.lane.task is None
    page = previewed.preview.page
    canvas, before = page.canvas, page.model.open_session
    at = canvas.panes[0].box.rect.center()
    hands.click(canvas, at)
    with hands.Drag(canvas, at, modifiers=Qt.KeyboardModifier.ControlModifier) as hand:
        hand.to(at + QPointF(60, 0))
    assert page.view.cursor_a_s is None
    assert page.model.open_session.alignment == before.alignment
    assert "this is a preview" in previewed.parts.status.currentMessage()


def test_that_the_status_bar_says_nothing_of_the_pair_behind_it(
    window: MainWindow, long_pair: tuple[Path, Path], gate: Event
):
    wait_judged(window)
    window.view.set_cursor_a(window.view.extent_s[0])
    status = window.parts.status
    before = status.state.text(), status.cursor_label.text()
    assert before[0] == "7 checks up to date"
    assert before[1].startswith("A ")
    drop(window, *long_pair)
    hands.wait_for(lambda: window.preview.is_on, "the preview", 30)
    assert status.state.text() == "preview: nothing is checked yet"
    assert status.cursor_label.text() == ""
    status.cancel.click()
    hands.wait_for(lambda: not window.preview.is_on, "the end of the preview")
    assert (status.state.text(), status.cursor_label.text()) == before
    gate.set()


def test_that_the_wheel_zooms_it(previewed: MainWindow):
    page = previewed.preview.page
    low, high = page.view.range_s
    hands.wheel(page.canvas, page.canvas.panes[0].box.rect.center(), 3)
    assert page.view.range_s[1] - page.view.range_s[0] < 0.9 * (high - low)


def test_that_cancel_leaves_a_clean_start_page(previewed: MainWindow):
    hands.press(previewed.preview.page, "Cancel")
    assert previewed.parts.stack.currentWidget() is previewed.parts.start
    assert not previewed.preview.is_on
    assert previewed.model.session is None
    assert bars(previewed) == []
    assert previewed.actions_table["open-pair"].isEnabled()
    assert not any(dock.isVisible() for dock in previewed.parts.docks.values())
    hands.wait_for(lambda: previewed.opener.lane.wait(0), "the thread")
    assert previewed.model.session is None


def test_that_cancel_gives_back_the_pair_that_was_open(
    window: MainWindow, long_pair: tuple[Path, Path], gate: Event
):
    del gate
    before = window.model.session
    window.opener.open_pair(*(SideChoices(str(path)) for path in long_pair))
    hands.wait_for(lambda: window.preview.is_on, "the preview", 30)
    assert not window.actions_table["save-session"].isEnabled()
    assert not window.parts.header.isVisible()
    hands.press(window.preview.page, "Cancel")
    assert window.model.session is before
    assert window.parts.stack.currentWidget() is window.parts.traces
    assert window.parts.header.isVisible()
    assert window.parts.docks["checks"].isVisible()
    assert window.actions_table["save-session"].isEnabled()


def test_that_a_file_cut_short_while_it_is_read_says_so_after_the_preview(
    previewed: MainWindow, gate: Event, long_pair: tuple[Path, Path]
):
    with long_pair[1].open("r+b") as file:
        file.truncate(long_pair[1].stat().st_size // 2)
    gate.set()
    hands.wait_for(lambda: bool(bars(previewed)), "the error", 30)
    hands.wait_for(lambda: not previewed.preview.is_on, "the start page")
    assert "shorter than it says" in bars(previewed)[0]
    assert previewed.parts.notices.isEnabled()
    assert previewed.parts.stack.currentWidget() is previewed.parts.start


def test_that_a_short_counterpart_is_there_whole_and_a_broken_one_is_said_later(
    empty_window: MainWindow, long_pair: tuple[Path, Path], gate: Event, tmp_path: Path
):
    del gate
    short, broken = tmp_path / "short.csv", tmp_path / "broken.csv"
    short.write_text("time_s,obs[0]\n0,1\n1,2\n2,3\n", encoding="utf-8")
    broken.write_bytes(b"\0\1\2")
    for path, words in ((short, "every row of the target"), (broken, "nothing of the target")):
        empty_window.opener.open_pair(SideChoices(str(long_pair[0])), SideChoices(str(path)))
        hands.wait_for(lambda: empty_window.preview.is_on, "the preview", 30)
        assert words in empty_window.preview.page.bar.words.text()
        hands.press(empty_window.preview.page, "Cancel")


def test_that_a_short_pair_has_no_preview(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, pair: tuple[Path, Path]
):
    shown: list[object] = []
    window.opener.previewed.connect(shown.append)
    reads: list[str] = []
    really = opener.open_session
    monkeypatch.setattr(opener, "open_session", lambda *a: reads.append("read") or really(*a))
    drop(window, *pair)
    hands.wait_for(lambda: bool(reads) and window.opener.lane.task is None, "the pair", 30)
    assert shown == []


def test_that_it_follows_the_theme(previewed: MainWindow):
    page = previewed.preview.page
    previewed.look.choose("dark", demo=False)
    hands.settle()
    assert previewed.look.theme.faded().background.lower() in colours(page.canvas.grab().toImage())
