from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import case, trace, wander
from tracescope.analysis.residual import residual, signal_lags
from tracescope.model.alignment import Alignment
from tracescope.model.correction import Correction


def test_that_the_residual_is_target_less_sim() -> None:
    value = wander(100)[:, 0]
    both = case(trace(0.02, value), trace(0.02, value + 0.25))
    time_s, difference = residual(both, "obs")
    assert time_s == pytest.approx(0.02 * np.arange(100))
    assert difference == pytest.approx(0.25)


@given(st.integers(-20, 20), st.floats(-5, 5))
def test_that_the_right_offset_leaves_nothing(shift: int, start_s: float) -> None:
    whole = wander(140)[:, 0]
    sim = trace(0.02, whole[20:120])
    target = trace(0.02, whole[20 - shift : 120 - shift], t0=start_s)
    aligned = case(sim, target, Alignment(offset_s=start_s + shift * 0.02))
    time_s, difference = residual(aligned, "obs")
    assert time_s.size == 100 - abs(shift)
    assert np.nanmax(np.abs(difference)) < 1e-6


def test_that_a_sparse_target_is_read_between_its_samples_and_a_held_action_is_not() -> None:
    t = 0.01 * np.arange(201)
    sim = trace(0.01, t, np.floor(t / 0.05 + 1e-9))
    target = trace(0.05, 0.05 * np.arange(41), np.arange(41.0))
    both = case(sim, target)
    assert residual(both, "obs")[1] == pytest.approx(0.0, abs=1e-12)
    assert residual(both, "action")[1] == pytest.approx(0.0, abs=1e-12)


def test_that_nothing_is_read_across_a_gap() -> None:
    stamps = 0.02 * np.r_[0:40, 60:100]
    both = case(
        trace(0.02, wander(100)[:, 0]),
        trace(time_s=stamps, obs=wander(100)[np.r_[0:40, 60:100], 0]),
    )
    _, difference = residual(both, "obs")
    assert np.isnan(difference[41:59]).all()
    assert np.isfinite(difference[:40]).all()


def test_that_corrections_are_in_force() -> None:
    value = wander(100)[:, 0]
    both = case(trace(0.02, value), trace(0.02, 1.5 * value))
    assert residual(both.with_correction(Correction("obs", 1.5)), "obs")[1] == pytest.approx(
        0.0, abs=1e-12
    )


def test_that_a_channel_without_counterpart_is_refused() -> None:
    both = case(trace(0.02, wander(50), other={"extra": np.arange(50.0)}), trace(0.02, wander(50)))
    with pytest.raises(KeyError):
        residual(both, "extra")


def test_that_a_signal_that_lags_alone_is_shown_apart_from_the_clock() -> None:
    value = wander(303, 2, seed=6)
    late = np.column_stack((value[3:, 0], value[:-3, 1]))
    both = case(trace(0.02, value[3:]), trace(0.02, late, t0=1.0), Alignment(offset_s=1.0))
    lags = {lag.channel: lag.lag_s for lag in signal_lags(both)}
    assert lags["obs[0]"] == pytest.approx(0.0, abs=1e-6)
    assert lags["obs[1]"] == pytest.approx(0.06, abs=1e-6)
