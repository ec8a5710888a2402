"""Small files for reader tests."""

from __future__ import annotations

from pathlib import Path

from tracescope.model.trace import Trace


def put(folder: Path, content: str | bytes, name: str = "log.csv") -> Path:
    """Write a file and return its path; texts as UTF-8, line ends as they are."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def keys(trace: Trace) -> set[str]:
    """Return the keys of all health notes."""
    return {note.key for note in trace.health}


def note(trace: Trace, key: str):
    """Return the one health note of a kind."""
    found = [n for n in trace.health if n.key == key]
    assert len(found) == 1, f"{len(found)} notes {key!r} among {sorted(keys(trace))}"
    return found[0]


def values(trace: Trace, name: str) -> list:
    """Return a channel's values as a list."""
    return trace[name].value.tolist()
