"""Comparable transitions against each other, and how the residual grows along the episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tracescope.analysis.intervals import influence_interval, mean_interval, mean_intervals
from tracescope.analysis.robust_line import robust_line
from tracescope.analysis.transitions import Comparable
from tracescope.analysis.workbench import Workbench
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

SAME_MOTION = 0.9
"""Correlation of comparable steps above which both sides were moved by the same thing."""

BLOCKS = 40
MIN_BLOCKS = 8


@dataclass(frozen=True, slots=True)
class PairedMotion:
    """Steps of one observation on comparable transitions.

    Attributes:
        name: Sim name.
        count: Comparable transitions.
        ratio: Spread of the target's steps over the simulator's, with interval.
        bias: Mean of target less simulator over rms motion, with interval.
        scatter: Spread of target less simulator over rms motion.
        correlation: Of the two sides' steps.
        same: Whether both were moved by the same thing, so that the ratio means something.
        n_eff: Effective number of transitions.
    """

    name: str
    count: int
    ratio: tuple[float, Interval]
    bias: tuple[float, Interval]
    scatter: float
    correlation: float
    same: bool
    n_eff: float


def paired_motion(
    bench: Workbench, comparable: Comparable, names: Sequence[str], confidence: float
) -> tuple[PairedMotion, ...]:
    """Compare the steps of observations on comparable transitions.

    Args:
        bench: The case.
        comparable: Which transitions count; at least three.
        names: Sim names of observations.
        confidence: Of each interval.

    Returns:
        One a channel that moves on those transitions.

    Source:
        Ratio of spreads (reduced major axis), widened to the bracket of both regressions, so that
        noise in either trace cannot pass for a difference.
    """
    at = np.flatnonzero(comparable.alike)
    out = []
    for name in names:
        sim, target = bench.rows.sim[name], bench.rows.target[name]
        x, y = sim[at + 1] - sim[at], target[at + 1] - target[at]
        if min(float(x.std()), float(y.std())) > 0:
            out.append(_paired(name, x, y, confidence))
    return tuple(out)


def _paired(name: str, x: Samples, y: Samples, confidence: float) -> PairedMotion:
    motion = float(np.sqrt((x**2).mean() + (y**2).mean()) / np.sqrt(2))
    centred_x, centred_y = x - x.mean(), y - y.mean()
    sd_x, sd_y = float(centred_x.std()), float(centred_y.std())
    r = float(np.clip((centred_x * centred_y).mean() / (sd_x * sd_y), -1.0, 1.0))
    ratio = sd_y / sd_x
    influence = ((centred_y / sd_y) ** 2 - (centred_x / sd_x) ** 2) / 2
    log = influence_interval(float(np.log(ratio)), influence, confidence)
    slack = -np.log(max(abs(r), 1e-6))
    bias = mean_interval((y - x) / motion, confidence)
    return PairedMotion(
        name,
        int(x.size),
        (ratio, (float(np.exp(log.low - slack)), float(np.exp(log.high + slack)))),
        (bias.estimate, bias.interval),
        float((y - x).std() / motion),
        r,
        r > SAME_MOTION,
        min(log.n_eff, bias.n_eff),
    )


def residual_growth(bench: Workbench, names: Sequence[str]) -> tuple[float, Interval] | None:
    """Return how fast the residual grows, in sim standard deviations a second, with its interval.

    Args:
        bench: The case.
        names: Live observations; their residuals are counted in sim standard deviations and averaged.

    Returns:
        ``None`` where there are too few rows.

    Source:
        Theil (1950) and Sen (1968) on medians of blocks, which leaves little autocorrelation; what it
        leaves widens the interval by the square root of the blocks over their effective number.
    """
    rows = bench.rows
    n = len(rows)
    blocks = min(BLOCKS, n // 5)
    if blocks < MIN_BLOCKS or not names:
        return None
    size = np.zeros(n)
    for name in names:
        sim = rows.sim[name]
        size += np.abs(rows.target[name] - sim) / max(float(np.nanstd(sim)), 1e-300)
    size /= len(names)
    known = np.isfinite(size)
    if known.sum() < 2 * blocks:
        return None
    parts = np.array_split(np.flatnonzero(known), blocks)
    level = np.array([np.median(size[p]) for p in parts])
    time_s = np.array([np.median(rows.time_s[p]) for p in parts])
    line = robust_line(time_s, level, bench.case.confidence)
    if line is None:
        return None
    left = level - line.level - line.slope * time_s
    _, _, n_eff = mean_intervals(left[None, :], bench.case.confidence)
    wider = float(np.sqrt(left.size / max(float(n_eff[0]), 1.0)))
    low, high = line.interval
    return line.slope, (
        line.slope - wider * (line.slope - low),
        line.slope + wider * (high - line.slope),
    )
