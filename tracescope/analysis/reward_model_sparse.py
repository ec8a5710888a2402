"""A reward as a sum of very few terms, for traces too short for a whole quadratic form."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.reward_model_designs import Design, spread_of
from tracescope.analysis.reward_model_rows import RewardRows
from tracescope.model.trace import Samples

ROWS_PER_TERM = 8
MOST_TERMS = 8
FOLDS = 8


def dictionary(sim: RewardRows) -> Design:
    """Return every term a sum may take: inputs, products, changes and distances between two inputs."""
    centre, spread = sim.inputs.mean(axis=0), spread_of(sim.inputs)
    k = sim.inputs.shape[1]
    i, j = np.triu_indices(k)
    first, second = np.triu_indices(k, 1)

    def terms(rows: RewardRows) -> Samples:
        z = (rows.inputs - centre) / spread
        change = (rows.inputs - rows.before) / spread
        apart = rows.inputs[:, first] - rows.inputs[:, second]
        return np.column_stack(
            (z, z[:, i] * z[:, j], change, change**2, np.abs(rows.inputs), np.abs(apart), apart**2)
        )

    return terms


def chosen_terms(x: Samples, y: Samples, most: int) -> NDArray[np.int64]:
    """Choose columns one by one, each the one most correlated with what is left.

    Args:
        x: Terms, shape ``(n, q)``.
        y: Rewards, shape ``(n,)``.
        most: How many at most; it stops earlier where nothing is left.

    Source:
        Orthogonal matching pursuit: Pati, Rezaiifar and Krishnaprasad (1993).
    """
    centred = x - x.mean(axis=0)
    norm = np.linalg.norm(centred, axis=0)
    usable = norm > 1e-9 * max(float(norm.max()), 1e-300)
    unit = np.where(usable, centred / np.where(usable, norm, 1.0), 0.0)
    left = y - y.mean()
    target, kept = left.copy(), np.zeros(0, np.int64)
    while kept.size < most and float(left @ left) > 1e-12 * float(target @ target):
        score = np.abs(left @ unit)
        score[kept] = 0.0
        kept = np.append(kept, int(np.argmax(score)))
        part = unit[:, kept]
        gram = part.T @ part + 1e-12 * np.eye(kept.size)
        left = target - part @ np.linalg.solve(gram, part.T @ target)
    return kept


def sparse_design(sim: RewardRows) -> tuple[float, Design]:
    """Return a design of few terms and its R² with terms chosen anew in every fold."""
    terms = dictionary(sim)
    x, y = terms(sim), sim.reward
    most = min(MOST_TERMS, len(y) // ROWS_PER_TERM)
    edges = np.linspace(0, len(y), FOLDS + 1).astype(int)
    error = np.zeros(len(y))
    for a, b in itertools.pairwise(edges):
        train = np.r_[0:a, b : len(y)]
        columns = chosen_terms(x[train], y[train], most)
        inside = np.column_stack((np.ones(train.size), x[np.ix_(train, columns)]))
        beta = np.linalg.lstsq(inside, y[train], rcond=None)[0]
        error[a:b] = y[a:b] - np.column_stack((np.ones(b - a), x[a:b][:, columns])) @ beta
    score = 1.0 - float(np.mean(error**2)) / max(float(np.var(y)), 1e-300)
    columns = chosen_terms(x, y, most)

    def few(rows: RewardRows) -> Samples:
        part = terms(rows)[:, columns]
        return np.column_stack((np.ones(len(part)), part))

    return score, few
