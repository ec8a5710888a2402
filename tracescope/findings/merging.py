"""Tell things that differ only in the channel they name in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tracescope.findings.numbers import listed
from tracescope.model.check import Untold

MERGED_FROM = 3
HOLE = "\x00"


MANY_NAMES = 500
"""With more channels than this, looking for each of them in every text takes minutes."""


def _named(text: str, known: Mapping[str, None]) -> str:
    """Return the longest known name (``known`` is in that order) that stands in a text, or ``""``."""
    if len(known) <= MANY_NAMES:
        return next((name for name in known if name in text), "")
    words = (word.strip(",.:;()") for word in text.split())
    return max((word for word in words if word in known), key=len, default="")


def merged(items: Sequence[Untold], names: Iterable[str]) -> list[Untold]:
    """Merge untested items that are alike but for one channel's name; order is the first one's.

    Args:
        items: What a check left untested.
        names: Channel names that may stand in the texts.
    """
    if len(items) < MERGED_FROM:
        return list(items)
    known = dict.fromkeys(sorted(set(names) - {""}, key=len, reverse=True))
    groups: dict[tuple[str, str], list[tuple[str, Untold]]] = {}
    for place, item in enumerate(items):
        name = _named(item.text, known)
        # Items that name nothing stay alone: their place makes them unlike all others.
        text = item.text.replace(name, HOLE) if name else f"{place}{HOLE}{item.text}"
        need = item.would_need.replace(name, HOLE) if name else item.would_need
        groups.setdefault((text, need), []).append((name, item))
    out = []
    for (text, need), group in groups.items():
        if len(group) < MERGED_FROM:
            out += [item for _, item in group]
            continue
        shown, more = listed([name for name, _ in group])
        joined = f"{shown} and {more} more" if more else shown
        out.append(Untold(text.replace(HOLE, joined), need.replace(HOLE, "each of them")))
    return out
