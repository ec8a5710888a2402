"""Carrying settled scales along kinematic ratios."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tracescope.analysis.intervals import covered
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.regression import FirstRows
from tracescope.analysis.regression_one_step import Sensed
from tracescope.checks.observation_scaling_loop import _in_common, overlap, starts_outside
from tracescope.checks.observation_scaling_routes import (
    Settled,
    by_kinematics,
    means_something,
    start_difference,
)
from tracescope.checks.observation_scaling_shape import coarseness
from tracescope.model.check import Measurement, State
from tracescope.model.tolerance import Tolerances

BAND = (0.95, 1.05)


def scale(name: str, value: float | None) -> Settled:
    interval = None if value is None else (0.99 * value, 1.01 * value)
    found = Measurement("scale", name, value or 0.0, interval, n=50, tolerance=BAND, note="route D")
    return Settled(name, found, Measurement("level", name, 0.0, None, tolerance=BAND))


def ratio(whole: str, *rates: str, value: float):
    found = Measurement(
        "kinematic scale ratio", whole, value, (0.99 * value, 1.01 * value), n=40, tolerance=BAND
    )
    return (whole, rates, found)


@pytest.mark.parametrize(
    ("scales", "link", "name", "truth"),
    [
        ({"x": 1.0, "v": None}, ratio("x", "v", value=0.8), "v", 1.25),
        ({"x": None, "v": 1.0}, ratio("x", "v", value=1.5), "x", 1.5),
        ({"x": 1.0, "v": None, "c": 1.0}, ratio("x", "v", "c", value=0.8), "v", 1.25),
        ({"x": 1.0, "v": None, "c": 1.25}, ratio("x", "v", "c", value=0.4), "v", 2.0),
        ({"x": None, "v": 1.5, "c": 2.0}, ratio("x", "v", "c", value=0.5), "x", 1.5),
    ],
)
def test_that_the_one_open_scale_follows_from_the_others(scales, link, name, truth) -> None:
    settled, left = by_kinematics([scale(n, v) for n, v in scales.items()], [link], BAND)
    (found,) = [s.scale for s in settled if s.name == name]
    assert found.estimate == pytest.approx(truth)
    assert found.interval[0] < truth < found.interval[1]
    assert found.state is State.FAIL
    assert "route C" in found.note
    assert left == ()


def test_that_scales_travel_along_a_chain() -> None:
    links = [ratio("v", "a", value=1.0), ratio("x", "v", value=1.0)]
    settled, left = by_kinematics(
        [scale("x", 1.0), scale("v", None), scale("a", None)], links, BAND
    )
    assert [s.scale.state for s in settled] == [State.PASS] * 3
    assert left == ()


def test_that_two_open_scales_leave_the_ratio_to_speak_for_both() -> None:
    link = ratio("x", "v", value=1.5)
    settled, left = by_kinematics([scale("x", None), scale("v", None)], [link], BAND)
    assert [s.scale.state for s in settled] == [State.INCONCLUSIVE] * 2
    assert left == (link[2],)
    assert left[0].state is State.FAIL


def test_that_a_carried_scale_that_decides_nothing_leaves_the_ratio() -> None:
    wide = Measurement("kinematic scale ratio", "x", 1.3, (1.02, 1.6), n=40, tolerance=BAND)
    settled, left = by_kinematics([scale("x", None), scale("v", 1.0)], [("x", ("v",), wide)], BAND)
    assert settled[0].scale.state is State.INCONCLUSIVE
    assert left == (wide,)


def test_that_an_interval_that_means_nothing_is_none() -> None:
    band = (0.95, 1.05)
    assert not means_something((6e-46, 7e44), 0.6, band)
    assert not means_something((-np.inf, 1.0), 0.6, band)
    assert not means_something((0.0, float("nan")), 0.6, band)
    assert means_something((0.1, 4.0), 0.6, band)
    assert means_something((-0.2, 0.2), 0.0, (-0.1, 0.1))


def started(differences: list[float], halves: list[float]) -> tuple[float, float]:
    """The start of the first channel, of unit spread as all others."""
    k = len(differences)
    facts = SimpleNamespace(
        names=tuple(f"obs[{i}]" for i in range(k)),
        shapes={f"obs[{i}]": SimpleNamespace(sim_step=0.0, target_step=0.0) for i in range(k)},
        first=FirstRows(np.array(differences), np.array(halves)),
        same=np.zeros(k, np.bool_),
        spread=np.ones(k),
        confidence=0.99,
    )
    return start_difference(facts, 0)


@pytest.mark.parametrize("half", [0.01, 0.049, 0.051, 0.2])
def test_that_noise_is_no_ground_to_take_resets_to_repeat(half: float) -> None:
    """Others start half a spread apart: an offset of that size may hide behind this channel's own reset."""
    _, found = started([0.01, 0.5, -0.5], [half] * 3)
    assert found > 0.5


def test_that_noise_itself_is_not_taken_for_scatter_of_resets() -> None:
    _, found = started([0.001, 0.01, -0.01, 2.0], [0.03, 0.03, 0.03, 1.0])
    assert found == pytest.approx(np.hypot(0.03, 0.05))


@given(
    st.lists(
        st.tuples(st.floats(-3.0, 3.0), st.floats(0.01, 2.0)).map(
            lambda m: (m[0] - m[1], m[0] + m[1])
        ),
        min_size=2,
        max_size=6,
    )
)
@settings(deadline=None)
def test_that_an_overlap_lies_in_every_reading_widened_for_their_number(read) -> None:
    low, high = overlap(read, 0.99)
    wider = normal_quantile(1 - 0.01 / len(read)) / normal_quantile(0.99)
    ends = [((a + b) / 2 - wider * (b - a) / 2, (a + b) / 2 + wider * (b - a) / 2) for a, b in read]
    if np.isnan(low):
        assert max(a for a, _ in ends) > min(b for _, b in ends)
    else:
        assert low == pytest.approx(max(a for a, _ in ends))
        assert high == pytest.approx(min(b for _, b in ends))


def test_that_one_reading_alone_has_nothing_in_common_with_others() -> None:
    assert np.isnan(overlap([(0.0, 1.0), (np.nan, np.inf)], 0.99)).all()


@pytest.mark.parametrize(
    ("known", "truth"),
    [
        (1.0, (0.24, 0.24)),  # the motion was twice as large, the sensor the same
        (2.0, (0.12, 0.12)),  # the sensor reads twice as much
        (None, (0.12, 0.24)),  # either
    ],
)
def test_that_a_step_is_counted_in_the_simulators_unit(known, truth) -> None:
    wave = np.sin(np.linspace(0, 30, 400))
    spread = float(wave.std())
    facts = SimpleNamespace(
        names=("x",),
        x=np.stack([wave]),
        fit=SimpleNamespace(slope=np.array([2.0])),
        same=np.array([False]),
        shapes={"x": SimpleNamespace(target_step=0.24 * spread, sim_step=0.0)},
    )
    _, interval = coarseness(facts, 0, scale("x", known).scale)
    assert interval == pytest.approx(truth, rel=0.01)


@pytest.mark.parametrize(
    ("difference", "half", "outside"),
    [
        (0.3, 0.1, True),
        (-0.3, 0.1, True),
        (0.3, 0.25, False),
        (0.0, 0.01, False),
        (0.3, np.inf, False),
    ],
)
def test_that_first_rows_stand_against_a_level_only_plainly_beyond_it(difference, half, outside):
    first = FirstRows(np.array([difference]), np.array([half]))
    assert starts_outside(SimpleNamespace(first=first), 0, (-0.1, 0.1)) is outside


@pytest.mark.parametrize(("samples", "state"), [(200.0, State.PASS), (3.0, State.INCONCLUSIVE)])
@pytest.mark.parametrize("doubtful", ["paired", "read"])
def test_that_a_reading_of_too_few_samples_settles_nothing_together_with_others(
    samples: float, state: State, doubtful: str
) -> None:
    """Each alone is no ground to believe a scale: what they have in common rests on every one of them."""
    low, high = (0.90, 1.02), (0.975, 1.18)

    def sensed(interval: tuple[float, float], n: float) -> list[Sensed]:
        ends, one = np.log(interval), np.ones(1)
        half = float(ends[1] - ends[0]) / 2
        return [
            Sensed(("x",), np.exp(ends.mean()) * one, half * one, 0 * one, one, n * one, 0, 0.5)
        ]

    paired = scale("x", None).scale
    looks = [sensed(high, 200.0)]
    if doubtful == "paired":
        paired = replace(paired, interval=low, n=samples, covered=covered(low, samples, BAND))
    else:
        looks.append(sensed(low, samples))
    bench = SimpleNamespace(case=SimpleNamespace(tolerances=Tolerances()))
    one = replace(scale("x", None), scale=paired)
    assert _in_common(bench, SimpleNamespace(confidence=0.99), one, looks).scale.state is state
