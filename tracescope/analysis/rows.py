"""The pair on one grid of rows: the only place where the two traces are brought together for the checks.

Rows are paired by step counter or laid on a grid by time, with the one alignment and the one set of
corrections of the case. Observations are interpolated linearly, actions and flags hold their previous
value, and nothing is interpolated across a gap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.counters import equal_steps
from tracescope.analysis.gaps import gap_length_s, in_gap
from tracescope.analysis.resample import Reader, resampled
from tracescope.analysis.stretches import even_rows, finite_range, running_count
from tracescope.model.case import Case
from tracescope.model.trace import Channel, Role, Samples, Trace

__all__ = [
    "PairedRows",
    "ReadOnDemand",
    "at_rows",
    "live",
    "moves",
    "names_of",
    "paired_rows",
    "resampled",
    "some_of",
    "without_values",
]


HELD_ROWS = 500_000
"""Values of more common rows than this are read when they are asked for, and not kept all at once."""


Chosen = slice | NDArray[np.int64]
"""Some of the common rows, in order."""

_At = Reader | NDArray[np.int64]

MOVES = 1e-9
"""Part of its magnitude by which a signal that moves is spread at least."""


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """How one channel is read on common rows: at instants, or at the rows of its trace that were paired."""

    case: Case
    channel: Channel
    of_target: bool
    at: _At

    def value(self) -> NDArray[Any]:
        """Return the channel's values, corrected; as the file has them where nothing is to be corrected."""
        if self.of_target and self.case.correction_of(self.channel.name) is not None:
            return self.case.target_values(self.channel.name)
        return self.channel.value

    def read(self, rows: Chosen | None = None) -> Samples:
        """Return the values on all common rows, or on some."""
        if isinstance(self.at, Reader):
            return self.at.read(self.channel, self.value(), rows)
        trace = self.case.pair.target if self.of_target else self.case.pair.sim
        found = at_rows(
            trace, self.channel, self.value(), self.at if rows is None else self.at[rows]
        )
        return found.astype(np.float64, copy=False)


class ReadOnDemand(Mapping[str, Samples]):
    """Channel name → values, read when asked for; the one asked for last is kept.

    Doubles of every channel of two long traces would take twice the memory of the traces themselves.
    """

    def __init__(self, reads: Mapping[str, _Reading], rows: int) -> None:
        self._reads = dict(reads)
        self.rows = rows
        self._last: tuple[str, Samples] | None = None

    def __getitem__(self, name: str) -> Samples:
        last = self._last
        if last is None or last[0] != name:
            self._last = None  # what is kept goes before more is read
            last = (name, self._reads[name].read())
            self._last = last
        return last[1]

    def some(self, name: str, rows: Chosen | None = None) -> Samples:
        """Return a channel's values on some common rows, on stretches of them where none are named."""
        return self._reads[name].read(even_rows(self.rows) if rows is None else rows)

    def surely_moves(self, name: str) -> bool:
        """Whether a channel moves on stretches, by as much as would count beside the largest of its values."""
        _, low, high = finite_range(self.some(name))
        _, least, most = finite_range(self._reads[name].value())
        return bool(high - low > 2 * MOVES * max(abs(least), abs(most)))

    def __contains__(self, name: object) -> bool:
        return name in self._reads

    def __iter__(self) -> Iterator[str]:
        return iter(self._reads)

    def __len__(self) -> int:
        return len(self._reads)


@dataclass(frozen=True, slots=True, eq=False)
class PairedRows:
    """Both traces on the same rows.

    Attributes:
        time_s: Sim clock, seconds, shape ``(n,)``.
        interval_s: Nominal seconds from row to row.
        sim: Sim channel name → values, shape ``(n,)``, float64; NaN where it has none.
        target: Sim channel name → the matched target channel's corrected values, same rows.
        run: Number of the gap-free run each row belongs to, shape ``(n,)``: a transition from row i to
            i + 1 exists only where ``run[i] == run[i + 1]``.
        sim_row, target_row: Row numbers in the traces where rows were paired one to one, else ``None``.
    """

    time_s: Samples
    interval_s: float
    sim: Mapping[str, Samples]
    target: Mapping[str, Samples]
    run: NDArray[np.int64]
    sim_row: NDArray[np.int64] | None = None
    target_row: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return int(self.time_s.size)

    @property
    def consecutive(self) -> NDArray[np.bool_]:
        """Whether row i + 1 follows row i without a gap, shape ``(n − 1,)``."""
        return np.asarray(self.run[1:] == self.run[:-1])


def paired_rows(case: Case) -> PairedRows:
    """Bring a case's two traces onto common rows, by its alignment's mode."""
    sim, target = case.pair.sim, case.pair.target
    if case.alignment.mode == "step" and sim.step is not None and target.step is not None:
        return _by_step(case, sim.step, target.step)
    return _by_time(case)


def _by_step(case: Case, sim_step: NDArray[np.int64], target_step: NDArray[np.int64]) -> PairedRows:
    sim = case.pair.sim
    sim_row, target_row = equal_steps(sim_step, target_step, case.alignment.step_shift)
    common = sim_step[sim_row]
    counter_step = np.median(np.diff(common)) if common.size > 1 else 1
    run = (
        np.concatenate(([0], np.cumsum(np.diff(common) > counter_step))) if common.size else common
    )
    return PairedRows(
        sim.time_s[sim_row],
        sim.interval_s,
        *_values(case, sim_row, target_row, sim_row.size),
        run.astype(np.int64),
        sim_row,
        target_row,
    )


def at_rows(
    trace: Trace, channel: Channel, value: NDArray[Any], row: NDArray[np.int64]
) -> NDArray[Any]:
    """Return a channel's values at rows of its trace, whatever clock the channel has, shape ``(m,)``."""
    if channel.time_s is trace.time_s or channel.time_s.shape == trace.time_s.shape:
        return value[row]
    return resampled(channel, value, trace.time_s[row], gap_length_s(channel.time_s))


def _by_time(case: Case) -> PairedRows:
    sim, target, alignment = case.pair.sim, case.pair.target, case.alignment
    target_on_sim = alignment.to_sim(target.time_s)
    empty = PairedRows(np.zeros(0), float("nan"), {}, {}, np.zeros(0, np.int64))
    if not (len(sim) and len(target)):
        return empty
    interval_s = max(sim.interval_s, target.interval_s)
    first, last = max(sim.time_s[0], target_on_sim[0]), min(sim.time_s[-1], target_on_sim[-1])
    if not (np.isfinite(interval_s) and last > first):
        return empty
    # The grid starts on a sim row, so that equal clocks pair row by row with nothing interpolated.
    start = sim.time_s[np.searchsorted(sim.time_s, first - 1e-9 * max(1.0, abs(first)))]
    grid = start + interval_s * np.arange(int(np.floor((last - start) / interval_s + 1e-6)) + 1)
    gap = in_gap(sim.time_s, grid) | in_gap(target.time_s, alignment.to_target(grid))
    run = np.zeros(grid.size, np.int64)
    if gap.any():
        run, grid = running_count(gap)[~gap], grid[~gap]
    ours, theirs = Reader(grid), Reader(alignment.to_target(grid))
    return PairedRows(
        grid,
        interval_s,
        *_values(case, ours, theirs, grid.size),
        run.astype(np.int64),
    )


def _values(
    case: Case, ours: _At, theirs: _At, rows: int
) -> tuple[Mapping[str, Samples], Mapping[str, Samples]]:
    """Read every matched channel of sim and target, or of very many rows the one that is asked for."""
    matched = case.pair.matched()
    sides = (
        {a.name: _Reading(case, a, of_target=False, at=ours) for a, _ in matched},
        {a.name: _Reading(case, b, of_target=True, at=theirs) for a, b in matched},
    )
    if rows > HELD_ROWS:
        return ReadOnDemand(sides[0], rows), ReadOnDemand(sides[1], rows)
    sim, target = ({name: one.read() for name, one in side.items()} for side in sides)
    return sim, target


def some_of(values: Mapping[str, Samples], name: str, rows: Chosen) -> Samples:
    """Return a channel's values on some common rows, shape ``(m,)``, without reading the others of a long pair."""
    return values.some(name, rows) if isinstance(values, ReadOnDemand) else values[name][rows]


def moves(values: Mapping[str, Samples], name: str) -> bool:
    """Whether a channel, shape ``(n,)``, is live on common rows; stretches of a long pair tell where they can."""
    if isinstance(values, ReadOnDemand) and values.surely_moves(name):
        return True
    return live(values[name])


def live(value: Samples) -> bool:
    """Whether a signal, shape ``(n,)``, moves: its spread exceeds :data:`MOVES` of its magnitude.

    Samples that are not finite are ignored; fewer than two of them do not move.
    """
    count, low, high = finite_range(value)
    return count > 1 and high - low > MOVES * max(abs(low), abs(high), 1e-300)


def without_values(rows: PairedRows, name: str) -> str:
    """Say on which sides a channel holds no value at all on the common rows; empty where both hold some."""
    sides = (("the simulator", rows.sim), ("the target", rows.target))
    return " and ".join(side for side, values in sides if not _holds_values(values, name))


def _holds_values(values: Mapping[str, Samples], name: str) -> bool:
    if isinstance(values, ReadOnDemand) and bool(np.isfinite(values.some(name)).any()):
        return True
    return bool(finite_range(values[name])[0])


def names_of(rows: PairedRows, case: Case, *roles: Role) -> tuple[str, ...]:
    """Return the sim names of matched channels of these roles that both sides hold on these rows."""
    return tuple(a.name for a, _ in case.pair.matched(*roles) if a.name in rows.sim)
