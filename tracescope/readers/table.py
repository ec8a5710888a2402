"""What a reader gets out of a file before clock and roles are decided: columns of numbers and notes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.model.trace import FrameStack, HealthNote, Role


@dataclass(slots=True)
class Column:
    """One scalar series of a file, not yet on a clock.

    Attributes:
        name: As the file spells it (``obs[0]`` for a place in a vector), unique in its table.
        value: Shape ``(n,)``: numbers or booleans; codes where ``labels`` is given; NaN where empty.
        column: The file's column or dataset; ``""`` is the name itself.
        index: Place in the vector, or ``None``.
        unit: As the file says, or ``""``.
        dtype: As the file had it; ``""`` is that of ``value``.
        labels: The texts that codes stand for.
        role, role_because: Where the layout itself says what it is; ``None`` lets the name decide.
        first_row: Row of the table that ``value[0]`` belongs to.
        empty: Which cells hold nothing at all (not even ``nan``), shape ``(n,)``, or ``None``: such a
            column has a clock of its own.
        stamp_ns: Exact integer nanoseconds since 1970 where the texts said more than a float holds.
        exact: (integers, decimals): the value is integer / 10^decimals, where a float would round.
        stamp_zone: Whether ``stamp_ns`` came from texts with a time zone.
        is_clock: Whether the layout itself says that this column stamps the rows.
    """

    name: str
    value: NDArray[Any]
    column: str = ""
    index: int | None = None
    unit: str = ""
    dtype: str = ""
    labels: tuple[str, ...] = ()
    role: Role | None = None
    role_because: str = ""
    first_row: int = 0
    empty: NDArray[np.bool_] | None = None
    stamp_ns: NDArray[np.int64] | None = None
    stamp_zone: bool = False
    exact: tuple[NDArray[np.int64], int] | None = None
    is_clock: bool = False

    def taken(self, rows: NDArray[np.int64]) -> Column:
        """Return the column with these of its own rows, in this order."""
        return Column(
            self.name,
            self.value[rows],
            self.column,
            self.index,
            self.unit,
            self.dtype or str(self.value.dtype),
            self.labels,
            self.role,
            self.role_because,
            0,
            None if self.empty is None else self.empty[rows],
            None if self.stamp_ns is None else self.stamp_ns[rows],
            self.stamp_zone,
            None if self.exact is None else (self.exact[0][rows], self.exact[1]),
            self.is_clock,
        )


@dataclass(slots=True)
class Table:
    """All columns of one file or episode.

    Attributes:
        columns: In the file's order.
        rows: Number of rows; columns may be shorter (``first_row``, Minari's actions).
        health: What was noticed while reading.
        metadata: Attributes worth showing, as text.
        rate_hz: Nominal rate where the file says one, and ``rate_because`` where it says so.
        frames: Camera images; their ``time_s`` holds row numbers until the clock is known.
        line_of: Row number → line in the file, for messages; ``None`` where there are no lines.
        source_name: Path as messages spell it.
    """

    columns: list[Column]
    rows: int
    health: list[HealthNote] = field(default_factory=list)
    metadata: tuple[tuple[str, str], ...] = ()
    rate_hz: float | None = None
    rate_because: str = ""
    frames: tuple[FrameStack, ...] = ()
    line_of: Callable[[int], int] | None = None
    source_name: str = ""

    def place(self, row: int) -> str:
        """Return ``line 12`` or ``row 12`` (counted from 0) for a row of the table."""
        return f"row {row}" if self.line_of is None else f"line {self.line_of(row)}"


def text_column(name: str, cells: NDArray[Any] | list[str], **more: Any) -> Column:
    """Return a column of codes for a column of texts, labels in order of first appearance."""
    codes: dict[str, int] = {}
    value = np.fromiter(
        (codes.setdefault(str(cell), len(codes)) for cell in cells), np.int32, len(cells)
    )
    return Column(name, value, labels=tuple(codes), dtype="text", **more)
