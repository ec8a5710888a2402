"""How far the one-step relations of two traces lie apart, over the rows that the target visited."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tracescope.analysis.intervals import bonferroni, mean_interval, t_quantile
from tracescope.analysis.one_step import Kind, Relation, affordable, features
from tracescope.analysis.one_step_noise import noise_compensated, whitened
from tracescope.analysis.one_step_spread import spread_interval
from tracescope.analysis.supported import Directions, Flags, directions
from tracescope.model.alignment import Interval
from tracescope.model.trace import Samples

MIN_INSIDE = 0.3
"""At least this share of the target's rows must lie inside the simulator's supported region."""


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
        unexcited: Rms motion in directions that the simulator hardly excited, over rms motion.
        scatter_ratio: Residual spread of the target's relation over the simulator's.
        bias: Mean of target less the simulator's prediction, over rms motion, with its interval.
        worst: Target transition (position in ``relation.target``) where predictions differ most.
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


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """Both traces under one model: features, directions and coefficients of every output."""

    x: tuple[Samples, Samples]
    y: tuple[Samples, Samples]
    along: Directions
    plain: tuple[Samples, Samples]
    others: tuple[tuple[Samples, Samples], ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Size:
    estimate: float
    interval: Interval
    n_eff: float
    unexcited: float
    scatter_ratio: float
    difference: Samples


def gaps(relation: Relation, confidence: float) -> tuple[Gap, ...]:
    """Measure the gap of every output that a model predicts.

    The interval's lower end is the lowest that plain least squares, a fit under slow disturbances, one
    freed of sensor noise and the next richer model give: a gap is believed only where all see it.

    Args:
        relation: Both sides.
        confidence: Of all intervals jointly, two measurements an output.

    Returns:
        In the order of ``relation.outputs``, kinematic rows included.

    Source:
        Scaled noncentral chi-square by Satterthwaite's two moments (1946), inflated by the long-run
        variance of the gap's influence function.
    """
    each = bonferroni(confidence, 2 * len(relation.outputs))
    out: list[Gap] = []
    for kind in dict.fromkeys(relation.kind[j] for j in relation.outputs):
        if kind is not None:
            out += _gaps_of_kind(relation, kind, each)
    return tuple(sorted(out, key=lambda gap: gap.output))


def _gaps_of_kind(relation: Relation, kind: Kind, confidence: float) -> list[Gap]:
    outputs = [j for j in relation.outputs if relation.kind[j] == kind]
    whole = _fit(relation, kind, None)
    inside = whole.along.inside(*whole.x)
    share = float(inside.mean())
    enough = share >= MIN_INSIDE and inside.sum() >= 3 * whole.x[0].shape[1]
    part = _fit(relation, kind, inside) if enough and share < 1 else whole
    rich = _richer(relation, kind)
    second = _fit(relation, rich, inside if enough else None) if rich is not None else None
    position = np.flatnonzero(inside) if part is not whole else np.arange(len(relation.target))
    out = []
    for j in outputs:
        size = _size(part, j, confidence)
        every = size if part is whole else _size(whole, j, confidence)
        low, high = size.interval
        if second is not None:
            low = min(low, _size(second, j, confidence).interval[0])
        out.append(
            Gap(
                j,
                kind,
                size.estimate,
                (min(low, high), high),
                size.n_eff,
                share,
                every.interval,
                size.unexcited,
                size.scatter_ratio,
                _bias(part, j, confidence),
                int(position[np.argmax(np.abs(size.difference))]),
            )
        )
    return out


def _richer(relation: Relation, kind: Kind) -> Kind | None:
    following: dict[Kind, Kind] = {"linear": "cubic", "quadratic": "cubic"}
    rich = following.get(kind)
    if rich is None:
        return None
    both = affordable(rich, relation.sim) and affordable(rich, relation.target)
    return rich if both else None


def _fit(relation: Relation, kind: Kind, inside: Flags | None) -> _Fit:
    every = np.arange(len(relation.target))
    columns = (np.arange(len(relation.sim)), every if inside is None else np.flatnonzero(inside))
    sides = (relation.sim, relation.target)
    x: list[Samples] = []
    y: list[Samples] = []
    for steps, column in zip(sides, columns, strict=True):
        x.append(features(kind, steps, relation.scaling)[column])
        y.append(steps.change[column])
    gram = [a.T @ a / len(a) for a in x]
    along = directions(gram[0], gram[1])
    plain = tuple(
        _coefficients(along, a, b, second)
        for a, b, second in zip(x, y, (along.sim, along.target), strict=True)
    )
    betas = [along.basis @ b for b in plain]
    others: list[tuple[Samples, Samples]] = []
    slow = [
        whitened(a, b, steps.row[column], beta)
        for a, b, steps, column, beta in zip(x, y, sides, columns, betas, strict=True)
    ]
    others.append(_along(along, gram, slow))
    if kind == "linear":
        quiet = [
            noise_compensated(a, steps, relation.scaling, beta, column)
            for a, steps, column, beta in zip(x, sides, columns, betas, strict=True)
        ]
        others.append(_along(along, gram, quiet))
    return _Fit((x[0], x[1]), (y[0], y[1]), along, (plain[0], plain[1]), tuple(others))


def _coefficients(along: Directions, x: Samples, y: Samples, second: Samples) -> Samples:
    moment = along.basis.T @ (x.T @ y) / len(x)
    used = second > 1e-9
    return np.where(used[:, None], moment / np.where(used, second, 1.0)[:, None], 0.0)


def _along(along: Directions, gram: list[Samples], betas: list[Samples]) -> tuple[Samples, Samples]:
    """Express coefficients of the features as coefficients of the directions."""
    inverse = along.basis.T @ (gram[0] + gram[1]) / 2
    return inverse @ betas[0], inverse @ betas[1]


def _size(fit: _Fit, j: int, confidence: float) -> _Size:
    along, kept = fit.along, fit.along.comparable
    z = [x @ along.basis for x in fit.x]
    b = [c[:, j] for c in fit.plain]
    errors = [y[:, j] - v @ c for y, v, c in zip(fit.y, z, b, strict=True)]
    delta = np.where(kept, b[0] - b[1], 0.0)
    weight = np.where(kept, along.target, 0.0)
    safe = np.where(kept, along.sim, 1.0), np.where(kept, along.target, 1.0)
    variance = np.zeros_like(delta)
    n_eff = np.inf
    spread = []
    for v, e, second, scale in zip(
        z, errors, safe, (weight / safe[0], weight / safe[1]), strict=True
    ):
        dof = max(len(e) - v.shape[1], 1)
        power = float(e @ e) / dof
        spread.append(power)
        inflation, n_side = _inflation((v * scale) @ delta, e, power)
        tails = float(t_quantile(confidence, dof) / t_quantile(confidence, 1e9)) ** 2
        variance += tails * inflation * power / (len(e) * second)
        n_eff = min(n_eff, n_side)
    noise = weight * variance
    power = (
        float((along.target * b[1] ** 2).sum() + (weight * b[0] ** 2).sum()) / 2
    )  # noise-free motion, as either relation predicts it on the target's rows
    motion = np.sqrt(max(power, 1e-300))
    estimate, low, high = _interval(float((weight * delta**2).sum()), noise, confidence)
    for other_sim, other_target in fit.others:
        shift = np.where(kept, other_sim[:, j] - other_target[:, j], 0.0)
        low = min(low, _interval(float((weight * shift**2).sum()), noise, confidence)[1])
    hidden = float((np.where(kept, 0.0, along.target) * b[1] ** 2).sum())
    return _Size(
        np.sqrt(estimate) / motion,
        (np.sqrt(low) / motion, np.sqrt(high) / motion),
        n_eff,
        np.sqrt(hidden) / motion,
        float(np.sqrt(spread[1] / spread[0])) if spread[0] > 0 else float("nan"),
        z[1] @ delta,
    )


def _inflation(direction: Samples, error: Samples, power: float) -> tuple[float, float]:
    """Return how much autocorrelation and uneven spread widen the gap, and the effective n."""
    influence = direction * error
    iid = float(direction @ direction) / len(direction) * power
    mean = mean_interval(influence)
    if not iid > 0 or not np.isfinite(mean.n_eff):
        return 1.0, float(len(error))
    ratio = float(influence.var()) / iid * len(error) / max(mean.n_eff, 1.0)
    return max(ratio, 1.0), mean.n_eff


def _interval(power: float, noise: Samples, confidence: float) -> tuple[float, float, float]:
    """Return estimate and ends of a squared gap that estimation noise has added to."""
    total = float(noise.sum())
    if total <= 0:
        return power, power, power
    unit = float((noise**2).sum()) / total
    low, high = spread_interval(power / unit, total / unit, confidence)
    return max(power - total, 0.0), low * unit, high * unit


def _bias(fit: _Fit, j: int, confidence: float) -> tuple[float, Interval]:
    kept = fit.along.comparable
    z = fit.x[1] @ fit.along.basis
    predicted = z @ np.where(kept, fit.plain[0][:, j], fit.plain[1][:, j])
    motion = float(np.sqrt((fit.y[1][:, j] ** 2).mean()))
    mean = mean_interval((fit.y[1][:, j] - predicted) / max(motion, 1e-300), confidence)
    return mean.estimate, mean.interval
