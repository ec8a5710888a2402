"""Pairs of logs written by the tests, with the fault they need."""

from __future__ import annotations

from pathlib import Path

import numpy as np

RATE_HZ = 50.0


def wander(time_s: np.ndarray, seed: int) -> np.ndarray:
    """Return a smooth signal that repeats nowhere."""
    rng = np.random.default_rng(seed)
    value = np.zeros_like(time_s)
    for frequency_hz, phase, size in zip(
        rng.uniform(0.15, 2.2, 14),
        rng.uniform(0, 2 * np.pi, 14),
        rng.uniform(0.3, 1, 14),
        strict=True,
    ):
        value += size * np.sin(2 * np.pi * frequency_hz * time_s + phase)
    return value


def write_log(path: Path, stamp_s: np.ndarray, values: dict[str, np.ndarray]) -> Path:
    """Write a log of stamps and signals, a row a step, without a step counter."""
    names = ["timestamp", *values]
    rows = np.column_stack([stamp_s, *values.values()])
    lines = [",".join(names), *(",".join(f"{cell:.9g}" for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def shifted_pair(folder: Path, late_s: float, seconds: float = 16.0) -> tuple[Path, Path]:
    """Write a pair whose target began to record ``late_s`` later and counts from zero as well."""
    time_s = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    rng = np.random.default_rng(1)

    def signals(at_s: np.ndarray) -> dict[str, np.ndarray]:
        noise = rng.normal(0, 0.01, (3, at_s.size))
        return {
            "obs[0]": wander(at_s, 1) + noise[0],
            "obs[1]": wander(at_s, 2) + noise[1],
            "action[0]": wander(at_s, 3) + noise[2],
        }

    sim = write_log(folder / "sim.csv", time_s, signals(time_s))
    target = write_log(folder / "target.csv", time_s, signals(time_s + late_s))
    return sim, target


def periodic_pair(folder: Path, shift_s: float) -> tuple[Path, Path]:
    """Write a pair of one-hertz sines, the target's shifted."""
    time_s = np.arange(800) / RATE_HZ

    def signals(at_s: np.ndarray) -> dict[str, np.ndarray]:
        return {"obs[0]": np.sin(2 * np.pi * at_s), "action[0]": np.cos(2 * np.pi * at_s)}

    sim = write_log(folder / "sim.csv", time_s, signals(time_s))
    return sim, write_log(folder / "target.csv", time_s, signals(time_s + shift_s))


def unordered_pair(folder: Path) -> tuple[Path, Path]:
    """Write a pair whose target has two rows that lie before their forerunners."""
    sim, target = shifted_pair(folder, 0.0, 6.0)
    lines = target.read_text("utf-8").splitlines()
    lines[60], lines[61] = lines[61], lines[60]
    lines[100], lines[101] = lines[101], lines[100]
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sim, target


def episodes_file(path: Path, count: int) -> Path:
    """Write one table of several episodes, told apart by a column."""
    time_s = np.arange(60) / RATE_HZ
    lines = ["episode,step,timestamp,obs_0,obs_1,action_0,reward,done"]
    for place in range(count):
        signals = [wander(time_s, seed) for seed in (place, place + 50, place + 90)]
        for row, stamp_s in enumerate(time_s):
            cells = ",".join(f"{signal[row]:.9g}" for signal in signals)
            lines.append(f"{place},{row},{stamp_s:.9g},{cells},0,{int(row == 59)}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
