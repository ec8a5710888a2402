"""What is on the screen, pixel by pixel."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from tests.ui import hands
from tests.ui.plots import pairs
from tests.ui.plots.conftest import pixels
from tests.ui.plots.pairs import one
from tracescope.model.check import Evidence
from tracescope.model.correction import Correction
from tracescope.model.trace import Role
from tracescope.ui.plots.ink import TINT, cosmetic
from tracescope.ui.plots.outline import polygon_of
from tracescope.ui.plots.paint_frame import legend
from tracescope.ui.plots.ticks import read_out
from tracescope.ui.theme import DARK, LIGHT

OBS = Role.OBSERVATION


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
