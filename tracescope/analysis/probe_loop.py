"""What a control loop did in time: latency, dropout runs and deadline overruns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import MeanInterval
from tracescope.model.trace import Samples

_REACH_ROWS = 50

SUSTAINED_ROWS = 3
"""From so many rows on a dropout is sustained: a hold-over of one or two rows bridges less."""

CAUGHT_UP_SHARE = 0.75
"""A repeat that hid motion ends in a jump over this share of the usual steps of its rows, or more."""


@dataclass(frozen=True, slots=True)
class Dropouts:
    """Sustained runs without a new measurement.

    Attributes:
        certain: Runs that are not numbers, or repeats that end in a jump over what was missed.
        possible: Other repeats while the other side moved: a sensor at rest, or one that sticks, repeats too.
        longest: Rows of the longest run of either kind.
    """

    certain: int
    possible: int
    longest: int


def dropouts(value: Samples, other: Samples) -> Dropouts:
    """Find the sustained dropouts of a signal.

    Args:
        value: The side that is looked at, shape ``(n,)``.
        other: The other side on the same rows, shape ``(n,)``: where it rests too, a repeat says nothing.
    """
    lost = ~np.isfinite(value)
    held = np.zeros(value.size, dtype=np.bool_)
    held[1:] = (value[1:] == value[:-1]) & (np.diff(other) != 0)
    step = np.abs(np.diff(value))
    usual = float(np.median(step[step > 0])) if (step > 0).any() else np.inf
    certain = sum(last - first >= SUSTAINED_ROWS for first, last in _runs(lost))
    possible, longest = 0, max((last - first for first, last in _runs(lost)), default=0)
    for first, last in _runs(held):
        longest = max(longest, last - first)
        if last - first >= SUSTAINED_ROWS:
            jump = abs(value[last] - value[last - 1]) if last < value.size else 0.0
            caught_up = bool(jump >= CAUGHT_UP_SHARE * (last - first) * usual)
            certain, possible = certain + caught_up, possible + (not caught_up)
    return Dropouts(int(certain), int(possible), int(longest))


def _runs(flag: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return first row and the row behind the last of each run of true values."""
    padded = np.concatenate(([False], flag, [False])).astype(np.int8)
    edge = np.flatnonzero(np.diff(padded))
    return list(zip(edge[::2].tolist(), edge[1::2].tolist(), strict=True))


def overruns(time_s: Samples, deadline_s: float) -> int:
    """Count the intervals between rows that are longer than a deadline.

    Args:
        time_s: Row times, shape ``(n,)``.
        deadline_s: Seconds; rounding of the stamps is allowed for.
    """
    slack = 4 * float(np.spacing(np.abs(time_s).max(initial=0.0))) + 1e-9
    return int((np.diff(time_s) > deadline_s + slack).sum())


def content_latency(
    command: Samples, response: Samples, interval_s: float, confidence: float = 0.99
) -> MeanInterval | None:
    """Return how late a response follows a command whose shape it shows, seconds.

    Args:
        command, response: Shape ``(n,)``, finite, evenly spaced, on the same instants.
        interval_s: Seconds from sample to sample.
        confidence: Two-sided.

    Returns:
        ``None`` where the response does not look like the command at any lag.

    Source:
        See :func:`tracescope.analysis.lag.refine`.
    """
    from tracescope.analysis.correlation import MIN_QUALITY, correlation_curve
    from tracescope.analysis.lag import refine
    from tracescope.analysis.spline import smoothed

    reach = min(_REACH_ROWS, command.size // 3)
    if reach < 2 or not (np.ptp(command) > 0 and np.ptp(response) > 0):
        return None
    ours, theirs = smoothed(command[None, :]), smoothed(response[None, :])
    curve = correlation_curve(ours, theirs, 0, reach)
    score = np.where(np.isfinite(curve.channel[0]), np.abs(curve.channel[0]), -1.0)
    if score.max() < MIN_QUALITY:
        return None
    fit = refine(ours, theirs, float(curve.lag[int(score.argmax())]), confidence)
    if not np.isfinite(fit.lag):
        return None
    low, high = fit.interval
    return MeanInterval(fit.lag * interval_s, low * interval_s, high * interval_s, fit.n_eff)
