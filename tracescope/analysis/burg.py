"""Reflection coefficients of autoregressions, many series at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_LONG_ROWS = 4096
"""From here on one pass a lag beats the recursion over the errors, which takes several an order."""

_LEAST_LEFT = 1e-4
"""Products of samples lose the error of a prediction in rounding where it is a smaller share than this."""

_BLOCK_SAMPLES = 65_536
"""So many samples stay in the processor's cache from one pass to the next."""


def reflections(z: Matrix, orders: int) -> Matrix:
    """Return Burg's reflection coefficients.

    Args:
        z: Centred series, one a row, shape ``(k, n)`` with n > orders.
        orders: How many.

    Returns:
        Shape ``(k, orders)``; 0 where nothing is left to predict.

    Source:
        Burg, Maximum entropy spectral analysis (1975). For long series by products of samples, after Vos, A
        fast implementation of Burg's method (2013), wherever they carry enough digits.
    """
    if z.shape[1] < _LONG_ROWS or not orders:
        return _by_errors(z, orders)
    found, left = _by_products(z, orders)
    vague = np.flatnonzero(left < _LEAST_LEFT)
    if vague.size:
        found[vague] = _by_errors(z[vague], orders)
    return found


def _by_errors(z: Matrix, orders: int) -> Matrix:
    """Carry the errors of predicting forwards and backwards along, block by block of series."""
    k, n = z.shape
    found = np.zeros((k, orders))
    step = max(1, _BLOCK_SAMPLES // n)
    for first in range(0, k, step):
        block = z[first : first + step]
        forward, backward = block[:, 1:].copy(), block[:, :-1].copy()
        for place in range(orders):
            power = _products(forward, forward) + _products(backward, backward)
            reflection = _quotient(2 * _products(forward, backward), power)
            found[first : first + step, place] = reflection
            moved = reflection[:, None] * forward
            forward -= reflection[:, None] * backward
            backward -= moved
            forward, backward = forward[:, 1:], backward[:, :-1]
    return found


def _by_products(z: Matrix, orders: int) -> tuple[Matrix, NDArray[np.float64]]:
    """Do the same on the products of samples up to ``orders`` apart.

    Returns:
        The coefficients, and the least share of a series' power that a prediction left, shape ``(k,)``.
    """
    k, n = z.shape
    lagged = [_products(z[:, lag:], z[:, : n - lag]) for lag in range(orders + 1)]
    found, left = np.zeros((k, orders)), np.ones(k)
    predictor = np.ones((k, 1))
    # products[j, l] sums x[m − j] x[m − l] over every m from the order to the last row
    products = lagged[0][:, None, None]
    for order in range(1, orders + 1):
        products = _grown(products, z, order, lagged[order])
        ahead = np.concatenate((predictor, np.zeros((k, 1))), axis=1)
        back = ahead[:, ::-1]
        power = _form(ahead, products, ahead) + _form(back, products, back)
        reflection = _quotient(2 * _form(ahead, products, back), power)
        found[:, order - 1] = reflection
        left = np.minimum(left, _quotient(power, 2 * lagged[0]))
        predictor = ahead - reflection[:, None] * back
    return found, left


def _grown(
    products: NDArray[np.float64], z: Matrix, order: int, furthest: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the products for one order more: one row less at either end, one lag more."""
    n = z.shape[1]
    first = z[:, order - 1 :: -1] if order > 1 else z[:, :1]
    last = z[:, : n - order - 1 : -1]
    out = np.empty((z.shape[0], order + 1, order + 1))
    out[:, 1:, 1:] = products - last[:, :, None] * last[:, None, :]
    out[:, 0, :order] = products[:, 0] - first[:, :1] * first
    out[:, 0, order] = furthest
    out[:, 1:, 0] = out[:, 0, 1:]
    return out


def _products(one: Matrix, other: Matrix) -> NDArray[np.float64]:
    return np.asarray(np.einsum("ij,ij->i", one, other))


def _form(one: Matrix, products: NDArray[np.float64], other: Matrix) -> NDArray[np.float64]:
    return np.asarray(np.einsum("ij,ijl,il->i", one, products, other))


def _quotient(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), 0.0)
