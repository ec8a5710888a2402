from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

from tests.builders import pair, trace, wander
from tracescope.analysis.counters import counter_line, slips
from tracescope.analysis.drift import affine_lag, theil_sen
from tracescope.analysis.estimate import estimate_alignment
from tracescope.analysis.spline import smoothed

MOTION = CubicSpline(np.arange(900), wander(900, 2, seed=5))


def drifting(rows: float, noise: float = 0.02, seed: int = 0):
    at = np.arange(500) + 200.0
    rng = np.random.default_rng(seed)
    target = MOTION(at - 2 - rows * np.linspace(0, 1, 500)).T
    return smoothed(MOTION(at).T), smoothed(target + noise * rng.standard_normal(target.shape))


@pytest.mark.parametrize("rows", [-12.0, -0.6, 0.0, 0.4, 5.0])
def test_that_a_line_of_lag_is_found(rows: float) -> None:
    found = affine_lag(*drifting(rows), 2 + rows / 2, 0.99)
    assert found is not None
    assert found.over_trace == pytest.approx(rows, abs=0.05)
    assert found.first == pytest.approx(2, abs=0.05)
    assert found.middle == pytest.approx(2 + rows / 2, abs=0.03)
    assert found.drifts == (rows != 0)


def test_that_drift_intervals_cover() -> None:
    hits = 0
    for seed in range(60):
        found = affine_lag(*drifting(1.0, 0.1, seed), 2.5, 0.95)
        assert found is not None
        hits += found.over_trace_interval[0] <= 1.0 <= found.over_trace_interval[1]
    assert hits >= 52


def test_that_few_rows_have_no_drift() -> None:
    sim, target = (smoothed(wander(30, 2, seed=s).T) for s in (1, 1))
    assert affine_lag(sim, target, 0.0, 0.99) is None


def long_pair(kind: str, drift: float, seed: int = 1):
    """A pair in blocks: 100,000 rows each millisecond, the target's clock 5 ms late and drifting."""
    rng, n = np.random.default_rng(seed), 100_000
    time_s = np.arange(n + 4000) * 1e-3
    motion = {
        "walk": lambda: np.cumsum(rng.normal(size=time_s.size)),
        "periodic": lambda: np.sin(2 * np.pi * 25 * time_s),
    }
    value = np.stack([motion[kind]() for _ in range(2)], axis=1)
    at_s = time_s[:n] * (1 - drift) - 5e-3
    late = np.stack([np.interp(at_s, time_s, column) for column in value.T], axis=1)
    late += 0.01 * late.std(axis=0) * rng.normal(size=late.shape)
    return pair(trace(1e-3, value[:n], step=False), trace(1e-3, late, step=False))


@pytest.mark.parametrize("drift", [0.0, 6e-5, -5e-4, 2e-3])
def test_that_a_long_trace_drifts_by_many_rows(drift: float) -> None:
    found = estimate_alignment(long_pair("walk", drift)).alignment
    assert found is not None
    assert found.drift == pytest.approx(drift, abs=2e-6)
    assert found.offset_s == pytest.approx(5e-3, abs=1e-4)
    assert found.offset_interval_s is not None
    low, high = found.offset_interval_s
    assert low < 5e-3 < high


def test_that_a_long_periodic_trace_has_no_drift_that_periods_make() -> None:
    estimate = estimate_alignment(long_pair("periodic", 2e-4))
    assert estimate.verdict == "ambiguous"
    assert estimate.alignment is not None
    assert estimate.alignment.drift == 0.0


@given(st.floats(-5, 5), st.floats(-5, 5))
def test_that_theil_sen_ignores_a_few_wild_points(slope: float, level: float) -> None:
    x = np.arange(30.0)
    y = slope * x + level
    y[[3, 17, 25]] += 1e6
    assert theil_sen(x, y) == pytest.approx((slope, level), abs=1e-6)


def test_that_a_jump_is_a_slip_and_no_drift() -> None:
    stamps = 0.02 * np.arange(400)
    stamps[250:] += 0.06
    both = pair(trace(0.02, wander(400)), trace(time_s=stamps, obs=wander(400)))
    (slip,) = slips(both, 0)
    assert (slip.row, slip.periods) == (250, 3)
    line = counter_line(both, 0)
    assert line is not None
    assert line.drift == 0.0
    assert line.offset_s == pytest.approx(0.0, abs=1e-9)


def test_that_one_late_stamp_is_no_slip() -> None:
    stamps = 0.02 * np.arange(400)
    stamps[250] += 0.019
    both = pair(trace(0.02, wander(400)), trace(time_s=stamps, obs=wander(400)))
    assert slips(both, 0) == ()


@given(st.integers(0, 2000), st.integers(0, 3))
@example(1094, 1)
@example(4, 2)
@settings(deadline=None, max_examples=25)
def test_that_a_clock_that_scatters_slips_only_where_it_stays_late(seed: int, periods: int) -> None:
    """Scatter of a quarter of a period: over some hundred rows a few stamps jump by more than a slip would."""
    rng = np.random.default_rng(seed)
    stamps = 0.02 * (np.arange(600) + np.clip(rng.normal(0, 0.25, 600), -0.45, 0.45))
    stamps[300:] += 0.02 * periods
    both = pair(trace(0.02, wander(600)), trace(time_s=stamps, obs=wander(600)))
    found = slips(both, 0)
    assert len(found) <= 1
    if periods >= 2:
        assert [abs(slip.row - 300) <= 2 for slip in found] == [True]
    if periods == 0:
        assert found == ()


def test_that_jitter_widens_the_offset_and_hides_no_drift() -> None:
    rng = np.random.default_rng(0)
    stamps = np.sort(0.5 + 0.02 * 1.0005 * np.arange(800) + rng.normal(0, 0.001, 800))
    line = counter_line(pair(trace(0.02, wander(800)), trace(time_s=stamps, obs=wander(800))), 0)
    assert line is not None
    assert line.drift == pytest.approx(0.0005, rel=0.1)
    assert line.drift_interval[0] <= 0.0005 / 1.0005 <= line.drift_interval[1]
    assert line.offset_s == pytest.approx(0.5, abs=5e-4)
