"""Names: made unique, and asked-for names that do not exist."""

from __future__ import annotations

from collections.abc import Sequence

from tracescope.model.errors import Problem
from tracescope.model.trace import HealthNote


def unknown_column(name: str, names: Sequence[str], source: str, asked_by: str) -> Problem:
    """Say that a named column does not exist, with the closest names."""
    from rapidfuzz import fuzz, process

    close = [
        n for n, _, _ in process.extract(name, names, scorer=fuzz.WRatio, limit=3, score_cutoff=60)
    ]
    has = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    todo = f"closest names: {', '.join(close)}" if close else f"it has: {has}"
    return Problem(f"there is no column {name!r} (asked for as {asked_by})", source, todo=todo)


def unique_names(raw: Sequence[str], source: str = "") -> tuple[list[str], list[HealthNote]]:
    """Name empty columns by number and number repeated names: ``q``, ``q (2)``.

    Returns:
        The names, and a note a repeated name with the numbers (from 1) of its columns.
    """
    names: list[str] = []
    first: dict[str, int] = {}
    count: dict[str, int] = {}
    taken = set(raw)
    notes: list[HealthNote] = []
    for place, name in enumerate(raw):
        wanted = name or f"column {place + 1}"
        if wanted in first:
            fresh = wanted
            while fresh in first or (fresh in taken and fresh != name) or fresh == wanted:
                count[wanted] = count.get(wanted, 1) + 1
                fresh = f"{wanted} ({count[wanted]})"
            what = f"two columns are called {wanted!r}: number {first[wanted] + 1} and {place + 1}"
            notes.append(
                HealthNote(
                    what, source, 1, f"the later one is {fresh!r}", "repaired", "duplicate-name"
                )
            )
            wanted = fresh
        first[wanted] = place
        names.append(wanted)
    return names, notes
