"""What a control loop did in time: latency, dropout runs and deadline overruns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import MeanInterval
from tracescope.model.trace import Samples

_REACH_ROWS = 50

SUSTAINED_ROWS = 3
"""From so many rows on a dropout is sustained: a hold-over of one or two rows bridges less."""


def run_lengths(flag: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the lengths of the runs of true values, in order, shape ``(runs,)``."""
    padded = np.concatenate(([False], flag, [False])).astype(np.int8)
    edge = np.flatnonzero(np.diff(padded))
    return np.asarray(edge[1::2] - edge[::2], dtype=np.int64)


def dropped(value: Samples, other: Samples) -> NDArray[np.bool_]:
    """Say which rows hold no new measurement: not a number, or a repeat while the other side moved.

    Args:
        value: The side that is looked at, shape ``(n,)``.
        other: The other side on the same rows, shape ``(n,)``.
    """
    lost = ~np.isfinite(value)
    if value.size > 1:
        moved = np.zeros(value.size, dtype=np.bool_)
        moved[1:] = np.diff(other) != 0
        lost[1:] |= (value[1:] == value[:-1]) & moved[1:]
    return np.asarray(lost)


def sustained(flag: NDArray[np.bool_]) -> tuple[int, int]:
    """Return how many sustained runs there are and the longest run, rows."""
    lengths = run_lengths(flag)
    return int((lengths >= SUSTAINED_ROWS).sum()), int(lengths.max(initial=0))


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
