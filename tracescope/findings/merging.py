"""Tell things that differ only in the channel they name in one sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracescope.findings.numbers import listed
from tracescope.model.check import Untold

MERGED_FROM = 3
HOLE = "\x00"


def merged(items: Sequence[Untold], names: Iterable[str]) -> list[Untold]:
    """Merge untested items that are alike but for one channel's name; order is the first one's.

    Args:
        items: What a check left untested.
        names: Channel names that may stand in the texts.
    """
    if len(items) < MERGED_FROM:
        return list(items)
    known = sorted(set(names), key=len, reverse=True)
    groups: dict[tuple[str, str], list[tuple[str, Untold]]] = {}
    for place, item in enumerate(items):
        name = next((n for n in known if n and n in item.text), "")
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
