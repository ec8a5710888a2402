"""Smoothed signals and cubic splines through them, read between the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.intervals import Matrix
from tracescope.model.trace import Samples

_T = TypeVar("_T", bound=np.generic)

EDGE_ROWS = 3
"""Rows at either end that the smoothing distorts: they are not used."""

_NEAR_HOLE = 2


@dataclass(frozen=True, slots=True, eq=False)
class Smooth:
    """Smoothed channels and which of their samples may be used.

    Attributes:
        value: Finite everywhere, shape ``(k, n)``; bridged where nothing was measured.
        known: Shape ``(k, n)``, or ``(1, n)`` where it is the same for all channels.
    """

    value: Matrix
    known: NDArray[np.bool_]

    def only(self, kept: NDArray[np.bool_]) -> Smooth:
        """Return some channels, ``kept`` of shape ``(k,)``."""
        known = self.known if self.known.shape[0] == 1 else self.known[kept]
        return Smooth(self.value[kept], known)


def smoothed(value: Matrix, rows: float = 1.0) -> Smooth:
    """Smooth each row of a matrix by a Gaussian, leaving out the ends and what lies around holes.

    Args:
        value: Shape ``(k, n)``; NaN where there is no sample.
        rows: Standard deviation of the Gaussian.
    """
    from scipy.ndimage import binary_dilation, gaussian_filter1d

    n = value.shape[1]
    finite = np.isfinite(value)
    whole = value if finite.all() else filled(value)
    # Smooth about each channel's mean, so that a large constant costs no digits.
    centre = whole.mean(axis=1, keepdims=True)
    extended = odd_extended(whole - centre)
    pad = (extended.shape[1] - n) // 2
    out = gaussian_filter1d(extended, rows, axis=1, mode="nearest", radius=EDGE_ROWS)
    out = out[:, pad : pad + n] + centre
    inner = np.zeros((1, n), bool)
    inner[:, EDGE_ROWS : n - EDGE_ROWS] = True
    if finite.all():
        return Smooth(np.asarray(out), inner)
    near = binary_dilation(~finite, np.ones((1, 2 * _NEAR_HOLE + 1), bool))
    return Smooth(np.asarray(out), inner & ~np.asarray(near))


def odd_extended(value: Matrix, rows: int = 12) -> Matrix:
    """Extend each row of a matrix at both ends by its own mirror image turned upside down.

    A straight line stays one, so that filters and splines see no kink at the ends.

    Args:
        value: Shape ``(k, n)``, n ≥ 1.
        rows: At each end, at most n − 1.

    Returns:
        Shape ``(k, n + 2 · rows)``.
    """
    pad = min(rows, value.shape[1] - 1)
    if pad < 1:
        return value
    head = 2 * value[:, :1] - value[:, pad:0:-1]
    tail = 2 * value[:, -1:] - value[:, -2 : -pad - 2 : -1]
    return np.concatenate((head, value, tail), axis=1)


def filled(value: Matrix) -> Matrix:
    """Bridge missing samples linearly, row by row, shape ``(k, n)``; a row without any sample becomes 0."""
    known = np.isfinite(value)
    out = value.copy()
    places = np.arange(value.shape[1])
    for row in np.flatnonzero(~known.all(axis=1)):
        have = known[row]
        out[row] = np.interp(places, places[have], value[row, have]) if have.any() else 0.0
    return out


class Spline:
    """Interpolating cubic B-splines of the rows of a matrix, one spacing for all.

    Source:
        Unser, Aldroubi and Eden, B-spline signal processing II (1993).
    """

    def __init__(self, smooth: Smooth) -> None:
        from scipy.ndimage import spline_filter1d

        self._n = smooth.value.shape[1]
        extended = odd_extended(smooth.value)
        self._pad = (extended.shape[1] - self._n) // 2
        self._coefficients = np.asarray(spline_filter1d(extended, 3, axis=1, mode="mirror"))
        self._known = smooth.known

    def shifted(self, lag: Samples, rows: int) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
        """Evaluate every channel at rows less its own constant lag: as :meth:`at`, without gathering.

        Args:
            lag: Shape ``(k,)``, rows.
            rows: Places 0 … rows − 1 less the lag.

        Returns:
            As :meth:`at`, shape ``(k, rows)``.
        """
        k = self._coefficients.shape[0]
        value, slope = np.zeros((k, rows)), np.zeros((k, rows))
        valid = np.zeros((k, rows), np.bool_)
        known = np.broadcast_to(self._known, (k, self._n))
        for i in range(k):
            base = int(np.floor(-lag[i] + 1e-12))
            weights, slopes = _weights(np.float64(max(-lag[i] - base, 0.0)))
            first, last = max(0, 1 - base), min(rows, self._n - 2 - base)
            if last <= first:
                continue
            for tap in range(4):
                at = base + tap - 1 + self._pad
                taken = self._coefficients[i, first + at : last + at]
                value[i, first:last] += weights[tap] * taken
                slope[i, first:last] += slopes[tap] * taken
            near = known[i, first + base : last + base]
            valid[i, first:last] = near & known[i, first + base + 1 : last + base + 1]
        return value, slope, valid

    def at(self, place: Matrix) -> tuple[Matrix, Matrix, NDArray[np.bool_]]:
        """Evaluate at fractional rows.

        Args:
            place: Shape ``(k, m)`` or ``(1, m)``, rows.

        Returns:
            Values and slopes a row, each ``(k, m)``, and whether both neighbours of a place are known,
            ``(k, m)`` or ``(1, m)``.
        """
        base = np.floor(place + 1e-12)
        f = np.maximum(place - base, 0.0)
        first = base.astype(np.int64)
        weights, slopes = _weights(f)
        shape = (self._coefficients.shape[0], place.shape[1])
        value, slope = np.zeros(shape), np.zeros(shape)
        for tap in range(4):
            taken = _taken(self._coefficients, self._stored(first + tap - 1))
            value += weights[tap] * taken
            slope += slopes[tap] * taken
        second = np.where(f > 1e-9, first + 1, first)
        valid = (first >= 0) & (second <= self._n - 1)
        valid = valid & _taken(self._known, self._inside(first))
        return value, slope, valid & _taken(self._known, self._inside(second))

    def _stored(self, place: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(np.clip(place + self._pad, 0, self._coefficients.shape[1] - 1))

    def _inside(self, place: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.clip(place, 0, self._n - 1)


def _weights(f: Matrix | np.float64) -> tuple[tuple[Matrix, ...], tuple[Matrix, ...]]:
    """Cubic B-spline weights of the four samples around a place, and their derivatives, at fraction ``f``."""
    g = 1 - f
    f2, g2 = f * f, g * g
    f3, g3 = f2 * f, g2 * g
    weights = (g3 / 6, (4 - 6 * f2 + 3 * f3) / 6, (4 - 6 * g2 + 3 * g3) / 6, f3 / 6)
    slopes = (-g2 / 2, (-12 * f + 9 * f2) / 6, (12 * g - 9 * g2) / 6, f2 / 2)
    return weights, slopes  # type: ignore[return-value]


def _taken(array: NDArray[_T], place: NDArray[np.int64]) -> NDArray[_T]:
    if place.shape[0] == 1:
        return array[:, place[0]]
    if array.shape[0] == 1:
        picked: NDArray[_T] = array[0][place]
        return picked
    return np.asarray(np.take_along_axis(array, place, axis=1))
