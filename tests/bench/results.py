"""RESULTS.md: every goal beside what was measured, and what was tried where it is missed."""

from __future__ import annotations

import datetime as dt
import math
import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.harness import Goal, Plan
from tests.bench.missed import note_on

PLACE = Path(__file__).with_name("RESULTS.md")
_WRITTEN = "Written by it; the notes on missed goals stand in `missed.toml`."
_FIGURES = (
    "Every figure is a ratio of two sides that ran alternately, by CPU time; `a` and `b` are their medians"
    " in milliseconds. Absolute figures do not carry over to another machine."
)
_NAMED = (
    "tracescope",
    "PySide6-Essentials",
    "numpy",
    "scipy",
    "pandas",
    "h5py",
    "pyqtgraph",
    "matplotlib",
)


def write(goals: Sequence[Goal], plan: Plan) -> None:
    """Renew the file."""
    PLACE.write_text(text(goals, plan), "utf-8")


def text(goals: Sequence[Goal], plan: Plan) -> str:
    """Return the page."""
    missed = [goal for goal in goals if not goal.kept]
    size = "the sizes of the goals" if plan.is_full else f"a short form, limits x {plan.slack:g}"
    lines = [
        "# What the benchmark measured",
        "",
        f"{dt.datetime.now(tz=dt.UTC).date()}, `python -m tests.bench`, {size}. {_WRITTEN}",
        "",
        *_machine(),
        "",
        _FIGURES,
        "",
        "| goal | ratio | limit | a | b | n | |",
        "|---|---|---|---|---|---|---|",
        *(_row(goal) for goal in goals),
        "",
        f"{len(goals) - len(missed)} of {len(goals)} lines are within their limit.",
    ]
    if missed:
        lines += ["", "## Missed", "", *(_missed(goal) for goal in missed)]
    return "\n".join(lines) + "\n"


def _machine() -> list[str]:
    versions = ", ".join(f"{name} {found}" for name in _NAMED if (found := _version(name)))
    return [
        f"* Python {platform.python_version()}, {versions}",
        f"* {_processor()}, {platform.system()} {platform.release()}",
    ]


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    import os

    place = Path("/proc/cpuinfo")
    told = place.read_text("utf-8", "replace") if place.exists() else ""
    found = re.search(r"model name\s*:\s*(.+)", told)
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0]
    name = found[1] if found else platform.machine()
    return f"{name}, {cores} cores, load {load:.1f} at the end"


def _row(goal: Goal) -> str:
    limit = f"{goal.limit:.3g}" if math.isfinite(goal.limit) else "–"
    times = [f"{ms:.2f}" if ms else "" for ms in (goal.a_ms, goal.b_ms)]
    verdict = "" if goal.kept else "**missed**" if goal.is_firm else "over"
    also = ", ".join(f"{key} {value:.4g}" for key, value in goal.more.items())
    return (
        f"| {goal.name} | {goal.ratio:.3g} | {limit} | {times[0]} | {times[1]} | {goal.rounds} |"
        f" {verdict}{' ' if verdict and also else ''}{also} |"
    )


def _missed(goal: Goal) -> str:
    note = note_on(goal)
    tried = note.tried if note is not None else "nothing has been tried yet"
    return f"* **{goal.name}**: {goal.ratio:.3g} against {goal.limit:.3g}. {tried}"
