"""Sensor scale and level read off the one-step relations of both traces.

In a loop the two motions differ, so their signals cannot be laid over each other. What each trace says of
the next observation, given observation and action, can: a sensor that reads ``z = d · s + b`` turns
``Δs = φ(s, u) β`` into ``Δz = d φ((z − b) / d, u) β``. Both traces are fitted with one β, and the target's
d and b with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tracescope.analysis.intervals import t_quantile
from tracescope.analysis.one_step import Relation
from tracescope.analysis.regression import Matrix
from tracescope.analysis.regression_outputs import Blocks, blocks_of, memories_of, outputs_of, seen
from tracescope.analysis.regression_rivals import Change, changes_of, later, moved_together
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Samples
from tracescope.model.words import counted

LATEST = 6
"""Rows that a response may be late by."""

SURPRISE = 0.01
"""A fit with the plant unchanged that chance makes so bad less often is set against others made anew."""

MOST_ROWS = 4000
"""Rows of both sides up to which fits are made anew."""

LEAST_STEP = 0.125
ROUNDS = 12
SETTLED = 1e-4
"""Gauss–Newton ends where nothing moves by more than this, or a tenth of its standard error."""

PRIOR = 1.0
"""What rows do not determine is known to a factor of e, and a level to one spread."""

FARTHEST = 1.0
"""Scales of more than a factor of e are not followed: the fit may settle anywhere."""

CLOSE = 13.0
"""Plant changes whose χ² is up to this much above the best one's are not told from it (99.97 %)."""

ROWS_PER_FEATURE = 2
COLLINEAR = 1e-4
"""A plant change whose part that no sensor can imitate is smaller than this says nothing."""


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

    def unsettled(self) -> Sensed:
        """Return a stand-in for a fit that found no end, which nothing believes."""
        return replace(self, left=np.inf, chance=0.0, plant="")


def sensed(
    relation: Relation,
    confidence: float,
    same: frozenset[str] = frozenset(),
    block: int = 1,
    most: int = 6,
    pulse: Pulse = never,
    *,
    whitened: bool = False,
) -> tuple[Sensed, ...]:
    """Estimate scale and level of every sensor that differs between the sides.

    Args:
        relation: Both sides' transitions and the models that predict them.
        confidence: Two-sided, of each interval.
        same: Observations known to be the same numbers on both sides.
        block: So many consecutive transitions are averaged: the relation is linear in its features, and
            sensor noise averages out faster than slow motion does.
        most: At most so many plant changes are returned.
        pulse: Called between rounds and plant changes.
        whitened: Take out the noise that neighbouring steps share, instead of averaging: for blocks of one.

    Returns:
        First with the plant unchanged, then with each single change of the plant that fits about as well as
        the best one, best first; empty where nothing is predicted, the fit runs away, or sensors and a
        change of the plant cannot be told apart.

    Source:
        Gauss–Newton on the joint least squares of both traces with the shared coefficients partialled out
        (Frisch and Waugh 1933), whitened where asked (feasible generalised least squares); intervals from
        each trace's influence function, a weak prior standing in for what the rows do not determine.
    """
    columns = [j for j, name in enumerate(relation.names) if name not in same]
    outputs = [j for j in columns if relation.kind[j] not in (None, "lagged")]
    blocks = (blocks_of(relation.sim, block), blocks_of(relation.target, block))
    widest = 1 + 2 * (len(relation.names) + len(relation.drives))
    if not columns or not outputs or min(len(b) for b in blocks) < ROWS_PER_FEATURE * widest:
        return ()
    memories = memories_of(relation, outputs) if whitened else {}
    task = _Task(relation, columns, outputs, blocks, confidence, pulse, memories)
    try:
        return _told(task, most)
    except np.linalg.LinAlgError:
        return ()  # sensors and a change of the plant cannot be told apart at all: nothing may be said


def _told(task: _Task, most: int) -> tuple[Sensed, ...]:
    fit = _Fit(task)
    if fit.settled:
        plain = fit.told(None)
        every = changes_of(task.relation, fit.parts)
        misfits = sorted((fit.misfit(change), change) for change in every)
        if plain.chance >= SURPRISE or task.rows > MOST_ROWS:
            near = [c for misfit, c in misfits if misfit <= misfits[0][0] + CLOSE]
            return (plain, *(fit.told(change) for change in near[:most]))
        return (plain, *_rivals(task, most))
    rivals = _rivals(task, most) if task.rows <= MOST_ROWS else ()
    return (rivals[0].unsettled(), *rivals) if rivals else ()


def _rivals(task: _Task, most: int) -> tuple[Sensed, ...]:
    """Fit sensors anew with each likely change of the plant, and with a later response; the best first.

    Likely is what explains the traces best with the sensors as they are.
    """
    start = _Fit(task, rounds=0)
    likely: list[tuple[float, int, _Task, Change | None, int]] = [
        (start.misfit(change), place, task, change, 0)
        for place, change in enumerate(changes_of(task.relation, start.parts))
    ]
    for rows in range(1, LATEST + 1):
        shifted = task.later(rows)
        if len(shifted.blocks[1]) < task.least:
            break
        likely.append((_Fit(shifted, rounds=0).misfit(None), -rows, shifted, None, rows))
    likely.sort(key=lambda one: one[:2])
    fits = [_Fit(made, change, late=rows) for _, _, made, change, rows in likely[:most]]
    found = [(fit.misfit(fit.change), n, fit) for n, fit in enumerate(fits) if fit.settled]
    found.sort(key=lambda one: one[:2])
    return tuple(f.told(f.change) for misfit, _, f in found if misfit <= found[0][0] + CLOSE)


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """What is fitted: see :class:`_Fit`."""

    relation: Relation
    columns: list[int]
    outputs: list[int]
    blocks: Blocks
    confidence: float
    pulse: Pulse
    memories: Mapping[int, float] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return int(self.blocks[0].size + self.blocks[1].size)

    @property
    def least(self) -> int:
        """Blocks that a side needs."""
        relation = self.relation
        return ROWS_PER_FEATURE * (1 + 2 * (len(relation.names) + len(relation.drives)))

    def later(self, rows: int) -> _Task:
        """Return the same with the target answering so many rows later."""
        relation = later(self.relation, rows)
        blocks = (self.blocks[0], blocks_of(relation.target, self.blocks[1].shape[1]))
        return replace(self, relation=relation, blocks=blocks)


class _Fit:
    """The joint fit of both traces, settled, and what it says with or without a change of the plant."""

    def __init__(
        self, task: _Task, change: Change | None = None, rounds: int = ROUNDS, late: int = 0
    ) -> None:
        self.relation, self.columns, self.confidence = task.relation, task.columns, task.confidence
        self.rows = (len(task.blocks[0]), len(task.blocks[1]))
        self.log_scale = np.zeros(len(task.relation.names))
        self.offset = np.zeros(len(task.relation.names))
        self.size = 2 * len(self.columns)
        self.change, self.late, self.settled = change, late, False
        before, part = np.zeros(self.size), 1.0
        self._look(task)
        for _ in range(rounds):
            task.pulse()
            information, score = self._normal(change)
            inverse = np.linalg.inv(information)
            step = (inverse @ score)[: self.size]
            if float(before @ information[: self.size, : self.size] @ step) < 0:
                part = max(part / 2, LEAST_STEP)  # it swings about a valley of the misfit
            before = step
            self.offset[self.columns] += self._unit() * part * step[1::2]
            self.log_scale[self.columns] += part * step[0::2]
            if not np.abs(self.log_scale).max() <= FARTHEST:
                return
            self._look(task)
            spread = np.sqrt(np.diagonal(inverse)[: self.size])
            if (np.abs(step) <= np.maximum(SETTLED, 0.1 * spread)).all():
                self.settled = True
                return

    def _look(self, task: _Task) -> None:
        """Take the shared coefficients out as the sensors now stand."""
        target = seen(self.relation.target, self.log_scale, self.offset)
        self.parts = outputs_of(
            self.relation, task.outputs, self.columns, target, task.blocks, task.memories
        )
        self.grams = [part.slopes.T @ part.slopes / part.noise for part in self.parts]
        self.scores = [part.slopes.T @ part.rest / part.noise for part in self.parts]

    def _unit(self) -> Samples:
        """One spread, as the sensors read it."""
        spread = self.relation.scaling.state_spread[self.columns]
        return np.asarray(np.exp(self.log_scale[self.columns]) * spread)

    def _normal(self, change: Change | None) -> tuple[Matrix, Samples]:
        k = self.size
        n = k + (change is not None)
        information, score = np.zeros((n, n)), np.zeros(n)
        information[:k, :k] = np.eye(k) / PRIOR**2
        score[0:k:2] = -self.log_scale[self.columns] / PRIOR**2
        score[1:k:2] = -self.offset[self.columns] / self._unit() / PRIOR**2
        for p, part in enumerate(self.parts):
            kept = moved_together(k, p, part, change)
            information += kept.T @ self.grams[p] @ kept
            score += kept.T @ self.scores[p]
        return information, score

    def misfit(self, change: Change | None) -> float:
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

    def told(self, change: Change | None) -> Sensed:
        """Return the estimate with one change of the plant let free, or none."""
        from scipy.special import chdtrc, ndtri

        k, columns = self.size, self.columns
        information, score = self._normal(change)
        inverse = np.asarray(np.linalg.inv(information), dtype=np.float64)
        step = inverse @ score
        mean, unit = self.relation.sim.state.mean(axis=0)[columns], self._unit()
        scale = np.exp(self.log_scale[columns] + step[0:k:2])
        offset = self.offset[columns] + unit * step[1:k:2]
        both = np.concatenate((np.eye(k)[0::2], _levels(k, scale * mean, unit)))
        influence, left, misfit = self._rests(change, inverse[:k], step)
        half, n_eff = self._halves(influence @ both.T)
        unknown = inverse[:k, :k] @ inverse[:k, :k] / PRIOR**2
        z = float(ndtri(0.5 + self.confidence / 2))
        half = np.hypot(half, z * np.sqrt(np.einsum("ij,jk,ik->i", both, unknown, both)))
        free = max(sum(part.size for part in self.parts) - k - (change is not None), 1)
        count = len(columns)
        return Sensed(
            names=tuple(self.relation.names[j] for j in columns),
            scale=scale,
            scale_half=half[:count],
            level=(scale - 1) * mean + offset,
            level_half=half[count:],
            n_eff=np.minimum(n_eff[:count], n_eff[count:]),
            left=left,
            chance=float(chdtrc(free, max(misfit, 0.0))),
            plant=self._plant(change),
        )

    def _plant(self, change: Change | None) -> str:
        if self.late:
            return f"a response {counted(self.late, 'row')} later"
        return "" if change is None else changes_of(self.relation, self.parts)[change]

    def _rests(
        self, change: Change | None, inverse: Matrix, step: Samples
    ) -> tuple[Matrix, float, float]:
        """Return each row's influence on the estimate, the largest part left of a motion, and χ²."""
        influence = np.zeros((sum(self.rows), self.size))
        left, misfit = 0.0, 0.0
        for p, part in enumerate(self.parts):
            slopes = part.slopes @ moved_together(self.size, p, part, change)
            rest = part.rest - slopes @ step
            # What the fitted coefficients took of the noise is given back (MacKinnon and White 1985, HC1).
            given = float(np.sqrt(rest.size / max(rest.size - part.size, 1)))
            influence += (slopes * (given * rest)[:, None]) @ inverse.T / part.noise
            more = float(rest @ rest) - part.own
            misfit += more / part.noise
            beyond = max(more - part.size * part.noise, 0.0) / self.rows[1]
            left = max(left, float(np.sqrt(beyond / max(part.motion, 1e-300))))
        return influence, left, misfit

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
