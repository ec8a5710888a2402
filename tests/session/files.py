"""Small CSV pairs written for a test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.builders import exercise, wander
from tracescope.model.trace import Trace


def write_csv(path: Path, trace: Trace, *, step: bool = True) -> Path:
    """Write a trace as a plain CSV with one column a channel."""
    columns: list[tuple[str, Sequence[float]]] = []
    if step and trace.step is not None:
        columns.append(("step", trace.step.tolist()))
    columns.append(("timestamp", trace.time_s.tolist()))
    columns += [(c.name.replace("[", "_").rstrip("]"), c.as_float().tolist()) for c in trace]
    lines = [",".join(name for name, _ in columns)]
    lines += [",".join(map(repr, row)) for row in zip(*(v for _, v in columns), strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def exercise_files(folder: Path, *, step: bool = True) -> tuple[Path, Path]:
    """Write the classic fixture as ``sim.csv`` and ``target.csv``."""
    sim, target = exercise()
    return (
        write_csv(folder / "sim.csv", sim, step=step),
        write_csv(folder / "target.csv", target, step=step),
    )


def shifted_files(folder: Path, offset_s: float, n: int = 600) -> tuple[Path, Path]:
    """Write a pair without counters whose target is the sim's motion, its stamps late, started later."""
    from tests.builders import trace

    signal = wander(n + 40, 3, seed=5)
    time_s = 0.02 * np.arange(n + 40)
    sim = trace(time_s=time_s[:n], obs=signal[:n], step=False)
    target = trace(time_s=time_s[20:] + offset_s, obs=signal[20:], step=False)
    return (
        write_csv(folder / "sim.csv", sim, step=False),
        write_csv(folder / "target.csv", target, step=False),
    )
