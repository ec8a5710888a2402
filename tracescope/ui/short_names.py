"""Long channel names where there is little room: whole parts of the path are left out, from the left."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_PART = re.compile(r"[/.](?=[^\d/.])")
CUT = "…/"


def tails(name: str) -> list[str]:
    """Return a name and its ends at every part of the path, longest first.

    ``motor/velocities/Elbow`` gives itself, ``velocities/Elbow`` and ``Elbow``.
    """
    return [name, *(name[found.end() :] for found in _PART.finditer(name) if found.start())]


def distinct_tails(names: Iterable[str]) -> dict[str, str]:
    """Return for each name the shortest end that no other of the names has."""
    unlike = list(dict.fromkeys(names))
    ends = {name: tails(name) for name in unlike}
    owners: dict[str, int] = {}
    for some in ends.values():
        for end in some:
            owners[end] = owners.get(end, 0) + 1
    return {
        name: next((end for end in reversed(some) if owners[end] == 1), name)
        for name, some in ends.items()
    }


def fitting_name(name: str, shortest: str, fits: Callable[[str], bool]) -> str:
    """Return the most of a name that fits, cut between its parts; ``shortest`` where nothing does.

    What was cut is marked, except before the last part, which is understood without.
    """
    if fits(name):
        return name
    ends = [end for end in tails(name)[1:] if len(end) >= len(shortest)]
    return next((CUT + end for end in ends if fits(CUT + end)), shortest)
