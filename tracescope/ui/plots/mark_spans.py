"""Where a person's marks lie on the screen: found once a view, however many panes draw them."""

from __future__ import annotations

import numpy as np

from tracescope.model.alignment import Alignment
from tracescope.model.trace import Samples
from tracescope.session.session import Mark
from tracescope.ui.plots.cells import Lens

PixelSpans = tuple[tuple[int, int], ...]


class MarkSpans:
    """Keeps the marks' instants on the sim's clock and the last view's pixels."""

    def __init__(self) -> None:
        self._marks: tuple[Mark, ...] = ()
        self._alignment = Alignment()
        self._ends_s: Samples = np.zeros((0, 2))
        self._seen: tuple[object, PixelSpans] = (None, ())

    def within(
        self, marks: tuple[Mark, ...], alignment: Alignment, lens: Lens, left_px: float
    ) -> PixelSpans:
        """Return the pixel spans of the marks in view, those of the same pixels once.

        Args:
            marks: Of the session.
            alignment: In force; marks on the target move with it.
            lens: Of the sim's clock.
            left_px: Where the lens begins on the canvas.
        """
        if not marks:
            return ()
        key = (lens.origin_s, lens.px_per_s, lens.width_px, left_px)
        if marks is not self._marks or alignment != self._alignment:
            self._marks, self._alignment = marks, alignment
            self._ends_s = np.array([mark.on_sim(alignment) for mark in marks])
        elif self._seen[0] == key:
            return self._seen[1]
        low, high = lens.origin_s, lens.time(lens.width_px)
        ends = self._ends_s[(self._ends_s[:, 1] >= low) & (self._ends_s[:, 0] <= high)]
        px = np.round(left_px + np.clip(lens.x(ends), -2.0, lens.width_px + 2.0)).astype(np.int64)
        found: PixelSpans = tuple((int(a), int(b)) for a, b in np.unique(px, axis=0))
        self._seen = (key, found)
        return found
