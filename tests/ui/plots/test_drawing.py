"""What is on the screen, pixel by pixel."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import pixels
from tracescope.model.check import Evidence
from tracescope.model.correction import Correction
from tracescope.model.trace import Role
from tracescope.ui.plots import paint_box, paint_frame, residuals
from tracescope.ui.plots.ink import TINT, cosmetic
from tracescope.ui.plots.outline import polygon_of
from tracescope.ui.plots.paint_frame import legend
from tracescope.ui.plots.ticks import read_out
from tracescope.ui.theme import DARK, LIGHT

OBS = Role.OBSERVATION


def one(desk, time_s, value, role=OBS, size=(900, 400)):
    """Show one channel that only the sim has."""
    sim = pairs.trace(time_s, {"x": (role, value, "m")})
    return desk(pairs.session(sim, pairs.trace(time_s[:0], {})), [["sim:x"]], size)


def robot(rng, rows):
    return np.cumsum(np.cumsum(rng.normal(size=rows)))


def smooth(_, rows):
    return np.sin(np.linspace(0, 40, rows))


def spikes(rng, rows):
    out = np.zeros(rows)
    out[rng.integers(0, rows, 40)] = rng.normal(size=40)
    return out


KINDS = {
    "robot": robot,
    "smooth": smooth,
    "noise": lambda rng, rows: rng.normal(size=rows),
    "spikes": spikes,
}


@pytest.mark.parametrize("kind", KINDS)
def test_that_the_picture_is_within_a_pixel_of_the_one_drawn_from_all_samples(desk, kind):
    rows = 100_000
    value = KINDS[kind](np.random.default_rng(3), rows)
    time_s = np.arange(rows) * 1e-3
    out = one(desk, time_s, value)
    for share in np.geomspace(1.0, 2e-4, 20):
        start = 37.0 * (1 - share)
        out.view.set_range(start, start + share * 99.999)
        hands.settle()
        drawn = mask(out.lit(LIGHT.sim, 0), out)
        full = mask(every_sample(out, time_s, value), out)
        assert full.sum() > 100
        assert strays(drawn, full) <= 1e-3
        assert strays(full, drawn) <= 1e-3


def every_sample(desk, time_s, value):
    """Return where a painter lights pixels that connects every sample."""
    box = desk.pane(0).box
    image = QImage(round(box.rect.width()), round(box.rect.height()), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    y = box.rect.height() - (value - box.low) * box.px_per_unit
    x = desk.canvas.frame().sim_lens.x(time_s)
    near = (x > -50) & (x < box.rect.width() + 50)
    painter = QPainter(image)
    painter.setPen(cosmetic("#000000"))
    painter.drawPolyline(polygon_of(np.stack((x[near], y[near]), axis=1)))
    painter.end()
    lit_y, lit_x = np.nonzero(pixels(image).sum(axis=2) == 0)
    return np.stack((lit_x, lit_y), axis=1)


def mask(lit, desk):
    rect = desk.pane(0).box.rect
    out = np.zeros((round(rect.height()), round(rect.width())), bool)
    out[lit[:, 1], lit[:, 0]] = True
    return out[:-2, 2:-2]  # the box's own edges are not curves


def strays(one_mask, other):
    """Return the share of lit pixels farther than one pixel from any lit pixel of the other picture."""
    grown = np.zeros_like(other)
    padded = np.pad(other, 1)
    for dy in (0, 1, 2):
        for dx in (0, 1, 2):
            grown |= padded[dy : dy + other.shape[0], dx : dx + other.shape[1]]
    return (one_mask & ~grown).sum() / max(1, one_mask.sum())


@pytest.mark.parametrize("span", np.geomspace(99.0, 0.02, 20))
def test_that_a_spike_of_one_sample_is_seen_at_every_zoom(desk, span):
    value = np.zeros(100_000)
    value[50_000] = 1.0
    out = one(desk, np.arange(100_000) * 1e-3, value)
    out.view.set_range(50 - span / 2, 50 + span / 2)
    lit = out.lit(LIGHT.sim, 0)
    box = out.pane(0).box
    assert lit[:, 1].min() == pytest.approx(box.y(1.0) - box.rect.top(), abs=1.5)


def test_that_one_dropped_sample_leaves_the_rest_of_the_curve(desk):
    value = np.sin(np.arange(500) * 0.05)
    value[0] = value[250] = np.nan
    out = one(desk, np.arange(500) * 0.01, value)
    columns = set(out.lit(LIGHT.sim, 0)[:, 0])
    assert len(columns) > 0.97 * out.pane(0).box.rect.width()


def test_that_a_gap_of_the_clock_is_left_open_and_hatched(desk):
    t = np.concatenate((np.arange(200) * 0.01, 4 + np.arange(200) * 0.01))
    out = one(desk, t, np.zeros(400))
    lit = out.lit(LIGHT.sim, 0)
    left = out.x(1.99) - out.pane(0).box.rect.left()
    right = out.x(4.0) - out.pane(0).box.rect.left()
    middle = round(out.pane(0).box.y(0.0) - out.pane(0).box.rect.top())
    on_line = lit[np.abs(lit[:, 1] - middle) <= 1]
    assert not ((on_line[:, 0] > left + 2) & (on_line[:, 0] < right - 2)).any()
    box = out.pane(0).box.rect.toRect()
    y = box.top() + 5
    row = out.picture()[y, box.left() + int(left) + 3 : box.left() + int(right) - 3]
    share = (row != (255, 255, 255)).any(axis=1).mean()
    assert 0.02 < share < 0.5


def legend_text(desk) -> str:
    """Return what the first pane's header says on the left."""
    words = legend(desk.pane(0), desk.canvas.frame(), desk.canvas.data)
    return " ".join(word.text for word in words)


def test_that_infinite_samples_do_not_spoil_the_range_and_are_marked_and_counted(desk):
    value = np.sin(np.arange(500) * 0.05)
    value[100], value[300] = np.inf, -np.inf
    out = one(desk, np.arange(500) * 0.01, value)
    box = out.pane(0).box
    assert -1.3 < box.low < box.high < 1.3
    lit = out.lit(LIGHT.sim, 0)
    top = lit[lit[:, 1] <= 4][:, 0]
    bottom = lit[lit[:, 1] >= box.rect.height() - 4][:, 0]
    assert np.abs(top - (out.x(1.0) - box.rect.left())).max() < 8
    assert np.abs(bottom - (out.x(3.0) - box.rect.left())).max() < 8
    assert "2 inf" in legend_text(out)


@pytest.mark.parametrize("constant", [0.0, 4.6e15, -1e-300, 1e22, 5e-324])
def test_that_a_constant_of_any_size_is_a_line_through_the_middle(desk, constant):
    out = one(desk, np.arange(100) * 0.01, np.full(100, constant))
    for _ in range(5):
        out.canvas.fit_values()
    lit = out.lit(LIGHT.sim, 0)
    middle = out.pane(0).box.rect.height() / 2
    assert np.abs(lit[:, 1] - middle).max() <= 2
    assert np.ptp(lit[:, 0]) > 0.95 * out.pane(0).box.rect.width()
    assert f"constant = {read_out(constant)}" in legend_text(out)


@pytest.mark.parametrize(
    "value",
    [
        np.full(50, np.nan),
        np.full(50, np.inf),
        np.array([1e308, -1e308] * 25),
        np.array([1e22] + [0.0] * 49),
        np.zeros(50, np.int64),
    ],
)
def test_that_no_content_breaks_the_picture(desk, value):
    out = one(desk, np.arange(50) * 0.01, value)
    out.canvas.fit_values()
    hands.wheel(out.canvas, out.at(0, 0.2), 5, hands.CTRL)
    assert out.picture().size
    box = out.pane(0).box
    assert np.isfinite([box.low, box.high]).all()
    assert box.low < box.high


def test_that_repeated_stamps_and_a_single_row_are_drawn(desk):
    out = one(desk, np.array([0.0, 0.1, 0.1, 0.1, 0.2]), np.array([0.0, 1.0, 2.0, 3.0, 0.0]))
    assert len(out.lit(LIGHT.sim, 0)) > 50
    out = one(desk, np.array([5.0]), np.array([2.0]))
    assert len(out.lit(LIGHT.sim, 0)) >= 3


def test_that_actions_are_drawn_as_steps(desk):
    out = one(desk, np.arange(5) * 1.0, np.array([0.0, 1.0, 0.0, 1.0, 0.0]), Role.ACTION)
    box = out.pane(0).box
    lit = out.lit(LIGHT.sim, 0)
    high = round(box.y(1.0) - box.rect.top())
    columns = lit[np.abs(lit[:, 1] - high) <= 1][:, 0]
    start, end = out.x(1.0) - box.rect.left(), out.x(2.0) - box.rect.left()
    assert {round(start) + 2, round((start + end) / 2), round(end) - 2} <= set(columns)


def test_that_flags_are_bands_in_a_lane_for_each_side(desk):
    t = np.arange(1000) * 0.01
    sim = pairs.trace(t, {"done": (Role.DONE, t >= 9, "")})
    target = pairs.trace(t, {"done": (Role.DONE, t >= 5, "")})
    out = desk(pairs.session(sim, target), [["sim:done"]])
    box = out.pane(0).box.rect
    lit_sim, lit_target = out.lit(LIGHT.sim, 0), out.lit(LIGHT.target, 0)
    assert lit_sim[:, 1].max() < lit_target[:, 1].min()
    assert lit_sim[:, 0].min() == pytest.approx(out.x(9.0) - box.left(), abs=2)
    assert lit_target[:, 0].min() == pytest.approx(out.x(5.0) - box.left(), abs=2)


def test_that_ten_thousand_toggles_are_merged_into_few_bands(desk):
    t = np.arange(40_000) * 0.01
    from tracescope.ui.plots.paint_box import true_spans

    out = one(desk, t, (np.arange(40_000) // 2) % 2 == 0, Role.DONE)
    frame = out.canvas.frame()
    outline = out.canvas.data.outline(out.pane(0).series[0].channel, frame.sim_lens)
    assert 0 < len(true_spans(outline)) < frame.width_px


def test_that_a_correction_moves_the_drawn_target_onto_the_sim(desk):
    t = np.arange(500) * 0.01
    sim = pairs.trace(t, {"x": (OBS, np.sin(3 * t), "m")})
    target = pairs.trace(t, {"x": (OBS, -1.5 * np.sin(3 * t) + 2, "m")})
    out = desk(pairs.session(sim, target), [["sim:x"]])
    assert len(out.lit(LIGHT.sim, 0)) > 200
    out.model.correct(Correction("x", scale=-1.5, offset=2.0))
    hands.settle()
    assert len(out.lit(LIGHT.sim, 0)) < 20
    assert out.pane(0).residual.high < 1e-3


def test_that_only_what_lacks_a_counterpart_is_hatched(desk):
    t = np.arange(1000) * 0.01
    long = pairs.trace(t, {"x": (OBS, np.sin(t), "m")})
    short = pairs.trace(t[:500], {"x": (OBS, np.sin(t[:500]), "m")})
    out = desk(pairs.session(long, short), [["sim:x"]])
    box = out.pane(0).box.rect.toRect()
    split = int(out.x(4.99))
    row = out.picture()[box.top() + 3]
    white = (row == (255, 255, 255)).all(axis=1)
    assert white[box.left() + 3 : split - 3].mean() > 0.97
    assert 0.5 < white[split + 3 : box.right() - 3].mean() < 0.98


def test_that_spans_of_evidence_tint_and_never_cover_a_curve(desk):
    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    before = {tuple(p) for p in out.lit(LIGHT.target, 0)}
    low, high = out.view.range_s
    out.view.show_evidence(Evidence("obs[0]", (4.0, 8.0), "differs"))
    out.view.set_range(low, high)
    hands.settle()
    assert before == {tuple(p) for p in out.lit(LIGHT.target, 0)}
    assert TINT <= 0.15
    box = out.pane(0).box.rect.toRect()
    tinted = out.picture()[box.top() + 2, int(out.x(6.05))]
    assert (np.abs(tinted.astype(int) - 255) <= 0.15 * 255 + 1).all()
    assert (tinted != 255).any()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_that_read_outs_stand_in_the_header_and_not_on_the_curves(desk, theme):
    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    out.widget.set_theme(theme)
    header = out.pane(0).header.toRect()
    plain = out.picture()
    hands.click(out.canvas, out.at(0, 7.0))
    read = out.picture()
    changed = np.flatnonzero((plain != read).any(axis=(1, 2)))
    in_header = [y for y in changed if header.top() <= y < header.bottom()]
    assert len(in_header) > 4
    box = out.pane(0).box.rect.toRect()
    x = round(out.x(7.0))
    inside = (plain != read)[box.top() : box.bottom(), box.left() + 1 :].any(axis=2)
    columns = set(np.flatnonzero(inside.any(axis=0)) + box.left() + 1)
    assert columns <= {x - 1, x, x + 1}


def test_that_a_wider_line_costs_no_wider_pen(desk):
    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    thin = len(out.lit(LIGHT.target, 0))
    out.widget.set_theme(LIGHT.for_projector())
    assert 1.4 * thin < len(out.lit(LIGHT.target, 0)) < 2.2 * thin


def test_that_painting_only_what_changed_leaves_the_picture_of_painting_everything(desk):
    out = desk(pairs.contact_session(0.034), [["sim:gripper_z"], ["sim:force_z"], ["sim:done"]])
    hands.click(out.canvas, out.at(0, 6.4))
    for _ in range(5):
        hands.wheel(out.canvas, out.at(0, 6.0), 1, hands.SHIFT)
    start = out.widget.strip.target_bar().center()
    with hands.Drag(out.widget.strip, start) as hand:
        hand.to(start - QPointF(37, 0))
        assert differing(out.widget) == 0
    hands.wheel(out.canvas, out.at(0, 6.0), 2)
    assert differing(out.widget) == 0
    hands.key(out.canvas, Qt.Key.Key_Escape)
    assert differing(out.widget) == 0


def test_that_a_residual_that_arrives_repaints_its_lane_and_nothing_that_stays(desk, monkeypatch):
    monkeypatch.setattr(residuals, "MOST_ROWS_AT_ONCE", 10)
    out = desk(pairs.contact_session(0.034), [["sim:gripper_z"], ["sim:force_z"], ["sim:done"]])
    hands.wait_for(lambda: not out.canvas.is_busy, "the residuals")
    hands.settle()
    written, drawn = [], []
    header, curves = paint_frame.paint_header, paint_box.paint_curves
    monkeypatch.setattr(
        paint_frame, "paint_header", lambda *a: written.append(a[1].keys) or header(*a)
    )
    monkeypatch.setattr(paint_box, "paint_curves", lambda *a: drawn.append(a[1].keys) or curves(*a))
    spans = [pane.residual.high for pane in out.canvas.panes]
    out.model.align(out.model.session.alignment.by_hand(offset_s=-0.2))
    hands.settle()
    before = len(written), len(drawn)
    assert before[0] == 3
    hands.wait_for(lambda: not out.canvas.is_busy, "the residuals")
    hands.settle()
    assert (len(written), len(drawn)) == before
    assert spans != [pane.residual.high for pane in out.canvas.panes]
    assert differing(out.widget) == 0


def differing(widget):
    """Return how many pixels on the screen are not what painting the widget anew would give."""
    hands.settle()
    screen = pixels(widget.screen().grabWindow(widget.winId()).toImage())
    return int((screen != pixels(widget.grab().toImage())).any(axis=2).sum())


def test_that_a_view_that_stays_is_not_worked_out_again(desk, monkeypatch):
    from tracescope.ui.plots import plot_data

    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    hands.settle()
    worked_out = []
    monkeypatch.setattr(plot_data, "cells_of", lambda *given: worked_out.append(given))
    shapes = [id(held[1]) for held in out.pane(0).shapes.values()]
    out.view.set_cursor_a(1.0)
    hands.settle()
    out.canvas.grab()
    assert worked_out == []
    assert [id(held[1]) for held in out.pane(0).shapes.values()] == shapes


def test_that_another_pair_is_read_once_and_drawn_from_its_own_samples(desk, monkeypatch):
    from tracescope.ui.plots import plot_data

    out = desk(pairs.sine_session(), [["sim:obs[0]"]])
    built = []
    pyramid = plot_data.Pyramid
    monkeypatch.setattr(plot_data, "Pyramid", lambda value: built.append(value) or pyramid(value))
    t = np.arange(50) * 0.01
    flat = {"obs[0]": (OBS, np.full(50, 7.0), "m")}
    out.model.open(pairs.session(pairs.trace(t, flat), pairs.trace(t, flat)))
    hands.settle()
    assert len(built) == 2
    box = out.pane(0).box
    assert box.low < 7.0 < box.high
    assert np.abs(out.lit(LIGHT.target, 0)[:, 1] - box.rect.height() / 2).max() <= 2


def test_that_long_channels_appear_when_their_pyramids_are_there_and_hold_nothing_up(
    desk, monkeypatch
):
    from tracescope.ui.plots import plot_data

    monkeypatch.setattr(plot_data, "MOST_ROWS_AT_ONCE", 100)
    t = np.arange(5000) * 0.01
    out = desk(
        pairs.session(
            pairs.trace(t, {"x": (OBS, 5 + np.sin(t), "m"), "a": (Role.ACTION, np.cos(t), "")}),
            pairs.trace(t[:0], {}),
        ),
        [["sim:x"], ["sim:a"]],
    )
    hands.wait_for(lambda: not out.canvas.is_busy, "the pyramids")
    for pane, (low, high) in enumerate(((4.0, 6.0), (-1.0, 1.0))):
        box = out.pane(pane).box
        assert box.low < low < high < box.high
        assert np.ptp(out.lit(LIGHT.sim, pane)[:, 0]) > 0.9 * box.rect.width()


@pytest.mark.parametrize("role", [OBS, Role.ACTION], ids=["line", "steps"])
def test_that_gaps_stay_open_and_levels_exact_under_decimation(desk, role):
    """A staircase of 200,000 rows with a gap and a dropped stretch, at 20 zooms about each."""
    rows = 200_000
    time_s = np.arange(rows) * 1e-3
    time_s[rows // 2 :] += 20.0  # a gap of 20 s
    level = np.repeat(np.arange(20) % 2, rows // 20).astype(float)
    level[150_000:160_000] = np.nan
    out = one(desk, time_s, level, role)
    box = out.pane(0).box
    middles = [box.y(value) - box.rect.top() for value in (0.0, 1.0)]
    for about_s, width_s in ((110.0, 20.0), (175.0, 10.0)):  # the gap; the dropped stretch
        for span in np.geomspace(1.5 * width_s, 12 * width_s, 10):
            out.view.set_range(about_s - span / 2, about_s + span / 2)
            lit = out.lit(LIGHT.sim, 0)
            left = out.x(about_s - width_s / 2) - box.rect.left()
            right = out.x(about_s + width_s / 2) - box.rect.left()
            curve = lit[(lit[:, 1] > 2) & (lit[:, 1] < box.rect.height() - 3)]
            inside = curve[(curve[:, 0] > left + 3) & (curve[:, 0] < right - 3)]
            on_level = np.min(np.abs(inside[:, 1:] - middles), axis=1) <= 1 if len(inside) else []
            assert not np.any(on_level), (about_s, span)
            beside = curve[(curve[:, 0] < left - 3) & (curve[:, 0] > 3)]
            off = np.min(np.abs(beside[:, 1:] - middles), axis=1) > 1
            columns = len(set(beside[off, 0].tolist()))
            assert columns <= 3 * 20, (about_s, span)  # what is off a level is a riser
            assert len(set(beside[:, 0].tolist())) > 0.9 * (left - 8)


@pytest.mark.parametrize("is_step", [False, True])
def test_that_a_dense_target_leaves_the_edges_of_the_sim_in_sight(desk, is_step):
    """Both fill the pane, the target more of it: the sim's least and greatest still stand in its colour."""
    time_s = np.arange(200_000) * 1e-3
    wave = np.sin(2 * np.pi * 7.3 * time_s)
    role = Role.ACTION if is_step else OBS
    sim = pairs.trace(time_s, {"x": (role, 0.5 * wave, "m")})
    target = pairs.trace(time_s, {"x": (role, wave, "m")})
    out = desk(pairs.session(sim, target), [["sim:x"]], (900, 400))
    box, lit = out.pane(0).box, out.lit(LIGHT.sim, 0)
    for value in (-0.5, 0.5):
        y = box.y(value) - box.rect.top()
        assert (np.abs(lit[:, 1] - y) <= 2).sum() > 0.8 * box.rect.width()
    assert len(out.lit(LIGHT.target, 0)) > 0.5 * box.rect.width() * box.rect.height()
    out.view.set_range(10.0, 10.3)  # here each curve is a line, and the target's lies on top
    assert not paint_box.covered(out.pane(0), out.canvas.frame(), out.canvas.data)


def test_that_a_smooth_pair_of_many_rows_has_the_target_on_top(desk):
    time_s = np.arange(200_000) * 1e-3
    wave = np.sin(2 * np.pi * time_s / 100.0)
    both = [pairs.trace(time_s, {"x": (OBS, wave, "m")}) for _ in range(2)]
    out = desk(pairs.session(*both), [["sim:x"]], (900, 400))
    assert len(out.lit(LIGHT.target, 0)) > 800
    assert len(out.lit(LIGHT.sim, 0)) < 20
