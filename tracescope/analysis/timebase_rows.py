"""Counts and spreads of a trace's own clock: intervals, missing, stale and repeated rows, nominal period."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import gap_length_s, median_interval
from tracescope.analysis.intervals import (
    LONG_SERIES,
    MeanInterval,
    influence_interval,
    mean_intervals,
    t_quantile,
)
from tracescope.analysis.stretches import even_rows
from tracescope.model.trace import Channel, Role, Samples, Trace

STALL_PERIODS = 3.0
"""An interval longer than this many periods is a stall, not jitter."""

OUT_OF_ORDER = "out-of-order"
"""Key of the health note a reader leaves where rows ran back in time."""

_NOMINAL = re.compile(
    r"(^|[._/\s])(dt|delta_?t|time_?step|step_?time|period|sample_?time)(_?(s|ms|us|ns|sec))?$",
    re.IGNORECASE,
)
_UNITS = (1.0, 1e-3, 1e-6, 1e-9)
_UNIT_RATIO = 5.0
_LONGER_BY = 1.5
"""Standard errors by which a series' memory is taken longer than it looks."""
_LARGEST_LOG = 50.0
"""A wider half-width of a logarithm says nothing either way, and would overflow."""


@dataclass(frozen=True, slots=True)
class MissingRows:
    """How many rows a trace should have between its first and last, and how many it lacks."""

    missing: int
    expected: int
    by_counter: bool

    @property
    def share(self) -> float:
        """Missing over expected."""
        return self.missing / self.expected if self.expected else 0.0


@dataclass(frozen=True, slots=True)
class Nominal:
    """A period the file states: by a column or by its metadata, in seconds."""

    source: str
    period_s: float


def row_counts(trace: Trace) -> Samples:
    """Return how many steps each interval between rows spans, shape ``(n − 1,)``.

    By counter where there is one. Without one a long interval counts as several only as far as rows are
    missing on balance: a late row that the next ones catch up with is not missing.
    """
    steps = np.diff(trace.time_s)
    counted = _counted(trace)
    if counted is not None:
        return counted
    period_s = median_interval(trace.time_s)
    local = np.where(steps > gap_length_s(trace.time_s), np.round(steps / period_s), 1.0)
    lacking = float((local - 1).sum())
    net = round(trace.duration_s / period_s) - steps.size if lacking else 0
    return local if lacking and net >= 0.5 * lacking else np.ones(steps.size)


def _counted(trace: Trace) -> Samples | None:
    if trace.step is None or len(trace) < 2:
        return None
    counted = np.diff(trace.step)
    if not ((counted >= 0).all() and (counted > 0).any()):
        return None
    return np.round(counted / float(np.median(counted[counted > 0])))


def jittered(trace: Trace) -> Samples:
    """Return the intervals that show jitter, s, shape ``(m,)``: neither missing rows nor stalls, but repeats."""
    steps = np.diff(trace.time_s)
    kept = (row_counts(trace) <= 1) & (steps <= STALL_PERIODS * median_interval(trace.time_s))
    return np.asarray(steps[kept])


def mean_period(trace: Trace, confidence: float) -> MeanInterval:
    """Mean seconds a step with its interval; an interval that spans missing rows counts as several steps.

    Source:
        Influence function of a ratio of means; long-run variance as in
        :mod:`tracescope.analysis.intervals`.
    """
    steps, count = np.diff(trace.time_s), row_counts(trace)
    if steps.size < 3 or not count.sum() > 0:
        return MeanInterval(float("nan"), -np.inf, np.inf, float(steps.size))
    mean_s = float(steps.sum() / count.sum())
    return influence_interval(mean_s, (steps - mean_s * count) / float(count.mean()), confidence)


def period_ratio(sim: MeanInterval, target: MeanInterval) -> MeanInterval:
    """Target's mean interval over the sim's, intervals combined by their relative half-widths."""
    if not (sim.estimate > 0 and target.estimate > 0):
        return MeanInterval(np.nan, -np.inf, np.inf, 0.0)
    ratio = target.estimate / sim.estimate
    half = ratio * float(np.hypot(sim.half / sim.estimate, target.half / target.estimate))
    n_eff = min(sim.n_eff, target.n_eff)
    return MeanInterval(ratio, ratio - half, ratio + half, n_eff)


def spread(value: Samples, confidence: float) -> MeanInterval:
    """Standard deviation of a series with its interval.

    Args:
        value: Shape ``(n,)``; non-finite samples are left out.
        confidence: Two-sided.

    Returns:
        Infinite ends for fewer than three samples, no width for a constant series.

    Source:
        Influence function of log s, ½(z² − 1), taken on the log scale, where it is nearly symmetric. Where
        the squares are too few to show how they hang together, the series itself does: with n_eff = r·n the
        squares of a first-order autoregression count as 2r/(1 + r²)·n (Bartlett 1946), its coefficient
        taken 1½ standard errors larger, √((1 − φ²)/n) each, since a series that happens to look independent
        also looks narrow. The upper end also holds what the sample mean takes out of s, a factor
        √(n_eff/(n_eff − 1)).
    """
    finite = value[np.isfinite(value)]
    if finite.size < 3:
        return MeanInterval(float("nan"), -np.inf, np.inf, float(finite.size))
    sd = float(finite.std())
    if sd <= 1e-12 * max(float(np.abs(finite).max()), 1e-300) or sd < 1e-12:
        return MeanInterval(sd, sd, sd, float(finite.size))
    z = finite - finite.mean()
    z /= sd
    influence = z**2
    influence -= 1.0
    influence *= 0.5
    wider = 1.0
    if z.size > LONG_SERIES:
        # The memory of a very long series shows in stretches of it; what is rare and large in its whole spread.
        power = float(influence @ influence) / z.size
        some = even_rows(z.size)
        z, influence = z[some], influence[some]
        wider = max(1.0, float(np.sqrt(power / max(float(influence.var()), 1e-300))))
    _, half, n_eff = mean_intervals(np.stack((influence, z)), confidence)
    share = _surely_independent(float(n_eff[1]) / z.size, z.size)
    counted = max(z.size * 2 * share / (1 + share**2), 1.5)
    other = float(t_quantile(confidence, counted - 1)) * float(influence.std()) / np.sqrt(counted)
    log_half = min(wider * max(float(half[0]), other), _LARGEST_LOG)
    independent = max(z.size * share, 1.5)
    lost = float(np.sqrt(independent / (independent - 1)))
    low, high = sd * np.exp(-log_half), sd * lost * np.exp(log_half)
    return MeanInterval(sd, float(low), float(high), min(float(n_eff[0]), counted))


def _surely_independent(share: float, rows: int) -> float:
    """Return the share of independent samples of a first-order series whose memory may be longer than it looks."""
    phi = (1 - share) / (1 + share)
    if phi <= 0:
        return share
    longer = min(phi + _LONGER_BY * float(np.sqrt((1 - phi**2) / rows)), 1 - 1 / rows)
    return min((1 - longer) / (1 + longer), share)


def missing_rows(trace: Trace) -> MissingRows:
    """Count rows that are missing between the first and the last: by counter, else by long intervals."""
    if len(trace) < 3:
        return MissingRows(0, len(trace), by_counter=False)
    count = row_counts(trace)
    missing = int(np.maximum(count - 1, 0).sum())
    return MissingRows(missing, len(trace) + missing, by_counter=_counted(trace) is not None)


def rows_back(trace: Trace) -> int:
    """Count the rows that ran back in time in the file, as its reader noted."""
    return sum(note.count for note in trace.health if note.key == OUT_OF_ORDER)


def repeated_stamps(trace: Trace) -> NDArray[np.bool_]:
    """Say which rows have the stamp of the row before, shape ``(n,)``."""
    same = np.zeros(len(trace), dtype=np.bool_)
    if len(trace) > 1:
        same[1:] = np.diff(trace.time_s) == 0
    return same


def stale_rows(trace: Trace) -> NDArray[np.bool_]:
    """Say which rows repeat stamp and observation of the row before, shape ``(n,)``.

    Where no channel is an observation, all channels but actions are looked at.
    """
    stale = repeated_stamps(trace)
    observed = trace.of_role(Role.OBSERVATION) or tuple(
        c for c in trace if c.role not in (Role.ACTION, Role.ACTION_APPLIED)
    )
    for channel in observed:
        if channel.value.shape == trace.time_s.shape and stale.any():
            stale[1:] &= channel.value[1:] == channel.value[:-1]
    return stale


def nominal_periods(trace: Trace) -> tuple[Nominal, ...]:
    """Find what the file itself says its period is: a constant ``dt`` column, or a rate it states."""
    found = []
    measured_s = median_interval(trace.time_s)
    for channel in trace.channels:
        if _NOMINAL.search(channel.name) and channel.value.dtype.kind in "fiu":
            period_s = _constant_period(channel, measured_s)
            if period_s is not None:
                found.append(Nominal(f"column {channel.name}", period_s))
    rate_hz = trace.clock.rate_hz
    if trace.clock.kind == "stamped" and rate_hz is not None and rate_hz > 0:
        found.append(Nominal("stated rate", 1 / rate_hz))
    return tuple(found)


def _constant_period(channel: Channel, measured_s: float) -> float | None:
    value = channel.as_float()
    value = value[np.isfinite(value)]
    if value.size == 0 or not value[0] > 0 or np.ptp(value) > 1e-9 * abs(value[0]):
        return None
    return next(
        (
            float(value[0]) * unit
            for unit in _UNITS
            if 1 / _UNIT_RATIO < float(value[0]) * unit / measured_s < _UNIT_RATIO
        ),
        None,
    )


def is_computed(trace: Trace) -> bool:
    """Say whether stamps look computed from a row number: no jitter at all beyond rounding."""
    steps = np.diff(trace.time_s)
    if steps.size < 3:
        return False
    slack = 1e-6 * float(steps.mean()) + 4 * np.spacing(abs(float(trace.time_s[-1])))
    return bool(np.ptp(steps) <= slack)
