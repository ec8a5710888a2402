"""Faults that people reported of other tools, tried on the real window: plotting, alignment, application."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tests.ui.conftest import bars, drop, wait_judged
from tracescope.session import export_range
from tracescope.ui import range_export

ROOT = Path(__file__).parents[2]


def write(path: Path, time_s: np.ndarray, **signals: np.ndarray) -> Path:
    """Write a CSV trace."""
    lines = [",".join(["timestamp", *signals])]
    columns = [time_s, *signals.values()]
    lines += [",".join(f"{v:.6f}" for v in row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def pixels(image: QImage) -> bytes:
    return bytes(image.convertToFormat(QImage.Format.Format_RGB32).constBits())


# Alignment


def test_that_traces_that_do_not_overlap_name_both_ranges_and_one_click_brings_them_together(
    empty_window, tmp_path
):
    t = np.arange(100) * 0.02
    value = np.sin(t * t * 7)
    sim = write(tmp_path / "sim.csv", t, q=value)
    target = write(tmp_path / "target.csv", t + 5000.0, q=value)
    drop(empty_window, sim, target)
    wait_judged(empty_window)
    assert not any("do not overlap" in text for text in bars(empty_window))
    empty_window.actions_table["as-recorded"].trigger()
    hands.settle()
    (said,) = [text for text in bars(empty_window) if "do not overlap" in text]
    assert "simulator 0 s to 1.98 s, target 5000 s to 5001.98 s" in said
    hands.press(empty_window, "Start both together")
    assert not any("do not overlap" in text for text in bars(empty_window))
    assert empty_window.model.open_session.alignment.offset_s == pytest.approx(5000.0)
    wait_judged(empty_window)


# Plotting


def test_that_another_screen_lays_everything_out_anew_and_panes_agree(window):
    traces = window.parts.traces
    canvas = traces.canvas
    laid_out = []
    canvas.laid_out.connect(lambda: laid_out.append(1))
    QApplication.sendEvent(traces, QEvent(QEvent.Type.DevicePixelRatioChange))
    hands.settle()
    assert laid_out
    frame = canvas.frame()
    for pane in canvas.panes:
        assert pane.box.rect.left() == frame.left_px
        assert pane.box.rect.width() == pytest.approx(frame.width_px)
    for tick in frame.ticks_px:
        assert frame.x(frame.time(tick)) == pytest.approx(tick)


def test_that_a_moving_cursor_leaves_no_trail(window):
    canvas = window.parts.traces.canvas
    for at_s in np.linspace(0.2, 1.7, 12):
        window.view.set_cursor_a(float(at_s))
        hands.settle()
    lived = pixels(window.grab(canvas.rect().translated(canvas.mapTo(window, QPoint()))).toImage())
    canvas.arrange()
    hands.settle()
    fresh = pixels(window.grab(canvas.rect().translated(canvas.mapTo(window, QPoint()))).toImage())
    assert lived == fresh


def test_that_the_first_drag_after_opening_moves_the_target_and_no_axis(window):
    canvas, strip = window.parts.traces.canvas, window.parts.traces.strip
    values = [(pane.box.low, pane.box.high) for pane in canvas.panes]
    range_s = window.view.range_s
    start = QPointF(strip.target_bar().center())
    hands.drag(strip, start, start + QPointF(-40, 0))
    assert window.model.undo_stack.count() == 1
    assert [(pane.box.low, pane.box.high) for pane in canvas.panes] == values
    assert window.view.range_s == range_s


def test_that_the_wheel_over_a_side_list_leaves_the_panes_alone(window):
    before = window.view.range_s
    for area in (window.parts.findings, window.parts.checks, window.parts.signals.tree.viewport()):
        for notches in (3, -30):
            hands.wheel(area, QPointF(area.rect().center()), notches)
    assert window.view.range_s == before


def test_that_nothing_of_the_window_asks_for_open_gl():
    sources = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "tracescope").rglob("*.py"))
    assert "QOpenGL" not in sources
    assert "useOpenGL" not in sources


# Application


def test_that_the_layout_is_kept_for_the_next_pair_and_what_it_lacks_is_listed(
    window, tmp_path, pair
):
    window.view.set_shown((("sim:obs[1]", "sim:obs[0]"), ("sim:reward",)))
    t = np.arange(60) * 0.02
    value = np.sin(t * t * 7)
    other = [
        write(
            tmp_path / f"next_{side}.csv", t, **{"obs[0]": value, "obs[1]": value + 1, "q": value}
        )
        for side in ("sim", "target")
    ]
    drop(window, *other)
    hands.wait_for(lambda: len(window.model.open_session.pair.sim) == 60, "the next pair")
    assert window.view.shown == (("sim:obs[1]", "sim:obs[0]"),)
    said = [n.text for n in window.notices.said]
    assert "the layout was kept; not in this pair: reward" in said
    wait_judged(window)


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_that_ten_reloads_leave_memory_flat(empty_window, tmp_path):
    t = np.arange(8_000) * 0.01
    signals = {f"q{k}": np.sin((k + 1) * t) for k in range(8)}
    paths = [write(tmp_path / f"{side}.csv", t, **signals) for side in ("sim", "target")]
    sizes = []
    for _ in range(12):
        before = empty_window.model.session
        drop(empty_window, *paths)
        hands.wait_for(
            lambda before=before: empty_window.model.session is not before, "the reload", 60
        )
        gc.collect()
        sizes.append(resident_mb())
    assert max(sizes[3:]) <= 1.1 * sizes[2], sizes


def test_that_an_export_of_many_samples_shows_progress_and_can_be_cancelled(
    window, tmp_path, picked, monkeypatch
):
    monkeypatch.setattr(export_range, "BLOCK", 1)
    going: list[float] = []
    ended: list[bool] = []

    def slow(session, path, wanted, progress):
        def waiting(done: float, what: str) -> None:
            progress(done, what)
            going.append(done)
            while len(going) >= 5:
                progress(done, what)  # raises once somebody cancels

        try:
            return export_range.export_range(session, path, wanted, progress=waiting)
        finally:
            ended.append(True)

    monkeypatch.setattr(range_export, "export_range", slow)
    picked(tmp_path / "out.csv")
    window.actions_table["export-range"].trigger()
    hands.wait_for(lambda: len(going) == 5, "the export to be under way")
    status = window.parts.status
    hands.wait_for(status.cancel.isVisible, "the way to cancel")
    assert status.progress.isVisible()
    hands.click(status.cancel, status.cancel.rect().center())
    hands.wait_for(lambda: ended == [True], "the end")
    assert not status.progress.isVisible()
    assert list(tmp_path.glob("*out.csv*")) == []
