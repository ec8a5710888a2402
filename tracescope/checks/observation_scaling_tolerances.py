"""What the observation check holds a channel to."""

from __future__ import annotations

import math

from tracescope.model.alignment import Interval
from tracescope.model.tolerance import Tolerance, Tolerances

CHECK_ID = "observation-scaling"

SCALE = Tolerance(
    f"{CHECK_ID}.scale",
    0.95,
    1.05,
    "",
    "a policy trained on normalised observations tolerates a few per cent of gain",
)
LEVEL = Tolerance(
    f"{CHECK_ID}.level",
    -0.10,
    0.10,
    "sd",
    "a tenth of what the simulator's signal varies, joined with the scale's band at its mean",
)
SATURATED = Tolerance(
    f"{CHECK_ID}.saturated-rows",
    0.0,
    0.005,
    "",
    "rows at a limit that the simulator does not have carry no information",
    allowed=(0.0, 1.0),
)
HELD = Tolerance(
    f"{CHECK_ID}.held-rows",
    float("-inf"),
    1.0,
    "rows",
    "one repeated row is a late sample, more is a dropout",
)
HELD_SHARE = Tolerance(
    f"{CHECK_ID}.held-share",
    0.0,
    0.05,
    "",
    "a sensor slower than the loop repeats itself while the simulator moves",
    allowed=(0.0, 1.0),
)
RESOLUTION = Tolerance(
    f"{CHECK_ID}.resolution",
    float("-inf"),
    0.10,
    "sd",
    "a coarser step hides motion that the simulator shows",
)
SWAPPED = Tolerance(
    f"{CHECK_ID}.swapped-channels",
    0.0,
    0.0,
    "",
    "a channel in another's place is a different observation",
)

ALL = (SCALE, LEVEL, SATURATED, HELD, HELD_SHARE, RESOLUTION, SWAPPED)


def level_band(tolerances: Tolerances, mean: float, spread: float, slope: float = 1.0) -> Interval:
    """Return the band of a level in the channel's unit.

    Args:
        tolerances: In force.
        mean: Of the simulator's signal.
        spread: Its standard deviation.
        slope: Target units a sim unit, where a scale was found.
    """
    low, high = tolerances[LEVEL]
    scale_low, scale_high = tolerances[SCALE]
    down = _length(low * spread, (1 - scale_low) * mean)
    up = _length(high * spread, (scale_high - 1) * mean)
    return (-abs(slope) * down, abs(slope) * up)


_SQUARED_WELL = (1e-150, 1e150)


def _length(a: float, b: float) -> float:
    """Return the length of two parts at right angles, also where their squares leave a float's reach."""
    low, high = _SQUARED_WELL
    return (a**2 + b**2) ** 0.5 if low < max(abs(a), abs(b)) < high else math.hypot(a, b)
