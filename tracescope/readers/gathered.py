"""What a preview is made of: blocks of rows of a long recording."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.readers.table import Table


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Blocks of rows as one table.

    Attributes:
        table: Their cells, one block after another.
        rows: Number of each row in the file, shape ``(table.rows,)``, increasing.
        rows_in_file: How many there are.
        halvings: The rows stand in ``2^halvings`` places, one in each part of the file, irregularly.
    """

    table: Table
    rows: NDArray[np.int64]
    rows_in_file: int
    halvings: int


def fresh_places(
    length: int, block: int, parts: int, taken: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Choose where to read blocks: one in each part of a file that holds none yet, anywhere in it.

    Places at even distances would show a periodic signal as a slower one that is not there: jittered
    sampling turns such aliases into noise (Cook, 1986, "Stochastic sampling in computer graphics", ACM
    Trans. Graph. 5(1), section 4). The same file is always read in the same places, and two files of one
    length in the same.

    Args:
        length: Of the file, in rows or bytes; at least ``4 · block · parts``.
        block: Length of what is read in one place.
        parts: Into how many equal parts the file is divided.
        taken: Places chosen for half as many parts; without, the first and last place are the ends.

    Returns:
        First rows (bytes), shape ``(k,)``, increasing; blocks never overlap, nor those taken.
    """
    edges = np.arange(parts + 1, dtype=np.int64) * length // parts
    shares = np.random.default_rng(parts).random(parts)
    low, high = edges[:-1] + block, edges[1:] - block
    places = low + np.floor(shares * (high - low)).astype(np.int64)
    if taken is None:
        places[0], places[-1] = 0, length - block
        return places
    full = np.searchsorted(edges, taken, side="right") - 1
    return np.delete(places, full)
