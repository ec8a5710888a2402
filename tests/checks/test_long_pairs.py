"""Long pairs: regressions look at stretches, single events are looked for everywhere, and memory stays bounded."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import lfilter

from tests import builders
from tracescope.analysis import excerpt
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.errors import Cancelled
from tracescope.model.trace import Trace
from tracescope.session.catalogue import all_checks
from tracescope.session.run import run_checks

DT = 0.01
ROWS = 40_000
BETWEEN = 1800
"""A row that no stretch of the shortened ones holds."""


@pytest.fixture
def short_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pairs be long from 20,000 rows, so that tests need not wait for real ones."""
    monkeypatch.setattr(excerpt, "STRETCH_ROWS", 400)
    monkeypatch.setattr(excerpt, "LONG_ROWS", 20_000)


def _signals(rows: int, axes: int = 2, gain: float = 1.0, late: int = 0) -> dict[str, np.ndarray]:
    """Velocities behind their actions by a first-order lag, in single precision."""
    rng = np.random.default_rng(5)
    action = lfilter([0.3], [1, -0.7], rng.standard_normal((rows, axes)), axis=0)
    driven = np.concatenate((np.zeros((late + 1, axes)), action[: rows - late - 1]))
    speed = gain * lfilter([0.1], [1, -0.9], driven, axis=0)
    return {"obs": speed.astype(np.float32), "action": action.astype(np.float32)}


def _noisy(value: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(6).standard_normal(value.shape)
    return (value + 1e-3 * value.std() * noise).astype(np.float32)


def _trace(signals: Mapping[str, np.ndarray], time_s: np.ndarray, *, step: bool = True) -> Trace:
    applied = signals.get("applied", signals["action"])
    return builders.trace(
        obs=signals["obs"],
        action=signals["action"],
        applied=applied,
        reward=-(signals["obs"][:, 0] ** 2),
        time_s=time_s,
        step=step,
    )


def _case(
    sim: Mapping[str, np.ndarray], target: Mapping[str, np.ndarray], time_s: np.ndarray
) -> Case:
    ours = _trace(sim, DT * np.arange(len(sim["obs"])))
    theirs = _trace(target, time_s)
    pair = builders.pair(ours, theirs)
    return Case(pair, Alignment(mode="step", how="estimated", pivot_s=theirs.t_first_s))


def _results(case: Case) -> dict[str, CheckResult]:
    return {result.id: result for result in run_checks(case, all_checks())}


def _one(result: CheckResult, quantity: str, channel: str) -> Measurement:
    return next(m for m in result.measurements if (m.quantity, m.channel) == (quantity, channel))


@pytest.mark.usefixtures("short_stretches")
def test_that_single_events_between_the_stretches_are_found() -> None:
    """Ten clipped rows, one held run and one gap among forty thousand rows, none of them in a stretch."""
    sim = _signals(ROWS)
    target = {**sim, "obs": _noisy(sim["obs"])}
    clipped = np.arange(BETWEEN, BETWEEN + 10)
    applied = target["action"].copy()
    applied[clipped] *= 0.5
    held = slice(BETWEEN + 100, BETWEEN + 140)
    target["obs"][held, 0] = target["obs"][held.start, 0]
    time_s = DT * np.arange(ROWS)
    kept = np.ones(ROWS, dtype=bool)
    kept[BETWEEN + 200 : BETWEEN + 230] = False
    target = {name: value[kept] for name, value in {**target, "applied": applied}.items()}
    case = _case(sim, target, time_s[kept])
    counter = np.flatnonzero(kept)
    theirs = replace(case.pair.target, step=counter.astype(np.int64))
    case = replace(case, pair=replace(case.pair, target=theirs))
    part = excerpt.excerpt_of(case)
    assert part is not None
    steps = part.case.pair.target.step
    assert steps is not None
    assert not np.isin(np.arange(BETWEEN, BETWEEN + 231), steps).any()
    found = _results(case)
    assert "1 gap in the target" in found["alignment"].coverage[0].statement
    assert _one(found["timing"], "missing rows", "").estimate > 0
    stuck = _one(found["observation-scaling"], "held rows", "obs[0]")
    assert stuck.state is State.FAIL
    assert stuck.estimate >= 35
    where = [e.span_s for e in found["observation-scaling"].evidence if e.channel == "obs[0]"]
    assert any(abs(span[0] - DT * held.start) < 2 * DT for span in where)
    # An emitted value near 0 is hardly altered by halving.
    assert 18 <= found["action"].count("altered applied rows") <= 20


@pytest.mark.usefixtures("short_stretches")
def test_that_a_fault_throughout_is_found_from_the_stretches_and_said_to_be() -> None:
    """A late and wrongly scaled target fails as in a short pair, and coverage tells how much was looked at."""
    sim = _signals(ROWS)
    late = _signals(ROWS, late=2)
    found = _results(_case(sim, {**sim, "obs": _noisy(late["obs"])}, DT * np.arange(ROWS)))
    assert found["timing"].state is State.FAIL
    delay = _one(found["timing"], "response latency, target less sim", "")
    assert delay.estimate == pytest.approx(2.0, abs=0.05)
    assert delay.n <= 13_000
    scaled = _results(_case(sim, {**sim, "obs": 1.4 * _noisy(sim["obs"])}, DT * np.arange(ROWS)))
    assert scaled["observation-scaling"].state is not State.PASS
    assert scaled["dynamics"].state is not State.PASS
    for check in ("observation-scaling", "timing", "dynamics", "reward"):
        said = [part.statement for part in found[check].coverage]
        assert any("12,800 of 40,000 rows, in 32 stretches of 400" in text for text in said)


@pytest.mark.usefixtures("short_stretches")
def test_that_what_moves_between_the_stretches_alone_is_not_passed_over() -> None:
    """A sensor that answers once, where no regression looks, keeps scaling and dynamics from passing."""
    sim = _signals(ROWS)
    touch = np.zeros((ROWS, 1), dtype=np.float32)
    touch[BETWEEN : BETWEEN + 50, 0] = np.sin(np.arange(50) / 4.0)
    sim["obs"] = np.concatenate((sim["obs"], touch), axis=1)
    quiet = {**sim, "obs": np.concatenate((_noisy(sim["obs"][:, :2]), touch), axis=1)}
    found = _results(_case(sim, quiet, DT * np.arange(ROWS)))
    for check in ("observation-scaling", "dynamics"):
        assert found[check].state is not State.PASS
        assert any("obs[2]" in told.text for told in found[check].untested)


@pytest.mark.usefixtures("short_stretches")
def test_that_memory_does_not_grow_beyond_the_traces() -> None:
    """Twelve signals a side over 400,000 rows: all checks take less than three times what the traces hold."""
    rows = 400_000
    sim = _signals(rows, axes=4)
    target = {**sim, "obs": _noisy(sim["obs"])}
    late_s = DT * np.arange(rows) + 0.0123
    ours, theirs = _trace(sim, late_s - 0.0123, step=False), _trace(target, late_s, step=False)
    held = sum(c.value.nbytes for side in (ours, theirs) for c in side) + 2 * late_s.nbytes
    pair = builders.pair(ours, theirs)
    case = Case(pair, Alignment(how="estimated", offset_s=0.0123, pivot_s=theirs.t_first_s))
    tracemalloc.start()
    try:
        states = {result.id: result.state for result in run_checks(case, all_checks())}
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert states["alignment"] is State.PASS
    assert peak < 3 * held + (32 << 20)


@pytest.mark.usefixtures("short_stretches")
def test_that_a_long_check_can_be_cancelled_inside() -> None:
    sim = _signals(ROWS)
    beats = 0

    def pulse() -> None:
        nonlocal beats
        beats += 1
        if beats > 3:
            raise Cancelled

    case = _case(sim, {**sim, "obs": _noisy(sim["obs"])}, DT * np.arange(ROWS))
    with pytest.raises(Cancelled):
        list(run_checks(case, all_checks(), Workbench(case, pulse)))
    assert beats == 4
