"""The pair on one grid of rows: the only place where the two traces are brought together for the checks.

Rows are paired by step counter or laid on a grid by time, with the one alignment and the one set of
corrections of the case. Observations are interpolated linearly, actions and flags hold their previous
value, and nothing is interpolated across a gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.gaps import gap_length_s, in_gap
from tracescope.analysis.resample import Reader, resampled
from tracescope.model.case import Case
from tracescope.model.trace import Channel, Role, Samples, Trace

__all__ = [
    "PairedRows",
    "at_rows",
    "live",
    "names_of",
    "paired_rows",
    "resampled",
    "without_values",
]


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
    sim: dict[str, Samples]
    target: dict[str, Samples]
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
    sim, target = case.pair.sim, case.pair.target
    common, sim_row, target_row = np.intersect1d(
        sim_step, target_step - case.alignment.step_shift, return_indices=True
    )
    counter_step = np.median(np.diff(common)) if common.size > 1 else 1
    run = (
        np.concatenate(([0], np.cumsum(np.diff(common) > counter_step))) if common.size else common
    )
    sim_values, target_values = {}, {}
    for a, b in case.pair.matched():
        sim_values[a.name] = at_rows(sim, a, a.as_float(), sim_row)
        target_values[a.name] = at_rows(target, b, case.target_values(b.name), target_row)
    return PairedRows(
        sim.time_s[sim_row],
        sim.interval_s,
        sim_values,
        target_values,
        run.astype(np.int64),
        sim_row,
        target_row,
    )


def at_rows(trace: Trace, channel: Channel, value: Samples, row: NDArray[np.int64]) -> Samples:
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
    grid_target = alignment.to_target(grid)
    ours, theirs = Reader(grid), Reader(grid_target)
    sim_values, target_values = {}, {}
    for a, b in case.pair.matched():
        sim_values[a.name] = ours.read(a, a.as_float())
        target_values[a.name] = theirs.read(b, case.target_values(b.name))
    gap = in_gap(sim.time_s, grid) | in_gap(target.time_s, grid_target)
    kept = ~gap
    run = np.cumsum(gap)[kept]
    return PairedRows(
        grid[kept],
        interval_s,
        {name: value[kept] for name, value in sim_values.items()},
        {name: value[kept] for name, value in target_values.items()},
        run.astype(np.int64),
    )


def live(value: Samples) -> bool:
    """Whether a signal, shape ``(n,)``, moves: its spread exceeds 1e-9 of its magnitude.

    Samples that are not finite are ignored; fewer than two of them do not move.
    """
    finite = value[np.isfinite(value)]
    if finite.size < 2:
        return False
    spread = float(finite.max() - finite.min())
    return spread > 1e-9 * max(float(np.abs(finite).max()), 1e-300)


def without_values(rows: PairedRows, name: str) -> str:
    """Say on which sides a channel holds no value at all on the common rows; empty where both hold some."""
    sides = (("the simulator", rows.sim), ("the target", rows.target))
    return " and ".join(side for side, values in sides if not np.isfinite(values[name]).any())


def names_of(rows: PairedRows, case: Case, *roles: Role) -> tuple[str, ...]:
    """Return the sim names of matched channels of these roles that both sides hold on these rows."""
    return tuple(a.name for a, _ in case.pair.matched(*roles) if a.name in rows.sim)
