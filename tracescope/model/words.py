"""Numbers of things in words."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return ``1 row``, ``2 rows``; ``plural`` where an s is not enough."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
