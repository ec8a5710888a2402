"""Everything one paint of the panes needs to know, gathered once."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Evidence
from tracescope.ui.plots.cells import Lens
from tracescope.ui.plots.ticks import tick_values
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import Side

PX_PER_TIME_TICK = 110
LEAST_TICKS = 4
"""A cursor's flag may cover one of them."""

LEAST_GAP_PX = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: the case, the range, the pixels it fills, and what is marked.

    Attributes:
        left_px, width_px: Where every box lies horizontally.
        sim_lens, target_lens: Where instants of each clock lie, from ``left_px``. The alignment enters
            here and nowhere else: an offset and a drift change two numbers, never an array.
        dragging: Whether the alignment is a preview.
        marks_px: Pixel spans of a person's marks in view.
        snap_s: Where the dragged target has been caught, or ``None``.
        ticks_px: Pixels of the canvas where the common time axis has ticks.
        alone_px: Pixel spans that only one of the two traces covers.
    """

    case: Case
    range_s: Interval
    left_px: float
    width_px: float
    sim_lens: Lens
    target_lens: Lens
    theme: Theme
    cursor_a_s: float | None = None
    cursor_b_s: float | None = None
    evidence: tuple[Evidence, ...] = ()
    marks_px: tuple[tuple[int, int], ...] = ()
    dragging: bool = False
    snap_s: float | None = None
    ticks_px: tuple[float, ...] = ()
    alone_px: tuple[Interval, ...] = ()

    def lens(self, side: Side) -> Lens:
        """Return the lens of one side's clock."""
        return self.sim_lens if side == "sim" else self.target_lens

    def x(self, at_s: float) -> float:
        """Map an instant of the sim's clock to a pixel of the canvas."""
        return self.left_px + self.sim_lens.x_one(at_s)

    def time(self, x: float) -> float:
        """Map a pixel of the canvas to an instant of the sim's clock."""
        return self.sim_lens.time(x - self.left_px)


def lenses(case: Case, range_s: Interval, width_px: float) -> tuple[Lens, Lens]:
    """Return the lenses of the sim's and the target's clock for a range of the sim's clock."""
    low, high = range_s
    px_per_s = width_px / (high - low)
    alignment = case.alignment
    sim = Lens(low, px_per_s, width_px)
    # t_sim grows by 1 − drift for each second of the target's clock.
    target = Lens(alignment.to_target_one(low), px_per_s * (1.0 - alignment.drift), width_px)
    return sim, target


def time_ticks(range_s: Interval, width_px: float) -> tuple[float, tuple[float, ...]]:
    """Return step and instants of the ticks that the time axis and every grid share."""
    return tick_values(*range_s, max(LEAST_TICKS, int(width_px / PX_PER_TIME_TICK)))


def frame_of(case: Case, range_s: Interval, left_px: float, width_px: float, theme: Theme) -> Frame:
    """Return the frame of a range in boxes from ``left_px`` on, with nothing marked."""
    sim, target = lenses(case, range_s, width_px)
    bare = Frame(case, range_s, left_px, width_px, sim, target, theme)
    ticks = tuple(float(round(bare.x(at_s))) for at_s in time_ticks(range_s, width_px)[1])
    return replace(bare, ticks_px=ticks, alone_px=tuple(without_counterpart(bare)))


def without_counterpart(frame: Frame) -> list[tuple[float, float]]:
    """Return the pixel spans, inside the view, that only one of two traces covers."""
    pair, alignment = frame.case.pair, frame.case.alignment
    if not (len(pair.sim) and len(pair.target)):
        return []
    sim = (float(pair.sim.time_s[0]), float(pair.sim.time_s[-1]))
    target = tuple(alignment.to_sim_one(float(pair.target.time_s[row])) for row in (0, -1))
    edges = ((sim[0], target[0]), (sim[1], target[1]))
    if max(sim[0], target[0]) >= min(sim[1], target[1]):
        edges = (sim, (target[0], target[1]))
    right_px = frame.left_px + frame.width_px
    out = []
    for ends in edges:
        left, right = sorted((frame.x(ends[0]), frame.x(ends[1])))
        left, right = max(left, frame.left_px), min(right, right_px)
        if right - left > LEAST_GAP_PX:
            out.append((left, right))
    return out
