"""The reward as a function of logged state and action.

The smallest function that predicts is chosen and fitted on the simulator.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.reward_model_designs import Design, designs, inverse, spread_of
from tracescope.analysis.reward_model_rows import RewardRows
from tracescope.analysis.reward_model_sparse import chosen_terms, sparse_designs
from tracescope.model.progress import Pulse, never
from tracescope.model.trace import Samples

MIN_SCORE = 0.9
"""A reward with a lower cross-validated R² is not predictable from what is logged."""

MISFIT_FACTOR, MISFIT_SLACK = 2.0, 5e-4
"""The smallest design that leaves at most this many times the best one's misfit is chosen."""

AS_WELL = 4.0
"""Another form has a say where its misfit in rows left out is at most this many times the first one's."""

FEWEST_FOLDS, MOST_FOLDS = 10, 40
ROWS_A_FOLD = 8
"""Short blocks keep the rest of the motion around them; longer than most action changes."""

ROWS_PER_FEATURE = 4
MIN_ROWS = 20
LEVERAGE_FACTOR = 1.5
LEVERAGE_SAMPLE = 300
"""Rows that the usual leverage of a block's complement is read off."""

MOST_FEATURES = 160
MOST_INPUTS = 10
"""With more inputs than this, those that matter most are chosen first."""

MOST_ROWS = 1200
"""Longer traces are thinned for fitting: every k-th row."""

SHORT = 400
"""Up to this many rows sums of few terms are tried beside the whole forms."""

REACH = 1.5
"""A row in which an input that matters lies beyond so many times the simulator's half-range lies outside
the supported region: a sum of few terms may not depend on it there only because it hardly moved."""

RELEVANT = 0.02
"""Inputs matter whose weight is beyond this share of the largest."""

MIN_TESTED = 0.5
"""Least share of the rows that cross-validation can speak for: those not beyond the other blocks."""


@dataclass(frozen=True, slots=True, eq=False)
class RewardModel:
    """A fitted reward function.

    Attributes:
        kind: Name of its design.
        design: Rows → regressors, shape ``(n, q)``.
        beta: Coefficients, shape ``(q,)``.
        without: Coefficients with one block of rows left out, shape ``(blocks, q)``: their scatter says
            how well ``beta`` is known.
        inverse_gram: For leverages, shape ``(q, q)``.
        score: Cross-validated R² in the simulator.
        leverage_limit: Beyond that a row lies outside the supported region.
        weight: Root mean square change of the prediction for one spread of each input, shape ``(k,)``.
        spread: Spread of each input in the simulator, shape ``(k,)``.
        middle, reach: Middle of each input's range there, and how far from it rows may lie, shape ``(k,)``.
    """

    kind: str
    design: Design
    beta: Samples
    without: Samples
    inverse_gram: Samples
    score: float
    leverage_limit: float
    weight: Samples
    spread: Samples
    middle: Samples
    reach: Samples

    def predict(self, rows: RewardRows) -> Samples:
        """Return the reward that the simulator would pay, shape ``(n,)``."""
        return np.asarray(self.design(rows) @ self.beta)

    def supported(self, rows: RewardRows) -> Samples:
        """Return which rows lie where the simulator was, as 0 or 1, shape ``(n,)``."""
        leverage = leverages(self.design(rows), self.inverse_gram)
        relevant = self.weight > RELEVANT * float(np.max(self.weight))
        near = (np.abs(rows.inputs - self.middle) <= self.reach)[:, relevant].all(axis=1)
        return np.asarray(near & (leverage <= self.leverage_limit), dtype=np.float64)


def leverages(x: Samples, inverse_gram: Samples) -> Samples:
    """Return xᵢᵀ (XᵀX)⁻¹ xᵢ of each row, shape ``(n, q)`` → ``(n,)``."""
    return np.asarray(np.einsum("ij,ij->i", x @ inverse_gram, x))


def relevant_inputs(sim: RewardRows) -> NDArray[np.int64]:
    """Return the columns of the inputs that a reward may depend on, shape ``(k,)``, k ≤ :data:`MOST_INPUTS`.

    All of them where they are few; else those whose value, square or squared change is chosen first.
    """
    count = sim.inputs.shape[1]
    if count <= MOST_INPUTS or len(sim) < MIN_ROWS:
        return np.arange(count)
    rows = sim.thinned(MOST_ROWS)
    z = (rows.inputs - rows.inputs.mean(axis=0)) / spread_of(rows.inputs)
    change = (rows.inputs - rows.before) / spread_of(rows.inputs)
    order = chosen_terms(np.column_stack((z, z**2, change**2)), rows.reward, 3 * MOST_INPUTS)
    columns = list(dict.fromkeys(int(term) % count for term in order))
    return np.sort(np.asarray(columns[:MOST_INPUTS], dtype=np.int64))


def fit_reward(sim: RewardRows, pulse: Pulse = never) -> RewardModel | None:
    """Fit the smallest design that predicts the simulator's reward; ``None`` where none does.

    Source:
        Choice by blockwise cross-validation (Stone 1974) of the smallest whose misfit is
        near the best one's.
    """
    if len(sim) < MIN_ROWS or not float(np.std(sim.reward)) > 0:
        return None
    sim = sim.thinned(MOST_ROWS)
    tried = _tried(sim, len(sim) // ROWS_PER_FEATURE, pulse, enough=1 - MISFIT_SLACK)
    best = max((score for score, *_ in tried), default=-np.inf)
    if best < MIN_SCORE:
        return None
    allowed = MISFIT_FACTOR * (1 - best) + MISFIT_SLACK
    near = [t for t in tried if 1 - t[0] <= allowed]
    score, kind, design, _ = min(near, key=lambda t: t[3])
    return _fitted(sim, kind, design, score)


def _tried(
    sim: RewardRows, most: int, pulse: Pulse = never, without: str = "", enough: float = np.inf
) -> list[tuple[float, str, Design, int]]:
    """Return score, name, design and size of the forms of at most so many features, in their order.

    Whole forms are tried until one scores ``enough``. In a short trace sums of few terms stand beside
    them: there a whole form spends the rows on terms that the reward does not have.
    """
    tried: list[tuple[float, str, Design, int]] = []
    for kind, design in designs(sim):
        pulse()
        x = design(sim)
        if kind != without and x.shape[1] <= min(MOST_FEATURES, most):
            tried.append((cross_validated(x, sim.reward), kind, design, x.shape[1]))
        if tried and tried[-1][0] > enough:
            break
    if len(sim) <= SHORT:
        for kind, score, design in sparse_designs(sim):
            if kind != without:
                tried.append((score, kind, design, design(sim).shape[1]))
    return tried


def other_forms(sim: RewardRows, first: RewardModel) -> tuple[RewardModel, ...]:
    """Fit the designs of other kinds that predict about as well, larger ones allowed, best first.

    Two forms that predict one trace equally well part where another trace goes: what only one of them
    says about it is not known. A form that predicts the simulator's own reward far worse says nothing.
    """
    sim = sim.thinned(MOST_ROWS)
    allowed = AS_WELL * (1 - first.score) + MISFIT_SLACK
    tried = _tried(sim, len(sim) // 2, without=first.kind)
    near = sorted((t for t in tried if 1 - t[0] <= allowed), key=lambda t: -t[0])
    return tuple(_fitted(sim, kind, design, score) for score, kind, design, _ in near)


def _fitted(sim: RewardRows, kind: str, design: Design, score: float) -> RewardModel:
    x = design(sim)
    inverse_gram = inverse(x.T @ x)
    beta = inverse_gram @ (x.T @ sim.reward)
    limit = LEVERAGE_FACTOR * _high(leverages(x, inverse_gram))
    spread = spread_of(sim.inputs)
    base = x @ beta
    weight = np.zeros(len(spread))
    for column, step in enumerate(spread):
        inputs = sim.inputs.copy()
        inputs[:, column] += 0.1 * step
        weight[column] = np.sqrt(np.mean((design(sim.moved(inputs)) @ beta - base) ** 2)) / 0.1
    without = _without_blocks(x, sim.reward)
    low, high = sim.inputs.min(axis=0), sim.inputs.max(axis=0)
    middle, reach = (low + high) / 2, REACH * (high - low) / 2
    return RewardModel(
        kind, design, beta, without, inverse_gram, score, limit, weight, spread, middle, reach
    )


def _without_blocks(x: Samples, y: Samples) -> Samples:
    edges = np.linspace(0, len(y), FEWEST_FOLDS + 1).astype(int)
    gram, moment = x.T @ x, x.T @ y
    out = []
    for a, b in itertools.pairwise(edges):
        part = x[a:b]
        out.append(inverse(gram - part.T @ part) @ (moment - part.T @ y[a:b]))
    return np.asarray(out)


def _high(leverage: Samples) -> float:
    ordered = np.sort(leverage)
    return float(ordered[min(int(0.99 * len(ordered)), len(ordered) - 1)])


def cross_validated(x: Samples, y: Samples) -> float:
    """Return R² predicted across contiguous blocks of rows, inside the region the other blocks support.

    Args:
        x: Regressors, shape ``(n, q)``.
        y: Rewards, shape ``(n,)``.

    Returns:
        −inf where fewer than half of the rows can be predicted from the other blocks at all.
    """
    most = MOST_FOLDS if x.shape[1] <= 80 else FEWEST_FOLDS
    folds = int(np.clip(len(y) // ROWS_A_FOLD, min(FEWEST_FOLDS, len(y)), most))
    edges = np.linspace(0, len(y), folds + 1).astype(int)
    blocks = [slice(a, b) for a, b in itertools.pairwise(edges)]
    grams = np.stack([x[s].T @ x[s] for s in blocks])
    moments = np.stack([x[s].T @ y[s] for s in blocks])
    inverses = inverse(grams.sum(axis=0) - grams)
    betas = np.einsum("fij,fj->fi", inverses, moments.sum(axis=0) - moments)
    place = np.arange(len(y))
    sample = place[:: max(1, len(y) // LEVERAGE_SAMPLE)]
    error = np.full(len(y), np.nan)
    for s, inverse_gram, beta in zip(blocks, inverses, betas, strict=True):
        others = sample[(sample < s.start) | (sample >= s.stop)]
        limit = LEVERAGE_FACTOR * _high(leverages(x[others], inverse_gram))
        inside = leverages(x[s], inverse_gram) <= limit
        error[s] = np.where(inside, y[s] - x[s] @ beta, np.nan)
    tested = np.isfinite(error)
    if tested.mean() < MIN_TESTED:
        return float("-inf")
    spread = max(float(np.var(y[tested])), 0.1 * float(np.var(y)))
    return 1.0 - float(np.mean(error[tested] ** 2)) / max(spread, 1e-300)
