"""What a reward may be a function of: designs from small to large."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tracescope.analysis.reward_model_rows import RewardRows
from tracescope.model.trace import Samples

Design = Callable[[RewardRows], Samples]

WAVES = 120
"""Most random waves of the last design."""


def spread_of(values: Samples) -> Samples:
    """Standard deviation of each column, 1 where it does not move; shape ``(n, k)`` → ``(k,)``."""
    sd = values.std(axis=0)
    return np.asarray(np.where(sd > 0, sd, 1.0))


def inverse(gram: Samples) -> Samples:
    """Inverse of one Gram matrix, or of a stack of them, with a ridge for what was not excited.

    Args:
        gram: Shape ``(…, q, q)``, symmetric, not negative.
    """
    size = gram.shape[-1]
    ridge = 1e-9 * np.trace(gram, axis1=-2, axis2=-1)[..., None, None] / size + 1e-300
    return np.asarray(np.linalg.inv(gram + ridge * np.eye(size)))


def designs(sim: RewardRows) -> Iterator[tuple[str, Design]]:
    """Yield the designs in order of size, inputs counted in the simulator's spread.

    squares: each input and its square; products: every product; changes: also the change since the row
    before (action-rate penalties); outcome: also the change to the row after (rewards of the reached
    state); cubes: also |z|, z³, z⁴; root and bell: the square root, or the exponential, of a quadratic
    form fitted to r², or to log r (distances, and the bell-shaped terms of tracking rewards); waves:
    random Fourier features (Rahimi and Recht 2007).
    """
    centre, spread = sim.inputs.mean(axis=0), spread_of(sim.inputs)
    i, j = np.triu_indices(sim.inputs.shape[1])

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

    yield "squares", squares
    yield "products", products
    yield "changes", changes
    yield "outcome", outcome
    yield "cubes", cubes
    yield from _curved(sim, products)
    yield "waves", _waves(sim, squares, here)


def _curved(sim: RewardRows, products: Design) -> Iterator[tuple[str, Design]]:
    x, reward = products(sim), sim.reward
    top = float(reward.max())
    away = top - reward if abs(top) > 1e-6 * float(np.ptp(reward)) and top > 0 else reward
    beta = inverse(x.T @ x) @ (x.T @ away**2)

    def root(rows: RewardRows) -> Samples:
        part = products(rows)
        return np.column_stack((part, np.sqrt(np.maximum(part @ beta, 0.0))))

    yield "root", root
    if not (reward > 0).all():
        return
    weight = reward  # the logarithm's error is that of the reward over the reward
    weighted = x * weight[:, None]
    slope = inverse(weighted.T @ weighted) @ (weighted.T @ (weight * np.log(reward)))
    limit = float(np.log(reward).max()) + 1.0

    def bell(rows: RewardRows) -> Samples:
        part = products(rows)
        return np.column_stack((part, np.exp(np.minimum(part @ slope, limit))))

    yield "bell", bell


def _waves(sim: RewardRows, squares: Design, here: Design) -> Design:
    rng = np.random.default_rng(0)
    count = min(WAVES, max(len(sim) // 8, 4))
    direction = rng.normal(0.0, 0.7, (sim.inputs.shape[1], count))
    phase = rng.uniform(0.0, 2 * np.pi, count)

    def waves(rows: RewardRows) -> Samples:
        return np.column_stack((squares(rows), np.cos(here(rows) @ direction + phase)))

    return waves
