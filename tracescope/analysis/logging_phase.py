"""Which observation a row pairs with its action: the one before it, or the one after."""

from __future__ import annotations

from tracescope.model.trace import Trace

BEFORE = "observation before the action"
AFTER = "observation after the action"


def logging_phase(trace: Trace) -> str:
    """Return ``BEFORE`` or ``AFTER`` where the trace's layout says which; ``""`` where it does not."""
    stated = dict(trace.metadata).get("phase", "")
    return stated if stated in (BEFORE, AFTER) else ""


def rows_late(trace: Trace) -> int:
    """Return by how many rows an action is logged later than beside the observation before it.

    A row that holds the observation after its action holds the action that the row before it led to: 1.
    """
    return int(logging_phase(trace) == AFTER)
