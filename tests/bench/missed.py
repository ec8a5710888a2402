"""Goals that are known to be missed: what was tried, and what they may cost at most in a short run."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.harness import Goal

PLACE = Path(__file__).with_name("missed.toml")


@dataclass(frozen=True)
class Missed:
    """``name`` is how the goal's line begins; ``ceiling`` what it may cost in a short run; ``tried`` why."""

    name: str
    ceiling: float
    tried: str


def all_missed() -> tuple[Missed, ...]:
    """Return the notes, as they are kept by hand."""
    entries: list[Mapping[str, object]] = tomllib.loads(PLACE.read_text("utf-8"))["missed"]
    return tuple(
        Missed(str(e["name"]), float(str(e["ceiling"])), " ".join(str(e["tried"]).split()))
        for e in entries
    )


def note_on(goal: Goal) -> Missed | None:
    """Return the note on a goal; of several, the one that says its name in most detail."""
    fitting = [note for note in all_missed() if goal.name.startswith(note.name)]
    return max(fitting, key=lambda note: len(note.name), default=None)


def ceiling_of(name: str) -> float:
    """Return what a goal may cost in a short run although it is missed; 0 where it is not."""
    fitting = [note for note in all_missed() if name.startswith(note.name)]
    return max(fitting, key=lambda note: len(note.name)).ceiling if fitting else 0.0


def with_ceiling(goal: Goal) -> Goal:
    """Return the goal as a short run judges it."""
    note = note_on(goal)
    return goal if note is None else replace(goal, ceiling=note.ceiling)
