"""A reward as a sum of very few terms, or the exponential of one: what a short trace can tell of its form."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.reward_model_designs import Design, spread_of
from tracescope.analysis.reward_model_rows import RewardRows
from tracescope.model.trace import Samples

ROWS_PER_TERM = 6
MOST_TERMS = 8
FOLDS = 8

STILL = 1e-9
"""Part of its largest value by which a size that moves is spread at least."""

SPARED = 1.2
"""The smallest number of terms is taken whose misfit in rows left out is at most this many times the least:
a term too few leaves a motion-long misfit, a term too many only a little noise."""


def dictionary(sim: RewardRows) -> Design:
    """Return every term a sum may take: inputs, products, changes and distances between two inputs.

    Sizes and distances count from a zero of their own, so only afterwards in the simulator's spread: a column
    in the square of a logged unit would outweigh all others in a ridge or in a limit for still columns.
    """
    centre, spread = sim.inputs.mean(axis=0), spread_of(sim.inputs)
    k = sim.inputs.shape[1]
    i, j = np.triu_indices(k)
    first, second = np.triu_indices(k, 1)

    def sizes(rows: RewardRows) -> Samples:
        apart = rows.inputs[:, first] - rows.inputs[:, second]
        return np.column_stack((np.abs(rows.inputs), rows.inputs**2, np.abs(apart), apart**2))

    seen = sizes(sim)
    usual, unit = seen.mean(axis=0), seen.std(axis=0)
    # What only rounding moves (the distance of two inputs that keep theirs) tells nothing, and never counts.
    unit = np.where(unit > STILL * np.abs(seen).max(axis=0), unit, np.inf)

    def terms(rows: RewardRows) -> Samples:
        z = (rows.inputs - centre) / spread
        change = (rows.inputs - rows.before) / spread
        return np.column_stack(
            (z, z[:, i] * z[:, j], change, change**2, (sizes(rows) - usual) / unit)
        )

    return terms


def chosen_terms(
    x: Samples, y: Samples, most: int, weight: Samples | None = None
) -> NDArray[np.int64]:
    """Choose columns one by one, each the one that leaves least.

    Args:
        x: Terms, shape ``(n, q)``.
        y: Rewards, shape ``(n,)``.
        most: How many at most; it stops earlier where nothing is left.
        weight: What each row's misfit is multiplied by, shape ``(n,)``; one where not given.

    Source:
        Orthogonal least squares: Chen, Billings and Luo, International Journal of Control 50 (1989).
    """
    w = np.ones(len(y)) if weight is None else weight
    centre = w**2 / float(np.sum(w**2))
    centred = (x - centre @ x) * w[:, None]
    left = (y - centre @ y) * w
    norm = np.linalg.norm(centred, axis=0)
    usable = norm > 1e-9 * max(float(norm.max()), 1e-300)
    rest = np.where(usable, centred / np.where(usable, norm, 1.0), 0.0)
    least, kept = 1e-12 * float(left @ left), np.zeros(0, np.int64)
    while kept.size < most and float(left @ left) > least:
        size = np.einsum("ij,ij->j", rest, rest)
        new = size > 1e-8  # what earlier terms say already says nothing again
        gain = np.where(new, (left @ rest) ** 2 / np.where(new, size, 1.0), -1.0)
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        kept = np.append(kept, best)
        along = rest[:, best] / np.sqrt(size[best])
        left = left - (along @ left) * along
        rest = rest - np.outer(along, along @ rest)
    return kept


def sparse_designs(sim: RewardRows) -> Iterator[tuple[str, float, Design]]:
    """Yield name, R² and design of sums of few terms, terms chosen anew in every fold.

    few: the sum itself; few-bell: the exponential of one, for rewards above zero, as the tangent space
    of that form (what least squares on it then does is one step of Gauss and Newton, and its leverages
    and scatter are those of the curved form to first order).
    """
    terms = dictionary(sim)
    x, y = terms(sim), sim.reward
    most = max(1, min(MOST_TERMS, len(y) // ROWS_PER_TERM))
    columns, score = _few(x, y, most, bell=False)

    def few(rows: RewardRows) -> Samples:
        return _with_one(terms(rows)[:, columns])

    yield "few", score, few
    if not (y > 0).all():
        return
    inside, score = _few(x, y, most, bell=True)
    beta = _solved(x[:, inside], y, bell=True)
    limit = float(np.log(y).max()) + 1.0

    def bell(rows: RewardRows) -> Samples:
        part = _with_one(terms(rows)[:, inside])
        height = np.exp(np.minimum(part @ beta, limit))
        return np.column_stack((np.ones(len(part)), part * height[:, None]))

    yield "few-bell", score, bell


def _few(x: Samples, y: Samples, most: int, *, bell: bool) -> tuple[NDArray[np.int64], float]:
    """Choose terms, as many as rows left out bear out, and return them with their R² there."""
    edges = np.linspace(0, len(y), FOLDS + 1).astype(int)
    error = np.zeros((most, len(y)))
    for a, b in itertools.pairwise(edges):
        train = np.r_[0:a, b : len(y)]
        columns = _chosen(x[train], y[train], most, bell=bell)
        for count in range(1, most + 1):
            kept = columns[:count]
            beta = _solved(x[np.ix_(train, kept)], y[train], bell=bell)
            told = _with_one(x[a:b][:, kept]) @ beta
            if bell:
                told = np.exp(np.minimum(told, float(np.log(y[train]).max()) + 1.0))
            error[count - 1, a:b] = y[a:b] - told
    misfit = np.mean(error**2, axis=1)
    count = int(np.flatnonzero(misfit <= SPARED * misfit.min())[0]) + 1
    score = 1.0 - float(misfit[count - 1]) / max(float(np.var(y)), 1e-300)
    return _chosen(x, y, count, bell=bell), score


def _chosen(x: Samples, y: Samples, most: int, *, bell: bool) -> NDArray[np.int64]:
    # The logarithm's error is that of the reward over the reward.
    return chosen_terms(x, np.log(y), most, y) if bell else chosen_terms(x, y, most)


def _solved(x: Samples, y: Samples, *, bell: bool) -> Samples:
    full = _with_one(x)
    if bell:
        return np.asarray(np.linalg.lstsq(full * y[:, None], y * np.log(y), rcond=None)[0])
    return np.asarray(np.linalg.lstsq(full, y, rcond=None)[0])


def _with_one(x: Samples) -> Samples:
    return np.column_stack((np.ones(len(x)), x))
