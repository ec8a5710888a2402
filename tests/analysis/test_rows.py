from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import case, pair, trace, wander
from tracescope.analysis import rows as rows_module
from tracescope.analysis.estimate import counter_alignment
from tracescope.analysis.rows import (
    ReadOnDemand,
    live,
    moves,
    paired_rows,
    resampled,
    some_of,
    without_values,
)
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.correction import Correction


def test_that_equal_clocks_pair_row_by_row_with_nothing_interpolated() -> None:
    value = wander(100, 2, seed=1)
    rows = paired_rows(case(trace(0.02, value), trace(0.02, value + 1)))
    assert len(rows) == 100
    assert (rows.sim["obs[0]"] == value[:, 0]).all()
    assert (rows.target["obs[1]"] == value[:, 1] + 1).all()
    assert rows.consecutive.all()


def test_that_counters_pair_steps_wherever_the_stamps_lie() -> None:
    value = wander(100, 1, seed=1)
    kept = np.delete(np.arange(100), [40, 41])
    both = pair(trace(0.02, value), trace(time_s=5 + 0.03 * kept, obs=value[kept], step=kept))
    rows = paired_rows(Case(both, Alignment(mode="step")))
    assert len(rows) == 98
    assert (rows.sim["obs[0]"] == rows.target["obs[0]"]).all()
    assert rows.run[39] != rows.run[40]
    assert rows.target_row is not None
    assert rows.target_row.tolist() == list(range(98))


@given(st.integers(-10, 10))
def test_that_a_step_shift_pairs_step_k_plus_shift_with_step_k(shift: int) -> None:
    value = np.arange(60.0)
    both = pair(trace(0.02, value), trace(0.02, value))
    rows = paired_rows(Case(both, Alignment(mode="step", step_shift=shift)))
    assert (rows.target["obs"] - rows.sim["obs"] == shift).all()
    assert len(rows) == 60 - abs(shift)


def test_that_rates_meet_on_the_slower_grid_and_actions_hold() -> None:
    fine, coarse = np.arange(0, 2, 0.01), np.arange(0, 2, 0.05)
    sim = trace(0.01, fine, np.floor(fine / 0.05 + 1e-9))
    target = trace(0.05, coarse, np.arange(coarse.size) * 1.0)
    rows = paired_rows(case(sim, target))
    assert rows.interval_s == pytest.approx(0.05)
    assert rows.target["obs"] == pytest.approx(rows.sim["obs"], abs=1e-12)
    assert (rows.target["action"] == rows.sim["action"]).all()


def test_that_rows_inside_a_gap_are_left_out_and_split_the_run() -> None:
    stamps = 0.02 * np.r_[0:50, 70:100]
    value = np.arange(100.0)
    rows = paired_rows(
        case(trace(0.02, value), trace(time_s=stamps, obs=value[np.r_[0:50, 70:100]]))
    )
    assert not ((rows.time_s > 0.981) & (rows.time_s < 1.399)).any()
    assert np.unique(rows.run).size == 2


def test_that_disjoint_traces_have_no_rows() -> None:
    rows = paired_rows(
        case(trace(0.02, wander(50)), trace(0.02, wander(50)), Alignment(offset_s=99))
    )
    assert len(rows) == 0


def test_that_an_offset_and_a_drift_are_taken_out() -> None:
    value = wander(200)[:, 0]
    target = trace(0.02 * 1.002, value, t0=3.0)
    alignment = counter_alignment(pair(trace(0.02, value), target))
    assert alignment is not None
    rows = paired_rows(case(trace(0.02, value), target, replace(alignment, mode="time")))
    assert rows.target["obs"] == pytest.approx(rows.sim["obs"], abs=1e-6)


def test_that_values_outside_the_span_are_missing() -> None:
    channel = trace(0.1, np.arange(5.0)).channels[0]
    at_s = np.array([-0.05, 0.0, 0.25, 0.4, 0.45])
    out = resampled(channel, channel.as_float(), at_s, 0.15)
    assert out[1:4] == pytest.approx([0.0, 2.5, 4.0])
    assert np.isnan(out[[0, 4]]).all()


@pytest.mark.parametrize(
    ("value", "moves"),
    [([1.0, 1.0], False), ([1.0, 2.0], True), ([1e9, 1e9 + 0.5], False), ([np.nan, 1.0], False)],
)
def test_that_a_live_signal_moves_by_more_than_rounding(value: list[float], moves: bool) -> None:
    assert live(np.array(value)) is moves


def test_that_the_workbench_lays_corrections_and_offsets_over_the_same_pair() -> None:
    value = wander(80, 1, seed=4)
    bench = Workbench(case(trace(0.02, value), trace(0.02, 1.5 * value)))
    mended = bench.corrected([Correction("obs[0]", 1.5)])
    assert mended.rows.target["obs[0]"] == pytest.approx(value[:, 0])
    assert bench.observations == ("obs[0]",)
    assert bench.live_in_both(bench.observations) == ("obs[0]",)
    later = bench.at(0.02)
    assert later.rows.target["obs[0]"][0] == pytest.approx(1.5 * value[1, 0])


@given(
    st.integers(0, 2**31),
    st.sampled_from(["step", "time"]),
    st.sampled_from([np.float32, np.float64, np.int16]),
)
@settings(deadline=None, max_examples=40)
def test_that_values_read_when_asked_for_are_those_kept_at_once(
    seed: int, mode: str, dtype: type
) -> None:
    """Whole, in part and corrected; what stands still, holds nothing or moves once is told as on all rows."""
    rng = np.random.default_rng(seed)
    n = 300
    value = {
        "wave": 100 * np.sin(0.1 * np.arange(n) + rng.uniform(0, 6)),
        "still": np.full(n, 3.0),
        "once": np.where(np.arange(n) == 150, 1.0, 0.0),
    }
    steps = np.flatnonzero(rng.random(n) < 0.9)
    whole = {name: v.astype(dtype) for name, v in value.items()} | {"none": np.full(n, np.nan)}
    some = {name: v[steps] for name, v in whole.items()}
    aligned = Alignment(mode=mode, offset_s=0.013 if mode == "time" else 0.0)
    corrections = (Correction("wave", 2.0, 0.5),) if seed % 2 else ()
    made = Case(
        pair(
            trace(other=whole, time_s=np.arange(n) * 0.02),
            trace(other=some, time_s=steps * 0.02, step=steps),
        ),
        aligned,
        corrections,
    )
    kept = paired_rows(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_module, "HELD_ROWS", 10)
        read = paired_rows(made)
    part = np.sort(rng.choice(len(kept), 20, replace=False))
    for values, expected in ((read.sim, kept.sim), (read.target, kept.target)):
        assert isinstance(values, ReadOnDemand)
        for name in expected:
            np.testing.assert_array_equal(values[name], expected[name])
            np.testing.assert_array_equal(some_of(values, name, part), expected[name][part])
            assert moves(values, name) == live(expected[name])
    assert without_values(read, "none") == without_values(kept, "none") != ""
    assert not without_values(read, "wave")


def test_that_what_no_offset_changes_is_computed_once_for_all_of_them() -> None:
    bench = Workbench(case(trace(obs=np.arange(30.0)), trace(obs=np.arange(30.0))))
    asked: list[str] = []

    def compute() -> int:
        asked.append("computed")
        return len(asked)

    assert bench.of_recordings("clock", compute) == 1
    moved = bench.at(0.01)
    assert (
        moved.of_recordings("clock", compute) == moved.at(0.02).of_recordings("clock", compute) == 1
    )
    assert bench.corrected([Correction("obs", 2.0)]).of_recordings("clock", compute) == 2
