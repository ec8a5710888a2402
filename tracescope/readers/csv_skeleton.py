r"""Proving that every line of a block is made alike, at the speed of memory.

The skeleton of text is what is left when all bytes but delimiters, quotes, brackets, comment marks and
line ends are taken out. A block is regular where its skeleton is that of its first line, over and over,
and the first line's is one that its columns can make: ``,"[,,]","[]"\n`` for a time, a vector of three
and one of one. One pass over the bytes proves the number of cells and of elements in every line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_KEPT = b'\n"[]()#%/'


@lru_cache(maxsize=16)
def _dropped(mark: bytes) -> bytes:
    return bytes(b for b in range(256) if b not in _KEPT + mark + b"\t,")


@lru_cache(maxsize=64)
def _pattern(widths: tuple[int, ...], mark: bytes) -> re.Pattern[bytes]:
    """Return the skeletons that a line can have; ``0`` is a plain cell."""
    cells = [_cell(width, mark) for width in widths]
    return re.compile(re.escape(mark).join(cells) + rb"\n")


def _cell(width: int, mark: bytes) -> bytes:
    if not width:
        return rb'(?:"")?' if mark == b"," else rb'(?:"")?,?'
    inside = rb"\[,{%d}\]" % (width - 1)
    return rb'(?:"%b"|%b)' % (inside, inside)


def is_regular(data: bytes, widths: Sequence[int], mark: bytes) -> int:
    """Count the lines of a block whose lines are all made alike.

    Args:
        data: Whole lines, the last one ended.
        widths: Elements of each column, 0 for a plain one.
        mark: Delimiter, one byte.

    Returns:
        Number of lines; 0 where the block is not regular.
    """
    if len(widths) > 4000:
        return _few_patterns(data, widths, mark)
    skeleton = data.translate(None, _dropped(mark))
    first = skeleton[: skeleton.find(b"\n") + 1]
    if not first or not _pattern(tuple(widths), mark).fullmatch(first):
        return 0
    return _repeats(skeleton, first)


def _few_patterns(data: bytes, widths: Sequence[int], mark: bytes) -> int:
    """Do the same for tables of very many plain columns, without a pattern of their length."""
    if any(widths):
        return 0
    skeleton = data.translate(None, _dropped(mark))
    return _repeats(skeleton, mark * (len(widths) - 1) + b"\n")


def _repeats(skeleton: bytes, first: bytes) -> int:
    lines, rest = divmod(len(skeleton), len(first))
    return lines if not rest and skeleton == first * lines else 0
