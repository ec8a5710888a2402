"""The one-step relation summed over a few rows, where sensor noise enters at both ends alone.

What the next observation owes to state and action, added up over m rows in a row, is the same relation with
the same coefficients; the noise of a sensor, which takes itself back from one difference to the next, is left
at the first and the last row. Where noise is most of what one row changes, sums say far more of the plant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.one_step import (
    RICHER,
    Kind,
    Relation,
    affordable,
    cross_validated,
    features,
)
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.one_step_spread import spread_interval
from tracescope.analysis.one_step_sums_fit import SummedFit, fit_sums, starts, summed
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Samples

LENGTHS = (2, 4, 8)
"""Rows that are added up; the length that leaves the least noise is taken."""

MIN_SCORE = 0.8
"""Part of the sums of some length that the relation must explain in both traces."""

MAX_LAGGED = 0.02
"""What the action one row earlier may add to that part; with more, it belongs in the relation."""

WORSE = 0.02
"""By so much less of the sums may a richer model explain and still be asked how far predictions bend."""

MAX_ROWS = 2_000
"""With more rows than this noise is no limit."""

SMOOTH = np.array((-3.0, 12.0, 17.0, 12.0, -3.0)) / 35
"""Quadratic over five rows (Savitzky and Golay 1964)."""


@dataclass(frozen=True, slots=True, eq=False)
class SummedGap:
    """The one-step gap of one output, by sums.

    Attributes:
        output: Column of the relation.
        estimate: Rms difference of the two predictions over rms one-step motion, free of noise's part.
        high: Upper end of its interval.
        n_eff: Sums that do not overlap, the smaller side's.
        length: Rows added up.
        score: Part of the sums explained, the smaller side's.
    """

    output: int
    estimate: float
    high: float
    n_eff: float
    length: int
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class _Sized:
    """Gaps of one model by sums, in the outputs' units; arrays of shape ``(J,)``.

    ``predicted`` is the simulator's prediction on the target's rows, shape ``(n, J)``, ``own`` the mean
    square that noise adds to it.
    """

    length: Samples
    squared: Samples
    noise: Samples
    high: Samples
    motion: Samples
    score: Samples
    n_eff: Samples
    predicted: Samples
    own: Samples


def summed_gaps(
    relation: Relation,
    outputs: Sequence[int],
    confidence: float,
    inside: NDArray[np.bool_] | None = None,
    pulse: Pulse = never,
) -> dict[int, SummedGap]:
    """Measure how large the gap of each output may be, by sums over a few rows.

    The relation is linear in state and action; what a richer model adds to the simulator's prediction is
    added to the upper end, unless the richer model's own is lower.

    Args:
        relation: Both sides.
        outputs: Columns.
        confidence: Of each interval, two-sided.
        inside: Target transitions to use, shape ``(n_target,)``, ``None`` for all.
        pulse: Called between the fits.

    Returns:
        By column; without those that state and action do not explain in sums either, or that the action
        one row earlier enters. Empty where traces are too short, or so long that noise is no limit.

    Source:
        Integrated (modulating function) least squares, e.g. Unbehauen and Rao, Automatica 26 (1990);
        Messenger and Bortz, J. Comput. Phys. 443 (2021), weak form.
    """
    target = relation.target if inside is None else relation.target.subset(inside)
    chosen = list(outputs)
    if not chosen or max(len(relation.sim), len(target)) > MAX_ROWS:
        return {}
    tried = _tried(relation, target, "linear", chosen, confidence, pulse)
    plain = _quietest(tried)
    if plain is None:
        return {}
    high = _with_bends(relation, target, plain, chosen, confidence, pulse)
    free = np.sqrt(np.maximum(plain.squared - plain.noise, 0.0))
    score = np.max([one.score for one in tried], axis=0)
    good = (score >= MIN_SCORE) & ~_lagged(relation, target, chosen, plain.length)
    return {
        chosen[i]: SummedGap(
            chosen[i],
            float(min(free[i], high[i]) / plain.motion[i]),
            float(high[i] / plain.motion[i]),
            float(plain.n_eff[i]),
            int(plain.length[i]),
            float(score[i]),
        )
        for i in np.flatnonzero(good)
    }


def _with_bends(
    relation: Relation,
    target: Steps,
    plain: _Sized,
    outputs: list[int],
    confidence: float,
    pulse: Pulse,
) -> Samples:
    """Return the upper end with what richer models add to the prediction, or a richer model's own if lower.

    A richer model that predicts sums it was not fitted to clearly worse shows its own noise, not a bend.
    """
    own, moved = np.full(len(outputs), np.inf), np.zeros(len(outputs))
    for kind in RICHER["linear"]:
        if not all(affordable(kind, steps) for steps in (relation.sim, target)):
            continue
        bent = _quietest(_tried(relation, target, kind, outputs, confidence, pulse))
        if bent is not None:
            more = ((bent.predicted - plain.predicted) ** 2).mean(axis=0)
            more = more - np.maximum(bent.own - plain.own, 0.0)
            believed = bent.score >= plain.score - WORSE
            moved = np.maximum(moved, np.where(believed, more, 0.0))
            own = np.minimum(own, bent.high)
    return np.asarray(np.minimum(np.sqrt(plain.high**2 + moved), own))


def _tried(
    relation: Relation,
    target: Steps,
    kind: Kind,
    outputs: list[int],
    confidence: float,
    pulse: Pulse,
) -> list[_Sized]:
    """Return the gaps by sums of every length that both traces afford."""
    out = []
    for m in LENGTHS:
        pulse()
        sim, own = (
            fit_sums(_regressors(kind, s, relation), s.change[:, outputs], s.row, m, confidence)
            for s in (relation.sim, target)
        )
        if sim is not None and own is not None:
            x = _regressors(kind, smoothed(target), relation)
            out.append(_sized(x, sim, own, m, confidence))
    return out


def _quietest(tried: Sequence[_Sized]) -> _Sized | None:
    """Return each output's gap by the length that leaves the least noise; that does not look at the gap."""
    if not tried:
        return None
    best = np.argmin([one.noise for one in tried], axis=0)

    def chosen(name: str) -> Samples:
        parts = [getattr(tried[i], name)[..., j] for j, i in enumerate(best)]
        return np.stack(parts, axis=-1)

    return _Sized(**{field.name: chosen(field.name) for field in fields(_Sized)})


def _regressors(kind: Kind, steps: Steps, relation: Relation) -> Samples:
    """Return a model's regressors without the action one row earlier: sums hardly tell it from this row's."""
    p, m = steps.state.shape[1], steps.drive.shape[1]
    every = features(kind, steps, relation.scaling)
    return np.delete(every, np.s_[1 + p + m : 1 + p + 2 * m], axis=1)


def _lagged(
    relation: Relation, target: Steps, outputs: list[int], length: Samples
) -> NDArray[np.bool_]:
    """Say into which outputs the action one row earlier enters on either side, shape ``(J,)``."""
    out = np.zeros(len(outputs), dtype=np.bool_)
    for m in set(map(int, length)):
        at = np.flatnonzero(length == m)
        for steps in (relation.sim, target):
            start = starts(steps.row, m)
            moved = summed(steps.change[:, [outputs[i] for i in at]], start, m)
            with_it, without = (
                cross_validated(summed(x, start, m), moved)
                for x in (
                    features("linear", steps, relation.scaling),
                    _regressors("linear", steps, relation),
                )
            )
            out[at] |= with_it > without + MAX_LAGGED
    return out


def _sized(x: Samples, sim: SummedFit, own: SummedFit, m: int, confidence: float) -> _Sized:
    """Weigh the difference of two fits by the target's rows ``x``, shape ``(n, k)``."""
    weight = x.T @ x / len(x)
    value, vector = np.linalg.eigh(weight)
    root = (vector * np.sqrt(np.maximum(value, 0.0))) @ vector.T
    delta = sim.beta - own.beta
    squared = np.einsum("ij,ik,kj->j", delta, weight, delta)
    spectrum = np.linalg.eigvalsh(root @ (sim.covariance + own.covariance) @ root)
    spectrum = np.maximum(spectrum, 0.0)
    moved = np.einsum("ij,ik,kj->j", own.beta, weight, own.beta)
    return _Sized(
        np.full(len(squared), m),
        squared,
        spectrum.sum(axis=1),
        np.array([_upper(s, n, confidence) for s, n in zip(squared, spectrum, strict=True)]),
        np.sqrt(np.maximum(moved, 1e-300)),
        np.minimum(sim.score, own.score),
        np.full(len(squared), min(sim.count, own.count)),
        x @ sim.beta,
        np.einsum("jik,ik->j", sim.covariance, weight),
    )


def _upper(squared: float, noise: Samples, confidence: float) -> float:
    """Return the upper end of a gap whose square noise adds to, along each of k directions."""
    total = float(noise.sum())
    unit = float((noise**2).sum()) / total if total > 0 else 0.0
    if unit <= 0:
        return float(np.sqrt(squared))
    return float(np.sqrt(spread_interval(squared / unit, total / unit, confidence)[1] * unit))


def smoothed(steps: Steps) -> Steps:
    """Return transitions whose states are freed of most of the sensor noise; shapes stay.

    The mean square of noisy states would count noise as motion. Near gaps and ends states stay as they are.
    """
    start = starts(steps.row, len(SMOOTH))
    state = steps.state.copy()
    if start.size:
        parts = [weight * steps.state[start + i] for i, weight in enumerate(SMOOTH)]
        state[start + len(SMOOTH) // 2] = np.sum(parts, axis=0)
    return replace(steps, state=state)
