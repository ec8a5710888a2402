import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.ui.plots.cells import Lens, cells_of
from tracescope.ui.plots.outline import line_outline, step_outline
from tracescope.ui.plots.pyramid import Pyramid

WIDTH = 800.0


def lens_over(low, high):
    return Lens(low, WIDTH / (high - low), WIDTH)


def uneven_clock(rng, rows):
    """Bursts of very different rate, with long gaps between them."""
    steps = rng.choice([1e-4, 1e-3, 1e-2], size=rows)
    steps[rng.integers(0, rows, 5)] = 20.0
    return np.cumsum(steps)


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 30_000),
    start=st.floats(-0.3, 0.9),
    share=st.floats(1e-4, 3.0),
    uneven=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_that_cells_hold_every_sample_in_view_once_and_none_is_wider_than_a_pixel_and_a_half(
    seed, rows, start, share, uneven
):
    rng = np.random.default_rng(seed)
    time_s = uneven_clock(rng, rows) if uneven else np.arange(rows) * 0.01
    span = max(time_s[-1] - time_s[0], 0.1)
    lens = lens_over(time_s[0] + start * span, time_s[0] + (start + share) * span)
    cells = cells_of(time_s, lens, 0.1)
    inside = np.flatnonzero((lens.x(time_s) >= 0) & (lens.x(time_s) <= WIDTH))
    if cells is None:
        assert inside.size == 0
        return
    assert (cells.first[1:] == cells.last[:-1] + 1).all()
    if inside.size:
        assert cells.first[0] <= inside[0]
        assert cells.last[-1] >= inside[-1]
    wide = (time_s[cells.last] - time_s[cells.first]) * lens.px_per_s
    assert (wide <= 1.5).all()
    assert len(cells) <= 12 * WIDTH


@given(shift=st.floats(0, 5))
@settings(max_examples=30, deadline=None)
def test_that_bins_are_anchored_to_the_data_and_not_to_the_view(shift):
    time_s = np.arange(200_000) * 0.001
    cells = cells_of(time_s, lens_over(50 + shift, 150 + shift), 0.0015)
    sizes = np.unique(cells.last[1:-1] - cells.first[1:-1] + 1)
    assert sizes.size == 1
    assert (cells.first % sizes[0] == 0).all()


@pytest.mark.parametrize("low", [0.0, 3.0, 9.9])
def test_that_a_gap_in_the_clock_breaks_the_curve_at_every_zoom(low):
    time_s = np.concatenate((np.arange(100_000) * 1e-4, 20 + np.arange(100_000) * 1e-4))
    cells = cells_of(time_s, lens_over(low, 30 - low), 1.5e-4)
    assert cells.last[cells.breaks - 1].tolist() == [99_999]
    assert cells.x_last[cells.breaks - 1] == pytest.approx((9.9999 - low) * WIDTH / (30 - 2 * low))
    outline = line_outline(cells, Pyramid(np.zeros(time_s.size)))
    assert len(outline.spans) == 2


def test_that_a_dropped_sample_breaks_the_curve_where_samples_are_apart():
    time_s = np.arange(100) * 0.01
    value = np.ones(100)
    value[40] = np.nan
    outline = line_outline(cells_of(time_s, lens_over(0, 1), 0.015), Pyramid(value))
    assert outline.spans.tolist() == [[0, 40], [41, 100]]


def test_that_a_held_value_lasts_until_the_next_sample_and_one_interval_into_a_gap():
    time_s = np.array([0.0, 0.1, 0.2, 0.6, 0.7])
    value = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    cells = cells_of(time_s, lens_over(0.0, 1.0), 0.15)
    outline = step_outline(cells, Pyramid(value), 0.1 * WIDTH)
    points = {
        tuple(map(tuple, np.round(np.c_[outline.x[a:b] / WIDTH, outline.value[a:b]], 6)))
        for a, b in outline.spans
    }
    assert points == {
        ((0.0, 1), (0.1, 1), (0.1, 2), (0.2, 2), (0.2, 3), (0.3, 3)),
        ((0.6, 4), (0.7, 4), (0.7, 5), (0.8, 5)),
    }


@pytest.mark.parametrize("span", [200.0, 20.0, 2.0])
def test_that_steps_with_gaps_and_dropped_samples_keep_every_value_under_decimation(span):
    rng = np.random.default_rng(1)
    time_s = np.delete(np.arange(200_000) * 1e-3, slice(90_000, 95_000))
    value = np.repeat(rng.normal(size=195), 1000)
    value[rng.integers(0, value.size, 50)] = np.nan
    lens = lens_over(90 - span / 2, 90 + span / 2)
    outline = step_outline(cells_of(time_s, lens, 0.0015), Pyramid(value), lens.px_per_s * 1e-3)
    drawn = np.concatenate([outline.value[a:b] for a, b in outline.spans])
    inside = (lens.x(time_s) >= 0) & (lens.x(time_s) <= WIDTH) & ~np.isnan(value)
    assert np.isfinite(drawn).all()
    assert set(value[inside]) <= set(drawn)


def test_that_nothing_is_drawn_of_a_recording_that_lies_elsewhere():
    assert cells_of(np.zeros(0), lens_over(0, 1), 1.0) is None


def test_that_drift_only_stretches_the_lens():
    time_s = np.arange(1000) * 0.01
    near, far = lens_over(0, 10), Lens(0.0, WIDTH / 10 * (1 - 1e-3), WIDTH)
    a, b = cells_of(time_s, near, 0.015), cells_of(time_s, far, 0.015)
    np.testing.assert_allclose(b.x[:900], a.x[:900] * (1 - 1e-3))
