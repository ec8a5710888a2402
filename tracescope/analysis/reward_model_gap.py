"""Whether both sides pay the same reward for the same state and action.

Each target row is set against the simulator row that lies nearest in what the reward depends on, and
the function fitted on the simulator only carries the difference between the two: a bias-corrected match,
so that a misfit of the function cancels where the motions overlap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import (
    MeanInterval,
    influence_interval,
    mean_interval,
    t_quantile,
)
from tracescope.analysis.reward_model import RewardModel
from tracescope.analysis.reward_model_rows import RewardSides
from tracescope.model.trace import Samples

MAX_ROWS = 1500
"""More rows than this are thinned for matching: every k-th."""

FEWEST = 12
"""Target rows that a comparison with a fitted function needs: nothing is fitted to them but a slope, and
with few of them the intervals' quantiles are wide."""

MIN_VARIATION = 0.04
"""Least variance of the expected reward, in squared sim standard deviations, for a slope."""


@dataclass(frozen=True, slots=True, eq=False)
class RewardGap:
    """How the target's reward differs from what the simulator pays for the same state and action.

    Attributes:
        difference: Mean difference in simulator standard deviations of the reward.
        slope: Target's reward per simulator's.
        support: Share of the target's rows inside the supported region.
        rows: Rows compared.
        range: Least and largest reward they speak for.
        time_s: Stamps of those rows, shape ``(m,)``.
        series: The difference at each, in simulator standard deviations, shape ``(m,)``.
        varies: Whether the reward moves enough among those rows for a slope.
        on_target_clock: Whether ``time_s`` is on the target's clock, else the sim's.
    """

    difference: MeanInterval
    slope: MeanInterval
    support: float
    rows: int
    range: tuple[float, float]
    time_s: Samples
    series: Samples
    varies: bool
    on_target_clock: bool = True

    def widened(self, by: float) -> RewardGap:
        """Return the gap with both intervals reaching ``by`` farther on either side."""

        def wider(mean: MeanInterval) -> MeanInterval:
            return MeanInterval(mean.estimate, mean.low - by, mean.high + by, mean.n_eff)

        return replace(self, difference=wider(self.difference), slope=wider(self.slope))


def reward_gap(model: RewardModel, sides: RewardSides, confidence: float) -> RewardGap | None:
    """Compare the target's reward with the simulator's function; ``None`` without supported rows.

    Source:
        Bias-corrected matching: Abadie and Imbens, Journal of Business & Economic Statistics 29 (2011).
        What the simulator's own rows add to the variance is summed in the simulator's order, where
        neighbours share their noise and a row may be used several times.
    """
    sim, target = sides.sim.thinned(MAX_ROWS), sides.target.thinned(MAX_ROWS)
    inside = model.supported(target) > 0
    support = float(inside.mean()) if len(target) else 0.0
    target = target.some(np.flatnonzero(inside))
    if len(target) < FEWEST:
        return None
    sd = float(np.std(sides.sim.reward))
    near = _nearest(target.inputs, sim.inputs, model.weight / model.spread)
    here, there = model.design(target), model.design(sim)[near]
    expected = here @ model.beta
    ahead = (target.reward - expected) / sd
    residual = (sim.reward[near] - there @ model.beta) / sd
    series: Samples = np.asarray(ahead - residual, dtype=np.float64)
    reuse = _reuse(near, residual - residual.mean(), len(sim), confidence)
    centred = (expected - expected.mean()) / sd
    power = float(np.mean(centred**2))
    # What each set of coefficients would have said instead, shape (m, blocks).
    moved = (here - there) @ (model.beta - model.without).T / sd
    unsure = _jackknife(moved.mean(axis=0))
    bias = abs(float(np.mean(residual))) / 2
    tilt = float(np.mean(centred * series)) / power if power > 0 else 0.0
    # The mean is of the rows the target went through: what follows a slope is no doubt about it.
    left: Samples = np.asarray(series - tilt * centred, dtype=np.float64)
    difference = _wider(
        _with_slope(mean_interval(left, confidence)),
        float(np.hypot(reuse, unsure)),
        bias,
        confidence,
    )
    slope = MeanInterval(float("nan"), -np.inf, np.inf, 0.0)
    if power > 0:
        influence = centred * (left - left.mean()) / power
        unsure = _jackknife(centred @ moved / len(centred) / power)
        bias = abs(float(np.mean(centred * residual))) / power / 2
        reuse = _reuse(near, centred * residual / power, len(sim), confidence)
        extra = float(np.hypot(reuse, unsure))
        slope = _wider(
            influence_interval(1.0 + tilt, influence, confidence), extra, bias, confidence
        )
    span = (float(target.reward.min()), float(target.reward.max()))
    return RewardGap(
        difference,
        slope,
        support,
        len(target),
        span,
        target.time_s,
        series,
        varies=power > MIN_VARIATION,
    )


def _reuse(near: NDArray[np.int64], influence: Samples, sim_rows: int, confidence: float) -> float:
    """Standard error that the simulator's rows add to a mean, beyond what the target's order shows of it.

    In the target's order the noise of matched rows looks independent; in the simulator's it is that of
    neighbours, and of rows used several times.

    Args:
        near: Simulator row of each target row, shape ``(m,)``.
        influence: Of that row's residual on the estimate, shape ``(m,)``.
        sim_rows: Rows of the simulator.
        confidence: Two-sided.
    """
    summed: Samples = np.bincount(near, weights=influence, minlength=sim_rows).astype(np.float64)
    own = mean_interval(summed * (sim_rows / near.size), confidence)
    error = own.half / float(t_quantile(confidence, max(own.n_eff - 1, 1.0)))
    seen = float(np.mean(influence**2)) / near.size
    return float(np.sqrt(max(error**2 - seen, 0.0)))


def _jackknife(estimates: Samples) -> float:
    """Standard error from leave-one-block-out estimates, shape ``(blocks,)`` (Quenouille, Tukey)."""
    count = estimates.size
    return float(np.sqrt((count - 1) / count * np.sum((estimates - estimates.mean()) ** 2)))


def _with_slope(mean: MeanInterval) -> MeanInterval:
    """Widen the interval of a residual's mean for the degree of freedom that its slope took."""
    taken = float(np.sqrt(mean.n_eff / max(mean.n_eff - 1, 1.0)))
    half = mean.half * taken
    return MeanInterval(mean.estimate, mean.estimate - half, mean.estimate + half, mean.n_eff)


def _wider(mean: MeanInterval, extra: float, bias: float, confidence: float) -> MeanInterval:
    """Widen an interval by an independent standard error and by a bias that may remain."""
    t = float(t_quantile(confidence, max(mean.n_eff - 1, 1.0)))
    half = float(np.hypot(mean.half, t * extra)) + bias
    return MeanInterval(mean.estimate, mean.estimate - half, mean.estimate + half, mean.n_eff)


def _nearest(these: Samples, among: Samples, weight: Samples) -> NDArray[np.int64]:
    """Row of ``among`` nearest to each of ``these``, in weighted inputs, shape ``(n,)``."""
    a, b = these * weight, among * weight
    centre = b.mean(axis=0)
    a, b = a - centre, b - centre
    square = (b**2).sum(axis=1)[None, :] - 2 * a @ b.T
    return np.asarray(square.argmin(axis=1))


def paired_gap(
    sim_reward: Samples, target_reward: Samples, time_s: Samples, sd: float, confidence: float
) -> RewardGap:
    """Compare the rewards of rows in which state and action are alike, without any function.

    Args:
        sim_reward, target_reward: On the comparable rows in time order, shape ``(m,)``.
        time_s: Their stamps on the sim's clock, shape ``(m,)``.
        sd: The simulator's standard deviation of the reward over its whole trace.
        confidence: Two-sided.

    Returns:
        Difference and slope; the slope's interval holds both the regression of target on simulator and
        the inverse one, since either reward may be noisy.
    """
    series = (target_reward - sim_reward) / sd
    difference = mean_interval(series, confidence)
    x, y = (sim_reward - sim_reward.mean()) / sd, (target_reward - target_reward.mean()) / sd
    xx, yy, xy = float(np.mean(x**2)), float(np.mean(y**2)), float(np.mean(x * y))
    slope = MeanInterval(float("nan"), -np.inf, np.inf, 0.0)
    if xx > 0 and yy > 0 and xy > 0:
        middle = float(np.sqrt(yy / xx))
        influence = middle * 0.5 * (y**2 / yy - x**2 / xx)
        found = influence_interval(middle, influence, confidence)
        low, high = min(xy / xx, yy / xy), max(xy / xx, yy / xy)
        slope = MeanInterval(
            middle, found.low - (middle - low), found.high + (high - middle), found.n_eff
        )
    span = (float(target_reward.min()), float(target_reward.max()))
    return RewardGap(
        difference,
        slope,
        1.0,
        len(series),
        span,
        time_s,
        series,
        varies=xx > MIN_VARIATION,
        on_target_clock=False,
    )
