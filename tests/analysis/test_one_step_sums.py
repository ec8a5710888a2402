"""The one-step relation summed over rows: what sensor noise leaves of a gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import case, trace, wander
from tests.checks.dynamics_plants import Plant, both
from tracescope.analysis.one_step_gap import gaps
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.one_step_sums import MAX_ROWS, smoothed, summed_gaps
from tracescope.analysis.one_step_sums_fit import (
    coefficient_covariance,
    fit_sums,
    spread_over,
    starts,
    summed,
)
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment

STEP = Alignment(mode="step")
SEEDS = st.integers(0, 10_000)


def noisy_pair(
    n: int, gain: float = 1.0, sensor: float = 0.1, seed: int = 0, late: int = 0, unit: float = 1.0
):
    """Two runs of o' = 0.9 o + gain · 0.3 u, read with sensor noise, under their own actions."""
    sides = []
    for side, factor in ((0, 1.0), (1, gain)):
        u = wander(n, 1, seed=2 * seed + side)[:, 0]
        draw = np.random.default_rng(100 + 2 * seed + side)
        o = np.zeros(n)
        for i in range(n - 1):
            o[i + 1] = 0.9 * o[i] + factor * 0.3 * u[max(i - late, 0)]
        read = unit * (o + sensor * draw.normal(size=n))
        sides.append((trace(obs=read, action=u), o, u))
    (a, *_), (b, o, u) = sides
    step = -0.1 * o + gain * 0.3 * u
    truth = np.sqrt(((gain - 1) ** 2 * (0.3 * u) ** 2).mean() / (step**2).mean())
    return Workbench(case(a, b, STEP)), float(truth)


@settings(max_examples=50, deadline=None)
@given(seed=SEEDS, m=st.integers(2, 8))
def test_that_no_sum_steps_over_a_gap(seed, m):
    draw = np.random.default_rng(seed)
    row = np.flatnonzero(draw.random(60) < 0.9)
    found = starts(row, m)
    whole = [i for i in range(len(row) - m + 1) if row[i + m - 1] - row[i] == m - 1]
    assert found.tolist() == whole


@settings(max_examples=50, deadline=None)
@given(seed=SEEDS, m=st.integers(1, 8))
def test_that_spreading_is_summing_transposed(seed, m):
    draw = np.random.default_rng(seed)
    row = np.flatnonzero(draw.random(50) < 0.9)
    start = starts(row, m)
    values, weights = draw.normal(size=(len(row), 3)), draw.normal(size=(len(start), 3))
    left = (summed(values, start, m) * weights).sum()
    assert left == pytest.approx((values * spread_over(weights, start, m, len(row))).sum())


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, m=st.sampled_from((2, 4, 8)))
def test_that_sums_of_an_exact_relation_give_its_coefficients(seed, m):
    draw = np.random.default_rng(seed)
    x, beta = draw.normal(size=(200, 3)), draw.normal(size=(3, 2))
    found = fit_sums(x, x @ beta, np.arange(200), m, 0.99)
    assert found is not None
    assert found.beta == pytest.approx(beta, abs=1e-9)
    assert found.score == pytest.approx(1.0)
    assert np.abs(found.covariance).max() < 1e-15


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("seed", range(3))
def test_that_regressors_that_say_the_same_share_what_they_do_in_any_unit(unit, seed):
    draw = np.random.default_rng(seed)
    told, noise = draw.normal(size=(400, 2)), 0.1 * draw.normal(size=(400, 1))
    x = unit * np.repeat(told, 4, axis=1)
    found = fit_sums(x, told @ np.array([[4.0], [-8.0]]) + noise, np.arange(400), 4, 0.99)
    assert found is not None
    assert unit * found.beta[:, 0] == pytest.approx([1.0] * 4 + [-2.0] * 4, abs=0.05)
    assert unit**2 * np.abs(found.covariance).max() < 0.05**2


def test_that_a_handful_of_sums_fits_nothing():
    x = np.random.default_rng(0).normal(size=(40, 3))
    assert fit_sums(x, x[:, :1], np.arange(40), 4, 0.99) is None


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, back=st.floats(0.0, 1.0))
def test_that_a_covariance_has_no_negative_direction(seed, back):
    draw = np.random.default_rng(seed)
    influence = draw.normal(size=(80, 4)).cumsum(axis=0)
    noise = draw.normal(size=81)
    error = (noise[1:] - back * noise[:-1])[:, None]
    (found,) = coefficient_covariance(influence, error, np.arange(80), 76)
    assert found == pytest.approx(found.T)
    assert np.linalg.eigvalsh(found)[0] >= -1e-9 * np.trace(found)


@pytest.mark.parametrize(("back", "most"), [(0.0, 4), (0.5, 10), (1.0, 60)])
def test_that_the_covariance_is_no_less_than_what_the_estimates_scatter_by(back, most):
    draw = np.random.default_rng(1)
    x = np.column_stack((np.ones(200), np.sin(np.arange(200) / 15)))
    beta, said = [], []
    for _ in range(300):
        noise = draw.normal(size=201)
        y = (noise[1:] - back * noise[:-1])[:, None]
        found = fit_sums(x, y, np.arange(200), 4, 0.99)
        beta.append(found.beta[:, 0])
        said.append(np.trace(found.covariance[0]))
    scatter = float(np.var(beta, axis=0).sum())
    # Where noise takes itself back wholly, what is left is known no better than its own estimate.
    assert scatter < np.mean(said) < most * scatter


@pytest.mark.parametrize("n", [60, 100, 300])
@pytest.mark.parametrize("gain", [1.0, 1.3])
def test_that_no_gap_lies_beyond_the_upper_end(n, gain):
    missed = 0
    for seed in range(25):
        bench, truth = noisy_pair(n, gain, seed=seed)
        found = summed_gaps(bench.relation, [0], 0.99)
        missed += 0 in found and found[0].high < truth
    assert missed <= 1


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS, gain=st.sampled_from((1.0, 1.2)), factor=st.sampled_from((1e-3, 1.0, 250.0)))
def test_that_gaps_by_sums_know_no_units(seed, gain, factor):
    (bench, _), (other, _) = (noisy_pair(120, gain, seed=seed, unit=u) for u in (1.0, factor))
    plain, scaled = (summed_gaps(b.relation, [0], 0.99) for b in (bench, other))
    assert plain.keys() == scaled.keys()
    for at, gap in plain.items():
        assert 0 <= gap.estimate <= gap.high
        assert scaled[at].high == pytest.approx(gap.high, rel=1e-6)
        assert scaled[at].estimate == pytest.approx(gap.estimate, rel=1e-6)


def test_that_sums_leave_less_room_where_noise_is_most_of_a_step():
    narrower = 0
    for seed in range(10):
        bench, _ = noisy_pair(200, sensor=0.2, seed=seed)
        (gap,) = bench.gaps
        assert gap.interval[0] <= gap.estimate <= gap.interval[1]
        narrower += gap.sums > 0 and gap.interval[1] < 0.25
    assert narrower >= 8


def test_that_sums_are_left_out_where_they_would_say_nothing_new():
    settled, _ = noisy_pair(300, sensor=0.0, seed=1)
    resolved, _ = noisy_pair(300, gain=1.5, sensor=0.01, seed=1)
    assert [gap.sums for bench in (settled, resolved) for gap in bench.gaps] == [0, 0]


def test_that_lower_ends_alone_do_without_sums():
    noisy, _ = noisy_pair(200, gain=1.1, sensor=0.08, seed=1)
    (gap,) = noisy.gaps
    (lower,) = gaps(noisy.relation, 0.99, lower_only=True)
    assert gap.sums > 0
    assert lower.sums == 0
    assert lower.interval[0] == gap.interval[0]
    assert lower.interval[1] > gap.interval[1]


@pytest.mark.parametrize("stiffening", [0.5, 1.0])
def test_that_a_bend_counts_where_a_straight_line_misses_it(stiffening):
    # A spring that stiffens, pushed to one side in the simulator and to the other in the target.
    sides, states = [], []
    for side, centre, bend in ((1, -0.5, 0.5), (2, 0.5, stiffening)):
        u = wander(600, 1, seed=side)[:, 0] + centre
        draw, o = np.random.default_rng(side), np.zeros(600)
        for i in range(599):
            o[i + 1] = o[i] + 0.1 * (u[i] - o[i] - bend * o[i] ** 3)
        sides.append(trace(obs=o + 0.02 * draw.normal(size=600), action=u))
        states.append(o)
    o = states[1]
    truth = np.sqrt(((0.1 * (stiffening - 0.5) * o**3) ** 2).mean() / (np.diff(o) ** 2).mean())
    found = summed_gaps(Workbench(case(*sides, STEP)).relation, [0], 0.99)
    assert truth <= found[0].high < truth + 0.15


def test_that_an_output_that_only_sums_predict_has_an_upper_end_and_no_lower():
    bench = Workbench(both(Plant("spring", sensor=0.02), 300, 3))
    assert bench.relation.kind[1] is None
    found = [gap for gap in bench.gaps if gap.output == 1]
    assert len(found) == 1
    assert found[0].sums > 0
    assert found[0].interval[0] == 0.0
    assert found[0].score > 0.8 > bench.relation.score[1]


def test_that_an_output_nothing_predicts_has_no_gap():
    draw = np.random.default_rng(1)
    a, b = (trace(obs=draw.normal(size=300), action=wander(300, 1, seed=s)) for s in (1, 2))
    assert Workbench(case(a, b, STEP)).gaps == ()


def test_that_sums_are_silent_where_the_action_one_row_earlier_enters():
    bench, _ = noisy_pair(300, sensor=0.01, late=1)
    assert summed_gaps(bench.relation, [0], 0.99) == {}


def test_that_long_traces_do_without_sums():
    bench, _ = noisy_pair(MAX_ROWS + 50)
    assert summed_gaps(bench.relation, [0], 0.99) == {}
    assert all(gap.sums == 0 for gap in gaps(bench.relation, 0.99))


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS)
def test_that_smoothing_keeps_what_is_quadratic_and_touches_nothing_near_a_gap(seed):
    draw = np.random.default_rng(seed)
    row = np.flatnonzero(draw.random(40) < 0.9)
    a, b, c = draw.normal(size=3)
    state = (a + b * row + c * row**2)[:, None]
    none = np.zeros((len(row), 0))
    kept = smoothed(Steps(row, state, state, none, none, state))
    assert kept.state == pytest.approx(state, abs=1e-6 * np.abs(state).max())
    noisy = smoothed(Steps(row, draw.normal(size=state.shape), state, none, none, state))
    assert noisy.state.shape == state.shape
