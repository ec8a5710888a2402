"""How far clock offsets estimated from content lie from the truth, where an answer is given.

Three kinds of pairs. **resampled**: one closed-loop run, the target's rows taken between the sim's by a spline at
a fractional place, each side with its own noise, stamps anywhere. **loops**: two runs of their own, whose motions
differ by exploration and noise, the target's stamps shifted and sometimes started late; most log the reference,
which is the same in both and decides alone. **bare loops**: the same without the reference. An answer is a clear
estimate whose alignment the check passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tests.truth.loop import run_loop
from tests.truth.pairs import LENGTHS, _draws, _setting, make_pair
from tests.truth.plants import PLANTS, Array, Plant
from tracescope.analysis.estimate import estimate_alignment
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment import CHECK
from tracescope.model.case import Case
from tracescope.model.check import State
from tracescope.model.pair import TracePair, pair_traces
from tracescope.model.trace import Channel, Clock, Role, Source, Trace

REACH_ROWS = 8.0
WANTED_ROWS = 0.1
"""What the 95th percentile may be."""


@dataclass(frozen=True)
class OffsetError:
    """One estimate beside the truth.

    Attributes:
        kind: ``resampled``, ``loops`` or ``bare loops``.
        rows: Length.
        error_rows: Estimate less truth; NaN where no answer was given.
        inside: Whether the interval holds the truth, two hundredths of a row aside.
    """

    kind: str
    rows: int
    error_rows: float
    inside: bool = True


def offset_errors(seeds: Sequence[int]) -> list[OffsetError]:
    """Estimate the offset of a pair of each kind for every seed."""
    return [error for seed in seeds for error in _of(seed)]


def _of(seed: int) -> tuple[OffsetError, ...]:
    return _resampled(seed), _loops(seed, bare=False), _loops(seed, bare=True)


def offset_table(errors: Sequence[OffsetError]) -> str:
    """Answers, median and 95th percentile of the error by kind and length."""
    lines = [
        f"{'clock offset':12} {'rows':>5} {'pairs':>6} {'answered':>9}   |error| median, 95 %, inside"
    ]
    kinds = [*dict.fromkeys(e.kind for e in errors), "all"]
    for kind in kinds:
        for rows in (*LENGTHS, 0) if kind != "all" else (0,):
            mine = [e for e in errors if kind in ("all", e.kind) and rows in (0, e.rows)]
            found = np.abs([e.error_rows for e in mine if np.isfinite(e.error_rows)])
            if not found.size:
                continue
            inside = np.mean([e.inside for e in mine if np.isfinite(e.error_rows)])
            lines.append(
                f"{kind:12} {rows or 'all':>5} {len(mine):>6} {100 * found.size / len(mine):>7.0f} %   "
                f"{np.median(found):.4f}, {np.percentile(found, 95):.4f} rows, {100 * inside:.0f} %"
            )
    return "\n".join(lines)


def _resampled(seed: int) -> OffsetError:
    from scipy.interpolate import CubicSpline

    rng = np.random.default_rng([seed, 77])
    rows = int(rng.choice(LENGTHS))
    plant = PLANTS[int(rng.integers(len(PLANTS)))]
    edge = int(REACH_ROWS) + 2
    setting = replace(_setting(plant, rows + 2 * edge, rng), exploration="none", process=0.0)
    run = run_loop(setting, (), *_draws(seed, 1))
    lag = float(rng.uniform(-REACH_ROWS, REACH_ROWS))
    stamp_s = float(rng.choice((0.0, -0.3, 12.7, 1.7e9)))
    at = np.arange(rows) + edge
    motion = CubicSpline(np.arange(len(run.state)), np.column_stack((run.state, run.emitted)))
    sides = []
    for shift, start_s in ((0.0, 0.0), (lag, stamp_s)):
        value = motion(at - shift)
        reach = np.full(plant.actions, (plant.high - plant.low) / 2)
        spread = np.concatenate((plant.spread, reach))
        value += setting.noise * spread * rng.standard_normal(value.shape)
        sides.append(_trace(plant, value, start_s))
    return _error("resampled", rows, pair_traces(*sides), stamp_s + lag * plant.dt, plant.dt)


def _trace(plant: Plant, value: Array, start_s: float) -> Trace:
    time_s = start_s + plant.dt * np.arange(len(value))
    states = len(plant.states)
    channels = [
        Channel(name, Role.OBSERVATION, time_s, value[:, k].copy())
        for k, name in enumerate(plant.states)
    ]
    channels += [
        Channel(f"action_{k}", Role.ACTION, time_s, value[:, states + k].copy())
        for k in range(plant.actions)
    ]
    return Trace(Source("made.csv"), Clock(column="timestamp"), time_s, tuple(channels))


def _loops(seed: int, *, bare: bool) -> OffsetError:
    rng = np.random.default_rng([seed, 78])
    rows = int(rng.choice(LENGTHS))
    kinds = ["clock-offset", "late-start"][: 1 + int(rng.random() < 0.5)]
    pair = make_pair(seed, rows, kinds)
    both = pair.case.pair
    sides = []
    for side in (both.sim, both.target):
        kept = tuple(c for c in side.channels if not (bare and c.name.startswith("reference")))
        sides.append(replace(side, channels=kept, step=None))
    truth_s = sum(f.value for f in pair.faults if f.kind == "clock-offset")
    dt = next(plant.dt for plant in PLANTS if plant.name == pair.plant)
    return _error("bare loops" if bare else "loops", rows, pair_traces(*sides), truth_s, dt)


def _error(kind: str, rows: int, pair: TracePair, truth_s: float, dt: float) -> OffsetError:
    estimate = estimate_alignment(pair)
    nothing = OffsetError(kind, rows, float("nan"))
    if estimate.verdict != "clear" or estimate.alignment is None:
        return nothing
    alignment = estimate.alignment
    if CHECK.judge(Workbench(Case(pair, alignment)), {}).state is not State.PASS:
        return nothing
    # The clocks do not drift: what was taken for drift counts at the middle of the trace.
    middle_s = 0.5 * (pair.target.t_first_s + float(pair.target.time_s[-1]))
    found_s = middle_s - alignment.to_sim_one(middle_s)
    interval = alignment.offset_interval_s
    slack = 0.02 * dt
    inside = interval is None or interval[0] - slack <= truth_s <= interval[1] + slack
    return OffsetError(kind, rows, (found_s - truth_s) / dt, inside)
