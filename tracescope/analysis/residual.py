"""The residual, target less sim, on the simulator's clock; and the lag each signal keeps to itself.

Uses the case's one alignment and corrections, as drawing and checks do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.correlation import MIN_QUALITY, correlation_curve
from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.lag import refine
from tracescope.analysis.pooling import normal_quantile
from tracescope.analysis.rows import resampled
from tracescope.analysis.spline import smoothed
from tracescope.analysis.timebase import step_lattice, time_lattice
from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.trace import Samples

_REACH_ROWS = 50


@dataclass(frozen=True, slots=True)
class SignalLag:
    """How late one signal of the target is under the alignment in force: latency, never clock offset."""

    channel: str
    lag_s: float
    interval_s: Interval


def residual(case: Case, sim_name: str, at_s: Samples | None = None) -> tuple[Samples, Samples]:
    """Return a channel's residual, target − sim.

    Observations are interpolated linearly, what holds its value is read from the sample before; nothing is
    read across gaps.

    Args:
        case: Pair, alignment and corrections.
        sim_name: The sim's channel; its matched target channel is compared.
        at_s: Instants on the sim's clock, not decreasing; by default the sim's own stamps where the target
            has samples too.

    Returns:
        Instants and differences, shape ``(m,)`` each; NaN where either has no sample.

    Raises:
        KeyError: where the channel does not exist or is not matched.
    """
    sim = case.pair.sim[sim_name]
    target_name = case.pair.target_of(sim_name)
    if target_name is None:
        raise KeyError(f"{sim_name} has no counterpart in the target")
    target = case.pair.target[target_name]
    if at_s is None:
        at_s = _common(sim.time_s, case.alignment.to_sim(target.time_s))
    ours = resampled(sim, sim.as_float(), at_s, gap_length_s(sim.time_s))
    theirs = resampled(
        target,
        case.target_values(target_name),
        case.alignment.to_target(at_s),
        gap_length_s(target.time_s),
    )
    return at_s, theirs - ours


def _common(sim_s: Samples, target_s: Samples) -> Samples:
    if not (sim_s.size and target_s.size):
        return np.zeros(0)
    slack = 1e-9 * max(1.0, abs(float(target_s[-1])))
    inside = (sim_s >= target_s[0] - slack) & (sim_s <= target_s[-1] + slack)
    return np.asarray(sim_s[inside])


def signal_lags(case: Case) -> tuple[SignalLag, ...]:
    """Measure how late each moving signal of the target is under the alignment in force.

    Returns:
        One a channel whose lag can be resolved within a few rows of "aligned".

    Source:
        See :func:`tracescope.analysis.lag.refine`.
    """
    alignment, pair = case.alignment, case.pair
    if alignment.mode == "step" and pair.sim.step is not None and pair.target.step is not None:
        lattice = step_lattice(case, alignment.step_shift)
    else:
        lattice = time_lattice(case, alignment)
    lattice = lattice.only(lattice.is_content)
    if not lattice.names:
        return ()
    aligned = -lattice.start_rows
    sim, target = smoothed(lattice.sim), smoothed(lattice.target)
    reach = min(_REACH_ROWS, min(lattice.sim.shape[1], lattice.target.shape[1]) // 3)
    curve = correlation_curve(sim, target, round(aligned) - reach, round(aligned) + reach)
    score = np.where(np.isfinite(curve.channel), curve.channel, -1.0)
    start = np.asarray(curve.lag[score.argmax(axis=1)], dtype=np.float64)
    fit = refine(sim, target, start, case.confidence)
    halves = normal_quantile(case.confidence) * fit.channel_se
    found = zip(lattice.names, fit.channel_lag - aligned, halves, score.max(axis=1), strict=True)
    return tuple(
        SignalLag(
            name,
            float(lag) * lattice.row_s,
            (float(lag - half) * lattice.row_s, float(lag + half) * lattice.row_s),
        )
        for name, lag, half, peak in found
        if np.isfinite(half) and peak > MIN_QUALITY
    )
