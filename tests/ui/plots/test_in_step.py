"""A long residual is computed row after row where clocks run in step, and comes out the same to the bit."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.plots import pairs
from tracescope.model.trace import Role
from tracescope.ui.plots import residuals
from tracescope.ui.plots.plot_data import PlotData, series_of
from tracescope.ui.plots.residuals import couples_of, exact_residual, residual_at, residual_in_step


def opened(sim_s, target_s, offset_s=0.0, drift=0.0, role=Role.OBSERVATION, dropped=()):
    rng = np.random.default_rng(5)
    value, other = rng.normal(size=sim_s.size), rng.normal(size=target_s.size)
    other[list(dropped)] = np.nan
    session = pairs.session(
        pairs.trace(sim_s, {"x": (role, value, "m")}),
        pairs.trace(target_s, {"x": (role, other, "m")}),
    )
    alignment = replace(session.alignment, offset_s=offset_s, drift=drift)
    case = session.aligned(alignment).case
    return case, couples_of(series_of(case, ("sim:x",)))[0]


@given(
    offset_s=st.floats(-2, 2),
    drift=st.sampled_from([0.0, 3e-5, -1e-3]),
    role=st.sampled_from([Role.OBSERVATION, Role.ACTION]),
    rate=st.sampled_from([1.0, 1.01, 0.5]),
    jitter=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=60, deadline=None)
def test_that_both_ways_agree_to_the_bit(offset_s, drift, role, rate, jitter):
    rng = np.random.default_rng(9)
    sim_s = np.arange(900) * 0.01
    target_s = np.arange(1000) * 0.01 * rate + jitter * 0.01 * rng.uniform(size=1000)
    case, couple = opened(sim_s, target_s, offset_s, drift, role, dropped=(100, 101, 400))
    data = PlotData()
    for start in range(0, 900, 100):
        rows = np.arange(start, start + 100)
        quick = residual_in_step(couple, case.alignment, data, start, start + 100)
        if quick is not None:
            searched = residual_at(couple, case.alignment, data, rows)
            np.testing.assert_array_equal(quick, searched)


def test_that_clocks_in_step_need_no_search_and_gaps_do():
    sim_s, target_s = np.arange(1000) * 0.01, np.arange(1200) * 0.01
    case, couple = opened(sim_s, target_s, 0.0037)
    assert residual_in_step(couple, case.alignment, PlotData(), 100, 900) is not None
    torn = np.concatenate((target_s[:500], target_s[500:] + 1.0))
    case, couple = opened(sim_s, torn, 0.0037)
    assert residual_in_step(couple, case.alignment, PlotData(), 100, 400) is not None
    assert residual_in_step(couple, case.alignment, PlotData(), 100, 900) is None


@pytest.mark.parametrize("block", [64, 1000, 1 << 15])
def test_that_a_long_residual_does_not_depend_on_its_blocks(monkeypatch, block):
    rows = residuals.MOST_ROWS_AT_ONCE + 500
    sim_s = np.arange(rows) * 0.01
    target_s = np.delete(np.arange(rows + 300) * 0.01, slice(9000, 9400))
    case, couple = opened(sim_s, target_s, 0.123, 2e-5)
    whole = residual_at(couple, case.alignment, PlotData(), np.arange(rows))
    monkeypatch.setattr(residuals, "BLOCK", block)
    np.testing.assert_array_equal(exact_residual(couple, case, PlotData()).value, whole)
