"""The arithmetic of ranges: what may be looked at, and zooming about an instant."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tracescope.model.alignment import Interval
from tracescope.session.session import Session
from tracescope.ui.plots.clock import clock_of

WIDEST = 3.0
"""How many times the pair's own span may be shown."""

LEAST_SAMPLES = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """First and last instant of the data, and the narrowest span worth showing, seconds."""

    extent_s: Interval
    least_s: float

    @property
    def span_s(self) -> float:
        """Span of the data."""
        return self.extent_s[1] - self.extent_s[0]

    @property
    def most_s(self) -> float:
        """The widest range."""
        return max(WIDEST * self.span_s, self.least_s)


def least_interval_s(session: Session | None) -> float:
    """Return the shorter of the two median intervals, which no alignment changes; a millisecond without any."""
    if session is None:
        return 1e-3
    clocks = [clock_of(trace.time_s) for trace in (session.pair.sim, session.pair.target)]
    interval_s = min(clock.interval_s for clock in clocks)
    return interval_s if math.isfinite(interval_s) else 1e-3


def limits_of(session: Session | None, interval_s: float) -> Limits:
    """Return the limits of a pair as it is aligned now, given :func:`least_interval_s`."""
    if session is None:
        return Limits((0.0, 1.0), LEAST_SAMPLES * interval_s)
    sim, target = session.pair.sim, session.pair.target
    ends = [float(t) for t in (*sim.time_s[:1], *sim.time_s[-1:])]
    ends += [session.alignment.to_sim_one(t) for t in (*target.time_s[:1], *target.time_s[-1:])]
    ends = [end for end in ends if math.isfinite(end)]
    if not ends:
        return Limits((0.0, 1.0), LEAST_SAMPLES * interval_s)
    low, high = min(ends), max(ends)
    if high - low < LEAST_SAMPLES * interval_s:
        low, high = low - interval_s, high + interval_s
    return Limits((low, high), LEAST_SAMPLES * interval_s)


def clamped(wanted: Interval, limits: Limits) -> Interval | None:
    """Return the nearest range that may be shown; ``None`` where the wish is not finite.

    A span that may be shown is kept to the last bit, so panning never changes it.
    """
    low, high = wanted
    if not (math.isfinite(low) and math.isfinite(high)):
        return None
    if high < low:
        low, high = high, low
    span = high - low
    allowed = min(max(span, limits.least_s), limits.most_s)
    if allowed != span:
        middle = low + span / 2
        low, high = middle - allowed / 2, middle + allowed / 2
    first, last = limits.extent_s[0] - limits.span_s, limits.extent_s[1] + limits.span_s
    shift = max(first - low, 0.0) or min(last - high, 0.0)
    return low + shift, high + shift


def zoomed(present: Interval, limits: Limits, factor: float, about_s: float) -> Interval:
    """Return the range ``factor`` times narrower, with ``about_s`` at the same place of the screen."""
    low, high = present
    span = high - low
    if not (factor > 0 and span > 0):
        return present
    wanted = min(max(span / factor, limits.least_s), limits.most_s)
    share = (about_s - low) / span
    start = about_s - share * wanted
    return start, start + wanted
