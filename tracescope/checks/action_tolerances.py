"""What the action check holds a command to."""

from __future__ import annotations

from tracescope.model.tolerance import Tolerance

CHECK_ID = "action"

APPLIED_ROWS = "altered applied rows"
"""Share of rows whose applied action differs from the emitted one, inside the target."""

EMITTED_ROWS = "altered emitted rows"
"""Share of rows whose emitted action differs from the simulator's, where an exact map makes it so."""

ALTERED = Tolerance(
    f"{CHECK_ID}.altered-rows",
    0.0,
    0.01,
    "",
    "an action that reached the actuator changed in more than one row of a hundred is another action",
    allowed=(0.0, 1.0),
)
GAIN = Tolerance(
    f"{CHECK_ID}.gain",
    0.95,
    1.05,
    "",
    "applied for emitted, target against simulator: a few per cent are within a controller's margin",
)
BOUND = Tolerance(
    f"{CHECK_ID}.bound",
    0.95,
    float("inf"),
    "",
    "a bound below the simulator's reach takes away actions that the policy learnt to use",
)
REACH = Tolerance(
    f"{CHECK_ID}.reach",
    0.90,
    float("inf"),
    "",
    "a bound shows only where the target comes near what the simulator used",
)

ALL = (ALTERED, GAIN, BOUND, REACH)
