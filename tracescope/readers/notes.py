"""Health notes in one line."""

from __future__ import annotations

from tracescope.model.trace import HealthNote


def noticed(key: str, what: str, where: str = "", count: int = 1, done: str = "") -> HealthNote:
    """Return a note on something harmless."""
    return HealthNote(what, where, count, done, "info", key)


def repaired(key: str, what: str, where: str, count: int, done: str) -> HealthNote:
    """Return a note on something that the data shown do not have as the file has it."""
    return HealthNote(what, where, count, done, "repaired", key)


def warned(key: str, what: str, where: str = "", count: int = 1, done: str = "") -> HealthNote:
    """Return a note on something that may matter and was not repaired."""
    return HealthNote(what, where, count, done, "warning", key)
