"""A look at the raw structure of an HDF5 file before the library sees it.

The library follows some damaged structures in circles for ever, inside one call that nothing can
interrupt: a B-tree node whose right neighbour lies to its left, a heap whose next object is itself. Both
are recognised here by their signatures, without the library.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

LARGEST = 64 * 1024 * 1024
"""Larger files are not looked through: it would take longer than reading them, and their damage is
truncation, which the library reports."""

_NOWHERE = 2**64 - 1
_NO_FREE = 1


def circular(path: Path) -> str:
    """Say what of a file's structure runs in a circle, or ``""``."""
    stat = path.stat()
    if not 512 <= stat.st_size <= LARGEST:
        return ""
    return _looked_through(path, (stat.st_ino, stat.st_mtime_ns, stat.st_size))


@lru_cache(maxsize=16)
def _looked_through(path: Path, version: tuple[int, int, int]) -> str:
    del version  # only tells one state of the file from another
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if not _wide(data):
            return ""
        return _heap_circle(data) or _names_circle(data) or _tree_circle(data)


def _found(data: mmap.mmap, signature: bytes) -> Iterator[int]:
    at = data.find(signature)
    while at >= 0:
        yield at
        at = data.find(signature, at + 1)


def _heap_circle(data: mmap.mmap) -> str:
    """Find a global heap whose walk never ends: an object of no size."""
    for start in _found(data, b"GCOL\x01\0\0\0"):
        if start + 16 > len(data):
            continue
        size = struct.unpack_from("<Q", data, start + 8)[0]
        end = min(start + size, len(data))
        at = start + 16
        while at + 16 <= end:
            index, _, need = struct.unpack_from("<HHxxxxQ", data, at)
            step = need if index == 0 else 16 + (need + 7) // 8 * 8
            if step < 16:
                return f"a heap at byte {start} holds an object of no size"
            if index == 0:
                break
            at += step
    return ""


def _base(data: mmap.mmap) -> int:
    """Return where addresses count from: behind a user block, if there is one."""
    return max(data.find(b"\x89HDF\r\n\x1a\n"), 0)


def _wide(data: mmap.mmap) -> bool:
    """Whether addresses and sizes take eight bytes, as they do but for files made so on purpose."""
    base = _base(data)
    if base + 16 > len(data):
        return False
    at = base + (13 if data[base + 8] < 2 else 9)
    return data[at] == 8 and data[at + 1] == 8


def _names_circle(data: mmap.mmap) -> str:
    """Find a heap of names whose list of free places leads back into itself."""
    base = _base(data)
    for start in _found(data, b"HEAP\0\0\0\0"):
        if start + 32 > len(data):
            continue
        size, free, segment = struct.unpack_from("<QQQ", data, start + 8)
        segment += base
        seen: set[int] = set()
        while free != _NO_FREE and free + 16 <= size and segment + free + 16 <= len(data):
            if free in seen:
                return f"the free list of the heap of names at byte {start} leads back into itself"
            seen.add(free)
            free = struct.unpack_from("<Q", data, segment + free)[0]
    return ""


def _tree_circle(data: mmap.mmap) -> str:
    """Find a B-tree whose nodes point back at one another."""
    nodes = {at: node for at in _found(data, b"TREE") if (node := _node(data, at)) is not None}
    known = set(nodes)
    base = _base(data)
    for start, (kind, level, first, children) in nodes.items():
        seen, right = {start}, first
        while right != _NOWHERE and right + base in known:
            if right + base in seen:
                return f"a B-tree at byte {start} points back at itself"
            seen.add(right + base)
            right = nodes[right + base][2]
        for child in children if kind == 0 and level > 0 else ():
            if child + base in known and nodes[child + base][1] >= level:
                return f"a B-tree at byte {start} is its own descendant"
    return ""


def _node(data: mmap.mmap, at: int) -> tuple[int, int, int, tuple[int, ...]] | None:
    """Return (type, level, right neighbour, children) of a node, or ``None`` where there is none."""
    if at + 24 > len(data):
        return None
    kind, level, used, _, right = struct.unpack_from("<BBHQQ", data, at + 4)
    if kind > 1:
        return None
    children = []
    if kind == 0:
        for i in range(min(used, 4096)):
            place = at + 24 + 8 + 16 * i
            if place + 8 > len(data):
                break
            children.append(struct.unpack_from("<Q", data, place)[0])
    return kind, level, right, tuple(children)
