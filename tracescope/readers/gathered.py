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
        halvings: The rows stand in ``2^halvings + 1`` places, evenly spread.
    """

    table: Table
    rows: NDArray[np.int64]
    rows_in_file: int
    halvings: int
