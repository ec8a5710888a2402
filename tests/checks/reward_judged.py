"""Runs whose reward is known, and the reward check on a pair of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.builders import trace, wander
from tracescope.analysis.workbench import Workbench
from tracescope.checks.reward import CHECK
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.check import CheckResult, Measurement, State
from tracescope.model.correction import Correction
from tracescope.model.pair import pair_traces
from tracescope.model.trace import Trace

Rewarding = str


N = 400


def paid(kind: Rewarding, obs: np.ndarray, action: np.ndarray) -> np.ndarray:
    error = obs[:, 0] - obs[:, 1]
    if kind == "squared":
        return 1 - error**2 - 0.3 * action**2
    if kind == "distance":
        return -np.hypot(error, obs[:, 2]) - 0.01 * action**2
    if kind == "bell":
        return np.exp(-(error**2) / 2)
    change = np.diff(action, prepend=action[0])
    return -(error**2) - 2 * change**2


def run(
    kind: Rewarding, seed: int, n: int = N, scale: float = 1.0, offset_sd: float = 0.0
) -> Trace:
    """One run; the motion is each seed's own, the reward is of the true state."""
    state, action = wander(n, 3, seed=seed), wander(n, 1, seed=seed + 1000)[:, 0]
    reward = paid(kind, state, action)
    seen = state + np.random.default_rng(seed).normal(0, 0.002, state.shape)
    return trace(0.02, seen, action, reward=scale * reward + offset_sd * reward.std())


PASSED = {
    name: CheckResult(name, State.PASS, "")
    for name in ("alignment", "observation-scaling", "action", "timing")
}


def judge(sim: Trace, target: Trace, corrections: tuple[Correction, ...] = (), **more: CheckResult):  # type: ignore[no-untyped-def]
    case = Case(pair_traces(sim, target), Alignment(mode="step"), corrections)
    upstream = PASSED | {name.replace("_", "-"): found for name, found in more.items()}
    return CHECK.judge(Workbench(case), upstream)


def short_run(kind: Rewarding, seed: int, side: int, factor: float, offset_sd: float) -> Trace:
    """Forty rows about the same motion, each side a tenth away on its own."""
    state = wander(40, 3, seed=seed) + 0.1 * wander(40, 3, seed=100 + 2 * seed + side)
    action = wander(40, 1, seed=seed + 1000)[:, 0] + 0.1 * wander(40, 1, seed=300 + side)[:, 0]
    reward = paid(kind, state, action)
    seen = state + np.random.default_rng(side).normal(0, 0.002, state.shape)
    return trace(0.02, seen, action, reward=factor * reward + offset_sd * reward.std())


def wrong_about(channel: str, quantity: str = "saturated rows") -> CheckResult:
    beyond = Measurement(quantity, channel, 0.2, (0.2, 0.2), tolerance=(0.0, 0.005))
    return CheckResult("observation-scaling", State.FAIL, "", (beyond,))


def saturated(target: Trace, name: str) -> Trace:
    channels = tuple(
        replace(c, value=np.minimum(c.as_float(), np.quantile(c.as_float(), 0.6)))
        if c.name == name
        else c
        for c in target.channels
    )
    return replace(target, channels=channels)
