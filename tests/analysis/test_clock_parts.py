"""Known truths of clocks: drifts that may be none, counters that repeat, long pairs that hardly meet."""

from __future__ import annotations

import numpy as np
import pytest

from tests.builders import case, pair, trace, wander
from tracescope.analysis import estimate, excerpt
from tracescope.analysis.content_found import ContentLag, with_curve
from tracescope.analysis.correlation import Curve
from tracescope.analysis.drift import AffineLag
from tracescope.analysis.slip_content import slip_contents
from tracescope.analysis.timebase import step_lattice
from tracescope.model.alignment import Alignment

STEPS = Alignment(mode="step")
ROWS = 201


def lag_that_may_drift(change: tuple[float, float]) -> ContentLag:
    """A lag of 2 rows; a line through it starts one row off and changes by that much over the trace."""
    motion = wander(ROWS, 2, seed=1)
    sides = trace(0.02, motion), trace(0.02, motion)
    affine = AffineLag(1.0, (0.5, 1.5), 2.0, (1.8, 2.2), sum(change) / 2, change, 50.0)
    lattice = step_lattice(case(*sides, STEPS), 0)
    return ContentLag("clear", "", lattice, lag=2.0, interval=(1.9, 2.1), affine=affine)


@pytest.mark.parametrize(
    ("change", "drift"),
    [
        ((0.5, 3.5), (0.0, 3.5 / 200)),
        ((-3.5, -0.5), (-3.5 / 200, 0.0)),
        ((-1.0, 3.0), (-1.0 / 200, 3.0 / 200)),
    ],
)
def test_that_a_drift_that_may_be_none_is_given_with_none_in_its_interval(
    monkeypatch, change, drift
):
    found = lag_that_may_drift(change)
    monkeypatch.setattr(estimate, "lag_by_time", lambda _: found)
    motion = wander(ROWS, 2, seed=1)
    got = estimate.estimate_alignment(pair(trace(0.02, motion), trace(0.02, motion))).alignment
    assert got is not None
    assert got.drift == 0
    assert got.offset_s == pytest.approx(0.04)
    assert got.drift_interval == pytest.approx(drift)
    may_drift = change[0] > 0 or change[1] < 0
    assert got.offset_interval_s == pytest.approx((0.01 if may_drift else 0.038, 0.042))


def test_that_an_answer_begins_as_not_possible_with_or_without_a_curve():
    motion = wander(ROWS, 2, seed=1)
    lattice = step_lattice(case(trace(0.02, motion), trace(0.02, motion), STEPS), 0)
    without = with_curve(lattice, None)
    assert (without.verdict, without.lattice) == ("not possible", lattice)
    assert without.curve_lag is None
    assert without.curve_score is None
    curve = Curve(np.array([-1, 0]), np.array([0.2, 0.9]), np.array([[0.2, 0.9]] * 2))
    found = with_curve(lattice, curve)
    assert (found.verdict, found.lattice) == ("not possible", lattice)
    assert found.curve_lag == pytest.approx([-1.0, 0.0])
    assert found.curve_score == pytest.approx([0.2, 0.9])


@pytest.mark.parametrize("lost", [3, 0])
@pytest.mark.parametrize("stride", [1, 5])
@pytest.mark.parametrize("times", [1, 3])
def test_that_a_jump_is_measured_where_counters_stride_and_repeat(
    lost: int, stride: int, times: int
):
    """The target logs each counted step as often as said; its clock jumps by three steps at the 300th."""
    motion, counted = wander(900, 2, seed=3), np.arange(600)
    place = counted + lost * (counted >= 300)
    sim = trace(0.02, motion[:600], step=stride * counted)
    stamps = 0.02 * (counted + 3 * (counted >= 300))
    each = np.repeat(counted, times)
    time_s = stamps[each] + np.tile(0.02 / times * np.arange(times), 600)
    target = trace(time_s=time_s, obs=motion[place][each], step=stride * each)
    (found,) = slip_contents(case(sim, target, STEPS))
    assert found.at_s == pytest.approx(0.02 * 303)
    assert found.hidden_rows == pytest.approx(lost, abs=0.05)


def test_that_a_long_pair_that_hardly_meets_is_cut_along_each_trace():
    """Five hundred rows of the sim, at its end, lie where two thousand of the target do."""
    rows = 300_000
    value = np.sin(np.arange(rows) * 0.01)
    sim = trace(0.02, value, step=False)
    target = trace(0.005, value, step=False, t0=0.02 * (rows - 500))
    part = excerpt.excerpt_of(case(sim, target, Alignment(pivot_s=target.t_first_s)))
    assert part is not None
    for cut, whole in ((part.case.pair.sim, sim), (part.case.pair.target, target)):
        assert len(cut) == 32 * 3125
        assert (cut.t_first_s, cut.time_s[-1]) == (whole.t_first_s, whole.time_s[-1])
