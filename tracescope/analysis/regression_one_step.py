"""Sensor scale and level read off the one-step relations of both traces.

In a loop the two motions differ, so their signals cannot be laid over each other. What each trace says of
the next observation, given observation and action, can: a sensor that reads ``z = d · s + b`` turns
``Δs = φ(s, u) β`` into ``Δz = d φ((z − b) / d, u) β``. Both traces are fitted with one β, and the target's
d and b with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import t_quantile
from tracescope.analysis.one_step import Kind, Relation, features, solve
from tracescope.analysis.one_step_rows import Steps
from tracescope.analysis.regression import Matrix
from tracescope.analysis.regression_plant import plant_terms
from tracescope.model.trace import Samples

ROUNDS = 12
SETTLED = 1e-4
"""Gauss–Newton ends where nothing moves by more than this, or a tenth of its standard error."""

NUDGE = 1e-3
PRIOR = 1.0
"""What rows do not determine is known to a factor of e, and a level to one spread."""

FARTHEST = 1.0
"""Scales of more than a factor of e are not followed: the fit may settle anywhere."""

CLOSE = 13.0
"""Plant changes whose χ² is up to this much above the best one's are not told from it (99.97 %)."""

ROWS_PER_FEATURE = 2
COLLINEAR = 1e-4
"""A plant change whose part that no sensor can imitate is smaller than this says nothing."""


Blocks = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Transitions to average, the simulator's and the target's, shapes ``(m, size)``."""


@dataclass(frozen=True, slots=True, eq=False)
class Sensed:
    """Scale and level of the target's sensors for k signals; arrays of shape ``(k,)``.

    Attributes:
        names: Sim names.
        scale, scale_half: Factor, and half-width of its logarithm.
        level, level_half: What the sensor adds at the simulator's mean, in the channel's unit.
        n_eff: Effective sample size, the smaller side's.
        left: Largest part of an output's one-step motion in the target that neither sensors nor the plant
            change explain.
        chance: Of so much being left where there is nothing (χ²).
        plant: What of the plant was let change with it, ``""`` for nothing.
    """

    names: tuple[str, ...]
    scale: Samples
    scale_half: Samples
    level: Samples
    level_half: Samples
    n_eff: Samples
    left: float
    chance: float
    plant: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Output:
    """One output's rows, simulator's first, with the shared coefficients taken out.

    Attributes:
        slopes: How its rest moves with each log scale, offset and plant change, shape ``(n, K + E)``.
        rest: What the shared coefficients leave, shape ``(n,)``.
        noise: Variance of what each side's own fit leaves.
        own: Sum of squares of that, over both sides.
        size: Number of features.
        motion: Mean square of the target's one-step motion.
        changes: Names of the E plant changes.
    """

    slopes: Matrix
    rest: Samples
    noise: float
    own: float
    size: int
    motion: float
    changes: tuple[str, ...]


def sensed(
    relation: Relation,
    confidence: float,
    same: frozenset[str] = frozenset(),
    block: int = 1,
    most: int = 6,
) -> tuple[Sensed, ...]:
    """Estimate scale and level of every sensor that differs between the sides.

    Args:
        relation: Both sides' transitions and the models that predict them.
        confidence: Two-sided, of each interval.
        same: Observations known to be the same numbers on both sides.
        block: So many consecutive transitions are averaged: the relation is linear in its features, and
            sensor noise averages out faster than slow motion does.
        most: At most so many plant changes are returned.

    Returns:
        First with the plant unchanged, then with each single change of the plant that fits about as well as
        the best one, best first; empty where nothing is predicted or the fit runs away.

    Source:
        Gauss–Newton on the joint least squares of both traces with the shared coefficients partialled out
        (Frisch and Waugh 1933); intervals from each trace's influence function, a weak prior standing in for
        what the rows do not determine.
    """
    columns = [j for j, name in enumerate(relation.names) if name not in same]
    outputs = [j for j in columns if relation.kind[j] not in (None, "lagged")]
    blocks = (_blocks(relation.sim, block), _blocks(relation.target, block))
    widest = 1 + 2 * (len(relation.names) + len(relation.drives))
    if not columns or not outputs or min(len(b) for b in blocks) < ROWS_PER_FEATURE * widest:
        return ()
    fit = _Fit(relation, columns, outputs, blocks, confidence)
    if not fit.settled:
        return ()
    changes = [(p, i) for p, part in enumerate(fit.parts) for i in range(len(part.changes))]
    misfits = sorted((fit.misfit(change), change) for change in changes)
    near = [change for misfit, change in misfits if misfit <= misfits[0][0] + CLOSE]
    return (fit.told(None), *(fit.told(change) for change in near[:most]))


def _blocks(steps: Steps, size: int) -> NDArray[np.int64]:
    """Return the transitions of every block of consecutive ones, end to end, shape ``(m, size)``."""
    found, first = [], 0
    breaks = np.flatnonzero(np.diff(steps.row) != 1) + 1
    for last in (*breaks.tolist(), len(steps)):
        count = (last - first) // size
        found.append(np.arange(first, first + count * size).reshape(count, size))
        first = last
    return np.concatenate(found).astype(np.int64)


def _seen(steps: Steps, log_scale: Samples, offset: Samples) -> Steps:
    """Return transitions as sensors without that scale and offset would have recorded them."""
    by = np.exp(log_scale)
    return replace(
        steps,
        state=(steps.state - offset) / by,
        before=(steps.before - offset) / by,
        change=steps.change / by,
    )


class _Fit:
    """The joint fit of both traces, settled, and what it says with or without a change of the plant."""

    def __init__(
        self,
        relation: Relation,
        columns: Sequence[int],
        outputs: Sequence[int],
        blocks: Blocks,
        confidence: float,
    ) -> None:
        self.relation, self.columns, self.confidence = relation, list(columns), confidence
        self.rows = (len(blocks[0]), len(blocks[1]))
        self.log_scale = np.zeros(len(relation.names))
        self.offset = np.zeros(len(relation.names))
        self.size = 2 * len(self.columns)
        self.settled = False
        for _ in range(ROUNDS):
            target = _seen(relation.target, self.log_scale, self.offset)
            self.parts = _outputs(relation, outputs, self.columns, target, blocks)
            self.grams = [part.slopes.T @ part.slopes / part.noise for part in self.parts]
            self.scores = [part.slopes.T @ part.rest / part.noise for part in self.parts]
            information, score = self._normal(None)
            inverse = np.linalg.inv(information)
            step = inverse @ score
            self.offset[self.columns] += self._unit() * step[1::2]
            self.log_scale[self.columns] += step[0::2]
            if not np.abs(self.log_scale).max() <= FARTHEST:
                return
            if (np.abs(step) <= np.maximum(SETTLED, 0.1 * np.sqrt(np.diagonal(inverse)))).all():
                self.settled = True
                return

    def _unit(self) -> Samples:
        """One spread, as the sensors read it."""
        spread = self.relation.scaling.state_spread[self.columns]
        return np.asarray(np.exp(self.log_scale[self.columns]) * spread)

    def _normal(self, change: tuple[int, int] | None) -> tuple[Matrix, Samples]:
        k = self.size
        n = k + (change is not None)
        information, score = np.zeros((n, n)), np.zeros(n)
        information[:k, :k] = np.eye(k) / PRIOR**2
        score[0:k:2] = -self.log_scale[self.columns] / PRIOR**2
        score[1:k:2] = -self.offset[self.columns] / self._unit() / PRIOR**2
        for p in range(len(self.parts)):
            place = self._place(p, change)
            information[: place.size, : place.size] += self.grams[p][np.ix_(place, place)]
            score[: place.size] += self.scores[p][place]
        return information, score

    def _place(self, p: int, change: tuple[int, int] | None) -> NDArray[np.int64]:
        place = np.arange(self.size)
        if change is not None and change[0] == p:
            place = np.append(place, self.size + change[1])
        return place

    def misfit(self, change: tuple[int, int] | None) -> float:
        """Return χ² beyond what each side's own coefficients leave, smaller is better."""
        information, score = self._normal(change)
        if change is not None and self._imitated(information):
            information, score = information[:-1, :-1], score[:-1]
        step = np.linalg.solve(information, score)
        every = sum((part.rest @ part.rest - part.own) / part.noise for part in self.parts)
        return float(every - score @ step)

    def _imitated(self, information: Matrix) -> bool:
        """Whether sensors can do what the last parameter does."""
        inner, cross, own = information[:-1, :-1], information[:-1, -1], float(information[-1, -1])
        left = own - float(cross @ np.linalg.solve(inner, cross))
        return left <= COLLINEAR * own

    def told(self, change: tuple[int, int] | None) -> Sensed:
        """Return the estimate with one change of the plant let free, or none."""
        from scipy.special import chdtrc, ndtri

        k, columns, relation = self.size, self.columns, self.relation
        information, score = self._normal(change)
        inverse = np.linalg.inv(information)
        step = inverse @ score
        influence = np.zeros((sum(self.rows), k))
        left, misfit, size = 0.0, 0.0, 0
        for p, part in enumerate(self.parts):
            place = self._place(p, change)
            slopes, gain = part.slopes[:, place], inverse[:k, : place.size] / part.noise
            rest = part.rest - slopes @ step[: place.size]
            influence += (slopes * rest[:, None]) @ gain.T
            more = float(rest @ rest) - part.own
            misfit += more / part.noise
            size += part.size
            beyond = max(more - part.size * part.noise, 0.0) / self.rows[1]
            left = max(left, float(np.sqrt(beyond / max(part.motion, 1e-300))))
        mean, unit = relation.sim.state.mean(axis=0)[columns], self._unit()
        scale = np.exp(self.log_scale[columns] + step[0:k:2])
        offset = self.offset[columns] + unit * step[1:k:2]
        level = (scale - 1) * mean + offset
        mixed = _levels(k, scale * mean, unit)
        both = np.concatenate((np.eye(k)[0::2], mixed))
        series = influence @ both.T
        half, n_eff = self._halves(series)
        unknown = inverse[:k, :k] @ inverse[:k, :k] / PRIOR**2
        z = float(ndtri(0.5 + self.confidence / 2))
        half = np.hypot(half, z * np.sqrt(np.einsum("ij,jk,ik->i", both, unknown, both)))
        free = max(size - k - (change is not None), 1)
        count = len(columns)
        return Sensed(
            names=tuple(relation.names[j] for j in columns),
            scale=scale,
            scale_half=half[:count],
            level=level,
            level_half=half[count:],
            n_eff=np.minimum(n_eff[:count], n_eff[count:]),
            left=left,
            chance=float(chdtrc(free, max(misfit, 0.0))),
            plant="" if change is None else self.parts[change[0]].changes[change[1]],
        )

    def _halves(self, series: Matrix) -> tuple[Samples, Samples]:
        """Half-widths of sums over both traces, whose noise is independent, and effective rows.

        What a step leaves forgets within a few rows, so that a third of the frequencies may be averaged over.
        """
        rows = self.rows[0]
        sim, n_sim, terms_sim = _sum_variance(series[:rows])
        target, n_target, terms_target = _sum_variance(series[rows:])
        quantile = t_quantile(self.confidence, float(min(terms_sim, terms_target)))
        return quantile * np.sqrt(sim + target), np.minimum(n_sim, n_target)


def _sum_variance(series: Matrix) -> tuple[Samples, Samples, int]:
    """Return the variance of each column's sum, its effective rows and the degrees of freedom.

    Equal-weighted cosine estimate (Lazarus, Lewis, Stock and Watson 2018) over the lower third of the
    frequencies, prewhitened by two lags (Andrews and Monahan 1992): sensor noise in a difference takes itself
    back in the next row.
    """
    from scipy.fft import dct

    n = series.shape[0]
    left, gain = series - series.mean(axis=0), np.ones(series.shape[1])
    plain = np.sum(left**2, axis=0) / max(n - 1, 1)
    for lag in (1, 2):
        before, here = left[:-lag], left[lag:]
        share = np.sum(before * here, axis=0) / np.maximum(np.sum(before**2, axis=0), 1e-300)
        share = np.clip(share, -0.9, 0.7)
        left, gain = here - share * before, gain / (1 - share)
    terms = max(len(left) // 3, 1)
    coefficient = dct(left - left.mean(axis=0), type=2, axis=0, norm="ortho")[1 : terms + 1]
    long_run = np.mean(coefficient**2, axis=0) * gain**2
    return n * long_run, np.minimum(n * plain / np.maximum(long_run, 1e-300), n), terms


def _levels(k: int, of_scale: Samples, of_offset: Samples) -> Matrix:
    """Return the rows that turn (log scale, offset) pairs into levels, shape ``(k / 2, k)``."""
    out = np.zeros((k // 2, k))
    place = np.arange(k // 2)
    out[place, 2 * place], out[place, 2 * place + 1] = of_scale, of_offset
    return out


def _averaged(value: Matrix, blocks: NDArray[np.int64]) -> Matrix:
    return (
        value if blocks.shape[1] == 1 and blocks.size == len(value) else value[blocks].mean(axis=1)
    )


def _outputs(
    relation: Relation,
    outputs: Sequence[int],
    columns: list[int],
    target: Steps,
    blocks: Blocks,
) -> list[_Output]:
    found = []
    for kind in dict.fromkeys(relation.kind[j] for j in outputs):
        if kind is None:
            continue
        chosen = [j for j in outputs if relation.kind[j] == kind]
        x = _averaged(features(kind, relation.sim, relation.scaling), blocks[0])
        z = _averaged(features(kind, target, relation.scaling), blocks[1])
        a = _averaged(relation.sim.change[:, chosen], blocks[0])
        b = _averaged(target.change[:, chosen], blocks[1])
        gram = x.T @ x + z.T @ z
        beta = solve(gram, x.T @ a + z.T @ b)
        bent = [_averaged(d, blocks[1]) for d in _bent(relation, kind, target, columns)]
        for i, j in enumerate(chosen):
            slopes = np.stack([d @ beta[:, i] for d in bent], axis=1)
            if j in columns:
                slopes[:, 2 * columns.index(j)] += z @ beta[:, i]
            names, terms = plant_terms(relation, kind, j, z, beta[:, i])
            moved = np.concatenate((slopes, terms), axis=1)
            found.append(_output((x, z), (a[:, i], b[:, i]), beta[:, i], gram, moved, names))
    return found


def _bent(relation: Relation, kind: Kind, target: Steps, columns: Sequence[int]) -> list[Matrix]:
    """Return how the features move with each log scale and offset (in spreads), by differences."""
    spread, p, out = relation.scaling.state_spread, len(relation.names), []
    for j in columns:
        for log_scale, offset in ((NUDGE, 0.0), (0.0, NUDGE * float(spread[j]))):
            way = np.zeros((2, p))
            way[0, j], way[1, j] = log_scale, offset
            up = features(kind, _seen(target, way[0], way[1]), relation.scaling)
            down = features(kind, _seen(target, -way[0], -way[1]), relation.scaling)
            out.append((up - down) / (2 * NUDGE))
    return out


def _output(
    design: tuple[Matrix, Matrix],
    ends: tuple[Samples, Samples],
    beta: Samples,
    gram: Matrix,
    moved: Matrix,
    names: tuple[str, ...],
) -> _Output:
    (x, z), (a, b) = design, ends
    shared = solve(gram, z.T @ moved)
    own = sum(float(_rest(f, y) @ _rest(f, y)) for f, y in ((x, a), (z, b)))
    noise = own / max(a.size + b.size - 2 * x.shape[1], 1)
    floor = 1e-14 * float(np.mean(a**2) + np.mean(b**2))
    return _Output(
        slopes=np.concatenate((-x @ shared, moved - z @ shared)),
        rest=np.concatenate((a - x @ beta, b - z @ beta)),
        noise=max(noise, floor, 1e-300),
        own=own,
        size=x.shape[1],
        motion=float(np.mean(b**2)),
        changes=names,
    )


def _rest(x: Matrix, y: Samples) -> Samples:
    return np.asarray(y - x @ solve(x.T @ x, (x.T @ y)[:, None])[:, 0])
