"""Stretches of long pairs: which rows they hold, on both sides, and what they must not lose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import builders
from tracescope.analysis import excerpt, stretches
from tracescope.analysis.counters import equal_steps
from tracescope.analysis.ends import episode_end
from tracescope.analysis.one_step import relation
from tracescope.analysis.rows import HELD_ROWS, ReadOnDemand, paired_rows
from tracescope.analysis.timebase import step_lattice
from tracescope.analysis.timebase_rows import spread
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.trace import Channel, Role

ROWS = 300_000


def _case(rows: int = ROWS, offset_s: float = 0.0, mode: str = "time", **more: object) -> Case:
    value = np.sin(np.arange(rows) * 0.01)
    sim = builders.trace(0.02, value, value, **more)
    target = builders.trace(0.02, value, value, t0=offset_s, **more)
    return builders.case(
        sim, target, Alignment(mode=mode, offset_s=offset_s, pivot_s=target.t_first_s)
    )


def test_that_a_short_pair_is_looked_at_whole() -> None:
    bench = Workbench(_case(stretches.LONG_ROWS))
    assert bench.excerpt is bench
    assert bench.excerpt_words == ""


@pytest.mark.parametrize("mode", ["time", "step"])
@pytest.mark.parametrize("offset_s", [0.0, 0.013, -7.0])
def test_that_stretches_hold_whole_rows_of_both_sides(mode: str, offset_s: float) -> None:
    """Every pairing inside a stretch is the one of the whole pair, first and last common rows included."""
    case = _case(offset_s=offset_s, mode=mode)
    part = excerpt.excerpt_of(case)
    assert part is not None
    assert str(part).endswith("of 300,000 rows, in 32 stretches of 3,125")
    whole, short = paired_rows(case), paired_rows(part.case)
    assert abs(len(short) - stretches.MOST_ROWS) <= 2 * stretches.STRETCHES
    assert np.unique(short.run).size == stretches.STRETCHES
    assert short.time_s[0] == pytest.approx(whole.time_s[0], abs=0.021)
    assert short.time_s[-1] == pytest.approx(whole.time_s[-1], abs=0.021)
    place = np.rint((short.time_s - whole.time_s[0]) / 0.02).astype(int)
    for side, other in ((short.sim, whole.sim), (short.target, whole.target)):
        both = np.isfinite(side["obs"])
        assert both.mean() > 0.999
        assert np.allclose(side["obs"][both], other["obs"][place][both], atol=1e-6)
    assert excerpt.excerpt_of(part.case) is None


def test_that_rows_behind_an_end_between_the_stretches_are_still_behind_it() -> None:
    flag = np.zeros(ROWS)
    flag[8_000:] = 1
    part = excerpt.excerpt_of(_case(done=flag))
    assert part is not None
    end = episode_end(part.case.pair.sim)
    assert part.case.pair.sim.time_s[end.row] == pytest.approx(0.02 * 8_000)


def test_that_channels_on_clocks_of_their_own_come_along() -> None:
    case = _case()
    slow_s = np.arange(0.0, 0.02 * ROWS, 0.1)
    sides = [
        replace(
            trace,
            channels=(*trace.channels, Channel("slow", Role.OTHER, slow_s, np.cos(slow_s))),
        )
        for trace in (case.pair.sim, case.pair.target)
    ]
    case = builders.case(*sides)
    part = excerpt.excerpt_of(case)
    assert part is not None
    rows = paired_rows(part.case)
    known = np.isfinite(rows.sim["slow"])
    assert known.mean() > 0.999
    assert np.allclose(rows.sim["slow"][known], np.cos(rows.time_s[known]), atol=2e-3)


def test_that_pairs_without_common_rows_are_cut_along_their_own_length() -> None:
    case = _case()
    case = replace(case, alignment=replace(case.alignment, offset_s=1e6))
    part = excerpt.excerpt_of(case)
    assert part is not None
    assert len(part.case.pair.sim) == len(part.case.pair.target) == stretches.MOST_ROWS


@given(st.integers(0, 150_000), st.floats(0.3, 1.0))
@settings(deadline=None, max_examples=15)
def test_that_no_side_gives_more_rows_than_agreed(first: int, share: float) -> None:
    case = _case(mode="step")
    last = first + int(share * (ROWS - first))
    rows = np.arange(first, last)
    target = case.pair.target
    cut = replace(
        target,
        time_s=target.time_s[rows],
        step=target.step[rows],
        channels=tuple(
            replace(c, time_s=c.time_s[rows], value=c.value[rows]) for c in target.channels
        ),
    )
    part = excerpt.excerpt_of(builders.case(case.pair.sim, cut, case.alignment))
    assert part is not None
    assert max(len(part.case.pair.sim), len(part.case.pair.target)) <= excerpt.LONG_ROWS
    steps = (part.case.pair.sim.step, part.case.pair.target.step)
    assert np.isin(steps[1], steps[0]).mean() > 0.999


@given(st.integers(0, ROWS - 1), st.integers(50, 2_000), st.integers(-3, 3))
@settings(deadline=None, max_examples=15)
def test_that_a_part_holds_the_rows_asked_for_on_both_sides(
    row: int, reach: int, shift: int
) -> None:
    case = _case(mode="step")
    case = replace(case, alignment=replace(case.alignment, step_shift=shift))
    part, place = excerpt.around(case, row, reach)
    ours, theirs = part.pair.sim.step, part.pair.target.step
    assert theirs[place] == row
    assert theirs.size <= 2 * reach
    assert not 0 <= row - shift < ROWS or np.isin(row - shift, ours)
    head = excerpt.head_of(case, reach)
    assert head.pair.sim.step[0] == head.pair.target.step[0] == 0
    assert len(paired_rows(head)) == pytest.approx(reach, abs=5) or reach < 1000


def test_that_a_relation_is_shortened_to_whole_stretches() -> None:
    rng = np.random.default_rng(2)
    action = rng.standard_normal(3_000)
    speed = np.convolve(action, 0.9 ** np.arange(40))[:3_000]
    sides = [builders.trace(0.02, np.roll(speed, 1), action) for _ in range(2)]
    noisy = builders.trace(0.02, np.roll(speed, 1) + 0.01 * rng.standard_normal(3_000), action)
    found = relation(Workbench(builders.case(sides[0], noisy)))
    assert found is not None
    short = found.shortened(640)
    assert len(short.sim) == len(short.target) == 640
    breaks = np.flatnonzero(np.diff(short.sim.row) != 1)
    assert breaks.size == stretches.STRETCHES - 1
    assert short.sim.row[0] == found.sim.row[0]
    assert short.sim.row[-1] == found.sim.row[-1]
    assert found.shortened(5_000).sim is found.sim


def test_that_a_long_counted_lattice_is_the_shortened_whole_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = _case(60_000, mode="step")
    whole = step_lattice(case, 0)
    assert whole.blocks is None
    monkeypatch.setattr(excerpt, "LONG_ROWS", 50_000)
    short, expected = step_lattice(case, 0), whole.shortened()
    assert short.names == expected.names
    assert short.start_rows == expected.start_rows
    assert np.array_equal(short.sim, expected.sim, equal_nan=True)
    assert np.array_equal(short.target, expected.target, equal_nan=True)


def test_that_values_of_very_many_rows_are_read_when_asked_for() -> None:
    case = _case(HELD_ROWS + 2)
    rows = paired_rows(case)
    assert isinstance(rows.sim, ReadOnDemand)
    assert list(rows.sim) == ["obs", "action"]
    assert "obs" in rows.target
    assert "none" not in rows.target
    first = rows.sim["obs"]
    assert rows.sim["obs"] is first
    assert rows.sim["action"] is not first
    assert np.array_equal(rows.sim["obs"], case.pair.sim["obs"].value)


@given(
    st.lists(st.integers(0, 40), max_size=30),
    st.lists(st.integers(0, 40), max_size=30),
    st.integers(-5, 5),
    st.sampled_from(["as drawn", "in order", "every"]),
)
@settings(deadline=None, max_examples=150)
def test_that_equal_steps_are_those_of_a_sorted_intersection(
    sim: list[int], target: list[int], shift: int, kind: str
) -> None:
    def counted(steps: list[int]) -> np.ndarray:
        if kind == "every" and steps:
            return np.arange(min(steps), max(steps) + 1)
        return np.array(steps if kind == "as drawn" else sorted(set(steps)), dtype=np.int64)

    ours, theirs = counted(sim), counted(target)
    common, rows, others = np.intersect1d(ours, theirs - shift, return_indices=True)
    found = equal_steps(ours, theirs, shift)
    assert found[0].tolist() == rows.tolist()
    assert found[1].tolist() == others.tolist()
    assert ours[found[0]].tolist() == common.tolist()


@pytest.mark.parametrize("rows", [250_000, 3_000_000])
def test_that_the_spread_of_a_long_clock_that_only_rounds_is_known(rows: int) -> None:
    """Rounding of stamps grows along a recording; that alone must not leave its jitter open."""
    steps = np.diff(np.arange(rows) * 0.01 + 0.0123)
    found = spread(1e3 * steps, 0.99)
    assert found.high < 3 * found.estimate
    noisy = steps + 1e-4 * np.random.default_rng(7).standard_normal(steps.size)
    known = spread(noisy, 0.99)
    assert known.low < 1e-4 < known.high
    assert known.high < 1.05 * known.low
