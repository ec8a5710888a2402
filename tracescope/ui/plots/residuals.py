"""Target less simulator on the sim's clock: at screen resolution while dragging, exact otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from tracescope.analysis.residual import residual
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.trace import Samples
from tracescope.ui.courtesy import give_way
from tracescope.ui.plots.background import Background
from tracescope.ui.plots.cells import Cells, Lens
from tracescope.ui.plots.clock import place_of
from tracescope.ui.plots.outline import Outline, line_outline
from tracescope.ui.plots.plot_data import PlotData, Series
from tracescope.ui.plots.pyramid import Pyramid
from tracescope.ui.plots.readout import Spots, spots_of

MOST_ROWS_AT_ONCE = 20_000
"""A longer residual is computed by a worker; until it arrives the screen shows its own resolution."""

BLOCK = 1 << 15
"""Rows of a long residual computed at a time: what fits beside its results into a core's own cache."""

MOST_DOUBLES = 1_000_000
"""A longer residual is kept in single precision, a ten-millionth of its own size: it is only drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Couple:
    """A sim series and its counterpart's, as one key draws them."""

    sim: Series
    target: Series


def couples_of(series: tuple[Series, ...]) -> tuple[Couple, ...]:
    """Return the pairs among a pane's series."""
    sims = {s.key: s for s in series if s.side == "sim"}
    return tuple(Couple(sims[s.key], s) for s in series if s.side == "target" and s.key in sims)


def residual_at(
    couple: Couple, alignment: Alignment, data: PlotData, rows: NDArray[np.int64]
) -> Samples:
    """Return target − sim at these rows of the sim channel, shape of ``rows``; NaN where either is missing."""
    target_s = couple.target.channel.time_s
    if not target_s.size:
        return np.full(rows.shape, np.nan)
    at_s = alignment.to_target(couple.sim.channel.time_s[rows])
    return _at_spots(couple, spots_of(target_s, at_s, data.clock(target_s).gap_s), rows)


def _at_spots(couple: Couple, spots: Spots, rows: NDArray[np.int64]) -> Samples:
    sim, there = couple.sim.channel, spots.values(couple.target.channel)
    with np.errstate(invalid="ignore"):
        return np.asarray(couple.target.corrected(there) - sim.value[rows])  # type: ignore[arg-type]


def exact_residual(couple: Couple, case: Case, data: PlotData) -> Pyramid:
    """Return the residual at every row of the sim channel, ready to draw.

    A short one is the analysis's own; a long one follows the same definition block by block, so that
    memory and time stay small (the two agree to rounding).
    """
    sim = couple.sim.channel
    rows = sim.time_s.size
    if rows <= MOST_ROWS_AT_ONCE:
        return Pyramid(residual(case, sim.name, sim.time_s)[1])
    out = np.empty(rows, np.float64 if rows <= MOST_DOUBLES else np.float32)
    with np.errstate(over="ignore"):
        for start in range(0, rows, BLOCK):
            give_way()
            stop = min(start + BLOCK, rows)
            block = residual_in_step(couple, case.alignment, data, start, stop)
            if block is None:
                every = np.arange(start, stop, dtype=np.int64)
                block = residual_at(couple, case.alignment, data, every)
            out[start:stop] = block
    return Pyramid(out)


def residual_in_step(
    couple: Couple, alignment: Alignment, data: PlotData, start: int, stop: int
) -> Samples | None:
    """Do what :func:`residual_at` does where both clocks run in step: row after row, without a search.

    Args:
        couple: What to compare.
        alignment: How the clocks lie.
        data: Knows the target's gaps.
        start, stop: Rows of the sim channel.

    Returns:
        Shape ``(stop − start,)``, or ``None`` where not every row lies between neighbours that follow those
        of the row before, inside one stretch without a gap.
    """
    sim, target = couple.sim.channel, couple.target.channel
    clock_s, count = target.time_s, stop - start
    if clock_s.size <= count:
        return None
    at_s = alignment.to_target(sim.time_s[start:stop])
    slack = 1e-9 * max(1.0, abs(float(clock_s[-1])))
    first = int(np.searchsorted(clock_s, at_s[0] + slack, side="right")) - 1
    if first < 0 or first + count >= clock_s.size:
        return None
    before, after = clock_s[first : first + count], clock_s[first + 1 : first + count + 1]
    reached, apart = at_s + slack, after - before
    if (before > reached).any() or (after <= reached).any():
        return None
    if not apart.min() > 0 or apart.max() > data.clock(clock_s).gap_s:
        return None
    there = target.value[first : first + count].astype(np.float64)
    if not target.is_step:
        weight = np.where(at_s > before + slack, (at_s - before) / apart, 0.0)
        with np.errstate(invalid="ignore"):
            between = there + weight * (target.value[first + 1 : first + count + 1] - there)
        there = np.where(weight > 0, between, there)
    with np.errstate(invalid="ignore"):
        return np.asarray(couple.target.corrected(there) - sim.value[start:stop])  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class ResidualKey:
    """What an exact residual belongs to."""

    key: str
    source: str
    alignment: tuple[float, float, float]
    scale: float
    offset: float


def residual_key(couple: Couple, alignment: Alignment) -> ResidualKey:
    """Name the residual of a couple at an alignment."""
    lens = (alignment.offset_s, alignment.drift, alignment.pivot_s)
    target = couple.target
    return ResidualKey(target.key, target.channel.name, lens, target.scale, target.offset)


class Residuals(QObject):
    """Exact residuals of one pair, kept for the present alignment only.

    Short ones are computed when asked for; long ones by a worker, one after the other, and ``arrived``
    says that one is there. Until then the screen shows its own resolution.
    """

    arrived = Signal()

    def __init__(self, data: PlotData, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = Background("residual", self._take, self)
        self._background.arrived.connect(self.arrived)
        self.start(data)

    def start(self, data: PlotData) -> None:
        """Begin with another pair; what was computed or asked for is let go."""
        self._data = data
        self._exact: dict[ResidualKey, Pyramid] = {}
        self._sketches: dict[str, tuple[tuple[ResidualKey, Lens], Outline]] = {}
        self._spots: tuple[object, Spots] | None = None
        self._background.forget(lambda _: True)

    @property
    def is_busy(self) -> bool:
        """Whether a worker still computes."""
        return self._background.is_busy

    def outline(
        self, couple: Couple, case: Case, lens: Lens, *, dragging: bool
    ) -> tuple[Outline | None, bool]:
        """Return the residual's curve in a view, and whether it comes from every sample."""
        cells = self._data.cells(couple.sim.channel.time_s, lens)
        if cells is None:
            return None, True
        exact = None if dragging else self.exact(couple, case)
        if exact is not None:
            return line_outline(cells, exact), True
        key = (residual_key(couple, case.alignment), lens)
        held = self._sketches.get(couple.sim.key)
        if held is None or held[0] != key:
            sketch = self._sketched(couple, case.alignment, cells)
            held = self._sketches[couple.sim.key] = (key, sketch)
        return held[1], False

    def exact(self, couple: Couple, case: Case) -> Pyramid | None:
        """Return the residual over every sample, ``None`` while a worker still computes it."""
        key = residual_key(couple, case.alignment)
        held = self._exact.get(key)
        if held is not None:
            return held
        if couple.sim.channel.time_s.size <= MOST_ROWS_AT_ONCE:
            held = exact_residual(couple, case, self._data)
            self._take(key, held)
        else:
            # The newest alignment is the only one that counts.
            self._background.forget(lambda other: other.alignment != key.alignment)
            self._background.ask(key, partial(exact_residual, couple, case, self._data))
        return held

    def _take(self, key: ResidualKey, pyramid: Pyramid) -> None:
        self._exact = {k: v for k, v in self._exact.items() if k.alignment == key.alignment}
        self._exact[key] = pyramid

    def _sketched(self, couple: Couple, alignment: Alignment, cells: Cells) -> Outline:
        rows, x = cells.first, cells.x
        if not cells.raw:
            rows = np.stack((cells.first, cells.last), axis=1).ravel()
            x = np.repeat(cells.x, 2)
        value = self._at_rows(couple, alignment, rows)
        valid = ~np.isnan(value)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], valid, [False])).astype(np.int8)))
        return Outline(x, value, edges.reshape(-1, 2).astype(np.int64))

    def _at_rows(self, couple: Couple, alignment: Alignment, rows: NDArray[np.int64]) -> Samples:
        """Do what :func:`residual_at` does, finding the rows on the target's clock once a frame."""
        sim_s, target_s = couple.sim.channel.time_s, couple.target.channel.time_s
        if not target_s.size:
            return np.full(rows.shape, np.nan)
        lens = (alignment.offset_s, alignment.drift, alignment.pivot_s)
        ends = (int(rows[0]), int(rows[-1]), rows.size)
        key = (place_of(sim_s), place_of(target_s), lens, ends)
        if self._spots is None or self._spots[0] != key:
            at_s = alignment.to_target(sim_s[rows])
            self._spots = (key, spots_of(target_s, at_s, self._data.clock(target_s).gap_s))
        return _at_spots(couple, self._spots[1], rows)
