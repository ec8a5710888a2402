"""What of a layout the next pair can show: signals are found again by their names."""

from __future__ import annotations

from tracescope.session.session import Session

Panes = tuple[tuple[str, ...], ...]


def rebound(shown: Panes, session: Session | None) -> tuple[Panes, tuple[str, ...]]:
    """Return the panes of another pair that show the same names, and the names it does not have.

    A key names a side and a channel (``sim:NAME``); a signal that only the other side has is drawn from
    there. Where the pair has less than half of the names (a reward, say, that every pair calls so) its own
    layout is better than what is left: nothing is kept and nothing is missed.
    """
    if session is None:
        return (), ()
    pair = session.pair
    missing: list[str] = []
    panes: list[tuple[str, ...]] = []
    found = 0
    for pane in shown:
        kept = []
        for key in pane:
            side, _, name = key.partition(":")
            if name in pair.sim and (side == "sim" or name not in pair.target):
                kept.append(f"sim:{name}")
            elif name in pair.target:
                twin = pair.sim_of(name) if side == "sim" else None
                kept.append(f"target:{name}" if twin is None else f"sim:{twin}")
            else:
                missing.append(name)
        if kept:
            found += len(kept)
            panes.append(tuple(dict.fromkeys(kept)))
    if found < len(missing) or not panes:
        return (), ()
    return tuple(panes), tuple(dict.fromkeys(missing))
