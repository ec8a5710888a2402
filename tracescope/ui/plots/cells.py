"""Which bins of a clock a view shows: at most one pixel wide each, single samples where they lie apart.

One :class:`Cells` serves every channel of a clock. Where a bin would be wider than a pixel (a gap, an
uneven rate) it is split into its parts until it is narrow or a single sample; so gaps stay gaps at
every zoom, without a list of gaps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import Samples
from tracescope.ui.plots.pyramid import Extremes, Pyramid

PARTS = 4
"""Into how many parts a bin that is too wide is split at a time."""

WIDEST_PX = 1.0
"""A bin of several samples that spans more pixels is split."""


@dataclass(frozen=True, slots=True)
class Lens:
    """Where instants of a clock lie in a box: ``x = (t − origin_s) · px_per_s``.

    Equal lenses are one to what is kept from frame to frame.
    """

    origin_s: float
    px_per_s: float
    width_px: float

    def x(self, time_s: Samples) -> Samples:
        """Map instants of the clock to pixels from the box's left edge."""
        return (time_s - self.origin_s) * self.px_per_s

    def x_one(self, time_s: float) -> float:
        """Map one instant."""
        return (time_s - self.origin_s) * self.px_per_s

    def time(self, x: float) -> float:
        """Map a pixel back to the clock."""
        return self.origin_s + x / self.px_per_s


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """Which bins of a pyramid the cells are.

    ``whole`` is (size, first, last + 1) where all have one size; else ``pieces`` holds (size, bins) and
    ``order`` puts them in order of time.
    """

    whole: tuple[int, int, int] | None = None
    pieces: tuple[tuple[int, NDArray[np.int64]], ...] = ()
    order: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Consecutive runs of samples to draw, in order of time.

    Attributes:
        first, last: Row numbers of each cell's first and last sample, shape ``(m,)``.
        x: Pixel of each cell's middle, shape ``(m,)``.
        x_last: Pixel of each cell's last sample.
        breaks: Cells with a gap in front of them, shape ``(k,)``.
        raw: Whether every cell is a single sample.
        bins: Where their extremes are found.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    x: Samples
    x_last: Samples
    breaks: NDArray[np.int64]
    raw: bool
    bins: Bins

    def extremes(self, pyramid: Pyramid) -> Extremes:
        """Return least and greatest sample of each cell of a channel on this clock."""
        if self.bins.whole is not None:
            return pyramid.between(*self.bins.whole)
        parts = [pyramid.at(size, bins) for size, bins in self.bins.pieces]
        low = np.concatenate([part[0] for part in parts])[self.bins.order]
        high = np.concatenate([part[1] for part in parts])[self.bins.order]
        return low, high

    def __len__(self) -> int:
        return int(self.first.size)


def cells_of(time_s: Samples, lens: Lens, gap_s: float) -> Cells | None:
    """Choose the cells of a clock for a view; ``None`` where no sample is near it.

    Args:
        time_s: The clock, shape ``(n,)``, never decreasing.
        lens: Where its instants lie.
        gap_s: A longer interval between samples is a gap.
    """
    inside = np.searchsorted(time_s, (lens.origin_s, lens.time(lens.width_px)))
    first = max(int(inside[0]) - 1, 0)
    last = min(int(inside[1]) + 2, time_s.size)
    if last <= first or lens.width_px <= 0:
        return None
    a_pixel = (last - first) * WIDEST_PX / lens.width_px
    size = 1 << max(0, int(np.floor(np.log2(max(1.0, a_pixel)))))
    bins = (first // size, -(-last // size))
    if size > 1:
        whole = np.arange(*bins, dtype=np.int64)
        wide = _wide(time_s, lens, size, whole)
        if wide.any():
            return _split(time_s, lens, gap_s, size, whole)
    start = np.arange(*bins, dtype=np.int64) * size
    end = np.minimum(start + size, time_s.size) - 1
    return _placed(time_s, lens, gap_s, (start, end), Bins(whole=(size, *bins)))


def _wide(time_s: Samples, lens: Lens, size: int, bins: NDArray[np.int64]) -> NDArray[np.bool_]:
    if size == 1:
        return np.zeros(bins.shape, bool)
    start = bins * size
    end = np.minimum(start + size, time_s.size) - 1
    return np.asarray((time_s[end] - time_s[start]) * lens.px_per_s > WIDEST_PX * 1.5)


def _split(time_s: Samples, lens: Lens, gap_s: float, size: int, bins: NDArray[np.int64]) -> Cells:
    """Split wide bins into their parts until all are narrow or single samples."""
    pieces = []
    while bins.size:
        wide = _wide(time_s, lens, size, bins)
        pieces.append((size, bins[~wide]))
        parts = min(PARTS, size)
        size //= parts
        bins = (bins[wide][:, None] * parts + np.arange(parts)).ravel()
        bins = bins[bins * size < time_s.size]
    start = np.concatenate([bins * size for size, bins in pieces])
    sizes = np.concatenate([np.full(bins.size, size, np.int64) for size, bins in pieces])
    order = np.argsort(start, kind="stable")
    start = start[order]
    end = np.minimum(start + sizes[order], time_s.size) - 1
    return _placed(time_s, lens, gap_s, (start, end), Bins(pieces=tuple(pieces), order=order))


def _placed(
    time_s: Samples,
    lens: Lens,
    gap_s: float,
    rows: tuple[NDArray[np.int64], NDArray[np.int64]],
    bins: Bins,
) -> Cells:
    start, end = rows
    t_first, t_last = time_s[start], time_s[end]
    breaks = np.flatnonzero(t_first[1:] - t_last[:-1] > gap_s) + 1
    x_last = lens.x(t_last)
    raw = bool((start == end).all())
    x = x_last if raw else (lens.x(t_first) + x_last) / 2
    return Cells(start, end, x, x_last, breaks, raw, bins)
