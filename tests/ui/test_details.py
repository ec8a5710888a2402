"""The dock of details and what else looks closer, on the real window: marks, anchors, lags, statistics, XY."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from tests.ui import hands
from tests.ui.conftest import bars, wait_judged
from tracescope.analysis.residual import residual, signal_lags
from tracescope.model.alignment import Alignment, Anchor
from tracescope.model.correction import Correction
from tracescope.session.export import export_note, export_notes
from tracescope.ui.panels.anchors_panel import left_over_s
from tracescope.ui.plots.readout import read

Key = Qt.Key


def at(window, at_s: float, pane: int = 0) -> QPointF:
    """Return the pixel of an instant in a pane."""
    canvas = window.parts.traces.canvas
    return QPointF(canvas.frame().x(at_s), canvas.panes[pane].box.rect.center().y())


def show(window, place: int):
    """Open a tab of the dock by its key."""
    hands.key(window, Key(Key.Key_0 + place), hands.CTRL)
    details = window.parts.details
    page = (details.marks, details.anchors, details.stats, details.xy)[place - 1]
    assert page.isVisible()
    hands.wait_for(lambda: not page.is_due, "the page")
    return page


def press(button) -> None:
    hands.click(button, button.rect().center())


def mark(window, a_s: float, b_s: float | None = None) -> None:
    canvas = window.parts.traces.canvas
    hands.click(canvas, at(window, a_s))
    if b_s is not None:
        hands.click(canvas, at(window, b_s), hands.SHIFT)
    canvas.setFocus()
    hands.key(window, Key.Key_M)
    window.view.set_cursor_b(None)


# Marks


def test_that_marks_are_listed_worded_gone_to_and_deleted_undoably(window):
    mark(window, 0.5)
    mark(window, 1.0, 1.2)
    page = show(window, 1)
    assert [row[:3] for row in page.table.rows()] == [
        ["0.5000", "", "both traces"],
        ["1.0000", "1.2000", "both traces"],
    ]
    page.table.setCurrentCell(1, 0)
    page.text.setFocus()
    page.text.selectAll()
    hands.type_text(page.text, "slips")
    hands.key(page.text, Key.Key_Return)
    assert window.model.open_session.marks[1].text == "slips"
    assert page.table.rows()[1][3] == "slips"
    window.view.fit_all()
    press(page.go_to)
    low, high = window.view.range_s
    assert low < 1.0
    assert high > 1.2
    assert [e.caption for e in window.view.evidence] == ["slips"]
    page.table.setCurrentCell(0, 0)
    page.table.setFocus()
    hands.key(page.table, Key.Key_Delete)
    assert [m.text for m in window.model.open_session.marks] == ["slips"]
    window.actions_table["undo"].trigger()
    hands.wait_for(lambda: page.table.rowCount() == 2, "the mark to come back")


def test_that_a_mark_is_moved_to_the_cursors_on_its_own_traces_clock(window):
    mark(window, 0.5)
    page = show(window, 1)
    page.side.setFocus()
    hands.key(page.side, Key.Key_End)
    window.view.set_cursor_a(1.0)
    window.view.set_cursor_b(0.8)
    press(page.move_there)
    (made,) = window.model.open_session.marks
    assert made.side == "target"
    alignment = window.model.open_session.alignment
    assert made.on_sim(alignment) == pytest.approx((0.8, 1.0))
    assert made.span_s == pytest.approx(tuple(alignment.to_target_one(s) for s in (0.8, 1.0)))
    window.view.set_cursor_a(None)
    assert not page.move_there.isEnabled()


def test_that_the_figure_of_a_mark_shows_the_pane_it_was_made_on(window, tmp_path):
    canvas = window.parts.traces.canvas
    for pane in (1, len(canvas.panes) - 1):
        hands.click(canvas, at(window, 0.5, pane))
        canvas.setFocus()
        hands.key(window, Key.Key_M)
    panes = [canvas.panes[1], canvas.panes[-1]]
    names = [pane.keys[0].partition(":")[2] for pane in panes]
    marks = window.model.open_session.marks
    assert [m.channel for m in marks] == names
    export_note(window.model.open_session, tmp_path / "note.html")
    text = (tmp_path / "note.html").read_text(encoding="utf-8")
    for name in names:
        assert f"{name} around what was marked by hand" in text


def test_that_a_mark_goes_into_the_note_as_observed_by_hand(window, tmp_path):
    mark(window, 0.5)
    observed = window.parts.findings.columns["observed"].list.findings()
    assert observed[-1].by_hand
    assert observed[-1].text == "Marked by hand at 0.5 s: mark 1"
    endings = ("md", "html", "json")
    export_notes(window.model.open_session, [tmp_path / f"note.{e}" for e in endings])
    for ending in endings:
        text = (tmp_path / f"note.{ending}").read_text(encoding="utf-8")
        assert "Marked by hand at 0.5 s: mark 1" in text, ending


def test_that_a_mark_on_the_target_moves_with_it(window):
    mark(window, 0.5)
    page = show(window, 1)
    page.side.setFocus()
    hands.key(page.side, Key.Key_End)
    assert page.side.currentText() == "target"
    (made,) = window.model.open_session.marks
    assert made.side == "target"
    alignment = window.model.open_session.alignment
    assert made.on_sim(alignment) == pytest.approx((0.5, 0.5))
    window.model.align(alignment.moved(0.1))
    (moved,) = window.model.open_session.marks
    assert moved.on_sim(window.model.open_session.alignment) == pytest.approx((0.4, 0.4))


# Anchors and lags


def test_that_one_anchor_gives_the_offset_and_two_give_drift_as_well(window):
    canvas = window.parts.traces.canvas
    start = window.model.open_session.alignment
    canvas.setFocus()
    for sim_s, target_s in ((0.5, 0.6), (1.5, 1.7)):
        before = window.model.open_session.alignment
        hands.click(canvas, at(window, sim_s))
        hands.key(window, Key.Key_K)
        window.view.set_cursor_a(before.to_sim_one(target_s))
        hands.key(window, Key.Key_K)
    alignment = window.model.open_session.alignment
    assert alignment.how == "anchors"
    assert alignment.to_sim_one(0.6) == pytest.approx(0.5)
    assert alignment.to_sim_one(1.7) == pytest.approx(1.5)
    page = show(window, 2)
    assert page.summary.text() == "2 anchors give offset and drift."
    assert [row[1:3] for row in page.anchors.rows()] == [["0.5000", "0.6000"], ["1.5000", "1.7000"]]
    page.anchors.setCurrentCell(1, 0)
    press(page.delete)
    assert window.model.open_session.alignment.drift == 0.0
    assert window.model.open_session.alignment.offset_s == pytest.approx(0.1)
    press(page.delete)
    assert window.model.open_session.alignment.anchors == ()
    for _ in range(4):
        window.actions_table["undo"].trigger()
    assert window.model.open_session.alignment == start


def test_that_an_anchor_far_off_the_line_is_flagged_and_the_clocks_are_called_not_linear(window):
    row_s = window.model.open_session.pair.sim.interval_s
    times = (0.2, 0.6, 1.0, 1.4, 1.8)
    window.model.align_by_anchors(
        tuple(Anchor(t, t + (4 * row_s if t == 1.0 else 0.0)) for t in times)
    )
    page = show(window, 2)
    rows = page.anchors.rows()
    assert ["⚠" in row[4] for row in rows] == [False, False, True, False, False]
    assert "Clocks not linear: anchor 3 off by more than 2 samples" in page.summary.text()
    left_ms = left_over_s(window.model.open_session.alignment) * 1e3
    written = [float(row[3].replace("−", "-")) for row in rows]
    assert written == pytest.approx(left_ms, abs=0.006)
    page.anchors.setCurrentCell(2, 0)
    press(page.go_to)
    assert window.view.cursor_a_s == 1.0
    press(page.delete)
    hands.wait_for(lambda: "not linear" not in page.summary.text(), "the warning to go")


def test_that_the_lag_of_each_signal_is_shown_apart_and_moves_no_clock(window):
    before = window.model.open_session.alignment
    page = show(window, 2)
    lags = signal_lags(window.model.case)
    hands.wait_for(lambda: page.lags.rowCount() == len(lags), "the lags")
    assert {row[0] for row in page.lags.rows()} == {lag.channel for lag in lags}
    by_name = {row[0]: row for row in page.lags.rows()}
    for lag in lags:
        written = float(by_name[lag.channel][1].replace("−", "-"))
        assert written == pytest.approx(lag.lag_s * 1e3, abs=0.006)
    assert "never folded into the clock" in page.lag_words.text()
    assert window.model.open_session.alignment == before


# Statistics


def test_that_statistics_are_those_of_the_raw_samples_in_view(window):
    window.model.correct(Correction("obs[0]", scale=1.5))
    wait_judged(window)
    window.view.set_range(0.5, 1.0)
    page = show(window, 3)
    hands.wait_for(lambda: not page.is_busy and page.table.rowCount() > 0, "the statistics")
    case = window.model.case
    pair, alignment = case.pair, case.alignment
    low, high = window.view.range_s
    sim = pair.sim["obs[0]"]
    in_sim = (sim.time_s >= low) & (sim.time_s <= high)
    target = pair.target["obs[0]"]
    at_s = alignment.to_sim(target.time_s)
    in_target = (at_s >= low) & (at_s <= high)
    wanted = [
        ("sim", sim.value[in_sim]),
        ("target", target.value[in_target] / 1.5),
        ("target − sim", residual(case, "obs[0]", sim.time_s[in_sim])[1]),
    ]
    for row, (trace, value) in zip(page.table.rows()[:3], wanted, strict=True):
        assert row[:2] == ["obs[0]", trace]
        assert row[3] == str(value.size)
        numbers = [float(cell.replace("−", "-")) for cell in row[4:]]
        right = [value.min(), value.max(), value.mean(), value.std(ddof=1)]
        right.append(np.sqrt(np.mean(value**2)))
        assert numbers == pytest.approx(right, rel=1e-3)
    press(page.copy)
    copied = QApplication.clipboard().text().splitlines()
    assert copied[0].split("\t")[:2] == ["signal", "trace"]
    assert copied[1].split("\t") == page.table.rows()[0]


def test_that_statistics_follow_the_range(window):
    page = show(window, 3)
    hands.wait_for(lambda: not page.is_busy and page.table.rowCount() > 0, "the statistics")
    before = page.table.rows()
    hands.wheel(window.parts.traces.canvas, at(window, 1.0), 3)
    hands.wait_for(
        lambda: not page.is_due and not page.is_busy and page.table.rows() != before, "new ones"
    )
    assert int(page.table.rows()[0][3]) < int(before[0][3])


# XY


def test_that_the_xy_view_draws_both_traces_and_keeps_the_cursor_in_step(window):
    page = show(window, 4)
    assert page.keys == ("sim:obs[0]", "sim:obs[1]")
    sim, target = page.plot.paths
    pair = window.model.open_session.pair
    np.testing.assert_array_equal(sim.x, pair.sim["obs[0]"].value)
    np.testing.assert_array_equal(target.y, pair.target["obs[1]"].value[: target.y.size])
    place = page.plot.place(float(sim.x[20]), float(sim.y[20]))
    hands.click(page.plot, place)
    assert window.view.cursor_a_s == pytest.approx(float(sim.at_s[20]))
    hands.click(page.plot, page.plot.place(float(sim.x[30]), float(sim.y[30])), hands.SHIFT)
    assert window.view.cursor_b_s == pytest.approx(float(sim.at_s[30]))
    picture = page.plot.grab().toImage()
    theme = window.look.theme
    ratio = picture.devicePixelRatio()
    dot = picture.pixelColor(round(place.x() * ratio), round(place.y() * ratio)).name()
    assert dot in {theme.sim.lower(), theme.target.lower()}
    before = page.plot.paths[0].x.size
    window.view.set_range(0.5, 1.0)
    hands.wait_for(lambda: page.plot.paths[0].x.size < before, "the range to be followed")


def test_that_equal_axes_have_the_same_units_a_pixel(window):
    page = show(window, 4)
    hands.click(page.equal, QPointF(10, page.equal.height() / 2))
    assert page.plot.equal
    (left, right), (bottom, top) = page.plot.shown_spans()
    box = page.plot.box()
    assert (right - left) / box.width() == pytest.approx((top - bottom) / box.height())
    inner = page.plot.spans
    assert left <= inner[0][0]
    assert top >= inner[1][1]


# Side by side


def test_that_side_by_side_shows_each_trace_on_its_own_clock_over_one_range(window):
    window.model.align(Alignment(offset_s=0.5, pivot_s=0.0))
    traces = window.parts.traces
    traces.setFocus()
    hands.key(window, Key.Key_V)
    sides = traces.sides
    assert sides is not None
    assert sides.isVisible()
    assert not traces.strip.isVisible()
    assert {s.side for pane in sides.sim.panes for s in pane.series} == {"sim"}
    assert {s.side for pane in sides.target.panes for s in pane.series} == {"target"}
    left, right = sides.sim.frame(), sides.target.frame()
    assert left.range_s == right.range_s == window.view.range_s
    axis = sides.axes[1]
    assert axis.to_own(right, 1.0) == pytest.approx(1.5)
    assert axis.name(right) == "time on the target clock (s)"
    for ours, theirs in zip(sides.sim.panes, sides.target.panes, strict=True):
        assert (ours.box.low, ours.box.high) == (theirs.box.low, theirs.box.high)
    hands.click(sides.target, QPointF(right.x(1.0), sides.target.panes[0].box.rect.center().y()))
    assert window.view.cursor_a_s == pytest.approx(1.0, abs=0.06)
    hands.wheel(sides.sim, sides.sim.panes[0].box.rect.center(), 2)
    assert sides.target.frame().range_s == window.view.range_s
    hands.wheel(sides.sim, sides.sim.panes[0].box.rect.center(), 2, hands.CTRL)
    spans = {(c.panes[0].box.low, c.panes[0].box.high) for c in (sides.sim, sides.target)}
    assert spans == {(traces.canvas.panes[0].box.low, traces.canvas.panes[0].box.high)}
    hands.key(window, Key.Key_V)
    assert traces.sides is None
    assert traces.strip.isVisible()
    assert traces.canvas.isVisible()


# Copy and export


def test_that_what_the_cursors_read_is_copied_with_all_its_digits(window):
    hands.click(window.parts.traces.canvas, at(window, 0.5))
    hands.key(window, Key.Key_C, hands.CTRL | hands.SHIFT)
    lines = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    canvas = window.parts.traces.canvas
    at_s = window.view.cursor_a_s
    assert lines[0][:2] == ["signal", "unit"]
    assert repr(at_s) in lines[0][2]
    sim, target = canvas.panes[0].series
    alignment = window.model.open_session.alignment
    values = [read(s, alignment, canvas.data, at_s) for s in (sim, target)]
    assert lines[1][0] == "obs[0]"
    assert [float(cell) for cell in lines[1][2:5]] == [*values, values[1] - values[0]]


def test_that_the_visible_range_is_exported_in_the_background(window, tmp_path, picked):
    window.view.set_range(0.5, 1.0)
    picked(tmp_path / "out.csv")
    hands.key(window, Key.Key_E, hands.CTRL | hands.SHIFT)
    hands.wait_for(lambda: any("samples written" in text for text in bars(window)), "the export")
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
    alignment = window.model.open_session.alignment
    for row in rows:
        raw_s, aligned_s = float(row["raw_time_s"]), float(row["aligned_time_s"])
        moved_s = alignment.to_sim_one(raw_s) if row["trace"] == "target" else raw_s
        assert aligned_s == moved_s
        assert 0.5 <= aligned_s <= 1.0
    assert any(f"offset_s {alignment.offset_s!r}" in line for line in lines if line[0] == "#")


def test_that_only_the_active_pane_is_exported_and_a_recording_never_overwritten(
    window, tmp_path, picked, pair
):
    picked(tmp_path / "one.csv")
    window.actions_table["export-active"].trigger()
    hands.wait_for((tmp_path / "one.csv").exists, "the export")
    lines = (tmp_path / "one.csv").read_text(encoding="utf-8").splitlines()
    header = next(line for line in lines if not line.startswith("# "))
    assert header == "trace,raw_time_s,aligned_time_s,obs[0],obs[0] residual"
    before = pair[1].read_bytes()
    picked(pair[1])
    window.actions_table["export-range"].trigger()
    hands.wait_for(lambda: any("not written" in text for text in bars(window)), "the refusal")
    assert pair[1].read_bytes() == before


def test_that_every_new_verb_stands_in_menu_sheet_and_palette(window):
    specs = {spec.id: spec for spec in window.actions_table.specs}
    wanted = {
        "export-range", "export-active", "details-marks", "details-anchors", "details-statistics",
        "details-xy", "view.side_by_side", "cursor.copy", "align.snap", "align.anchor_target",
    }  # fmt: skip
    assert wanted <= set(specs)
    assert all(specs[name].menu for name in wanted)
