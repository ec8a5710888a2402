"""One pane: what it shows, where its parts lie, and the range of values it spans."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPolygonF

from tracescope.model.alignment import Interval
from tracescope.ui.plots.plot_data import Series
from tracescope.ui.plots.residuals import Couple, couples_of

PADDING = 0.06
"""Share of the values' span left free above and below."""


@dataclass(slots=True)
class Box:
    """A rectangle with curves: pixels, and the values at its edges."""

    rect: QRectF = field(default_factory=QRectF)
    low: float = 0.0
    high: float = 1.0
    by_hand: bool = False

    @property
    def px_per_unit(self) -> float:
        """Pixels a unit of value is high."""
        return self.rect.height() / (self.high - self.low)

    @property
    def at_zero_px(self) -> float:
        """Where value 0 lies, pixels from the box's upper edge."""
        return self.rect.height() + self.low * self.px_per_unit

    def y(self, value: float) -> float:
        """Map a value to a pixel of the canvas."""
        return self.rect.bottom() - (value - self.low) * self.px_per_unit

    def value(self, y: float) -> float:
        """Map a pixel of the canvas to a value."""
        return self.low + (self.rect.bottom() - y) / self.px_per_unit

    def span_values(self, low: float, high: float, *, by_hand: bool = False) -> None:
        """Span these values; a span that numbers cannot resolve, or that is not finite, is refused."""
        resolved = high - low > 1e-14 * max(abs(low), abs(high), 1e-300)
        if math.isfinite(high - low) and resolved:
            self.low, self.high, self.by_hand = low, high, by_hand

    def zoom(self, factor: float, about: float) -> None:
        """Zoom values by a factor about a value that stays in place."""
        self.span_values(
            about - (about - self.low) / factor, about + (self.high - about) / factor, by_hand=True
        )


@dataclass(slots=True, eq=False)
class Pane:
    """Keys of a pane and everything that is derived from them.

    ``band_is_seen``: whether the tolerance of its residual is high enough on the screen to be named.
    """

    keys: tuple[str, ...]
    series: tuple[Series, ...] = ()
    header: QRectF = field(default_factory=QRectF)
    box: Box = field(default_factory=Box)
    residual: Box = field(default_factory=Box)
    is_one_side: bool = False
    band_is_seen: bool = False
    shapes: dict[tuple[str, str, str], tuple[object, list[QPolygonF]]] = field(default_factory=dict)

    @property
    def is_flags(self) -> bool:
        """Whether it shows flags only, as bands."""
        return bool(self.series) and all(s.is_flag for s in self.series)

    @property
    def couples(self) -> tuple[Couple, ...]:
        """What has a residual."""
        return couples_of(self.series)

    @property
    def has_residual(self) -> bool:
        """Whether a residual lane is laid out under it."""
        return self.residual.rect.height() > 0

    @property
    def has_band(self) -> bool:
        """Whether its residual has one tolerance: that of its only couple."""
        return self.has_residual and len(self.couples) == 1

    @property
    def rect(self) -> QRectF:
        """All of the pane."""
        return self.header.united(self.box.rect).united(self.residual.rect)

    def box_at(self, pos: QPointF) -> Box | None:
        """Return the box beside or under a point (the axis counts as its box)."""
        for box in (self.box, self.residual):
            if box.rect.top() <= pos.y() <= box.rect.bottom() and box.rect.height() > 0:
                return box
        return None


def padded(low: float, high: float) -> Interval:
    """Return a range that shows these bounds with some air, whatever they are.

    A constant gets a span of its own magnitude, so that it lies in the middle at any size; without a
    finite value the range is −1 to 1.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return -1.0, 1.0
    span = high - low
    if not math.isfinite(span):
        return low / 2, high / 2
    size = max(abs(low), abs(high))
    if span <= 1e-9 * size or span == 0:
        half = 0.1 * size if size > 1e-300 else 1.0
        return low - half, high + half
    return low - PADDING * span, high + PADDING * span
