import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.plots import pairs
from tracescope.analysis.residual import residual
from tracescope.analysis.rows import resampled
from tracescope.model.alignment import Alignment
from tracescope.model.correction import Correction
from tracescope.model.trace import Channel, Role
from tracescope.ui.plots.plot_data import PlotData, series_of
from tracescope.ui.plots.readout import nearest_sample, read, stepped_sample, values_at
from tracescope.ui.plots.residuals import couples_of, exact_residual, residual_at


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 60),
    role=st.sampled_from([Role.OBSERVATION, Role.ACTION]),
)
@settings(max_examples=80, deadline=None)
def test_that_a_cursor_reads_what_the_checks_resample(seed, rows, role):
    rng = np.random.default_rng(seed)
    time_s = np.cumsum(rng.choice([0.01, 0.02, 0.5], rows, p=[0.6, 0.3, 0.1]))
    channel = Channel("a", role, time_s, rng.normal(size=rows))
    at_s = np.sort(np.concatenate((rng.uniform(-1, time_s[-1] + 1, 40), time_s)))
    expected = resampled(channel, channel.as_float(), at_s, 0.03)
    np.testing.assert_allclose(values_at(channel, at_s, 0.03), expected, rtol=1e-12, atol=1e-12)


def test_that_a_sample_beside_a_dropped_one_is_still_read():
    channel = Channel("a", Role.OBSERVATION, np.arange(3.0), np.array([1.0, np.nan, 3.0]))
    np.testing.assert_array_equal(
        values_at(channel, np.array([0.0, 0.5, 1.0, 2.0]), 9.0), [1.0, np.nan, np.nan, 3.0]
    )


def late_pair(late_s, drift=0.0):
    t = np.arange(1000) * 0.01
    wave = {"x": (Role.OBSERVATION, np.sin(3 * t), "m")}
    other = {"x": (Role.OBSERVATION, 2 * np.sin(3 * t) + 5, "m")}
    stamps = (t + late_s) / (1 - drift)
    alignment = Alignment(offset_s=late_s / (1 - drift), drift=drift, pivot_s=late_s / (1 - drift))
    return pairs.session(pairs.trace(t, wave), pairs.trace(stamps, other), alignment)


@pytest.mark.parametrize("late_s", [-0.2, 0.0, 0.137])
@pytest.mark.parametrize("drift", [0.0, 1e-3])
def test_that_reading_goes_through_the_same_lenses_as_alignment_and_correction(late_s, drift):
    case = late_pair(late_s, drift).case.with_correction(Correction("x", scale=2.0, offset=5.0))
    sim, target = series_of(case, ("sim:x",))
    data = PlotData()
    for at_s in (1.0, 3.21, 7.77):
        assert read(sim, case.alignment, data, at_s) == pytest.approx(np.sin(3 * at_s), abs=2e-3)
        assert read(target, case.alignment, data, at_s) == pytest.approx(np.sin(3 * at_s), abs=2e-3)


def test_that_the_residual_is_target_less_sim_and_the_same_dragging_and_at_rest():
    case = late_pair(0.0).case
    couple = couples_of(series_of(case, ("sim:x",)))[0]
    data = PlotData()
    rows = np.array([0, 17, 500, 999])
    dragging = residual_at(couple, case.alignment, data, rows)
    at_rest = exact_residual(couple, case, data).value[rows]
    np.testing.assert_allclose(dragging, np.sin(3 * rows * 0.01) + 5, atol=1e-12)
    np.testing.assert_allclose(at_rest, dragging, atol=1e-12)


def test_that_stepping_goes_from_sample_to_sample_of_either_side():
    case = late_pair(0.137).case
    sim, target = series_of(case, ("sim:x",))
    for series in (sim, target):
        first = nearest_sample(series, case.alignment, 2.0041)
        assert first == pytest.approx(2.0)
        assert stepped_sample(series, case.alignment, first, 1) == pytest.approx(2.01)
        assert stepped_sample(series, case.alignment, first, -10) == pytest.approx(1.9)
        assert stepped_sample(series, case.alignment, 2.004, 1) == pytest.approx(2.01)
        assert stepped_sample(series, case.alignment, 2.004, -1) == pytest.approx(2.0)
        assert stepped_sample(series, case.alignment, 0.0, -5) == pytest.approx(0.0)


@pytest.mark.parametrize("role", [Role.OBSERVATION, Role.ACTION])
@pytest.mark.parametrize("rows", [10_000, 150_000])
def test_that_short_and_long_residuals_are_the_one_the_analysis_defines(role, rows):
    rng = np.random.default_rng(5)
    sim_s = np.arange(rows) * 0.01
    target_s = np.delete(np.cumsum(rng.uniform(0.008, 0.012, rows)), slice(500, 540))
    value = rng.normal(size=rows)
    value[rng.integers(0, rows, 50)] = np.nan
    sim = pairs.trace(sim_s, {"x": (role, value, "m")})
    target = pairs.trace(target_s, {"x": (role, value[: target_s.size] * 2 + 1, "m")})
    alignment = Alignment(offset_s=0.0237, drift=2e-5)
    case = pairs.session(sim, target, alignment).case.with_correction(Correction("x", 2.0, 1.0))
    couple = couples_of(series_of(case, ("sim:x",)))[0]
    drawn = exact_residual(couple, case, PlotData()).value
    expected = residual(case, "x", sim_s)[1]
    assert np.isfinite(expected).mean() > 0.9
    np.testing.assert_allclose(drawn, expected, rtol=1e-9, atol=1e-12)
