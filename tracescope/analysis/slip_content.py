"""Where a clock slips against the counter: did the counter hide rows, or did the loop overrun?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tracescope.analysis.correlation import MIN_QUALITY, correlation_curve, peaks
from tracescope.analysis.counters import Slip, slips
from tracescope.analysis.excerpt import around, is_long
from tracescope.analysis.lag import refine
from tracescope.analysis.spline import Smooth, smoothed
from tracescope.analysis.timebase import Lattice, step_lattice
from tracescope.model.alignment import Interval
from tracescope.model.case import Case

MAX_SLIPS = 6
"""Most slips whose content is looked at; with more, only before the first and after the last."""

_Lag = tuple[float, float, float]
"""Lag, half-width of its interval, effective samples."""

_WINDOW_ROWS = 300
_MIN_WINDOW_ROWS = 40
_REACH_ROWS = 20
_PART_ROWS = 1000
"""Rows before and behind a slip of a long pair that are looked at: windows, reaches and a margin."""


@dataclass(frozen=True, slots=True)
class SlipContent:
    """What the content does at a slip.

    Attributes:
        at_s: Target's stamp after the jump, on its own clock.
        periods: How many periods the clock jumped more than the counter.
        hidden_rows: By how many rows the content jumped there; NaN where it cannot be told.
        interval: Of ``hidden_rows``.
        n_eff: Effective samples of the less certain side.
    """

    at_s: float
    periods: int
    hidden_rows: float
    interval: Interval | None
    n_eff: float


def slip_contents(case: Case) -> tuple[SlipContent, ...]:
    """Measure how far the content jumps at each slip of the target's clock against its counter.

    Many slips are taken together: from before the first to after the last.
    """
    step = case.pair.target.step
    found = slips(case.pair, case.alignment.step_shift)
    if not found or step is None:
        return ()
    counted = np.diff(step)
    place = (step - step[0]) // max(1, int(np.median(counted[counted > 0])))
    spans = [(int(place[slip.row]), int(place[slip.row])) for slip in found]
    if len(found) > MAX_SLIPS:
        spans = [(spans[0][0], spans[-1][1])]
        found = (replace(found[0], periods=sum(slip.periods for slip in found)),)
    if is_long(case):
        return tuple(_in_its_part(case, slip) for slip in found)
    lattice = step_lattice(case, case.alignment.step_shift)
    if not lattice.names:
        return tuple(_untold(case, slip) for slip in found)
    sides = smoothed(lattice.sim), smoothed(lattice.target)
    starts = [0, *(last for _, last in spans)]
    ends = [*(first for first, _ in spans[1:]), lattice.target.shape[1]]
    out = []
    for slip, (here, after), start, end in zip(found, spans, starts, ends, strict=False):
        windows = (max(start, here - _WINDOW_ROWS), here), (after, min(end, after + _WINDOW_ROWS))
        lags = [_lag(lattice, *sides, window, case.confidence) for window in windows]
        out.append(_jump(case, slip, lags))
    return tuple(out)


def _in_its_part(case: Case, slip: Slip) -> SlipContent:
    """Measure one slip of a long pair on the rows around it alone."""
    part, row = around(case, slip.row, _PART_ROWS)
    inside = [one for one in slip_contents(part) if one.at_s == float(part.pair.target.time_s[row])]
    return inside[0] if inside else _untold(case, slip)


def _untold(case: Case, slip: Slip) -> SlipContent:
    at_s = float(case.pair.target.time_s[slip.row])
    return SlipContent(at_s, slip.periods, float("nan"), None, 0.0)


def _jump(case: Case, slip: Slip, lags: list[_Lag | None]) -> SlipContent:
    before, after = lags
    if before is None or after is None:
        return _untold(case, slip)
    hidden = before[0] - after[0]
    half = float(np.hypot(before[1], after[1]))
    return replace(
        _untold(case, slip),
        hidden_rows=hidden,
        interval=(hidden - half, hidden + half),
        n_eff=min(before[2], after[2]),
    )


def _lag(
    lattice: Lattice, sim: Smooth, target: Smooth, window: tuple[int, int], confidence: float
) -> _Lag | None:
    """Find the lag left in a window of the target's rows."""
    first, last = window
    if last - first < _MIN_WINDOW_ROWS:
        return None
    centre = round(-lattice.start_rows)
    low = max(0, first - centre - _REACH_ROWS)
    high = min(sim.value.shape[1], last - centre + _REACH_ROWS)
    if high - low < _MIN_WINDOW_ROWS:
        return None
    early = Smooth(sim.value[:, low:high], sim.known[:, low:high])
    late = Smooth(target.value[:, first:last], target.known[:, first:last])
    aligned = centre + low - first
    curve = correlation_curve(early, late, aligned - _REACH_ROWS, aligned + _REACH_ROWS)
    if not np.isfinite(curve.score).any():
        return None
    peak, _ = peaks(curve)
    if not curve.score[peak] > MIN_QUALITY:
        return None
    fit = refine(early, late, float(curve.lag[peak]), confidence)
    if not np.isfinite(fit.lag):
        return None
    return fit.lag - aligned, (fit.interval[1] - fit.interval[0]) / 2, fit.n_eff
