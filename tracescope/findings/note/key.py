"""Which measurement speaks for a check where there is room for one."""

from __future__ import annotations

import math

from tracescope.findings.numbers import is_untold
from tracescope.findings.result_schema import CheckEntry, MeasurementEntry


def key_measurement(check: CheckEntry) -> MeasurementEntry | None:
    """Return what decided a check: outside its tolerance and furthest, else undecided, else nearest.

    What was kept from a verdict speaks only where it lies outside as a whole, or where nothing else does;
    in a check that passes, none that did not have to.
    """
    judged = [m for m in check.measurements if m.tolerance is not None]
    if check.state == "pass":
        judged = [m for m in judged if m.state == "pass"] or judged
    of = {s: [m for m in judged if m.state == s] for s in ("fail", "inconclusive", "pass")}
    open_ones = [m for m in of["inconclusive"] if not is_untold(m)]
    untold = [m for m in of["inconclusive"] if m.interval is None or is_untold(m)]
    undecided = [m for m in open_ones if not m.blocked and _across(m)]
    kept = [m for m in open_ones if _beyond(m)]
    if of["fail"]:
        return min(of["fail"], key=_room)
    if kept:
        return min(kept, key=_room)
    if undecided:
        return max(undecided, key=_lean)
    rest = untold or of["pass"] or of["inconclusive"]
    if rest:
        return min(rest, key=_room)
    return check.measurements[0] if check.measurements else None


def _across(m: MeasurementEntry) -> bool:
    """Say whether the interval lies across a limit: else something but its width kept it from a verdict."""
    return m.interval is not None and not _beyond(m) and _room(m) < 0


def _lean(m: MeasurementEntry) -> float:
    """Return how far the estimate lies outside, in widths of its interval: a wide one says little."""
    if m.interval is None or m.tolerance is None or m.estimate is None:
        return float("-inf")
    low, high = (end if end is not None else math.inf for end in m.interval)
    bottom, top = m.tolerance
    outside = max(
        bottom - m.estimate if bottom is not None else -math.inf,
        m.estimate - top if top is not None else -math.inf,
    )
    width = high - low
    return outside / width if math.isfinite(width) and width > 0 else float("-inf")


def _beyond(m: MeasurementEntry) -> bool:
    """Say whether the whole interval lies outside, whatever kept it from a verdict."""
    if m.interval is None or m.tolerance is None:
        return False
    (low, high), (bottom, top) = m.interval, m.tolerance
    below = high is not None and bottom is not None and high < bottom
    return below or (low is not None and top is not None and low > top)


def _room(m: MeasurementEntry) -> float:
    """Return the distance to the nearer limit in widths of the tolerance; negative outside."""
    if m.interval is None or m.tolerance is None:
        return float("inf")
    low, high = m.interval
    bottom, top = m.tolerance
    if low == high and m.state == "pass":  # a plain count that is right says less than any interval
        return float("inf")
    room = []
    if bottom is not None and low is not None:
        room.append(low - bottom)
    if top is not None and high is not None:
        room.append(top - high)
    if not room:
        return float("inf")
    width = top - bottom if top is not None and bottom is not None else abs(top or bottom or 1.0)
    return min(room) / (width or 1.0)
