"""The clock in force: reported, and held to the step counter where a person set it and counters pair the rows."""

from __future__ import annotations

import numpy as np

from tracescope.analysis.counters import counter_line
from tracescope.analysis.workbench import Workbench
from tracescope.checks.alignment_tolerances import CLOCK_AGAINST_COUNTER
from tracescope.model.alignment import Alignment
from tracescope.model.check import Measurement

AGAINST_COUNTER = "clock offset against the counter"


def clock_measurements(alignment: Alignment) -> tuple[Measurement, ...]:
    """Report the clock in force: offset and drift, never judged."""
    offset = Measurement(
        "clock offset",
        "",
        alignment.offset_s,
        alignment.offset_interval_s,
        "s",
        required=False,
        note=alignment.note or alignment.how,
    )
    low_high = alignment.drift_interval
    if not alignment.drift and low_high is None:
        return (offset,)
    interval = None if low_high is None else (low_high[0] * 1e6, low_high[1] * 1e6)
    drift = Measurement("clock drift", "", alignment.drift_ppm, interval, "ppm", required=False)
    return (offset, drift)


def against_counter(bench: Workbench) -> tuple[Measurement, ...]:
    """Hold a clock that a person set to the stamps of the rows that the counters pair.

    The checks compare the pairs whatever the offset is; the curves and the note's offset are then of another
    alignment, and a pass would speak for both. What the stamps of this recording say is exact: the interval
    has no width. A clock that was read off the counters is theirs by construction.
    """
    case, rows = bench.case, bench.rows
    alignment, pair = case.alignment, case.pair
    if rows.target_row is None or alignment.how in ("estimated", "assumed"):
        return ()
    line = counter_line(pair, alignment.step_shift, case.confidence)
    if line is None or not rows.interval_s > 0:
        return ()
    ends_s = pair.target.time_s[rows.target_row[[0, -1]]]
    counted = Alignment(offset_s=line.offset_s, drift=line.drift, pivot_s=pair.target.t_first_s)
    apart = (alignment.to_sim(ends_s) - counted.to_sim(ends_s)) / rows.interval_s
    worst = float(apart[int(np.abs(apart).argmax())])
    return (
        Measurement(
            AGAINST_COUNTER,
            "",
            worst,
            (worst, worst),
            "rows",
            n=line.steps,
            tolerance=case.tolerances[CLOCK_AGAINST_COUNTER],
            tolerance_key=CLOCK_AGAINST_COUNTER.key,
            confidence=case.confidence,
            note=f"the stamps of {line.steps} paired rows give an offset of {line.offset_s:.6g} s",
        ),
    )


def contradicted(worst: Measurement, row_s: float) -> str:
    """Say how far the clock in force draws the target from the rows it is paired with."""
    apart = abs(worst.estimate)
    return (
        f"the offset set by hand draws the target {apart:.3g} rows ({apart * row_s * 1e3:.4g} ms)"
        f" {'right' if worst.estimate > 0 else 'left'} of the rows it is paired with: {worst.note};"
        " pair by time, or take that offset"
    )
