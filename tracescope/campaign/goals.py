"""Which channels say what was asked of the machine, rather than what it did."""

from __future__ import annotations

from tracescope.readers.roles import words_of

_ASKED = {
    "goal", "goals", "command", "commands", "commanded", "cmd", "cmds", "reference", "ref",
    "setpoint", "setpoints", "desired", "waypoint", "waypoints", "target", "targets",
}  # fmt: skip
_REACHED = {"achieved", "error", "err", "distance", "dist", "measured", "meas", "to"}


def is_goal(channel: str) -> bool:
    """Say whether a channel's name is that of a command or a goal: task, not perception."""
    words = set(words_of(channel))
    return bool(words & _ASKED) and not words & _REACHED
