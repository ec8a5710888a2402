"""A1 to A3: what estimating, intervals and checks cost."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from tests.bench.harness import Goal, Plan, Work, compare, counted, thread_s
from tests.ui.plots import pairs
from tracescope.analysis.estimate import estimate_alignment
from tracescope.analysis.intervals import mean_intervals
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Role, Trace
from tracescope.session.catalogue import all_checks
from tracescope.session.run import quick_checks, quick_look, run_checks
from tracescope.session.session import Session

CHANNELS = 12
ROWS = 1_000_000
LATE_ROWS = 37.3
QUICK_S = 0.12
"""What the window gives a quick look (:mod:`tracescope.ui.judge`)."""


def goals(plan: Plan) -> Iterator[Goal]:
    """Measure every goal of analysis."""
    if not plan.is_ci:
        yield from _offset(plan)
        yield _intervals(plan)
    yield from _checks(plan)


def _wave(time_s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return band-limited motion with a little noise."""
    out = np.zeros(time_s.size)
    for hz in rng.uniform(0.05, 6.0, 8):
        out += np.sin(2 * np.pi * hz * time_s + rng.uniform(0, 7)) / (1 + hz)
    return out


def _late_pair(rows: int) -> tuple[Trace, Trace]:
    time_s = np.arange(rows) * 1e-3
    sim, target = {}, {}
    for place in range(CHANNELS):
        sim[f"s{place}"] = (Role.OBSERVATION, _wave(time_s, np.random.default_rng(place)), "rad")
        late = _wave(time_s - LATE_ROWS * 1e-3, np.random.default_rng(place))
        noise = np.random.default_rng(99 + place).normal(size=rows)
        target[f"s{place}"] = (Role.OBSERVATION, late + 0.002 * noise, "rad")
    return pairs.trace(time_s, sim), pairs.trace(time_s, target)


def _offset(plan: Plan) -> Iterator[Goal]:
    from scipy.fft import irfft, next_fast_len, rfft

    rows = ROWS
    sides = _late_pair(rows)
    pair = pair_traces(*sides)
    sim = np.stack([c.value for c in pair.sim]).astype(np.float32)
    target = np.stack([c.value for c in pair.target]).astype(np.float32)
    size = next_fast_len(2 * rows, real=True)

    def whole() -> None:
        for one, other in zip(sim, target, strict=True):
            irfft(rfft(other, size) * np.conj(rfft(one, size)), size)

    found = []

    def ours() -> None:
        found.append(
            estimate_alignment(pair_traces(*sides))
        )  # what is known of a pair is kept with it

    name = f"A1 clock offset, 12 channels x {rows:.0e}, beside a full float32 correlation"
    yield compare(name, ours, whole, 0.5 * plan.slack, min(5, plan.heavy_rounds), warm_ups=1)
    alignment = found[-1].alignment
    assert alignment is not None, found[-1].because
    off = abs(alignment.offset_s * 1e3 - LATE_ROWS)
    yield counted("A1 error, samples", off, 0.1)


def _intervals(plan: Plan) -> Goal:
    value = np.random.default_rng(3).normal(size=(24, 100_000))

    def ours() -> None:
        mean_intervals(value)

    def spread() -> None:
        value.std(axis=1)

    name = "A2 intervals under autocorrelation, 24 x 1e5, beside one std pass"
    return compare(name, ours, spread, 8 * plan.slack, plan.heavy_rounds)


def _judged_session() -> Session:
    rows, each = 5000, 20
    time_s = np.arange(rows) * 0.02
    sim, target = {}, {}
    for place in range(each):
        rng = np.random.default_rng(place)
        action, seen = f"action[{place}]", f"obs[{place}]"
        command = _wave(time_s, rng)
        state = np.cumsum(command) * 0.02
        sim[action] = target[action] = (Role.ACTION, command, "rad/s")
        sim[seen] = (Role.OBSERVATION, state, "rad")
        target[seen] = (Role.OBSERVATION, 1.01 * state + 0.002 * rng.normal(size=rows), "rad")
    return pairs.session(pairs.trace(time_s, sim), pairs.trace(time_s + 0.3, target))


def _checks(plan: Plan) -> Iterator[Goal]:
    session, checks = _judged_session(), all_checks()
    arrays = [c.value for side in (session.pair.sim, session.pair.target) for c in side]

    def passes() -> None:
        for value in arrays:
            value.mean()
            value.std()

    known, took_s = {}, {}

    def full() -> None:
        last_s = time.perf_counter()
        for result in run_checks(session.case, checks):
            took_s[result.id] = time.perf_counter() - last_s
            known[result.id] = result
            last_s = time.perf_counter()

    full()
    yield from () if plan.is_ci else (_whole_run(plan, full, passes),)
    quick = quick_checks(checks, took_s, QUICK_S)

    def look() -> None:
        for _ in quick_look(session.case, quick, known):
            pass

    look()
    cost = min(thread_s(look) for _ in range(5))
    yield counted("A3 interactive tier, seconds", cost, QUICK_S * plan.slack, checks=len(quick))


def _whole_run(plan: Plan, full: Work, passes: Work) -> Goal:
    name = "A3 all checks, 5,000 x 40, beside mean and std"
    whole = compare(name, full, passes, 100 * plan.slack, min(3, plan.heavy_rounds), warm_ups=0)
    return whole.only_shown()  # the goal's other half, the interactive tier, is what is promised
