"""What the timing check says about the logging phase: it looks like one control period of latency."""

from __future__ import annotations

from tracescope.analysis.logging_phase import AFTER, logging_phase
from tracescope.model.alignment import Interval
from tracescope.model.pair import TracePair

_NEAR = 0.1


def phases_apart(pair: TracePair) -> str:
    """Say that one row was counted off because the sides log in different phases; empty where they do not."""
    sim, target = logging_phase(pair.sim), logging_phase(pair.target)
    if (sim == AFTER) == (target == AFTER):
        return ""
    after, before = ("sim", "target") if sim == AFTER else ("target", "sim")
    known = "before it" if sim and target else "before it, as far as is known"
    return (
        "one control period of apparent latency is expected from the logging phase and was counted off: "
        f"the {after}'s rows hold the observation after the action, the {before}'s the one {known}"
    )


def phase_unproven(pair: TracePair, difference: Interval | None) -> str:
    """Say that a difference of one row may be logging phase where a side does not state its own."""
    if difference is None or not _is_one_row(difference):
        return ""
    silent = [
        name
        for name, trace in (("sim", pair.sim), ("target", pair.target))
        if not logging_phase(trace)
    ]
    if not silent:
        return ""
    says = "neither trace states" if len(silent) == 2 else f"the {silent[0]} does not state"
    return (
        "not told apart from logging phase, which looks like just one control period: "
        f"{says} whether a row holds the observation before or after its action"
    )


def _is_one_row(difference: Interval) -> bool:
    """Say whether an interval reaches to within a tenth of one row, either way."""
    low, high = difference
    return any(low - _NEAR <= one <= high + _NEAR for one in (-1.0, 1.0))
