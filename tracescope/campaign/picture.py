"""Where episodes lie in a picture: distances between signatures, as well as two dimensions can show them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tracescope.model.progress import never

Array = NDArray[np.float64]

_DECIMALS = 4
_WORK = 6e7
_MOST_ROUNDS = 200
_TILTS = (0.0, 0.35, -0.35)
"""How much of the third and fourth axis the starts hold: kinds that overlap in the first two part there."""


def places(apart: Array, pulse: Callable[[], None] = never) -> tuple[Array, float]:
    """Lay points into the plane so that their distances follow ``apart`` as well as a plane can.

    Starts from the principal coordinates and majorises the stress; of a few starts the best is kept.

    Args:
        apart: Distances, shape ``(n, n)``.
        pulse: Called before each round; what it raises ends the work.

    Returns:
        Coordinates, shape ``(n, 2)``, and the stress left: the squared misfit of the distances over their
        square, 0 where the plane shows them all.

    Source:
        Torgerson, Multidimensional scaling: I, Psychometrika 17 (1952), 401–419; de Leeuw, Convergence of the
        majorization method for multidimensional scaling, J. Classif. 5 (1988), 163–180.
    """
    many = len(apart)
    total = float((apart**2).sum())
    if many < 2 or total <= 0:
        return np.zeros((many, 2)), 0.0
    axes = _principal(apart)
    rounds = int(np.clip(_WORK / many**2, 10, _MOST_ROUNDS))
    tried = [_majorised(axes[:, :2] + tilt * axes[:, 2:], apart, rounds, pulse) for tilt in _TILTS]
    stress = [float(((apart - _distances(at)) ** 2).sum()) / total for at in tried]
    best = int(np.argmin(np.round(stress, 6)))
    return _turned(tried[best]), stress[best]


def _principal(apart: Array) -> Array:
    """Return the first four principal coordinates, shape ``(n, 4)``, zero where there are fewer."""
    squared = apart**2
    centered = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    value, vector = np.linalg.eigh(-centered / 2)
    kept = np.argsort(-value)[:4]
    axes = np.zeros((len(apart), 4))
    axes[:, : kept.size] = vector[:, kept] * np.sqrt(np.maximum(value[kept], 0.0))
    return _signed(axes)


def _signed(at: Array) -> Array:
    """Give each axis the direction in which its farthest point is positive: it has none of its own."""
    far = np.argmax(np.round(np.abs(at), _DECIMALS), axis=0)
    return np.asarray(at * np.where(at[far, range(at.shape[1])] < 0, -1.0, 1.0))


def _majorised(at: Array, apart: Array, rounds: int, pulse: Callable[[], None]) -> Array:
    for _ in range(rounds):
        pulse()
        now = _distances(at)
        ratio = np.divide(apart, now, out=np.zeros_like(apart), where=now > 1e-12)
        pull = -ratio
        np.fill_diagonal(pull, ratio.sum(axis=1))
        at = pull @ at / len(at)
    return at


def _distances(at: Array) -> Array:
    """Return the distances between points of the plane, shape ``(n, n)``."""
    across, along = (at[:, axis][:, None] - at[:, axis][None, :] for axis in (0, 1))
    return np.hypot(across, along)


def _turned(at: Array) -> Array:
    """Turn the picture so that it is widest from left to right."""
    at = at - at.mean(axis=0)
    _, vector = np.linalg.eigh(at.T @ at)
    return np.asarray(np.round(_signed(at @ vector[:, ::-1]), _DECIMALS) + 0.0)
