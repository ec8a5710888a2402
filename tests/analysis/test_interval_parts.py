"""Each of the two estimates of a long-run variance on its own: the larger one must not hide a wrong other."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from tests.builders import wander
from tracescope.analysis.drift import affine_lag
from tracescope.analysis.intervals import _autoregressive_variance, _cosine_variance, mean_interval
from tracescope.analysis.lag import _as_shared, refine
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.probe_spread import ks_distance
from tracescope.analysis.spline import Smooth


def coloured(taps: list[float], n: int, count: int) -> np.ndarray:
    """Autoregressive noise of unit innovations, each row centred."""
    raw = np.random.default_rng(3).standard_normal((count, n + 300))
    z = lfilter([1.0], [1.0, *(-tap for tap in taps)], raw, axis=1)[:, 300:]
    return z - z.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("taps", [[], [0.5], [0.9], [-0.5], [0.6, 0.2], [0.5, -0.4]])
def test_that_each_long_run_variance_is_right_on_its_own(taps: list[float]) -> None:
    truth = 1 / (1 - sum(taps)) ** 2
    z = coloured(taps, 4000, 60)
    assert np.median(_autoregressive_variance(z)) == pytest.approx(truth, rel=0.08)
    found, terms = _cosine_variance(z)
    assert found.mean() == pytest.approx(truth, rel=0.2)
    assert terms == round(0.4 * 4000 ** (2 / 3))


@pytest.mark.parametrize(("n", "terms"), [(3, 1), (4, 1), (40, 5), (200, 14), (2000, 63)])
def test_that_the_cosine_estimate_takes_the_terms_its_source_says(n: int, terms: int) -> None:
    assert _cosine_variance(coloured([], n, 2))[1] == terms


def test_that_short_series_are_not_read_for_memory_they_cannot_show() -> None:
    z = coloured([0.9], 11, 5)  # fewer than twelve rows an order: none is fitted
    assert _autoregressive_variance(z) == pytest.approx(np.mean(z**2, axis=1) * 11 / 10)
    assert _autoregressive_variance(np.zeros((2, 30))) == pytest.approx([0.0, 0.0])


def test_that_memory_at_tens_of_rows_is_widened_and_not_narrowed() -> None:
    z = coloured([0.9], 40, 400)
    truth = 1 / (1 - 0.9) ** 2
    assert 0.3 * truth < np.median(_autoregressive_variance(z)) < 4 * truth


@pytest.mark.parametrize("n", [3, 10, 100])
def test_that_effective_samples_never_exceed_the_rows(n: int) -> None:
    back_and_forth = np.tile([1.0, -1.0], n)[:n]
    found = mean_interval(back_and_forth)
    assert 1 <= found.n_eff <= n


def lagged(seed: int, known: np.ndarray, noise: float = 0.1) -> tuple[Smooth, Smooth]:
    rng = np.random.default_rng(seed)
    value = np.ascontiguousarray(wander(302, 1, seed=seed).T)
    sim, target = value[:, 1:301], value[:, :300] + noise * rng.standard_normal((1, 300))
    return Smooth(sim, np.ones((1, 300), bool)), Smooth(target, known)


@pytest.mark.parametrize("part", [1.0, 0.5])
def test_that_the_error_of_a_lag_is_what_it_scatters_by_also_with_rows_missing(part: float) -> None:
    known = np.zeros((1, 300), bool)
    known[:, : round(300 * part)] = True
    found = [refine(*lagged(seed, known), 1.0, 0.95) for seed in range(60)]
    scatter = np.std([f.lag for f in found])
    stated = np.median([f.channel_se[0] for f in found])
    assert 0.75 < stated / scatter < 1.6


def test_that_a_channel_that_wanders_off_resolves_no_drift() -> None:
    sim, target = lagged(1, np.ones((1, 300), bool))
    assert affine_lag(sim, target, 1.0, 0.95) is not None
    few = np.zeros((1, 300), bool)
    few[:, :8] = True
    assert affine_lag(sim, Smooth(target.value, few), 1.0, 0.95) is None


def test_that_memory_is_shared_among_few_rows_and_not_among_many() -> None:
    z = np.random.default_rng(1).standard_normal((3, 34))
    own = z.std(axis=1) / np.sqrt(34)
    half = own * np.array([1.0, 3.0, 5.0])
    shared = _as_shared(half, z)
    assert shared[1:] == pytest.approx(half[1:])
    assert 2.5 * half[0] < shared[0] <= 3 * half[0]
    many = np.tile(z, 5)
    assert _as_shared(half, many).tolist() == half.tolist()
    assert _as_shared(half[:1], z[:1]).tolist() == half[:1].tolist()
    assert _as_shared(np.zeros(3), z).tolist() == [0, 0, 0]
    middling = _as_shared(half, np.tile(z, 2))
    assert half[0] < middling[0] < shared[0]


def test_that_a_distance_of_too_few_rows_is_no_number() -> None:
    found = ks_distance(np.arange(7.0), np.arange(7.0))
    assert np.isnan(found.estimate)
    assert (found.low, found.high, found.n_eff) == (-np.inf, np.inf, 7.0)
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
