"""How far the one-step relations of two traces lie apart, over the rows that the target visited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import (
    MIN_EFFECTIVE,
    bonferroni,
    mean_intervals,
    t_quantile,
)
from tracescope.analysis.one_step import Kind, Relation, affordable, richer_model
from tracescope.analysis.one_step_fit import Fit, fitted
from tracescope.analysis.one_step_spread import spread_interval
from tracescope.analysis.one_step_sums import SummedGap, summed_gaps
from tracescope.model.alignment import Interval
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Samples

MIN_INSIDE = 0.3
"""At least this share of the target's rows must lie inside the simulator's supported region."""

ALL_INSIDE = 0.995
"""Above this share the few rows outside are not told apart: the quantile itself leaves some out."""


NARROW = 0.03
"""An upper end far below the usual tolerance needs no sums."""

RESOLVED = 0.5
"""Nor does a gap whose lower end is this part of its upper one."""

SLOW = 0.5
"""Lag-one correlation above which a residual is more drift than noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """The one-step gap of one output.

    Attributes:
        output: Column of the relation.
        kind: The model it was measured with.
        estimate, interval: Rms difference of the two predictions over rms one-step motion, free of the
            part that estimation noise alone makes.
        n_eff: Effective number of transitions, the smaller side's.
        inside: Share of the target's transitions inside the supported region.
        outside: Interval over all transitions, also those outside.
        unexcited: Rms over rms motion of what directions that the simulator hardly excited may hold: the
            target's motion there, or what the simulator's relation makes of it where that is more.
        scatter_ratio: Residual spread of the target's relation over the simulator's.
        bias: Mean of target less the simulator's prediction, over rms motion, with its interval.
        worst: Target transition (position in ``relation.target``) where predictions differ most.
        wander: Rms residual of the target's relation over rms motion where that residual is mostly
            slow (lag-one correlation above one half), else 0: the target is moved by something else.
        sums: Rows added up where sums set the upper end (see :func:`one_step_sums.summed_gaps`), else 0.
        score: Part of those sums that the relation explains, else of one row's motion.
    """

    output: int
    kind: Kind
    estimate: float
    interval: Interval
    n_eff: float
    inside: float
    outside: Interval
    unexcited: float
    scatter_ratio: float
    bias: tuple[float, Interval]
    worst: int
    wander: float = 0.0
    sums: int = 0
    score: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class _Sizes:
    """Gap of every output of a fit: all arrays of shape ``(J,)``, ``worst`` rows of the fit's target."""

    estimate: Samples
    low: Samples
    high: Samples
    n_eff: Samples
    unexcited: Samples
    scatter_ratio: Samples
    worst: Samples
    wander: Samples
    missed: Samples
    motion: Samples


def gaps(
    relation: Relation,
    confidence: float,
    outputs: Sequence[int] | None = None,
    pulse: Pulse = never,
    *,
    lower_only: bool = False,
) -> tuple[Gap, ...]:
    """Measure the gap of every output that a model predicts.

    The interval's lower end is the lowest that plain least squares, a fit under slow disturbances, one
    freed of sensor noise, one without an unsure constant part and the next richer model give: a gap is
    believed only where all see it. What the richer model adds to the simulator's prediction is added to
    the upper end. Where no richer model is affordable, the part of the
    motion that the model misses on both sides is taken off the lower end. Where sums over a few rows, which
    sensor noise hardly enters, leave less room, their upper end counts; outputs that only sums predict have
    no lower end.

    Args:
        relation: Both sides.
        confidence: Of all intervals of plant outputs jointly.
        outputs: Only these.
        pulse: Called between the fits.
        lower_only: Leave out the sums, where upper ends are not asked for.

    Returns:
        By rising column, kinematic rows included.

    Source:
        Scaled noncentral chi-square by Satterthwaite's two moments (1946), inflated by the long-run
        variance of the gap's influence function.
    """
    # Kinematic rows can fail no plant and take no share of the error rate.
    noisy = [] if lower_only or outputs is not None else _noisy(relation)
    each = bonferroni(confidence, len(relation.plant_outputs) + len(noisy))
    wanted = relation.outputs if outputs is None else tuple(outputs)
    out: list[Gap] = []
    for kind in dict.fromkeys(relation.kind[j] for j in wanted):
        if kind is not None:
            chosen = [j for j in wanted if relation.kind[j] == kind]
            found = _gaps_of_kind(relation, kind, chosen, each, pulse, lower_only=lower_only)
            out += _resolved(relation, kind, found, each, pulse)
    if noisy:
        found = _gaps_of_kind(relation, "linear", noisy, each, pulse, only_sums=True)
        out += [gap for gap in found if gap.sums]
    return tuple(sorted(out, key=lambda gap: gap.output))


def _noisy(relation: Relation) -> list[int]:
    """Return columns that a plant parameter may enter and no one-step relation predicts."""
    if not all(affordable("linear", steps) for steps in (relation.sim, relation.target)):
        return []
    own = [j for j, name in enumerate(relation.names) if name not in relation.identical]
    return [j for j in own if relation.kind[j] is None and j not in relation.kinematic]


def _resolved(
    relation: Relation, kind: Kind, found: list[Gap], confidence: float, pulse: Pulse
) -> list[Gap]:
    """Measure again with a richer model what a slow misfit left with too few effective samples."""
    thin = [gap.output for gap in found if gap.n_eff < MIN_EFFECTIVE]
    rich = richer_model(relation, kind)
    if not thin or rich is None:
        return found
    again = {gap.output: gap for gap in _gaps_of_kind(relation, rich, thin, confidence, pulse)}
    better = {j: gap for j, gap in again.items() if gap.n_eff >= MIN_EFFECTIVE}
    return [better.get(gap.output, gap) for gap in found]


def _gaps_of_kind(
    relation: Relation,
    kind: Kind,
    outputs: list[int],
    confidence: float,
    pulse: Pulse,
    *,
    only_sums: bool = False,
    lower_only: bool = False,
) -> list[Gap]:
    pulse()
    whole = fitted(relation, kind, outputs)
    pulse()
    inside = whole.along.inside(*whole.z)
    share = float(inside.mean())
    enough = share >= MIN_INSIDE and inside.sum() >= 3 * whole.x[0].shape[1]
    used = inside if enough and share < ALL_INSIDE else None
    part = whole if used is None else fitted(relation, kind, outputs, used)
    pulse()
    size = _sizes(part, confidence)
    pulse()
    every = size if part is whole else _sizes(whole, confidence)
    pulse()
    low, high = _ends(relation, part, size, used, kind, confidence)
    pulse()
    bias, bias_half = _biases(part, confidence)
    position = np.arange(len(relation.target)) if used is None else np.flatnonzero(used)
    found = [
        Gap(
            j,
            kind,
            float(size.estimate[i]),
            (float(low[i]), float(high[i])),
            float(size.n_eff[i]),
            share,
            (float(every.low[i]), float(every.high[i])),
            float(size.unexcited[i]),
            float(size.scatter_ratio[i]),
            (float(bias[i]), (float(bias[i] - bias_half[i]), float(bias[i] + bias_half[i]))),
            int(position[int(size.worst[i])]),
            float(size.wander[i]),
            score=float(relation.score[j]),
        )
        for i, j in enumerate(outputs)
    ]
    if only_sums:
        endless = (0.0, float("inf"))
        found = [replace(gap, interval=endless, outside=endless) for gap in found]
    wide = [] if lower_only else [gap.output for gap in found if _wide(gap)]
    by_sums = summed_gaps(relation, wide, confidence, used, pulse)
    of_all = by_sums if used is None else summed_gaps(relation, wide, confidence, pulse=pulse)
    return [_sharpened(gap, by_sums.get(gap.output), of_all.get(gap.output)) for gap in found]


def _ends(
    relation: Relation,
    part: Fit,
    size: _Sizes,
    used: NDArray[np.bool_] | None,
    kind: Kind,
    confidence: float,
) -> tuple[Samples, Samples]:
    """Return both ends of each gap after a look at a richer model, shape ``(J,)``."""
    outputs = list(part.outputs)
    rich = richer_model(relation, kind)
    if rich is not None:
        richer = fitted(relation, rich, outputs, used)
        low = np.minimum(size.low, _sizes(richer, confidence).low)
        return low, np.sqrt(size.high**2 + _curvature(part, richer) / size.motion**2)
    # Nothing shows that the unexplained motion is noise: two fits of one curved relation over
    # different regions may lie as far apart as what both of them miss.
    missed = np.clip(1 - relation.score[outputs], 0.0, 1.0) + size.missed
    return np.sqrt(np.maximum(size.low**2 - missed, 0.0)), size.high


def _wide(gap: Gap) -> bool:
    """Whether a gap leaves room that sums may take: neither settled as small nor resolved."""
    low, high = gap.interval
    return high > NARROW and low < RESOLVED * high


def _sharpened(gap: Gap, by_sums: SummedGap | None, of_all: SummedGap | None) -> Gap:
    """Return a gap with the upper end that sums leave, where that is lower and does not contradict."""
    low, high = gap.interval
    if by_sums is None or of_all is None or not low <= by_sums.high < high:
        return gap
    return replace(
        gap,
        estimate=float(np.clip(by_sums.estimate, low, by_sums.high)),
        interval=(low, by_sums.high),
        outside=(gap.outside[0], min(gap.outside[1], of_all.high)),
        n_eff=by_sums.n_eff,
        sums=by_sums.length,
        score=by_sums.score,
    )


def _curvature(plain: Fit, richer: Fit) -> Samples:
    """Return the mean square by which a richer model moves the simulator's prediction, shape ``(J,)``.

    Taken on the target's rows, where a straight line fitted elsewhere may miss a bend; what estimation
    noise alone makes is taken out.
    """
    predicted, noise = [], []
    error = richer.y[0] - richer.z[0] @ richer.plain[0]
    power = (error**2).sum(axis=0) / max(len(error) - richer.z[0].shape[1], 1)
    for fit in (plain, richer):
        kept = fit.along.comparable
        predicted.append(fit.z[1] @ np.where(kept[:, None], fit.plain[0], fit.plain[1]))
        noise.append(float((fit.along.target[kept] / fit.along.sim[kept]).sum()) / len(error))
    moved = ((predicted[1] - predicted[0]) ** 2).mean(axis=0)
    return np.asarray(np.maximum(moved - power * max(noise[1] - noise[0], 0.0), 0.0))


def _sizes(fit: Fit, confidence: float) -> _Sizes:
    along = fit.along
    kept = along.comparable[:, None]
    sim, target = (np.where(kept, s[:, None], 1.0) for s in (along.sim, along.target))
    weight = np.where(kept, target, 0.0)
    delta = np.where(kept, fit.plain[0] - fit.plain[1], 0.0)
    variance = np.zeros_like(delta)
    spread, counts = [], []
    for z, y, b, second in zip(fit.z, fit.y, fit.plain, (sim, target), strict=True):
        error = y - z @ b
        dof = max(len(z) - z.shape[1], 1)
        power = (error**2).sum(axis=0) / dof
        inflation, n_eff = _inflation(z @ (weight / second * delta), error, power)
        tails = float(t_quantile(confidence, dof) / t_quantile(confidence, 1e9)) ** 2
        variance += tails * inflation * power / (len(z) * second)
        spread.append(power)
        counts.append(n_eff)
    noise = weight * variance
    # The target's motion as its own relation predicts it: free of noise.
    used = along.target[:, None]
    motion = np.sqrt(np.maximum((used * fit.plain[1] ** 2).sum(axis=0), 1e-300))
    squared = (weight * delta**2).sum(axis=0)
    low, high = _intervals(squared, noise, confidence)
    sure = _sure_constant(fit, confidence)
    for a, b in (fit.plain, *fit.others):
        other = np.where(kept, a - b, 0.0)
        steady = np.abs((fit.z[1] @ other).mean(axis=0))
        shift = (weight * other**2).sum(axis=0) - steady**2 + np.minimum(sure, steady) ** 2
        shift = np.maximum(shift, 0.0)
        smaller = np.flatnonzero(shift < squared)
        low[smaller] = np.minimum(
            low[smaller], _intervals(shift[smaller], noise[:, smaller], confidence)[0]
        )
    # What the target's own relation leaves flat the simulator's need not: neither side's word alone
    # bounds the gap where the simulator hardly went.
    unknown = np.maximum(np.abs(fit.plain[1]), np.abs(fit.plain[0] - fit.plain[1]))
    hidden = (np.where(kept, 0.0, used) * unknown**2).sum(axis=0)
    return _Sizes(
        np.sqrt(np.maximum(squared - noise.sum(axis=0), 0.0)) / motion,
        np.sqrt(low) / motion,
        np.sqrt(high) / motion,
        np.minimum(*counts),
        np.sqrt(hidden) / motion,
        np.sqrt(spread[1] / np.where(spread[0] > 0, spread[0], np.nan)),
        np.argmax(np.abs(fit.z[1] @ delta), axis=0).astype(np.float64),
        _wander(fit.y[1] - fit.z[1] @ fit.plain[1]) / motion,
        spread[1] / motion**2,
        motion,
    )


def _wander(error: Samples) -> Samples:
    """Return the rms of each residual that is mostly slow, else 0, shape ``(J,)``."""
    power = (error**2).mean(axis=0)
    shared = (error[1:] * error[:-1]).mean(axis=0)
    return np.where(shared > SLOW * power, np.sqrt(power), 0.0)


def _sure_constant(fit: Fit, confidence: float) -> Samples:
    """Return how much constant difference the mean error itself establishes, shape ``(J,)``.

    A slow disturbance looks like a constant force to a fit, which takes it out of the residual that
    its own uncertainty is read from; the error under the simulator's relation still holds it.
    """
    mean, half = _biases(fit, confidence)
    return np.asarray(np.maximum(np.abs(mean) - half, 0.0) * np.sqrt((fit.y[1] ** 2).mean(axis=0)))


def _inflation(direction: Samples, error: Samples, power: Samples) -> tuple[Samples, Samples]:
    """Return how much autocorrelation and uneven spread widen each gap, and the effective n."""
    n = len(error)
    influence = direction * error
    iid = (direction**2).mean(axis=0) * power
    _, _, n_eff = mean_intervals(np.ascontiguousarray(influence.T))
    known = iid > 0
    ratio = influence.var(axis=0) / np.where(known, iid, 1.0) * n / np.maximum(n_eff, 1.0)
    return np.where(known, np.maximum(ratio, 1.0), 1.0), np.where(known, n_eff, float(n))


def _intervals(power: Samples, noise: Samples, confidence: float) -> tuple[Samples, Samples]:
    """Return the ends of squared gaps that estimation noise has added to.

    Args:
        power: Observed squared gaps, shape ``(J,)``.
        noise: Expected square that noise alone makes along each direction, shape ``(k, J)``.
        confidence: Two-sided.
    """
    low, high = power.copy(), power.copy()
    total = noise.sum(axis=0)
    for i in np.flatnonzero(total > 0):
        unit = float((noise[:, i] ** 2).sum() / total[i])
        ends = spread_interval(float(power[i]) / unit, float(total[i]) / unit, confidence)
        low[i], high[i] = ends[0] * unit, ends[1] * unit
    return low, high


def _biases(fit: Fit, confidence: float) -> tuple[Samples, Samples]:
    kept = fit.along.comparable[:, None]
    predicted = fit.z[1] @ np.where(kept, fit.plain[0], fit.plain[1])
    motion = np.sqrt((fit.y[1] ** 2).mean(axis=0))
    error = (fit.y[1] - predicted) / np.maximum(motion, 1e-300)
    mean, half, _ = mean_intervals(np.ascontiguousarray(error.T), confidence)
    return mean, half
