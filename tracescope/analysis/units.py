"""Factors that give a unit mistake away."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tracescope.model.alignment import Interval


@dataclass(frozen=True, slots=True)
class UnitFactor:
    """A known factor between two units of the same quantity: ``value`` of the one in the other."""

    value: float
    name: str
    meaning: str


_BASE = (
    UnitFactor(180 / math.pi, "180/π", "degrees where radians are meant"),
    UnitFactor(1000.0, "1000", "milli-units where units are meant"),
    UnitFactor(100.0, "100", "centimetres or per cent where units are meant"),
    UnitFactor(2 * math.pi, "2π", "radians where turns are meant"),
    UnitFactor(9.80665, "9.80665", "m/s² where g is meant, or N where kgf is meant"),
    UnitFactor(0.0254, "0.0254", "metres where inches are meant"),
    UnitFactor(
        4096 / (2 * math.pi), "4096/2π", "ticks of a 12-bit encoder where radians are meant"
    ),
)

FACTORS = _BASE + tuple(
    UnitFactor(1 / f.value, f"1/({f.name})", f"the inverse of: {f.meaning}") for f in _BASE
)
"""What a unit mistake multiplies by, and the inverses."""

MAX_RELATIVE_WIDTH = 0.20
"""An interval with a wider half, relative to the estimate, contains some factor by chance."""


def unit_factor(estimate: float, interval: Interval | None) -> UnitFactor | None:
    """Return the unit factor inside a scale's interval, the nearest where there are several.

    A sign is looked through. Intervals that contain 1 or are wider than a fifth of the estimate either way name
    nothing; an interval narrower than 2 % of it is widened to that, since sensors are calibrated no
    better.
    """
    if interval is None or not all(map(math.isfinite, (*interval, estimate))) or estimate == 0:
        return None
    size = abs(estimate)
    low, high = sorted(abs(end) for end in interval)
    if interval[0] * interval[1] <= 0 or high - low > 2 * MAX_RELATIVE_WIDTH * size:
        return None
    low, high = min(low, 0.99 * size), max(high, 1.01 * size)
    if low <= 1.0 <= high:
        return None
    inside = [factor for factor in FACTORS if low <= factor.value <= high]
    return min(inside, key=lambda factor: abs(math.log(factor.value / size)), default=None)
