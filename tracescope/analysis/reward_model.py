"""The reward as a function of logged state and action.

The smallest function that predicts is chosen and fitted on the simulator.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tracescope.analysis.reward_model_rows import RewardRows
from tracescope.model.trace import Samples

MIN_SCORE = 0.9
"""A reward with a lower cross-validated R² is not predictable from what is logged."""

SCORE_SLACK = 0.005
FOLDS = 10
ROWS_PER_FEATURE = 4
MIN_ROWS = 20
LEVERAGE_FACTOR = 1.5
Design = Callable[[RewardRows], Samples]


@dataclass(frozen=True, slots=True, eq=False)
class RewardModel:
    """A fitted reward function.

    Attributes:
        kind: Name of its design.
        design: Rows → regressors, shape ``(n, q)``.
        beta: Coefficients, shape ``(q,)``.
        inverse_gram: For leverages, shape ``(q, q)``.
        score: Cross-validated R² in the simulator.
        leverage_limit: Beyond that a row lies outside the supported region.
        weight: Root mean square change of the prediction for one spread of each input, shape ``(k,)``.
        spread: Spread of each input in the simulator, shape ``(k,)``.
    """

    kind: str
    design: Design
    beta: Samples
    inverse_gram: Samples
    score: float
    leverage_limit: float
    weight: Samples
    spread: Samples

    def predict(self, rows: RewardRows) -> Samples:
        """Return the reward that the simulator would pay, shape ``(n,)``."""
        return np.asarray(self.design(rows) @ self.beta)

    def supported(self, rows: RewardRows) -> Samples:
        """Return which rows lie where the simulator was, boolean as 0/1, shape ``(n,)``."""
        x = self.design(rows)
        leverage = np.einsum("ij,jk,ik->i", x, self.inverse_gram, x)
        return np.asarray(leverage <= self.leverage_limit, dtype=np.float64)


def designs(sim: RewardRows) -> list[tuple[str, Design]]:
    """Return the designs in order of size, inputs counted in the simulator's spread."""
    centre, spread = sim.inputs.mean(axis=0), _spread(sim.inputs)
    k = sim.inputs.shape[1]
    i, j = np.triu_indices(k)

    def here(rows: RewardRows) -> Samples:
        return np.asarray((rows.inputs - centre) / spread)

    def squares(rows: RewardRows) -> Samples:
        z = here(rows)
        return np.column_stack((np.ones(len(z)), z, z**2))

    def products(rows: RewardRows) -> Samples:
        z = here(rows)
        return np.column_stack((np.ones(len(z)), z, z[:, i] * z[:, j]))

    def changes(rows: RewardRows) -> Samples:
        z = (rows.inputs - rows.before) / spread
        return np.column_stack((products(rows), z, z**2))

    def outcome(rows: RewardRows) -> Samples:
        z = (rows.after - rows.inputs) / spread
        return np.column_stack((products(rows), z, z**2))

    def cubes(rows: RewardRows) -> Samples:
        z = here(rows)
        return np.column_stack((products(rows), np.abs(z), z**3, z**4))

    rng = np.random.default_rng(0)
    waves = min(120, max(len(sim) // 8, 4))
    direction = rng.normal(0.0, 0.7, (k, waves))
    phase = rng.uniform(0.0, 2 * np.pi, waves)

    def radial(rows: RewardRows) -> Samples:
        z = here(rows)
        return np.column_stack((np.ones(len(z)), z, z**2, np.cos(z @ direction + phase)))

    return [
        ("squares", squares),
        ("products", products),
        ("changes", changes),
        ("outcome", outcome),
        ("cubes", cubes),
        ("radial", radial),
    ]


def _spread(values: Samples) -> Samples:
    sd = values.std(axis=0)
    return np.where(sd > 0, sd, 1.0)


def fit_reward(sim: RewardRows) -> RewardModel | None:
    """Fit the smallest design that predicts the simulator's reward; ``None`` where none does.

    Source:
        Ridge of 1e-9 for numerical rank only; choice by blockwise cross-validation (Stone 1974) within
        :data:`SCORE_SLACK` of the best.
    """
    if len(sim) < MIN_ROWS or not float(np.std(sim.reward)) > 0:
        return None
    tried: list[tuple[float, str, Design]] = []
    for kind, design in designs(sim):
        x = design(sim)
        if len(sim) >= ROWS_PER_FEATURE * x.shape[1]:
            tried.append((cross_validated(x, sim.reward), kind, design))
        if tried and tried[-1][0] > 1 - SCORE_SLACK / 5:
            break
    if not tried:
        return None
    best = max(score for score, _, _ in tried)
    if best < MIN_SCORE:
        return None
    score, kind, design = next(t for t in tried if t[0] >= best - SCORE_SLACK)
    return _fitted(sim, kind, design, score)


def _fitted(sim: RewardRows, kind: str, design: Design, score: float) -> RewardModel:
    x = design(sim)
    inverse = _inverse(x.T @ x)
    beta = inverse @ (x.T @ sim.reward)
    leverage = np.sort(np.einsum("ij,jk,ik->i", x, inverse, x))
    limit = LEVERAGE_FACTOR * float(leverage[min(int(0.99 * len(x)), len(x) - 1)])
    spread = _spread(sim.inputs)
    base = x @ beta
    weight = np.zeros(len(spread))
    for column, step in enumerate(spread):
        inputs = sim.inputs.copy()
        inputs[:, column] += 0.1 * step
        weight[column] = np.sqrt(np.mean((design(sim.moved(inputs)) @ beta - base) ** 2)) / 0.1
    return RewardModel(kind, design, beta, inverse, score, limit, weight, spread)


def _inverse(gram: Samples) -> Samples:
    value, vector = np.linalg.eigh(gram)
    kept = value > 1e-9 * max(float(value[-1]), 1e-300)
    return np.asarray((vector[:, kept] / value[kept]) @ vector[:, kept].T)


def cross_validated(x: Samples, y: Samples) -> float:
    """Return R² predicted across contiguous blocks of rows; x ``(n, q)``, y ``(n,)``."""
    edges = np.linspace(0, len(y), FOLDS + 1).astype(int)
    gram, moment = x.T @ x, x.T @ y
    error = 0.0
    for a, b in itertools.pairwise(edges):
        part = x[a:b]
        beta = _inverse(gram - part.T @ part) @ (moment - part.T @ y[a:b])
        error += float(np.sum((y[a:b] - part @ beta) ** 2))
    return 1.0 - error / max(float(np.sum((y - y.mean()) ** 2)), 1e-300)
