"""Where episodes lie in a picture: distances between signatures, as well as two dimensions can show them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_DECIMALS = 6


def places(apart: Array) -> tuple[Array, float]:
    """Lay points into the plane so that their distances follow ``apart`` as well as a plane can.

    Args:
        apart: Distances, shape ``(n, n)``.

    Returns:
        Coordinates, shape ``(n, 2)``, and the share of the squared distances that the plane shows.

    Source:
        Torgerson, Multidimensional scaling: I, Psychometrika 17 (1952), 401–419.
    """
    many = len(apart)
    if many < 2:
        return np.zeros((many, 2)), 1.0
    squared = apart**2
    centered = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    value, vector = np.linalg.eigh(-centered / 2)
    kept = np.argsort(-value)[:2]
    at = vector[:, kept] * np.sqrt(np.maximum(value[kept], 0.0))
    # An axis has no direction of its own: the farthest point lies on its positive side.
    far = np.argmax(np.round(np.abs(at), _DECIMALS), axis=0)
    at = at * np.where(at[far, range(at.shape[1])] < 0, -1.0, 1.0)
    if at.shape[1] < 2:
        at = np.column_stack((at, np.zeros(many)))
    positive = float(np.maximum(value, 0.0).sum())
    shown = float(np.maximum(value[kept], 0.0).sum()) / positive if positive > 0 else 1.0
    return np.round(at, _DECIMALS) + 0.0, shown
