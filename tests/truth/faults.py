"""What may be wrong with the target, how much of it, and which check should see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.truth.plants import Plant

BAD, SOUND, UNJUDGED = "bad", "sound", "not judged"

AROUND = (0.3, 0.6, 0.8, 1.3, 2.0, 4.0)
"""Magnitudes in units of the tolerance."""

ON_GRID = (0.6, 2.0, 4.0)
"""Those of them that the even grid takes."""


@dataclass(frozen=True)
class Fault:
    """One fault with its magnitude.

    Attributes:
        kind: Name, e.g. ``obs-scale``.
        family: Check that should see it, ``""`` for one that nobody should complain about.
        value: Magnitude in the fault's own unit.
        channel: Which observation or action, where it concerns one.
        times: Magnitude in tolerances.
        in_loop: Whether the policy sees it (observation faults).
    """

    kind: str
    family: str
    value: float
    channel: int = 0
    times: float = 1.0
    in_loop: bool = False

    @property
    def bad(self) -> bool:
        """Whether it lies beyond its tolerance."""
        return self.times > 1.0

    def __str__(self) -> str:
        where = " in the loop" if self.in_loop else ""
        return f"{self.kind}[{self.channel}] {self.value:.5g} ({self.times:g} tol){where}"


Value = Callable[[float, Plant, int], float]
"""(tolerances, plant, channel) → magnitude in the fault's own unit."""


@dataclass(frozen=True)
class Maker:
    """Makes faults of one kind.

    Attributes:
        kind, family: Of the fault.
        grades: (value, tolerances) each; the value is worked out from the tolerances where ``value`` is given.
        value: Works a magnitude out.
        loop: Whether half of them lie inside the loop.
        grid: Places of the grades that the even grid takes, each an entry of its own.
    """

    kind: str
    family: str
    grades: tuple[tuple[float, float], ...]
    value: Value | None = None
    loop: bool = False
    grid: tuple[int, ...] = ()

    def __call__(self, plant: Plant, rng: np.random.Generator, grade: int | None = None) -> Fault:
        """Make one: the grade by chance unless given; channel, and place in the loop, by chance."""
        drawn = int(rng.integers(len(self.grades)))
        value, times = self.grades[drawn if grade is None else grade]
        count = plant.actions if self.family == "action" else len(plant.states)
        channel = int(rng.integers(count))
        in_loop = self.loop and bool(rng.random() < 0.5)
        if self.value is not None:
            value = self.value(times, plant, channel)
        return Fault(self.kind, self.family, value, channel, times, in_loop)


def _around(kind: str, family: str, value: Value, *, loop: bool = False) -> Maker:
    """Below, at twice and at four times the tolerance in the grid; six magnitudes by chance."""
    grid = tuple(AROUND.index(times) for times in ON_GRID)
    return Maker(kind, family, tuple((0.0, times) for times in AROUND), value, loop, grid)


def _fixed(kind: str, family: str, values: tuple[float, ...], times: float = 4.0) -> Maker:
    return _graded(kind, family, tuple((value, times) for value in values))


def _graded(kind: str, family: str, grades: tuple[tuple[float, float], ...]) -> Maker:
    return Maker(kind, family, grades, grid=tuple(range(len(grades))))


def _reach(plant: Plant) -> float:
    return (plant.high - plant.low) / 2


OBS, ACT, TIME, DYN = "observation-scaling", "action", "timing", "dynamics"

MAKERS: dict[str, Maker] = {
    "obs-scale-up": _around("obs-scale", OBS, lambda t, _p, _k: 1 + 0.05 * t, loop=True),
    "obs-scale-down": _around("obs-scale", OBS, lambda t, _p, _k: 1 / (1 + 0.052 * t), loop=True),
    "obs-offset-up": _around("obs-offset", OBS, lambda t, p, k: 0.1 * t * p.spread[k], loop=True),
    "obs-offset-down": _around(
        "obs-offset", OBS, lambda t, p, k: -0.1 * t * p.spread[k], loop=True
    ),
    "obs-unit": _fixed("obs-scale", OBS, (180 / np.pi, 1000.0, 100.0, 9.80665), 100.0),
    "obs-sign": _fixed("obs-scale", OBS, (-1.0,), 40.0),
    "obs-swap": _fixed("obs-swap", OBS, (1.0,)),
    "obs-saturation": _graded("obs-saturation", OBS, ((1.0, 4.0), (0.6, 6.0), (30.0, 0.1))),
    "obs-quantisation": _around("obs-quantisation", OBS, lambda t, p, k: 0.1 * t * p.spread[k]),
    "obs-hold": _graded("obs-hold", OBS, ((3.0, 2.0), (6.0, 4.0))),
    "action-gain-up": _around("action-gain", ACT, lambda t, _p, _k: 1 + 0.05 * t),
    "action-gain-down": _around("action-gain", ACT, lambda t, _p, _k: 1 / (1 + 0.05 * t)),
    "action-bias": _around("action-bias", ACT, lambda t, p, _k: 0.05 * t * _reach(p)),
    "action-clip": _graded("action-clip", ACT, ((0.25, 4.0), (0.4, 3.0), (0.6, 2.0), (0.98, 0.4))),
    "action-dead-band": _graded("action-dead-band", ACT, ((0.05, 2.0), (0.15, 4.0))),
    "action-rate-limit": _graded("action-rate-limit", ACT, ((0.03, 4.0), (0.08, 2.0))),
    "action-ema": _graded("action-ema", ACT, ((0.3, 4.0), (0.6, 2.0))),
    "response-delay": _graded("response-delay", TIME, ((1, 2.0), (2, 4.0), (3, 6.0), (5, 10.0))),
    # Stamps that scatter by σ make intervals that scatter by √2·σ; 2 ms is the tolerance.
    "jitter": _graded("jitter", TIME, ((0.0006, 0.42), (0.001, 0.71), (0.003, 2.1), (0.006, 4.2))),
    "missing-rows": _graded("missing-rows", TIME, ((0.004, 0.4), (0.02, 2.0), (0.06, 6.0))),
    "latency-level": _graded("latency-level", TIME, ((0.014, 0.6), (0.035, 1.4), (0.06, 2.4))),
    "latency-jitter": _graded("latency-jitter", TIME, ((0.001, 0.5), (0.004, 2.0))),
    "interval": _graded("drift", TIME, ((0.005, 0.5), (-0.005, 0.5), (0.02, 2.0), (-0.03, 3.0))),
    "mass-up": _around("mass", DYN, lambda t, _p, _k: 1 + 0.1 * t),
    "mass-down": _around("mass", DYN, lambda t, _p, _k: 1 / (1 + 0.1 * t)),
    "damping-up": _around("damping", DYN, lambda t, _p, _k: 1 + 0.4 * t),
    "damping-down": _around("damping", DYN, lambda t, _p, _k: 1 / (1 + 0.6 * t)),
    "plant-gain-up": _around("gain", DYN, lambda t, _p, _k: 1 + 0.1 * t),
    "plant-gain-down": _around("gain", DYN, lambda t, _p, _k: 1 / (1 + 0.1 * t)),
    "pull-up": _around("pull", DYN, lambda t, _p, _k: 1 + 0.2 * t),
    "pull-down": _around("pull", DYN, lambda t, _p, _k: 1 / (1 + 0.2 * t)),
    "reward-scale-up": _around("reward-scale", "reward", lambda t, _p, _k: 1 + 0.05 * t),
    "reward-scale-down": _around("reward-scale", "reward", lambda t, _p, _k: 1 / (1 + 0.052 * t)),
    "reward-offset-up": _around("reward-offset", "reward", lambda t, _p, _k: 0.05 * t),
    "reward-offset-down": _around("reward-offset", "reward", lambda t, _p, _k: -0.05 * t),
    "early-end": _graded("early-end", "termination", ((0.1, 4.0), (0.3, 9.0), (0.5, 9.0))),
    "early-end-slight": _graded("early-end-rows", "termination", ((1, 0.3), (3, 0.9), (6, 2.0))),
    "end-kind": _fixed("end-kind", "termination", (1.0,)),
    "cut-off": _fixed("cut-off", "", (0.2, 0.4), 0.0),
    "reset": _fixed("reset", "", (1.0,), 0.0),
    "goes-on": _fixed("goes-on", "", (30.0,), 0.0),
    "start-offset": _graded("start-offset", "alignment", ((2, 4.0), (5, 10.0), (12, 24.0))),
    "late-start": _fixed("late-start", "", (3.0, 8.0), 0.0),
    "clock-offset": _fixed("clock-offset", "", (0.0042, -0.011, 0.137, -0.5, 31.7), 0.0),
    "clock-drift": _fixed("drift", "", (5e-5, -2e-4, 8e-4, -0.002), 0.0),
    "noisier": _fixed("noisier", "", (2.0, 3.0), 0.0),
}

MOVING = {OBS, ACT, TIME, DYN}
"""Families that may change the motion."""
