"""Transitions of each trace on its own rows.

Neither interpolation nor the alignment touches them, unless the two recorders' intervals differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import gap_length_s
from tracescope.analysis.logging_phase import rows_late
from tracescope.analysis.rows import resampled
from tracescope.analysis.transitions import (
    Drive,
    Flags,
    drive_values,
    end_flags,
    episode_continues,
)
from tracescope.analysis.workbench import Workbench
from tracescope.model.trace import Channel, Samples, Trace

SAME_RATE = 0.02
"""Row intervals that differ by more are brought onto common rows first."""


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """State and drive of one side on one set of rows.

    Attributes:
        time_s: Row times on this side's own clock, shape ``(n,)``.
        state: Live observations, shape ``(n, p)``.
        drive: What drove the plant from each row on, shape ``(n, m)``: where a trace says that its rows hold
            the observation after the action, the next row's action.
        goes_on: Whether row i + 1 follows row i, shape ``(n − 1,)``.
    """

    time_s: Samples
    state: Samples
    drive: Samples
    goes_on: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Transitions of one side, one a row.

    Attributes:
        row: Row that each starts from, shape ``(n,)``.
        state, before: Observation there and one row earlier, shape ``(n, p)``.
        drive, drive_before: What drove the plant there and one row earlier, shape ``(n, m)``.
        change: Observation one row later less the one there, shape ``(n, p)``.
    """

    row: NDArray[np.int64]
    state: Samples
    before: Samples
    drive: Samples
    drive_before: Samples
    change: Samples

    def __len__(self) -> int:
        return int(self.row.size)

    def subset(self, kept: NDArray[np.bool_] | NDArray[np.int64]) -> Steps:
        """Return some of the transitions."""
        return Steps(
            self.row[kept],
            self.state[kept],
            self.before[kept],
            self.drive[kept],
            self.drive_before[kept],
            self.change[kept],
        )


def recorded(
    bench: Workbench, names: tuple[str, ...], chosen: tuple[Drive, ...]
) -> tuple[Recorded, Recorded, bool]:
    """Return simulator and target with these observations and drives, and whether on common rows.

    Target values are corrected. Shapes: see :class:`Recorded`.
    """
    pair, case = bench.case.pair, bench.case
    ratio = pair.target.interval_s / pair.sim.interval_s if pair.sim.interval_s > 0 else np.nan
    if abs(ratio - 1) <= SAME_RATE:
        own = [pair.sim[x] for x in names]
        sim = _own_rows(
            pair.sim,
            [(c, c.as_float()) for c in own],
            [(d.sim, d.sim.as_float()) for d in chosen],
        )
        matched = [pair.target[str(pair.target_of(x))] for x in names]
        target = _own_rows(
            pair.target,
            [(c, case.target_values(c.name)) for c in matched],
            [(d.target, case.target_values(d.target.name)) for d in chosen],
        )
        return sim, target, False
    rows = bench.rows
    drive_sim, drive_target = drive_values(bench)
    sides = []
    for values, drive in ((rows.sim, drive_sim), (rows.target, drive_target)):
        state = np.column_stack([values[x] for x in names])
        sides.append(Recorded(rows.time_s, state, drive, rows.consecutive))
    return sides[0], sides[1], True


def _own_rows(
    trace: Trace,
    states: list[tuple[Channel, Samples]],
    drive: list[tuple[Channel, Samples]],
) -> Recorded:
    n = len(trace)
    gap_s = gap_length_s(trace.time_s)
    late = rows_late(trace)
    columns = [_at(trace, c, value, gap_s) for c, value in states]
    columns += [_earlier(_at(trace, c, value, gap_s), late) for c, value in drive]
    matrix = np.column_stack(columns)
    state, driven = matrix[:, : len(states)], matrix[:, len(states) :].reshape(n, -1)
    return Recorded(trace.time_s, state, driven, _follows(trace, state))


def _earlier(value: Samples, late: int) -> Samples:
    """Return an action on the row of the observation that it followed, where rows hold it later."""
    return np.concatenate((value[late:], np.full(late, np.nan))) if late else value


def _at(trace: Trace, channel: Channel, value: Samples, gap_s: float) -> Samples:
    if channel.time_s is trace.time_s or channel.time_s.shape == trace.time_s.shape:
        return value
    return resampled(channel, value, trace.time_s, gap_s)


def _follows(trace: Trace, state: Samples) -> Flags:
    """Say which rows are followed by the next one of the same episode, one period later."""
    elapsed, gap_s = np.diff(trace.time_s), gap_length_s(trace.time_s)
    if trace.step is not None and len(trace) > 1:
        counted = np.diff(trace.step)
        # A counter tells a late stamp from a missing row; only a long hole contradicts it.
        goes_on = (counted == np.median(counted)) & (elapsed <= 2 * gap_s)
    else:
        goes_on = elapsed <= gap_s
    repeated = (elapsed <= 0) & (np.diff(state, axis=0) == 0).all(axis=1)
    return np.asarray(goes_on & ~repeated & episode_continues(state, end_flags(trace)))


def steps_of(rows: Recorded) -> Steps:
    """Return every transition whose start, end and predecessor are consecutive and finite."""
    known = np.asarray(np.isfinite(rows.state).all(axis=1) & np.isfinite(rows.drive).all(axis=1))
    middle = rows.goes_on[:-1] & rows.goes_on[1:] & known[:-2] & known[1:-1] & known[2:]
    row = np.flatnonzero(middle) + 1
    return Steps(
        row,
        rows.state[row],
        rows.state[row - 1],
        rows.drive[row],
        rows.drive[row - 1],
        rows.state[row + 1] - rows.state[row],
    )
