"""What the timing check holds a pair to."""

from __future__ import annotations

import math

from tracescope.model.tolerance import Tolerance

CHECK_ID = "timing"

INTERVAL = Tolerance(
    f"{CHECK_ID}.interval-ratio",
    0.99,
    1.01,
    "",
    "a loop one per cent slower integrates one per cent more of everything",
    allowed=(0.0, math.inf),
)
JITTER = Tolerance(
    f"{CHECK_ID}.jitter",
    0.0,
    2.0,
    "ms",
    "published budget for 50 Hz policies: jitter below 2 ms",
    allowed=(0.0, math.inf),
)
LONGEST = Tolerance(
    f"{CHECK_ID}.longest-interval",
    0.0,
    1.5,
    "periods",
    "past one and a half periods the next row is late by more than half a step",
    allowed=(0.0, math.inf),
)
MISSING = Tolerance(
    f"{CHECK_ID}.missing-rows",
    0.0,
    0.01,
    "",
    "more than one row in a hundred lost leaves holes in every window of a policy",
    allowed=(0.0, 1.0),
)
STALE = Tolerance(
    f"{CHECK_ID}.stale-rows",
    0.0,
    0.01,
    "",
    "a row that repeats stamp and observation holds no new measurement",
    allowed=(0.0, 1.0),
)
LATENCY = Tolerance(
    f"{CHECK_ID}.logged-latency",
    0.0,
    25.0,
    "ms",
    "published budget for 50 Hz policies: an observation is at most 25 ms old",
    allowed=(0.0, math.inf),
)
LATENCY_JITTER = Tolerance(
    f"{CHECK_ID}.logged-latency-jitter",
    0.0,
    2.0,
    "ms",
    "published budget for 50 Hz policies: jitter below 2 ms",
    allowed=(0.0, math.inf),
)
NOMINAL = Tolerance(
    f"{CHECK_ID}.nominal-interval",
    0.99,
    1.01,
    "",
    "whoever integrates with the stated period is wrong by as much as it differs from the measured one",
    allowed=(0.0, math.inf),
)
RESPONSE = Tolerance(
    f"{CHECK_ID}.response-latency",
    -0.5,
    0.5,
    "rows",
    "half a control step more or less between action and response is a different loop",
)

ALL = (
    INTERVAL,
    JITTER,
    LONGEST,
    MISSING,
    STALE,
    LATENCY,
    LATENCY_JITTER,
    NOMINAL,
    RESPONSE,
)

OF_CLOCK = tuple(t.key for t in (INTERVAL, JITTER, LONGEST, MISSING, STALE, NOMINAL))
"""Keys of what is measured on the stamps alone."""
