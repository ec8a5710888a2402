"""Properties that ends, units and maps of actions keep on any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.analysis.drawn import QUICK, SEEDS, moving
from tracescope.analysis import (
    action_map_fits as fits,
)
from tracescope.analysis.action_map import altered_rows, name_map
from tracescope.analysis.action_map_follow import best_following, fit_following, following
from tracescope.analysis.action_map_kinds import FittedMap, rate_limited, run_map
from tracescope.analysis.ends_motion import end_motion, roughness
from tracescope.analysis.ends_thresholds import common_thresholds, held_back
from tracescope.analysis.units import FACTORS, unit_factor

# Ends


@QUICK
@given(SEEDS, st.floats(0.01, 10), st.floats(-50, 50), st.floats(-3, 3))
def test_that_roughness_is_the_noise_whatever_level_and_slope(
    seed: int, sd: float, level: float, slope: float
) -> None:
    noise = sd * np.random.default_rng(seed).standard_normal((800, 2))
    line = level + slope * np.arange(800.0)[:, None]
    assert roughness(noise + line) == pytest.approx([sd, sd], rel=0.25)
    assert (roughness(line[:2] + np.zeros((2, 2))) == 0).all()


@QUICK
@given(SEEDS, st.floats(0.5, 4))
def test_that_a_motion_that_goes_farther_was_not_held_back(seed: int, farther: float) -> None:
    rise = np.linspace(0, 1, 20)[:, None]
    noise = np.array([1e-3 * (1 + seed % 5)])
    assert held_back(rise, np.full((10, 1), 1.0 + farther), noise) == [False]
    turned = 1.0 - farther * np.linspace(0.1, 1, 10)[:, None]
    assert held_back(rise, turned, noise) == [True]
    assert held_back(rise, turned, noise, np.full((9, 1), 1.0 + farther)) == [False]
    assert held_back(rise, turned, noise, np.full((4, 1), 1.0 + farther)) == [True]
    still = np.full((20, 1), 3.0)
    assert held_back(still, still, noise) == [False]


@QUICK
@given(SEEDS, st.floats(0.05, 3), st.sampled_from([-1.0, 1.0]), st.floats(-50, 50))
def test_that_one_threshold_explains_ends_at_one_new_level_alone(
    seed: int, higher: float, side: float, zero: float
) -> None:
    rng = np.random.default_rng(seed)
    noise = np.array([1e-3])

    def run(top: float, bump: float) -> np.ndarray:
        """A bump, a return, and a rise that ends the episode."""
        rows = int(rng.integers(40, 200))
        parts = (bump * np.sin(np.linspace(0, np.pi, rows)), np.linspace(0, top, 30))
        return (zero + side * np.concatenate(parts))[:, None]

    gap = np.zeros(1)
    assert common_thresholds(run(5.0, 4.0), run(5.0, 4.5), noise, gap) == [True]
    assert common_thresholds(run(5.0, 4.0), run(5.0 + higher + 0.2, 4.5), noise, gap) == [False]
    assert common_thresholds(run(5.0, 4.0), run(5.0, 5.5 + higher), noise, gap) == [False]
    assert common_thresholds(run(5.0, 4.0), run(5.0 + higher, 4.5), noise, gap + higher) == [True]
    assert common_thresholds(run(5.0, 4.0), run(5.0, 4.5), noise, gap * np.nan) == [False]


@QUICK
@given(SEEDS, st.floats(0.1, 10), st.floats(-5, 5))
def test_that_motions_compared_at_an_end_do_not_depend_on_units(
    seed: int, scale: float, level: float
) -> None:
    rng = np.random.default_rng(seed)
    ended = np.cumsum(rng.standard_normal((40, 2)), axis=0)
    other = ended + 0.1 * rng.standard_normal((40, 2))
    spread = ended.std(axis=0)
    first = end_motion(ended, other, spread, 39, ("a", "b"))
    again = end_motion(scale * ended + level, scale * other + level, scale * spread, 39, ("a", "b"))
    assert (again.gap_sd, again.noise_sd) == pytest.approx((first.gap_sd, first.noise_sd))
    same = end_motion(ended, ended, spread, 39, ("a", "b"))
    assert same.gap_sd == 0


# Units


@given(st.sampled_from(FACTORS), st.floats(-0.05, 0.05), st.sampled_from([-1.0, 1.0]))
def test_that_a_scale_near_a_factor_names_it_and_its_inverse_the_inverse(factor, off, sign) -> None:
    value = sign * factor.value * (1 + 0.2 * off)
    low, high = sorted((0.98 * value, 1.02 * value))
    found = unit_factor(value, (low, high))
    assert found is not None
    assert found.value == pytest.approx(factor.value, rel=0.05)
    low, high = sorted((1 / low, 1 / high))
    inverse = unit_factor(1 / value, (low, high))
    assert inverse is not None
    assert inverse.value == pytest.approx(1 / found.value)
    assert unit_factor(1.0, (0.97, 1.03)) is None
    assert unit_factor(value, None) is None


# Action maps

MAPS = {
    "identity": (FittedMap("identity"), fits.fit_identity),
    "offset": (FittedMap("offset", offset=0.3), fits.fit_gain),
    "gain": (FittedMap("gain", gain=0.7, offset=-0.1), fits.fit_gain),
    "clip": (FittedMap("clip", low=-0.8, high=0.6), fits.fit_clip),
    "gain and clip": (
        FittedMap("gain and clip", gain=1.4, offset=0.0, low=-0.9, high=0.9),
        fits.fit_gain_and_clip,
    ),
    "dead band": (FittedMap("dead band", band=0.3), fits.fit_dead_band),
    "gain and dead band": (
        FittedMap("gain and dead band", gain=1.5, band=0.3, step=0.1),
        fits.fit_gain_and_dead_band,
    ),
    "rate limit": (FittedMap("rate limit", rate=0.1), fits.fit_rate_limit),
    "gain and rate limit": (
        FittedMap("gain and rate limit", gain=0.8, offset=0.0, rate=0.1),
        fits.fit_gain_and_rate_limit,
    ),
    "smoothing": (FittedMap("smoothing", share=0.4), fits.fit_smoothing),
    "delay": (FittedMap("delay", delay=3), fits.fit_delay),
}


@QUICK
@given(st.sampled_from(sorted(MAPS)), SEEDS)
def test_that_each_fit_reproduces_the_map_that_made_the_rows(name: str, seed: int) -> None:
    made, fit = MAPS[name]
    x = moving(seed, 300)[0]
    y = run_map(made, x, float(x[0]))
    again = [run_map(found, x, float(y[0])) for found in fit(x, y) if found.kind == name]
    assert again, name
    error = min(float(np.abs(z - y)[5:].max()) for z in again)
    assert error < 0.05 * float(y.std()), name


@QUICK
@given(st.sampled_from(["gain", "clip", "smoothing", "rate limit", "delay"]), SEEDS)
def test_that_rows_that_a_map_left_alone_are_not_called_altered(name: str, seed: int) -> None:
    made, _ = MAPS[name]
    x = moving(seed, 300)[0]
    y = run_map(made, x, float(x[0]))
    named = name_map(x, y)
    altered = altered_rows(x, y, named)
    assert altered.shape == x.shape
    assert not altered[x == y].any()
    assert altered_rows(x, x, name_map(x, x)).sum() == 0
    assert altered_rows(x, y, named, named.map).sum() <= altered.sum()


@QUICK
@given(SEEDS, st.floats(0.01, 1))
def test_that_a_limited_rate_is_never_exceeded_and_slow_motion_passes(
    seed: int, rate: float
) -> None:
    x = moving(seed, 100)[0]
    y = rate_limited(x, rate, float(x[0]))
    assert np.abs(np.diff(y)).max() <= rate + 1e-12
    slow = rate_limited(x, float(np.abs(np.diff(x)).max()) + 1e-9, float(x[0]))
    assert slow == pytest.approx(x)
    assert rate_limited(x, 1e9, 0.0)[1:] == pytest.approx(x[1:])


@QUICK
@given(SEEDS, st.integers(0, 8), st.floats(0.2, 3), st.floats(-2, 2))
def test_that_following_tells_gain_offset_and_lag(
    seed: int, lag: int, gain: float, offset: float
) -> None:
    x = moving(seed, 200)[0]
    y = gain * np.concatenate((np.repeat(x[:1], lag), x[: 200 - lag])) + offset
    fit = fit_following(x, y, lag)
    assert (fit.gain, fit.offset) == pytest.approx((gain, offset), abs=1e-6)
    best = best_following(x, y)
    assert best.lag == lag
    both = following(x[None, :], np.stack((moving(seed + 1, 200)[0], y)))
    assert both[0][0] == 1
    assert both[0][1].gain == pytest.approx(gain, abs=1e-6)
