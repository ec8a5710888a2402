"""Least and greatest sample of every bin of a channel, at every size of bin that drawing needs.

Bins are powers of two counted from the first sample, never from the view, so that a curve does not
wiggle while it is panned. Nothing is thinned out: every sample lies in the span of its bin.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BASE = 32
"""Samples in the smallest stored bin: all levels together are a twelfth of the samples."""

FACTOR = 4
"""How much greater each further stored bin is; a size between two is made of two bins of the smaller."""

BLOCK = 1 << 16
"""Samples worked on at a time: what fits beside its results into a core's own cache."""

Extremes = tuple[NDArray[np.floating], NDArray[np.floating]]


class Pyramid:
    """The stored levels over one array of samples.

    NaN samples are left out of a bin; a bin of NaN alone is NaN. Infinite samples count as NaN here and
    are listed apart, because no axis can show where they lie.

    Attributes:
        value: The samples with infinite ones made NaN, shape ``(n,)``, floating.
        infinite: Row numbers of infinite samples.
        low, high: Least and greatest finite sample; NaN where there is none.
    """

    is_pending = False

    def __init__(self, value: NDArray[np.generic]) -> None:
        self._low: list[NDArray[np.floating]] = []
        self._high: list[NDArray[np.floating]] = []
        self.value, self.infinite, low, high = _lowest(value)
        if low.size < self.value.size:
            self._low.append(low)
            self._high.append(high)
        while low.size > BASE:
            low, high = _halved(low, np.fmin, FACTOR), _halved(high, np.fmax, FACTOR)
            self._low.append(low)
            self._high.append(high)
        self.low = float(np.fmin.reduce(low)) if low.size else float("nan")
        self.high = float(np.fmax.reduce(high)) if high.size else float("nan")

    @property
    def nbytes(self) -> int:
        """Bytes of the stored levels, without the samples."""
        return sum(level.nbytes for level in (*self._low, *self._high))

    def between(self, size: int, first: int, last: int) -> Extremes:
        """Return least and greatest of the bins ``first`` to ``last − 1`` of ``size`` samples each.

        ``size`` is a power of two. The last bin may be short.
        """
        low, high, factor = self._source(size)
        if factor == 1:
            return low[first:last], high[first:last]
        piece = slice(first * factor, last * factor)
        return _halved(low[piece], np.fmin, factor), _halved(high[piece], np.fmax, factor)

    def at(self, size: int, bins: NDArray[np.int64]) -> Extremes:
        """Return least and greatest of these bins of ``size`` samples, shape of ``bins``."""
        low, high, factor = self._source(size)
        if factor == 1:
            return low[bins], high[bins]
        top = low.size - 1
        places = np.minimum(bins[:, None] * factor + np.arange(factor), top)
        return np.fmin.reduce(low[places], axis=1), np.fmax.reduce(high[places], axis=1)

    def _source(self, size: int) -> tuple[NDArray[np.floating], NDArray[np.floating], int]:
        """Return the coarsest level not coarser than ``size`` and how many of its bins make one."""
        level, stored = -1, 1
        while level + 1 < len(self._low) and BASE * FACTOR ** (level + 1) <= size:
            level += 1
            stored = BASE * FACTOR**level
        if level < 0:
            return self.value, self.value, size
        return self._low[level], self._high[level], size // stored


class PendingPyramid(Pyramid):
    """Stands for a pyramid that is still being built: as many samples, none to be seen."""

    is_pending = True

    def __init__(self, size: int) -> None:
        super().__init__(np.zeros(0))
        self.value = np.broadcast_to(np.float64(np.nan), (size,))

    def between(self, size: int, first: int, last: int) -> Extremes:
        """Return nothing for every bin."""
        del size
        nothing = np.full(last - first, np.nan)
        return nothing, nothing

    def at(self, size: int, bins: NDArray[np.int64]) -> Extremes:
        """Return nothing for every bin."""
        del size
        nothing = np.full(bins.shape, np.nan)
        return nothing, nothing


Lowest = tuple[NDArray[np.floating], NDArray[np.int64], NDArray[np.floating], NDArray[np.floating]]


def _lowest(value: NDArray[np.generic]) -> Lowest:
    """Return the samples without infinite ones, where those were, and the extremes of the first bins.

    Where every bin has finite extremes, so that no sample is missing or infinite, one pass is enough.
    """
    floats: NDArray[np.floating]
    floats = value if value.dtype.kind == "f" else value.astype(np.float64)  # type: ignore[assignment]
    none = np.zeros(0, np.int64)
    with np.errstate(invalid="ignore"):
        low, high = _base(floats, np.minimum, np.maximum)
    if np.isfinite(low).all() and np.isfinite(high).all():
        return floats, none, low, high
    infinite = np.flatnonzero(np.isinf(floats))
    if infinite.size:
        floats = floats.copy()
        floats[infinite] = np.nan
    return floats, infinite, *_base(floats, np.fmin, np.fmax)


def _base(value: NDArray[np.floating], least: np.ufunc, most: np.ufunc) -> Extremes:
    """Return the first stored level, or the samples themselves where they are too few for one.

    Each block is turned so that the first samples of its bins lie beside each other, then the second ones,
    and so on: whole rows of them are compared at once, in the core's own cache.
    """
    if value.size <= BASE:
        return value, value
    whole, each = value.size // BASE, BLOCK // BASE
    bins = -(-value.size // BASE)
    low, high = np.empty(bins, value.dtype), np.empty(bins, value.dtype)
    room = np.empty((BASE, min(each, whole)), value.dtype)
    for start in range(0, whole, each):
        stop = min(start + each, whole)
        turned = room[:, : stop - start]
        np.copyto(turned, value[start * BASE : stop * BASE].reshape(-1, BASE).T)
        least.reduce(turned, axis=0, out=low[start:stop])
        most.reduce(turned, axis=0, out=high[start:stop])
    if whole < bins:
        low[-1], high[-1] = least.reduce(value[whole * BASE :]), most.reduce(value[whole * BASE :])
    return low, high


def _halved(level: NDArray[np.floating], least: np.ufunc, factor: int) -> NDArray[np.floating]:
    """Reduce ``factor`` neighbours to one; the last group may be short."""
    whole = level.size // factor * factor
    out: NDArray[np.floating] = level[:whole:factor].copy()
    for place in range(1, factor):
        least(out, level[place:whole:factor], out=out)
    if whole < level.size:
        out = np.append(out, least.reduce(level[whole:]))
    return out
