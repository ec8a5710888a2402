"""HDF5 files that a writer marked as open: read as if the mark were not there, without touching them.

The library refuses such files, or waits without end for damaged parts of them to become whole. Here it sees
the file with the mark taken out of its first bytes; the file itself stays as it is.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path
from typing import Any

_MASK = 0xFFFFFFFF
_FLAGS = 11


def unmarked(path: Path, start: int) -> io.RawIOBase | None:
    """Return a file object that shows the file at ``path`` without its mark, and as long as it is.

    Args:
        path: The file.
        start: Where its superblock (version 3) begins.

    Returns:
        ``None`` where the superblock does not have the checksum it says: it is damaged.
    """
    with path.open("rb") as raw:
        raw.seek(start)
        block = bytearray(raw.read(12 + 4 * 8 + 4))
    length = 12 + 4 * block[9] if len(block) > _FLAGS else 0
    if not 20 <= length <= len(block) - 4:
        return None
    if lookup3(bytes(block[:length])) != struct.unpack_from("<I", block, length)[0]:
        return None
    block[_FLAGS] = 0
    code = {2: "<H", 4: "<I", 8: "<Q"}.get(block[9])
    if code is not None:  # the end that it says is that of the last time the file was whole
        end = 12 + 2 * block[9]
        size = path.stat().st_size - start
        struct.pack_into(code, block, end, max(size, struct.unpack_from(code, block, end)[0]))
    struct.pack_into("<I", block, length, lookup3(bytes(block[:length])))
    return _Overlaid(path, start, bytes(block[: length + 4]))


class _Overlaid(io.RawIOBase):
    """A file of which some bytes are shown as others."""

    def __init__(self, path: Path, start: int, shown: bytes) -> None:
        super().__init__()
        self._raw = path.open("rb", buffering=0)
        self._start, self._shown = start, shown

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._raw.seek(offset, whence)

    def tell(self) -> int:
        return self._raw.tell()

    def readinto(self, buffer: Any) -> int:
        at = self._raw.tell()
        count = self._raw.readinto(buffer) or 0
        low = max(at, self._start)
        high = min(at + count, self._start + len(self._shown))
        if low < high:
            memoryview(buffer).cast("B")[low - at : high - at] = self._shown[
                low - self._start : high - self._start
            ]
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


def lookup3(data: bytes) -> int:
    """Return Bob Jenkins' lookup3 hash (2006), HDF5's checksum of metadata."""
    a = b = c = (0xDEADBEEF + len(data)) & _MASK
    at = 0
    while len(data) - at > 12:
        x, y, z = struct.unpack_from("<III", data, at)
        a, b, c = _mixed((a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK)
        at += 12
    if at == len(data):
        return c
    x, y, z = struct.unpack("<III", data[at:].ljust(12, b"\0"))
    return _final((a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK)


def _turned(value: int, by: int) -> int:
    return ((value << by) | (value >> (32 - by))) & _MASK


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for by in (4, 6, 8, 16, 19, 4):
        a = ((a - c) & _MASK) ^ _turned(c, by)
        c = (c + b) & _MASK
        a, b, c = b, c, a
    return a, b, c


def _final(a: int, b: int, c: int) -> int:
    for by in (14, 11, 25, 16, 4, 14, 24):
        c = ((c ^ b) - _turned(b, by)) & _MASK
        a, b, c = b, c, a
    return b
