"""Looking at a long signal: in blocks, so that no copy of it is made, or at whole stretches along it.

Signals have shape ``(n,)``.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import Samples

STRETCHES = 32
STRETCH_ROWS = 3125
MOST_ROWS = STRETCHES * STRETCH_ROWS
"""Rows that regressions look at: a hundred thousand leave hardly any doubt that more would take."""

LONG_ROWS = 210_000
"""A pair is long from here; stretches with the rows around an end added are never long again."""

BLOCK_ROWS = 1 << 14
"""Rows looked at in one go: what is only needed in between stays small beside a long signal."""

Span = tuple[int, int]
"""First row and the row behind the last one."""


def blocks_of_rows(size: int) -> Iterator[slice]:
    """Yield the rows of a signal of ``size`` samples as slices of :data:`BLOCK_ROWS` each."""
    return (slice(at, min(at + BLOCK_ROWS, size)) for at in range(0, size, BLOCK_ROWS))


def stretches_of(first: int, last: int, rows: int) -> list[Span]:
    """Return :data:`STRETCHES` spans of ``rows`` each, evenly over the rows; one where they fill them."""
    if last - first <= STRETCHES * rows:
        return [(first, last)]
    starts = np.linspace(first, last - rows, STRETCHES).astype(np.int64).tolist()
    return [(start, start + rows) for start in starts]


def even_rows(size: int) -> NDArray[np.int64]:
    """Return the rows of whole stretches spread evenly over ``size`` rows, in order, at most :data:`MOST_ROWS`."""
    spans = stretches_of(0, size, STRETCH_ROWS)
    return np.concatenate([np.arange(first, last) for first, last in spans])


def running_count(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the flags up to each row, itself included, shape ``(n,)``.

    Block by block: while NumPy adds up, it keeps every other thread waiting, the window's as well.
    """
    counted, before = np.empty(flags.size, np.int64), 0
    for rows in blocks_of_rows(flags.size):
        part = np.cumsum(flags[rows], out=counted[rows])
        part += before
        before = int(part[-1])
    return counted


def finite_range(value: Samples) -> tuple[int, float, float]:
    """Return how many samples of a signal, shape ``(n,)``, are finite, the lowest and the highest of those.

    Both ends are NaN where none is finite.
    """
    count, low, high = 0, np.inf, -np.inf
    for rows in blocks_of_rows(value.size):
        some = value[rows]
        finite = np.isfinite(some)
        known = int(np.count_nonzero(finite))
        if known:
            kept = some if known == some.size else some[finite]
            low, high = min(low, float(kept.min())), max(high, float(kept.max()))
            count += known
    return (count, low, high) if count else (0, float("nan"), float("nan"))


def spread_of(value: Samples) -> float:
    """Return the standard deviation of a signal's samples that are not NaN, shape ``(n,)``.

    Every row counts: a machine that rests most of the time moves between any stretches that one would look at.
    """
    if value.size <= LONG_ROWS:
        return float(np.nanstd(value))
    return spreads_together(value, value)[0]


def spreads_together(x: Samples, y: Samples) -> tuple[float, float, float]:
    """Return the standard deviations of two signals, shape ``(n,)`` each, and their covariance, block by block.

    Over the rows in which both are finite; three NaN where there is none.

    Source:
        Chan, Golub and LeVeque, Algorithms for computing the sample variance (1983), eq. 2.1.
    """
    count, mean, power = 0, np.zeros(2), np.zeros((2, 2))
    for rows in blocks_of_rows(x.size):
        some = np.stack((x[rows], y[rows]))
        known = np.isfinite(some).all(axis=0)
        if not known.all():
            some = some[:, known]
        if not (size := some.shape[1]):
            continue
        middle = some.mean(axis=1)
        some -= middle[:, None]
        apart, count = middle - mean, count + size
        mean = mean + apart * (size / count)
        power += some @ some.T + np.outer(apart, apart) * (size * (count - size) / count)
    if not count:
        return (float("nan"), float("nan"), float("nan"))
    power /= count
    return float(np.sqrt(power[0, 0])), float(np.sqrt(power[1, 1])), float(power[0, 1])
