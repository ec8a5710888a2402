"""Channels read between their samples, for finding a lag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import Place, median_interval, place_of
from tracescope.model.alignment import Alignment
from tracescope.model.trace import Samples

BRIDGED_PERIODS = 3.5
"""Holes up to this many intervals are bridged: jittered stamps are not gaps."""


@dataclass(frozen=True, slots=True)
class _Clock:
    """A channel's clock without repeated stamps: times, which samples they are, the longest bridged hole."""

    time_s: Samples
    kept: NDArray[np.bool_] | None
    hole_s: float
    slack_s: float


class Clocks:
    """The clocks of a pair, prepared once although many channels share one. To be used while the pair lives."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        self._known: dict[tuple[Place, bool], _Clock] = {}
        self._blanks: dict[tuple[Place, bool, int], tuple[Samples, NDArray[np.bool_]]] = {}

    def bridged(self, time_s: Samples, value: Samples, at_s: Samples, *, mapped: bool) -> Samples:
        """Interpolate linearly, whatever the role: a lag needs every sample at its own stamp."""
        key = (place_of(time_s), mapped)  # channels of one clock hold views of their own
        if key not in self._known:
            self._known[key] = _clock(self._alignment.to_sim(time_s) if mapped else time_s)
        clock = self._known[key]
        if clock.time_s.size == 0:
            return np.full(at_s.shape, np.nan)
        held, blank = self._blanks.get((*key, id(at_s)), (None, None))
        if held is not at_s or blank is None:
            blank = _blank(clock, at_s)
            self._blanks[(*key, id(at_s))] = (at_s, blank)
        value = value if clock.kept is None else value[clock.kept]
        out = np.interp(np.where(blank, clock.time_s[0], at_s), clock.time_s, value)
        out[blank] = np.nan
        return out


def _blank(clock: _Clock, at_s: Samples) -> NDArray[np.bool_]:
    """Say at which instants nothing can be read: in holes, before and after, and where there is none."""
    wanted = np.isfinite(at_s)
    at = np.where(wanted, at_s, clock.time_s[0])
    left = np.clip(np.searchsorted(clock.time_s, at, side="right") - 1, 0, clock.time_s.size - 1)
    right = np.minimum(left + 1, clock.time_s.size - 1)
    hole = (clock.time_s[right] - clock.time_s[left] > clock.hole_s) & (at > clock.time_s[left])
    outside = (at < clock.time_s[0] - clock.slack_s) | (at > clock.time_s[-1] + clock.slack_s)
    return np.asarray(hole | outside | ~wanted)


def _clock(time_s: Samples) -> _Clock:
    kept = np.concatenate(([True], np.diff(time_s) > 0)) if time_s.size else np.zeros(0, np.bool_)
    distinct = time_s if kept.all() else time_s[kept]
    interval_s = median_interval(distinct)
    slack_s = 1e-3 * interval_s if np.isfinite(interval_s) else 0.0
    return _Clock(distinct, None if kept.all() else kept, BRIDGED_PERIODS * interval_s, slack_s)
