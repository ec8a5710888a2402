"""The two closed-loop systems that the bundled pairs were recorded from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

INTERVAL_S = 0.02
DOCK_M = 0.45


@dataclass
class Log:
    """One recorded episode: ``fields`` maps a field's name to ``(n,)`` or ``(n, k)`` values.

    ``pictures`` maps a camera to ``(n, h, w, 3)``.
    """

    fields: dict[str, Array]
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pictures: dict[str, NDArray[np.uint8]] = field(default_factory=dict)

    def rows(self, kept: slice) -> Log:
        pictures = {k: v[kept] for k, v in self.pictures.items()}
        return Log({k: v[kept] for k, v in self.fields.items()}, self.names, self.units, pictures)


@dataclass(frozen=True)
class Slider:
    """A motor-driven slider on a rail, and what may be wrong with its target machine."""

    noise_seed: int
    damping: float = 0.5
    reach: float = 1.0
    gain: float = 1.0
    delay_rows: int = 0
    limit_m: float = -np.inf
    reward_scale: float = 1.0
    recorded_position_scale: float = 1.0
    jitter_s: float = 0.0
    offset_s: float = 0.0


def reference(rows: int) -> Array:
    """Positions to follow: four sines, then to the dock and stay. Shape ``(rows,)``, metres."""
    time_s = INTERVAL_S * np.arange(rows)
    sines = sum(
        amplitude * np.sin(2 * np.pi * hertz * time_s + phase)
        for amplitude, hertz, phase in (
            (0.16, 0.11, 0.3), (0.12, 0.23, 1.9), (0.08, 0.41, 4.0), (0.05, 0.67, 5.1),
        )
    )  # fmt: skip
    blend = np.clip((time_s - time_s[-1] + 3.0) / 1.5, 0.0, 1.0)
    return np.asarray((1 - blend) * sines + blend * DOCK_M)


def run_slider(setup: Slider, excitation_seed: int = 11, rows: int = 760) -> Log:
    """Run the slider under its policy until it docks.

    The policy is a PD law with a recorded excitation on top, the same in both runs; process and sensor
    noise are each run's own. The plant is integrated exactly enough by four substeps a row.
    """
    ref = reference(rows)
    excitation = np.random.default_rng(excitation_seed).normal(0.0, 0.25, rows)
    noise = np.random.default_rng(setup.noise_seed)
    sensor = noise.normal(0.0, 1.0, (rows, 2)) * (0.0004, 0.0015)
    process = noise.normal(0.0, 0.0008, rows)
    x, v, docked = float(ref[0]), 0.0, 0
    table = np.zeros((rows, 7))
    applied_history = np.zeros(rows + setup.delay_rows)
    last = rows - 1
    for i in range(rows):
        seen_x, seen_v = x + sensor[i, 0], v + sensor[i, 1]
        emitted = float(np.clip(6 * (ref[i] - seen_x) - 2 * seen_v + excitation[i], -1, 1))
        applied = float(setup.gain * np.clip(emitted, -setup.reach, setup.reach))
        reward = setup.reward_scale * (1.0 - 8.0 * (x - ref[i]) ** 2 - 0.2 * emitted**2)
        table[i] = (seen_x, seen_v, ref[i], emitted, applied, reward, 0.0)
        docked = docked + 1 if abs(x - DOCK_M) < 0.02 and i > rows - 150 else 0
        if docked == 10 or x < setup.limit_m:
            table[i, 6] = 1.0
            last = i
            break
        applied_history[i + setup.delay_rows] = applied
        for _ in range(4):
            v += (2.0 * applied_history[i] - setup.damping * v) * INTERVAL_S / 4
            x += v * INTERVAL_S / 4
        v += process[i]
    return _slider_log(setup, table[: last + 1], noise)


def _slider_log(setup: Slider, table: Array, noise: np.random.Generator) -> Log:
    n = len(table)
    step = np.arange(n, dtype=np.float64)
    stamps = INTERVAL_S * step + setup.offset_s
    if setup.jitter_s:
        stamps = stamps + np.clip(noise.normal(0, setup.jitter_s, n), -0.009, 0.009)
    obs = table[:, :3] * (setup.recorded_position_scale, 1.0, 1.0)
    fields = {
        "step": step, "timestamp": stamps, "obs": obs, "action": table[:, 3:4],
        "action_applied": table[:, 4:5], "reward": table[:, 5], "terminated": table[:, 6],
        "truncated": np.zeros(n), "latency": 0.008 + noise.normal(0, 0.0005, n),
    }  # fmt: skip
    names = {
        "obs": ("position", "velocity", "reference"),
        "action": ("force_cmd",),
        "action_applied": ("force_applied",),
    }
    units = {
        "timestamp": ("s",), "obs": ("m", "m/s", "m"), "action": ("1",), "action_applied": ("1",),
        "latency": ("s",),
    }  # fmt: skip
    return Log(fields, names, units)


@dataclass(frozen=True)
class Latch:
    """A gripper that approaches a strike plate, presses and backs off, three times."""

    noise_seed: int
    stiffness_n_m: float
    delay_rows: int = 0
    offset_s: float = 0.0


PLATE_M = 0.008


def run_latch(setup: Latch, rows: int = 600) -> Log:
    """Run the approach: the policy asks for a speed from the measured distance and force."""
    noise = np.random.default_rng(setup.noise_seed)
    dither = np.random.default_rng(21).normal(0.0, 0.004, rows)
    z, speed, force = 0.06, 0.0, 0.0
    asked = np.zeros(rows + setup.delay_rows)
    table = np.zeros((rows, 8))
    for i in range(rows):
        phase = i % 200
        wanted = (-0.025, -0.032, -0.04)[i // 200] if phase < 130 else 0.05
        seen_z = z + noise.normal(0.0, 0.00006)
        seen_force = force + noise.normal(0.0, 0.25)
        command = wanted + dither[i] + (0.0016 * seen_force if phase < 130 else 0.0)
        if phase >= 130 and seen_z > 0.055:
            command = 4.0 * (0.06 - seen_z) + dither[i]
        command = float(np.clip(command, -0.06, 0.08))
        asked[i + setup.delay_rows] = command
        reward = -abs(seen_z - PLATE_M) * 10 - 0.01 * max(seen_force - 20.0, 0.0)
        grip = 5.0 if phase < 130 else 2.0
        table[i] = (seen_z, seen_force, command, grip, reward, z, speed, wanted)
        for _ in range(8):
            speed += (asked[i] - speed) * (INTERVAL_S / 8) / 0.03
            z += speed * INTERVAL_S / 8
        force = max(setup.stiffness_n_m * (PLATE_M - z) - 40.0 * speed, 0.0) if z < PLATE_M else 0.0
    return _latch_log(setup, table, noise)


def _latch_log(setup: Latch, table: Array, noise: np.random.Generator) -> Log:
    n = len(table)
    step = np.arange(n, dtype=np.float64)
    z = table[:, 5]
    elbow = np.arccos(np.clip((0.25 + z) / 0.5, -1, 1))
    joints = np.column_stack((elbow, -2 * elbow, elbow + 0.1)) + noise.normal(0, 0.0004, (n, 3))
    gripper_x = 0.3 + 0.02 * np.sin(2 * np.pi * 0.16 * INTERVAL_S * step)
    obs = np.column_stack((
        gripper_x + noise.normal(0, 0.0001, n), table[:, 0], table[:, 1], joints,
        table[:, 0] - PLATE_M,
    ))  # fmt: skip
    done = np.zeros(n)
    done[-1] = 1.0
    fields = {
        "step": step, "timestamp": INTERVAL_S * step + setup.offset_s, "obs": obs,
        "action": table[:, 2:4], "action_applied": table[:, 2:4], "reward": table[:, 4],
        "truncated": done, "latency": 0.009 + noise.normal(0, 0.0006, n),
    }  # fmt: skip
    names = {
        "obs": ("gripper_x", "gripper_z", "force_z", "joint_1", "joint_2", "joint_3", "plate_dist"),
        "action": ("v_cmd", "grip_cmd"),
        "action_applied": ("v_applied", "grip_applied"),
    }
    units = {
        "timestamp": ("s",), "obs": ("m", "m", "N", "rad", "rad", "rad", "m"),
        "action": ("m/s", "N"), "action_applied": ("m/s", "N"), "latency": ("s",),
    }  # fmt: skip
    return Log(fields, names, units)


def exercise() -> tuple[Log, Log]:
    """The classic fixture: a random walk seen through a wrong scale, an action bounded lower."""
    draw = np.random.default_rng(0)
    obs = np.cumsum(draw.normal(0.0, 0.1, (40, 2)), axis=0)
    action = np.clip(draw.normal(0.0, 0.4, (40, 1)), -1.0, 1.0)
    noise = draw.normal(0.0, 0.01, (40, 2))
    step = np.arange(40.0)
    # Both environments pay for the true distance, which the wrong scale of the sensor does not touch.
    common = {"reward": -np.hypot(obs[:, 0], obs[:, 1]), "done": (step == 39).astype(np.float64)}
    bounded = np.clip(action, -0.5, 0.5)
    sim = {"step": step, "timestamp": 0.05 * step, "obs": obs, "action": action, **common}
    target = {
        "step": step, "timestamp": 0.05 * step + 0.01, "obs": 1.5 * obs + noise,
        "action": bounded, "action_applied": bounded, **common,
    }  # fmt: skip
    return Log(sim), Log(target)
