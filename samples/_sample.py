"""What a bundled pair is, and how the truth about it is written down."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np
from _systems import Array, Log

CHECKS = (
    "alignment", "observation-scaling", "action", "timing", "dynamics", "reward", "termination",
)  # fmt: skip

PASS, FAIL, UNSURE = "pass", "fail", "inconclusive"
SOUND = (PASS, UNSURE)
ANY = (PASS, FAIL, UNSURE)


@dataclass
class Sample:
    """A pair and the truth about it. ``expected`` holds the right states where not merely sound.

    ``place``: where it stands in the gallery, before those that name none. ``shown``: the field and the
    component that its card draws.
    """

    name: str
    title: str
    what: str
    fmt: str
    sim: Log
    target: Log
    question: str = "What went wrong here?"
    numbers: dict[str, float] = field(default_factory=dict)
    expected: dict[str, tuple[str, ...]] = field(default_factory=dict)
    place: int | None = None
    shown: tuple[str, int] = ("obs", 0)
    corrections: tuple[str, ...] = ()
    corrected: dict[str, tuple[str, ...]] = field(default_factory=dict)


PREVIEW_POINTS = 96


def preview(sample: Sample) -> dict[str, list[int]]:
    """Return both sides of the shown signal on one scale and one time axis, as the files have them."""
    name, k = sample.shown
    lines, ends = {}, []
    for side, log in (("sim", sample.sim), ("target", sample.target)):
        value = log.fields[name]
        lines[side] = (log.fields["timestamp"], value[:, k] if value.ndim == 2 else value)
        ends.append(lines[side][0][-1] - lines[side][0][0])
    edges = np.linspace(0.0, max(ends), PREVIEW_POINTS + 1)
    every = np.concatenate([value for _, value in lines.values()])
    low, high = float(every.min()), float(every.max())
    middle = float(np.median(every))
    return {side: _scaled(edges, *line, middle, (low, high)) for side, line in lines.items()}


def _scaled(
    edges: Array, stamps: Array, value: Array, middle: float, ends: tuple[float, float]
) -> list[int]:
    """Return of each stretch the value farthest from the middle, so that a spike of one row shows."""
    place = np.searchsorted(edges, stamps - stamps[0], side="right") - 1
    place = np.minimum(place, len(edges) - 2)
    points: list[int] = []
    for k in range(place[-1] + 1):
        here = value[place == k]
        shown = here[np.argmax(np.abs(here - middle))] if len(here) else None
        scaled = (
            None if shown is None else round(float(100 * (shown - ends[0]) / (ends[1] - ends[0])))
        )
        points.append(points[-1] if scaled is None else scaled)
    return points


def truth_toml(sample: Sample) -> str:
    text = json.dumps  # a TOML basic string, array or number is written as in JSON

    def states(chosen: dict[str, tuple[str, ...]]) -> list[str]:
        return [f"{c} = {text(list(chosen.get(c, SOUND)))}" for c in CHECKS]

    lines = [
        "schema = 1",
        f"name = {text(sample.name)}",
        *([] if sample.place is None else [f"place = {sample.place}"]),
        f"title = {text(sample.title)}",
        f"question = {text(sample.question)}",
        f"what = {text(sample.what)}",
        "",
        "[numbers]",
        *(f"{key} = {value!r}" for key, value in sample.numbers.items()),
        "",
        "# The states that are right; more than one where the trace may not suffice.",
        "[expected]",
        *states(sample.expected),
    ]
    lines += [
        "",
        "# What the gallery's card draws: 0 to 100 over time, the two sides on one scale.",
        "[preview]",
        *(f"{side} = {text(line)}" for side, line in preview(sample).items()),
    ]
    if sample.corrections:
        lines += ["", "[corrected]", f"corrections = {text(list(sample.corrections))}"]
        lines += ["", "[corrected.expected]", *states({**sample.expected, **sample.corrected})]
    return "\n".join(lines) + "\n"
