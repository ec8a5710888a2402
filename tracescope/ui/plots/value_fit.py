"""Which values a box spans where no hand chose them."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tracescope.model.alignment import Interval
from tracescope.ui.plots.frame import Frame
from tracescope.ui.plots.pane import Pane, padded
from tracescope.ui.plots.plot_data import PlotData
from tracescope.ui.plots.residuals import Residuals

LEAST_RESIDUAL = 1e-5
"""A residual lane spans at least this share of the values above it."""


def span_all(pane: Pane, data: PlotData) -> None:
    """Span every finite value of a pane."""
    pane.box.span_values(*padded(*_union(data.value_bounds(series) for series in pane.series)))


def span_visible(pane: Pane, frame: Frame, data: PlotData) -> None:
    """Span what a pane shows now; everything, where that has no finite value."""
    found = []
    for series in pane.series:
        cells = data.cells(series.channel.time_s, frame.lens(series.side))
        if cells is not None:
            low, high = cells.extremes(data.pyramid(series.channel))
            inside = (cells.x >= 0) & (cells.x <= frame.width_px)
            ends = [series.corrected(value) for value in _ends(low[inside], high[inside])]
            found.append((min(ends), max(ends)))
    bounds = _union(found)
    if math.isfinite(bounds[0]):
        pane.box.span_values(*padded(*bounds))
    else:
        span_all(pane, data)


def fit_residuals(panes: Iterable[Pane], frame: Frame, residuals: Residuals) -> list[Pane]:
    """Span every residual with its zero line; while the target is dragged a range only grows.

    Returns:
        The panes whose range changed.
    """
    changed = []
    for pane in panes:
        if pane.has_residual and not pane.residual.by_hand:
            before = (pane.residual.low, pane.residual.high)
            _fit_residual(pane, frame, residuals)
            if before != (pane.residual.low, pane.residual.high):
                changed.append(pane)
    return changed


def _fit_residual(pane: Pane, frame: Frame, residuals: Residuals) -> None:
    box = pane.residual
    # A residual of rounding errors is a flat line beside what it was taken from, not a storm.
    floor = LEAST_RESIDUAL * (pane.box.high - pane.box.low)
    found: list[Interval] = [(-floor, floor)]
    for couple in pane.couples:
        exact = None if frame.dragging else residuals.exact(couple, frame.case)
        if exact is not None:
            found.append((exact.low, exact.high))
            continue
        outline, _ = residuals.outline(couple, frame.case, frame.sim_lens, dragging=frame.dragging)
        if outline is not None:
            found.append(_ends(outline.value, outline.value))
    low, high = _union(found)
    if frame.dragging:
        if low >= box.low and high <= box.high:
            return
        low, high = min(low, box.low), max(high, box.high)
    box.span_values(*padded(low, high))


def _ends(low: NDArray[np.floating], high: NDArray[np.floating]) -> Interval:
    finite = np.isfinite(low)
    if not finite.any():
        return (math.nan, math.nan)
    return float(low[finite].min()), float(high[finite].max())


def _union(found: Iterable[Interval]) -> Interval:
    finite = [pair for pair in found if math.isfinite(pair[0]) and math.isfinite(pair[1])]
    if not finite:
        return (math.nan, math.nan)
    return min(pair[0] for pair in finite), max(pair[1] for pair in finite)
