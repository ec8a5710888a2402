"""Where the target moved inside what the simulator has seen, and in which directions it can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import Samples

Flags = NDArray[np.bool_]

EXCITED = 0.04
"""A direction is comparable where the simulator's variance is at least this share of the target's:
a fifth as much motion."""

LEVERAGE_QUANTILE = 0.99
LEVERAGE_SLACK = 1.5
"""Rows beyond this many times the simulator's 99 % leverage lie outside the supported region."""


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """Directions of feature space that are uncorrelated in both traces at once.

    Attributes:
        basis: Features times this give the directions' values, shape ``(q, k)``.
        sim, target: Mean square of each direction's values in each trace, shape ``(k,)``; they add to 2.
    """

    basis: Samples
    sim: Samples
    target: Samples

    @property
    def comparable(self) -> Flags:
        """Directions that the target used and the simulator excited enough, shape ``(k,)``."""
        return np.asarray((self.sim >= EXCITED * self.target) & (self.target > 1e-9))

    def leverage(self, z: Samples) -> Samples:
        """Return how far rows lie from the simulator's, in its comparable directions.

        Args:
            z: Values of the directions (features times ``basis``), shape ``(n, k)``.

        Returns:
            Squared distance in the simulator's own spread, shape ``(n,)``.
        """
        kept = self.comparable
        return np.asarray(z[:, kept] ** 2 @ (1 / self.sim[kept]))

    def inside(self, sim: Samples, target: Samples) -> Flags:
        """Say which target rows lie inside the simulator's supported region, shape ``(n,)``.

        Args:
            sim, target: Values of the directions in each trace, shapes ``(m, k)`` and ``(n, k)``.
        """
        if sim.shape[0] == 0:
            return np.zeros(target.shape[0], dtype=np.bool_)
        limit = LEVERAGE_SLACK * float(np.quantile(self.leverage(sim), LEVERAGE_QUANTILE))
        return np.asarray(self.leverage(target) <= limit * (1 + 1e-9) + 1e-12)


def directions(gram_sim: Samples, gram_target: Samples) -> Directions:
    """Diagonalise the second moments of both traces at once.

    Args:
        gram_sim, gram_target: Mean of the outer product of the features, shape ``(q, q)``.

    Returns:
        Directions in which the mean of both moments is 1; unexcited ones are left out.

    Source:
        Simultaneous diagonalisation, e.g. Fukunaga, Introduction to Statistical Pattern Recognition
        (1990), §2.3.
    """
    pooled = (gram_sim + gram_target) / 2
    value, vector = np.linalg.eigh(pooled)
    kept = value > 1e-11 * max(float(value[-1]), 1e-300)
    white = vector[:, kept] / np.sqrt(value[kept])
    share, turn = np.linalg.eigh(white.T @ gram_target @ white)
    target = np.clip(share, 0.0, 2.0)
    return Directions(np.asarray(white @ turn), 2.0 - target, target)
