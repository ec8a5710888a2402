"""Target less simulator on the sim's clock: at screen resolution while dragging, exact otherwise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tracescope.analysis.residual import residual
from tracescope.model.alignment import Alignment
from tracescope.model.case import Case
from tracescope.model.trace import Samples
from tracescope.ui.plots.cells import Cells, Lens
from tracescope.ui.plots.outline import Outline, line_outline
from tracescope.ui.plots.plot_data import PlotData, Series
from tracescope.ui.plots.pyramid import Pyramid
from tracescope.ui.plots.readout import values_at

MOST_EXACT_ROWS = 200_000
"""A longer residual is computed by a worker; until it arrives the screen shows its own resolution."""


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
    sim, target = couple.sim.channel, couple.target.channel
    at_s = alignment.to_target(sim.time_s[rows])
    there = values_at(target, at_s, data.clock(target.time_s).gap_s)
    with np.errstate(invalid="ignore"):
        return np.asarray(couple.target.corrected(there) - sim.value[rows])  # type: ignore[arg-type]


def exact_residual(couple: Couple, case: Case) -> Pyramid:
    """Return the residual at every row of the sim channel, ready to draw: the one the analysis defines."""
    sim = couple.sim.channel
    return Pyramid(residual(case, sim.name, sim.time_s)[1])


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


class Residuals:
    """Exact residuals of one pair, kept for the present alignment only."""

    def __init__(self, data: PlotData) -> None:
        self._data = data
        self._exact: dict[ResidualKey, Pyramid] = {}

    def outline(
        self, couple: Couple, case: Case, lens: Lens, *, dragging: bool
    ) -> tuple[Outline | None, bool]:
        """Return the residual's curve in a view, and whether it comes from every sample."""
        sim = couple.sim.channel
        cells = self._data.cells(sim.time_s, lens)
        if cells is None:
            return None, True
        exact = None if dragging else self.exact(couple, case)
        if exact is not None:
            return line_outline(cells, exact), True
        return self._sampled(couple, case.alignment, cells), False

    def exact(self, couple: Couple, case: Case) -> Pyramid | None:
        """Return the residual over every sample, ``None`` while a worker must still compute it."""
        key = residual_key(couple, case.alignment)
        held = self._exact.get(key)
        if held is None and couple.sim.channel.time_s.size <= MOST_EXACT_ROWS:
            held = exact_residual(couple, case)
            self.take(key, held)
        return held

    def take(self, key: ResidualKey, pyramid: Pyramid) -> None:
        """Take in an exact residual; those of other alignments are let go."""
        self._exact = {k: v for k, v in self._exact.items() if k.alignment == key.alignment}
        self._exact[key] = pyramid

    def _sampled(self, couple: Couple, alignment: Alignment, cells: Cells) -> Outline:
        rows = cells.first if cells.raw else np.unique(np.concatenate((cells.first, cells.last)))
        value = residual_at(couple, alignment, self._data, rows)
        x = cells.x if cells.raw else np.interp(rows, cells.first, cells.x)
        valid = ~np.isnan(value)
        edges = np.flatnonzero(np.diff(np.concatenate(([False], valid, [False])).astype(np.int8)))
        return Outline(x, value, edges.reshape(-1, 2).astype(np.int64))
