"""Faults that look alike are told apart: the right kind is named first in 95 of 100 pairs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.builders import case, trace, wander
from tracescope.analysis.action_map_kinds import FittedMap, run_map
from tracescope.analysis.workbench import Workbench
from tracescope.checks.action import CHECK as ACTION
from tracescope.checks.observation_scaling import CHECK as OBSERVATION
from tracescope.model.alignment import Alignment
from tracescope.model.check import CheckResult

STEPS = Alignment(mode="step")
PAIRS = 20
ROWS = 200
Change = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def observed(change: Change, seed: int) -> CheckResult:
    """Three channels under equal commands; the target's went through ``change``."""
    rng = np.random.default_rng(seed)
    sim = wander(ROWS, 3, seed)
    sim = sim - sim[0] + np.array([2.0, -1.5, 1.0])
    action = rng.standard_normal((ROWS, 1))
    real = change(sim + 0.01 * rng.standard_normal(sim.shape), rng)
    pair = case(trace(0.02, sim, action), trace(0.02, real, action), STEPS)
    return OBSERVATION.judge(Workbench(pair), {})


def acted(fitted: FittedMap, seed: int) -> CheckResult:
    """The same emitted action on both sides, changed on its way to the target's actuator."""
    action = 0.4 * wander(ROWS, 2, seed)
    applied = action.copy()
    applied[:, 0] = run_map(fitted, action[:, 0], float(action[0, 0]))
    obs = wander(ROWS, 1, seed + 500)
    sim = trace(0.02, obs, action, applied=action)
    return ACTION.judge(Workbench(case(sim, trace(0.02, obs, action, applied=applied), STEPS)), {})


def _first(value: np.ndarray, column: np.ndarray) -> np.ndarray:
    out = value.copy()
    out[:, 0] = column
    return out


def _scale(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    factor = float(rng.choice((0.7, 0.85, 1.12, 1.25, 1.5)))
    return _first(value, factor * value[:, 0])


def _offset(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    size = np.hypot(0.1 * value[:, 0].std(), 0.05 * value[:, 0].mean())
    return _first(value, value[:, 0] + rng.choice((-3.0, -2.2, 2.2, 3.0)) * size)


def _unit(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    factor = float(rng.choice((180 / np.pi, np.pi / 180, 1000.0, 0.001, 4096 / (2 * np.pi))))
    return _first(value, factor * value[:, 0])


def _sign(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    del rng
    return _first(value, -value[:, 0])


def _swap(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    order = [(1, 0, 2), (2, 1, 0), (1, 2, 0)][int(rng.integers(3))]
    return value[:, list(order)]


def _saturation(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    level = np.quantile(value[:, 0], rng.choice((0.7, 0.8, 0.9)))
    return _first(value, np.minimum(value[:, 0], level))


def _quantisation(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    step = float(rng.choice((0.2, 0.3, 0.5))) * value[:, 0].std()
    return _first(value, np.round(value[:, 0] / step) * step)


def _dropout(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    start, length = int(rng.integers(40, 120)), int(rng.integers(8, 25))
    column = value[:, 0].copy()
    column[start : start + length] = column[start]
    return _first(value, column)


def _stuck(value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    start = ROWS - int(rng.integers(15, 60))
    column = value[:, 0].copy()
    column[start:] = column[start]
    return _first(value, column)


OBSERVED: dict[str, tuple[Change, str]] = {
    "scale": (_scale, "scale"),
    "offset": (_offset, "offset"),
    "unit": (_unit, "unit"),
    "sign": (_sign, "sign"),
    "permutation": (_swap, "swap"),
    "saturation": (_saturation, "saturation"),
    "quantisation": (_quantisation, "quantisation"),
    "dropout": (_dropout, "hold"),
    "stuck to the end": (_stuck, "hold"),
}

MAPS: dict[str, tuple[FittedMap, ...]] = {
    "gain": (FittedMap("gain", gain=1.12), FittedMap("gain", gain=0.8)),
    "clip": (FittedMap("clip", low=-0.4, high=0.4), FittedMap("clip", high=0.3)),
    "rate limit": (FittedMap("rate limit", rate=0.04),),
    "smoothing": (FittedMap("smoothing", share=0.5), FittedMap("smoothing", share=0.3)),
    "dead band": (FittedMap("dead band", band=0.1), FittedMap("dead band", band=0.15)),
}


@pytest.mark.parametrize("name", list(OBSERVED))
def test_that_the_right_observation_fault_is_named_first(name: str) -> None:
    change, kind = OBSERVED[name]
    results = [observed(change, seed) for seed in range(PAIRS)]
    named = [bool(r.leads) and r.leads[0].kind == kind for r in results]
    assert sum(named) >= 0.95 * PAIRS, [
        r.reason for r, ok in zip(results, named, strict=True) if not ok
    ]
    assert all(r.leads[0].family == "observation-scaling" for r in results if r.leads)


@pytest.mark.parametrize("name", list(MAPS))
def test_that_the_right_action_map_is_named_first(name: str) -> None:
    maps = MAPS[name]
    results = [acted(maps[seed % len(maps)], seed) for seed in range(PAIRS)]
    named = [bool(r.leads) and r.leads[0].kind == name for r in results]
    assert sum(named) >= 0.95 * PAIRS, [
        r.reason for r, ok in zip(results, named, strict=True) if not ok
    ]
