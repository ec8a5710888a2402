"""What a probe says in words."""

from __future__ import annotations

from collections.abc import Sequence

from tracescope.model.check import Measurement, State


def reason_of(measurements: Sequence[Measurement]) -> str:
    """Say what decided a probe, or why nothing did."""
    judged = [m for m in measurements if m.judged]
    failed = [m for m in judged if m.state is State.FAIL]
    open_ = [m for m in judged if m.state is State.INCONCLUSIVE and m.required]
    if failed:
        return f"outside the budget: {_quantities(failed)}"
    if not judged:
        return "nothing that was measured has a budget"
    if open_:
        blocked = next((m.blocked for m in open_ if m.blocked), "")
        return f"not decided: {_quantities(open_)}" + (f", because {blocked}" if blocked else "")
    return f"inside the budget: {_quantities([m for m in judged if m.state is State.PASS])}"


def _quantities(measurements: Sequence[Measurement]) -> str:
    """List quantities once each; events are told apart in the measurements."""
    names = (m.quantity.split(", ")[0] for m in measurements)
    return ", ".join(dict.fromkeys(names))


def settled_by(measurements: Sequence[Measurement]) -> str:
    """Say what would decide what is open; ``""`` where nothing is."""
    open_ = [m for m in measurements if m.judged and m.state is State.INCONCLUSIVE]
    if not open_:
        return ""
    if any(m.interval is None for m in open_):
        return "a span that holds the event on both sides, from rest to rest"
    return "a finer sampling interval, less noise or more repetitions in the span"
