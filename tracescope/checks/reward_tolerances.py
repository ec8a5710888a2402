"""What the reward check holds a pair to."""

from __future__ import annotations

from tracescope.model.tolerance import Tolerance

DIFFERENCE = Tolerance(
    "reward.difference_sd",
    -0.05,
    0.05,
    "sim sd",
    "a twentieth of the reward's own spread is far below what changes a return",
)
SLOPE = Tolerance(
    "reward.slope", 0.95, 1.05, "", "the same band as an observation's scale", (0.0, 10.0)
)
MIN_SUPPORT = Tolerance(
    "reward.support",
    0.3,
    1.0,
    "",
    "with fewer of the target's rows where the simulator was, the verdict would speak for too little",
    (0.0, 1.0),
)
