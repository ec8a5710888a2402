"""What the later pairs were recorded from: a range finder, a camera, a leg that swings for ever, late ticks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from _systems import DOCK_M, INTERVAL_S, Array, Log
from numpy.typing import NDArray

Pictures = NDArray[np.uint8]

STATION_M = 0.9
"""Where the wall stands that the range finder looks at."""


@dataclass(frozen=True)
class Ranged:
    """A range finder on the slider: what it adds, and the rows over which it repeats itself."""

    noise_seed: int
    bias_m: float = 0.0
    dropouts: tuple[tuple[int, int], ...] = ()


def with_range(log: Log, setup: Ranged) -> Log:
    """Add the distance to the wall as a fourth observation; no policy looks at it."""
    noise = np.random.default_rng(setup.noise_seed)
    obs = log.fields["obs"]
    range_m = STATION_M - obs[:, 0] + setup.bias_m + noise.normal(0.0, 0.0012, len(obs))
    for first, last in setup.dropouts:
        range_m[first:last] = range_m[first - 1]
    names = {**log.names, "obs": (*log.names["obs"], "range")}
    units = {**log.units, "obs": (*log.units["obs"], "m")}
    fields = {**log.fields, "obs": np.column_stack((obs, range_m))}
    return replace(log, fields=fields, names=names, units=units)


@dataclass(frozen=True)
class Ticks:
    """A loop that is punctual but for a few rows: every ``every``-th row comes ``late_s`` late."""

    noise_seed: int
    every: int = 71
    late_s: float = 0.0
    late_latency_s: float = 0.0


def with_ticks(log: Log, setup: Ticks) -> Log:
    """Give the log stamps with 0.1 ms of jitter and, at a few rows, the lateness of the setup."""
    noise = np.random.default_rng(setup.noise_seed)
    n = len(log.fields["step"])
    late = (np.arange(n) % setup.every) == setup.every // 2
    stamps = INTERVAL_S * np.arange(n) + noise.normal(0.0, 0.0001, n) + late * setup.late_s
    latency = 0.008 + noise.normal(0.0, 0.0005, n) + late * setup.late_latency_s
    return replace(log, fields={**log.fields, "timestamp": stamps, "latency": latency})


@dataclass(frozen=True)
class Swing:
    """A leg on a stand that repeats one stride, and how far into it the recording begins."""

    noise_seed: int
    phase_s: float = 0.0


STRIDE_S = 1.0


def run_swing(setup: Swing, rows: int = 500) -> Log:
    """Record the leg: hip and knee follow their commands through a first-order lag, no row counter."""
    noise = np.random.default_rng(setup.noise_seed)
    time_s = INTERVAL_S * np.arange(rows)
    turn = 2 * np.pi * (time_s + setup.phase_s) / STRIDE_S
    lag = np.arctan(2 * np.pi / STRIDE_S * 0.03)
    command = np.column_stack((0.4 * np.sin(turn), 0.5 * np.sin(2 * turn + 0.8) - 0.6))
    hip = 0.4 * np.cos(lag) * np.sin(turn - lag)
    knee_lag = np.arctan(4 * np.pi / STRIDE_S * 0.03)
    knee = 0.5 * np.cos(knee_lag) * np.sin(2 * turn + 0.8 - knee_lag) - 0.6
    obs = np.column_stack((hip, knee)) + noise.normal(0.0, 0.004, (rows, 2))
    fields = {
        "timestamp": time_s, "obs": obs, "action": command, "action_applied": command,
        "reward": 1.0 - np.abs(obs[:, 0] - command[:, 0]),
    }  # fmt: skip
    names = {
        "obs": ("hip", "knee"), "action": ("hip_cmd", "knee_cmd"),
        "action_applied": ("hip_applied", "knee_applied"),
    }  # fmt: skip
    units = {
        "timestamp": ("s",), "obs": ("rad", "rad"), "action": ("rad", "rad"),
        "action_applied": ("rad", "rad"),
    }  # fmt: skip
    return Log(fields, names, units)


@dataclass(frozen=True)
class Scene:
    """How the camera sees the slider's dock: lamp, tint, and the glare beside the marker."""

    noise_seed: int
    gain: float = 1.0
    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    glare: float = 0.0
    grain: float = 0.0


HEIGHT, WIDTH = 48, 64
VIEW_M = 2.4
"""Width of what the camera sees."""


def with_camera(log: Log, setup: Scene) -> Log:
    """Add a fixed camera's pictures, and the marker's place that was computed from them.

    The place is the centroid of the pixels that are brighter than the picture's mean by a third of its
    range: glare beside the marker pulls it.
    """
    noise = np.random.default_rng(setup.noise_seed)
    grain = noise.integers(-1, 2, (HEIGHT, WIDTH, 1)) * setup.grain
    pictures = np.stack([_picture(x, setup, grain) for x in log.fields["obs"][:, 0]])
    seen = np.array([_marker_m(picture) for picture in pictures])
    obs = np.column_stack((log.fields["obs"], seen))
    names = {**log.names, "obs": (*log.names["obs"], "marker_seen")}
    units = {**log.units, "obs": (*log.units["obs"], "m")}
    fields = {**log.fields, "obs": obs}
    return Log(fields, names, units, {"camera": pictures})


def _picture(position_m: float, setup: Scene, grain: Array) -> Pictures:
    across = (np.arange(WIDTH) + 0.5) / WIDTH * VIEW_M - VIEW_M / 2
    down = np.arange(HEIGHT) + 0.5
    light = np.zeros((HEIGHT, WIDTH, 3))
    light[:] = np.array((58.0, 66.0, 78.0)) + 14.0 * (down[:, None, None] / HEIGHT)
    light[30:34] = (96.0, 100.0, 104.0)
    dock = np.exp(-(((across - DOCK_M) / 0.05) ** 2)) * 30.0
    light[22:30] += dock[None, :, None] * np.array((0.2, 0.6, 0.3))
    edge = np.clip((0.17 - np.abs(across - position_m)) / (VIEW_M / WIDTH) + 0.5, 0.0, 1.0)
    light[20:31] = light[20:31] * (1 - edge[None, :, None]) + edge[None, :, None] * (70, 92, 128)
    spot = np.clip((0.09 - np.abs(across - position_m)) / (VIEW_M / WIDTH) + 0.5, 0.0, 1.0)
    spot = spot[None, :, None] * np.ones((6, 1, 1))
    light[22:28] = light[22:28] * (1 - spot) + spot * (238, 232, 205)
    blot = np.exp(-(((across - position_m - 0.16) / 0.09) ** 2)) * setup.glare
    light[20:30] += blot[None, :, None]
    shown = light * setup.gain * np.array(setup.tint) + grain
    return np.asarray(np.clip(np.round(shown / 3.0) * 3.0, 0, 255), dtype=np.uint8)


def _marker_m(picture: Pictures) -> float:
    grey = picture.astype(np.float64).mean(axis=2)
    bar = grey.mean() + (grey.max() - grey.min()) / 3
    weight = np.where(grey > bar, grey - bar, 0.0).sum(axis=0)
    across = (np.arange(WIDTH) + 0.5) / WIDTH * VIEW_M - VIEW_M / 2
    return float((weight * across).sum() / weight.sum())
