"""Everything one paint of the panes needs to know, gathered once."""

from __future__ import annotations

from dataclasses import dataclass

from tracescope.model.alignment import Interval
from tracescope.model.case import Case
from tracescope.model.check import Evidence
from tracescope.session.session import Mark
from tracescope.ui.plots.cells import Lens
from tracescope.ui.theme import Theme
from tracescope.ui.view_model import Side


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: the case, the range, the pixels it fills, and what is marked.

    Attributes:
        left_px, width_px: Where every box lies horizontally.
        sim_lens, target_lens: Where instants of each clock lie, from ``left_px``. The alignment enters
            here and nowhere else: an offset and a drift change two numbers, never an array.
        dragging: Whether the alignment is a preview.
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
    marks: tuple[Mark, ...] = ()
    dragging: bool = False

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
