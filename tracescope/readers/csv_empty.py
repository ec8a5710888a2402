"""Which cells of a block hold no byte at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def cell_ends(data: bytes, mark: int, total: int) -> NDArray[np.int64] | None:
    """Return where each cell ends, or ``None`` where not every line has ``total`` cells."""
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((raw == mark) | (raw == 10))
    if ends.size % total or not bool((raw[ends[total - 1 :: total]] == 10).all()):
        return None
    lines = ends.size // total
    return ends if data.count(b"\n") == lines else None


@dataclass(slots=True)
class Empty:
    """Which cells hold no byte at all; looked up only where some column has a missing value."""

    data: bytes
    ends: NDArray[np.int64] | None
    mark: int
    total: int
    found: dict[int, NDArray[np.bool_]] | None = None

    def of(self, at: int) -> NDArray[np.bool_] | None:
        """Return the empty cells of a column, or ``None`` where it has none."""
        if self.found is None:
            ends = self.ends
            if ends is None:
                flat = cell_ends(self.data, self.mark, self.total)
                ends = None if flat is None else flat.reshape(-1, self.total)
            self.found = {} if ends is None else _empty_cells(ends)
        return self.found.get(at)


def _empty_cells(ends: NDArray[np.int64]) -> dict[int, NDArray[np.bool_]]:
    """Return which cells hold no byte at all, by column; columns without such cells are left out."""
    hollow = np.diff(ends.ravel(), prepend=-1) == 1
    if not hollow.any():
        return {}
    grid = hollow.reshape(ends.shape)
    return {int(at): grid[:, at].copy() for at in np.flatnonzero(grid.any(axis=0))}
