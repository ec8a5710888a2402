from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.builders import case, exercise, pair, trace, wander
from tests.truth.pairs import Cell, make_pair
from tests.truth.plants import PLANTS
from tracescope.analysis.drift import AffineLag
from tracescope.analysis.estimate import (
    counter_alignment,
    estimate_alignment,
    initial_alignment,
)
from tracescope.analysis.workbench import Workbench
from tracescope.checks import alignment_lag
from tracescope.checks.alignment import CHECK
from tracescope.checks.alignment_clock import AGAINST_COUNTER
from tracescope.checks.alignment_lag import judge_lag
from tracescope.checks.alignment_words import reason
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.trace import HealthNote, Trace


def judged(sim: Trace, target: Trace, alignment: Alignment | None = None) -> CheckResult:
    both = pair(sim, target)
    return CHECK.judge(Workbench(Case(both, alignment or initial_alignment(both)[0])), {})


def closed_loop(
    n: int = 200, delay: int = 0, seed: int = 0, gain: float = 1.0, noise: float = 0.002
) -> Trace:
    """A damped mass tracking a hidden wander, its command acting ``delay`` rows late."""
    goal = wander(n, seed=99, smooth=8.0)[:, 0]
    rng = np.random.default_rng(seed)
    x, v = 0.4, 0.3
    obs, action = np.zeros((n, 2)), np.zeros(n)
    for i in range(n):
        obs[i] = x, v
        action[i] = np.clip(4 * (goal[i] - x) - 1.5 * v, -3, 3)
        acting = action[i - delay] if i >= delay else 0.0
        v += 0.05 * (gain * acting - 0.4 * v)
        x += 0.05 * v
    return trace(0.05, obs + noise * rng.standard_normal((n, 2)), action)


def rows_of(whole: Trace, first: int, last: int) -> Trace:
    """The same recording, its counter and clock started at another row."""
    values = np.stack([c.as_float() for c in whole.of_role(*{c.role for c in whole})], axis=1)
    return trace(0.05, values[first:last, :2], values[first:last, 2])


@pytest.mark.parametrize("step", [True, False])
@pytest.mark.parametrize("n", [40, 301])
def test_that_identical_traces_pass(n: int, step: bool) -> None:
    both = trace(0.02, wander(n, 2, seed=n), wander(n, seed=3), step=step)
    result = judged(both, both)
    assert result.state is State.PASS
    assert result.measured("remaining lag")[0].estimate == 0.0


def test_that_the_exercise_is_aligned_by_counter_with_ten_milliseconds_offset() -> None:
    result = judged(*exercise())
    assert result.state is State.PASS
    (offset,) = result.measured("clock offset")
    assert offset.estimate == pytest.approx(0.01, abs=1e-12)
    assert not offset.judged


@pytest.mark.parametrize("shift", [-9, -3, 3, 9])
def test_that_counters_that_start_at_different_rows_fail(shift: int) -> None:
    sim, target = closed_loop(260, seed=1), closed_loop(260, seed=2)
    if shift < 0:
        result = judged(rows_of(sim, 0, 240), rows_of(target, -shift, 240))
    else:
        result = judged(rows_of(sim, shift, 240), rows_of(target, 0, 240))
    assert result.state is State.FAIL
    (start,) = result.measured("start offset")
    assert start.estimate == pytest.approx(shift, abs=0.3)
    assert result.leads[0].kind == "start-offset"


def test_that_shifting_the_steps_mends_a_start_offset() -> None:
    sim, target = closed_loop(260, seed=1), closed_loop(260, seed=2)
    cut = rows_of(target, 9, 240)
    both = pair(rows_of(sim, 0, 240), cut)
    alignment = replace(initial_alignment(both)[0], step_shift=-9)
    assert CHECK.judge(Workbench(Case(both, alignment)), {}).state is State.PASS


def test_that_a_slower_response_is_not_a_start_offset() -> None:
    result = judged(closed_loop(200, 0, 1), closed_loop(200, 3, 2))
    assert result.state is State.PASS
    assert not any(
        m.quantity == "start offset" and m.state is State.FAIL for m in result.measurements
    )


def test_that_standing_still_first_leaves_start_and_response_undecided() -> None:
    motion = np.vstack((np.zeros((20, 2)), wander(180, 2, seed=4) - wander(180, 2, seed=4)[0]))
    late = np.vstack((np.zeros((4, 2)), motion[:-4]))
    noise = 0.01 * np.random.default_rng(0).standard_normal(motion.shape)
    result = judged(trace(0.02, motion), trace(0.02, late + noise))
    assert result.state is State.INCONCLUSIVE
    assert "first rows" in result.reason
    assert result.settle


def test_that_an_assumed_offset_that_is_wrong_fails_and_the_estimate_mends_it() -> None:
    whole = wander(400, 3, seed=7)
    sim = trace(0.02, whole[:300], step=False)
    target = trace(0.02, whole[12:312], step=False)
    both = pair(sim, target)
    assumed, estimate = initial_alignment(both)
    result = CHECK.judge(Workbench(Case(both, assumed)), {})
    assert result.state is State.FAIL
    assert result.measured("remaining lag")[0].estimate == pytest.approx(-12, abs=0.01)
    assert "early" in result.reason
    assert estimate is not None
    assert estimate.alignment is not None
    assert CHECK.judge(Workbench(Case(both, estimate.alignment)), {}).state is State.PASS


@pytest.mark.parametrize(("left", "said"), [(7e-14, "0"), (-0.0931, "0.093")])
def test_that_the_rounding_of_what_was_taken_out_is_not_said_to_be_left(left, said) -> None:
    both = case(*exercise())
    lag = judge_lag(Workbench(both))
    assert reason((), replace(lag, left_rows=left, start=None), both).endswith(
        f"; {said} rows remain"
    )


def test_that_a_drift_left_fails_and_the_estimate_mends_it() -> None:
    from scipy.interpolate import CubicSpline

    motion = CubicSpline(np.arange(700), wander(700, 3, seed=5))
    rows = np.arange(500) + 100.0
    sim = trace(0.02, motion(rows), step=False)
    target = trace(0.02, motion(rows - 0.006 * np.arange(500)), step=False)
    both = pair(sim, target)
    result = judged(sim, target)
    assert result.measured("remaining drift over the trace")[0].state is State.FAIL
    estimate = estimate_alignment(both)
    assert estimate.alignment is not None
    assert CHECK.judge(Workbench(Case(both, estimate.alignment)), {}).state is State.PASS


@pytest.mark.parametrize(
    ("over_trace", "state"),
    [
        ((1.1, 11.9), State.INCONCLUSIVE),
        ((-7.0, -1.2), State.INCONCLUSIVE),
        ((3.0, 4.0), State.FAIL),
    ],
)
def test_that_a_drift_that_is_not_beyond_doubt_is_no_finding(
    monkeypatch: pytest.MonkeyPatch, over_trace: tuple[float, float], state: State
) -> None:
    """No alignment takes such a drift up; one in force that no content bears out stays a finding."""
    sim, target = (trace(0.02, wander(300, 3, seed=5), step=False) for _ in range(2))
    both = Case(pair(sim, target), Alignment())
    found = alignment_lag.lag_by_time(both)
    middle = sum(over_trace) / 2
    line = AffineLag(0.0, (0.0, 0.0), 0.0, (0.0, 0.0), middle, over_trace, 50.0)
    monkeypatch.setattr(alignment_lag, "lag_by_time", lambda _: replace(found, affine=line))
    drift = CHECK.judge(Workbench(both), {}).measured("remaining drift over the trace")[0]
    assert drift.state is state
    assert ("not beyond doubt" in drift.blocked) == (state is State.INCONCLUSIVE)
    still = AffineLag(0.0, (0.0, 0.0), 0.0, (0.0, 0.0), 0.0, (-0.5, 0.5), 50.0)
    monkeypatch.setattr(alignment_lag, "lag_by_time", lambda _: replace(found, affine=still))
    drifting = Workbench(Case(both.pair, Alignment(drift=0.02)))
    drift = CHECK.judge(drifting, {}).measured("remaining drift over the trace")[0]
    assert drift.state is State.FAIL


def test_that_a_periodic_pair_is_ambiguous_by_time_and_settled_by_counter() -> None:
    t = 0.02 * np.arange(400)
    rng = np.random.default_rng(1)

    def wave(step: bool) -> Trace:
        return trace(0.02, np.sin(2 * np.pi * t) + 0.05 * rng.standard_normal(400), step=step)

    by_time = judged(wave(False), wave(False))
    assert by_time.state is State.INCONCLUSIVE
    assert "cannot be told, because it is ambiguous (offsets of " in by_time.reason
    assert judged(wave(True), wave(True)).state is State.PASS


def test_that_silence_is_inconclusive_with_the_reason() -> None:
    result = judged(trace(0.02, np.zeros(100)), trace(0.02, np.zeros(100)))
    assert result.state is State.INCONCLUSIVE
    assert "no channel moves" in result.reason


def test_that_other_motions_are_told_in_one_clause_and_ask_for_the_same_turns() -> None:
    both = (trace(0.02, wander(80, 1, seed)) for seed in (4_100_001, 4_100_002))
    result = judged(*both)
    assert result.reason.startswith("remaining lag cannot be told, because ")
    assert ": " not in result.reason
    assert "turns" in result.settle
    still = judged(trace(0.02, np.zeros(100)), trace(0.02, np.zeros(100)))
    assert "observations or actions move" in still.settle


def test_that_disjoint_ranges_are_named() -> None:
    sim, target = trace(0.02, wander(100), step=False), trace(0.02, wander(100), step=False)
    result = CHECK.judge(Workbench(case(sim, target, Alignment(offset_s=50.0))), {})
    assert result.state is State.INCONCLUSIVE
    assert "-50" in result.reason
    assert "0 rows are common" in result.reason


def test_that_stamps_in_another_unit_are_guessed() -> None:
    sim = trace(0.02, wander(100), step=False)
    result = judged(sim, trace(20.0, wander(100), step=False))
    assert result.state is State.INCONCLUSIVE
    assert "milliseconds" in result.reason


@pytest.mark.parametrize(("rows", "counted"), [(15, False), (19, False), (11, True)])
def test_that_a_few_common_rows_give_no_number(rows: int, *, counted: bool) -> None:
    few = trace(0.02, wander(rows), step=counted)
    result = judged(few, few)
    assert result.state is State.INCONCLUSIVE
    assert not result.measured("remaining lag")


@pytest.mark.parametrize("rows", [12, 15, 19])
@pytest.mark.parametrize("late", [0, 3])
def test_that_counted_rows_tell_a_lag_sooner(rows: int, late: int) -> None:
    """No lag must be searched for: few rows may show that none is left, and never hide one that is."""
    motion = wander(rows + 3, 3, seed=7)
    noise = np.random.default_rng(rows).normal(0, 1e-3, (2, rows, 3))
    sim = trace(0.02, motion[:rows] + noise[0])
    result = judged(sim, trace(0.02, motion[late : late + rows] + noise[1]))
    assert result.measured("common rows")[0].state is State.PASS
    assert (result.state is State.PASS) == (late == 0)


def test_that_rows_out_of_order_fail_above_one_percent() -> None:
    both = trace(0.02, wander(100, 2))
    note = HealthNote("rows run back in time", count=5, key="out-of-order")
    result = judged(both, both.with_health([note]))
    assert result.measured("rows back in time")[0].state is State.FAIL


def test_that_exact_repeats_fail_above_a_tenth() -> None:
    value = np.repeat(wander(80, 2), 2, axis=0)
    both = trace(time_s=np.repeat(0.02 * np.arange(80), 2), obs=value, step=False)
    result = judged(both, both)
    assert result.measured("rows repeated exactly")[0].estimate == pytest.approx(0.5)
    assert result.state is State.FAIL


def slipped(hidden: bool) -> CheckResult:
    """A clock that jumps by five periods at row 150: rows lost, or the loop stood still."""
    whole = wander(305, 3, seed=11)
    kept = np.r_[0:150, 155:305] if hidden else np.arange(300)
    stamps = 0.02 * np.r_[0:150, 155:305]
    noise = 0.02 * np.random.default_rng(0).standard_normal((300, 3))
    sim = trace(0.02, whole[:300])
    target = trace(time_s=stamps, obs=whole[kept] + noise)
    return judged(sim, target)


def test_that_rows_a_counter_hides_fail() -> None:
    result = slipped(hidden=True)
    slip = next(m for m in result.measurements if m.quantity.startswith("rows hidden"))
    assert slip.estimate == pytest.approx(5, abs=0.2)
    assert result.state is State.FAIL


def test_that_an_overrun_belongs_to_timing_not_to_alignment() -> None:
    result = slipped(hidden=False)
    slip = next(m for m in result.measurements if m.quantity.startswith("rows hidden"))
    assert slip.estimate == pytest.approx(0, abs=0.2)
    assert result.state is State.PASS


def test_that_go2_counters_hold_though_the_motions_part(shared_data) -> None:
    from tracescope.readers.registry import open_trace

    folder = shared_data / "go2-observation-and-motor-delay"
    files = {f.stem.split("_")[3]: f for f in sorted(folder.glob("*.h5"))}
    for name in ("motordelay0", "delay1", "delay2"):
        result = judged(open_trace(files["delay0"]), open_trace(files[name]))
        assert result.state is State.PASS, name


def test_that_servo_replays_are_aligned_by_their_command(shared_data) -> None:
    from tracescope.readers.registry import open_trace

    for name in ("rollout00_chirp", "rollout14_ramp", "rollout24_triangle", "rollout30_square"):
        sim = open_trace(shared_data / "servo" / f"{name}_sim.csv")
        target = open_trace(shared_data / "servo" / f"{name}_real.csv")
        assert judged(sim, target).state is State.PASS, name


@pytest.mark.parametrize(("rows", "side"), [(9.4, "left"), (-3.0, "right")])
def test_that_an_offset_by_hand_beside_the_counters_pairs_is_told(rows: float, side: str) -> None:
    sim, target = exercise()
    counted = initial_alignment(pair(sim, target))[0]
    assert counted.mode == "step"
    by_hand = replace(
        counted, how="given", offset_s=counted.offset_s + rows * sim.interval_s, rivals=()
    )
    result = judged(sim, target, by_hand)
    assert result.state is State.FAIL
    assert result.measured(AGAINST_COUNTER)[0].estimate == pytest.approx(-rows, abs=1e-6)
    assert f"draws the target {abs(rows):.3g} rows" in result.reason
    assert f"{side} of the rows it is paired with" in result.reason
    untouched = replace(counted, how="given")
    assert judged(sim, target, untouched).state is State.PASS
    assert "by hand" not in judged(sim, target, untouched).reason


@pytest.mark.parametrize(
    ("rows", "state"),
    [(0.4, State.PASS), (-0.4, State.PASS), (0.6, State.FAIL), (-0.6, State.FAIL)],
)
@pytest.mark.parametrize("how", ["hand", "given", "anchors"])
def test_that_half_a_row_beside_the_counters_is_the_limit_however_it_was_set(
    rows: float, state: State, how: str
) -> None:
    sim, target = exercise()
    counted = initial_alignment(pair(sim, target))[0]
    moved = replace(counted.moved(rows * sim.interval_s), how=how)
    assert judged(sim, target, moved).state is state


@pytest.mark.parametrize("shift", [-7, 0, 4])
def test_that_the_offset_is_held_to_the_counter_at_the_shift_in_force(shift: int) -> None:
    sim, target = closed_loop(260, seed=1), closed_loop(260, seed=2)
    both = pair(sim, target)
    counted = counter_alignment(both, step_shift=shift)
    assert counted is not None
    assert counted.offset_s == pytest.approx(0.05 * shift, abs=1e-9)
    at_shift = judged(sim, target, replace(counted, how="given"))
    assert at_shift.measured(AGAINST_COUNTER)[0].state is State.PASS
    beside = judged(sim, target, replace(counted, how="given", offset_s=0.05 * (shift + 2)))
    assert beside.measured(AGAINST_COUNTER)[0].state is State.FAIL


def test_that_a_drift_set_beside_the_counters_fails_at_the_end_it_parts() -> None:
    sim, target = exercise()
    counted = replace(initial_alignment(pair(sim, target))[0], how="hand")
    off = counted.by_hand(drift=counted.drift + 2 * sim.interval_s / target.duration_s)
    assert judged(sim, target, off).measured(AGAINST_COUNTER)[0].estimate == pytest.approx(
        -2, abs=0.1
    )


def test_that_clocks_paired_by_time_are_not_held_to_a_counter() -> None:
    sim, target = exercise()
    by_time = replace(initial_alignment(pair(sim, target))[0], how="given", mode="time")
    assert not judged(sim, target, by_time).measured(AGAINST_COUNTER)


def test_that_one_row_is_no_start_offset_unless_all_channels_share_it() -> None:
    # Forty rows of a heavier pendulum that explores on its own: contents say a row, a response is as likely.
    cell = Cell("mass-up", 4, PLANTS[1], 40)
    result = CHECK.judge(Workbench(make_pair(7_750_390, cell=cell).case), {})
    assert result.state is State.INCONCLUSIVE
    assert "first rows" in result.reason
