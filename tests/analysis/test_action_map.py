"""The simplest map that reproduces a log, and no other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import wander
from tracescope.analysis.action_map import altered_rows, name_map
from tracescope.analysis.action_map_fits import fit_dead_band
from tracescope.analysis.action_map_kinds import FittedMap, run_map

MAPS = {
    "identity": FittedMap("identity"),
    "gain": FittedMap("gain", gain=1.2),
    "gain down": FittedMap("gain", gain=0.8),
    "gain with offset": FittedMap("gain", gain=57.2958, offset=3.0),
    "offset": FittedMap("offset", offset=0.1),
    "clip": FittedMap("clip", low=-0.4, high=0.4),
    "clip above": FittedMap("clip", high=0.3),
    "gain and clip": FittedMap("gain and clip", gain=1.3, low=-0.4, high=0.4),
    "dead band": FittedMap("dead band", band=0.1),
    "dead band, shrunk": FittedMap("dead band", band=0.1, step=-0.1),
    "rate limit": FittedMap("rate limit", rate=0.1),
    "gain and rate limit": FittedMap("gain and rate limit", gain=1.5, rate=0.15),
    "smoothing": FittedMap("smoothing", share=0.5),
    "delay": FittedMap("delay", delay=1),
    "longer delay": FittedMap("delay", delay=3),
}


def emitted(kind: str, n: int, seed: int = 1) -> np.ndarray:
    if kind == "white":
        return np.random.default_rng(seed).normal(0, 0.4, n)
    return 0.4 * wander(n, 1, seed)[:, 0]


@pytest.mark.parametrize("signal", ["white", "smooth"])
@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("name", MAPS)
def test_that_every_map_is_named_with_its_numbers(name: str, n: int, signal: str) -> None:
    truth = MAPS[name]
    x = emitted(signal, n)
    y = run_map(truth, x, float(truth.gain * x[0] + truth.offset))
    found = name_map(x, y).map
    assert found.kind == truth.kind
    assert found.gain == pytest.approx(truth.gain, rel=1e-3)
    assert found.offset == pytest.approx(truth.offset, abs=1e-3)
    assert found.high == pytest.approx(truth.high)
    assert found.low == pytest.approx(truth.low)
    assert found.rate == pytest.approx(truth.rate, rel=1e-3)
    assert found.share == pytest.approx(truth.share, rel=1e-3)
    assert found.delay == truth.delay
    assert found.band == pytest.approx(truth.band, abs=0.02)


NOISY = ("identity", "gain", "offset", "clip", "dead band", "rate limit", "smoothing", "delay")


@pytest.mark.parametrize("name", NOISY)
def test_that_a_noisy_log_keeps_the_name(name: str) -> None:
    x = emitted("smooth", 300)
    y = run_map(MAPS[name], x, float(x[0]))
    y = y + 0.01 * float(x.std()) * np.random.default_rng(5).standard_normal(300)
    assert name_map(x, y).map.kind == MAPS[name].kind


def test_that_noise_alone_alters_no_row_and_a_clip_only_its_own() -> None:
    x = emitted("white", 400)
    noise = 0.01 * float(x.std()) * np.random.default_rng(5).standard_normal(400)
    assert altered_rows(x, x + noise, name_map(x, x + noise)).sum() == 0
    clipped = np.clip(x, -0.4, 0.4)
    rows = altered_rows(x, clipped, name_map(x, clipped))
    assert rows.sum() == pytest.approx((np.abs(x) > 0.4).sum(), abs=4)
    assert not rows[np.abs(x) <= 0.4].any()


def test_that_what_the_simulator_does_as_well_alters_nothing() -> None:
    x = emitted("smooth", 200)
    reference = FittedMap("gain", gain=0.25, offset=0.9)
    y = run_map(reference, x, 0.0)
    assert altered_rows(x, y, name_map(x, y)).mean() > 0.9
    assert altered_rows(x, y, name_map(x, y), reference).sum() == 0


def test_that_an_unrelated_log_and_a_short_one_have_no_name() -> None:
    x, y = emitted("white", 200, 1), emitted("white", 200, 2)
    assert name_map(x, y).map.kind == "unnamed"
    assert name_map(x[:5], y[:5]).map.kind == "unnamed"


def test_that_a_constant_action_is_itself() -> None:
    still = np.full(50, 0.3)
    assert name_map(still, still).map.kind == "identity"
    assert altered_rows(still, still, name_map(still, still)).sum() == 0


@settings(max_examples=50, deadline=None)
@given(
    gain=st.floats(-3, 3).filter(lambda g: abs(g) > 0.05 and abs(g - 1) > 0.05),
    offset=st.floats(-2, 2),
    seed=st.integers(0, 10_000),
)
def test_that_any_line_is_named_a_gain(gain: float, offset: float, seed: int) -> None:
    x = emitted("smooth", 120, seed)
    found = name_map(x, gain * x + offset).map
    assert found.kind == "gain"
    assert found.gain == pytest.approx(gain, rel=0.01, abs=0.01)


def test_that_a_map_reads_as_a_sentence() -> None:
    assert str(MAPS["gain and rate limit"]) == "gain 1.5 and rate limit 0.15 a row"
    assert str(MAPS["clip above"]) == "clip at none and 0.3"
    assert str(MAPS["identity"]) == "identity"
    assert str(MAPS["longer delay"]) == "delay of 3 rows"
    assert MAPS["clip"].value == 0.4
    assert MAPS["dead band"].value == 0.1
    assert MAPS["identity"].value is None


@pytest.mark.parametrize("ties", [3, 5, 20])
def test_that_actions_that_never_leave_the_dead_band_name_it_without_a_step(ties):
    x = np.concatenate((np.full(ties, 0.02), np.full(ties, -0.02), np.full(ties, 0.02)))
    fits = list(fit_dead_band(x, np.zeros(x.size)))
    assert all(np.isfinite(fit.band) and np.isfinite(fit.step) for fit in fits)
    values = np.linspace(-0.1, 0.1, 3 * ties)
    named = name_map(values, np.zeros(values.size)).map
    assert named.kind != "identity"
