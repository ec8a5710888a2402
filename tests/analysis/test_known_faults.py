"""Faults that users of other tools reported around clocks and alignment, and where each is held off here.

The table names the report, the symptom and the test; tests that stand for several modules live here.
"""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from tests.builders import case, pair, trace, wander
from tracescope.analysis.estimate import (
    assumed_alignment,
    counter_alignment,
    estimate_alignment,
    initial_alignment,
)
from tracescope.analysis.residual import residual
from tracescope.analysis.rows import paired_rows
from tracescope.analysis.workbench import Workbench
from tracescope.checks import alignment, timing
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, State
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Channel, Clock, Role, Source, Trace

HERE = "tests.analysis.test_known_faults"
ESTIMATE = "tests.analysis.test_estimate"
ALIGNMENT = "tests.checks.test_alignment"
TIMING = "tests.checks.test_timing"

KNOWN = (
    (
        "PlotJuggler PR #721",
        "rows out of order",
        ALIGNMENT,
        "rows_out_of_order_fail_above_one_percent",
    ),
    (
        "PlotJuggler PR #721",
        "sorted stamps judged",
        "tests.checks.test_timing_gate",
        "sorted_stamps_are_no_ground_for_a_verdict",
    ),
    (
        "rosbag2#764",
        "one side counts from 0, the other from 1970",
        HERE,
        "a_clock_from_zero_and_one_from_1970_start_together",
    ),
    ("perfetto#1686", "two clocks that part", ESTIMATE, "counters_read_the_drift_off_the_stamps"),
    ("unitree_lerobot#41", "counter restarts", HERE, "a_counter_that_restarts_pairs_nothing"),
    (
        "lerobot#2364",
        "fixed tolerance refuses jitter",
        HERE,
        "two_milliseconds_of_jitter_at_30_hz_are_usable",
    ),
    (
        "robot-log-visualizer PR #72",
        "slower stream first",
        HERE,
        "a_slower_stream_that_starts_first_is_no_base_clock",
    ),
    (
        "IsaacLab#902",
        "stated rate is not the measured",
        TIMING,
        "a_stated_rate_is_held_against_the_stamps",
    ),
    ("anxcor#42", "lag with the wrong sign", HERE, "both_signs_of_a_lag_are_told"),
    (
        "epanet-rtx#80",
        "period less lag",
        ESTIMATE,
        "a_sine_is_ambiguous_and_names_the_periods_beside",
    ),
    (
        "epanet-rtx#80",
        "ambiguity hidden",
        ALIGNMENT,
        "a_periodic_pair_is_ambiguous_by_time_and_settled_by_counter",
    ),
    ("rapidtide#24", "rates differ", ESTIMATE, "rates_may_differ"),
    ("gyroflow#240", "nothing moves", HERE, "where_nothing_moves_nothing_is_estimated"),
    (
        "gyroflow#230",
        "what is seen is not what is applied",
        HERE,
        "residual_and_checks_use_one_transform",
    ),
    (
        "gyroflow#365",
        "a second anchor makes it worse",
        "tests.analysis.test_anchors",
        "two_anchors_give_offset_and_drift",
    ),
    (
        "gyroflow#509",
        "offset in steps",
        "tests.analysis.test_anchors",
        "steps_of_the_clock_are_called_not_linear",
    ),
    ("evo#417", "one matched sample gives a number", ALIGNMENT, "a_few_common_rows_give_no_number"),
    (
        "evo#511",
        "no hint at the ranges",
        HERE,
        "disjoint_ranges_are_both_named_with_a_guess_at_the_unit",
    ),
    (
        "brainstorm3 PR #868",
        "an offset in files in sync",
        HERE,
        "a_trace_against_itself_is_off_by_exactly_nothing",
    ),
    (
        "OSPSuite-R#1093",
        "residual of the other sign",
        "tests.analysis.test_residual",
        "the_residual_is_target_less_sim",
    ),
    (
        "OSPSuite-R#1093",
        "held or between samples",
        "tests.analysis.test_residual",
        "a_sparse_target_is_read_between_its_samples_and_a_held_action_is_not",
    ),
    (
        "plotly-graph-card#360",
        "unequal lengths",
        ESTIMATE,
        "a_longer_target_is_searched_for_the_sim",
    ),
)


@pytest.mark.parametrize(("report", "symptom", "module", "test"), KNOWN)
def test_that_each_known_fault_has_its_test(
    report: str, symptom: str, module: str, test: str
) -> None:
    held_off = getattr(importlib.import_module(module), f"test_that_{test}", None)
    assert callable(held_off), f"{report} ({symptom}) is tested nowhere"


def judged(sim: Trace, target: Trace, in_force: Alignment | None = None) -> CheckResult:
    both = pair(sim, target)
    return alignment.CHECK.judge(Workbench(Case(both, in_force or initial_alignment(both)[0])), {})


def late(n: int, lag_rows: float, noise: float, seed: int) -> tuple[Trace, Trace]:
    """A target that shows ``lag_rows`` rows later what the sim shows, scaled, shifted and noisy."""
    motion = CubicSpline(np.arange(n + 200), wander(n + 200, 3, seed=seed))
    rows = np.arange(n) + 100.0
    rng = np.random.default_rng(seed)
    shown = 0.8 * motion(rows - lag_rows) - 0.2 + noise * rng.standard_normal((n, 3))
    return trace(0.02, motion(rows), step=False), trace(0.02, shown, step=False)


def test_that_the_error_is_a_tenth_of_a_sample_at_most_in_nineteen_of_twenty() -> None:
    rng = np.random.default_rng(7)
    errors = []
    for seed in range(60):
        lag = float(rng.uniform(-25, 25))
        estimate = estimate_alignment(pair(*late(int(rng.integers(150, 400)), lag, 0.1, seed)))
        if estimate.verdict == "clear" and estimate.alignment is not None:
            errors.append(abs(estimate.alignment.offset_s / 0.02 - lag))
    assert len(errors) > 50
    assert float(np.quantile(errors, 0.95)) <= 0.1


@pytest.mark.parametrize("n", [60, 61, 256, 257])
@pytest.mark.parametrize("step", [False, True])
def test_that_a_trace_against_itself_is_off_by_exactly_nothing(n: int, step: bool) -> None:
    both = trace(0.02, wander(n, 2, seed=n), step=step)
    found = initial_alignment(pair(both, both))[0]
    assert (found.offset_s, found.drift) == (0.0, 0.0)
    result = judged(both, both)
    assert result.state is State.PASS
    assert result.measured("remaining lag")[0].estimate == 0.0


@pytest.mark.parametrize("lag_rows", [10.0, -10.0])
def test_that_both_signs_of_a_lag_are_told(lag_rows: float) -> None:
    sim, target = late(300, lag_rows, 0.02, 3)
    estimate = estimate_alignment(pair(sim, target))
    assert estimate.alignment is not None
    assert estimate.alignment.offset_s == pytest.approx(0.02 * lag_rows, abs=0.002)
    event_s = 3.0
    assert estimate.alignment.to_sim_one(event_s) == pytest.approx(
        event_s - 0.02 * lag_rows, abs=2e-3
    )
    result = judged(sim, target, assumed_alignment(pair(sim, target)))
    assert result.state is State.FAIL
    assert ("late" if lag_rows > 0 else "early") in result.reason
    assert ("move it left" if lag_rows > 0 else "move it right") in result.reason


@pytest.mark.parametrize(
    ("sim", "target"),
    [
        (np.full(100, 4.6e15), np.full(100, 4.6e15)),
        (np.zeros(100), wander(100)[:, 0]),
        (wander(12)[:, 0], wander(12)[:, 0]),
        (np.arange(100.0), np.arange(100.0) + 3),
    ],
    ids=["constant", "silent", "short", "straight"],
)
def test_that_where_nothing_moves_nothing_is_estimated(sim: np.ndarray, target: np.ndarray) -> None:
    estimate = estimate_alignment(
        pair(trace(0.02, sim, step=False), trace(0.02, target, step=False))
    )
    assert estimate.verdict == "not possible"
    assert estimate.alignment is None
    assert estimate.because


def test_that_disjoint_ranges_are_both_named_with_a_guess_at_the_unit() -> None:
    sim = trace(0.02, wander(100), step=False)
    micro = trace(time_s=2e4 * np.arange(100), obs=wander(100), step=False)
    said = judged(sim, micro, Alignment()).reason
    assert "sim 0 to 1.98 s" in said
    assert "target 0 to 1.98e+06 s" in said
    assert "the target's stamps look like microseconds" in said
    elsewhere = judged(sim, trace(0.02, wander(100), step=False, t0=70.0), Alignment())
    assert "0 rows are common" in elsewhere.reason
    assert "target 70 to 71.98 s" in elsewhere.reason
    assert "starting both at 0" in elsewhere.settle


def test_that_a_clock_from_zero_and_one_from_1970_start_together() -> None:
    value = wander(100)
    epoch = Clock(column="timestamp", is_epoch=True)
    both = pair(trace(0.02, value, step=False), trace(0.02, value, step=False, t0=5e8, clock=epoch))
    assumed = assumed_alignment(both)
    assert assumed.note.startswith("assumed")
    assert assumed.to_sim_one(5e8) == 0.0


def test_that_a_counter_that_restarts_pairs_nothing() -> None:
    counter = np.concatenate((np.arange(60), np.arange(60)))
    value = wander(120)
    assert counter_alignment(pair(trace(0.02, value), trace(0.02, value, step=counter))) is None


def test_that_two_milliseconds_of_jitter_at_30_hz_are_usable() -> None:
    rng = np.random.default_rng(2)
    value = wander(300, 2, seed=4)
    stamps = (np.arange(300) / 30 + np.clip(rng.normal(0, 2e-3, 300), -6e-3, 6e-3)).astype(
        np.float32
    )
    sim, target = trace(1 / 30, value, step=False), trace(time_s=stamps, obs=value, step=False)
    result = judged(sim, target)
    assert result.state is State.PASS
    assert result.measured("overlap")[0].estimate > 0.98
    jitter = timing.CHECK.judge(
        Workbench(Case(pair(sim, target), initial_alignment(pair(sim, target))[0])), {}
    ).measured("interval jitter")[0]
    assert jitter.estimate == pytest.approx(2 * np.sqrt(2), rel=0.15)
    assert jitter.tolerance_key == "timing.jitter"


def test_that_a_slower_stream_that_starts_first_is_no_base_clock() -> None:
    joints_s, camera_s = 0.5 + 0.01 * np.arange(200), np.arange(80) / 30
    joint, camera = wander(200, seed=1)[:, 0], wander(80, seed=2)[:, 0]

    def recorded() -> Trace:
        channels = (
            Channel("joint", Role.OBSERVATION, joints_s, joint),
            Channel("camera", Role.OBSERVATION, camera_s, camera),
        )
        return Trace(Source("a.csv"), Clock(column="t"), joints_s, channels, None)

    both = pair_traces(recorded(), recorded())
    rows = paired_rows(Case(both, assumed_alignment(both)))
    assert len(rows) == 200
    assert rows.interval_s == pytest.approx(0.01)
    assert np.array_equal(rows.sim["joint"], joint)
    assert np.isfinite(rows.sim["camera"]).all()


def test_that_residual_and_checks_use_one_transform() -> None:
    sim, target = late(300, 4.3, 0.05, 5)
    laid = Alignment(offset_s=0.086, drift=1e-3, pivot_s=target.t_first_s)
    both = case(sim, target, laid)
    rows = paired_rows(both)
    at_s, value = residual(both, "obs[0]", rows.time_s)
    assert np.array_equal(at_s, rows.time_s)
    np.testing.assert_allclose(value, rows.target["obs[0]"] - rows.sim["obs[0]"], atol=1e-12)
