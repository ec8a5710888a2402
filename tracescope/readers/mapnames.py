"""What ``[both]`` of a map file says of a channel that the target spells otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def in_target_names(both: dict[str, Any], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return what ``[both]`` says with the simulator's names replaced by their paired target names.

    Args:
        both: The tables of ``[both]``; those of roles and units hold channel names.
        pairs: (sim channel, target channel).
    """
    names = {sim: target for sim, target in pairs if sim != target}
    out = dict(both)
    if "roles" in both:
        out["roles"] = {
            role: list(dict.fromkeys(names.get(name, name) for name in listed))
            for role, listed in both["roles"].items()
        }
    if "units" in both:
        out["units"] = {names.get(name, name): unit for name, unit in both["units"].items()}
    return out
