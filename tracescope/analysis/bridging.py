"""Channels read between their samples, for finding a lag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import median_interval
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
    """The clocks of a pair, prepared once although many channels share one."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment = alignment
        self._known: dict[tuple[int, bool], _Clock] = {}

    def bridged(self, time_s: Samples, value: Samples, at_s: Samples, *, mapped: bool) -> Samples:
        """Interpolate linearly, whatever the role: a lag needs every sample at its own stamp."""
        key = (id(time_s), mapped)
        if key not in self._known:
            self._known[key] = _clock(self._alignment.to_sim(time_s) if mapped else time_s)
        clock = self._known[key]
        if clock.time_s.size == 0:
            return np.full(at_s.shape, np.nan)
        value = value if clock.kept is None else value[clock.kept]
        wanted = np.isfinite(at_s)
        at = np.where(wanted, at_s, clock.time_s[0])
        out = np.interp(at, clock.time_s, value)
        left = np.clip(np.searchsorted(clock.time_s, at, side="right") - 1, 0, value.size - 1)
        right = np.minimum(left + 1, value.size - 1)
        hole = (clock.time_s[right] - clock.time_s[left] > clock.hole_s) & (at > clock.time_s[left])
        outside = (at < clock.time_s[0] - clock.slack_s) | (at > clock.time_s[-1] + clock.slack_s)
        out[hole | outside | ~wanted] = np.nan
        return out


def _clock(time_s: Samples) -> _Clock:
    kept = np.concatenate(([True], np.diff(time_s) > 0)) if time_s.size else np.zeros(0, np.bool_)
    distinct = time_s if kept.all() else time_s[kept]
    interval_s = median_interval(distinct)
    slack_s = 1e-3 * interval_s if np.isfinite(interval_s) else 0.0
    return _Clock(distinct, None if kept.all() else kept, BRIDGED_PERIODS * interval_s, slack_s)
