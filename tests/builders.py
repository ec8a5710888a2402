"""Small traces and pairs for tests, made from arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.pair import TracePair, pair_traces
from tracescope.model.trace import Channel, Clock, Role, Source, Trace


def trace(
    dt: float = 0.02,
    obs: ArrayLike | None = None,
    action: ArrayLike | None = None,
    *,
    applied: ArrayLike | None = None,
    reward: ArrayLike | None = None,
    done: ArrayLike | None = None,
    latency: ArrayLike | None = None,
    other: Mapping[str, ArrayLike] | None = None,
    step: bool | ArrayLike = True,
    t0: float = 0.0,
    time_s: ArrayLike | None = None,
    clock: Clock | None = None,
    path: str = "test.csv",
) -> Trace:
    """Build a trace; 1-D arrays become ``obs`` (scalar), 2-D ones ``obs[0]``, ``obs[1]`` …

    Args:
        dt: Seconds a row, where ``time_s`` is not given.
        obs, action, applied: Shape ``(n,)`` or ``(n, d)``.
        reward, done, latency, other: Shape ``(n,)`` each; ``other`` by name.
        step: ``True`` for 0 … n − 1, ``False`` for none, or the counter itself.
        t0: First row time, where ``time_s`` is not given.
        time_s: Row times, shape ``(n,)``.
    """
    vectors = {
        "obs": (Role.OBSERVATION, obs),
        "action": (Role.ACTION, action),
        "action_applied": (Role.ACTION_APPLIED, applied),
        "reward": (Role.REWARD, reward),
        "done": (Role.DONE, done),
        "latency": (Role.LATENCY, latency),
    }
    for name, value in (other or {}).items():
        vectors[name] = (Role.OTHER, value)
    columns: list[tuple[str, Role, np.ndarray, str, int | None]] = []
    for name, (role, given) in vectors.items():
        if given is None:
            continue
        value = np.asarray(given)
        if value.ndim == 1:
            columns.append((name, role, value, name, None))
        else:
            columns += [
                (f"{name}[{i}]", role, value[:, i].copy(), name, i) for i in range(value.shape[1])
            ]
    n = columns[0][2].size if columns else np.asarray(time_s).size
    row_time = t0 + dt * np.arange(n) if time_s is None else np.asarray(time_s, dtype=np.float64)
    channels = tuple(
        Channel(name, role, row_time, value, column=column, index=index)
        for name, role, value, column, index in columns
    )
    if isinstance(step, bool):
        counter = np.arange(n, dtype=np.int64) if step else None
    else:
        counter = np.asarray(step, dtype=np.int64)
    return Trace(Source(path), clock or Clock(column="timestamp"), row_time, channels, counter)


def pair(sim: Trace, target: Trace) -> TracePair:
    """Pair two traces as the product does."""
    return pair_traces(sim, target)


def case(sim: Trace, target: Trace, alignment: Alignment | None = None) -> Case:
    """Lay an alignment (by default a time one at offset 0) over two traces."""
    both = pair(sim, target)
    return Case(both, alignment or Alignment(pivot_s=target.t_first_s))


def wander(n: int, channels: int = 1, seed: int = 0, smooth: float = 3.0) -> np.ndarray:
    """Band-limited noise of unit spread, shape ``(n, channels)``: moves like a robot, never repeats."""
    from scipy.ndimage import gaussian_filter1d

    noise = np.random.default_rng(seed).standard_normal((n + 100, channels))
    value = gaussian_filter1d(noise, smooth, axis=0)[50:-50]
    return value / value.std(axis=0)


def exercise(seed: int = 0, n: int = 40) -> tuple[Trace, Trace]:
    """The classic fixture: scaled observation, clipped action, late stamps; truths in its name places.

    Observation × 1.5 + N(0, 0.01), action clipped at ±0.5 and logged as applied too, stamps + 0.01 s.
    """
    rng = np.random.default_rng(seed)
    obs = np.cumsum(rng.normal(0, 0.1, (n, 2)), axis=0)
    action = np.clip(rng.normal(0, 0.4, (n, 1)), -1, 1)
    noise = rng.normal(0, 0.01, (n, 2))
    clipped = np.clip(action, -0.5, 0.5)
    sim = trace(0.05, obs, action)
    target = trace(0.05, 1.5 * obs + noise, clipped, applied=clipped, t0=0.01)
    return sim, target
