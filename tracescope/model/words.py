"""Numbers of things in words, and files by names that tell them apart."""

from __future__ import annotations

from pathlib import PurePath


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return ``1 row``, ``2 rows``; ``plural`` where an s is not enough."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def measured(number: str, noun: str) -> str:
    """Return ``1 row``, ``1.74 rows``, ``+0.5 rows``: by the number as it is written."""
    return f"{number} {noun if number.lstrip('+-−') == '1' else noun + 's'}"


def told_apart(*paths: str) -> tuple[str, ...]:
    """Return the names of files, with as many of their folders as it takes where they are called alike.

    ``run/sim/log.csv`` and ``run/target/log.csv`` give ``sim/log.csv`` and ``target/log.csv``; the same file
    twice is named twice.
    """
    parts = [PurePath(path).parts for path in paths]
    unlike = len(set(parts))
    count, most = 1, max(map(len, parts), default=0)
    while count < most and len({some[-count:] for some in parts}) < unlike:
        count += 1
    return tuple(
        str(PurePath(*some[-count:])) if some else path
        for some, path in zip(parts, paths, strict=True)
    )
