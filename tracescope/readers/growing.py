"""Files that others write while they are read: nothing is locked, what may be torn is said, and read again.

A reader never takes a lock, not even for a moment: a writer that opens its file then would fail.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tracescope.model.errors import TraceReadError
from tracescope.model.trace import HealthNote
from tracescope.readers.hdf5_tools import left_open, superblock_at
from tracescope.readers.notes import warned

T = TypeVar("T")

TRIES = 5
_LOCKS = Path("/proc/locks")
_INCONSISTENT = "read without locking; it may be inconsistent"


@dataclass(frozen=True, slots=True)
class _State:
    """What tells one state of a file from another."""

    size: int
    changed_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> _State:
        stat = path.stat()
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ino)


def read_steadily(path: Path, read: Callable[[], T]) -> tuple[T, list[HealthNote]]:
    """Read a file; where it changed meanwhile and reading failed, read it again.

    Returns:
        What was read, and notes where a writer is at work.

    Raises:
        TraceReadError: the last one, where the file did not change or changes each time.
    """
    attempt = 0
    while True:
        attempt += 1
        before = _State.of(path)
        try:
            found = read()
        except TraceReadError:
            if attempt >= TRIES or path.is_dir() or _State.of(path) == before:
                raise
            continue
        return found, [] if path.is_dir() else _notes(path, before)


def _notes(path: Path, before: _State) -> list[HealthNote]:
    after = _State.of(path)
    if after != before:
        what = f"the file changed while it was read ({before.size} to {after.size} bytes)"
        done = "read as it was found; open it again for the rest"
        return [warned("changed-while-read", what, str(path), 1, done)]
    with path.open("rb") as raw:
        head = raw.read(64 * 1024)
    if superblock_at(head) is None:
        return []
    if left_open(head):
        what = "the file is marked as open for writing: it is being written, or its writer crashed"
        done = f"{_INCONSISTENT}; if the writer crashed, h5clear -s on a copy"
        return [warned("open-for-writing", what, str(path), 1, done)]
    holder = writer_of(path)
    if holder is not None:
        what = (
            f"another process ({holder}) holds a lock for writing: a notebook or logger has it open"
        )
        return [warned("locked-by-writer", what, str(path), 1, _INCONSISTENT)]
    return []


def writer_of(path: Path) -> int | None:
    """Return the process that holds a write lock on a file, ``None`` where none does or it cannot be told."""
    try:
        inode = path.stat().st_ino
        lines = _LOCKS.read_text("ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) > 5 and words[3] == "WRITE" and words[5].rpartition(":")[2] == str(inode):
            holder = int(words[4]) if words[4].isdecimal() else 0
            if holder != os.getpid():
                return holder
    return None
