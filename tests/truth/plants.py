"""Closed-loop plants that pairs of known truth are recorded from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Params = dict[str, float]


@dataclass(frozen=True)
class Plant:
    """A plant with its policy.

    Attributes:
        name: What reports call it.
        dt: Seconds a row.
        states: Names of the observed states.
        units: Their units.
        actions: How many.
        params: Nominal parameters.
        rate: (state, applied action, params) → derivative, positions integrated after speeds.
        policy: (seen state, reference) → action before bounds.
        low, high: Bounds of the action.
        start: State at the reset.
        centre, reach: The reference moves in centre ± reach, one entry a reference.
        spread: Usual standard deviation of each state, what noise is counted in.
    """

    name: str
    dt: float
    states: tuple[str, ...]
    units: tuple[str, ...]
    actions: int
    params: Params
    rate: Callable[[Array, Array, Params], Array]
    policy: Callable[[Array, Array], Array]
    low: float
    high: float
    start: Array
    centre: Array
    reach: Array
    spread: Array

    def step(self, state: Array, applied: Array, params: Params) -> Array:
        """One row on: speeds first, then positions, in two substeps."""
        half = self.dt / 2
        for _ in range(2):
            moved = state + half * self.rate(state, applied, params)
            moved = self._with_new_speed(state, moved)
            state = moved
        return state

    def _with_new_speed(self, state: Array, moved: Array) -> Array:
        positions = len(state) // 2
        if positions:
            moved[:positions] = state[:positions] + self.dt / 2 * moved[positions:]
        return moved


def _spring(x: Array, u: Array, p: Params) -> Array:
    return np.array([x[1], (p["gain"] * u[0] - p["damping"] * x[1] - p["pull"] * x[0]) / p["mass"]])


def _pendulum(x: Array, u: Array, p: Params) -> Array:
    pull = p["pull"] * np.sin(x[0])
    return np.array([x[1], (p["gain"] * u[0] - p["damping"] * x[1] - pull) / p["mass"]])


def _point(x: Array, u: Array, p: Params) -> Array:
    return np.concatenate((x[2:], (p["gain"] * u - p["damping"] * x[2:]) / p["mass"]))


def _oven(x: Array, u: Array, p: Params) -> Array:
    return np.array([(p["gain"] * u[0] - p["damping"] * (x[0] - 20.0)) / p["mass"]])


def _thruster(x: Array, u: Array, p: Params) -> Array:
    drag = p["damping"] * x[1] * abs(x[1]) + p["pull"] * x[1]
    return np.array([x[1], (p["gain"] * u[0] - drag) / p["mass"]])


def _pd(kp: float, kd: float, ahead: float = 0.0) -> Callable[[Array, Array], Array]:
    def act(seen: Array, ref: Array) -> Array:
        k = len(ref)
        return kp * (ref - seen[:k]) - kd * seen[k : 2 * k] + ahead * ref

    return act


def _p(kp: float, ahead: float, rest: float) -> Callable[[Array, Array], Array]:
    return lambda seen, ref: kp * (ref - seen[:1]) + ahead * (ref - rest)


def _sum(*values: float) -> Array:
    return np.array(values, dtype=np.float64)


PLANTS = (
    Plant(
        "spring", 0.02, ("position", "velocity"), ("m", "m/s"), 1,
        {"mass": 1.0, "damping": 0.8, "gain": 8.0, "pull": 4.0},
        _spring, _pd(2.0, 0.5, 0.5), -1.0, 1.0, _sum(0, 0), _sum(0.1), _sum(0.45), _sum(0.3, 0.5),
    ),
    Plant(
        "pendulum", 0.02, ("angle", "rate"), ("rad", "rad/s"), 1,
        {"mass": 1.0, "damping": 0.6, "gain": 10.0, "pull": 6.0},
        _pendulum, _pd(1.5, 0.4, 0.5), -1.0, 1.0, _sum(0, 0), _sum(0.0), _sum(0.9), _sum(0.5, 0.9),
    ),
    Plant(
        "point", 0.05, ("x", "y", "vx", "vy"), ("m", "m", "m/s", "m/s"), 2,
        {"mass": 1.0, "damping": 0.9, "gain": 3.0},
        _point, _pd(2.0, 1.2), -1.0, 1.0, _sum(0, 0, 0, 0), _sum(0.2, -0.1), _sum(0.6, 0.6),
        _sum(0.4, 0.4, 0.4, 0.4),
    ),
    Plant(
        "oven", 0.1, ("temperature",), ("degC",), 1,
        {"mass": 1.0, "damping": 0.4, "gain": 3.0},
        _oven, _p(0.8, 0.13, 20.0), 0.0, 1.0, _sum(22.0), _sum(23.0), _sum(1.8), _sum(1.2),
    ),
    Plant(
        "thruster", 0.05, ("depth", "speed"), ("m", "m/s"), 1,
        {"mass": 1.0, "damping": 1.2, "gain": 4.0, "pull": 0.4},
        _thruster, _pd(1.6, 0.9), -1.0, 1.0, _sum(0, 0), _sum(0.3), _sum(0.9), _sum(0.6, 0.6),
    ),
)  # fmt: skip


def reference(plant: Plant, rows: int, rng: np.random.Generator) -> Array:
    """Sines of a person's choosing, or smoothed steps; shape ``(rows, references)``."""
    out = np.zeros((rows, len(plant.centre)))
    at = np.arange(rows)
    for k in range(out.shape[1]):
        if rng.random() < 0.6:
            cycles = rng.uniform(0.002, 0.016, 4)
            weight = rng.uniform(0.3, 1.0, 4)
            wave = np.sin(2 * np.pi * (np.outer(at, cycles) + rng.random(4))) @ (
                weight / weight.sum()
            )
            shape = 1.4 * wave
        else:
            length = int(rng.integers(15, 60))
            levels = rng.uniform(-1, 1, rows // length + 2)
            shape = levels[at // length]
            kernel = np.ones(7) / 7
            shape = np.convolve(np.pad(shape, 3, mode="edge"), kernel, mode="valid")
        out[:, k] = plant.centre[k] + plant.reach[k] * shape
    return out
