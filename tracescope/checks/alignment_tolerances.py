"""What the alignment check holds a pair to."""

from __future__ import annotations

import math

from tracescope.model.tolerance import Tolerance

CHECK_ID = "alignment"

ROWS_BACK = Tolerance(
    f"{CHECK_ID}.rows-back",
    0.0,
    0.01,
    "",
    "a few rows out of order can be sorted; more say that the clock is not the row's",
    allowed=(0.0, 1.0),
)
REPEATED = Tolerance(
    f"{CHECK_ID}.repeated-rows",
    0.0,
    0.10,
    "",
    "rows that repeat the one before in everything are dropped; more are not a log of steps",
    allowed=(0.0, 1.0),
)
OVERLAP = Tolerance(
    f"{CHECK_ID}.overlap",
    0.5,
    1.0,
    "",
    "less than half of the shorter trace in common is not the same episode",
    allowed=(0.0, 1.0),
)
COMMON_ROWS = Tolerance(
    f"{CHECK_ID}.common-rows",
    20.0,
    math.inf,
    "rows",
    "fewer rows carry no interval worth reading",
    allowed=(2.0, math.inf),
)
COUNTED_ROWS = Tolerance(
    f"{CHECK_ID}.common-rows-counted",
    12.0,
    math.inf,
    "rows",
    "counters pair rows without a search, and the lag's own interval says whether as few tell it",
    allowed=(2.0, math.inf),
)
LAG_LEFT = Tolerance(
    f"{CHECK_ID}.lag-left",
    -0.5,
    0.5,
    "rows",
    "half a row either way and rows still pair with their own counterpart",
)
DRIFT_LEFT = Tolerance(
    f"{CHECK_ID}.drift-left",
    -1.0,
    1.0,
    "rows",
    "over the whole trace the clocks may part by one row before rows pair wrongly at the ends",
)
HIDDEN_ROWS = Tolerance(
    f"{CHECK_ID}.hidden-rows",
    -0.5,
    0.5,
    "rows",
    "a counter that does not count missing rows pairs everything after them wrongly",
)
CLOCK_AGAINST_COUNTER = Tolerance(
    f"{CHECK_ID}.clock-against-counter",
    -0.5,
    0.5,
    "rows",
    "half a row either way and the curves lie where the counters pair their rows",
)

ALL = (
    ROWS_BACK,
    REPEATED,
    OVERLAP,
    COMMON_ROWS,
    COUNTED_ROWS,
    LAG_LEFT,
    DRIFT_LEFT,
    HIDDEN_ROWS,
    CLOCK_AGAINST_COUNTER,
)
