"""Three closed-loop plants with a policy, and faults of known size in or before the plant."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tests.builders import case, trace
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.trace import Trace

DT = 0.02
SUBSTEPS = 4


@dataclass(frozen=True)
class Plant:
    """A plant under a policy, with what may be wrong on the way in and out.

    ``mass``, ``friction`` and ``gain`` belong to the plant; ``scale`` multiplies the recorded first
    observation (what the policy sees), ``clip`` bounds the applied action, ``delay`` holds it back.
    """

    name: str
    mass: float = 1.0
    friction: float = 0.4
    gain: float = 1.0
    scale: float = 1.0
    offset: float = 0.0
    clip: float = 1.0
    delay: int = 0
    sensor: float = 0.002
    process: float = 0.002
    disturbance: float = 0.0

    def acceleration(self, x: float, v: float, u: float) -> float:
        force = {
            "spring": 12 * self.gain * u - 9.0 * x - self.friction * v,
            "pendulum": 6 * self.gain * u - 6.0 * self.mass * np.sin(x) - self.friction * v,
            "thruster": 5 * self.gain * u - 1.5 * self.friction * v,
        }[self.name]
        return force / self.mass


def run(plant: Plant, n: int, seed: int, excitation: int = 5, *, log_applied: bool = True) -> Trace:
    """Run the plant under a noisy PD policy that follows a reference; ``seed`` is the run's noise."""
    shared = np.random.default_rng(excitation)
    own = np.random.default_rng(seed)
    time_s = DT * np.arange(n)
    reference = sum(
        0.3 * np.sin(2 * np.pi * hertz * time_s + shared.uniform(0, 6))
        for hertz in (0.2, 0.45, 0.8)
    )
    explore = shared.normal(0, 0.15, n)
    queue = [0.0] * plant.delay
    x, v, slow = 0.0, 0.0, 0.0
    obs, emitted, applied = np.zeros((n, 2)), np.zeros(n), np.zeros(n)
    for i in range(n):
        seen = np.array([x, v]) + own.normal(0, 1, 2) * plant.sensor * np.array([1.0, 3.0])
        seen[0] = plant.scale * seen[0] + plant.offset
        u = float(np.clip(2.0 * (reference[i] - seen[0]) - 0.3 * seen[1] + explore[i], -1, 1))
        obs[i], emitted[i] = seen, u
        applied[i] = np.clip(u, -plant.clip, plant.clip)
        queue.append(applied[i])
        slow = 0.95 * slow + 0.31 * own.normal(0, plant.disturbance)
        act = queue.pop(0)
        for _ in range(SUBSTEPS):
            v += plant.acceleration(x, v, act) * DT / SUBSTEPS
            x += v * DT / SUBSTEPS
        v += own.normal(0, plant.process) + slow
    return trace(DT, obs, emitted, applied=applied if log_applied else None)


def both(sim: Plant, n: int, seed: int = 0, *, log_applied: bool = True, **fault: float) -> Case:
    """Pair a sound run with one whose plant is changed by ``fault``; noise is each run's own."""
    target = replace(sim, **fault)
    a = run(sim, n, 1000 + seed, 50 + seed, log_applied=log_applied)
    b = run(target, n, 2000 + seed, 50 + seed, log_applied=log_applied)
    return case(a, b, Alignment(mode="step"))
