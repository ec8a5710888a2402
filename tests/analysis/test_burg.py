"""Reflection coefficients: the quick way beside the plain one, and beside what made the series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis.burg import Matrix, reflections
from tracescope.analysis.intervals import mean_intervals

ORDERS = 8


def plain(z: Matrix, orders: int) -> Matrix:
    """Return Burg's coefficients as his paper writes them, one series and one sum at a time."""
    out = np.zeros((z.shape[0], orders))
    for place, series in enumerate(z):
        forward, backward = series[1:], series[:-1]
        for order in range(orders):
            power = float(np.sum(forward**2) + np.sum(backward**2))
            reflection = 2 * float(np.sum(forward * backward)) / power if power > 0 else 0.0
            out[place, order] = reflection
            forward, backward = (
                (forward - reflection * backward)[1:],
                (backward - reflection * forward)[:-1],
            )
    return out


def series(rows: int, seed: int = 7) -> Matrix:
    """Series from white noise to a random walk, one still, one smooth motion with a little noise."""
    from scipy.signal import lfilter

    rng = np.random.default_rng(seed)
    memory = (0.0, -0.6, 0.5, 0.9, 0.99, 0.999, 1.0)
    drawn = [lfilter([1.0], [1.0, -phi], rng.normal(size=rows)) for phi in memory]
    smooth = np.sin(np.arange(rows) * 0.01)
    out = np.stack([*drawn, np.zeros(rows), smooth + 1e-4 * rng.normal(size=rows)])
    return np.asarray(out - out.mean(axis=1, keepdims=True))


@settings(max_examples=25, deadline=None)
@given(
    rows=st.sampled_from([9, 100, 4095, 4096, 30_000]),
    seed=st.integers(0, 10_000),
    orders=st.integers(1, ORDERS),
)
def test_coefficients_are_those_of_the_plain_recursion(rows, seed, orders):
    z = series(rows, seed)

    assert reflections(z, orders) == pytest.approx(plain(z, orders), rel=1e-9, abs=1e-9)


def test_a_series_tells_the_coefficient_it_was_made_with():
    found = reflections(series(100_000), ORDERS)

    assert found[1:4, 0] == pytest.approx([-0.6, 0.5, 0.9], abs=0.01)
    assert np.abs(found[:4, 1:]).max() < 0.02


def test_what_is_perfectly_predictable_costs_no_digits():
    z = np.sin(np.arange(20_000) * 0.01)[None, :]

    found = reflections(z, 2)

    # x[m] = 2 cos(w) x[m − 1] − x[m − 2]
    assert found[0] == pytest.approx([np.cos(0.01), -1.0], abs=1e-6)


def test_no_order_gives_no_coefficient():
    assert reflections(series(5000), 0).shape == (9, 0)


@pytest.mark.parametrize("rows", [300, 20_000])
def test_an_interval_is_the_same_alone_and_among_others(rows):
    z = series(rows) + 3.0

    together = np.array(mean_intervals(z))
    alone = np.concatenate([np.array(mean_intervals(one[None, :])) for one in z], axis=1)

    assert together == pytest.approx(alone, rel=1e-9)
