"""Run a plant under its policy, with faults on the way in, on the way out and inside."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.truth.faults import Fault
from tests.truth.plants import Array, Plant


@dataclass(frozen=True)
class Setting:
    """What both runs of a pair share.

    Attributes:
        plant: The plant.
        reference: Shape ``(rows, references)``.
        exploration: ``none``, ``own`` (each run draws its own) or ``shared`` (the same in both).
        exploration_sd: In the action's unit.
        noise: Sensor noise in spreads of each state.
        process: Process noise in spreads of each state, a row.
        reward: Name of the reward.
    """

    plant: Plant
    reference: Array
    exploration: str
    exploration_sd: float
    noise: float
    process: float
    reward: str


@dataclass
class Run:
    """One run, row by row: true state, logged state, emitted and applied action, reward."""

    state: Array
    seen: Array
    logged: Array
    emitted: Array
    applied: Array
    acting: Array
    reward: Array

    def cut(self, kept: slice) -> Run:
        return Run(*(value[kept] for value in vars(self).values()))


def of_kind(faults: Sequence[Fault], *kinds: str) -> list[Fault]:
    return [f for f in faults if f.kind in kinds]


def plant_params(plant: Plant, faults: Sequence[Fault]) -> dict[str, float]:
    """Parameters with the plant faults applied."""
    params = dict(plant.params)
    for fault in faults:
        if fault.kind in params:
            params[fault.kind] *= fault.value
    return params


def run_loop(
    setting: Setting,
    faults: Sequence[Fault],
    own: np.random.Generator,
    shared: np.random.Generator,
) -> Run:
    """Run one closed loop; the same draws are made whatever the faults."""
    plant, rows = setting.plant, len(setting.reference)
    p, m = len(plant.states), plant.actions
    factor = of_kind(faults, "noisier")[0].value if of_kind(faults, "noisier") else 1.0
    sensor = own.normal(0, 1, (rows, p)) * setting.noise * plant.spread * factor
    process = own.normal(0, 1, (rows, p)) * setting.process * plant.spread
    process[:, : p // 2] = 0.0
    draws = {"own": own, "shared": shared}.get(setting.exploration)
    extra = np.zeros((rows, m))
    if draws is not None:
        extra = draws.normal(0, setting.exploration_sd, (rows, m))
    params = plant_params(plant, faults)
    delay = int(sum(f.value for f in of_kind(faults, "response-delay")))
    path = ActionPath(plant, faults)
    sensing = [f for f in faults if f.kind in ("obs-scale", "obs-offset") and f.in_loop]
    rest = np.zeros(m) if plant.low < 0 else np.full(m, 0.25)
    waiting = deque([rest] * delay)
    state = plant.start + 0.02 * plant.spread * own.normal(0, 1, p)
    table = Run(*(np.zeros((rows, k)) for k in (p, p, p, m, m, m)), np.zeros(rows))
    last = None
    for i in range(rows):
        seen = state + sensor[i]
        heard = sensed(seen, sensing)
        wanted = plant.policy(heard, setting.reference[i]) + extra[i]
        emitted = np.clip(wanted, plant.low, plant.high)
        applied = path(emitted)
        waiting.append(applied)
        acting = waiting.popleft()
        table.state[i], table.seen[i], table.logged[i] = state, seen, heard
        table.emitted[i], table.applied[i], table.acting[i] = emitted, applied, acting
        table.reward[i] = reward_of(setting, state, setting.reference[i], emitted, last)
        last = emitted
        state = plant.step(state, acting, params) + process[i]
    return table


def sensed(seen: Array, faults: Sequence[Fault]) -> Array:
    out = seen.copy()
    for fault in faults:
        if fault.kind == "obs-scale":
            out[fault.channel] *= fault.value
        else:
            out[fault.channel] += fault.value
    return out


def reward_of(
    setting: Setting, state: Array, ref: Array, emitted: Array, last: Array | None
) -> float:
    """Reward of a row: true state, reference, emitted action and the one before."""
    k = len(ref)
    error = (state[:k] - ref) / setting.plant.spread[:k]
    effort = float(np.sum(emitted**2))
    squared = float(np.sum(error**2))
    if setting.reward == "squared":
        return 1.0 - squared - 0.2 * effort
    if setting.reward == "distance":
        return -float(np.sqrt(squared)) - 0.1 * effort
    if setting.reward == "smooth":
        change = 0.0 if last is None else float(np.sum((emitted - last) ** 2))
        return 0.5 - squared - 0.5 * change
    return float(np.exp(-squared))


class ActionPath:
    """From the emitted to the applied action."""

    def __init__(self, plant: Plant, faults: Sequence[Fault]) -> None:
        self.faults = [f for f in faults if f.kind.startswith("action-")]
        self.reach = (plant.high - plant.low) / 2
        self.middle = (plant.high + plant.low) / 2
        self.last: Array | None = None

    def __call__(self, emitted: Array) -> Array:
        out = emitted.copy()
        for fault in self.faults:
            k = fault.channel
            last = out[k] if self.last is None else self.last[k]
            out[k] = self._one(fault, float(out[k]), float(last))
        self.last = out
        return out

    def _one(self, fault: Fault, u: float, last: float) -> float:
        value = fault.value
        kind = fault.kind.removeprefix("action-")
        centred = u - self.middle
        if kind == "gain":
            return u * value
        if kind == "bias":
            return u + value
        if kind == "clip":
            return self.middle + float(np.clip(centred, -value * self.reach, value * self.reach))
        if kind == "dead-band":
            return self.middle if abs(centred) < value * self.reach else u
        if kind == "rate-limit":
            return last + float(np.clip(u - last, -value * self.reach, value * self.reach))
        return last + value * (u - last)
